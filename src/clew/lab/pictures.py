"""Drawings of a race as PNG, for use where SVG is not possible; needs matplotlib."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from clew.domain.installation import install_command
from clew.errors import ConfigError
from clew.lab.plots import COLOURS, DASHES, Line
from clew.lab.standings import CEILING

DOTS = 300
"""Per inch: what journals ask for."""


def need_matplotlib() -> None:
    """Raise an error that explains how to install matplotlib, before anything is run."""
    try:
        import_module("matplotlib")
    except ImportError:
        msg = f"PNG needs matplotlib; get it with: {install_command('lab')} (SVG is drawn without it)"
        raise ConfigError(msg) from None


def write_png(lines: Sequence[Line], path: Path, title: str) -> None:
    """Draw curves with bands into a file."""
    need_matplotlib()
    figure = import_module("matplotlib.figure").Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.add_subplot()
    for line in lines:
        tone = COLOURS[line.colour % len(COLOURS)] if line.colour >= 0 else "#777777"
        style: Any = ":" if line.name == CEILING else "--" if line.colour < 0 else "-"
        if line.colour >= len(COLOURS):
            style = (0, [float(part) for part in DASHES[line.colour // len(COLOURS) % len(DASHES)].split()])
        band = line.band
        axes.plot(band.x, 100 * band.mean, color=tone, linestyle=style, label=line.name, linewidth=1.4)
        for curve in band.single:
            axes.plot(band.x, 100 * curve, color=tone, linestyle=style, linewidth=0.5, alpha=0.6)
        axes.fill_between(band.x, 100 * band.low, 100 * band.high, color=tone, alpha=0.15, linewidth=0)
    axes.set(xlabel="fetches", ylabel="recall (%)", title=title, xlim=(0, None), ylim=(0, None))
    axes.title.set_fontsize(9)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path, dpi=DOTS)
