"""Pseudo-x: cells share the width of their row by their colspan; a link is in the middle of its cell.

After Tanaka and Suzuki (2007), figure 2.2. Only rows with links are read.
"""

from typing import TYPE_CHECKING, TypeAlias

from clew.parse.layout.element_styles import span

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

CELLS = frozenset({"td", "th"})
Cell: TypeAlias = tuple["LexborNode", dict[str, str | None], int]
"""An element, its attributes, and how many columns it covers."""

Share: TypeAlias = tuple[float, float]
"""Left edge and width, as shares of the page."""


class TableColumns:
    """The cells of rows, each row read once."""

    def __init__(self) -> None:
        self._known: dict[int, Share] = {}
        self._rows: dict[int, list[Cell]] = {}

    def share(self, cell: "LexborNode", row: "LexborNode", around: Share) -> Share:
        """Return the part of the page that a cell takes, `around` being that of its row."""
        self.read(row)
        first, columns = self._known[cell.mem_id]
        left, width = around
        return left + first * width, columns * width

    def read(self, row: "LexborNode") -> list[Cell]:
        """Return the cells of a row."""
        cells = self._rows.get(row.mem_id)
        if cells is None:
            found = [(child, child.attributes) for child in row.iter() if child.tag in CELLS]
            cells = [(child, attributes, span(attributes.get("colspan"))) for child, attributes in found]
            self._rows[row.mem_id] = cells
            whole, at = sum(columns for _, _, columns in cells), 0
            for cell, _, columns in cells:
                self._known[cell.mem_id] = at / whole, columns / whole
                at += columns
        return cells
