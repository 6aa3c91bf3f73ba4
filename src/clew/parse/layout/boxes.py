"""The parts of a page while its layout is computed: regions, and strips of regions side by side.

`down` is how far into a page something begins: pixels in a page of one column, by the tags before it.
"""

from typing import TypeAlias

from clew.parse.layout.element_styles import PLAIN, ElementStyle

Here: TypeAlias = tuple[int, float, int, float, int, int]
"""Where text goes: region, indent, alignment (0 for left, 1 for the middle, 2 for right), how large letters
are, the table around them (-1 for none) and the area."""

NOWHERE: Here = (0, 0.0, 0, 1.0, -1, 0)
"""Where words go without any layout information."""


class PageRegion:
    """A part of the page with a width of its own: from `begin` to `end` of a page of one column.

    `letters` are its half-width letters, 0 where they were not counted.
    """

    __slots__ = ("begin", "end", "high", "letters", "rows", "span", "strips", "style")

    def __init__(self, begin: float, end: float, style: ElementStyle = PLAIN, letters: float = 0.0) -> None:
        self.begin = begin
        self.end = end
        self.style = style
        self.letters = letters
        self.span = self.rows = 1
        self.high = ""
        self.strips: list[int] = []


class Strip:
    """Regions side by side: a row of a table, a flex row, boxes that float and what is between them.

    `home` is the region around it, from `begin` to `end`; `high` is the vertical alignment of cells that
    state none themselves.
    """

    __slots__ = ("begin", "end", "high", "home", "indent", "kind", "parts", "style", "table")

    def __init__(self, kind: str, home: int, style: ElementStyle, indent: float, table: int = -1) -> None:
        self.kind = kind
        self.home = home
        self.style = style
        self.indent = indent
        self.table = table
        self.begin = self.end = 0.0
        self.high = ""
        self.parts: list[int] = []
