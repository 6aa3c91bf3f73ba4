"""Curves with bands, drawn as SVG by hand: for the report, for papers, for anything that shows pictures.

A drawing has no scripts and no fonts of its own. Colours are classes: inside the report they follow
light and dark, in a file of their own they are fixed. Lines differ in colour and in dashes, and every
line is named where it ends, so that colours need not be distinguished.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from clew.lab.measures import Floats
from clew.lab.standings import CEILING, FLOOR, Band

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5195", "#a6761d",
    "#e7298a", "#3f7f93", "#6b8e23", "#8c564b", "#4b5fd6", "#b8860b",
)  # fmt: skip
"""The palette of Okabe and Ito (2008), safe for colour-blind readers; longer lists repeat with dashes."""

DASHES = ("", "7 3", "2 3", "9 3 2 3")
LIMIT_DASHES = {CEILING: "1 4", FLOOR: "5 4"}

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 62, 118, 14, 44
LETTER = 7  # width of a letter of a name at the end of a line, and some room
CROWD = 6
"""With more lines than this their bands are faint: they overlap."""

TITLE = 22
"""Pixels for the title of a drawing that stands alone."""

LABEL = 13
"""Pixels between the names at the ends of lines, at least."""

STYLE = """.grid{stroke:#ddd;stroke-width:1}.axis{stroke:#888}.text{fill:#333;font:12px system-ui,sans-serif}
.line{fill:none;stroke-width:2;stroke-linejoin:round}.single{fill:none;stroke-width:.8;opacity:.6}.band{opacity:.16;stroke:none}
.many .band{opacity:.07}.limit{stroke-width:1.6}"""


Place = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Line:
    """One policy's curve, with its place in the list of colours (-1: a limit, drawn in grey)."""

    name: str
    band: Band
    colour: int


def colours(names: Sequence[str]) -> dict[str, int]:
    """Give every policy the same colour in all drawings of a race; limits are grey."""
    racing = [name for name in sorted(names) if name not in (FLOOR, CEILING)]
    return dict.fromkeys((FLOOR, CEILING), -1) | {name: i for i, name in enumerate(racing)}


def drawing(
    lines: Sequence[Line], *, x_label: str, y_label: str, alone: bool = False, title: str = ""
) -> str:
    """Return the SVG text of curves with bands; `alone` adds colours of its own, for a file."""
    right = max((line.band.x[-1] for line in lines), default=1.0)
    curves = [curve for line in lines for curve in (line.band.high, *line.band.single)]
    top = _ceiling(max((float(curve.max()) for curve in curves), default=1.0))
    across, up = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x_of(value: float) -> float:
        return LEFT + across * value / right

    def y_of(value: float) -> float:
        return TOP + up * (1 - value / top)

    label = escape(title or y_label, quote=True)
    crowd = "many" if len(lines) > CROWD else "few"
    above = TITLE if alone else 0
    width = WIDTH + max([0, *(LETTER * len(line.name) - RIGHT for line in lines)])  # room for long names
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {-above} {width} {HEIGHT + above}" role="img" '
        f'class="{crowd}" aria-label="{label}"'
    )
    if alone:
        head += f' width="{width}" height="{HEIGHT + above}"><style>{STYLE}{_fixed(lines)}</style>'
        head += f'<rect y="{-above}" width="{width}" height="{HEIGHT + above}" fill="#fff"/>'
        head += _text(LEFT, -above / 2, title, "start")
    else:
        head += ">"
    axes = _axes((_ticks(right), _ticks(top)), x_of, y_of) + _labels(x_label, y_label)
    bands = [_band(line, x_of, y_of) for line in lines]
    drawn = [_curve(line, x_of, y_of) for line in lines]
    return "".join([head, *axes, *bands, *drawn, *_names(lines, y_of), "</svg>"])


def _fixed(lines: Sequence[Line]) -> str:
    rules = {f".{_class(line)}{{stroke:{_tone(line)};fill:{_tone(line)}}}" for line in lines}
    return "".join(sorted(rules)) + ".line,.single{fill:none}.band,.name{stroke:none}"


def _tone(line: Line) -> str:
    return COLOURS[line.colour % len(COLOURS)] if line.colour >= 0 else "#777"


def _class(line: Line) -> str:
    return f"c{line.colour % len(COLOURS)}" if line.colour >= 0 else "c-1"


def _named(line: Line) -> str:
    return f'data-name="{escape(line.name, quote=True)}"'


def _axes(ticks: tuple[list[float], list[float]], x_of: Place, y_of: Place) -> list[str]:
    """Draw the grid with its numbers."""
    parts, foot = [], HEIGHT - BOTTOM
    for value in ticks[1]:
        y = y_of(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(LEFT - 7, y + 4, f"{value * 100:g} %", "end"))
    for value in ticks[0]:
        x = x_of(value)
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{foot}" y2="{foot + 4}"/>')
        parts.append(_text(x, foot + 18, f"{value:,.0f}", "middle"))
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{foot}" y2="{foot}"/>')
    return parts


def _labels(x_label: str, y_label: str) -> list[str]:
    """Write the labels of the axes."""
    middle = (TOP + HEIGHT - BOTTOM) / 2
    turned = f'<text class="text" text-anchor="middle" transform="translate(14 {middle:.0f}) rotate(-90)">'
    across = _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_label, "middle")
    return [across, f"{turned}{escape(y_label)}</text>"]


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text class="text" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _ceiling(highest: float) -> float:
    """Return the top of the scale: everything, or less where no curve comes near it."""
    for top in (0.1, 0.2, 0.4, 0.6, 0.8):
        if highest <= top:
            return top
    return 1.0


def _ticks(most: float) -> list[float]:
    """Return five to nine round numbers from 0 to `most`.

    >>> _ticks(3000)
    [0.0, 500.0, 1000.0, 1500.0, 2000.0, 2500.0, 3000.0]
    """
    scale = 10.0 ** math.floor(math.log10(most / 8))
    step = next(scale * factor for factor in (1, 2, 5, 10) if most / (scale * factor) <= 8)  # noqa: PLR2004
    return [step * i for i in range(int(most / step + 1e-9) + 1)]


def _points(xs: Floats, ys: Floats, x_of: Place, y_of: Place) -> str:
    return " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in zip(xs.tolist(), ys.tolist(), strict=True))


def _band(line: Line, x_of: Place, y_of: Place) -> str:
    band = line.band
    if not (band.high > band.low).any():
        return ""
    outline = f"{_points(band.x, band.high, x_of, y_of)} {_points(band.x[::-1], band.low[::-1], x_of, y_of)}"
    return f'<polygon class="band {_class(line)}" {_named(line)} points="{outline}"/>'


def _curve(line: Line, x_of: Place, y_of: Place) -> str:
    dash = LIMIT_DASHES.get(line.name) or DASHES[max(0, line.colour) // len(COLOURS) % len(DASHES)]
    style = f' stroke-dasharray="{dash}"' if dash else ""
    limit = " limit" if line.colour < 0 else ""
    curves = [*((each, "single") for each in line.band.single), (line.band.mean, f"line{limit}")]
    return "".join(
        f'<polyline class="{kind} {_class(line)}" {_named(line)}{style}'
        f' points="{_points(line.band.x, curve, x_of, y_of)}"/>'
        for curve, kind in curves
    )


def _names(lines: Sequence[Line], y_of: Place) -> list[str]:
    """Write every name where its line ends, spread where lines end close together."""
    ends = sorted((y_of(float(line.band.mean[-1])), line.name, line) for line in lines)
    label_ys = [y for y, *_ in ends]
    for i in range(1, len(label_ys)):
        label_ys[i] = max(label_ys[i], label_ys[i - 1] + LABEL)
    lowest = float(HEIGHT - BOTTOM)
    for i in reversed(range(len(label_ys))):
        label_ys[i] = min(label_ys[i], lowest)
        lowest = label_ys[i] - LABEL
    parts = []
    for label_y, (y, name, line) in zip(label_ys, ends, strict=True):
        x = WIDTH - RIGHT
        parts.append(
            f'<polyline class="line leader {_class(line)}" {_named(line)} style="stroke-width:1" '
            f'points="{x},{y:.1f} {x + 8},{label_y:.1f}"/><text class="text name {_class(line)}" '
            f'{_named(line)} x="{x + 11}" y="{label_y + 4:.1f}">{escape(name)}</text>'
        )
    return parts
