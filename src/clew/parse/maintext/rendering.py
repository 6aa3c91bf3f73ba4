"""Blocks as plain text: one line for each, one for each row of a table."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from clew.domain.compiled import compiled
from clew.parse.maintext.blocks import TAG, Blocks, read_blocks
from clew.parse.safe_text import without_controls

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_ASCII_TEXT = compiled("clew.parse.maintext._rendering", "ascii_text")
_CELLS = (TAG["td"], TAG["th"])
_ROW = TAG["tr"]


def plain_text(blocks: Blocks, chosen: Iterable[int]) -> str:
    """Return some blocks as text: one line for each block or line break, one for each row of a table."""
    numbers = list(chosen)
    if _ASCII_TEXT is not None:
        text = _ASCII_TEXT(blocks.texts, blocks.held, blocks.rows, numbers, _ROW, _CELLS)
        if text is not None:
            return str(text)
    return _joined_text(blocks, numbers)


def _joined_text(blocks: Blocks, chosen: list[int]) -> str:
    parents, tags, held, parts, row = blocks.parents, blocks.tags, blocks.held, list[str](), -1
    for at in chosen:
        holder = held[at]
        if tags[holder] in _CELLS and tags[parent := parents[holder]] == _ROW:
            parts.append(" | " if parent == row else "\n")
            row = parent
        else:
            parts.append("\n")
            row = -1
        parts.append(blocks.texts[at])
    return without_controls("".join(parts)).strip()


def unread_text(element: "LexborNode") -> str:
    """Return the text of navigation or of a footer; the lines of the latter may be an address."""
    if element.tag == "footer":
        blocks = read_blocks(element, whole=True)
        return plain_text(blocks, range(len(blocks.texts)))
    rows = element.text(separator="\n", skip_empty=True).split("\n")
    return without_controls("\n".join(filter(None, (" ".join(row.split()) for row in rows))))
