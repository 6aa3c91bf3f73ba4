"""Pseudo-x: cells share the width of their row by their colspan; a link stands in the middle of its cell.

After Tanaka and Suzuki (2007), figure 2.2.
"""


class Cells:
    """The cells of all tables of a page; the first one is the page itself."""

    def __init__(self) -> None:
        self._rows: list[list[int]] = [[0, 1]]  # of each row: the cell it stands in, its columns
        self._cells: list[tuple[int, int, int]] = [(0, 0, 1)]  # of each cell: its row, first column, columns
        self._known: dict[int, tuple[float, float]] = {0: (0.0, 1.0)}

    def row(self, cell: int) -> int:
        """Begin a row within a cell."""
        self._rows.append([cell, 0])
        return len(self._rows) - 1

    def cell(self, row: int, columns: int) -> int:
        """Begin a cell of a row."""
        own = self._rows[row]
        self._cells.append((row, own[1], columns))
        own[1] += columns
        return len(self._cells) - 1

    def middle(self, cell: int) -> float:
        """Return the middle of a cell, once all rows are read."""
        unknown = []
        while cell not in self._known:
            unknown.append(cell)
            cell = self._rows[self._cells[cell][0]][0]
        left, width = self._known[cell]
        for each in reversed(unknown):
            row, first, columns = self._cells[each]
            share = width / self._rows[row][1]
            left, width = self._known[each] = left + first * share, columns * share
        return left + width / 2
