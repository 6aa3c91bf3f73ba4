"""The files of a crawl folder that every machine needs: settings, lists of seeds, examples."""

from pathlib import Path

from clew.store.folder import DATABASE, LOCK, PAGES
from clew.store.outbox import SHARDS

LARGEST = 16 << 20
"""Bytes of a file that is sent; larger ones are results rather than settings."""

_OURS = (DATABASE, LOCK, "coordinator.")


def settings_files(folder: Path) -> dict[str, bytes]:
    """Return the content of the files that a user has put into a crawl folder, by relative path."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        ours = name.parts[0] in (SHARDS, PAGES) or name.name.startswith((*_OURS, "."))
        if not ours and path.is_file() and path.stat().st_size <= LARGEST:
            found[name.as_posix()] = path.read_bytes()
    return found
