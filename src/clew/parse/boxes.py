"""What a page is made of while its layout is found: runs of words, regions, and strips of regions."""

from typing import TypeAlias

from clew.parse.traits import PLAIN, Style

Here: TypeAlias = tuple[int, float, str, float, int, int, int, int]
"""Where words go: region, indent, alignment, letter width, strip of children, area, pseudo cell and row."""

Run: TypeAlias = tuple[int, float, float, float, float, str, float]
"""Region, length and height in pixels, gap above, indent, alignment, width of a letter."""


class Region:
    """A part of the page with a width of its own; `content` are runs from 0 up and strips below 0."""

    __slots__ = ("content", "high", "rows", "span", "style", "widest")

    def __init__(self, style: Style = PLAIN) -> None:
        self.style = style
        self.span = self.rows = 1
        self.high = ""
        self.widest = 0.0
        self.content: list[int] = []


class Strip:
    """Regions side by side: a row of a table, a flex row, boxes that float and what stands between them."""

    __slots__ = ("home", "indent", "kind", "parts", "style", "table")

    def __init__(self, kind: str, home: int, style: Style, indent: float, table: int = -1) -> None:
        self.kind = kind
        self.home = home
        self.style = style
        self.indent = indent
        self.table = table
        self.parts: list[int] = []
