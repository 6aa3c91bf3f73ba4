"""Feature vectors of links by id: rows of 32-bit numbers, in memory or in a memory-mapped file.

A row is a flag followed by the features: the flag is 1 when the link has features and 0 when it has none
(seeds, redirect targets, links from a sitemap). The file is derived data. A small header (`FeatureHeader`)
says which model wrote it and up to which id it is valid; rows beyond that are rebuilt from the store.
"""

import json
import mmap
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from clew.contracts import FeatureChange
from clew.errors import StoreError
from clew.types import Features, Ids

FORMAT = 1
MIN_GROWTH = 65_536
"""Least number of rows to grow by: 6 MB with 24 features."""

MAX_GROWTH = 1 << 19
"""Largest number of rows to grow by: 50 MB, allocated in a few milliseconds."""

CHUNK = 32_768
"""Rows changed at a time."""

ROWS_FILE, HEADER_FILE = "features.u32", "features.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureHeader:
    """Which rows are valid on disk: all ids below `links`, with the first `raised` score rises applied.

    `made_by` identifies policy and goal: features of another one have another meaning.
    """

    made_by: str = ""
    columns: int = 0
    links: int = 0
    raised: int = 0
    format: int = FORMAT


class FeatureRows:
    """Store one row for each link.

    Rows of new links are written at once: after a crash their ids are assigned again and the rows
    overwritten. Better features of old links wait in memory until the page that found them is committed
    (`commit`).

    Args:
        columns: number of features of a link.
        folder: folder of the file; None keeps everything in memory.
    """

    def __init__(self, columns: int, folder: Path | None = None) -> None:
        self.columns = columns
        self.folder = folder
        self.rows: Features = np.zeros((0, columns + 1), np.uint32)
        self._uncommitted: dict[int, Features] = {}

    def append(self, first: int, features: Features) -> None:
        """Write the features of new links, the first of which has the id `first`."""
        end = first + len(features)
        self._grow(end)
        self.rows[first:end, 0] = 1
        self.rows[first:end, 1:] = features

    def replace(self, ids: Ids, features: Features) -> None:
        """Replace the features of known links."""
        if self.folder is not None:
            self._uncommitted.update(zip(ids.tolist(), flagged(features), strict=True))
        elif len(ids):
            self._grow(int(ids.max()) + 1)
            self.rows[ids] = flagged(features)

    def clear(self, ids: Ids) -> None:
        """Forget the features of links that were fetched."""
        self.rows[ids[ids < len(self.rows)]] = 0
        for id in ids.tolist():
            self._uncommitted.pop(id, None)

    def change(self, size: int, change: FeatureChange) -> None:
        """Change the features of all links with ids below `size` in place."""
        self._grow(size)
        for start in range(0, size, CHUNK):
            change(self.rows[start : min(start + CHUNK, size), 1:])
        for row in self._uncommitted.values():
            change(row[np.newaxis, 1:])

    def write_committed(self, ids: Ids, features: Features) -> None:
        """Write features whose pages are already committed."""
        self.commit(dict(zip(ids.tolist(), flagged(features), strict=True)))

    def read(self, ids: Ids) -> Features:
        """Return the rows of links; those beyond the end are zeros."""
        found = np.zeros((len(ids), self.columns + 1), np.uint32)
        stored = ids < len(self.rows)
        found[stored] = self.rows[ids[stored]]
        if self._uncommitted:
            for at, id in enumerate(ids.tolist()):
                if id in self._uncommitted:
                    found[at] = self._uncommitted[id]
        return found

    def row(self, id: int) -> Features:
        """Return the row of one link, as an array of shape (1, columns + 1)."""
        pending = self._uncommitted.get(id)
        if pending is None and id < len(self.rows):
            return self.rows[id : id + 1].copy()
        return self.read(np.array([id])) if pending is None else pending[np.newaxis].copy()

    def rows_below(self, size: int) -> Features:
        """Return the committed rows of all ids below `size`."""
        self._grow(size)
        return self.rows

    def uncommitted(self) -> Mapping[int, Features]:
        """Return a copy of the features that wait for a commit."""
        return dict(self._uncommitted)

    def commit(self, committed: Mapping[int, Features]) -> None:
        """Write features whose pages have been committed."""
        if not committed:
            return
        self._grow(max(committed) + 1)
        for id, row in committed.items():
            self.rows[id] = row
            if self._uncommitted.get(id) is row:
                del self._uncommitted[id]

    def _grow(self, size: int) -> None:
        capacity = len(self.rows)
        if size <= capacity:
            return
        rows = max(size, capacity + min(max(capacity // 2, MIN_GROWTH), MAX_GROWTH))
        if self.folder is None:
            self.rows = np.concatenate((self.rows, np.zeros((rows - capacity, self.columns + 1), np.uint32)))
        else:
            self._map(self.folder / ROWS_FILE, rows)

    def _map(self, path: Path, rows: int) -> None:
        """Map the file with allocated space: on a full disk a later write would kill the process."""
        size = rows * (self.columns + 1) * 4
        try:
            path.parent.mkdir(exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                reserve = getattr(os, "posix_fallocate", None)
                if reserve is not None:
                    reserve(file, 0, size)
                else:
                    os.ftruncate(file, size)
                mapped = mmap.mmap(file, size)
            finally:
                os.close(file)
        except OSError as error:
            msg = f"{path} cannot be made larger: {error.strerror}; free some space and run again"
            raise StoreError(msg) from error
        self.rows = np.frombuffer(mapped, np.uint32).reshape(rows, self.columns + 1)

    def open(self, made_by: str) -> FeatureHeader:
        """Map the existing file and return its header; rows that the header does not cover are cleared."""
        assert self.folder is not None, "only rows in a file can be opened"
        header, path = read_header(self.folder), self.folder / ROWS_FILE
        if header is None or (header.made_by, header.columns) != (made_by, self.columns) or not path.exists():
            path.unlink(missing_ok=True)
            self._grow(1)
            return FeatureHeader(made_by=made_by, columns=self.columns)
        width = (self.columns + 1) * 4
        self._map(path, max(path.stat().st_size // width, header.links, MIN_GROWTH))
        self.rows[header.links :] = 0
        return header

    def open_readonly(self) -> None:
        """Map the existing file read-only: another process may own it."""
        assert self.folder is not None, "only rows in a file can be opened"
        width = self.columns + 1
        try:
            with (self.folder / ROWS_FILE).open("rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return  # missing or empty: no rows
        rows = len(mapped) // (4 * width)
        self.rows = np.frombuffer(mapped, np.uint32, rows * width).reshape(rows, width)

    def sync(self, header: FeatureHeader) -> None:
        """Flush all rows to disk, then write the header; slow, and may be called in another thread."""
        assert self.folder is not None, "only rows in a file can be synced"
        try:
            file = os.open(self.folder / ROWS_FILE, os.O_RDWR)
            try:
                os.fsync(file)  # on Linux also what was written through a mapping
            finally:
                os.close(file)
            temporary = self.folder / f"{HEADER_FILE}.new"
            with temporary.open("w", encoding="utf-8") as stream:
                json.dump(asdict(header), stream)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(self.folder / HEADER_FILE)
        except OSError as error:
            path = self.folder / HEADER_FILE
            msg = f"{path} cannot be written: {error.strerror}; check the disk and run again"
            raise StoreError(msg) from error


def read_header(folder: Path) -> FeatureHeader | None:
    """Return the header, or None if there is no readable one."""
    try:
        header = FeatureHeader(**json.loads((folder / HEADER_FILE).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    numbers = (header.columns, header.links, header.raised)
    valid = header.format == FORMAT and all(isinstance(n, int) and n >= 0 for n in numbers)
    return header if valid else None


def flagged(features: Features) -> Features:
    """Return features as rows: each preceded by the flag 1."""
    rows = np.ones((len(features), features.shape[1] + 1), np.uint32)
    rows[:, 1:] = features
    return rows


def read_committed(folder: Path, id: int) -> Features | None:
    """Return the committed row of one link, also while a crawl runs; None if the file has none."""
    header = read_header(folder)
    if header is None or id >= header.links:
        return None
    rows = FeatureRows(header.columns, folder)
    rows.open_readonly()
    return rows.read(np.array([id]))
