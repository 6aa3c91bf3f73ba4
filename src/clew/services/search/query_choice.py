"""Choose the next query: topic terms in their order, or by the yield of similar terms so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.domain.text import folded
from clew.domain.topic_terms import TopicTerms

BANDS = (0.5, 0.25, 0.12, 0.06, 0.0)
"""Lower bounds of value bands. Each term is used once, so its yield is predicted from its band."""

MAX_FRUITLESS = 5
"""Queries in a row without a new URL after which searching stops."""

DEEP = 3
"""By yield, this many times as many results are requested, and the best unknown URLs are taken."""

PAYS = 0.25
"""Minimum expected new relevant pages of a query: below it, one page would cost four queries."""

PRIOR_NEW = 0.5
"""Prior share of new URLs among results; the value of a term is the share of relevant ones."""


@dataclass(frozen=True, slots=True)
class QueryChoice:
    """A word to search for, in its language, and the expected number of new relevant pages."""

    word: str
    lang: str
    promise: float


@dataclass(slots=True)
class AskedQuery:
    """A query that was sent, with its yield so far.

    `read` and `relevant` count its new URLs, `known_relevant` relevant pages among its results that were
    known before.
    """

    word: str
    lang: str = ""
    results: int = 0
    new: int = 0
    read: int = 0
    relevant: int = 0
    known_relevant: int = 0


@dataclass(slots=True, kw_only=True)
class Queries:
    """Choose the words to search for with the topic.

    In the order of the terms (`by_yield` false) this is the paper's rule. By yield, words of one language
    and one band of values are an arm of a bandit: the number of new relevant pages of a query is modelled
    as Poisson, with one imagined query as prior that yields `results` times the term's value times
    `PRIOR_NEW`.
    Thompson sampling from each arm's Gamma posterior decides, so that bands with a high yield are used
    more often, and others now and then.

    >>> terms = TopicTerms(values={"inning": 0.5, "pitcher": 0.4, "baseball": 0.9})
    >>> queries = Queries(topic="Baseball", by_yield=False)
    >>> queries.next(terms).word
    'inning'
    >>> queries.asked.append(AskedQuery("inning"))
    >>> queries.next(terms).word
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

    def next(self, terms: TopicTerms) -> QueryChoice | None:
        """Return the term to search for next, or None when all were used."""
        words = self._left(terms)
        if not words:
            return None
        if not self.by_yield:
            return self._choice(words[0], terms)
        rng = np.random.default_rng((self.seed, len(self.asked)))
        best: dict[tuple[str, int], str] = {}
        for word in words:
            best.setdefault((terms.langs.get(word, ""), band(terms.values[word])), word)
        samples = {}
        for arm, word in best.items():
            shape, rate = self._posterior(arm, terms.values[word], terms)
            samples[word] = rng.gamma(shape) / rate
        return self._choice(max(samples, key=samples.__getitem__), terms)

    def _choice(self, word: str, terms: TopicTerms) -> QueryChoice:
        lang = terms.langs.get(word, "")
        shape, rate = self._posterior((lang, band(terms.values[word])), terms.values[word], terms)
        return QueryChoice(word, lang, shape / rate)

    def _left(self, terms: TopicTerms) -> list[str]:
        """Return the terms not used yet; words of the topic itself would repeat the same query."""
        used = {each.word for each in self.asked}
        topic = folded(self.topic)
        return [
            word
            for word in terms.values
            if word not in used and word not in topic
            and (not self.languages or terms.langs.get(word, "") in ("", *self.languages))
        ]  # fmt: skip

    def _posterior(self, arm: tuple[str, int], value: float, terms: TopicTerms) -> tuple[float, float]:
        """Return shape and rate of the Gamma distribution of relevant pages per query of this arm."""
        similar = [
            each for each in self.asked
            if each.word in terms.values and (each.lang, band(terms.values[each.word])) == arm
        ]  # fmt: skip
        prior = max(0.05, self.results * value * PRIOR_NEW)
        return prior + sum(each.relevant for each in similar), 1.0 + len(similar)

    def describe_finds(self, relevant: int) -> str:
        """Describe what all queries have found; `relevant` is the number of relevant pages of the crawl."""
        found = sum(each.relevant for each in self.asked)
        return f"{len(self.asked)} queries found {found:,} relevant pages{self.estimate(relevant)}"

    def estimate(self, found: int) -> str:
        """Describe how many relevant pages may be left when `found` are; empty if there is no evidence."""
        asked = [each for each in self.asked if each.word]
        known, named = (
            sum(each.known_relevant for each in asked),
            sum(each.known_relevant + each.relevant for each in asked),
        )
        if not named:
            return ""
        left = round(estimate_left(found, named, known))
        more = f"some {left:,} may be left" if left else "few or none may be left"
        return f"; {known:,} of {named:,} relevant ones were known before, so {more}"

    @property
    def fruitless(self) -> bool:
        """Whether the last queries found no new URL."""
        last = [each for each in self.asked if each.word][-MAX_FRUITLESS:]
        return len(last) == MAX_FRUITLESS and not any(each.new for each in last)

    @property
    def share(self) -> float:
        """The share of relevant pages among read search results; 1 before any was read."""
        read = sum(each.read for each in self.asked)
        return sum(each.relevant for each in self.asked) / read if read else 1.0


def band(value: float) -> int:
    """Return the number of the band in which a value lies.

    >>> [band(value) for value in (1.0, 0.3, 0.01)]
    [0, 1, 4]
    """
    return next(number for number, floor in enumerate(BANDS) if value >= floor)


def estimate_left(found: int, named: int, known: int) -> float:
    """Estimate how many relevant pages are still to be found, by capture and recapture.

    Of `named` relevant pages in search results, `known` were known before: the same share of all relevant
    pages is assumed to be known. Engines and links favour the same pages, so this is a lower bound (the
    Lincoln-Petersen estimate with Chapman's correction for small numbers).

    >>> estimate_left(found=100, named=20, known=15)
    31.25
    """
    return max(0.0, (found * (named + 1)) / (known + 1) - found)
