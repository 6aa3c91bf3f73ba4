"""The lines of a page in one walk: how much stands on each, in which region of the page, and which links.

A *run* is what stands between two borders of blocks: words, pictures, links, on as many lines as it needs. A
*region* is a part of the page with a width of its own: a cell, a column, a box that floats. Regions that
stand side by side form a *strip*. Nothing has a place yet; `layout` finds it.
"""

from collections.abc import Iterable, Iterator

from clew.parse.boxes import Here, Region, Run, Strip
from clew.parse.cells import Cells
from clew.parse.pieces import BLOCKS, LINKS, RAW, behind_comment, skip
from clew.parse.sheets import Sheets
from clew.parse.traits import PLAIN, Style, Traits, traits
from clew.types import Area

LETTER = 7.3
"""Pixels of a half-width character in the letters that browsers use by default, 16 pixels high."""

INDENT = 40.0
MAX_REGIONS = 4_000
"""Regions of one page; what would be more stays in the region it is in."""

_MARGINS = {
    "p": 16.0, "ul": 16.0, "ol": 16.0, "dl": 16.0, "blockquote": 16.0, "pre": 14.0, "menu": 16.0, "dir": 16.0,
    "figure": 16.0, "h1": 21.5, "h2": 20.0, "h3": 18.7, "h4": 21.3, "h5": 22.2, "h6": 24.9,
}  # fmt: skip
_SCALES = {"h1": 2.0, "h2": 1.5, "h3": 1.17, "h5": 0.83, "h6": 0.67}
_INDENTED = frozenset({"ul", "ol", "menu", "dir", "dd", "blockquote"})
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_THINGS = {
    "img": (20.0, 18.0), "input": (150.0, 22.0), "textarea": (180.0, 40.0), "select": (100.0, 20.0),
    "video": (300.0, 150.0), "canvas": (300.0, 150.0), "object": (300.0, 150.0), "embed": (300.0, 150.0),
}  # fmt: skip
"""Width and height in pixels of what is no text, where the page does not say."""

_CLOSED = frozenset({"select", "textarea"})


class Lines:
    """Runs, regions, strips and links of one page.

    `sheets` are the rules the page brings, `elsewhere` says that it names sheets which nobody has read.
    """

    def __init__(self, sheets: Sheets, *, elsewhere: bool = False) -> None:
        self.runs: list[Run] = []
        self.regions = [Region()]
        self.strips: list[Strip] = []
        self.tables: list[tuple[Style, float, list[int]]] = []  # style, space around cells, rows
        self.spots: list[tuple[int, float]] = []  # of each link: its run, and what stands before it there
        self.lengths: list[float] = []  # of each link, in pixels; below 0 it is as wide as its region
        self.pseudo: list[tuple[int, int, int]] = []  # of each link: pseudo cell, tags of blocks before, area
        self.cells = Cells()
        self.tags = 0
        self.mirrored = False
        self.vertical = ""
        self._sheets = sheets
        self._ruled = bool(sheets)
        self._elsewhere = elsewhere
        self._here: Here = (0, 0.0, "", LETTER, -1, 0, 0, 0)
        self._stack: list[tuple[Here, tuple[int, Here] | None, int, bool]] = []
        self._chain: list[Traits] = []
        self._beside: tuple[int, Here] | None = None  # floats of the open element: strip, and where it was
        self._table = -1
        self._size = self._tall = self._gap = 0.0
        self._hushed = 0.0
        self._link = -1
        self._fresh = False  # does a link stand in the run that is open?
        self._pieces: Iterator[str] = iter(())

    def read(self, cut: Iterable[str]) -> None:
        """Walk over a page that was cut at its tags."""
        act, verbs = _VERBS.get, [getattr(self, name) for name in _NAMES]
        self._pieces = pieces = iter(cut)
        for piece in pieces:
            head, _, text = piece.partition(">")
            verb = act(head)
            if verb is None:
                verb = act(head.partition(" ")[0])
                if verb is None and head.startswith("!"):
                    text = behind_comment(pieces, piece)
            if verb is not None:
                verbs[verb](head)
            if text and not text.isspace():
                if "\n" in text or "  " in text:
                    text = " ".join(text.split())
                wide = len(text) if text.isascii() else (len(text) + len(text.encode("utf-8", "ignore"))) / 2
                self._size += wide * self._here[3]
        self._end()

    # ---- what stands in lines ------------------------------------------------------------------------------

    def _follow(self, head: str) -> None:
        """Note where a link stands."""
        here = self._here
        if self._ruled and head[:2] in {"a", "a "} and self._boxed(head):
            here = self._here
        if head.startswith("frame"):
            self.tags += 1
        self.pseudo.append((here[6], self.tags, here[5]))
        self._link, self._fresh = len(self.spots), True
        self.spots.append((len(self.runs), self._size))
        self.lengths.append(0.0)
        if head.startswith("iframe"):
            self._skip(head)
            self._size += 300.0
            self._tall = max(self._tall, 150.0)

    def _boxed(self, head: str) -> bool:
        """Tell whether rules make a box of a link, and begin it."""
        said = traits(head)
        style = self._sheets.style(said, self._chain)
        if style.display not in {"block", "flex"} and not style.floats and self._here[4] < 0:
            self._push(said, inline=True)
            return False
        self._open_box(said, style)
        return True

    def _leave(self, _: str) -> None:
        """Note where a link ends."""
        link = self._link
        if link >= 0:
            number, before = self.spots[link]
            self.lengths[link] = self._size - before if number == len(self.runs) else -1.0
            self._link = -1
        if self._ruled and self._stack:
            self._back()

    def _break(self, _: str) -> None:
        self._end(broken=True)

    def _rule(self, _: str) -> None:
        """Draw a line across the region."""
        self._end()
        self.tags += 1
        self._gap = max(self._gap, 8.0)
        self._tall = 2.0
        self._size = 1.0
        self._end()
        self._gap = 8.0

    def _thing(self, head: str) -> None:
        """Put a picture or a field on the line, as large as it says."""
        said = traits(head)
        width, height = _THINGS[said.tag]
        if said.tag == "input" and 'type="hidden"' in head:
            return
        if said.tag == "img" and not said.width and (alt := head.partition(' alt="')[2].partition('"')[0]):
            width = max(width, min(LETTER * len(alt), 400.0))
        self._size += said.width if said.width > 0 else width
        self._tall = max(self._tall, said.height or height)
        if said.tag in _CLOSED:
            self._skip(said.tag)

    def _end(self, *, broken: bool = False) -> None:
        """End the run, if there is anything in it."""
        size = self._size
        if not size and not broken and not self._fresh:
            return
        here, number = self._here, len(self.runs)
        region = self.regions[here[0]]
        tall = self._tall if size or broken else 0.01  # a link without words has no height
        self.runs.append((here[0], size, tall, self._gap, here[1], here[2], here[3]))
        region.content.append(number)
        region.widest = max(region.widest, size + here[1])
        self._size = self._tall = self._gap = 0.0
        self._fresh = False

    def _hush(self, _: str) -> None:
        """Begin a title, which is not shown."""
        self._hushed = self._size

    def _speak(self, _: str) -> None:
        self._size = self._hushed

    def _skip(self, head: str) -> None:
        skip(self._pieces, head.partition(" ")[0])

    # ---- boxes ---------------------------------------------------------------------------------------------

    def _open(self, head: str) -> None:
        """Begin a block: a new line, perhaps a region of its own."""
        self.tags += 1
        if " " not in head and not self._ruled and self._here[4] < 0 and head in _SIMPLE:
            if self._size or self._fresh:
                self._cut()
            self._stack.append((self._here, self._beside, self._table, False))
            self._beside = None
            return
        said = traits(head)
        style = self._sheets.style(said, self._chain) if self._ruled else said.style
        if self._elsewhere and style is PLAIN:
            style = said.customary
        self._open_box(said, style)

    def _cut(self) -> None:
        """End the run before a block; a link that has just begun stands where the block begins."""
        link = self._link
        if link >= 0 and self.spots[link] == (len(self.runs), self._size):
            if self._size:
                self._fresh = False
                self._end()
            self.spots[link] = (len(self.runs), 0.0)
            self._fresh = True
        else:
            self._end()

    def _open_box(self, said: Traits, style: Style) -> None:
        """Begin a box with a style."""
        tag = said.tag
        if style.display == "inline":
            self._push(said, inline=True)
            return
        if self._size or self._fresh:
            self._cut()
        if self._beside is not None and style.clear:
            self._here, self._beside = self._beside[1], None
        inner = self._placed(style)
        region, indent, align, letter, strip, area, cell, row = inner
        if (margin := _MARGINS.get(tag, 0.0)) and not (indent and tag in _LISTS):
            self._gap = max(self._gap, margin)
        indent += INDENT * (tag in _INDENTED)
        if style.scale or tag in _SCALES:
            letter = LETTER * (style.scale or _SCALES[tag])
        align = style.align or said.align or ("center" if tag == "center" else align)
        if tag == "html" or tag == "body":  # noqa: PLR1714 - a set costs more
            self._whole(said, style)
        if said.area >= 0 and not (area == Area.MAIN and said.area == Area.HEADER):
            area = said.area
        self._push(said)
        if style.display in {"flex", "wrap", "grid"}:
            strip = self._strip(style.display, region, style, indent)
        self._here = (region, indent, align, letter, strip, area, cell, row)
        if tag == "table":
            self._begin_table(said, style, align)

    def _whole(self, said: Traits, style: Style) -> None:
        """Note what the whole page is like: from right to left, or in columns."""
        self.mirrored = self.mirrored or said.mirrored or style.mirrored
        self.vertical = style.vertical or self.vertical

    def _placed(self, style: Style) -> Here:
        """Return where the inside of a box goes that stands here: a region of its own if it needs one."""
        here = self._here
        region, indent, align, letter, strip, area, cell, row = here
        if style is PLAIN and strip < 0:
            return here
        if style.display == "none" or style.out:
            region, indent = self._part(self._strip("out", region, style, indent), style), 0.0
        elif strip >= 0:
            region, indent = self._part(strip, style), 0.0
        elif style.floats:
            if self._beside is None:
                known = self._strip("float", region, style, indent)
                self._beside = (known, here)
            region, indent = self._floated(self._beside[0], style), 0.0
        elif style.width or style.limit:
            region, indent = self._part(self._strip("solo", region, style, indent), style), 0.0
        return region, indent, align, letter, -1, area, cell, row

    def _floated(self, number: int, style: Style) -> int:
        """Add a box that floats; what comes after it in its parent goes beside it."""
        parts = self.strips[number].parts
        last = parts[-1] if parts else -1
        empty = last >= 0 and self.regions[last].style is PLAIN and not self.regions[last].content
        if empty:
            parts.pop()
        made = self._part(number, style)
        if empty:
            parts.append(last)
            beside = last
        else:
            beside = self._part(number, PLAIN)
        here = self._here
        self._here = (beside, 0.0, *here[2:])
        return made

    def _push(self, said: Traits, *, inline: bool = False) -> None:
        self._stack.append((self._here, self._beside, self._table, inline))
        if self._ruled:
            self._chain.append(said)
        if not inline:
            self._beside = None

    def _close(self, head: str) -> None:
        """End a block."""
        self.tags += 1
        margin = _MARGINS.get(head[1:], 0.0)
        inline = self._back()
        if margin and not inline and not (self._here[1] and head[1:] in _LISTS):
            self._gap = max(self._gap, margin)

    def _back(self) -> bool:
        """Go back to what stands around the open element; tell whether that is within a line."""
        if not self._stack:
            return True
        here, beside, table, inline = self._stack.pop()
        if not inline and (self._size or self._fresh):
            self._end()
        if not inline:
            self._here, self._beside, self._table = here, beside, table
        if self._chain:
            self._chain.pop()
        return inline

    def _strip(self, kind: str, home: int, style: Style, indent: float, table: int = -1) -> int:
        """Begin a strip in a region, below the margin of what stands above."""
        number = len(self.strips)
        if self._gap:
            self.regions[home].content.append(len(self.runs))
            self.runs.append((home, 0.0, 0.0, self._gap, 0.0, "", LETTER))
            self._gap = 0.0
        self.strips.append(Strip(kind, home, style, indent, table))
        self.regions[home].content.append(~number)
        return number

    def _part(self, strip: int, style: Style) -> int:
        """Add a region to a strip; return its number."""
        number = len(self.regions)
        if number >= MAX_REGIONS:
            return self.strips[strip].home
        self.regions.append(Region(style))
        self.strips[strip].parts.append(number)
        return number

    # ---- tables --------------------------------------------------------------------------------------------

    def _begin_table(self, said: Traits, style: Style, align: str) -> None:
        side = said.align
        made = Style(
            width=style.width or said.width,
            middle=side == "center" or style.middle or align == "center",
            floats=side if side in {"left", "right"} else style.floats,
        )
        self._table = len(self.tables)
        self.tables.append((made, 4.0, []))
        region, indent, _, letter, _, area, cell, row = self._here
        self._here = (region, indent, "right" if self.mirrored else "", letter, -1, area, cell, row)

    def _row(self, head: str) -> None:
        """Begin a row."""
        if self._size or self._fresh:
            self._cut()
        self._push(traits(head) if self._ruled else _NOTHING)
        region, indent, align, letter, _, area, cell, _ = self._here
        strip = -1
        if len(self.regions) < MAX_REGIONS:
            strip = self._strip("row", region, PLAIN, indent, self._table)
            if self._table >= 0:
                self.tables[self._table][2].append(strip)
        self._here = (region, indent, align, letter, strip, area, cell, self.cells.row(cell))

    def _cell(self, head: str) -> None:
        """Begin a cell."""
        if self._size or self._fresh:
            self._end()
        region, _, align, letter, strip, area, _, row = self._here
        said = _CELL if head == "td" else traits(head)
        style = self._sheets.style(said, self._chain) if self._ruled else said.style
        self._push(said)
        wide = style.width or said.width
        if strip >= 0:
            home, region = region, self._part(strip, Style(width=wide) if wide else PLAIN)
            if said is not _CELL and region != home:
                kept = self.regions[region]
                kept.span, kept.rows, kept.high = said.span, said.rows, said.high
        align = style.align or said.align or ("center" if said.tag == "th" else align)
        area = said.area if said.area >= 0 else area
        self._here = (region, 0.0, align, letter, -1, area, self.cells.cell(row, said.span), row)
        self._gap = 0.0

    def _close_part(self, _: str) -> None:
        """End a row or a cell."""
        self._back()
        self._gap = 0.0


_NOTHING, _CELL = traits("tr"), traits("td")
_SIMPLE = frozenset({"div", "section", "form", "li", "dt", "fieldset", "address", "figcaption"})
_NAMES = (
    "_follow", "_leave", "_break", "_rule", "_thing", "_skip", "_open", "_close", "_row", "_cell",
    "_close_part", "_hush", "_speak",
)  # fmt: skip


def _verbs() -> dict[str, int]:
    sorts = {
        "_follow": LINKS, "_leave": {"/a"}, "_break": {"br"}, "_rule": {"hr"}, "_thing": _THINGS,
        "_skip": RAW, "_open": BLOCKS,
        "_close": {f"/{tag}" for tag in BLOCKS}, "_row": {"tr"}, "_cell": {"td", "th"},
        "_close_part": {"/tr", "/td", "/th"}, "_hush": {"title"}, "_speak": {"/title"},
    }  # fmt: skip
    return {head: _NAMES.index(name) for name, heads in sorts.items() for head in heads}


_VERBS = _verbs()
