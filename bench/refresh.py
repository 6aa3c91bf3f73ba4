"""Refreshes on the synthetic web over time: who finds most that is new; write the data of docs/lab/refresh.md.

    python -m bench.refresh

A collection of hosts on a topic is crawled at day 0 and refreshed every week with the same number of requests.
Constants were chosen on seed 101; the seeds here were not looked at before.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.figures import options_of, publish
from clew.lab.refresh_trial import PLANNERS, RefreshSettings, RefreshTrial
from docs.figures import Table

TOPICS = ("museums", "coasts", "lighthouses", "castles", "sailing", "railways")
"""Topics of the webs, by turns."""

NAMES = {
    "clew": "clew refresh",
    "uniform": "uniform",
    "oldest": "oldest first",
    "informed": "knows the rates",
    "oracle": "oracle",
}


def measure(seed: int, requests: int, rounds: int) -> dict[str, list[tuple[int, int, float, int]]]:
    """Return for each planner what was found after each round."""
    topic = TOPICS[seed % len(TOPICS)]
    settings = RefreshSettings(seed=seed, topic=topic, requests=requests, rounds=rounds)
    with TemporaryDirectory(prefix="clew-refresh-") as folder:
        trial = RefreshTrial(settings, Path(folder))
        trial.crawl()
        found = {
            name: [(each.found, each.there, each.fresh, each.requests) for each in trial.run(name)]
            for name in PLANNERS
        }
    print(json.dumps({"seed": seed, "topic": topic, **found}), flush=True)
    return found


def tables(runs: list[dict[str, list[tuple[int, int, float, int]]]], seeds: list[int]) -> dict[str, Table]:
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
    parser.add_argument("--seeds", default="1,2,3,4,5,6", help="webs")
    parser.add_argument("--requests", type=int, default=50, help="requests of each refresh")
    parser.add_argument("--rounds", type=int, default=8, help="refreshes, one a week")
    parser.add_argument("--dry", action="store_true", help="print, and write nothing")
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.seeds.split(",")]
    with ProcessPoolExecutor(2) as pool:
        runs = list(
            pool.map(measure, seeds, *([value] * len(seeds) for value in (options.requests, options.rounds)))
        )
    given = options_of(parser, options, ("seeds", "requests", "rounds"))
    publish(
        tables(runs, seeds), f"python -m bench.refresh{given}", dry=options.dry,
        webs=len(seeds), requests=options.requests, rounds=options.rounds,
    )  # fmt: skip


if __name__ == "__main__":
    main()
