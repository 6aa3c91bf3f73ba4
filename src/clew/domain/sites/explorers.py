"""Which site is looked at next: seven ways to value one more page of each, on one interface."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from clew.domain.sites.information_value import CHUNK, belief, bernoulli, chunks, delta, gain
from clew.domain.sites.normal import Floats
from clew.domain.sites.site_stats import Pool, SiteStats
from clew.errors import ConfigError

Dice = np.random.Generator


class Explorer(Protocol):
    """Value one more page of each site; the site with the highest value is next.

    `lots` is the chance that a site is drawn by lot instead. `restless` says that values change without news,
    because they are drawn. A site whose value is `worth` or less needs no more pages; -1 for never.
    """

    @property
    def lots(self) -> float: ...

    @property
    def restless(self) -> bool: ...

    @property
    def worth(self) -> float: ...

    def values(self, evidence: SiteStats, pool: Pool, dice: Dice) -> Floats: ...

    def estimate(self, evidence: SiteStats, pool: Pool) -> Floats: ...


@dataclass(frozen=True, slots=True)
class _Mean:
    """The verdict is the mean of the pages' chances, as the paper has it."""

    lots: float = 0.0
    restless: bool = False
    worth: float = -1.0

    def estimate(self, evidence: SiteStats, pool: Pool) -> Floats:  # noqa: ARG002 - each site for itself
        """Return the chance of each site that it holds what is looked for."""
        return evidence.mean


@dataclass(frozen=True, slots=True)
class Random(_Mean):
    """Any site with pages left, by lot: the baseline."""

    lots: float = 1.0

    def values(self, evidence: SiteStats, pool: Pool, dice: Dice) -> Floats:  # noqa: ARG002
        return np.full_like(evidence.pages, 1e-3)


@dataclass(frozen=True, slots=True)
class Epsilon(_Mean):
    """The site that looks best; one time in ten another, by lot."""

    lots: float = 0.1

    def values(self, evidence: SiteStats, pool: Pool, dice: Dice) -> Floats:  # noqa: ARG002
        return evidence.mean


@dataclass(frozen=True, slots=True)
class Ucb(_Mean):
    """The site that could be best: its mean and a margin that shrinks with its pages.

    `horizon` stands for the pages of the whole exploration in the logarithm: with a growing number the values
    of all sites would change at every page, and their order hardly ever.
    """

    horizon: float = 20_000

    def values(self, evidence: SiteStats, pool: Pool, dice: Dice) -> Floats:  # noqa: ARG002
        pages = np.maximum(evidence.pages, 1)
        upper: Floats = evidence.mean + np.sqrt(2 * np.log(self.horizon) / pages)
        return upper


@dataclass(frozen=True, slots=True)
class Thompson(_Mean):
    """The site with the highest draw from what its pages leave possible."""

    restless: bool = True

    def values(self, evidence: SiteStats, pool: Pool, dice: Dice) -> Floats:  # noqa: ARG002
        return dice.beta(1 + evidence.total, 1 + np.maximum(evidence.pages - evidence.total, 0.0))


@dataclass(frozen=True, slots=True)
class Delta(_Mean):
    """The largest δ, the variance of a site's outcome read as that of a yes or no: θ(1 − θ)."""

    worth: float = 0.0

    def values(self, evidence: SiteStats, pool: Pool, dice: Dice) -> Floats:  # noqa: ARG002
        return delta(evidence.mean, bernoulli(evidence.mean), evidence.pages)


@dataclass(frozen=True, slots=True)
class DeltaSample(_Mean):
    """The largest δ, with the sample variance of a site's chances; after one page, without any, θ(1 − θ)."""

    worth: float = 0.0

    def values(self, evidence: SiteStats, pool: Pool, dice: Dice) -> Floats:  # noqa: ARG002
        variance = np.where(evidence.pages > 1, evidence.variance, bernoulli(evidence.mean))
        return delta(evidence.mean, variance, evidence.pages)


@dataclass(frozen=True, slots=True)
class ErrorReduction:
    """The page that takes most errors away, by what all sites have in common and by what was found.

    `finds` says whether a page can prove its site; in a simulation of chances alone none can. From `line` up
    the verdict is yes.
    """

    finds: bool = True
    line: float = 0.5
    lots: float = 0.0
    restless: bool = False
    worth: float = 0.0

    def values(self, evidence: SiteStats, pool: Pool, dice: Dice) -> Floats:
        if evidence.pages.ndim > 1 or len(evidence.pages) <= CHUNK:
            return gain(belief(evidence, pool, finds=self.finds), self.line)
        parts = [self.values(evidence.at(part), pool, dice) for part in chunks(len(evidence.pages))]
        return np.concatenate(parts)

    def estimate(self, evidence: SiteStats, pool: Pool) -> Floats:
        return belief(evidence, pool, finds=self.finds).chance


EXPLORERS: dict[str, type[Explorer]] = {
    "gain": ErrorReduction, "delta": Delta, "delta-sample": DeltaSample, "random": Random, "epsilon": Epsilon,
    "ucb": Ucb, "thompson": Thompson,
}  # fmt: skip
"""By the name a person gives in `rank.explorer`."""


def make_explorer(name: str) -> Explorer:
    """Return the explorer of that name."""
    if name not in EXPLORERS:
        msg = f'there is no explorer "{name}"; choose one of {", ".join(EXPLORERS)} (rank.explorer)'
        raise ConfigError(msg)
    return EXPLORERS[name]()


@dataclass(slots=True)
class Lots:
    """Sites that may be drawn by lot: draw one, or take one out, without looking at the others."""

    rows: list[int] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)

    def add(self, row: int) -> None:
        """Put a site in, once."""
        if row not in self.places:
            self.places[row] = len(self.rows)
            self.rows.append(row)

    def drop(self, row: int) -> None:
        """Take a site out."""
        place = self.places.pop(row, -1)
        if place >= 0:
            last = self.rows.pop()
            if last != row:
                self.rows[place], self.places[last] = last, place

    def draw(self, dice: Dice) -> int:
        """Return any site."""
        return self.rows[int(dice.integers(len(self.rows)))]
