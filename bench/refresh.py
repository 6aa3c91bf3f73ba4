"""Refreshes on the synthetic web over time: who finds most that is new; write the data of docs/lab/refresh.md.

    python -m bench.refresh [--requests 50,75,100]

A collection of hosts on a topic is crawled at day 0 and refreshed every week with the same number of requests:
the first of the numbers has tables of its own, all are compared. Constants were chosen on seeds above 100; those
here were not looked at before.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np

from bench.figures import options_of, publish
from clew.lab.refresh_trial import PLANNERS, RefreshSettings, RefreshTrial
from docs.figures import Table

TOPICS = ("museums", "coasts", "lighthouses", "castles", "sailing", "railways")
"""Topics of the webs, by turns."""

Found: TypeAlias = dict[str, list[tuple[int, int, float, int]]]
"""By planner, after each round: pages found, pages there, the share that is fresh, requests."""

NAMES = {
    "clew": "clew refresh",
    "uniform": "uniform",
    "oldest": "oldest first",
    "informed": "knows the rates",
    "oracle": "oracle",
}


def measure(seed: int, budgets: list[int], rounds: int) -> list[Found]:
    """Return for each budget what every plan found after each round, on a web that is crawled once."""
    topic, found = TOPICS[seed % len(TOPICS)], []
    with TemporaryDirectory(prefix="clew-refresh-") as folder:
        settings = RefreshSettings(seed=seed, topic=topic, requests=budgets[0], rounds=rounds)
        trial = RefreshTrial(settings, Path(folder))
        trial.crawl()
        for requests in budgets:
            trial.settings = replace(settings, requests=requests)
            found.append({
                name: [(each.found, each.there, each.fresh, each.requests) for each in trial.run(name)]
                for name in PLANNERS
            })  # fmt: skip
            print(json.dumps({"seed": seed, "topic": topic, "requests": requests, **found[-1]}), flush=True)
    return found


def compared(runs: list[list[Found]], budgets: list[int]) -> Table:
    """Return what all plans found by budget, and the product beside uniform visits and the oracle."""
    rows = []
    for at, requests in enumerate(budgets):
        total = {name: sum(run[at][name][-1][0] for run in runs) for name in PLANNERS}
        rows.append((
            str(requests), *(f"{total[name] / len(runs):.1f}" for name in PLANNERS),
            f"{total['clew'] / max(1, total['uniform']):.2f}", f"{total['clew'] / max(1, total['oracle']):.2f}",
        ))  # fmt: skip
    columns = ("requests", *(NAMES[name] for name in PLANNERS), "times uniform", "of the oracle")
    return Table(columns, tuple(rows))


def tables(runs: list[Found], seeds: list[int]) -> dict[str, Table]:
    """Return the means over webs with their spread, and each web."""
    summary, each = [], []
    for name in PLANNERS:
        found = np.array([run[name][-1][0] for run in runs], float)
        over_time = np.array([np.mean([row[0] for row in run[name]]) for run in runs])
        oracle = np.array([run["oracle"][-1][0] for run in runs], float)
        informed = np.array([run["informed"][-1][0] for run in runs], float)
        chance = np.array([run["uniform"][-1][0] for run in runs], float)
        fresh = np.array([np.mean([row[2] for row in run[name]]) for run in runs])
        requests = np.mean([run[name][-1][3] for run in runs])
        spread = found.std(ddof=1) if len(found) > 1 else 0.0
        summary.append((
            NAMES[name], f"{found.mean():.1f}", f"{spread:.1f}", f"{over_time.mean():.1f}",
            f"{found.sum() / max(1, chance.sum()):.2f}", f"{found.sum() / max(1, informed.sum()):.2f}",
            f"{found.sum() / max(1, oracle.sum()):.2f}",
            f"{fresh.mean():.3f}", f"{requests:.0f}",
        ))  # fmt: skip
        each += [
            (str(seed), NAMES[name], str(run[name][-1][0]), str(run[name][-1][1]), f"{run[name][-1][2]:.3f}")
            for seed, run in zip(seeds, runs, strict=True)
        ]
    columns = (
        "plan", "new relevant pages found", "standard deviation", "mean over the weeks", "times uniform",
        "of known rates", "of the oracle", "fresh", "requests",
    )  # fmt: skip
    return {
        "refresh": Table(columns, tuple(summary)),
        "refresh-webs": Table(("web", "plan", "found", "there", "fresh"), tuple(each)),
    }


def main() -> None:
    """Run all webs, two at a time, and publish."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="1,2,3,4,5,6,7,8,9,10,11,12", help="webs")
    parser.add_argument(
        "--requests", default="50,75,100", help="requests of each refresh, the usual number first"
    )
    parser.add_argument("--rounds", type=int, default=8, help="refreshes, one a week")
    parser.add_argument("--dry", action="store_true", help="print, and write nothing")
    options = parser.parse_args()
    seeds, budgets = ([int(each) for each in text.split(",")] for text in (options.seeds, options.requests))
    with ProcessPoolExecutor(2) as pool:
        count = len(seeds)
        runs = list(pool.map(measure, seeds, [budgets] * count, [options.rounds] * count))
    given = options_of(parser, options, ("seeds", "requests", "rounds"))
    made = tables([run[0] for run in runs], seeds) | {"refresh-budgets": compared(runs, budgets)}
    publish(
        made, f"python -m bench.refresh{given}", dry=options.dry,
        webs=len(seeds), requests=budgets[0], rounds=options.rounds,
    )  # fmt: skip


if __name__ == "__main__":
    main()
