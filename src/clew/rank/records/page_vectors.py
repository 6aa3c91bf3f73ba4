"""Term vectors of pages, and the open links on them, scored again by any query.

page   = (1 + log count) · rarity of each term          rarity = log of pages read / pages that contain it
query  = a weight for each term, times its rarity; below 0 for off-topic terms
near   = cosine of the two, 0 where it is negative
score  = 0.5 · page + 0.35 · link text + 0.15 · surrounding words
"""

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from clew.domain.text import STOP_WORDS, stem, words
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Hashes, Ids, Links, Outcome, Page, Scores

Terms = NDArray[np.uint32]
Floats = NDArray[np.float32]

BINS = 1 << 18
"""Hash bins of terms: a table of them takes a megabyte."""

MAX_CHARACTERS = 16_000
"""Characters of a page that are tokenised: four times a typical page."""

STORED_PAGES = 2_000
"""Pages whose vectors are stored, the latest; links on older ones keep the scores they have."""

MAX_PHRASE = 8
"""Words of a phrase: of longer ones only the beginning is used."""

MAX_PHRASES = 100_000
"""Phrases that are registered, the first ones: some twenty megabytes."""

PAGE, TEXT, AROUND = 0.5, 0.35, 0.15
"""Weights of source page, link text and surrounding words; they add up to one."""

PARTS = ("source page", "link text", "surrounding words")

MIN_CHANGE = 0.01
"""Share by which a score must change before the frontier is updated."""

_CACHED_WORDS = 100_000
_SHORT = 2  # letters: initials and page numbers are no terms by themselves


class PageVectorizer:
    """Turn texts into term ids: stems of words, and phrases that are values of a table.

    >>> vectorizer = PageVectorizer()
    >>> len(vectorizer.add_phrase("C. J. Date"))  # a word and a phrase
    2
    >>> len(vectorizer.counts("By C.J. Date")), len(vectorizer.counts("By Date"))
    (2, 1)
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._phrases: dict[str, int] = {}
        self._lengths: dict[tuple[str, str], set[int]] = {}

    def add_phrase(self, value: str) -> Counter[int]:
        """Return the terms of a value; one of several words is registered as a phrase."""
        tokens = words(value)
        found = self._word_counts(tokens)
        tokens = tokens[:MAX_PHRASE]
        phrase = " ".join(tokens)
        if len(tokens) > 1 and (phrase in self._phrases or len(self._phrases) < MAX_PHRASES):
            self._lengths.setdefault((tokens[0], tokens[1]), set()).add(len(tokens))
            found[self._phrases.setdefault(phrase, _term_id(f"phrase {phrase}"))] += 1
        return found

    def counts(self, text: str) -> Counter[int]:
        """Count the terms of a text."""
        tokens = words(text)
        found = self._word_counts(tokens)
        if self._phrases:
            self._count_phrases(tokens, found)
        return found

    def _word_counts(self, tokens: list[str]) -> Counter[int]:
        numbers = self._ids
        if len(numbers) > _CACHED_WORDS:
            numbers.clear()
        found: Counter[int] = Counter()
        for word, count in Counter(tokens).items():
            known = numbers.get(word)
            if known is None:
                known = numbers[word] = _word_id(word)
            if known:
                found[known] += count
        return found

    def _count_phrases(self, tokens: list[str], found: Counter[int]) -> None:
        begun = self._lengths.keys() & set(pairwise(tokens))
        if not begun:
            return
        for at, pair in enumerate(pairwise(tokens)):
            if pair in begun:
                for length in self._lengths[pair]:
                    known = self._phrases.get(" ".join(tokens[at : at + length]))
                    if known is not None:
                        found[known] += 1


def _word_id(word: str) -> int:
    if word in STOP_WORDS or (len(word) <= _SHORT and word.isascii()):
        return 0
    return _term_id(f"word {stem(word)}")


def _term_id(term: str) -> int:
    return 1 + crc32(term.encode("utf-8", "replace")) % (BINS - 1)


@dataclass(frozen=True, slots=True)
class PageVector:
    """The term ids of one text, and 1 + log of their counts."""

    ids: Terms
    values: Floats

    @classmethod
    def of(cls, counts: Counter[int]) -> "PageVector":
        """Build a vector from counted terms."""
        ids = np.fromiter(counts.keys(), np.uint32, len(counts))
        return cls(ids, 1 + np.log(np.fromiter(counts.values(), np.float32, len(counts))))


def pack_vectors(vectors: Sequence[PageVector]) -> dict[str, NDArray[np.generic]]:
    """Return vectors as three arrays: their sizes, all terms, all values."""
    return {
        "vector_sizes": np.array([len(each.ids) for each in vectors], np.int64),
        "vector_ids": np.concatenate([np.empty(0, np.uint32), *(each.ids for each in vectors)]),
        "vector_values": np.concatenate([np.empty(0, np.float32), *(each.values for each in vectors)]),
    }


def unpack_vectors(state: Mapping[str, NDArray[Any]]) -> list[PageVector]:
    """Return the vectors that `pack_vectors` has packed."""
    ends = np.cumsum(state["vector_sizes"])
    ids, values = (np.split(state[name], ends[:-1]) for name in ("vector_ids", "vector_values"))
    return [PageVector(*pair) for pair in zip(ids, values, strict=True)] if len(ends) else []


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """A query: a weight for each term, and the length of this vector."""

    weights: Floats
    length: float

    @classmethod
    def of(cls, weights: Floats) -> "VectorQuery | None":
        """Return the query with these weights, None if all are 0."""
        length = math.sqrt(float(np.square(weights, dtype=np.float64).sum()))
        return cls(weights, length) if length else None


@dataclass(slots=True)
class _StoredPage:
    """A page that was read: its number and its vector."""

    number: int
    vector: PageVector


@dataclass
class PageVectors:
    """Vectorise pages, store the latest, and score the links on them by a query that may change.

    Every page gets a number, from 1. A link belongs to the page where it was scored best.
    """

    vectorizer: PageVectorizer = field(default_factory=PageVectorizer)
    pages: int = 0
    _document_counts: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(BINS, np.uint32))
    _stored: deque[_StoredPage] = field(default_factory=lambda: deque(maxlen=STORED_PAGES))
    _last: tuple[str, int] = ("", 0)
    _index: LinkIndex = field(default_factory=LinkIndex)
    _page_numbers: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))
    _own_scores: Floats = field(default_factory=lambda: np.empty(0, np.float32))
    _scores: Floats = field(default_factory=lambda: np.empty(0, np.float32))

    def rarity(self, ids: Terms | slice) -> Floats:
        """Return the inverse document frequency of terms; one that is on every page weighs nothing."""
        share = np.float32(self.pages + 2) / (self._document_counts[ids].astype(np.float32) + np.float32(1))
        rare: Floats = np.log(share, dtype=np.float32)
        return rare

    def add_page(self, page: Page, key: int) -> int:
        """Vectorise and store a page, and count its terms; `key` is the 64-bit hash of its URL."""
        vector = self._vector_of(page)
        self.pages += 1
        self._document_counts[vector.ids] += 1
        self._stored.append(_StoredPage(self.pages, vector))
        self._last = page.url, self.pages
        self._index.mark_fetched(key)
        return self.pages

    def vector(self, number: int) -> PageVector | None:
        """Return the vector of a page, None when it is no longer stored."""
        at = number - self.pages + len(self._stored) - 1
        return self._stored[at].vector if 0 <= at < len(self._stored) else None

    def unit(self, vector: PageVector) -> Floats:
        """Return the weights of a vector's terms, scaled to length one."""
        entries = vector.values * self.rarity(vector.ids)
        length = math.sqrt(float(np.square(entries).sum()))
        return entries / np.float32(length or 1.0)

    def parts(self, source: Outcome, links: Links, query: VectorQuery | None) -> dict[str, Scores]:
        """Score the links of a page by a query, in three parts; without one by the verdict on the page."""
        page, many = source.page, len(links)
        if query is None:
            zeros = np.zeros(many, np.float32)
            near, text, around = np.full(many, source.verdict.value, np.float32), zeros, zeros
            number = 0
        else:
            number = self._last[1] if self._last[0] == page.url else 0
            vector = self.vector(number) or self._vector_of(page)
            near = np.full(many, PAGE * self._cosines([vector], query)[0], np.float32)
            text = TEXT * self._text_cosines(links.anchors, query)
            around = AROUND * self._text_cosines(links.contexts, query)
        parts = dict(zip(PARTS, (near, text, around), strict=True))
        self._add_links(number, links, text + around, near + text + around)
        return parts

    def rescore(self, query: VectorQuery) -> tuple[Hashes, Scores] | None:
        """Score the links on stored pages by another query; return those whose score changed."""
        if not self._stored:
            return None
        near = PAGE * self._cosines([stored.vector for stored in self._stored], query)
        first = self._stored[0].number
        rows = self._index.unfetched_rows()
        rows = rows[self._page_numbers[rows] >= first]
        scores = near[self._page_numbers[rows] - first] + self._own_scores[rows]
        before = self._scores[rows]
        moved = np.abs(scores - before) > MIN_CHANGE * before
        if not moved.any():
            return None
        self._scores[rows[moved]] = scores[moved]
        return self._index.hashes[rows[moved]], scores[moved]

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the stored pages and links as arrays."""
        size, vectors = len(self._index), [stored.vector for stored in self._stored]
        return {
            "pages": np.array([self.pages]),
            "document_counts": self._document_counts,
            **pack_vectors(vectors),
            "hashes": self._index.hashes,
            "fetched": self._index.fetched,
            "page_numbers": self._page_numbers[:size],
            "own_scores": self._own_scores[:size],
            "scores": self._scores[:size],
        }

    def restore(self, state: Mapping[str, NDArray[Any]], phrases: Iterable[str]) -> None:
        """Continue with pages and links that `state` returned; `phrases` are the values of the table."""
        self.pages, self._document_counts = int(state["pages"][0]), state["document_counts"]
        vectors = unpack_vectors(state)
        first = self.pages - len(vectors) + 1
        self._stored.extend(_StoredPage(number, vector) for number, vector in enumerate(vectors, first))
        self._index.restore(state["hashes"], state["fetched"])
        self._page_numbers, self._own_scores = state["page_numbers"], state["own_scores"]
        self._scores = state["scores"]
        for value in phrases:
            self.vectorizer.add_phrase(value)

    def current_scores(self) -> tuple[Hashes, Scores]:
        """Return the links that were not fetched, with their scores."""
        rows = self._index.unfetched_rows()
        return self._index.hashes[rows], self._scores[rows]

    def _vector_of(self, page: Page) -> PageVector:
        return PageVector.of(
            self.vectorizer.counts(f"{page.title}\n{page.title}\n{page.text[:MAX_CHARACTERS]}")
        )

    def _cosines(self, vectors: Sequence[PageVector], query: VectorQuery) -> Scores:
        """Return the cosine of each vector with the query."""
        sizes = np.array([len(vector.ids) for vector in vectors])
        ids = np.concatenate([vector.ids for vector in vectors])
        entries = np.concatenate([vector.values for vector in vectors]) * self.rarity(ids)
        owners = np.repeat(np.arange(len(vectors)), sizes)
        sums = np.bincount(owners, entries * query.weights[ids], len(vectors))
        lengths = np.sqrt(np.bincount(owners, np.square(entries), len(vectors))) * query.length
        return np.clip(sums / np.where(lengths, lengths, 1), 0, 1).astype(np.float32)

    def _text_cosines(self, texts: Iterable[str], query: VectorQuery) -> Scores:
        listed = list(texts)
        if not listed:
            return np.empty(0, np.float32)
        different = {text: at for at, text in enumerate(dict.fromkeys(listed))}
        near = self._cosines([PageVector.of(self.vectorizer.counts(text)) for text in different], query)
        return near[[different[text] for text in listed]]

    def _add_links(self, number: int, links: Links, own: Floats, scores: Scores) -> Ids:
        """Store the page of links; of known links only if their score is better here."""
        before = len(self._index)
        rows = self._index.add(links.hashes)
        size = len(self._index)
        self._page_numbers, self._own_scores = grown(self._page_numbers, size), grown(self._own_scores, size)
        self._scores = grown(self._scores, size)
        better = (rows >= before) | (scores > self._scores[rows])
        at = rows[better]
        self._page_numbers[at], self._own_scores[at], self._scores[at] = number, own[better], scores[better]
        return rows
