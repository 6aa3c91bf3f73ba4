"""Check the estimates of `clew sites` against the truth; write a part of the data of docs/lab/sites.md.

    python -m bench.site_intervals --worlds FOLDER [--repetitions 300]        (or with CLEW_WORLDS=FOLDER)

Simulated sites hold the content with a hidden share, and show it on their pages at hidden rates; recorded sites are
those of stat-sites, 30 of 42 drawn each time. Reading of a site ends with its first hit. Half a minute.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, lgamma
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.figures import publish
from bench.sites import WORLD, SiteWorld
from clew.domain.sites.site_estimates import RARE, SiteEstimates, estimate_sites
from clew.domain.sites.site_stats import SiteStats
from clew.lab.world import open_world
from docs.figures import Table

DEPTHS = (1, 3, 5, 10, 30)
"""Pages read of a site that shows nothing."""

SIMULATED = (10, 40, 200)
DRAWN = 30


@dataclass
class Checked:
    """What was right, over many runs."""

    number: list[bool] = field(default_factory=list)
    chance: list[bool] = field(default_factory=list)
    wrong: list[bool] = field(default_factory=list)
    expected: list[float] = field(default_factory=list)
    missed: list[int] = field(default_factory=list)

    def add(self, estimates: SiteEstimates, hits: NDArray[np.float64], truth: NDArray[np.bool_]) -> None:
        """Compare the estimates of one run with the truth."""
        without = hits == 0
        self.number.append(bool(estimates.fewest <= truth.sum() <= estimates.most))
        self.wrong += truth[estimates.high <= RARE].tolist()
        self.expected.append(float(estimates.chance[without].sum()))
        self.missed.append(int(truth[without].sum()))

    def row(self, kind: str, depth: int) -> tuple[str, ...]:
        """Return the row of the table."""
        chance = f"{np.mean(self.chance):.1%}" if self.chance else "–"
        wrong = f"{np.mean(self.wrong):.1%}" if self.wrong else "–"
        return (
            kind, str(depth), chance, f"{np.mean(self.number):.1%}", f"{np.mean(self.expected):.1f}",
            f"{np.mean(self.missed):.1f}", f"{len(self.wrong):,}", wrong,
        )  # fmt: skip


def estimated(pages: Sequence[Sequence[bool]], depth: int) -> tuple[SiteEstimates, NDArray[np.float64]]:
    """Read each site up to its first hit, or to the depth; return the estimates and the hits."""
    stats = SiteStats.empty(len(pages))
    for site, shown in enumerate(pages):
        for hit in shown[:depth]:
            stats.add(site, 0.5, float(hit))
            if hit:
                break
    return estimate_sites(stats, np.full(len(pages), 0.5), np.array([0.5]), {}), stats.hits


def simulated(depth: int, repetitions: int) -> Checked:
    """Check sites whose share and rates are drawn at random."""
    rng, found = np.random.default_rng(depth), Checked()
    for _ in range(repetitions):
        share, rate, total = rng.uniform(0.02, 0.9), 10 ** rng.uniform(-1.6, -0.15), 10 ** rng.uniform(0, 0.8)
        hit, miss, sites = rate * total, (1 - rate) * total, int(rng.choice(SIMULATED))
        truth = rng.random(sites) < share
        rates = np.where(truth, rng.beta(hit, miss, sites), 0.0)
        estimates, hits = estimated((rng.random((sites, depth)) < rates[:, None]).tolist(), depth)
        found.add(estimates, hits, truth)
        if (without := np.flatnonzero(hits == 0)).size:
            unseen = exp(
                lgamma(miss + depth) - lgamma(hit + miss + depth) - lgamma(miss) + lgamma(hit + miss)
            )
            true = share * unseen / (share * unseen + 1 - share)
            found.chance.append(bool(estimates.low[without[0]] <= true <= estimates.high[without[0]]))
    return found


def recorded(sites: SiteWorld, depth: int, repetitions: int) -> Checked:
    """Check recorded sites, some of them at a time."""
    rng, found = np.random.default_rng(depth), Checked()
    shown = [[sites.holds[row] for row in rows] for rows in sites.order]
    for _ in range(repetitions):
        drawn = rng.choice(len(shown), DRAWN, replace=False)
        estimates, hits = estimated([shown[site] for site in drawn], depth)
        found.add(estimates, hits, sites.truth[drawn])
    return found


def rows(world: Path, repetitions: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table."""
    for depth in DEPTHS:
        yield simulated(depth, repetitions).row("simulated", depth)
    sites = SiteWorld(open_world(world), "keyword")
    for depth in DEPTHS:
        yield recorded(sites, depth, repetitions).row("recorded", depth)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=Path, default=os.environ.get("CLEW_WORLDS"))
    parser.add_argument("--repetitions", type=int, default=300)
    parser.add_argument("--dry", action="store_true", help="print the tables and write no file")
    options = parser.parse_args(arguments)
    columns = (
        "sites", "pages a site", "chance in its interval", "number in its interval", "expected without a hit",
        "true without a hit", "said not to hold it", "of them wrong",
    )  # fmt: skip
    table = Table(columns, tuple(rows(options.worlds / WORLD, options.repetitions)))
    publish({"sites-intervals": table}, "python -m bench.site_intervals", dry=options.dry,
            repetitions=options.repetitions)  # fmt: skip


if __name__ == "__main__":
    main()
