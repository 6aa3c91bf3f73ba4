"""Tag paths: the elements from the body to an element, with their classes.

The pages of a site share their templates, so paths are built once and cached: the next list item costs a
look-up by its tag and class.
"""

from functools import lru_cache

from clew.parse.layout.block_heights import BLOCKS
from clew.parse.layout.element_styles import AREAS
from clew.parse.layout.table_columns import CELLS

MAX_PATH = 200
_STEPS = 12
_CLASSES = 2
_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "center", "cite", "code", "del", "dfn", "em", "font",
    "i", "img", "ins", "kbd", "label", "mark", "nobr", "noscript", "picture", "q", "s", "samp", "small",
    "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
})  # fmt: skip
_NO_NAME = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code) in "-_"))


class ElementPath:
    """The path to an element, and what follows from its tags: blocks that are open, the area of the page.

    `text` is the path as written, of `steps` steps; `inline` elements are part of a line, a `cell` may be
    one of a table row.
    """

    __slots__ = ("area", "cell", "depth", "inline", "steps", "tag", "text")

    def __init__(self, text: str, steps: int, tag: str, depth: int, area: int) -> None:
        self.text = text
        self.steps = steps
        self.tag = tag
        self.depth = depth
        self.area = area
        self.inline = tag in _INLINE
        self.cell = tag in CELLS


OUTSIDE = ElementPath("", 0, "html", 1, 0)
"""The path of the document: `html` is not part of paths."""


@lru_cache(maxsize=16_384)
def child(outer: ElementPath, tag: str, classes: str | None) -> ElementPath:
    """Return the path of an element below `outer`; the first steps are dropped when it grows too long.

    >>> child(child(OUTSIDE, "ul", None), "li", "item active wide").text
    'ul/li.item.active'
    """
    step = _step(tag, classes)
    text, steps = (f"{outer.text}/{step}", outer.steps + 1) if outer.steps else (step, 1)
    while steps > _STEPS or len(text) > MAX_PATH:
        text, steps = text.partition("/")[2], steps - 1
    return ElementPath(text, steps, tag, outer.depth + (tag in BLOCKS), AREAS.get(tag, outer.area))


def _step(tag: str, classes: str | None) -> str:
    tag = _name(tag[:20])
    if not classes:
        return tag
    names = [_name(name[:30]) for name in classes[:200].split()[:_CLASSES]]
    return ".".join([tag, *filter(None, names)])


def _name(text: str) -> str:
    return text.encode("ascii", "ignore").translate(None, _NO_NAME).decode()
