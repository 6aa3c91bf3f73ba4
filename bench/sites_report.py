"""Cells and charts that the two benches of docs/lab/sites.md share."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clew.lab.plots import Line, drawing
from clew.lab.standings import Band
from clew.lab.statistics import interval

FOLDER = Path("docs/lab")


def cell(values: Sequence[float], digits: int = 3) -> str:
    """Return a mean with half its 95 % interval."""
    found = interval(list(values))
    return f"{found.mean:.{digits}f} ± {found.half:.{digits}f}".replace("0.", ".")


def picture(
    name: str,
    *,
    title: str,
    y_label: str,
    x_label: str,
    xs: Sequence[float],
    curves: dict[str, np.ndarray],
    dry: bool = False,
) -> str:
    """Draw curves (repetitions by points) with 95 % bands into a file beside the page; return its name.

    With `dry`, no file is written.
    """
    if dry:
        return name
    lines = []
    for number, (called, runs) in enumerate(curves.items()):
        made = [interval(runs[:, at].tolist()) for at in range(runs.shape[1])]
        mean, half = np.array([each.mean for each in made]), np.array([each.half for each in made])
        band = Band(
            np.array(xs, float), np.maximum(mean, 0), np.maximum(mean - half, 0), np.maximum(mean + half, 0)
        )
        lines.append(Line(called, band, number))
    (FOLDER / name).write_text(
        drawing(lines, x_label=x_label, y_label=y_label, alone=True, title=title), "utf-8"
    )
    return name
