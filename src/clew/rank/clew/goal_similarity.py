"""How similar the words in and around a link are to the goal; words that most links have count little."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from clew.domain.learned_state import State, StateRead
from clew.rank.shared.goal_terms import GoalTerms
from clew.rank.shared.link_tokens import Comparison, token_id
from clew.rank.shared.token_rows import similarity_steps
from clew.rank.shared.token_stats import TokenStats
from clew.types import FeatureGroup, Features

LEVELS = 12
"""Levels of similarity, each a token whose outcomes are counted."""

HIGHEST = 0.6
"""The similarity of the last level: half of the goal's words and little else."""

NO_SIMILARITY, SLOPE = -0.4, 8.0
"""Prior log-odds of a link without any of the goal's words, and what a similarity of one adds to them."""

OTHER_RARITY = 4.0
"""The rarity of words that are not the goal's: counting each of them changed no result."""

PRIOR_LINKS, PRIOR_FREQUENCY = 20.0, 0.4
"""Links that every term is assumed to have been looked for in before, and how many had it."""

FAMILY = "goal"


class GoalSimilarity:
    """Compare links with the goal, a cosine over the words of the link text and of the text around it.

        rarity of a term = ln((links seen + 21) / (links with it + 0.9)), 0 at least
        similarity       = sum of rarity² over the goal's terms there
                           / (length of the goal · length of the words there)

    So a word of the goal that is in every menu counts for nothing, whatever the policy would learn of it
    later. Frequencies are those of the links seen before; they are saved with the model.

    >>> similarity, stats = GoalSimilarity("wind farms"), TokenStats()
    >>> similarity.prepare(stats)
    >>> links = np.array([[False, True], [False, False]]), np.array([2, 2])
    >>> similarity.count(links)
    >>> [stats.names[id][1] for id in similarity.column(links).tolist()]
    ['similarity 0.33', 'similarity 0.00']
    """

    group = FeatureGroup("surroundings", 1, 0.25)

    def __init__(self, about: str = "") -> None:
        self.about = about
        self.terms = GoalTerms(about).terms
        self.links = 0.0
        self.frequency = np.zeros(len(self.terms))
        self.term_ids = np.array([token_id("text", term) for term in self.terms], np.uint32)
        self._levels = np.zeros(LEVELS, np.uint32)

    def prepare(self, stats: TokenStats) -> None:
        """Register the levels with their priors."""
        for level in range(LEVELS):
            similarity = HIGHEST * level / (LEVELS - 1)
            at = self._levels[level] = stats.register(FAMILY, f"similarity {similarity:.2f}")
            stats.prior[at] = NO_SIMILARITY + min(4.0, SLOPE * similarity)

    def count(self, links: Comparison) -> None:
        """Count the links of a page, compared with `term_ids`."""
        self.links += len(links[0])
        self.frequency += links[0].sum(axis=0)

    def column(self, links: Comparison) -> Features:
        """Return the token of each link's level of similarity."""
        steps = similarity_steps(*links, self._rarity() ** 2, OTHER_RARITY**2, HIGHEST, LEVELS - 1)
        return self._levels.take(steps)

    def _rarity(self) -> NDArray[np.float64]:
        odds = (self.links + PRIOR_LINKS + 1) / (self.frequency + PRIOR_FREQUENCY + 0.5)
        rarity: NDArray[np.float64] = np.maximum(np.log(odds), 0.0)
        return rarity

    def counts(self) -> dict[str, float]:
        """Return the links seen, and for each term of the goal those that have it."""
        return {"": self.links, **dict(zip(self.terms, self.frequency.tolist(), strict=True))}

    def restore(self, counts: Mapping[str, float]) -> None:
        """Continue with the counts of an earlier run."""
        self.links = counts.get("", 0.0)
        self.frequency = np.array([counts.get(term, 0.0) for term in self.terms])

    def learned_state(self) -> State:
        """Return the links seen, and how many of them have each term."""
        return {"links": np.array([self.links]), "frequency": self.frequency.copy()}

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        self.links, self.frequency = float(state["links"][0]), state["frequency"]
