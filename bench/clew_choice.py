"""Choose a policy without the world it is tested on, from cached races, and write the data of docs/lab/clew.md.

    python -m bench.lab_results --keep FOLDER …        (first: the races themselves)
    python -m bench.clew_choice --keep FOLDER [--judges auto,labels] [--pages 600] [--among clew,bench.clew_variants:Seldom]

For every world in turn the candidate is taken that has the largest mean normalised area over the tasks of all *other*
worlds and all judges; its area on the world left out is the result. *clew* is the policy as
it ships, *hindsight* the candidate that is best on the world itself, which cannot be known in advance. The rivals are chosen in
the same way among themselves. A difference between the first two columns that is smaller than the interval says that the
choice does not matter, one to the third that it could not be made.

Two more tables show the first harvest of the policies (relevant pages after 100 fetches, 0 as breadth-first, 1 as the oracle), and
on which tasks a rival led *clew* by more than `MIN_LEAD`.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.figures import publish, stacked
from bench.lab_results import CACHE, is_excluded, label
from clew.lab.measures import between, stretched
from clew.lab.race import read_race
from clew.lab.standings import CEILING, FLOOR, PolicyStanding, RaceCase, over_tasks
from clew.lab.statistics import interval
from clew.lab.tables import Cell, ReportTable, markdown, written
from docs.figures import from_markdown

SHIPPED = "clew"
EARLY = 100
MIN_LEAD = 0.05
COLUMNS = (
    ("world left out", "no task of it was looked at for the choice"),
    ("chosen without it", "clew or one of its variants"),
    ("clew as it ships", ""),
    ("best rival, chosen without it", ""),
    ("best in hindsight", "of clew and its variants, on this world"),
)

Scores = dict[str, dict[tuple[str, str, str], float]]
"""For each policy the normalised area of each judge, world and task."""

Measured = Callable[[dict[RaceCase, list[PolicyStanding]], int], dict[str, dict[RaceCase, float]]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", type=Path, default=CACHE, help="where races are cached")
    parser.add_argument("--judges", default="auto,labels")
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--among", default="", help="the candidates; clew and its variants unless given")
    options = parser.parse_args()
    scores = read(options.keep, options.judges.split(","), options.pages)
    ours = options.among.split(",") if options.among else [name for name in scores if _ours(name)]
    theirs = [name for name in scores if not _ours(name) and name not in ("breadth", "oracle")]
    print(f"{len(ours)} candidates, {len(theirs)} rivals, {len(scores[SHIPPED])} tasks and judges\n")
    choice = markdown(table(scores, ours, theirs))
    start = markdown(starts(read(options.keep, options.judges.split(","), options.pages, early)))
    losses = markdown(lost(scores, theirs))
    print(f"{choice}\n{start}\n{losses}")
    head, rule, *worlds, mean = choice.strip().splitlines()  # the last row has intervals, the others names
    parts = [from_markdown("\n".join([head, rule, *rows])) for rows in (worlds, [mean])]
    publish(
        {"clew-choice": stacked(parts), "clew-start": start, "clew-lost": losses},
        "python -m bench.clew_choice",
        pages=options.pages,
    )


def _ours(name: str) -> bool:
    return name == SHIPPED or "clew_variants" in name


def read(keep: Path, judges: list[str], pages: int, measure: Measured = over_tasks) -> Scores:
    """Return what every policy reached where all of them ran; flagged tasks are left out."""
    scores: Scores = {}
    for judge in judges:
        summary = read_race(keep / f"{judge}-{pages}")
        cases = {
            case: ranked for case, ranked in summary.cases.items() if not is_excluded(summary.stats(case))
        }
        for policy, reached in measure(cases, 0).items():
            areas = scores.setdefault(policy, {})
            areas.update({(judge, case.world, case.task): area for case, area in reached.items()})
    most = max(map(len, scores.values()))
    return {policy: reached for policy, reached in scores.items() if len(reached) == most}


def early(cases: dict[RaceCase, list[PolicyStanding]], cap: int) -> dict[str, dict[RaceCase, float]]:
    """Return the relevant pages of each policy after the first fetches, between breadth-first and oracle."""
    table: dict[str, dict[RaceCase, float]] = {}
    for case, ranked in cases.items():
        if case.cap != cap:
            continue
        found = {
            each.policy: float(np.mean([stretched(run.curve, EARLY)[EARLY] for run in each.results]))
            for each in ranked
        }
        if found[CEILING] > found[FLOOR]:
            for policy, reached in found.items():
                table.setdefault(policy, {})[case] = between(reached, found[FLOOR], found[CEILING])
    return table


def starts(scores: Scores) -> ReportTable:
    """Return the first harvest of all policies, the best first."""
    means = {name: interval(list(reached.values())) for name, reached in scores.items() if name != CEILING}
    ranked = sorted(means, key=lambda name: -means[name].mean)
    columns = (("policy", ""), (f"relevant after {EARLY} fetches, 0 to 1", ""))
    return ReportTable(columns, tuple((Cell(_short(name)), Cell(written(means[name], 3))) for name in ranked))


def lost(scores: Scores, theirs: list[str]) -> ReportTable:
    """Return the tasks on which a rival led clew by more than `MIN_LEAD`."""
    rows = []
    for case, ours in scores[SHIPPED].items():
        best = max(theirs, key=lambda name: scores[name][case])
        if scores[best][case] > ours + MIN_LEAD:
            judge, world, task = case
            rows.append((judge, world, task, f"{ours:.3f}", f"{scores[best][case]:.3f} ({_short(best)})"))
    columns = tuple((name, "") for name in ("judge", "world", "task", "clew", "best rival"))
    return ReportTable(columns, tuple(tuple(Cell(text) for text in row) for row in rows))


def chosen(scores: Scores, names: list[str], world: str) -> str:
    """Return the policy that is best on the average of all other worlds' tasks."""

    def elsewhere(name: str) -> float:
        return float(np.mean([area for (_, other, _), area in scores[name].items() if other != world]))

    return max(names, key=elsewhere)


def table(scores: Scores, ours: list[str], theirs: list[str]) -> ReportTable:
    """Return a row for each world left out, and their mean over tasks with its interval."""
    rows: list[tuple[str, ...]] = []
    areas_by_role = {name: list[float]() for name in ("choice", "clew", "rival", "hindsight")}
    for world in sorted({world for _, world, _ in scores[SHIPPED]}):
        areas_here = {
            name: [area for (_, other, _), area in reached.items() if other == world]
            for name, reached in scores.items()
        }
        chosen_names = {
            "choice": chosen(scores, ours, world),
            "clew": SHIPPED,
            "rival": chosen(scores, theirs, world),
            "hindsight": max(ours, key=lambda name: float(np.mean(areas_here[name]))),
        }
        for role, name in chosen_names.items():
            areas_by_role[role] += areas_here[name]
        rows.append(
            (world, *(f"{np.mean(areas_here[name]):.3f} ({_short(name)})" for name in chosen_names.values()))
        )
    rows.append(("all tasks", *(written(interval(areas), 3) for areas in areas_by_role.values())))
    return ReportTable(COLUMNS, tuple(tuple(Cell(text) for text in row) for row in rows))


def _short(name: str) -> str:
    return label(name)


if __name__ == "__main__":
    main()
