"""Old pages: which of them may hold what a new pattern or a new row is about.

Of every page its address is kept, by site, and a summary of its tags; of the last few thousand also the
values that stood on it as whole leaves. Nothing grows without bounds, and nothing is read again that cannot
match.
"""

from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.records.dipre import TextPattern
from clew.records.patterns import TreePattern
from clew.records.sheets import site_of

MOST_OF_SITE = 5_000
"""Pages of one site that may be read again."""

MOST_HELD = 4_000
"""Pages whose values are remembered."""

ANY = -1
"""The summary of a page that was not looked at closely: everything may stand on it."""

_VALUES = 400  # values remembered of one page
_MASK = 0xFFFFFFFF


class OldPages:
    """Pages that were read, by site, and the values of the latest ones."""

    def __init__(self) -> None:
        self._sites: dict[str, deque[tuple[int, str, int]]] = {}
        self._held: deque[tuple[int, NDArray[np.uint32]]] = deque(maxlen=MOST_HELD)

    def note(self, page: int, url: str, seen: int = ANY, forms: Iterable[str] = ()) -> None:
        """Remember a page: its address, a summary of its tags, the values on it."""
        self._sites.setdefault(site_of(url), deque(maxlen=MOST_OF_SITE)).append((page, url, seen))
        hashed = {hash(form) & _MASK for form in forms}
        if hashed:
            self._held.append((page, np.fromiter(hashed, np.uint32, len(hashed))[:_VALUES]))

    def matching(self, pattern: TreePattern | TextPattern) -> list[int]:
        """Return pages on which a pattern may find rows, the latest first."""
        pages = self._sites.get(site_of(pattern.where), ())
        return [
            page
            for page, url, seen in reversed(pages)
            if url.startswith(pattern.where) and pattern.may_match(seen)
        ]

    def holding(self, rows: Sequence[Sequence[str]]) -> list[int]:
        """Return pages on which two values of one of these rows stand, the latest first."""
        owners: dict[int, int] = {}
        for number, forms in enumerate(rows):
            for form in forms:
                if form:
                    owners.setdefault(hash(form) & _MASK, number)
        if not owners or not self._held:
            return []
        wanted = np.fromiter(owners, np.uint32, len(owners))
        found = []
        for page, hashed in reversed(self._held):
            met = hashed[np.isin(hashed, wanted)]
            if len(met) > 1:
                numbers = [owners[one] for one in met.tolist()]
                if len(set(numbers)) < len(numbers):
                    found.append(page)
        return found
