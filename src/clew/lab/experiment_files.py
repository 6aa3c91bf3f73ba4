"""What an experiment of a paper leaves behind: tables as CSV, figures as SVG, all in one folder."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import ConfigError
from clew.lab.plots import Line, drawing
from clew.lab.standings import Band
from clew.lab.statistics import interval
from clew.store.folder import disk_error


@dataclass(frozen=True, slots=True)
class ExperimentTable:
    """A table with its title; `name` is that of its file."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def lines(self) -> list[str]:
        """Return the table as text: the title, then columns as wide as their widest cell.

        >>> ExperimentTable("t", "Sizes", ("site", "pages"), [("one", "12")]).lines()
        ['Sizes', 'site  pages', 'one      12']
        """
        table = [self.columns, *self.rows]
        widths = [max(len(row[at]) for row in table) for at in range(len(self.columns))]
        numeric = [all(not row[at][:1].isalpha() for row in self.rows) for at in range(len(self.columns))]
        text = [
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(row, widths, numeric, strict=True)
            ).rstrip()
            for row in table
        ]
        return [self.title, *text]


@dataclass(frozen=True, slots=True)
class ExperimentFigure:
    """Curves over the number of pages: for each name one row of values a repetition."""

    name: str
    title: str
    y_label: str
    x: NDArray[np.float64]
    curves: Mapping[str, NDArray[np.float64]]

    def svg(self) -> str:
        """Draw the mean of the repetitions of each curve, with its 95 % interval."""
        lines = []
        for number, (name, runs) in enumerate(self.curves.items()):
            found = [interval(column.tolist()) for column in runs.T]
            mean = np.array([each.mean for each in found])
            half = np.nan_to_num(np.array([each.half for each in found]))
            lines.append(Line(name, Band(self.x, mean, np.clip(mean - half, 0, 1), mean + half), number))
        return drawing(lines, x_label="pages", y_label=self.y_label, alone=True, title=self.title)


@dataclass(slots=True)
class ExperimentFiles:
    """Tables and figures of an experiment."""

    tables: list[ExperimentTable] = field(default_factory=list)
    figures: list[ExperimentFigure] = field(default_factory=list)

    def write(self, out: Path) -> None:
        """Write them into a folder, over the files of an earlier run."""
        try:
            for table in self.tables:
                with (out / f"{table.name}.csv").open("w", encoding="utf-8", newline="") as file:
                    csv.writer(file).writerows([table.columns, *table.rows])
            for figure in self.figures:
                (out / f"{figure.name}.svg").write_text(figure.svg(), "utf-8")
        except OSError as error:
            raise disk_error(error, out) from error


def make_results_folder(out: Path) -> None:
    """Make the folder of an experiment, before anything is run."""
    if out.exists() and not out.is_dir():
        msg = f"{out} is a file; choose another name for the results: --out"
        raise ConfigError(msg)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk_error(error, out) from error
