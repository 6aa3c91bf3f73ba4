"""How links were found, by link id: the page they were found on, and the place of that page."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.types import Ids

READ = 1
VOUCHED = 2
HOME = 4
_CHUNK = 2_048  # links whose marks are stored in one row
_KEY = " vouched "


class Lineage:
    """Parents, marks and places of links: 9 bytes a link, and one name for each different place."""

    def __init__(self) -> None:
        self._parents = np.zeros(1_024, np.uint32)
        self._marks = np.zeros(1_024, np.uint8)
        self._place_numbers = np.zeros(1_024, np.uint32)
        self._places: dict[str, int] = {"": 0}
        self._names: list[str] = [""]
        self._changed: set[int] = set()

    def _grow(self, size: int) -> None:
        more = max(size - len(self._parents), len(self._parents) // 2)
        self._parents = np.concatenate((self._parents, np.zeros(more, np.uint32)))
        self._marks = np.concatenate((self._marks, np.zeros(more, np.uint8)))
        self._place_numbers = np.concatenate((self._place_numbers, np.zeros(more, np.uint32)))

    def add(self, first: int, count: int, parent: int) -> None:
        """Register links that were found on a page; 0 if they were found on none."""
        if first + count > len(self._parents):
            self._grow(first + count)
        self._parents[first : first + count] = parent

    def parent(self, id: int) -> int:
        """Return the page that a link was found on, 0 if there is none."""
        return int(self._parents[id]) if id < len(self._parents) else 0

    def parents(self, ids: Ids) -> NDArray[np.uint32]:
        """Return the pages that links were found on."""
        return self._parents.take(ids, mode="clip")

    def marks(self, ids: Ids) -> NDArray[np.uint8]:
        """Return the marks of links."""
        return self._marks.take(ids, mode="clip")

    def is_vouched(self, id: int) -> bool:
        """Whether an unrelated page linked to this URL, too."""
        return id < len(self._marks) and bool(self._marks[id] & VOUCHED)

    def vouch(self, id: int) -> None:
        """Mark a link that an unrelated page has, too."""
        self._marks[id] |= VOUCHED
        self._changed.add(id // _CHUNK)

    def place(self, id: int) -> str:
        """Return the place of a page that was read; an empty string if it was not."""
        return self._names[self._place_numbers.item(id)] if id < len(self._place_numbers) else ""

    def is_home(self, id: int) -> bool:
        """Whether a page is the home page of a host."""
        return id < len(self._marks) and bool(self._marks[id] & HOME)

    def read(self, id: int, place: str, *, home: bool) -> None:
        """Remember that a page was read, its place, and whether it is the home page of its host."""
        if id >= len(self._parents):
            self._grow(id + 1)
        self._marks[id] |= READ | HOME * home
        number = self._places.setdefault(place, len(self._names))
        if number == len(self._names):
            self._names.append(place)
        self._place_numbers[id] = number

    def changed(self) -> dict[str, str]:
        """Return the marks that changed since the last call, packed, by key."""
        chunks, self._changed = self._changed, set()
        packed = {}
        for chunk in chunks:
            marks = np.zeros(_CHUNK, np.bool_)
            known = self._marks[chunk * _CHUNK : (chunk + 1) * _CHUNK]
            marks[: len(known)] = known & VOUCHED > 0
            packed[f"{_KEY}{chunk}"] = np.packbits(marks).tobytes().hex()
        return packed

    def restore(self, parents: Sequence[int] | Ids, states: Mapping[str, str]) -> dict[str, str]:
        """Restore the parents of all links by id, and marks that `changed` returned; return other states."""
        self._grow(len(parents) + 1)
        self._parents[: len(parents)] = parents
        rest = {}
        for key, state in states.items():
            if not key.startswith(_KEY):
                rest[key] = state
                continue
            start = int(key.removeprefix(_KEY)) * _CHUNK
            marks = np.unpackbits(np.frombuffer(bytes.fromhex(state), np.uint8)) * np.uint8(VOUCHED)
            if start + len(marks) > len(self._marks):
                self._grow(start + len(marks))
            self._marks[start : start + len(marks)] |= marks
        return rest
