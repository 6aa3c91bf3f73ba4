"""Where links stand on a page, told from its tags alone: no style sheet is fetched, no browser is asked.

Pseudo-x and pseudo-y follow Tanaka and Suzuki (2007): the cells of a table row share its width by their
colspan, and a link stands in the middle of its cell; a link stands as far down as the share of block
elements' tags, opening and closing, that come before it.

The tree is written out as text by the parser, in C, and that text is cut at its tags. The parser closes
every element and escapes what is no tag, so that cutting is exact; only the insides of scripts and their
like have to be skipped.
"""

from collections.abc import Iterator

from clew.types import Area

BLOCKS = frozenset(
    """address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure
    footer form frameset h1 h2 h3 h4 h5 h6 header hgroup html legend li main menu nav ol p pre search
    section summary table ul""".split()  # noqa: SIM905 - reads better as text
)
"""Block-level elements in the sense of CSS 2.1 (block, list-item, table) that have a closing tag."""

ALONE = frozenset({"hr", "frame"})
"""Block-level elements that are one tag."""

MOST_COLUMNS = 1_000
"""What browsers make of a larger colspan."""

_LINKS = frozenset({"a", "area", "frame", "iframe", "link"})
_RAW = frozenset({"script", "style", "iframe", "noembed", "noframes", "xmp", "plaintext", "template"})
_AREAS = {
    "header": Area.HEADER, "nav": Area.NAV, "main": Area.MAIN, "article": Area.MAIN, "aside": Area.ASIDE,
    "footer": Area.FOOTER,
}  # fmt: skip
_BLOCK, _CLOSE, _LINK, _ROW, _CELL, _OTHER = range(6)


def _codes() -> dict[str, int]:
    codes = dict.fromkeys((*BLOCKS, *ALONE, *_RAW), _BLOCK) | dict.fromkeys(_LINKS, _LINK)
    codes |= {f"/{tag}": _CLOSE for tag in (*BLOCKS, "tr", "td", "th")}
    return codes | {"tr": _ROW, "td": _CELL, "th": _CELL, "iframe": _LINK, "frame": _LINK, "!--": _OTHER}


_CODES = _codes()


class Cells:
    """Cells of tables and how wide they are, if the cells of a row share it by their colspan.

    The first cell is the page.
    """

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


def places(html: str) -> list[tuple[float, float, float, float, int]]:  # noqa: C901, PLR0912 - one hot loop
    """Return pseudo-x, pseudo-y, x, y and area of every link element, in the order of the page.

    >>> places('<table><tr><td><a href="x">l</a></td><td><a href="y">r</a></td></tr></table>')
    [(0.25, 0.5, 0.25, 0.5, 0), (0.75, 0.5, 0.75, 0.5, 0)]
    """
    cells, found = Cells(), list[tuple[int, int, int]]()
    stack: list[tuple[int, int, int]] = []
    cell = row = area = tags = 0
    pieces = iter(html.split("<"))
    for piece in pieces:
        tag, _, _ = piece.partition(">")[0].partition(" ")
        code = _CODES.get(tag)
        if code is None:
            continue
        if code == _CLOSE:
            if stack:
                cell, row, area = stack.pop()
            tags += tag[1:] in BLOCKS
        elif code == _LINK:
            tags += tag in ALONE
            found.append((cell, tags, area))
            if tag in _RAW:
                skip(pieces, tag)
        elif code == _OTHER or tag in _RAW:
            if not (code == _OTHER and "-->" in piece):
                skip(pieces, tag)
        elif tag in ALONE:
            tags += 1
        else:
            stack.append((cell, row, area))
            if code == _ROW:
                row = cells.row(cell)
            elif code == _CELL:
                cell = cells.cell(row, columns_of(piece))
            else:
                tags += 1
                area = _AREAS.get(tag, area)
    whole = max(tags, 1)
    return [
        (x, y, x, y, int(area))
        for x, y, area in ((cells.middle(cell), before / whole, area) for cell, before, area in found)
    ]


def skip(pieces: Iterator[str], tag: str) -> None:
    """Go on behind the end of a comment, a script or their like."""
    deep = 1
    for piece in pieces:
        if tag == "!--":
            if "-->" in piece:
                return
        elif piece.startswith(f"/{tag}>"):
            deep -= 1
            if not deep:
                return
        elif tag == "template" and piece.startswith("template"):
            deep += 1


def columns_of(head: str) -> int:
    """Return how many columns a cell covers, by its opening tag; nonsense counts as 1.

    >>> columns_of('td colspan="3"'), columns_of('td colspan="-2"'), columns_of('td colspan="1000000000"')
    (3, 1, 1000)
    """
    _, said, rest = head.partition(' colspan="')
    if not said:
        return 1
    value = rest.partition('"')[0].strip()
    if not (value.isascii() and value.isdigit()):
        return 1
    return min(int(value[:9]), MOST_COLUMNS) or 1
