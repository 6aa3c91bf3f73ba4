"""Race all policies on all topical tasks of a folder of worlds; write the data of docs/lab/results.md.

    python -m bench.lab_results --worlds FOLDER           (or CLEW_WORLDS=FOLDER make lab-results)

Every run is kept (see --keep): started again, only what is missing or has changed is run. Caps are tried on
worlds with at least twenty hosts. Tasks whose makers flag them as saturated, or as not fit for headlines, are
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

KEPT = Path.home() / ".cache" / "clew-bench" / "lab"
DOUBTFUL = ("saturated", "not for headline")
"""Words in the flags of a task that keep it out of the sums."""

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
    parser.add_argument("--keep", type=Path, default=KEPT, help="where races are kept")
    parser.add_argument("--stem", default="results", help="how the names of the data files begin")
    asked = parser.parse_args()
    if not asked.worlds:
        parser.error("give the folder of worlds: --worlds FOLDER, or the variable CLEW_WORLDS")
    listed = [
        world for world in catalogue(Path(asked.worlds)) if any(kind == "topic" for *_, kind in world.tasks)
    ]
    topics = tuple(
        dict.fromkeys(name for world in listed for name, _, kind in world.tasks if kind == "topic")
    )
    base = RaceSettings(
        worlds=tuple(str(Path(asked.worlds) / world.name) for world in listed),
        tasks=topics,
        policies=tuple(asked.policies.split(",")),
        pages=asked.pages,
        runs=asked.runs,
    )
    wide = [world for world in listed if world.hosts >= MANY_HOSTS]
    caps = tuple(int(cap) for cap in asked.caps.split(",") if cap.strip("0"))
    accounts = []
    for judge in asked.judges.split(","):
        accounts.append(_raced(replace(base, judge=judge), asked, f"{judge}"))
        if wide and caps and judge == asked.judges.partition(",")[0]:
            narrow = replace(
                base,
                judge=judge,
                caps=caps,
                policies=tuple((asked.cap_policies or asked.policies).split(",")),
                worlds=tuple(str(Path(asked.worlds) / world.name) for world in wide),
                tasks=tuple(name for world in wide for name, _, kind in world.tasks if kind == "topic"),
            )
            accounts.append(_raced(narrow, asked, f"{judge}-caps"))
    chosen = ("stem", "policies", "pages", "runs", "caps", "cap_policies", "judges")
    command = f"python -m bench.lab_results --worlds FOLDER{options_of(parser, asked, chosen)}"
    publish(
        tables(accounts, asked.stem), command, pages=asked.pages, runs=asked.runs, tasks=counted(accounts[0])
    )
    print(f"reports with curves lie in {asked.keep}")


def _raced(settings: RaceSettings, asked: argparse.Namespace, name: str) -> RaceSummary:
    print(f"race {name}: {len(settings.tasks)} tasks, {len(settings.policies)} policies")
    folder = asked.keep / f"{name}-{settings.pages}"
    with RaceProgress() as watch:
        return race(settings, folder, watch, jobs=asked.jobs)


def tables(accounts: list[RaceSummary], stem: str) -> dict[str, Table]:
    """Return the data files: sums over tasks, all pairs of policies, every task, and what the tasks are."""
    sums, pairs, tasks, courses = [], [], [], {}
    for account in accounts:
        judge = account.settings.judge
        for cap in account.settings.caps:
            reached = over_tasks(sure(account), cap)
            if reached:
                sums.append(
                    labelled(with_keys(markdown(totals_table(totals(reached))), judge=judge, cap=cap))
                )
                pairs.append(with_keys(compared(pairs_over_tasks(reached)), judge=judge, cap=cap))
        for heat, ranked in account.cases.items():
            course = account.stats(heat)
            shown = markdown(measures_table(ranked, course.budget, COLUMNS))
            keys = {"judge": judge, "cap": heat.cap, "world": heat.world, "task": heat.task}
            tasks.append(labelled(with_keys(shown, **keys)))
            courses[heat.world, heat.task] = described(heat, course)
    return {
        f"{stem}-totals": stacked(sums),
        f"{stem}-pairs": stacked(pairs),
        f"{stem}-tasks": stacked(tasks),
        "tasks": Table(TASK_COLUMNS, tuple(courses.values())),
    }


def sure(account: RaceSummary) -> dict[RaceCase, list[PolicyStanding]]:
    """Return the tasks that count in sums."""
    return {heat: ranked for heat, ranked in account.cases.items() if not doubtful(account.stats(heat))}


def counted(account: RaceSummary) -> int:
    """Return how many tasks a sum without caps is over."""
    return len(over_tasks(sure(account), 0).get("breadth", {}))


def described(heat: RaceCase, course: TaskStats) -> tuple[str, ...]:
    """Return the row of a task in the table of tasks."""
    counts = (course.pages, course.hosts, course.relevant, max(course.reachable))
    return (heat.world, heat.task, *map(str, counts), "; ".join(course.flags))


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


def doubtful(course: TaskStats) -> bool:
    """Tell whether the makers of a task flag it so that it should not count."""
    return any(word in flag for flag in course.flags for word in DOUBTFUL)


if __name__ == "__main__":
    main()
