"""Text in terminal cells: cut and padded by displayed width, not by number of characters.

A line is a list of pieces, each with the name of a style. Lines are composed in Unicode; for an encoding
without our symbols they are replaced by ASCII characters of the same width.
"""

import os
import re
from collections.abc import Sequence
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
"""Styles by name. Colour is never the only mark: every line is complete without it."""

_SYMBOLS = "·…←✓✗–─▏▎▍▌▋▊▉█▁▂▃▄▅▆▇“”×›"
_ASCII = str.maketrans(_SYMBOLS, '|~<+x--||::==##._:-=+*""x>')
_PIECES = re.compile(r"\s*«[^»]*»\s\S+|\s*\S+")
_WIDTH_CHANGERS = str.maketrans("", "", "\ufe0e\ufe0f")  # terminals disagree on their width


def tidy(text: str, most: int = 400) -> str:
    """Return text from the web without control characters and with a known width."""
    return printable(text[:most]).translate(_WIDTH_CHANGERS)


def cut(text: str, width: int) -> str:
    """Return text of at most `width` cells, with an ellipsis if some is missing.

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
    """Wrap a line between words; a quoted word stays with its number.

    A URL stays in one piece, so that it can be copied: it begins a new line only if it fits there.

    >>> folded("  judged  0.79, relevant: lantern, beacon", 30, 10)
    ['  judged  0.79, relevant:', '          lantern, beacon']
    """
    lines = [""]
    for piece in _PIECES.findall(text):
        whole = "://" not in piece or indent + cell_len(piece.lstrip()) <= width
        if not lines[-1].strip() or not whole or cell_len(lines[-1] + piece) <= width:
            lines[-1] += piece
        else:
            lines.append(" " * min(indent, width - cell_len(piece.lstrip())) + piece.lstrip())
    return lines


def fitting(parts: Sequence[str], width: int) -> str:
    """Join the parts that fit: each is shown whole or not at all.

    >>> fitting(["4.1 pages/s", "memory 119 MB", "disk 4 MB"], 25)
    '4.1 pages/s · disk 4 MB'
    """
    shown = ""
    for part in filter(None, parts):
        longer = f"{shown} · {part}" if shown else part
        shown = longer if cell_len(longer) <= width else shown
    return shown


def length(line: Line) -> int:
    """Return the width of a line in cells."""
    return sum(cell_len(text) for text, _ in line)


def trimmed(line: Line, width: int) -> Line:
    """Return a line of at most `width` cells."""
    if length(line) <= width:
        return line
    pieces: Line = []
    for text, pen in line:
        left = width - length(pieces)
        if cell_len(text) > left or left == 0:
            pieces.append((cut(text, left) if cell_len(text) > left else "", pen))
            break
        pieces.append((text, pen))
    return pieces


def can_show(encoding: str) -> bool:
    """Return whether an encoding has our symbols."""
    try:
        _SYMBOLS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def encodable(text: str, encoding: str) -> str:
    """Return text with characters that an encoding lacks replaced."""
    if not can_show(encoding):
        text = text.translate(_ASCII)
    return text.encode(encoding or "ascii", "replace").decode(encoding or "ascii", "replace")


class Pens:
    """Render lines with the colours of this terminal; NO_COLOR leaves bold and dim."""

    def __init__(self) -> None:
        console = Console(force_terminal=True)
        self._system = COLOR_SYSTEMS.get(console.color_system or "")
        plain = bool(os.environ.get("NO_COLOR"))
        self._styles = {name: self._parse(style, plain) for name, style in STYLES.items()}

    @staticmethod
    def _parse(style: str, plain: bool) -> Style:
        parsed = Style.parse(style)
        return parsed.without_color if plain else parsed

    def paint(self, line: Line) -> str:
        """Return a line with its escape codes."""
        styles, system = self._styles, self._system
        return "".join(
            styles[pen].render(text, color_system=system) if pen and text else text for text, pen in line
        )
