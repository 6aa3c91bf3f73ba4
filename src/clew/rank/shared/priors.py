"""Words that speak for a topic before they were met on links, and who said so."""

from collections.abc import Mapping

import numpy as np

from clew.rank.shared.link_tokens import LinkTokens, number
from clew.rank.shared.token_stats import TokenStats


class Priors:
    """Write what a person, a judge or a search has said of words into the evidence.

    >>> evidence, tokens = Evidence(), LinkTokens("wind")
    >>> told = Priors(evidence, tokens)
    >>> told.prime({"turbine": 1.0, "tea": 0.5}, 2.0, "search")
    >>> told.prime({"turbine": 0.25}, 2.0, "search")  # it no longer speaks of tea
    >>> [float(evidence.prior[number("text", word)]) for word in ("turbin", "tea")]
    [2.0, 0.0]
    """

    def __init__(self, evidence: TokenStats, tokens: LinkTokens) -> None:
        self.evidence = evidence
        self.tokens = tokens
        self._before: dict[str, dict[int, float]] = {}  # what was known when each of them spoke

    def tell(self, word: str, odds: float) -> None:
        """Let a word speak for the topic (or against it) before it was met; its pieces share the odds."""
        terms = self.tokens.terms(word)
        for term in terms:
            for family in ("text", "address"):
                at, share = self.evidence.meet(family, term), odds / len(terms)
                if abs(share) > abs(self.evidence.prior[at]):  # told twice: the stronger counts
                    self.evidence.prior[at] = share

    def prime(self, terms: Mapping[str, float], most: float, whose: str) -> None:
        """Tell many words by their weights, the heaviest with the odds `most`.

        A judge by examples has such words, and so has a crawl that was begun by a search engine. What the
        same one said before no longer counts; the goal's own words always do.
        """
        prior, own = self.evidence.prior, self._own()
        for at, odds in self._before.pop(whose, {}).items():
            prior[at] = odds
        before = prior.copy()
        heaviest = max(map(abs, terms.values()), default=0.0) or 1.0
        for term, weight in terms.items():
            self.tell(term, most * weight / heaviest)
        changed = [at for at in np.flatnonzero(prior != before).tolist() if at not in own]
        self._before[whose] = dict(zip(changed, before[changed].tolist(), strict=True))

    def _own(self) -> set[int]:
        """Return the numbers of the goal's own words."""
        terms = [term for word in self.tokens.about.split() for term in self.tokens.terms(word)]
        return {number(family, term) for term in terms for family in ("text", "address")}
