"""Pseudo coordinates alone, for pages too large to look at their layout."""

from collections.abc import Iterable

from clew.parse.cells import Cells
from clew.parse.pieces import ALONE, BLOCKS, LINKS, RAW, behind_comment, skip
from clew.parse.traits import AREAS, span

_OPEN, _CLOSE, _ROW, _CELL, _END, _LINK, _RAW, _ALONE = range(8)
_VERBS = (
    dict.fromkeys(BLOCKS, _OPEN)
    | {f"/{tag}": _CLOSE for tag in BLOCKS}
    | {"tr": _ROW, "td": _CELL, "th": _CELL, "/tr": _END, "/td": _END, "/th": _END, "hr": _ALONE}
    | dict.fromkeys(LINKS, _LINK)
    | dict.fromkeys(RAW, _RAW)
)


def counted(cut: Iterable[str]) -> list[tuple[float, float, int]]:  # noqa: C901, PLR0912 - one branch for each verb
    """Return pseudo-x, pseudo-y and area of every link element of a page that was cut at its tags.

    >>> counted("<p>|a href='x'>one|/a>|/p>|hr>|p>|a href='y'>two|/a>|/p>".replace("<", "").split("|"))
    [(0.5, 0.2, 0), (0.5, 0.8, 0)]
    """
    cells, stack, found = Cells(), [(0, 0, 0)], list[tuple[int, int, int]]()
    cell = row = area = tags = 0
    pieces = iter(cut)
    for piece in pieces:
        tag = piece.partition(">")[0].partition(" ")[0]
        verb = _VERBS.get(tag)
        if verb is None:
            if tag.startswith("!"):
                behind_comment(pieces, piece)
        elif verb == _LINK:
            tags += tag in ALONE
            found.append((cell, tags, area))
            if tag == "iframe":
                skip(pieces, tag)
        elif verb == _RAW:
            skip(pieces, tag)
        elif verb in (_CLOSE, _END):
            tags += verb == _CLOSE
            if len(stack) > 1:
                cell, row, area = stack.pop()
        elif verb == _ALONE:
            tags += 1
        else:
            stack.append((cell, row, area))
            if verb == _OPEN:
                tags += 1
                area = AREAS.get(tag, area)
            elif verb == _ROW:
                row = cells.row(cell)
            else:
                columns = piece.partition(' colspan="')[2].partition('"')[0]
                cell = cells.cell(row, span(columns))
    whole = max(tags, 1)
    return [(cells.middle(cell), before / whole, area) for cell, before, area in found]
