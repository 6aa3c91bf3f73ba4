"""Race all policies on all topical tasks of a folder of worlds, and write docs/lab/results.md.

    python -m bench.lab_results --worlds FOLDER           (or CLEW_WORLDS=FOLDER make lab-results)

Every run is kept (see --keep): started again, only what is missing or has changed is run. Caps are tried on
worlds with at least twenty hosts. Tasks whose makers flag them as saturated, or as not fit for headlines, are
shown, but left out of the sums. What surprised us stands in lab_results_remarks.md and is put before the tables.
"""

import argparse
import os
import platform
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from clew import registry
from clew.cli.lab_screen import RaceProgress
from clew.lab.catalogue import catalogue
from clew.lab.race import race
from clew.lab.race_summary import Course, RaceSummary, Settings
from clew.lab.standings import over_tasks, pairs_over_tasks, totals
from clew.lab.tables import markdown, measures_table, pairs_table, totals_table
from clew.version import __version__

KEPT = Path.home() / ".cache" / "clew-bench" / "lab"
TARGET = Path("docs/lab/results.md")
REMARKS = Path(__file__).parent / "lab_results_remarks.md"
"""What people made of the figures: written by hand, put before them."""

DOUBTFUL = ("saturated", "not for headline")
"""Words in the flags of a task that keep it out of the sums."""

MANY_HOSTS = 20
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
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument("--title", default="Results of the lab")
    parser.add_argument("--remarks", type=Path, default=REMARKS, help="what people made of the figures")
    asked = parser.parse_args()
    if not asked.worlds:
        parser.error("give the folder of worlds: --worlds FOLDER, or the variable CLEW_WORLDS")
    listed = [
        world for world in catalogue(Path(asked.worlds)) if any(kind == "topic" for *_, kind in world.tasks)
    ]
    topics = tuple(
        dict.fromkeys(name for world in listed for name, _, kind in world.tasks if kind == "topic")
    )
    base = Settings(
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
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(written(accounts, asked.title, asked.remarks), "utf-8")
    print(f"{asked.out} is written; reports with curves lie in {asked.keep}")


def _raced(settings: Settings, asked: argparse.Namespace, name: str) -> RaceSummary:
    print(f"race {name}: {len(settings.tasks)} tasks, {len(settings.policies)} policies")
    folder = asked.keep / f"{name}-{settings.pages}"
    with RaceProgress() as watch:
        return race(settings, folder, watch, jobs=asked.jobs)


def written(accounts: list[RaceSummary], title: str, remarks: Path) -> str:
    """Return the page: sums first, then a table for every task."""
    settings = accounts[0].settings
    asked = f"{settings.pages:,} fetches a run, {settings.runs} run{'s' * (settings.runs > 1)} each"
    made = f"clew {__version__}, {datetime.now(UTC):%Y-%m-%d}, {platform.machine()}"
    parts = [
        f"# {title}\n",
        "<!-- made by `python -m bench.lab_results`: do not edit by hand -->\n",
        f"All policies on all topical tasks, {asked}; {made}. [What the numbers mean](../lab.md).",
        "Mean ± 95 % interval. Normalised area: 0 is breadth-first, 1 the oracle, which knows every link and",
        "label. The best policy is in bold.\n",
    ]
    if remarks.exists():
        parts += [remarks.read_text("utf-8")]
    for account in accounts:
        parts += _sums(account)
    for account in accounts:
        parts += _tasks(account)
    return "\n".join(parts)


def _sums(account: RaceSummary) -> list[str]:
    parts = []
    for cap in account.settings.caps:
        sure = {heat: ranked for heat, ranked in account.heats.items() if not doubtful(account.course(heat))}
        table = over_tasks(sure, cap)
        if not table:
            continue
        parts.append(f"## Over tasks{_limit(cap)}, judge {account.settings.judge}\n")
        parts.append(
            f"{account.settings.judged()} {len(table.get('breadth', {}))} tasks; intervals are over tasks.\n"
        )
        parts.append(markdown(totals_table(totals(table))))
        clear = [pair for pair in pairs_over_tasks(table) if pair.corrected < 0.05]
        if clear:
            parts.append("More than luck (sign-flip test over tasks, corrected after Holm over all pairs):\n")
            parts.append(markdown(pairs_table(clear)))
    return parts


def doubtful(course: Course) -> bool:
    """Tell whether the makers of a task flag it so that it should not count."""
    return any(word in flag for flag in course.flags for word in DOUBTFUL)


def _tasks(account: RaceSummary) -> list[str]:
    parts = []
    for heat, ranked in account.heats.items():
        course = account.course(heat)
        parts.append(f"### {heat.title()}, judge {account.settings.judge}\n")
        parts.append(f"{course.sentence()}.\n")
        parts.append(markdown(measures_table(ranked, course.budget, COLUMNS)))
    return parts


def _limit(cap: int) -> str:
    return f", at most {cap} pages a host" if cap else ""


if __name__ == "__main__":
    main()
