"""Prior log-odds of topic terms: what the goal, a judge or a search says of words before they are counted."""

from collections.abc import Mapping

import numpy as np

from clew.domain.learned_state import State, StateRead, packed, unpacked
from clew.rank.shared.link_tokens import (
    COSINE_LEVEL,
    FIRST_HASHED,
    LEVELS,
    VERDICT_LEVEL,
    LinkTokens,
    token_id,
)
from clew.rank.shared.token_stats import TokenStats, logit


class Priors:
    """Write the weights of topic terms into the priors of the token statistics.

    >>> stats, tokens = TokenStats(), LinkTokens("wind")
    >>> priors = Priors(stats, tokens)
    >>> priors.replace({"turbine": 1.0, "tea": 0.5}, 2.0, "search")
    >>> priors.replace({"turbine": 0.25}, 2.0, "search")  # tea is no longer among its terms
    >>> [float(stats.prior[token_id("text", word)]) for word in ("turbin", "tea")]
    [2.0, 0.0]
    """

    def __init__(self, stats: TokenStats, tokens: LinkTokens) -> None:
        self.stats = stats
        self.tokens = tokens
        self._before: dict[str, dict[int, float]] = {}  # priors that the terms of each source replaced

    def add(self, word: str, odds: float) -> None:
        """Give a word prior log-odds for the topic, or against it; its terms share them."""
        terms = self.tokens.terms(word)
        for term in terms:
            for family in ("text", "address"):
                at, share = self.stats.register(family, term), odds / len(terms)
                if abs(share) > abs(self.stats.prior[at]):  # of two priors the stronger counts
                    self.stats.prior[at] = share

    def set_levels(self, share: float) -> None:
        """Give the levels of verdicts and of similarity to the goal their priors; `share` is the base rate.

        A link on a page of verdict 1 leads to a relevant page three times in five, of verdict 0 hardly.
        """
        steps, prior = (np.arange(LEVELS) + 0.5) / LEVELS, self.stats.prior
        expected = logit(0.03 + 0.6 * steps) - logit(share)
        prior[VERDICT_LEVEL:COSINE_LEVEL] = expected / 2 if self.tokens.about else expected
        prior[COSINE_LEVEL:FIRST_HASHED] = (logit(0.05 + 0.5 * steps) - logit(share)) / 2

    def replace(self, terms: Mapping[str, float], most: float, source: str) -> None:
        """Add many words by their weights, the heaviest with the log-odds `most`.

        A judge by examples has such words, and so has a crawl that was started by a search engine. Earlier
        words of the same source no longer count; the goal's own words always do.
        """
        prior, own = self.stats.prior, self._goal_ids()
        for at, odds in self._before.pop(source, {}).items():
            prior[at] = odds
        before = prior.copy()
        heaviest = max(map(abs, terms.values()), default=0.0) or 1.0
        for term, weight in terms.items():
            self.add(term, most * weight / heaviest)
        changed = [at for at in np.flatnonzero(prior != before).tolist() if at not in own]
        self._before[source] = dict(zip(changed, before[changed].tolist(), strict=True))

    def learned_state(self) -> State:
        """Return the priors that the terms of each source have replaced."""
        return {"before": packed({name: list(odds.items()) for name, odds in self._before.items()})}

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        self._before = {
            name: {int(at): float(odds) for at, odds in pairs}
            for name, pairs in unpacked(state["before"]).items()
        }

    def _goal_ids(self) -> set[int]:
        """Return the ids of the goal's own words."""
        terms = [term for word in self.tokens.about.split() for term in self.tokens.terms(word)]
        return {token_id(family, term) for term in terms for family in ("text", "address")}
