"""The features of links by id: rows of 32-bit numbers, in memory or in a file that is mapped into it.

A row is a mark and then the features: the mark is 1 when features are kept for that link and 0 when
there are none (seeds, redirect targets, what a sitemap lists). The file is derived data. A small header says
who made it and how far it may be trusted (`Seal`); everything beyond is made again from the store.
"""

import json
import mmap
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from clew.errors import StoreError
from clew.types import Features, Ids

FORMAT = 1
STEP = 65_536
"""Rows it grows by at least: 6 MB with 24 features."""

LEAP = 1 << 19
"""Rows it grows by at most: 50 MB, reserved in a few milliseconds."""

FILE, HEADER = "features.u32", "features.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """How far rows are safe on disk: all ids below `links`, and what the first `raised` rises changed.

    `made_by` names policy and goal: features of another one mean other things.
    """

    made_by: str = ""
    columns: int = 0
    links: int = 0
    raised: int = 0
    format: int = FORMAT


class FeatureRows:
    """Keep one row for each link.

    Rows of new links are written at once: after a kill their ids are given again, and nobody trusts them.
    Better features of old links wait in memory until the page that brought them is committed (`settle`).

    Args:
        columns: features of a link.
        folder: where the file lives; None keeps everything in memory.
    """

    def __init__(self, columns: int, folder: Path | None = None) -> None:
        self.columns = columns
        self.folder = folder
        self.rows: Features = np.zeros((0, columns + 1), np.uint32)
        self._better: dict[int, Features] = {}

    def put(self, first: int, features: Features) -> None:
        """Keep the features of links, the first of which has the id `first`."""
        self._make_room(first + len(features))
        self.rows[first : first + len(features)] = marked(features)

    def replace(self, ids: Ids, features: Features) -> None:
        """Keep other features for links that are known."""
        if self.folder is not None:
            self._better.update(zip(ids.tolist(), marked(features), strict=True))
        elif len(ids):
            self._make_room(int(ids.max()) + 1)
            self.rows[ids] = marked(features)

    def rewrite(self, ids: Ids, features: Features) -> None:
        """Keep features that are known to be committed."""
        self.settle(dict(zip(ids.tolist(), marked(features), strict=True)))

    def read(self, ids: Ids) -> Features:
        """Return the rows of links; those beyond the end have none."""
        found = np.zeros((len(ids), self.columns + 1), np.uint32)
        there = ids < len(self.rows)
        found[there] = self.rows[ids[there]]
        if self._better:
            for at, id in enumerate(ids.tolist()):
                if id in self._better:
                    found[at] = self._better[id]
        return found

    def row(self, id: int) -> Features:
        """Return the row of one link, as a table of one."""
        better = self._better.get(id)
        if better is None and id < len(self.rows):
            return self.rows[id : id + 1].copy()
        return self.read(np.array([id])) if better is None else better[np.newaxis].copy()

    def cover(self, size: int) -> Features:
        """Return the rows of all ids below `size`, as they are settled."""
        self._make_room(size)
        return self.rows

    def unsettled(self) -> Mapping[int, Features]:
        """Return the better features that wait for a commit, as they are now."""
        return dict(self._better)

    def settle(self, committed: Mapping[int, Features]) -> None:
        """Write better features, now that the pages that brought them are safe."""
        if not committed:
            return
        self._make_room(max(committed) + 1)
        for id, row in committed.items():
            self.rows[id] = row
            if self._better.get(id) is row:
                del self._better[id]

    def _make_room(self, size: int) -> None:
        have = len(self.rows)
        if size <= have:
            return
        rows = max(size, have + min(max(have // 2, STEP), LEAP))
        if self.folder is None:
            self.rows = np.concatenate((self.rows, np.zeros((rows - have, self.columns + 1), np.uint32)))
        else:
            self._map(self.folder / FILE, rows)

    def _map(self, path: Path, rows: int) -> None:
        """Map the file with room for so many rows, reserved: a full disk would kill us later."""
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

    def open(self, made_by: str) -> Seal:
        """Map the file as it was left, and say how far it may be trusted; rows beyond that are wiped."""
        assert self.folder is not None, "rows in memory are not opened"
        seal, path = read_seal(self.folder), self.folder / FILE
        if seal is None or (seal.made_by, seal.columns) != (made_by, self.columns) or not path.exists():
            path.unlink(missing_ok=True)
            self._make_room(1)
            return Seal(made_by=made_by, columns=self.columns)
        width = (self.columns + 1) * 4
        self._map(path, max(path.stat().st_size // width, seal.links, STEP))
        self.rows[seal.links :] = 0
        return seal

    def look(self) -> None:
        """Map the file as it is, only to read: another process may own it."""
        assert self.folder is not None, "there is a file to look at"
        width = self.columns + 1
        try:
            with (self.folder / FILE).open("rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return  # gone, or empty: then nothing is known
        rows = len(mapped) // (4 * width)
        self.rows = np.frombuffer(mapped, np.uint32, rows * width).reshape(rows, width)

    def seal(self, seal: Seal) -> None:
        """Bring all rows to the disk and say so; takes a while, and may be called in another thread."""
        assert self.folder is not None, "rows in memory are not sealed"
        try:
            file = os.open(self.folder / FILE, os.O_RDWR)
            try:
                os.fsync(file)  # on Linux also what was written through a mapping
            finally:
                os.close(file)
            whole = self.folder / f"{HEADER}.new"
            with whole.open("w", encoding="utf-8") as header:
                json.dump(asdict(seal), header)
                header.flush()
                os.fsync(header.fileno())
            whole.replace(self.folder / HEADER)
        except OSError as error:
            msg = f"{self.folder / HEADER} cannot be written: {error.strerror}; check the disk and run again"
            raise StoreError(msg) from error


def read_seal(folder: Path) -> Seal | None:
    """Return what the header says, None if there is none that can be read."""
    try:
        said = Seal(**json.loads((folder / HEADER).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    numbers = (said.columns, said.links, said.raised)
    return said if said.format == FORMAT and all(isinstance(n, int) and n >= 0 for n in numbers) else None


def marked(features: Features) -> Features:
    """Return features as rows: a mark before each."""
    rows = np.ones((len(features), features.shape[1] + 1), np.uint32)
    rows[:, 1:] = features
    return rows


def read_settled(folder: Path, id: int) -> Features | None:
    """Return the row of one link, also while a crawl runs; None if the file does not reach so far."""
    seal = read_seal(folder)
    if seal is None or id >= seal.links:
        return None
    rows = FeatureRows(seal.columns, folder)
    rows.look()
    return rows.read(np.array([id]))
