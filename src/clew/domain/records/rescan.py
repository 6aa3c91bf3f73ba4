"""Find earlier pages on which a new pattern or a new row may occur, and queue them for rescanning.

Every page is kept as its URL, by site, and a summary of its tags; the last few thousand also with the values
that were whole text nodes on them. All sizes are bounded, and no page is queued that cannot match.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from clew.domain.records.dipre import TextPattern
from clew.domain.records.evidence_pages import site_of
from clew.domain.records.tree_patterns import TreePattern

MAX_SITE_PAGES = 5_000
"""Maximum number of pages of one site that can be rescanned."""

MAX_VALUE_PAGES = 4_000
"""Number of pages whose values are remembered."""

ANY = -1
"""Tag summary of a page that was not parsed: anything may occur on it."""

_MAX_QUEUE = 20_000  # pages waiting to be rescanned
_MAX_VALUES = 400  # values remembered of one page
_BLOCK = 250  # pages whose values are packed together
_MASK = 0xFFFFFFFF


class Rescan:
    """Pages read, by site, with the values of the latest ones, and the `queue` of pages to rescan."""

    def __init__(self) -> None:
        self.queue: dict[int, None] = {}
        self._sites: dict[str, deque[tuple[int, str, int]]] = {}
        self._blocks: deque[tuple[NDArray[np.int64], NDArray[np.uint32]]] = deque(
            maxlen=MAX_VALUE_PAGES // _BLOCK
        )
        self._current: dict[int, set[int]] = {}

    def add_page(self, page: int, url: str, tags: int = ANY, forms: Iterable[str] = ()) -> None:
        """Remember a page: its URL, the summary of its tags, and the values on it."""
        self._sites.setdefault(site_of(url), deque(maxlen=MAX_SITE_PAGES)).append((page, url, tags))
        self._current[page] = {hash(form) & _MASK for form in islice(forms, _MAX_VALUES)}
        if len(self._current) >= _BLOCK:
            self._blocks.append(self._pack())
            self._current = {}

    def enqueue(self, pages: Iterable[int]) -> None:
        """Queue pages for rescanning, as long as there is room."""
        for page in pages:
            if len(self.queue) >= _MAX_QUEUE:
                return
            self.queue[page] = None

    def dequeue(self, page: int) -> None:
        """Take a page out of the queue, if it is there."""
        self.queue.pop(page, None)

    def _pack(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        sizes = [len(values) for values in self._current.values()]
        pages = np.repeat(np.fromiter(self._current, np.int64, len(sizes)), sizes)
        return pages, np.fromiter((value for values in self._current.values() for value in values), np.uint32)

    def matching(self, pattern: TreePattern | TextPattern) -> list[int]:
        """Return pages from which a pattern may extract rows, the latest first."""
        pages = self._sites.get(site_of(pattern.url_prefix), ())
        return [
            page
            for page, url, tags in reversed(pages)
            if url.startswith(pattern.url_prefix) and pattern.may_match(tags)
        ]

    def holding(self, rows: Iterable[Sequence[str]]) -> list[int]:
        """Return pages on which two values of one of these rows occur, the latest first."""
        owners: dict[int, int] = {}
        for number, forms in enumerate(rows):
            for form in forms:
                if form:
                    owners.setdefault(hash(form) & _MASK, number)
        wanted = np.fromiter(owners, np.uint32, len(owners))
        found: dict[int, None] = {}
        for pages, values in (self._pack(), *reversed(self._blocks)):
            hits = np.flatnonzero(np.isin(values, wanted))
            seen: set[tuple[int, int]] = set()
            for page, value in zip(pages[hits].tolist(), values[hits].tolist(), strict=True):
                if (page, owners[value]) in seen:
                    found[page] = None
                seen.add((page, owners[value]))
        return list(found)
