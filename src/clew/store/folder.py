"""The folder of a crawl: its layout, and the lock that keeps a second process out."""

import errno
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from clew.errors import FolderBusy, StoreError

DATABASE = "crawl.db"
PAGES = "pages"
LOCK = "crawl.lock"

DAMAGED = (
    "copy the whole folder first, then rebuild the database from what is left: "
    "sqlite3 crawl.db .recover | sqlite3 new.db (fetched pages are safe in pages/*.warc.gz)"
)
"""What to do about a damaged database; Clew never tries to repair one."""

_REASONS = {
    errno.ENOSPC: "the disk is full; free some space and run again",
    errno.EDQUOT: "your disk quota is used up; free some space and run again",
    errno.EFBIG: "a file reached the size limit of this system (ulimit -f); raise it and run again",
    errno.EROFS: "the disk is read-only; mount it for writing or choose another folder",
    errno.EACCES: "permission denied; give yourself write access to the folder or choose another",
    errno.EPERM: "not permitted; give yourself write access to the folder or choose another",
    errno.ENOTDIR: "there is a file where a folder is needed; move it away or choose another folder",
    errno.EEXIST: "there is a file where a folder is needed; move it away or choose another folder",
    errno.EIO: "the disk failed to read or write; check the disk, then run again",
}

_GRACE = 1.0  # seconds

_held: set[int] = set()  # locks of this process, which forked children must release


def _release_in_child() -> None:
    # A forked child shares our lock; it would keep the folder busy after we were killed.
    while _held:
        with suppress(OSError):
            os.close(_held.pop())


os.register_at_fork(after_in_child=_release_in_child)


def disk_error(error: OSError, place: Path) -> StoreError:
    """Return an operating system error as a StoreError that names cause and remedy."""
    text = _REASONS.get(error.errno or 0, f"{error.strerror or error}; check the disk and run again")
    return StoreError(f"{place} cannot be used: {text}")


def make_folder(folder: Path) -> None:
    """Create the missing parts of a crawl folder."""
    try:
        (folder / PAGES).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk_error(error, folder) from error


def take_lock(folder: Path) -> int:
    """Keep every other process out of the folder until `drop_lock`, or until this one dies."""
    path = folder / LOCK
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise disk_error(error, path) from error
    try:
        _flock(lock)
        os.ftruncate(lock, 0)
        os.pwrite(lock, b"%d\n" % os.getpid(), 0)
    except BlockingIOError:
        owner = os.pread(lock, 32, 0).decode("ascii", "replace").strip()
        os.close(lock)
        who = f"process {owner}" if owner.isdigit() else "another process"
        msg = f"{who} already works on {folder}; wait for it, or stop it with: kill {owner or 'PID'}"
        raise FolderBusy(msg) from None
    except OSError as error:
        os.close(lock)
        raise disk_error(error, path) from error
    _held.add(lock)
    return lock


def _flock(lock: int) -> None:
    # A process that was just killed may take a moment to die, and its children to release the lock.
    deadline = time.monotonic() + _GRACE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.02)
        else:
            return


def drop_lock(lock: int) -> None:
    """Release the lock. The file stays: deleting it would allow two owners for a moment."""
    _held.discard(lock)
    os.close(lock)


def sync_folder(path: Path) -> None:
    """Make new names in a folder durable."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def free_space(path: Path) -> int:
    """Return the bytes we may still write there."""
    try:
        disk = os.statvfs(path)
    except OSError as error:
        raise disk_error(error, path) from error
    return disk.f_bavail * disk.f_frsize
