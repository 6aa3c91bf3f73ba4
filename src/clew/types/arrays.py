"""Arrays that travel with pages and links."""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Scores: TypeAlias = NDArray[np.float32]
Hashes: TypeAlias = NDArray[np.uint64]
Ids: TypeAlias = NDArray[np.int64]
ScoreParts: TypeAlias = NDArray[np.float32]
LinkPositions: TypeAlias = NDArray[np.float32]
"""Positions of links on their page, four numbers from 0 to 1 for each: pseudo-x, pseudo-y, x and y.

The first two are counted from tags alone, the last two are where a browser would show the middle of the
link, as a share of the page: 0 is left or top.
"""

Features: TypeAlias = NDArray[np.uint32]
"""Feature numbers of links, one row for each link; 0 means no feature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermBag:
    """The terms of a page: hashed ids in ascending order, with their counts in text, title and margin.

    Equal terms have equal ids in every crawl and on every computer; `clew.domain.text.page_terms` makes it.
    """

    ids: NDArray[np.uint32]
    text: NDArray[np.uint16]
    title: NDArray[np.uint16]
    margin: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenColumns:
    """The tokens of the links of a page as hashed ids, one row for each link, padded with 0.

    `text` is the link text, `url` the URL, `context` the text around the link (no rows where it is unknown).
    `words` are the distinct words behind them, long numbers left out, separated by blanks, `word_ids` their
    ids as words of a link text (0 for function words); `clew.domain.text.link_words` makes all of it.
    """

    text: NDArray[np.uint32]
    url: NDArray[np.uint32]
    context: NDArray[np.uint32]
    word_ids: NDArray[np.uint32]
    words: str = ""
    _split: list[list[str]] = field(default_factory=list, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.text)

    def split_words(self) -> list[str]:
        """Return the words one by one, in the order of their ids; they are split once."""
        if not self._split:
            self._split.append(self.words.split(" "))
        return self._split[0]

    def take(self, rows: NDArray[np.intp]) -> "TokenColumns":
        """Return the named rows; the words stay."""
        context = self.context[rows] if len(self.context) else self.context
        return replace(self, text=self.text[rows], url=self.url[rows], context=context)
