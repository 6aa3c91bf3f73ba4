"""Text on a grid of cells: cut and padded by what a terminal will show, never by characters.

A line is a list of pieces, each with the name of a pen. Lines are composed in Unicode; a terminal whose
encoding cannot show our own signs gets the plain ones, cell for cell.
"""

import os
import re
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.console import COLOR_SYSTEMS, Console
from rich.style import Style

from clew.domain.text import printable

Line: TypeAlias = list[tuple[str, str]]

STYLES = {
    "name": "bold",
    "label": "cyan",
    "dim": "dim",
    "good": "green",
    "bad": "red",
    "warn": "yellow",
    "key": "bold cyan",
}
"""The pens. Colour is never the only sign: every line reads the same without it."""

_SIGNS = "·…←✓✗–─▏▎▍▌▋▊▉█▁▂▃▄▅▆▇“”×›"
_PLAIN = str.maketrans(_SIGNS, '|~<+x--||::==##._:-=+*""x>')
_PIECES = re.compile(r"\s*«[^»]*»\s\S+|\s*\S+")
_WIDTH_CHANGERS = str.maketrans("", "", "\ufe0e\ufe0f")  # terminals do not agree what they do to a width


def tidy(text: str, most: int = 400) -> str:
    """Return text of the web that is safe to show and has a known width."""
    return printable(text[:most]).translate(_WIDTH_CHANGERS)


def cut(text: str, width: int) -> str:
    """Return text of at most `width` cells, with a sign that some is missing.

    >>> cut("灯台の歴史", 7), cut("short", 7)
    ('灯台の…', 'short')
    """
    if len(text) * 2 <= width or cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 0 else ""


def fit(text: str, width: int) -> str:
    """Return text of exactly `width` cells."""
    short = cut(text, width)
    return short + " " * (width - cell_len(short))


def folded(text: str, width: int, indent: int) -> list[str]:
    """Return a line in pieces that fit, parted between words; a quoted word keeps its number.

    An address stays behind what leads to it, whole, for it is there to be copied.

    >>> folded("  judged  0.79, relevant: lantern, beacon", 30, 10)
    ['  judged  0.79, relevant:', '          lantern, beacon']
    """
    lines = [""]
    for piece in _PIECES.findall(text):
        if not lines[-1] or "://" in piece or cell_len(lines[-1] + piece) <= width:
            lines[-1] += piece
        else:
            lines.append(" " * min(indent, width - cell_len(piece.lstrip())) + piece.lstrip())
    return lines


def length(line: Line) -> int:
    """Return how many cells a line takes."""
    return sum(cell_len(text) for text, _ in line)


def trimmed(line: Line, width: int) -> Line:
    """Return a line of at most `width` cells."""
    if length(line) <= width:
        return line
    kept: Line = []
    for text, pen in line:
        left = width - length(kept)
        if cell_len(text) > left or left == 0:
            kept.append((cut(text, left) if cell_len(text) > left else "", pen))
            break
        kept.append((text, pen))
    return kept


def can_show(encoding: str) -> bool:
    """Tell whether our own signs exist in an encoding."""
    try:
        _SIGNS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def encodable(text: str, encoding: str) -> str:
    """Return text with whatever an encoding lacks replaced."""
    if not can_show(encoding):
        text = text.translate(_PLAIN)
    return text.encode(encoding or "ascii", "replace").decode(encoding or "ascii", "replace")


class Pens:
    """Paint lines with the colours this terminal has; NO_COLOR leaves bold and dim."""

    def __init__(self) -> None:
        console = Console(force_terminal=True)
        self._system = COLOR_SYSTEMS.get(console.color_system or "")
        plain = bool(os.environ.get("NO_COLOR"))
        self._styles = {name: self._made(style, plain) for name, style in STYLES.items()}

    @staticmethod
    def _made(style: str, plain: bool) -> Style:
        made = Style.parse(style)
        return made.without_color if plain else made

    def paint(self, line: Line) -> str:
        """Return a line with the codes that colour it."""
        styles, system = self._styles, self._system
        return "".join(
            styles[pen].render(text, color_system=system) if pen and text else text for text, pen in line
        )
