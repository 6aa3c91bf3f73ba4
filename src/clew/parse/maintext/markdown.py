"""Blocks as Markdown: headings, lists, tables, quotes, code, emphasis, links if asked for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.parse.maintext.blocks import FLAG, TAG, WIDTH, Blocks, Numbers
from clew.parse.maintext.marks import EMPTY, marked_blocks
from clew.parse.safe_text import without_controls

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_CELLS = (TAG["td"], TAG["th"])
_ROW, _TABLE, _ORDERED, _ITEM = TAG["tr"], TAG["table"], TAG["ol"], TAG["li"]
_OWN = 2  # the place in a row of a holder of what it says by itself
_DEEPEST = 20  # levels of a list that are indented
_ROW_SIZE = 800  # letters of a row of a table, at most; a longer one is a page that is laid out as a table
_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)


def markdown(
    body: "LexborNode", blocks: Blocks, chosen: Sequence[int], *, url: str = "", links: bool = True
) -> str:
    """Return some blocks as Markdown; the tree below `body` is modified."""
    marked = marked_blocks(body, blocks, chosen, url=url, links=links)
    writer = _MarkdownWriter(marked.blocks, marked.chosen)
    return without_controls(_joined(writer.pieces(marked.texts))).strip()


@dataclass(slots=True)
class _Piece:
    """A part of the page; `kind` is text, item, row, or more: what continues an item.

    `group` is the item or the row, `quote` the outermost quote around it, or -1.
    """

    kind: str
    text: str = ""
    group: int = -1
    quote: int = -1
    cells: dict[int, str] = field(default_factory=dict)


class _MarkdownWriter:
    """Makes pieces of blocks; the items of lists that a block may continue are on a stack, with indents."""

    def __init__(self, blocks: Blocks, chosen: Sequence[int]) -> None:
        self.blocks, self.chosen = blocks, chosen
        self.parents, self.tags, self.chains = blocks.parents, blocks.tags, blocks.chains
        self.own = blocks.rows[_OWN::WIDTH]
        self.cells = _cells(blocks, chosen)
        self.items: list[tuple[int, str]] = []
        self.counts: dict[int, int] = {}
        self.numbers: dict[int, int] = {}

    def pieces(self, texts: Sequence[str]) -> Iterator[_Piece]:
        """Yield the pieces of the chosen blocks, given the text of each."""
        row = _Piece("")
        for at, text in zip(self.chosen, texts, strict=True):
            holder = self.blocks.held[at]
            quote = self._outermost_quote(holder)
            if (cell := self.cells.get(at, -1)) >= 0:
                number = self.parents[cell]
                if row.group != number or row.quote != quote:
                    if row.cells:
                        yield row
                    row = _Piece("row", group=number, quote=quote)
                shown = text.replace("\n", " ").replace("|", "\\|")
                row.cells[cell] = f"{row.cells.get(cell, '')} {shown}".strip()
                self.items = []
                continue
            if not text:
                continue
            if row.cells:
                yield row
                row = _Piece("")
            yield self._piece(at, holder, text, quote)
        if row.cells:
            yield row

    def _piece(self, at: int, holder: int, text: str, quote: int) -> _Piece:
        tag, flags = self.tags[holder], self.chains[holder]
        if flags & FLAG["pre"]:
            self._close_items(self._above(holder, _ITEM))
            return _Piece("text", _indented(_fenced(self.blocks.texts[at]), self._indent), quote=quote)
        if TAG["h1"] <= tag <= TAG["h6"]:
            self.items = []
            return _Piece("text", f"{'#' * (tag - TAG['h1'] + 1)} {text}".replace("\n", " "), quote=quote)
        item = self._above(holder, _ITEM) if flags & FLAG["list"] else -1
        if item < 0:
            self.items = []
            return _Piece("text", text, quote=quote)
        self._close_items(item)
        if self.items and self.items[-1][0] == item:
            return _Piece("more", _indented(text, self._indent), item, quote)
        return _Piece("item", self._list_line(item, text), item, quote)

    def _list_line(self, item: int, text: str) -> str:
        """Open an item and return its first line."""
        parent, indent, sign = self.parents[item], self._indent, "- "
        if self.tags[parent] == _ORDERED:
            if item not in self.numbers:
                self.counts[parent] = self.counts.get(parent, 0) + 1
            sign = f"{self.numbers.setdefault(item, self.counts[parent])}. "
        self.items.append((item, " " * len(sign)))
        return f"{indent}{sign}{_indented(text, self._indent).lstrip()}"

    @property
    def _indent(self) -> str:
        return "".join(indent for _, indent in self.items[:_DEEPEST])

    def _close_items(self, item: int) -> None:
        """Leave the items that are not around the one given, which may be -1."""
        around = set()
        while item > 0:
            around.add(item)
            item = self.parents[item]
        while self.items and self.items[-1][0] not in around:
            self.items.pop()

    def _above(self, holder: int, tag: int) -> int:
        """Return the nearest holder with a tag, or -1."""
        while holder and self.tags[holder] != tag:
            holder = self.parents[holder]
        return holder or -1

    def _outermost_quote(self, holder: int) -> int:
        if not self.chains[holder] & FLAG["quote"]:
            return -1
        found = -1
        while holder:
            if self.own[holder] & FLAG["quote"]:
                found = holder
            holder = self.parents[holder]
        return found


def _cells(blocks: Blocks, chosen: Iterable[int]) -> dict[int, int]:
    """Return the cell of each block that is in a table of data: several columns, little text in a row."""
    parents, tags, chains = blocks.parents, blocks.tags, blocks.chains
    found: dict[int, int] = {}
    sizes: dict[int, int] = {}
    widths: dict[int, set[int]] = {}
    for at in chosen:
        holder = blocks.held[at]
        if not chains[holder] & FLAG["cell"] or chains[holder] & FLAG["pre"]:
            continue
        while holder and not (tags[holder] in _CELLS and tags[parents[holder]] == _ROW):
            holder = parents[holder]
        if holder:
            row = parents[holder]
            found[at] = holder
            sizes[row] = sizes.get(row, 0) + len(blocks.texts[at])
            if blocks.texts[at] != EMPTY:
                widths.setdefault(row, set()).add(holder)
    wide = {_table(parents, tags, row) for row, cells in widths.items() if len(cells) > 1}
    return {
        at: cell
        for at, cell in found.items()
        if sizes[row := parents[cell]] <= _ROW_SIZE and _table(parents, tags, row) in wide
    }


def _table(parents: Numbers, tags: Numbers, holder: int) -> int:
    while holder and tags[holder] != _TABLE:
        holder = parents[holder]
    return holder


def _fenced(code: str) -> str:
    """Return code between fences that are longer than any in it."""
    fence = "`" * max((len(each) + 1 for each in _FENCE.findall(code)), default=3)
    return f"{fence}\n{code}\n{fence}"


def _indented(text: str, indent: str) -> str:
    return "\n".join(f"{indent}{row}" if row else row for row in text.split("\n")) if indent else text


def _joined(pieces: Iterable[_Piece]) -> str:
    """Return pieces with a blank line between them, except between items and between the rows of a table."""
    parts: list[str] = []
    before: _Piece | None = None
    for piece in _with_tables(pieces):
        text = piece.text
        if piece.quote >= 0:
            text = "\n".join(f"> {row}".rstrip() for row in text.split("\n"))
        if before is not None:
            blank = ">" if piece.quote >= 0 and piece.quote == before.quote else ""
            parts.append("\n" if _is_close(before, piece) else f"\n{blank}\n")
        parts.append(text)
        before = piece
    return "".join(parts)


def _is_close(before: _Piece, piece: _Piece) -> bool:
    """Return whether there is no blank line between two pieces: items, and what continues the last one."""
    if before.quote != piece.quote or before.kind not in ("item", "more"):
        return False
    return piece.kind == "item" or (piece.kind == "more" and piece.group == before.group)


def _with_tables(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """Yield pieces with the rows that follow each other put together as one table."""
    rows: list[list[str]] = []
    quote = -1
    for piece in pieces:
        if rows and (piece.kind != "row" or piece.quote != quote):
            yield _Piece("text", _as_table(rows), quote=quote)
            rows = []
        if piece.kind == "row":
            rows.append(list(piece.cells.values()))
            quote = piece.quote
        else:
            yield piece
    if rows:
        yield _Piece("text", _as_table(rows), quote=quote)


def _as_table(rows: list[list[str]]) -> str:
    """Return rows as a table; the first is its head, because Markdown has no table without one."""
    width = max(map(len, rows))
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])
