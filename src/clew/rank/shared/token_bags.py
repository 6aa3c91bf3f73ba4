"""The words of links as bags of ids: two bytes a word, so that all links can be scored again."""

from collections.abc import Iterable, Iterator
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from clew.domain.text import STOP_WORDS, stem, words
from clew.domain.text.link_words import url_text
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Ids, Links

Weights = NDArray[np.float32]

BINS = 1 << 16
"""Bins that words are hashed into, two bytes each; a link classifier uses a few hundred words."""

MAX_WORDS = 48
"""Words stored of one link: a URL, a link text and 200 characters around it have fewer."""

FIELD_NAMES = {"address": "URL", "around": "context"}
"""How the fields of a link other than its text are called on screen."""

CHUNK = 1 << 14
"""Links summed at a time: their words and weights stay in the cache of the processor."""

_COMMON = 0  # the id that every link has: the intercept
_IGNORED = 1  # stop words and very short words
_SAME_HOST = 2
_FIRST = 3
_CACHE_SIZE = 100_000


class WordIds(dict[str, int]):
    """Map each word of one field to its id, the same in every crawl; ignored words get 1."""

    def __init__(self, field: str) -> None:
        super().__init__()
        self.field = field

    def __missing__(self, word: str) -> int:
        number = _IGNORED
        if word not in STOP_WORDS and (len(word) > 2 or not word.isascii()):  # noqa: PLR2004 - as in ACHE
            number = _FIRST + crc32(f"{self.field} {stem(word)}".encode()) % (BINS - _FIRST)
        if len(self) >= _CACHE_SIZE:
            self.clear()
        self[word] = number
        return number


class TokenBags:
    """Store the words of every known link once: URL, text, context, and whether it stays on its host.

    `fields` selects the fields. A link found again keeps the words it was found with first.

    >>> from clew.testing import sample_links
    >>> bags = TokenBags(fields=("text",))
    >>> bags.add(sample_links(2), "https://a.test").tolist()
    [0, 1]
    >>> weights = np.ones(BINS, np.float32)
    >>> bags.values(weights, np.array([1, 0])).astype(float).round(3).tolist()  # two words: 2 / √2
    [1.414, 1.414]
    """

    def __init__(self, *, fields: tuple[str, ...] = ("address", "text", "around")) -> None:
        self.fields = fields
        self.index = LinkIndex()
        self._numbers = {field: WordIds(field) for field in fields}
        self._words = np.empty(0, np.uint16)
        self._ends = np.zeros(1, np.uint32)  # row r has the words from _ends[r] to _ends[r + 1]

    def add(self, links: Links, origin: str) -> Ids:
        """Return the rows of links found on a page of `origin`; store the words of new ones."""
        before = len(self.index)
        rows = self.index.add(links.hashes)
        new, first = np.unique(rows, return_index=True)
        first = first[new >= before]
        if len(first):
            bags = list(self._read(links, origin, first.tolist()))
            begin = int(self._ends[before])
            ends = begin + np.cumsum([len(bag) for bag in bags])
            self._ends = grown(self._ends, len(self.index) + 1)
            self._ends[before + 1 : len(self.index) + 1] = ends
            self._words = grown(self._words, int(ends[-1]))
            self._words[begin : ends[-1]] = [word for bag in bags for word in bag]
        return rows

    def values(self, weights: Weights, rows: Ids) -> Weights:
        """Return the sum of the weights of each row's words, with bags scaled to length one."""
        if not len(rows):
            return np.empty(0, np.float32)
        found, starts = self.words(rows)
        lengths = np.diff(starts, append=len(found))
        sums: Weights = np.add.reduceat(weights[found], starts)
        return (sums / np.sqrt(lengths)).astype(np.float32)

    def all_values(self, weights: Weights) -> Weights:
        """Return the same for all links, by row."""
        size = len(self.index)
        values = np.empty(size, np.float32)
        for start in range(0, size, CHUNK):
            stop = min(start + CHUNK, size)
            ends = self._ends[start : stop + 1].astype(np.int64)
            found = self._words[ends[0] : ends[-1]]
            sums = np.add.reduceat(weights[found], ends[:-1] - ends[0])
            values[start:stop] = sums / np.sqrt(np.diff(ends))
        return values

    def words(self, rows: Ids) -> tuple[NDArray[np.uint16], Ids]:
        """Return the words of some rows one after the other, and where each row begins."""
        begins = self._ends[rows].astype(np.int64)
        lengths = self._ends[rows + 1] - begins
        starts = np.cumsum(lengths) - lengths
        at = np.repeat(begins - starts, lengths) + np.arange(lengths.sum())
        return self._words[at], starts

    def named_words(self, links: Links, origin: str) -> Iterator[dict[int, str]]:
        """Yield for each link its words by id, as they are written there; those of its URL say so."""
        for at, bag in enumerate(self._read(links, origin, range(len(links)))):
            names = {_COMMON: "any link", _SAME_HOST: "same host"}
            for field in self.fields:
                if field != "host":
                    for word in words(_text(links, field, at)):
                        shown = word if field == "text" else f"{word} ({FIELD_NAMES[field]})"
                        names.setdefault(self._numbers[field][word], shown)
            yield {number: names[number] for number in bag}

    def _read(self, links: Links, origin: str, at: Iterable[int]) -> Iterator[list[int]]:
        known: dict[tuple[str, str], frozenset[int]] = {}
        for link in at:
            bag = {_COMMON}
            for field in self.fields:
                if field == "host":
                    bag |= {_SAME_HOST} if links.origins[link] == origin else set()
                    continue
                text = _text(links, field, link)
                if (field, text) not in known:
                    known[field, text] = frozenset(map(self._numbers[field].__getitem__, words(text)))
                bag |= known[field, text]
            yield sorted(bag - {_IGNORED})[:MAX_WORDS]


def _text(links: Links, field: str, at: int) -> str:
    if field == "address":
        return url_text(links.urls[at]).partition("/")[2]  # path and query: the host is not a word
    return links.anchors[at] if field == "text" else links.contexts[at]
