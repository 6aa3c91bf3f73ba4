"""Old pages: which of them may hold what a new pattern or a new row is about.

Of every page its address is kept, by site, and a summary of its tags; of the last few thousand also the
values that stood on it as whole leaves. Nothing grows without bounds, and nothing is read again that cannot
match.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from clew.domain.records.dipre import TextPattern
from clew.domain.records.evidence_pages import site_of
from clew.domain.records.tree_patterns import TreePattern

MOST_OF_SITE = 5_000
"""Pages of one site that may be read again."""

MOST_HELD = 4_000
"""Pages whose values are remembered."""

ANY = -1
"""The summary of a page that was not looked at closely: everything may stand on it."""

_VALUES = 400  # values remembered of one page
_BLOCK = 250  # pages whose values are packed together
_MASK = 0xFFFFFFFF


class Rescan:
    """Pages that were read, by site, and the values of the latest ones."""

    def __init__(self) -> None:
        self._sites: dict[str, deque[tuple[int, str, int]]] = {}
        self._blocks: deque[tuple[NDArray[np.int64], NDArray[np.uint32]]] = deque(maxlen=MOST_HELD // _BLOCK)
        self._open: dict[int, set[int]] = {}

    def note(self, page: int, url: str, seen: int = ANY, forms: Iterable[str] = ()) -> None:
        """Remember a page: its address, a summary of its tags, the values on it."""
        self._sites.setdefault(site_of(url), deque(maxlen=MOST_OF_SITE)).append((page, url, seen))
        self._open[page] = {hash(form) & _MASK for form in islice(forms, _VALUES)}
        if len(self._open) >= _BLOCK:
            self._blocks.append(self._packed())
            self._open = {}

    def _packed(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        sizes = [len(values) for values in self._open.values()]
        pages = np.repeat(np.fromiter(self._open, np.int64, len(sizes)), sizes)
        return pages, np.fromiter((value for values in self._open.values() for value in values), np.uint32)

    def matching(self, pattern: TreePattern | TextPattern) -> list[int]:
        """Return pages on which a pattern may find rows, the latest first."""
        pages = self._sites.get(site_of(pattern.where), ())
        return [
            page
            for page, url, seen in reversed(pages)
            if url.startswith(pattern.where) and pattern.may_match(seen)
        ]

    def holding(self, rows: Iterable[Sequence[str]]) -> list[int]:
        """Return pages on which two values of one of these rows stand, the latest first."""
        owners: dict[int, int] = {}
        for number, forms in enumerate(rows):
            for form in forms:
                if form:
                    owners.setdefault(hash(form) & _MASK, number)
        wanted = np.fromiter(owners, np.uint32, len(owners))
        found: dict[int, None] = {}
        for pages, values in (self._packed(), *reversed(self._blocks)):
            met = np.flatnonzero(np.isin(values, wanted))
            seen: set[tuple[int, int]] = set()
            for page, value in zip(pages[met].tolist(), values[met].tolist(), strict=True):
                if (page, owners[value]) in seen:
                    found[page] = None
                seen.add((page, owners[value]))
        return list(found)
