"""Which query next, and does it pay? Words of the array, in its order or by what their like have brought."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.domain.text import folded
from clew.domain.topic_terms import TopicTerms

BANDS = (0.5, 0.25, 0.12, 0.06, 0.0)
"""Words are alike when their values are: each is asked for once, so only its like can teach about it."""

DRY = 5
"""Queries in a row that bring no new address before searching is given up."""

DEEP = 3
"""By yield, so many times as many results are asked for, and the best that nobody has met are taken."""

PAYS = 0.25
"""New relevant pages a query must promise: fewer, and four questions to an engine would bring one page."""

HOPE = 0.5
"""Share of a query's results that are new, before any was asked; the array's value says how many fit."""


@dataclass(frozen=True, slots=True)
class QueryChoice:
    """A word to search for, in its language, and how many new relevant pages it promises."""

    word: str
    lang: str
    promise: float


@dataclass(slots=True)
class AskedQuery:
    """A query that was asked: what it brought, and what came of that so far.

    `read` and `relevant` count its new addresses, `met` those relevant pages among its results that had been
    met before.
    """

    word: str
    lang: str = ""
    results: int = 0
    new: int = 0
    read: int = 0
    relevant: int = 0
    met: int = 0


@dataclass(slots=True, kw_only=True)
class Queries:
    """Choose the words to search for with the topic.

    In the order of the array (`by_yield` false) this is the paper's rule. By yield, words of one language
    and one band of values are an arm of a bandit: the number of new relevant pages a query brings is taken
    as Poisson, with one imagined query as prior that brings `results` times the word's value times `HOPE`.
    A throw from each arm's Gamma posterior decides (Thompson sampling), so that bands which brought much
    are asked again, and others now and then.

    >>> array = TopicTerms(values={"inning": 0.5, "pitcher": 0.4, "baseball": 0.9})
    >>> queries = Queries(topic="Baseball", by_yield=False)
    >>> queries.next(array).word
    'inning'
    >>> queries.asked.append(AskedQuery("inning"))
    >>> queries.next(array).word
    'pitcher'
    """

    topic: str
    results: int = 10
    by_yield: bool = True
    languages: Sequence[str] = ()
    seed: int = 0
    asked: list[AskedQuery] = field(default_factory=list)
    used: int = 0  # in this run, with a word added to the topic

    def count_used(self, used: bool) -> None:
        """Count a query of this run."""
        self.used += used

    def next(self, array: TopicTerms) -> QueryChoice | None:
        """Return the word to ask for next, or None when every one was asked for."""
        words = self._left(array)
        if not words:
            return None
        if not self.by_yield:
            return self._choice(words[0], array)
        dice = np.random.default_rng((self.seed, len(self.asked)))
        best: dict[tuple[str, int], str] = {}
        for word in words:
            best.setdefault((array.langs.get(word, ""), band(array.values[word])), word)
        throws = {}
        for arm, word in best.items():
            shape, rate = self._posterior(arm, array.values[word], array)
            throws[word] = dice.gamma(shape) / rate
        return self._choice(max(throws, key=throws.__getitem__), array)

    def _choice(self, word: str, array: TopicTerms) -> QueryChoice:
        lang = array.langs.get(word, "")
        shape, rate = self._posterior((lang, band(array.values[word])), array.values[word], array)
        return QueryChoice(word, lang, shape / rate)

    def _left(self, array: TopicTerms) -> list[str]:
        """Return the words not asked for yet; those of the topic itself would ask the same again."""
        gone = {each.word for each in self.asked}
        topic = folded(self.topic)
        return [
            word
            for word in array.values
            if word not in gone and word not in topic
            and (not self.languages or array.langs.get(word, "") in ("", *self.languages))
        ]  # fmt: skip

    def _posterior(self, arm: tuple[str, int], value: float, array: TopicTerms) -> tuple[float, float]:
        """Return shape and rate of the Gamma distribution over relevant pages a query of this arm brings."""
        alike = [
            each for each in self.asked
            if each.word in array.values and (each.lang, band(array.values[each.word])) == arm
        ]  # fmt: skip
        prior = max(0.05, self.results * value * HOPE)
        return prior + sum(each.relevant for each in alike), 1.0 + len(alike)

    def estimate(self, found: int) -> str:
        """Say how many relevant pages may be left when `found` are, if the queries can tell."""
        asked = [each for each in self.asked if each.word]
        met, named = sum(each.met for each in asked), sum(each.met + each.relevant for each in asked)
        if not named:
            return ""
        more = f"some {left(found, named, met):,.0f} may be left"
        return f"; {met:,} of {named:,} relevant ones had been met before, so {more}"

    @property
    def dry(self) -> bool:
        """Whether the last queries brought no new address."""
        last = [each for each in self.asked if each.word][-DRY:]
        return len(last) == DRY and not any(each.new for each in last)

    @property
    def share(self) -> float:
        """The share of relevant pages among those read that queries had brought; 1 before any was read."""
        read = sum(each.read for each in self.asked)
        return sum(each.relevant for each in self.asked) / read if read else 1.0


def band(value: float) -> int:
    """Return the number of the band in which a value lies.

    >>> [band(value) for value in (1.0, 0.3, 0.01)]
    [0, 1, 4]
    """
    return next(number for number, floor in enumerate(BANDS) if value >= floor)


def left(found: int, named: int, met: int) -> float:
    """Estimate how many relevant pages are still to be found, by capture and recapture.

    Of `named` relevant pages that queries brought, `met` had been met before: as large a share of all that
    there are. An engine and links like the same pages, so there are rather more (Lincoln and Petersen's
    estimate, as Chapman has it for small numbers).

    >>> left(found=100, named=20, met=15)
    31.25
    """
    return max(0.0, (found * (named + 1)) / (met + 1) - found)
