"""What pages say, as vectors of numbered terms, and the links that wait on them: scored anew by any query.

page   = (1 + log count) · rarity of each term          rarity = log of pages read / pages that say it
query  = a weight for each term, times its rarity; below 0 where it speaks against
near   = cosine of the two, 0 where it is negative
score  = 0.5 · page + 0.35 · link text + 0.15 · words around it
"""

import math
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from clew.domain.text import STOP_WORDS, stem, words
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Hashes, Ids, Links, Outcome, Page, Scores

Terms = NDArray[np.uint32]
Floats = NDArray[np.float32]

BINS = 1 << 18
"""Numbers that terms are thrown into: a table of them takes a megabyte."""

READ = 16_000
"""Characters of a page that are read: four times a typical page."""

KEPT = 2_000
"""Pages whose vectors are kept, the latest; links on older ones keep the scores they have."""

LONGEST = 8
"""Words of a phrase: what is longer is known by its beginning."""

PHRASES = 100_000
"""Phrases that are known, the first ones: some twenty megabytes."""

PAGE, TEXT, AROUND = 0.5, 0.35, 0.15
"""The page says in a thousand words what a link text says in three. They add up to one."""

PARTS = ("the page it stands on", "its link text", "the words around it")

NOTICED = 0.01
"""Share by which a score must change before the frontier is told."""

_REMEMBERED = 100_000
_SHORT = 2  # letters: initials and numbers of pages tell nothing by themselves


class PageVectorizer:
    """Turn texts into numbered terms: stems of words, and phrases that were met as values of a table.

    >>> reader = PageVectorizer()
    >>> len(reader.meet("C. J. Date"))  # a word and a phrase
    2
    >>> len(reader.read("By C.J. Date")), len(reader.read("By Date"))
    (2, 1)
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._phrases: dict[str, int] = {}
        self._lengths: dict[tuple[str, str], set[int]] = {}

    def meet(self, value: str) -> Counter[int]:
        """Return the terms of a value; one of several words is known as a phrase from now on."""
        said = words(value)
        found = self._words(said)
        said = said[:LONGEST]
        phrase = " ".join(said)
        if len(said) > 1 and (phrase in self._phrases or len(self._phrases) < PHRASES):
            self._lengths.setdefault((said[0], said[1]), set()).add(len(said))
            found[self._phrases.setdefault(phrase, _binned(f"phrase {phrase}"))] += 1
        return found

    def read(self, text: str) -> Counter[int]:
        """Count the terms of a text."""
        said = words(text)
        found = self._words(said)
        if self._phrases:
            self._find_phrases(said, found)
        return found

    def _words(self, said: list[str]) -> Counter[int]:
        numbers = self._numbers
        if len(numbers) > _REMEMBERED:
            numbers.clear()
        found: Counter[int] = Counter()
        for word, count in Counter(said).items():
            known = numbers.get(word)
            if known is None:
                known = numbers[word] = _number(word)
            if known:
                found[known] += count
        return found

    def _find_phrases(self, said: list[str], found: Counter[int]) -> None:
        begun = self._lengths.keys() & set(pairwise(said))
        if not begun:
            return
        for at, pair in enumerate(pairwise(said)):
            if pair in begun:
                for length in self._lengths[pair]:
                    known = self._phrases.get(" ".join(said[at : at + length]))
                    if known is not None:
                        found[known] += 1


def _number(word: str) -> int:
    if word in STOP_WORDS or (len(word) <= _SHORT and word.isascii()):
        return 0
    return _binned(f"word {stem(word)}")


def _binned(term: str) -> int:
    return 1 + crc32(term.encode("utf-8", "replace")) % (BINS - 1)


@dataclass(frozen=True, slots=True)
class PageVector:
    """The terms of one text and 1 + log of their counts."""

    ids: Terms
    said: Floats

    @classmethod
    def of(cls, counts: Counter[int]) -> "PageVector":
        """Make a reading of counted terms."""
        ids = np.fromiter(counts.keys(), np.uint32, len(counts))
        return cls(ids, 1 + np.log(np.fromiter(counts.values(), np.float32, len(counts))))


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """What is looked for: a weight for each term, and the length of this vector."""

    weights: Floats
    length: float

    @classmethod
    def of(cls, weights: Floats) -> "VectorQuery | None":
        """Return the query of these weights, None when there are none."""
        length = math.sqrt(float(np.square(weights, dtype=np.float64).sum()))
        return cls(weights, length) if length else None


@dataclass(slots=True)
class _Kept:
    """A page that was read a while ago: its number, and what it said."""

    number: int
    reading: PageVector


@dataclass
class PageVectors:
    """Read pages, remember the latest, and score the links on them by a query that may move.

    Every page gets a number, from 1. A link stands where it was scored best.
    """

    reader: PageVectorizer = field(default_factory=PageVectorizer)
    pages: int = 0
    _says: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(BINS, np.uint32))
    _kept: deque[_Kept] = field(default_factory=lambda: deque(maxlen=KEPT))
    _last: tuple[str, int] = ("", 0)
    _met: LinkIndex = field(default_factory=LinkIndex)
    _stand: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))
    _own: Floats = field(default_factory=lambda: np.empty(0, np.float32))
    _told: Floats = field(default_factory=lambda: np.empty(0, np.float32))

    def rarity(self, ids: Terms | slice) -> Floats:
        """Return how rare terms are among the pages read; what every page says tells nothing."""
        share = np.float32(self.pages + 2) / (self._says[ids].astype(np.float32) + np.float32(1))
        rare: Floats = np.log(share, dtype=np.float32)
        return rare

    def take(self, page: Page, name: int) -> int:
        """Read a page and count what it says; `name` is the 64-bit name of its address."""
        reading = self._read(page)
        self.pages += 1
        self._says[reading.ids] += 1
        self._kept.append(_Kept(self.pages, reading))
        self._last = page.url, self.pages
        self._met.close(name)
        return self.pages

    def reading(self, number: int) -> PageVector | None:
        """Return what a page said, None when that is forgotten."""
        at = number - self.pages + len(self._kept) - 1
        return self._kept[at].reading if 0 <= at < len(self._kept) else None

    def unit(self, reading: PageVector) -> Floats:
        """Return the weights of a reading's terms, as a vector of length one."""
        entries = reading.said * self.rarity(reading.ids)
        length = math.sqrt(float(np.square(entries).sum()))
        return entries / np.float32(length or 1.0)

    def parts(self, source: Outcome, links: Links, query: VectorQuery | None) -> dict[str, Scores]:
        """Score the links of a page by a query, in three parts; without one by the verdict on the page."""
        page, many = source.page, len(links)
        if query is None:
            silent = np.zeros(many, np.float32)
            near, text, around = np.full(many, source.verdict.value, np.float32), silent, silent
            number = 0
        else:
            number = self._last[1] if self._last[0] == page.url else 0
            reading = self.reading(number) or self._read(page)
            near = np.full(many, PAGE * self._near([reading], query)[0], np.float32)
            text = TEXT * self._near_texts(links.anchors, query)
            around = AROUND * self._near_texts(links.contexts, query)
        parts = dict(zip(PARTS, (near, text, around), strict=True))
        self._enter(number, links, text + around, near + text + around)
        return parts

    def anew(self, query: VectorQuery) -> tuple[Hashes, Scores] | None:
        """Score the links on pages that are remembered by another query; return those whose score moved."""
        if not self._kept:
            return None
        near = PAGE * self._near([kept.reading for kept in self._kept], query)
        first = self._kept[0].number
        rows = self._met.open_rows()
        rows = rows[self._stand[rows] >= first]
        scores = near[self._stand[rows] - first] + self._own[rows]
        told = self._told[rows]
        moved = np.abs(scores - told) > NOTICED * told
        if not moved.any():
            return None
        self._told[rows[moved]] = scores[moved]
        return self._met.names[rows[moved]], scores[moved]

    def _read(self, page: Page) -> PageVector:
        return PageVector.of(self.reader.read(f"{page.title}\n{page.title}\n{page.text[:READ]}"))

    def _near(self, readings: Sequence[PageVector], query: VectorQuery) -> Scores:
        """Return the cosine of each reading with the query."""
        sizes = np.array([len(reading.ids) for reading in readings])
        ids = np.concatenate([reading.ids for reading in readings])
        entries = np.concatenate([reading.said for reading in readings]) * self.rarity(ids)
        places = np.repeat(np.arange(len(readings)), sizes)
        sums = np.bincount(places, entries * query.weights[ids], len(readings))
        lengths = np.sqrt(np.bincount(places, np.square(entries), len(readings))) * query.length
        return np.clip(sums / np.where(lengths, lengths, 1), 0, 1).astype(np.float32)

    def _near_texts(self, texts: Iterable[str], query: VectorQuery) -> Scores:
        told = list(texts)
        if not told:
            return np.empty(0, np.float32)
        different = {text: at for at, text in enumerate(dict.fromkeys(told))}
        near = self._near([PageVector.of(self.reader.read(text)) for text in different], query)
        return near[[different[text] for text in told]]

    def _enter(self, number: int, links: Links, own: Floats, scores: Scores) -> Ids:
        """Remember where links stand; those known already only if they stand better here."""
        before = len(self._met)
        rows = self._met.enter(links.hashes)
        size = len(self._met)
        self._stand, self._own = grown(self._stand, size), grown(self._own, size)
        self._told = grown(self._told, size)
        better = (rows >= before) | (scores > self._told[rows])
        at = rows[better]
        self._stand[at], self._own[at], self._told[at] = number, own[better], scores[better]
        return rows
