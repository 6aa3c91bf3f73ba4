"""Random order: the baseline that every policy must beat."""

import numpy as np

from clew.types import Hashes, Links, Outcome, Scores

_STEP = 0x9E37_79B9_7F4A_7C15
_MIX = (np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB))
"""The constants of splitmix64."""


class RandomOrder:
    """Give every link a random score, the same one wherever it is found.

    A new random number each time would favour links found often, because a link keeps its best score. So
    the score is a hash of the URL and the seed: no state, and the same crawl with the same seed.

    `seed` is the random seed.

    >>> from clew.testing import sample_outcome, sample_links
    >>> RandomOrder(seed=1).score(sample_outcome(), sample_links(3)).astype(float).round(2).tolist()
    [0.15, 0.24, 0.69]

    Reference: for the mixing, G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    def score(self, source: Outcome, links: Links) -> Scores:  # noqa: ARG002 - random
        return _random_scores(links.hashes, self.seed)

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {"random": self.score(source, links)}

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: scores are random."""


def _random_scores(hashes: Hashes, seed: int) -> Scores:
    """Return a pseudorandom number in 0…1 for each hash."""
    mixed = hashes + np.uint64((seed + 1) * _STEP % (1 << 64))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX[1]
    mixed ^= mixed >> np.uint64(31)
    # 24 bits: as many as a float32 holds without rounding up to 1.
    return (mixed >> np.uint64(40)).astype(np.float32) / np.float32(1 << 24)
