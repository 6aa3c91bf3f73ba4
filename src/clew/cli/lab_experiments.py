"""The experiments of the papers as commands: `clew lab layout` and `clew lab sites`."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import typer

from clew.cli import screen
from clew.domain.sites.explorers import ErrorReduction, Explorer, make_explorer
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.lab.experiment_files import (
    ExperimentFigure,
    ExperimentFiles,
    ExperimentTable,
    make_results_folder,
)
from clew.lab.layout_experiment import (
    PARTS,
    STARTS,
    LayoutExperiment,
    efficiency_rows,
    paper_task,
    usual_judge,
)
from clew.lab.sites_experiment import (
    LabelledSites,
    SitesResult,
    labelled_sites,
    large_experiment,
    small_experiment,
)
from clew.lab.sites_simulation import MEASURES, Floats, SimulatedSites, explore
from clew.lab.world import open_world

REPETITIONS = 10
"""Simulations, as many as the paper mentions."""

SIMULATED_SITES = 1_000
MULTIPLES = (1, 2, 3, 5, 10, 20)
"""Pages read, in pages a site, of the tables."""

FEW_SITES = 200
"""Below so many sites each is explored by a classifier that learned from the others."""


def layout(world: str, task: str, judge: str, pages: int, training_pages: int, out: Path) -> None:
    """Repeat the experiment on positions of links, print its tables, and write all of it to a folder."""
    make_results_folder(out)
    opened = open_world(world)
    chosen = paper_task(opened, task)
    experiment = LayoutExperiment(
        opened, chosen, judge or usual_judge(opened), pages, training_pages or pages // 2, _say
    )
    _interruptible(experiment.run)
    _finish(_layout_files(experiment), out)


def _layout_files(experiment: LayoutExperiment) -> ExperimentFiles:
    where = printable(f"{experiment.world.name}, {experiment.task.name}")
    trees = [
        (tree.name, tree.attributes, f"{tree.links:,}", str(tree.splits), f"{tree.accuracy:.3f}")
        for tree in experiment.trees
    ]
    correlations = [
        (each.start, each.axis, f"{each.links:,}", _correlation(each.value))
        for each in experiment.correlations
    ]
    after = tuple(f"after {round(experiment.pages * part):,}" for part in PARTS)
    rows = efficiency_rows(experiment.curves, experiment.pages)
    files = ExperimentFiles(
        [
            ExperimentTable(
                "trees", f"Accuracy on the links they learned from, {where} (Table 1.1)",
                ("tree", "attributes", "links", "splits", "accuracy"), trees,
            ),
            ExperimentTable(
                "correlations", "Counted position and shown position of links (Figure 3)",
                ("start", "axis", "links", "correlation"), correlations,
            ),
            ExperimentTable(
                "efficiency", "Share of fetched pages that are relevant (Tables 2.1 and 2.2)",
                ("start", "crawler", *after), rows,
            ),
        ]
    )  # fmt: skip
    x = np.arange(1, experiment.pages + 1, max(1, experiment.pages // 200))
    for start in STARTS:
        curves = {
            each.crawler: np.array([[each.at(int(at)) for at in x]])
            for each in experiment.curves
            if each.start == start
        }
        title = f"{where}: crawlers from start {start} (Figure 4)"
        files.figures.append(
            ExperimentFigure(
                f"start-{start}", title, "fetched pages that are relevant", x.astype(float), curves
            )
        )
    return files


def _correlation(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def sites(world: str, training: str, explorers: str, pages_per_site: int, seed: int, out: Path) -> None:
    """Repeat simulation and experiment on sites, print the tables, and write all of it to a folder."""
    make_results_folder(out)
    names = tuple(name.strip() for name in explorers.split(",") if name.strip())
    for name in names:
        make_explorer(name)
    files = ExperimentFiles()

    labelled = labelled_sites(open_world(world), seed)
    points = _points(_explored_sites(labelled, training), pages_per_site)

    def run() -> None:
        _simulate(names, pages_per_site, files)
        if len(labelled.sites) < FEW_SITES:
            result = small_experiment(labelled, names, points, _say)
        else:
            result = large_experiment(labelled, _sizes(training), names, points, _say)
        _add_real(files, world, result, points)

    _interruptible(run)
    _finish(files, out)


def _points(sites: int, pages_per_site: int) -> list[int]:
    """Return the numbers of pages at which verdicts are measured: a page a site first, then ever fewer."""
    steps = [1, 1.25, 1.5, 1.75, *np.arange(2, 6, 0.5).tolist(), *range(6, pages_per_site + 1)]
    return sorted({round(step * sites) for step in steps if step <= pages_per_site})


def _explored_sites(labelled: LabelledSites, training: str) -> int:
    return len(labelled.sites) if len(labelled.sites) < FEW_SITES else _sizes(training)[2]


def _sizes(text: str) -> tuple[int, int, int]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not all(part.isdigit() and int(part) for part in parts):  # noqa: PLR2004
        msg = (
            f"--sizes {text!r}: write three numbers of sites: to train on, to check, to explore: 800,200,1000"
        )
        raise ConfigError(msg)
    train, check, test = map(int, parts)
    return train, check, test


def _simulate(names: tuple[str, ...], pages_per_site: int, files: ExperimentFiles) -> None:
    simulated = SimulatedSites((0.0, 1.0), REPETITIONS, SIMULATED_SITES, 7)
    points = _points(SIMULATED_SITES, pages_per_site)
    found: dict[str, Floats] = {}
    for name in names:
        explorer: Explorer = ErrorReduction(use_hits=False) if name == "gain" else make_explorer(name)
        measures, _ = explore(simulated, explorer, points[-1], points, 11)
        found[name] = np.moveaxis(measures, 1, 0)
        _say(f"simulation, {name}: recall {found[name][:, -1, 2].mean():.3f} after {points[-1]:,} pages")
    _add_measures(files, "simulation", "simulated sites", found, points, SIMULATED_SITES, first_figure=1)


def _add_real(files: ExperimentFiles, world: str, result: SitesResult, points: list[int]) -> None:
    rows = [
        (each.model, f"{each.sites:,}", f"{each.accuracy:.3f}", f"{each.precision:.3f}", f"{each.recall:.3f}")
        for each in result.evaluations
    ]
    title = "Verdicts by words alone, on sites that were left out of the training (section 4.2.1)"
    files.tables.append(ExperimentTable("classifiers", title, ("model", "sites", *MEASURES), rows))
    where = f"{result.sites:,} sites of {printable(Path(world).name)}, {result.positive:,} of them positive"
    _add_measures(files, "sites", where, result.measures, points, result.sites, first_figure=4)


def _add_measures(
    files: ExperimentFiles,
    name: str,
    where: str,
    found: Mapping[str, Floats],
    points: list[int],
    sites: int,
    *,
    first_figure: int,
) -> None:
    """Add a table of three measures, and a figure for each."""
    shown = [points.index(sites * each) for each in MULTIPLES if sites * each in points]
    rows = [
        (measure, explorer, *(f"{runs[:, at, number].mean():.3f}" for at in shown))
        for number, measure in enumerate(MEASURES)
        for explorer, runs in found.items()
    ]
    columns = ("measure", "explorer", *(f"after {points[at]:,}" for at in shown))
    numbers = f"Figures {first_figure} to {first_figure + 2}"
    files.tables.append(ExperimentTable(name, f"Verdicts on {where} ({numbers})", columns, rows))
    for number, measure in enumerate(MEASURES):
        curves = {explorer: runs[:, :, number] for explorer, runs in found.items()}
        title = f"{where} (Figure {first_figure + number})"
        files.figures.append(
            ExperimentFigure(f"{name}-{measure}", title, measure, np.array(points, float), curves)
        )


def _say(text: str) -> None:
    screen.echo(printable(text))


def _interruptible(run: Callable[[], None]) -> None:
    try:
        run()
    except KeyboardInterrupt:
        screen.print_error("stopped; nothing was written, the same command starts again")
        raise typer.Exit(3) from None


def _finish(files: ExperimentFiles, out: Path) -> None:
    files.write(out)
    for table in files.tables:
        screen.echo("")
        for line in table.lines():
            screen.echo(line)
    figures = ", ".join(f"{figure.name}.svg" for figure in files.figures)
    screen.echo(f"\n{printable(str(out))}: the tables as CSV, and {figures}")
