"""What is around the links of a document: tag paths, block texts and what positions are computed from.

Links come in groups (a menu, a list, a paragraph), so everything is cached for each parent element: the
fortieth link of a menu costs a look-up.
"""

from typing import TYPE_CHECKING, TypeAlias

from clew.parse.html_walk import HtmlWalk
from clew.parse.layout.block_heights import HEIGHTS, pixels
from clew.parse.layout.boxes import Here
from clew.parse.layout.coordinates import Coordinates, Note, Place
from clew.parse.layout.table_columns import Share
from clew.parse.tag_paths import OUTSIDE, ElementPath, child

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_CONTEXT = 200
_LEAST = 40  # characters of a context before its link
_BLOCK_TEXTS = 4_000_000  # characters of block text read for one page: nested blocks could be quadratic
_NEAR = 20_000  # characters in which an anchor is looked for in a long block
_PICTURE = 8.0  # width of an image without text, in half-width letters


class Block:
    """An element whose text is the context of the links in it.

    `text` is read when it is needed; `end` is an offset behind the begin of the last link found in it,
    `line` its width, that of a letter, and how many blanks it begins with.
    """

    __slots__ = ("end", "line", "node", "number", "tag", "text")

    def __init__(self, node: "LexborNode", number: int, tag: str) -> None:
        self.node = node
        self.number = number
        self.tag = tag
        self.text: str | None = None
        self.end = 0
        self.line: tuple[float, float, int] | None = None


Around: TypeAlias = tuple[ElementPath, Block | None, Share, Here, int]
"""What is around a link: tag path, block, table cell, region of the layout, and the number of the element."""


class Surroundings:
    """Tag paths, block texts and positions of one document, each computed once."""

    def __init__(self, coordinates: Coordinates) -> None:
        self._coordinates = coordinates
        self._regions = coordinates.regions
        self._outside: Around = (OUTSIDE, None, (0.0, 1.0), coordinates.outside, 0)
        self._around: dict[int, Around] = {}
        self._left = _BLOCK_TEXTS

    def around(self, node: "LexborNode | None") -> Around:
        """Return what is around the children of a node; each element is read once."""
        if node is None:
            return self._outside
        known = self._around.get(number := node.mem_id)
        if known is None:
            parent = node.parent
            outer = self._around.get(parent.mem_id) if parent is not None else None
            known = self._enter(outer, node, number, node.tag or "") if outer else self._descend(node)
        return known

    def _descend(self, node: "LexborNode | None") -> Around:
        """Return what is around the children of a node, from the first element above it that is known."""
        chain, known = [], None
        while node is not None and (known := self._around.get(number := node.mem_id)) is None:
            tag = node.tag
            if tag is None or tag == "html" or tag == "-document":  # noqa: PLR1714 - a set costs more
                break
            chain.append((node, number, tag))
            node = node.parent
        known = known or self._outside
        while chain:
            known = self._enter(known, *chain.pop())
        return known

    def _enter(self, outer: Around, node: "LexborNode", number: int, tag: str) -> Around:
        outer_path, block, share, here, around = outer
        attributes = node.attributes
        path = child(outer_path, tag, attributes.get("class"))
        if block is None or not path.inline:
            block = Block(node, number, tag)
        if path.cell and outer_path.tag == "tr" and (row := node.parent) is not None:
            share = self._coordinates.cells.share(node, row, share)
        if self._regions is not None:
            here = self._regions.enter(here, tag, attributes, node, around)
        made = self._around[number] = path, block, share, here, number
        return made

    def context(self, block: Block | None, anchor: str) -> tuple[str, int]:
        """Return the text of a block, or the part of it around the `anchor`, and the offset of the anchor.

        `anchor` is the text of the link as it is written.
        """
        if block is None:
            return "", 0
        text, at = block.text, block.end
        if text is None:
            text = block.text = self._read(block)
        if anchor and (found := text.find(anchor[:60], at, at + _NEAR)) >= 0:
            at = found
        block.end = at + 1
        if len(text) <= MAX_CONTEXT:
            return text, at
        before = (MAX_CONTEXT - len(anchor)) // 2
        begin = max(0, at - max(_LEAST, before))
        return text[begin : begin + MAX_CONTEXT], at

    def _read(self, block: Block) -> str:
        if self._left <= 0:
            return ""
        text: str = block.node.text(separator=" ")
        self._left -= len(text) + 100
        return text

    def note(self, around: Around, walked: int, node: "LexborNode", anchor: str, at: int) -> Note:
        """Return what a layout computes the position of a link from; `at` is its offset in its block."""
        path, block, share, here, _ = around
        deep, regions = path.depth, self._regions
        if regions is None:
            here = (*here[:-1], path.area)
        if regions is None or block is None:
            return walked, deep, share, here, 0.0, 0.0, 0.0
        text, long = block.text or "", width(anchor) or _PICTURE
        if regions.strips and (alone := regions.own_box(node, here)) is not None:
            return walked, deep, share, alone, 0.0, long, long
        top = pixels(regions.starts.get(block.number, 0))
        # A block with nothing else in it, or with line breaks before the link: the link begins a line.
        if len(text) <= len(anchor) + 2 or pixels(walked) > top + HEIGHTS.get(block.tag, 0):
            return walked, deep, share, here, 0.0, long, long
        if block.line is None:
            line, blank = width(" ".join(text[:_NEAR].split())), len(text) - len(text.lstrip())
            block.line = line, line / max(1, len(text) - blank), blank
        line, letter, blank = block.line
        return walked, deep, share, here, max(0, at - blank) * letter, long, max(line, long)


def places_of(walk: HtmlWalk, root: "LexborNode") -> list[Place]:
    """Return the positions of all link elements of a document, repeated URLs included."""
    coordinates = walk.coordinates(root)
    surroundings, notes = Surroundings(coordinates), []
    for _, walked, node, _ in walk.links:
        around, anchor = surroundings.around(node.parent), node.text(separator=" ")
        _, at = surroundings.context(around[1], anchor)
        notes.append(surroundings.note(around, walked, node, anchor, at))
    return coordinates.places(notes)


def width(text: str) -> float:
    """Return how wide a text is in half-width letters, without the blanks around it.

    >>> width(" two words "), width("東京")
    (9, 4.0)
    """
    text = text.strip()
    return len(text) if text.isascii() else (len(text) + len(text.encode("utf-8", "replace"))) / 2
