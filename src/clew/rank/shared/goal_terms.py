"""Match texts, links and URLs with the words of the goal."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.domain.text import STOP_WORDS, folded, stem, topic_words, words
from clew.domain.text.begun_words import count_begun
from clew.domain.text.compiled import WordTable, tally
from clew.domain.text.tokenizing import WESTERN_LOWER, western_words
from clew.types import Scores

MAX_CHARACTERS = 20_000
"""Characters of a page that are read: four times a typical main text, and about a millisecond."""

CACHED_WORDS = 100_000
"""Words whose term is cached: links of a site repeat the same few thousand."""

_HIRAGANA = re.compile(r"[\u3040-\u309f]")
_SHORT = 3  # letters: "wind" may begin "windfarm", but "ai" should not begin "aid"


class GoalTerms:
    """Find the words of a goal in any text.

    A word of the goal matches every word that begins with its stem; one of three letters or less matches
    only itself. Scripts without blanks are read in pairs of characters, as everywhere in Clew, and pairs
    with hiragana (particles, endings) are ignored.

    >>> goal = GoalTerms("planning permits for offshore wind farms")
    >>> goal.terms
    ['farm', 'offshor', 'permit', 'plann', 'wind']
    >>> goal.shares(["Wind farm permits", "Contact"]).astype(float).round(2).tolist()
    [0.6, 0.0]
    >>> GoalTerms("洋上風力の許可").terms
    ['上風', '洋上', '許可', '風力']
    """

    def __init__(self, about: str) -> None:
        self.about = about
        self._known: dict[str, str] = {}
        self._numbers: dict[str, int] = {}  # of words that match no term
        self._words = _word_table(self._number)

    @cached_property
    def terms(self) -> list[str]:
        """The stems to match (pairs of characters in scripts without blanks), sorted."""
        found = {stem(word) for word in topic_words(self.about)}
        return sorted(word for word in found if not _HIRAGANA.search(word))

    @cached_property
    def _plain_terms(self) -> tuple[str, ...]:
        """The terms that a text in ASCII can have."""
        return tuple(term for term in self.terms if term.isascii())

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Longest first: alternation takes the first that fits.
        long = sorted((term for term in self.terms if len(term) > _SHORT), key=len, reverse=True)
        short = [rf"{re.escape(term)}(?![^\W_])" for term in self.terms if len(term) <= _SHORT]
        return re.compile(rf"(?<![^\W_])(?:{'|'.join([*map(re.escape, long), *short]) or '(?!)'})")

    @cached_property
    def _initials(self) -> frozenset[str]:
        """The first letters of all terms: a word that begins with none of them needs no search."""
        return frozenset(term[:1] for term in self.terms)

    @cached_property
    def initials(self) -> NDArray[np.bool_]:
        """A flag for each letter in ASCII: whether a term begins with it."""
        return np.array([chr(code) in self._initials for code in range(128)])

    def term(self, word: str) -> str:
        """Return the term that a folded word matches, empty if there is none."""
        if word[:1] not in self._initials:
            return ""
        known = self._known.get(word)
        if known is None:
            match = self._pattern.match(word)
            known = match[0] if match else ""
            if len(self._known) >= CACHED_WORDS:
                self._known.clear()
            self._known[word] = known
        return known

    def shares(self, texts: Sequence[str]) -> Scores:
        """Return for each text the share of the goal's words that it contains."""
        found = np.array([len(self._found(text)) for text in texts], np.float32)
        return found / np.float32(max(1, len(self.terms)))

    def _found(self, text: str) -> set[str]:
        """Return the terms that occur in a text; plain ASCII, the common case, in one search (1 µs)."""
        if text.isascii():
            return set(self._pattern.findall(folded(text)))
        return set(map(self.term, words(text))) - {""}

    def cosine(self, text: str) -> float:
        """Return the cosine between the goal and a text, as counts of words without function words.

        >>> goal = GoalTerms("fog signal")
        >>> round(goal.cosine("The fog signals: fog, and once more fog."), 3)
        0.853
        """
        text = text[:MAX_CHARACTERS]
        if text.isascii() and not any(count_begun(text, self._plain_terms, after_underscore=True)):
            return 0.0
        read = folded(text)
        if not any(term in read for term in self.terms):
            return 0.0
        counts, mentions = self._counted(read)
        if not mentions:
            return 0.0
        return min(1.0, mentions / math.sqrt(int(counts @ counts) * len(self.terms)))

    def _counted(self, read: str) -> tuple[NDArray[np.int64], int]:
        """Count the words of a folded text, function words left out; return also how many match a term.

        All words that match one term are counted as one.
        """
        if len(self._numbers) >= CACHED_WORDS:
            self._numbers.clear()
            self._words = _word_table(self._number)
        western = western_words(read)
        if western is None:
            numbers = np.array([self._number(word) for word in words(read)], np.uint32).tobytes()
        else:
            numbers = self._words.numbers(western)
        ids, packed, *_ = tally(numbers, b"", b"")
        counts = np.frombuffer(packed, np.uint16).astype(np.int64)
        return counts, int(counts[np.frombuffer(ids, np.uint32) <= len(self.terms)].sum())

    def _number(self, word: str) -> int:
        """Return the number of a word's term, a higher one for words that match none, 0 to ignore a word."""
        word = word.replace("ß", "ss")
        if term := self.term(word):
            return self.terms.index(term) + 1
        if word in STOP_WORDS:
            return 0
        return self._numbers.setdefault(word, len(self.terms) + 1 + len(self._numbers))

    def cosines(self, texts: Iterable[str]) -> Scores:
        """Return the cosine between the goal and each of many texts; equal texts are read once."""
        all_texts = list(texts)
        cosines = {text: self.cosine(text) for text in set(all_texts)}
        return np.array([cosines[text] for text in all_texts], np.float32)


def _word_table(number_of: Callable[[str], int]) -> WordTable:
    return WordTable(WESTERN_LOWER, number_of, "cp1252", 2 * CACHED_WORDS)
