"""The page docs/lab/sites.md: each bench writes its own section of it, and leaves the others as they are."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clew.lab.plots import Line, drawing
from clew.lab.standings import Band
from clew.lab.statistics import interval

TARGET = Path("docs/lab/sites.md")
HEAD = """\
# Which sites hold it: `sites` measured

A person has many sites and a few pages for each: which of them hold it? The policy [`sites`](../policies.md#sites) explores, then collects. Here is what its ways to explore are worth, in the
published simulation and on recorded sites. Figures are made by the commands named; curves and tables come from the same runs.
"""
SECTIONS = ("simulation", "real sites", "crawls")


def put(section: str, text: str) -> None:
    """Write one section of the page between its marks."""
    page = TARGET.read_text("utf-8") if TARGET.exists() else HEAD
    for name in SECTIONS:
        if f"<!-- {name} -->" not in page:
            page = f"{page.rstrip()}\n\n<!-- {name} -->\n<!-- end of {name} -->\n"
    made = f"<!-- {section} -->\n{text.strip()}\n<!-- end of {section} -->"
    page = re.sub(rf"<!-- {section} -->.*?<!-- end of {section} -->", lambda _: made, page, flags=re.DOTALL)
    TARGET.write_text(page, "utf-8")


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
    (TARGET.parent / name).write_text(
        drawing(lines, x_label=x_label, y_label=y_label, alone=True, title=title), "utf-8"
    )
    return name
