"""Race all policies on all topical tasks of a folder of worlds; write the data of docs/lab/results.md.

    python -m bench.lab_results --worlds FOLDER           (or CLEW_WORLDS=FOLDER make lab-results)

Runs are cached (see --keep): only those that are missing or whose code has changed are run. Caps are tried on
worlds with at least twenty hosts. Tasks flagged as saturated, or as not fit for headlines, are
measured, but left out of the sums. `--stem clew` writes the data of docs/lab/clew.md instead.
"""

import argparse
import os
import re
from dataclasses import replace
from pathlib import Path

from bench.clew_variants import LABELS
from bench.figures import options_of, publish, stacked, with_keys
from clew import registry
from clew.cli.lab_screen import RaceProgress
from clew.lab.catalogue import catalogue
from clew.lab.race import race
from clew.lab.race_summary import RaceSettings, RaceSummary, TaskStats
from clew.lab.standings import Pair, PolicyStanding, RaceCase, over_tasks, pairs_over_tasks, totals
from clew.lab.tables import markdown, measures_table, pairs_table, totals_table
from docs.figures import Table

CACHE = Path.home() / ".cache" / "clew-bench" / "lab"
EXCLUDED_FLAGS = ("saturated", "not for headline")
"""Words in the flags of a task that exclude it from the sums."""

MANY_HOSTS = 20
TASK_COLUMNS = ("world", "task", "pages", "hosts", "relevant", "reachable", "flags")
PAIR_COLUMNS = (
    "policy", "over", "difference", "tasks better", "tasks worse", "tasks", "p", "p, corrected",
)  # fmt: skip
COLUMNS = ("gain", "area", "found", "recall", "to_50", "to_90", "hosts", "auc", "cpu")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--worlds", type=Path, default=os.environ.get("CLEW_WORLDS"), help="the folder of worlds"
    )
    parser.add_argument("--policies", default=",".join(registry.names("ranker")))
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--caps", default="100,10,5", help="tried beside no cap at all")
    parser.add_argument("--cap-policies", default="", help="those that run under caps; all unless given")
    parser.add_argument("--judges", default="words,labels")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, default=CACHE, help="where races are cached")
    parser.add_argument("--stem", default="results", help="how the names of the data files begin")
    options = parser.parse_args()
    if not options.worlds:
        parser.error("give the folder of worlds: --worlds FOLDER, or the variable CLEW_WORLDS")
    listed = [
        world for world in catalogue(Path(options.worlds)) if any(kind == "topic" for *_, kind in world.tasks)
    ]
    topics = tuple(
        dict.fromkeys(name for world in listed for name, _, kind in world.tasks if kind == "topic")
    )
    base = RaceSettings(
        worlds=tuple(str(Path(options.worlds) / world.name) for world in listed),
        tasks=topics,
        policies=tuple(options.policies.split(",")),
        pages=options.pages,
        runs=options.runs,
    )
    wide = [world for world in listed if world.hosts >= MANY_HOSTS]
    caps = tuple(int(cap) for cap in options.caps.split(",") if cap.strip("0"))
    summaries = []
    for judge in options.judges.split(","):
        summaries.append(_raced(replace(base, judge=judge), options, f"{judge}"))
        if wide and caps and judge == options.judges.partition(",")[0]:
            narrow = replace(
                base,
                judge=judge,
                caps=caps,
                policies=tuple((options.cap_policies or options.policies).split(",")),
                worlds=tuple(str(Path(options.worlds) / world.name) for world in wide),
                tasks=tuple(name for world in wide for name, _, kind in world.tasks if kind == "topic"),
            )
            summaries.append(_raced(narrow, options, f"{judge}-caps"))
    chosen = ("stem", "policies", "pages", "runs", "caps", "cap_policies", "judges")
    command = f"python -m bench.lab_results --worlds FOLDER{options_of(parser, options, chosen)}"
    publish(
        tables(summaries, options.stem),
        command,
        pages=options.pages,
        runs=options.runs,
        tasks=counted(summaries[0]),
    )
    print(f"reports with curves are in {options.keep}")


def _raced(settings: RaceSettings, options: argparse.Namespace, name: str) -> RaceSummary:
    print(f"race {name}: {len(settings.tasks)} tasks, {len(settings.policies)} policies")
    folder = options.keep / f"{name}-{settings.pages}"
    with RaceProgress() as watch:
        return race(settings, folder, watch, jobs=options.jobs)


def tables(summaries: list[RaceSummary], stem: str) -> dict[str, Table]:
    """Return the data files: sums over tasks, all pairs of policies, every task, and what the tasks are."""
    sums, pairs, tasks, task_rows = [], [], [], {}
    for summary in summaries:
        judge = summary.settings.judge
        for cap in summary.settings.caps:
            areas = over_tasks(counted_cases(summary), cap)
            if areas:
                sums.append(labelled(with_keys(markdown(totals_table(totals(areas))), judge=judge, cap=cap)))
                pairs.append(with_keys(compared(pairs_over_tasks(areas)), judge=judge, cap=cap))
        for case, ranked in summary.cases.items():
            stats = summary.stats(case)
            shown = markdown(measures_table(ranked, stats.budget, COLUMNS))
            keys = {"judge": judge, "cap": case.cap, "world": case.world, "task": case.task}
            tasks.append(labelled(with_keys(shown, **keys)))
            task_rows[case.world, case.task] = described(case, stats)
    return {
        f"{stem}-totals": stacked(sums),
        f"{stem}-pairs": stacked(pairs),
        f"{stem}-tasks": stacked(tasks),
        "tasks": Table(TASK_COLUMNS, tuple(task_rows.values())),
    }


def counted_cases(summary: RaceSummary) -> dict[RaceCase, list[PolicyStanding]]:
    """Return the cases that count in sums."""
    return {case: ranked for case, ranked in summary.cases.items() if not is_excluded(summary.stats(case))}


def counted(summary: RaceSummary) -> int:
    """Return how many tasks a sum without caps is over."""
    return len(over_tasks(counted_cases(summary), 0).get("breadth", {}))


def described(case: RaceCase, stats: TaskStats) -> tuple[str, ...]:
    """Return the row of a task in the table of tasks."""
    counts = (stats.pages, stats.hosts, stats.relevant, max(stats.reachable))
    return (case.world, case.task, *map(str, counts), "; ".join(stats.flags))


def compared(pairs: list[Pair]) -> Table:
    """Return comparisons of policies, the clearest first."""
    rows = [
        (label(row[0].text.split(" over ")[0]), label(row[0].text.split(" over ")[1]), row[1].text,
         *re.findall(r"\d+", row[2].text), row[3].text, row[4].text)
        for row in pairs_table(pairs).rows
    ]  # fmt: skip
    return Table(PAIR_COLUMNS, tuple(rows))


def labelled(table: Table) -> Table:
    """Return a table with variants of clew under plain names."""
    return Table(table.columns, tuple(tuple(map(label, row)) for row in table.rows))


def label(name: str) -> str:
    """Return the plain name of a policy."""
    return LABELS.get(name.removeprefix("bench.clew_variants:"), name)


def is_excluded(stats: TaskStats) -> bool:
    """Tell whether a task is flagged so that it is not counted."""
    return any(word in flag for flag in stats.flags for word in EXCLUDED_FLAGS)


if __name__ == "__main__":
    main()
