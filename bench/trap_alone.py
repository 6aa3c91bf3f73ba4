"""Crawl each site of the trap bench alone: honest pages lost, and the requests that it took.

    python -m bench.trap_alone [--policies breadth,clew] [--concurrency 4] [--part fresh] [--sites a,b] [--csv FILE]

Of an honest site *lost* are the pages never read within a budget of `BUDGET` requests for each of its pages; of a
trap *requests* are those that it got beside an honest site with as many pages as the budget has for it.
"""

import argparse
import csv
from pathlib import Path

from bench.trap_fresh import PARTS
from bench.trap_honest import HONEST
from bench.trap_traps import TRAPS
from bench.trap_web import Outcome, TrapWeb, crawl
from bench.traps import ENDLESS, part_of

BUDGET = 12
"""Pages of the budget for each honest page: a site of a common program has about ten views of every page."""

BESIDE = "wiki"
TRAP_PAGES = 1_500
FIELDS = ("policy", "concurrency", "text", "part", "site", "kind", "pages", "lost", "requests", "ended")


def measure(name: str, policy: str, concurrency: int, *, relevant: bool) -> tuple[object, ...]:
    """Crawl one site; return its row."""
    text = "relevant" if relevant else "plain"
    if name in HONEST:
        web = TrapWeb({name: HONEST[name][2]}, (), relevant)
        held = len(web.reachable()[name])
        outcome = crawl(web, policy, concurrency, pages=BUDGET * held)
        kind, counts = "honest", (held, outcome.lost.get(name, 0), outcome.requests[name])
    else:
        web = TrapWeb({BESIDE: HONEST[BESIDE][2]}, (name,), relevant)
        outcome = crawl(web, policy, concurrency, pages=TRAP_PAGES)
        kind = "endless" if name in ENDLESS else "trap"
        counts = (0, sum(outcome.lost.values()), outcome.open_requests[name])
    return (policy, concurrency, text, part_of(name), name, kind, *counts, _ended(outcome))


def _ended(outcome: Outcome) -> str:
    return "end" if outcome.ended == "nothing is left to fetch" else "budget"


def main() -> None:
    """Crawl every site alone and print a line about each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policies", default="breadth,clew")
    parser.add_argument("--concurrency", default="4")
    parser.add_argument("--part", choices=("all", *PARTS), default="fresh")
    parser.add_argument("--kind", choices=("both", "honest", "traps"), default="both")
    parser.add_argument("--sites", default="")
    parser.add_argument("--text", choices=("both", "plain", "relevant"), default="plain")
    parser.add_argument("--csv", type=Path)
    asked = parser.parse_args()
    every = {"both": [*HONEST, *TRAPS], "honest": [*HONEST], "traps": [*TRAPS]}[asked.kind]
    wanted = asked.sites.split(",") if asked.sites else every
    sites = [name for name in every if name in wanted and asked.part in ("all", part_of(name))]
    rows: list[tuple[object, ...]] = [FIELDS]
    for relevant in {"both": (False, True), "plain": (False,), "relevant": (True,)}[asked.text]:
        for policy in asked.policies.split(","):
            for concurrency in map(int, asked.concurrency.split(",")):
                for name in sites:
                    row = measure(name, policy, concurrency, relevant=relevant)
                    rows.append(row)
                    print(
                        f"{policy:10} {concurrency:3} {row[2]:8} {name:22} {row[5]:8} {row[7]:6,} of {row[6]:6,} lost,"
                        f" {row[8]:6,} requests, {row[9]}",
                        flush=True,
                    )
                    if asked.csv:
                        with asked.csv.open("w", newline="") as file:
                            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
