"""The goal's words, and how much of a text, a link or an address they make up."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import mul
from urllib.parse import unquote

import numpy as np

from clew.domain.text import STOP_WORDS, count_words, folded, stem, words
from clew.types import Scores

MAX_CHARACTERS = 20_000
"""Characters of a page that are read: four times a typical main text, and about a millisecond."""

CACHED_WORDS = 100_000
"""Words whose meaning for the goal is remembered: links of a site say the same few thousand again."""

_HIRAGANA = re.compile(r"[\u3040-\u309f]")
_SHORT = 3  # letters: "wind" may begin "windfarm", but "ai" should not begin "aid"


class GoalTerms:
    """Know a goal's words again in any text.

    A word of the goal is found in every word that begins with its stem; one of three letters or less
    only as itself. Scripts without blanks are read in pairs of characters, as everywhere in the house,
    and pairs with hiragana (particles, endings) tell no topic.

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
        self._ours: dict[str, str] = {}  # those of them that stand for a term

    @cached_property
    def terms(self) -> list[str]:
        """The stems looked for (pairs of characters where there are no blanks), in order of the alphabet."""
        found = {stem(word) for word in words(self.about) if word not in STOP_WORDS}
        telling = (word for word in found if len(word) > 1 or not word.isascii())
        return sorted(word for word in telling if not _HIRAGANA.search(word))

    @cached_property
    def _beginnings(self) -> re.Pattern[str]:
        # Longest first: alternation takes the first that fits.
        long = sorted((term for term in self.terms if len(term) > _SHORT), key=len, reverse=True)
        short = [rf"{re.escape(term)}(?![^\W_])" for term in self.terms if len(term) <= _SHORT]
        return re.compile(rf"(?<![^\W_])(?:{'|'.join([*map(re.escape, long), *short]) or '(?!)'})")

    def term(self, word: str) -> str:
        """Return the term that a folded word stands for, empty when it is none of the goal's."""
        known = self._known.get(word)
        if known is None:
            begun = self._beginnings.match(word)
            known = begun[0] if begun else ""
            if len(self._known) >= CACHED_WORDS:
                self._known.clear()
                self._ours.clear()
            self._known[word] = known
            if known:
                self._ours[word] = known
        return known

    def shares(self, texts: Sequence[str]) -> Scores:
        """Return for each text which share of the goal's words it says."""
        found = np.array([len(self._said(text)) for text in texts], np.float32)
        return found / np.float32(max(1, len(self.terms)))

    def _said(self, text: str) -> set[str]:
        """Return the terms that occur in a text; plain ASCII, the common case, in one search (1 µs)."""
        if text.isascii():
            return set(self._beginnings.findall(text.lower()))
        return set(map(self.term, words(text))) - {""}

    def cosine(self, text: str) -> float:
        """Return the cosine between the goal and a text, as counts of words without function words.

        >>> goal = GoalTerms("fog signal")
        >>> round(goal.cosine("The fog signals: fog, and once more fog."), 3)
        0.853
        """
        read = folded(text[:MAX_CHARACTERS])
        if not any(term in read for term in self.terms):
            return 0.0
        counts = count_words(read)
        mentions = Counter[str]()
        for word in [word for word in counts if word not in self._known]:
            self.term(word)
        for word in counts.keys() & self._ours.keys():
            mentions[self._ours[word]] += counts.pop(word)
        if not mentions:
            return 0.0
        for word in counts.keys() & STOP_WORDS:
            del counts[word]
        length = math.sqrt((_square(counts) + _square(mentions)) * len(self.terms))
        return min(1.0, sum(mentions.values()) / length)

    def cosines(self, texts: Iterable[str]) -> Scores:
        """Return the cosine between the goal and each of many texts; the same text is read once."""
        told = list(texts)
        known = {text: self.cosine(text) for text in set(told)}
        return np.array([known[text] for text in told], np.float32)


def url_text(url: str) -> str:
    """Return an address as text: without its scheme, escapes turned back into letters.

    >>> url_text("https://a.example/permits/%E9%A2%A8%E5%8A%9B?page=2")
    'a.example/permits/風力?page=2'
    """
    text = url.partition("://")[2]
    return unquote(text) if "%" in text else text


def _square(counts: Counter[str]) -> int:
    return sum(map(mul, counts.values(), counts.values()))
