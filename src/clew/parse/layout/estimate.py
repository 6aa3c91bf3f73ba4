"""Estimate positions of links without a browser: widths top-down, heights bottom-up, positions top-down.

Lines are full, margins are what browsers give by default, columns of tables are as wide as what they hold.
That is wrong by a few lines here and there, and right about what is above, below, left and right.
"""

from clew.parse.layout.boxes import Here, PageRegion, Strip
from clew.parse.layout.element_styles import VIEW, ElementStyle
from clew.parse.layout.link_regions import LINE, LinkRegions

LETTER = 7.3
"""Pixels of a half-width character in the letters that browsers use by default, 16 pixels high."""

EDGE = 8.0
TALL = 800.0
"""Pixels of the window from top to bottom: how long lines are in vertical writing."""

_FULL = 0.96
"""Share of a line that is filled before a word has to go to the next one."""

_FILLED = 0.6
"""How full lines are: the longest of a list is longer than the others."""

_NARROW = 60.0
"""Pixels; with less room between boxes that float, what follows stands below them."""

_LEAST = 20.0
_MOST_COLUMNS = 256


class PageLayout:
    """Regions of a page with their positions in pixels."""

    def __init__(self, page: LinkRegions) -> None:
        self.page = page
        self.view = TALL if page.vertical else VIEW
        count = len(page.regions)
        self.left = [EDGE] * count
        self.width = [self.view - 2 * EDGE] * count
        self.top = [EDGE] * count
        self.natural = [self._wanted(region) for region in page.regions]
        self.height = [region.end - region.begin for region in page.regions]
        self.stretch = [1.0] * count
        self.heights = [0.0] * len(page.strips)
        self._columns: dict[int, int] = {}  # regions whose text fills several columns
        self._levels: dict[int, int] = {}  # regions of a strip that stand on its next lines
        self._done: set[int] = set()
        if page.strips:
            self._measure()
            self._spread()
            self._pile()
            self._drop()
        self.wide = max(self.view, max(map(float.__add__, self.left, self.width)) + EDGE)
        self.high = max(self.height[0] + 2 * EDGE, 1.0)

    def point(self, here: Here, down: float, before: float, long: float, line: float) -> tuple[float, float]:
        """Return the position of the middle of a link, as shares of the page's width and height.

        `down` is how far into its page it stands; `before`, `long` and `line` are half-width letters: those
        before the link in its block, its own, all of the block.
        """
        region, indent, align, big, _, _ = here
        letter = LETTER * big
        before, long, line = before * letter, long * letter, line * letter
        room = max((self.width[region] - indent) * _FULL, _LEAST)
        y = LINE / 2 * big
        if line <= room:
            x = before + (room - line) * align / 2
        else:
            rows = before // room
            x = before - rows * room
            if x + long > room:  # it goes on in the next line, and stands between both
                rows += min(long / room, 3.0) / 2
                x, long = 0.0, room
            y += rows * LINE
        depth, aside = self._depth(region, down)
        x = (x + self.left[region] + aside + indent + long / 2) / self.wide
        y = (y + self.top[region] + depth) / self.high
        x, y = min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)
        if self.page.vertical:
            return (1 - y if self.page.vertical == "vertical-rl" else y), x
        return x, y

    def _depth(self, region: int, down: float) -> tuple[float, float]:
        """Return the depth of a point in a region, and its offset if the region has columns."""
        own = self.page.regions[region]
        depth = down - own.begin
        if not own.strips and region not in self._columns:
            return depth * self.stretch[region], 0.0
        for number in own.strips:
            strip = self.page.strips[number]
            if strip.end > down:
                break
            depth -= strip.end - strip.begin - self.heights[number]
        depth = max(depth, 0.0) * self.stretch[region]
        if region not in self._columns:
            return depth, 0.0
        column = min(depth // max(self.height[region], 1.0), self._columns[region] - 1)
        return depth - column * self.height[region], column * self.width[region]

    def _wanted(self, region: PageRegion) -> float:
        """Return the natural width of a region: its letters on as many lines as its tags make."""
        lines = max(1.0, (region.end - region.begin) / LINE)
        return min(region.letters * LETTER / max(1.0, lines * _FILLED), 1e6)

    # ---- widths --------------------------------------------------------------------------------------------

    def _measure(self) -> None:
        """Compute the natural width of regions that contain strips: their parts in one line."""
        regions, natural = self.page.regions, self.natural
        for strip in reversed(self.page.strips):
            along = strip.indent
            for part in strip.parts:
                own = regions[part].style.width
                along += own if own > 0 else natural[part]
            if along > natural[strip.home] and strip.kind != "out":
                natural[strip.home] = min(along, 1e6)

    def _spread(self) -> None:
        """Give every region its left edge and its width; homes come before the strips in them."""
        for strip in self.page.strips:
            home = strip.home
            left, width = self.left[home] + strip.indent, max(1.0, self.width[home] - strip.indent)
            if strip.kind == "row":
                if strip.table < 0:
                    self._flex(strip, left, width)
                elif strip.table not in self._done:
                    self._done.add(strip.table)
                    self._table(strip, left, width)
            elif strip.kind == "solo" or strip.kind == "out":  # noqa: PLR1714
                self._alone(strip, left, width)
            elif strip.kind == "float":
                self._float(strip, left, width)
            elif strip.style.columns:
                self._grid(strip, left, width)
            else:
                self._flex(strip, left, width)

    def _set(self, part: int, left: float, width: float, level: int = 0) -> None:
        self.left[part], self.width[part] = left, max(1.0, width)
        if level:
            self._levels[part] = level

    def _mirror(self, parts: list[int], left: float, width: float) -> None:
        """Mirror the parts of a strip on right-to-left pages."""
        if self.page.mirrored:
            for part in parts:
                self.left[part] = 2 * left + width - self.left[part] - self.width[part]

    def _alone(self, strip: Strip, left: float, width: float) -> None:
        """Place a box with a stated width, centred or at a side if so stated."""
        style = strip.style
        natural = self.natural[strip.parts[0]] if style.out and strip.parts else width
        own = resolved(style.width, width) or natural
        if style.limit:
            own = min(own, resolved(style.limit, width))
        spare = width - own
        if style.left is not None:
            left += resolved(style.left, width)
        elif style.right is not None:
            left += spare - resolved(style.right, width)
        elif spare > 0 and (style.middle or self.page.mirrored):
            left += spare / 2 if style.middle else spare
        for part in strip.parts:
            if style.display == "columns":
                self._columns[part] = len(style.columns)
                own /= len(style.columns)
            self._set(part, left, own)

    def _float(self, strip: Strip, left: float, width: float) -> None:
        """Set floating boxes at the sides, and what follows them between."""
        begin, end, level = left, left + width, 0
        for part in strip.parts:
            style = self.page.regions[part].style
            if not style.floats:
                if end - begin < _NARROW:
                    begin, end, level = left, left + width, level + 1
                self._set(part, begin, end - begin, level)
                continue
            own = min(resolved(style.width, width) or self.natural[part] + 2, width)
            if own > end - begin + 2:
                begin, end, level = left, left + width, level + 1
            if style.floats == "left":
                self._set(part, begin, own, level)
                begin += own
            else:
                self._set(part, end - own, own, level)
                end -= own

    def _grid(self, strip: Strip, left: float, width: float) -> None:
        """Set the children of a grid into its columns."""
        tracks = strip.style.columns
        fixed = sum(track for track in tracks if track > 0)
        shares = -sum(track for track in tracks if track < 0) or 1.0
        widths = [track if track > 0 else -track * max(0.0, width - fixed) / shares for track in tracks]
        edges = _edges(widths, width)
        for place, part in enumerate(strip.parts):
            line, column = divmod(place, len(tracks))
            self._set(part, left + edges[column], edges[column + 1] - edges[column], line)
        self._mirror(strip.parts, left, width)

    def _flex(self, strip: Strip, left: float, width: float) -> None:
        """Set boxes side by side, on several lines where they wrap."""
        styles = [self.page.regions[part].style for part in strip.parts]
        widths = [
            self._natural_width(part, style, width) for part, style in zip(strip.parts, styles, strict=True)
        ]
        grows = [style.grow for style in styles]
        if strip.kind == "wrap" and sum(widths) > width + 1:
            line: list[int] = []
            used, level = 0.0, 0
            for place, own in enumerate(widths):
                if line and used + own > width + 1:
                    self._line(strip, line, widths, (left, width - used, level))
                    line, used, level = [], 0.0, level + 1
                line.append(place)
                used += own
            self._line(strip, line, widths, (left, width - used, level))
        else:
            spare = width - sum(widths)
            if spare > 0 and (whole := sum(grows)):
                widths = [own + spare * grow / whole for own, grow in zip(widths, grows, strict=True)]
                spare = 0.0
            elif spare < 0:
                widths = [own * width / sum(widths) for own in widths]
                spare = 0.0
            self._line(strip, list(range(len(widths))), widths, (left, spare, 0))
        self._mirror(strip.parts, left, width)

    def _natural_width(self, part: int, style: ElementStyle, width: float) -> float:
        return resolved(style.width, width) or (0.0 if style.grow else min(width, self.natural[part] + 2))

    def _line(
        self, strip: Strip, places: list[int], widths: list[float], room: tuple[float, float, int]
    ) -> None:
        """Set boxes along one line: its left edge, the room they leave, which line of the strip it is."""
        left, spare, level = room
        justify, gap = strip.style.justify, 0.0
        if spare > 0 and places:
            if justify in {"center", "flex-end", "end", "right"}:
                left += spare / 2 if justify == "center" else spare
            elif justify == "space-between" and len(places) > 1:
                gap = spare / (len(places) - 1)
            elif justify in {"space-around", "space-evenly"}:
                gap = spare / len(places)
                left += gap / 2
        for place in places:
            self._set(strip.parts[place], left, widths[place], level)
            left += widths[place] + gap

    def _table(self, first: Strip, left: float, width: float) -> None:
        """Share a table's width among its columns: as stated, the rest by their content."""
        style, _, rows = self.page.tables[first.table]
        grid, count = self._cells(rows)
        if not count:
            return
        wanted, asked = self._natural_widths(grid, count, resolved(style.width, width) or width)
        total = resolved(style.width, width) or min(width, sum(map(max, wanted, asked)) + 8)
        spare = width - total
        if spare > 0:
            left += spare / 2 if style.middle else spare if style.floats == "right" else 0.0
        free = [column for column in range(count) if not asked[column]]
        need, rest = sum(wanted[column] for column in free), total - sum(asked)
        if free and need and rest > 0:
            for column in free:
                asked[column] = wanted[column] * rest / need
        edges = _edges([own or 4.0 for own in asked], total)
        for cell, begin, end in grid:
            self._set(cell, left + edges[begin] + 3, edges[end] - edges[begin] - 4)
        if self.page.mirrored:
            self._mirror([cell for cell, _, _ in grid], left, total + max(0.0, spare))

    def _cells(self, rows: list[int]) -> tuple[list[tuple[int, int, int]], int]:
        """Return the cells of a table with the first column they cover and the one after the last."""
        regions, strips = self.page.regions, self.page.strips
        grid, count = [], 0
        busy: dict[int, int] = {}
        for number in rows:
            at = 0
            for part in strips[number].parts:
                cell = regions[part]
                while busy and busy.get(at, 0) > 0:
                    at += 1
                at = min(at, _MOST_COLUMNS - 1)
                end = min(at + cell.span, _MOST_COLUMNS)
                grid.append((part, at, end))
                if cell.rows > 1:
                    busy.update(dict.fromkeys(range(at, end), cell.rows))
                at = end
            count = max(count, at)
            if busy:
                busy = {column: left - 1 for column, left in busy.items() if left > 1}
        return grid, count

    def _natural_widths(
        self, grid: list[tuple[int, int, int]], count: int, total: float
    ) -> tuple[list[float], list[float]]:
        """Return the natural widths of columns, and the stated widths of some."""
        wanted, asked = [4.0] * count, [0.0] * count
        natural, regions, wide = self.natural, self.page.regions, []
        for each in grid:
            cell, begin, end = each
            if end - begin > 1:
                wide.append(each)
                continue
            wanted[begin] = max(wanted[begin], natural[cell] + 4)
            if own := regions[cell].style.width:
                asked[begin] = max(asked[begin], resolved(own, total))
        for cell, begin, end in wide:
            short = natural[cell] - sum(wanted[begin:end])
            if short > 0:
                for column in range(begin, end):
                    wanted[column] += short / (end - begin)
        return wanted, asked

    # ---- heights -------------------------------------------------------------------------------------------

    def _pile(self) -> None:
        """Compute the heights of regions and strips, the innermost first."""
        regions, strips = self.page.regions, self.page.strips
        for number in range(len(strips) - 1, -1, -1):
            strip = strips[number]
            for part in strip.parts:
                self._fill(part, regions[part])
            self.heights[number] = self._across(strip)
            self.height[strip.home] += self.heights[number] - (strip.end - strip.begin)

    def _fill(self, number: int, region: PageRegion) -> None:
        """Let the words of a region take the room they need; text in columns needs less height."""
        if not region.strips:
            need = region.letters * LETTER / max(self.width[number] * _FULL, _LEAST) * LINE
            if need > self.height[number] >= 2 * LINE:
                self.stretch[number] = need / self.height[number]
            self.height[number] = max(need, self.height[number], LINE)
        if number in self._columns:
            self.height[number] /= self._columns[number]

    def _drop(self) -> None:
        """Give every region its top; homes come before the strips in them."""
        moved = [0.0] * len(self.top)
        for strip in self.page.strips:
            depth, aside = self._depth(strip.home, strip.begin)
            above, aside = self.top[strip.home] + depth - EDGE, aside + moved[strip.home]
            for part in strip.parts:
                self.top[part] += above
                if aside:
                    self.left[part] += aside
                    moved[part] = aside

    def _across(self, strip: Strip) -> float:
        """Place the parts of a strip, on one line or several; return its height."""
        height, levels, top = self.height, self._levels, self.top
        if strip.kind == "out":
            return 0.0
        begin = tall = 0.0
        level = 0
        for part in strip.parts:
            if levels and (own := levels.get(part, 0)) != level:
                begin, tall, level = begin + tall, 0.0, own
            top[part] += begin
            tall = max(tall, height[part])
        if strip.kind == "row":
            for part in strip.parts:
                if height[part] < tall:
                    high = self.page.regions[part].high or strip.high
                    if high != "top" and high != "baseline":  # noqa: PLR1714
                        top[part] += (tall - height[part]) / (1 if high == "bottom" else 2)
            tall += self.page.tables[strip.table][1] if strip.table >= 0 else 0.0
        return begin + tall


def resolved(size: float, whole: float) -> float:
    """Return pixels: a size below 0 is a share of the whole."""
    return -size * whole if size < 0 else size


def _edges(widths: list[float], total: float) -> list[float]:
    """Return where columns begin and end when they share a width."""
    whole = sum(widths) or 1.0
    share, at, edges = total / whole, 0.0, [0.0]
    for width in widths:
        at += width * share
        edges.append(at)
    return edges
