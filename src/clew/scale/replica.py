"""A copy of a crawl on another disk or in an object store, from which it can go on.

The copy is a manifest, a snapshot of the database, and the WARC files in parts, each byte sent once. A
manifest names only what is complete, and appears after it: a copy that was interrupted is never seen.
"""

import json
import re
import sqlite3
import sys
import time
from contextlib import closing
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from clew.domain.installation import install_command
from clew.errors import ConfigError, StoreError
from clew.store.folder import DATABASE, PAGES
from clew.store.outbox import RESTORES

_MANIFEST = re.compile(r"manifest-([0-9]{12})\.json")
_SNAPSHOT = "replica.tmp"
_CHUNK = 4 << 20


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a copy consists of: its database, and by WARC file the parts with their lengths."""

    epoch: int = 0
    database: str = ""
    saved: float = 0.0
    warcs: dict[str, list[tuple[str, int]]] = field(default_factory=dict)


class Replica:
    """The copy of one crawl, or of one shard, at a URL that fsspec knows, or a path.

    `epoch` is that of the lease: what an earlier owner still saves is never chosen over what a later one did.
    """

    def __init__(self, url: str, *, epoch: int = 0) -> None:
        self.url = url
        self.epoch = epoch
        try:
            self._fs, self._path = import_module("fsspec").core.url_to_fs(url)
        except ImportError as error:
            cure = install_command("scale") if error.name in ("fsspec", None) else f"pip install {error.name}"
            msg = f"crawl.replicate = {url}: {error}; get what is missing with: {cure}"
            raise ConfigError(msg) from None
        except ValueError as error:
            msg = f"crawl.replicate = {url}: {error}; write a path, or a URL like s3://bucket/wind"
            raise ConfigError(msg) from None

    def save(self, folder: Path) -> Manifest | None:
        """Save the committed state of a crawl; None before there is any. The crawl may go on meanwhile."""
        if not (folder / DATABASE).exists():
            return None
        snapshot = folder / _SNAPSHOT
        try:
            lengths = _take_snapshot(folder, snapshot)
            before = self._latest(self.epoch) or Manifest()
            parts = {
                name: self._save_warc(folder, name, length, before.warcs.get(name, []))
                for name, length in lengths.items()
            }
            turn = 1 if before.database.endswith("-0.db") and before.epoch == self.epoch else 0
            database = f"crawl-{self.epoch:012d}-{turn}.db"
            self._fs.put_file(str(snapshot), self._at(database))
            made = Manifest(self.epoch, database, time.time(), parts)
            self._write(f"manifest-{self.epoch:012d}.json", json.dumps(asdict(made)).encode())
            if before.database not in ("", database):
                self._fs.rm_file(self._at(before.database))
        except (OSError, sqlite3.Error) as error:
            msg = f"the copy of {folder} at {self.url} failed ({error}); the one before it is whole"
            raise StoreError(msg) from error
        finally:
            snapshot.unlink(missing_ok=True)
        return made

    def _save_warc(
        self, folder: Path, name: str, length: int, parts: list[tuple[str, int]]
    ) -> list[tuple[str, int]]:
        """Save what is new of a WARC file; return all its parts."""
        path = folder / PAGES / name
        saved = sum(size for _, size in parts)
        if saved == length or not path.exists():  # finished files may be moved away
            return parts
        if saved > length:  # rewritten
            parts, saved = [], 0
        part = f"{PAGES}/{name}@{saved}-{self.epoch}"
        self._fs.makedirs(self._at(PAGES), exist_ok=True)
        with path.open("rb") as source, self._fs.open(self._at(part), "wb") as target:
            source.seek(saved)
            left = length - saved
            while left and (data := source.read(min(left, _CHUNK))):
                target.write(data)
                left -= len(data)
        return [*parts, (part, length - saved)]

    def restore(self, folder: Path) -> Manifest:
        """Put the last copy into a folder; what was there is kept beside it, as it was."""
        try:
            manifest = self._latest()
            if manifest is None:
                msg = f"there is no copy at {self.url}; was crawl.replicate set while the crawl ran?"
                raise StoreError(msg)
            if (folder / DATABASE).exists():
                folder.rename(folder.with_name(f"{folder.name}.before-{time.time_ns()}"))
            (folder / PAGES).mkdir(parents=True, exist_ok=True)
            for name, parts in manifest.warcs.items():
                with (folder / PAGES / name).open("wb") as target:
                    for part, _ in parts:
                        self._fs.get_file(self._at(part), target)
            fresh = folder / _SNAPSHOT
            self._fs.get_file(self._at(manifest.database), str(fresh))
            _note_restore(fresh)
            fresh.rename(folder / DATABASE)
        except (OSError, sqlite3.Error) as error:
            msg = f"the copy at {self.url} cannot be put into {folder} ({error}); try it again"
            raise StoreError(msg) from error
        return manifest

    def _latest(self, epoch: int | None = None) -> Manifest | None:
        """Return the manifest of the last owner, or of the last one up to an epoch."""
        if not self._fs.exists(self._path):
            self._fs.makedirs(self._path, exist_ok=True)
        names = [str(name).rpartition("/")[2] for name in self._fs.ls(self._path, detail=False, refresh=True)]
        found = {int(match[1]): match[0] for name in names if (match := _MANIFEST.fullmatch(name))}
        known = [number for number in found if epoch is None or number <= epoch]
        if not known:
            return None
        fields: dict[str, Any] = json.loads(self._fs.cat_file(self._at(found[max(known)])))
        warcs = {name: [(part, size) for part, size in parts] for name, parts in fields.pop("warcs").items()}
        return Manifest(**fields, warcs=warcs)

    def _write(self, name: str, content: bytes) -> None:
        self._fs.pipe_file(self._at(f"{name}.tmp"), content)
        self._fs.mv(self._at(f"{name}.tmp"), self._at(name))

    def _at(self, name: str) -> str:
        return f"{self._path}/{name}"


def _take_snapshot(folder: Path, target: Path) -> dict[str, int]:
    """Copy the database as it is committed; return the lengths of the WARC files that it knows."""
    target.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(f"file:{folder / DATABASE}?mode=ro", uri=True, timeout=30.0)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        return dict(copy.execute("SELECT name, length FROM warcs WHERE length > 0"))


def _note_restore(database: Path) -> None:
    """Note after which link numbers are given anew, so that other shards read those again."""
    with closing(sqlite3.connect(database)) as db, db:
        (last,) = db.execute("SELECT ifnull(max(id), 0) FROM links").fetchone()
        (restores,) = db.execute("SELECT value FROM meta WHERE key = ?", (RESTORES,)).fetchone() or ("[]",)
        value = json.dumps([*json.loads(restores), last])
        db.execute("REPLACE INTO meta (key, value) VALUES (?, ?)", (RESTORES, value))


def stored_epoch(folder: Path) -> int:
    """Return the epoch of the last owner that has written to the folder of a shard, 0 if there is none.

    For a damaged database it is larger than any: whoever opens it says what is wrong.
    """
    if not (folder / DATABASE).exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{folder / DATABASE}?mode=ro", uri=True)) as db:
            row = db.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'epoch'").fetchone()
    except sqlite3.Error:
        return sys.maxsize
    return int(row[0]) if row else 0
