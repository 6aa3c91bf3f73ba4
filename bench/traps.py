"""Crawl honest sites and traps together; count honest pages lost and requests to traps.

    python -m bench.traps [--policies breadth,clew] [--concurrency 1,4,16,64] [--part all|before|unseen|held-out|fresh] [--csv FILE]
    python -m bench.traps --endless [...]                   the traps that only a budget ends, instead of the others
    python -m bench.traps --worlds FOLDER [--csv FILE]      replay recorded worlds by breadth without a budget

The guard was made with the sites of `before`; those of `unseen` were written after it. `while open` are requests to
a trap before the last honest page was read, `beside` those before the last honest page that did not wait as suspect
itself. Endless chains and lists of fresh pages wait, but end only by budget: nothing but their length tells them from
a book and a catalogue, and they are read on in turn with honest sites that wait for the same reason.
"""

import argparse
import csv
from pathlib import Path

from bench.trap_fresh import PARTS
from bench.trap_honest import HONEST
from bench.trap_traps import TRAPS
from bench.trap_web import TrapWeb, crawl
from clew.lab import TrialSettings, open_world, run_on
from clew.types import Page

PER_TRAP = 200
"""Pages of the budget for each trap, beyond what the honest sites hold."""

ENDLESS = ("endless_chain", "made_up_goods", "translations")
"""Traps that nothing but their length tells from honest sites: a chain of fresh pages, a list of fresh pages, and
pages each of which eight others link to, as in a wiki."""

FIELDS = (
    "policy",
    "concurrency",
    "text",
    "part",
    "site",
    "kind",
    "pages",
    "lost",
    "while_open",
    "beside",
    "requests",
)


def names(part: str, every: list[str]) -> list[str]:
    """Return the sites of a part."""
    return [name for name in every if part in ("all", part_of(name))]


def part_of(name: str) -> str:
    """Return the part that a site belongs to."""
    return next(part for part, sites in PARTS.items() if name in sites)


def replay(folder: Path) -> list[tuple[object, ...]]:
    """Replay every recorded world with and without the guard, and compare what was read."""
    rows: list[tuple[object, ...]] = []
    for path in sorted(each.parent for each in folder.glob("*/tasks.json")):
        world = open_world(path)
        read = []
        for guarded in (True, False):
            settings = TrialSettings(pages=0, examples="none", traps=guarded)
            read.append(set(run_on(world, world.tasks[0], "breadth", settings).rows.tolist()))
        rows.append((path.name, len(read[1]), len(read[1] - read[0])))
        print(
            f"{path.name:16} {len(read[1]):6,} pages reachable, {len(read[1] - read[0]):4,} lost", flush=True
        )
    return rows


def measure(
    policy: str,
    concurrency: int,
    part: str,
    parsed: dict[int, Page],
    *,
    relevant: bool,
    endless: bool,
) -> list[tuple[object, ...]]:
    """Crawl one web; return a row for each site and print a line about all."""
    honest = {name: HONEST[name][2] for name in names(part, list(HONEST))}
    traps = [name for name in names(part, list(TRAPS)) if (name in ENDLESS) == endless]
    web = TrapWeb(honest, tuple(traps), relevant, parsed)
    held = {name: len(pages) for name, pages in web.reachable().items()}
    outcome = crawl(
        web, policy, concurrency, pages=sum(held.values()) + PER_TRAP * (len(web.traps) + len(web.mixed))
    )
    text = "relevant" if relevant else "plain"
    rows: list[tuple[object, ...]] = []
    for name, pages in held.items():
        rows.append((name, "honest", pages, outcome.lost.get(name, 0), "", "", outcome.requests[name]))
    for name in web.traps:
        kind = "endless" if name in ENDLESS else "trap"
        counts = (outcome.open_requests[name], outcome.beside[name], outcome.requests[name])
        rows.append((name, kind, "", "", *counts))
    told = outcome.beside if endless else outcome.open_requests
    worst = max(told, key=told.__getitem__)
    print(
        f"{policy:12} {concurrency:3} {text:8}: {sum(outcome.lost.values()):,} of {sum(held.values()):,} honest"
        f" pages lost; {sum(count > 150 for count in told.values())} of {len(told)} traps over 150"
        f" {'beside others' if endless else 'while open'}"
        f" (most: {worst} {told[worst]:,})",
        flush=True,
    )
    return [(policy, concurrency, text, part_of(str(row[0])), *row) for row in rows]


def main() -> None:
    """Run the bench and print one line a crawl."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policies", default="breadth,best-first,keyword,clew")
    parser.add_argument("--concurrency", default="1,4,16,64")
    parser.add_argument("--part", choices=("all", *PARTS), default="all")
    parser.add_argument("--text", choices=("both", "plain", "relevant"), default="both")
    parser.add_argument("--endless", action="store_true")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--worlds", type=Path)
    options = parser.parse_args()
    if options.worlds:
        rows = [("world", "reachable", "lost"), *replay(options.worlds)]
    else:
        rows = [FIELDS]
        for relevant in {"both": (False, True), "plain": (False,), "relevant": (True,)}[options.text]:
            parsed: dict[int, Page] = {}
            for policy in options.policies.split(","):
                for concurrency in map(int, options.concurrency.split(",")):
                    rows += measure(
                        policy, concurrency, options.part, parsed, relevant=relevant, endless=options.endless
                    )
                    if options.csv:
                        _write(options.csv, rows)
    if options.csv:
        _write(options.csv, rows)


def _write(path: Path, rows: list[tuple[object, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
