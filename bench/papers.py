"""Two of the papers' experiments in small; write the data of docs/papers.md.

    clew lab race WORLD --policies reseed,keyword --search 0.3 --judge bayes --labelled 50,500 --out race
    python -m bench.papers --race race

The first table is read from the folder of the race: correct pages by policy and topic, as in Figure 5 of the
search-engine paper. The second is simulated here: sites with random Beta distributions, as in the sites paper,
explored by δ as it is proved in the appendix, as it is printed in (8) to (10), and at random.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path
from statistics import mean

import numpy as np

from bench.figures import publish
from clew.domain.sites.explorers import make_explorer
from clew.domain.sites.site_stats import SiteStats, pool_stats
from docs.figures import Table

EXPLORERS = ("delta", "delta-sample", "delta-literal", "gain", "random")
SITES = 1_000
POINTS = (2_000, 5_000, 10_000, 20_000)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--race", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    command = "python -m bench.papers --race DIR"
    publish({"papers-search": figure_5(options.race)}, command)
    publish({"papers-delta": simulated(options.runs)}, command, runs=options.runs, sites=SITES)


def figure_5(race):
    """Return the mean number of correct pages of each policy, task by task."""
    found = defaultdict(list)
    with (race / "results.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[row["world"], row["task"], row["policy"]].append(float(row["found"]))
    rows = [(*key, f"{mean(values):.0f}") for key, values in found.items()]
    return Table(("world", "task", "policy", "correct pages"), tuple(rows))


def simulated(runs):
    """Return the accuracy of verdicts by explorer, after so many samples in all."""
    rows = []
    for name in EXPLORERS:
        curves = [accuracy(name, seed) for seed in range(runs)]
        rows.append((name, *(f"{np.mean([curve[at] for curve in curves]):.3f}" for at in range(len(POINTS)))))
    return Table(("explorer", *(f"{point:,} samples" for point in POINTS)), tuple(rows))


def accuracy(name, seed):
    """Explore sites with random Beta distributions; return the share of right verdicts at each point."""
    rng = np.random.default_rng(seed)
    alpha, beta = rng.uniform(0.1, 10, SITES), rng.uniform(0.1, 10, SITES)
    truth = alpha / (alpha + beta) >= 0.5
    explorer, stats = make_explorer(name), SiteStats.empty(SITES)
    if name == "gain":
        explorer = type(explorer)(use_hits=False)
    for row in range(SITES):
        stats.add(row, rng.beta(alpha[row], beta[row]), 0.0)
    pool = pool_stats(stats)
    values = explorer.values(stats, pool, rng)
    found = []
    for taken in range(SITES, POINTS[-1]):
        if taken in POINTS:
            found.append(float(((explorer.estimate(stats, pool) >= 0.5) == truth).mean()))
            pool = pool_stats(stats)
            values = explorer.values(stats, pool, rng)
        row = int(rng.integers(SITES)) if explorer.random_share == 1 else int(values.argmax())
        stats.add(row, rng.beta(alpha[row], beta[row]), 0.0)
        values[row] = explorer.values(stats.at(np.array([row])), pool, rng)[0]
    found.append(float(((explorer.estimate(stats, pool) >= 0.5) == truth).mean()))
    return found


if __name__ == "__main__":
    main()
