"""The layout around links: regions of the page and strips of them, found from links upwards.

Only elements around links are looked at, each once, and the neighbours of those that stand side by side. How
far down something stands is told by the tags before it, each as high as it usually is: see `sums`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from clew.parse.layout.block_heights import pixels
from clew.parse.layout.boxes import Here, PageRegion, Strip
from clew.parse.layout.element_styles import PLAIN, ElementStyle, ElementTraits, span, traits
from clew.parse.layout.stylesheets import Stylesheets
from clew.parse.layout.table_columns import CELLS, TableColumns
from clew.types import Area

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

Attributes: TypeAlias = Mapping[str, str | None]

INDENT = 40.0
LINE = 18.0
MAX_REGIONS = 2_000
"""Regions of one page; what would be more stays in the region it is in."""

_MOST_CHILDREN = 400  # elements side by side that are read
_FAR = 40  # nodes searched for the one that follows an element
_LETTERS = 2_000_000  # counted on one page: nested boxes could be quadratic
_WITH_BLANKS = 1.17  # letters with the blanks between words, for one without
_INDENTED = frozenset({"ul", "ol", "menu", "dir", "dd", "blockquote"})
_SCALES = {"h1": 2.0, "h2": 1.5, "h3": 1.17, "h5": 0.83, "h6": 0.67}
_SIDE_BY_SIDE = frozenset({"flex", "wrap", "grid"})
_ALIGNS = {"center": 1, "middle": 1, "right": 2}
_LAYOUT_TAGS = (
    _INDENTED
    | CELLS
    | {*_SCALES, "article", "aside", "body", "center", "footer", "header", "main", "nav", "table", "tr"}
)
"""Elements that affect layout without attributes."""


class LinkRegions:
    """Regions, strips and tables of one page, as far as they contain links.

    `starts` is how far down each element begins, `whole` how high the page is; `sheets` are the rules of
    the page, `elsewhere` says that it names sheets that were not read.
    """

    def __init__(
        self,
        *,
        starts: Mapping[int, int],
        whole: int,
        cells: TableColumns,
        sheets: Stylesheets,
        elsewhere: bool = False,
    ) -> None:
        self.starts = starts
        self.whole = pixels(whole)
        self.sheets = sheets
        self.elsewhere = elsewhere
        self.regions = [PageRegion(0.0, self.whole)]
        self.strips: list[Strip] = []
        self.tables: list[tuple[ElementStyle, float, list[int]]] = []  # style, space around cells, rows
        self.mirrored = False
        self.vertical = ""
        self.cells = cells
        self._region_of: dict[int, int] = {}  # elements that begin a region: its number
        self._traits: dict[
            int, tuple[ElementTraits, int]
        ] = {}  # traits of elements, and the element around them
        self._floated: set[int] = set()  # elements whose children were read
        self._styles: dict[tuple[int, int], tuple[ElementTraits, ElementStyle]] = {}
        self._ruled = bool(sheets)
        self._left = _LETTERS

    def enter(  # noqa: C901 - called for every element around a link: more calls would cost more
        self, here: Here, tag: str, attributes: Attributes, node: "LexborNode", outer: int
    ) -> Here:
        """Return where the inside of an element goes that stands `here`; `outer` is the element around it."""
        number = node.mem_id
        region = self._region_of.get(number)
        if region is None and not attributes and not self._ruled and tag not in _LAYOUT_TAGS:
            return here
        element = traits(tag, attributes)
        style = self._style(element, outer)
        if self._ruled:
            self._traits[number] = element, outer
        if region is None:
            if (style is PLAIN and element.plain and tag not in _LAYOUT_TAGS) or style.display == "inline":
                return here
            if style is not PLAIN and tag not in CELLS:
                region = self._apart(here, style, node, outer)
        home, indent, align, big, table, area = here
        if region is not None:
            home, indent = region, 0.0
        aligned = style.align or element.align
        if tag == "table":
            table, aligned = self._table(element, style, aligned, align), "right" if self.mirrored else "left"
        elif tag == "tr":
            self._row(here, element, node)
        elif tag == "center" or tag == "th":  # noqa: PLR1714 - a set costs more
            aligned = aligned or "center"
        elif tag == "body":
            self.page(element)
        if element.area >= 0 and not (area == Area.MAIN and element.area == Area.HEADER):
            area = element.area
        made = (
            home, indent + INDENT * (tag in _INDENTED), _ALIGNS.get(aligned, 0) if aligned else align,
            style.scale or _SCALES.get(tag, big), table, area,
        )  # fmt: skip
        if style.display in _SIDE_BY_SIDE:
            self._flex(made, style, node)
        return made

    def page(self, element: ElementTraits) -> Here:
        """Note what the whole page is like, from right to left or in columns; return where its words go."""
        style = self._style(element, 0)
        self.mirrored = self.mirrored or element.mirrored or style.mirrored
        self.vertical = style.vertical or self.vertical
        return (0, 0.0, 2 if self.mirrored else 0, 1.0, -1, 0)

    def own_box(self, node: "LexborNode", here: Here) -> Here | None:
        """Return where the words of a link go that is a box of its own, None if it is not."""
        region = self._region_of.get(node.mem_id)
        return None if region is None else (region, 0.0, *here[2:])

    # ---- what the page says --------------------------------------------------------------------------------

    def _style(self, element: ElementTraits, outer: int) -> ElementStyle:
        """Return the style of an element: as the page says, else as such names are used."""
        style = element.style
        if self._ruled:
            known = self._styles.get((id(element), outer))  # siblings often have equal traits
            if known is None:
                known = element, self.sheets.style(element, lambda: self._chain(outer))
                self._styles[id(element), outer] = known
            style = known[1]
        return element.customary if style is PLAIN and self.elsewhere else style

    def _chain(self, number: int) -> list[ElementTraits]:
        """Return what stands around an element, the outermost first."""
        found = list[ElementTraits]()
        while (known := self._traits.get(number)) is not None:
            found.append(known[0])
            number = known[1]
        return found[::-1]

    def _children(self, node: "LexborNode") -> list["LexborNode"]:
        return [child for child, _ in zip(node.iter(), range(_MOST_CHILDREN), strict=False)]

    def begin(self, node: "LexborNode") -> float:
        """Return how far down an element begins."""
        return pixels(self.starts.get(node.mem_id, 0))

    def end(self, node: "LexborNode") -> float:
        """Return how far down an element ends: where the next one begins that is not in it."""
        above: LexborNode | None = node
        while above is not None:
            after = above.next
            for _ in range(_FAR):
                if after is None:
                    break
                if (start := self.starts.get(after.mem_id)) is not None:
                    return pixels(start)
                after = after.next
            above = above.parent
        return self.whole

    def _letters(self, node: "LexborNode") -> float:
        """Return how many half-width letters an element holds."""
        if self._left <= 0:
            return 0.0
        text: str = node.text_lexbor()
        self._left -= len(text) + 100
        solid: float = len(text) - text.count(" ") - text.count("\n") - text.count("\t")
        if not text.isascii():
            solid += (len(text.encode("utf-8", "replace")) - len(text)) / 2
        return solid * _WITH_BLANKS

    # ---- boxes ---------------------------------------------------------------------------------------------

    def _apart(self, here: Here, style: ElementStyle, node: "LexborNode", outer: int) -> int | None:
        """Return the region of a box that does not stand like the rest: out of the page, afloat, narrow."""
        if style.display == "none" or style.out:
            kind = "out"
        elif style.floats:
            self._float_children(here, node, outer)
            return self._region_of.get(node.mem_id)
        elif style.width or style.limit or style.display == "columns":
            kind = "solo"
        else:
            return None
        strip = self._strip(kind, here, style)
        return self._part(strip, style, node, self.begin(node), self.end(node))

    def _strip(self, kind: str, here: Here, style: ElementStyle, table: int = -1) -> Strip:
        strip = Strip(kind, here[0], style, here[1], table)
        self.regions[here[0]].strips.append(len(self.strips))
        self.strips.append(strip)
        return strip

    def _part(self, strip: Strip, style: ElementStyle, node: "LexborNode", begin: float, end: float) -> int:
        """Add a region to a strip; return its number."""
        number = len(self.regions)
        if number >= MAX_REGIONS:
            return strip.home
        has_width = style.width > 0 and strip.kind != "row"
        letters = 0.0 if has_width and end - begin > LINE else self._letters(node)
        self.regions.append(PageRegion(begin, max(begin, end), style, letters))
        if not strip.parts:
            strip.begin = begin
        strip.end = max(strip.end, begin, end)
        strip.parts.append(number)
        self._region_of[node.mem_id] = number
        return number

    def _flex(self, here: Here, style: ElementStyle, node: "LexborNode") -> None:
        """Set the children of a flex box or a grid side by side."""
        children = self._children(node)
        if not children:
            return
        begins = [self.begin(node)]
        for child in children:
            begins.append(pixels(self.starts[child.mem_id]) if child.mem_id in self.starts else begins[-1])
        strip = self._strip(style.display, here, style)
        for child, begin, end in zip(children, begins[1:], [*begins[2:], self.end(node)], strict=True):
            own = self._style(traits(child.tag or "", child.attributes), node.mem_id)
            if own.display != "none" and not own.out:
                self._part(strip, own, child, begin, end)

    def _float_children(self, here: Here, node: "LexborNode", outer: int) -> None:
        """Set boxes that float at the sides of their parent, and what follows them beside them."""
        parent = node.parent
        if parent is None or parent.mem_id in self._floated:
            return
        self._floated.add(parent.mem_id)
        children = self._children(parent)
        ends = [self.begin(child) for child in children[1:]] + [self.end(parent)]
        strip: Strip | None = None
        for child, end in zip(children, ends, strict=True):
            style = self._style(traits(child.tag or "", child.attributes), outer)
            if style.clear:
                strip = None
            if style.floats and strip is None:
                strip = self._strip("float", here, style)
            if strip is None or style.display == "none" or style.out:
                continue
            last = strip.parts[-1] if strip.parts else -1
            if not style.floats and last > 0 and self.regions[last].style is PLAIN:
                self._widen(strip, last, child, end)
            else:
                self._part(strip, style if style.floats else PLAIN, child, self.begin(child), end)

    def _widen(self, strip: Strip, region: int, child: "LexborNode", end: float) -> None:
        """Let one more element stand in a region."""
        known_region = self.regions[region]
        known_region.end = strip.end = max(known_region.end, end)
        known_region.letters += self._letters(child)
        self._region_of[child.mem_id] = region

    # ---- tables --------------------------------------------------------------------------------------------

    def _table(self, element: ElementTraits, style: ElementStyle, aligned: str, around: int) -> int:
        """Begin a table; return its number."""
        side = element.align
        made = ElementStyle(
            width=style.width or element.width,
            middle="center" in {side, aligned} or style.middle or around == 1,
            floats=side if side in {"left", "right"} else style.floats,
        )
        self.tables.append((made, 4.0, []))
        return len(self.tables) - 1

    def _row(self, here: Here, element: ElementTraits, node: "LexborNode") -> None:
        """Set the cells of a row side by side."""
        cells = self.cells.read(node)
        if not cells or len(self.regions) >= MAX_REGIONS or (len(cells) == 1 and not cells[0][1]):
            return  # a cell alone that says nothing is as wide as its table
        table = here[4]
        strip = self._strip("row", here, PLAIN, table)
        strip.high = element.high
        if table >= 0:
            self.tables[table][2].append(len(self.strips) - 1)
        ends = [self.begin(cell) for cell, _, _ in cells[1:]] + [self.end(node)]
        for (cell, attributes, columns), end in zip(cells, ends, strict=True):
            own = traits(cell.tag or "", attributes)
            wide = (self._style(own, node.mem_id) if self._ruled else own.style).width or own.width
            part = self._part(strip, ElementStyle(width=wide) if wide else PLAIN, cell, self.begin(cell), end)
            if part != here[0]:
                known_region = self.regions[part]
                known_region.span, known_region.rows, known_region.high = (
                    columns,
                    span(attributes.get("rowspan")),
                    own.high,
                )
