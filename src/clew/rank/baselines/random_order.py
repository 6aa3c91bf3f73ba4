"""Random order: what a policy must beat before it may call itself one."""

import numpy as np

from clew.types import Hashes, Links, Outcome, Scores

_STEP = 0x9E37_79B9_7F4A_7C15
_MIX = (np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB))
"""The constants of splitmix64."""


class RandomOrder:
    """Give every link a score by lot, the same one wherever it is met.

    A die thrown anew at each meeting would favour links met often, because a link keeps the best score
    it was given. So the lot is drawn from the link's own name and the seed: no state, and the same
    crawl again with the same seed.

    `seed` chooses the lots.

    >>> from clew.testing import sample_outcome, sample_links
    >>> RandomOrder(seed=1).score(sample_outcome(), sample_links(3)).astype(float).round(2).tolist()
    [0.15, 0.24, 0.69]

    Reference: for the mixing, G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    def score(self, source: Outcome, links: Links) -> Scores:  # noqa: ARG002 - the point is not to look
        return _lots(links.hashes, self.seed)

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {"by lot": self.score(source, links)}

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: a die has no memory."""


def _lots(names: Hashes, seed: int) -> Scores:
    """Return numbers in 0…1 that look as if drawn by lot, one for each name."""
    mixed = names + np.uint64((seed + 1) * _STEP % (1 << 64))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX[1]
    mixed ^= mixed >> np.uint64(31)
    # 24 bits: as many as a float32 holds without rounding up to 1.
    return (mixed >> np.uint64(40)).astype(np.float32) / np.float32(1 << 24)
