"""Explorers: eight ways to value one more page of each site, behind one Protocol."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from clew.domain.sites.information_value import (
    CHUNK,
    bernoulli,
    chunks,
    delta,
    knowledge_gradient,
    literal_delta,
    site_posteriors,
)
from clew.domain.sites.normal import Floats
from clew.domain.sites.site_stats import PooledStats, SiteStats
from clew.errors import ConfigError

Rng = np.random.Generator


class Explorer(Protocol):
    """Value one more page of each site; the site with the highest value is next.

    `random_share` is the chance that a random site is chosen instead. `stochastic` explorers sample their
    values, so these change without new pages. A site whose value is `min_value` or less needs no more pages;
    -1 for never.
    """

    @property
    def random_share(self) -> float: ...

    @property
    def stochastic(self) -> bool: ...

    @property
    def min_value(self) -> float: ...

    def values(self, stats: SiteStats, pool: PooledStats, rng: Rng) -> Floats: ...

    def estimate(self, stats: SiteStats, pool: PooledStats) -> Floats: ...


@dataclass(frozen=True, slots=True)
class _Mean:
    """The estimate is the mean of the pages' chances, as in the paper."""

    random_share: float = 0.0
    stochastic: bool = False
    min_value: float = -1.0

    def estimate(self, stats: SiteStats, pool: PooledStats) -> Floats:  # noqa: ARG002 - sites are independent here
        """Return the probability of each site that it holds the wanted content."""
        return stats.mean


@dataclass(frozen=True, slots=True)
class Random(_Mean):
    """A random site with pages left: the baseline."""

    random_share: float = 1.0

    def values(self, stats: SiteStats, pool: PooledStats, rng: Rng) -> Floats:  # noqa: ARG002
        return np.full_like(stats.pages, 1e-3)


@dataclass(frozen=True, slots=True)
class Epsilon(_Mean):
    """ε-greedy: the site with the highest mean; one time in ten a random site."""

    random_share: float = 0.1

    def values(self, stats: SiteStats, pool: PooledStats, rng: Rng) -> Floats:  # noqa: ARG002
        return stats.mean


@dataclass(frozen=True, slots=True)
class Ucb(_Mean):
    """Upper confidence bound: the mean plus a margin that shrinks with the site's pages.

    `horizon` replaces the number of pages so far in the logarithm: with a growing number the values of all
    sites would change at every page, but their order hardly ever.
    """

    horizon: float = 20_000

    def values(self, stats: SiteStats, pool: PooledStats, rng: Rng) -> Floats:  # noqa: ARG002
        pages = np.maximum(stats.pages, 1)
        upper: Floats = stats.mean + np.sqrt(2 * np.log(self.horizon) / pages)
        return upper


@dataclass(frozen=True, slots=True)
class Thompson(_Mean):
    """Thompson sampling: the site with the highest sample from its posterior."""

    stochastic: bool = True

    def values(self, stats: SiteStats, pool: PooledStats, rng: Rng) -> Floats:  # noqa: ARG002
        return rng.beta(1 + stats.total, 1 + np.maximum(stats.pages - stats.total, 0.0))


@dataclass(frozen=True, slots=True)
class Delta(_Mean):
    """The largest δ, with the variance of a Bernoulli outcome: θ(1 − θ)."""

    min_value: float = 0.0

    def values(self, stats: SiteStats, pool: PooledStats, rng: Rng) -> Floats:  # noqa: ARG002
        return delta(stats.mean, bernoulli(stats.mean), stats.pages)


@dataclass(frozen=True, slots=True)
class DeltaLiteral(_Mean):
    """The largest δ by equations (8) and (10) as printed, without the step of the appendix."""

    min_value: float = 0.0

    def values(self, stats: SiteStats, pool: PooledStats, rng: Rng) -> Floats:  # noqa: ARG002
        return literal_delta(stats.mean, bernoulli(stats.mean), stats.pages)


@dataclass(frozen=True, slots=True)
class DeltaSample(_Mean):
    """The largest δ, with the sample variance of a site's chances; after one page θ(1 − θ)."""

    min_value: float = 0.0

    def values(self, stats: SiteStats, pool: PooledStats, rng: Rng) -> Floats:  # noqa: ARG002
        variance = np.where(stats.pages > 1, stats.variance, bernoulli(stats.mean))
        return delta(stats.mean, variance, stats.pages)


@dataclass(frozen=True, slots=True)
class ErrorReduction:
    """Expected error reduction of one more page, given pooled statistics of all sites and hits.

    `use_hits` states whether a page can prove its site; in a simulation of chances alone none can. From
    `threshold` up the verdict is yes.
    """

    use_hits: bool = True
    threshold: float = 0.5
    random_share: float = 0.0
    stochastic: bool = False
    min_value: float = 0.0

    def values(self, stats: SiteStats, pool: PooledStats, rng: Rng) -> Floats:
        if stats.pages.ndim > 1 or len(stats.pages) <= CHUNK:
            return knowledge_gradient(site_posteriors(stats, pool, use_hits=self.use_hits), self.threshold)
        parts = [self.values(stats.at(part), pool, rng) for part in chunks(len(stats.pages))]
        return np.concatenate(parts)

    def estimate(self, stats: SiteStats, pool: PooledStats) -> Floats:
        return site_posteriors(stats, pool, use_hits=self.use_hits).chance


EXPLORERS: dict[str, type[Explorer]] = {
    "gain": ErrorReduction, "delta": Delta, "delta-sample": DeltaSample,
    "delta-literal": DeltaLiteral, "random": Random, "epsilon": Epsilon,
    "ucb": Ucb, "thompson": Thompson,
}  # fmt: skip
"""Explorers by their names in `rank.explorer`."""


def make_explorer(name: str) -> Explorer:
    """Return the explorer of that name."""
    if name not in EXPLORERS:
        msg = f'there is no explorer "{name}"; choose one of {", ".join(EXPLORERS)} (rank.explorer)'
        raise ConfigError(msg)
    return EXPLORERS[name]()


@dataclass(slots=True)
class RandomSet:
    """A set of sites with random choice, addition and removal in constant time."""

    rows: list[int] = field(default_factory=list)
    positions: dict[int, int] = field(default_factory=dict)

    def add(self, row: int) -> None:
        """Add a site, once."""
        if row not in self.positions:
            self.positions[row] = len(self.rows)
            self.rows.append(row)

    def drop(self, row: int) -> None:
        """Remove a site."""
        position = self.positions.pop(row, -1)
        if position >= 0:
            last = self.rows.pop()
            if last != row:
                self.rows[position], self.positions[last] = last, position

    def draw(self, rng: Rng) -> int:
        """Return a random site."""
        return self.rows[int(rng.integers(len(self.rows)))]
