"""Where the links of a page stand: counted from its tags, and as a browser would show them.

Pseudo-x and pseudo-y are those of Tanaka and Suzuki (2007): the middle of the table cell a link stands in,
when the cells of a row share its width by their colspan; and the share of block elements' tags, opening and
closing, before the link. x and y come from a layout without a browser; see `lines` and `layout`.
"""

from collections.abc import Sequence
from typing import TypeAlias

from clew.parse.counting import counted
from clew.parse.layout import Layout
from clew.parse.lines import Lines
from clew.parse.pieces import cut
from clew.parse.sheets import Sheets

MAX_PIECES = 20_000
"""Tags of a page, opening and closing, up to which its layout is looked at."""

Place: TypeAlias = tuple[float, float, float, float, int]
"""Pseudo-x, pseudo-y, x, y and area of a link."""


def places(html: str, styles: Sequence[str] = (), *, layout: bool = True) -> list[Place]:
    """Return where every link element stands, in the order of the page.

    `html` is a tree that the parser has written out, `styles` are the texts of its style elements.
    Without `layout`, and on pages with very many tags, x and y are pseudo-x and pseudo-y.

    >>> table = '<table width="100%"><tr><td><a href="x">l</a></td><td><a href="y">r</a></td></tr></table>'
    >>> [(px, round(x, 1)) for px, _, x, _, _ in places(table)]
    [(0.25, 0.0), (0.75, 0.5)]
    """
    pieces = cut(html) if layout else html.split("<")
    if not layout or len(pieces) > MAX_PIECES:
        return [(x, y, x, y, area) for x, y, area in counted(pieces)]
    lines = Lines(Sheets(styles), elsewhere='rel="stylesheet"' in html)
    lines.read(pieces)
    shown = Layout(lines).points()
    whole, middle = max(lines.tags, 1), lines.cells.middle
    return [
        (middle(cell), before / whole, x, y, area)
        for (cell, before, area), (x, y) in zip(lines.pseudo, shown, strict=True)
    ]
