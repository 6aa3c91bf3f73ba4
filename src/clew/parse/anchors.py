"""The links of a page: URL, anchor, context, tag path, rel and position.

Links come in groups (a menu, a list, a paragraph), so tag paths and block texts are cached for each
parent node: the fortieth link of a menu costs a look-up.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from clew import urls
from clew.parse.charset import query_in
from clew.parse.layout.block_heights import BLOCKS, FIELD, HEIGHTS
from clew.parse.layout.boxes import Here
from clew.parse.layout.coordinates import Coordinates, Note, Place
from clew.parse.layout.element_styles import AREAS
from clew.parse.layout.table_columns import CELLS, Share
from clew.parse.safe_text import each, line
from clew.types import Kind, Links

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_LINKS = 5_000
MAX_ANCHOR = 200
MAX_CONTEXT = 200
_RAW_ANCHOR = 4 * MAX_ANCHOR  # characters of an anchor that are read, white space included
MAX_PATH = 200
_TYPE = 100
_STEPS = 12
_CLASSES = 2
_SURROUNDINGS = 4_000_000  # characters of block text read for one page: nested blocks could be quadratic
_NEAR = 20_000  # characters in which an anchor is looked for in a long block
_PIXELS = 2 * FIELD
_PICTURE = 8.0  # width of an image without text, in half-width letters


Around: TypeAlias = tuple[str, int, int, int, Share, Here, str, int]
"""What is around a link: tag path, its steps, block, how many blocks are open, cell, place, tag, element."""

UNKNOWN: Place = (0.0, 0.0, 0.0, 0.0, 0)
_FRAMES = frozenset({"frame", "iframe"})
_ELSEWHERE = ("#", "javascript:", "mailto:", "tel:", "data:")  # other spellings fail later and slower
_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "center", "cite", "code", "del", "dfn", "em", "font",
    "i", "img", "ins", "kbd", "label", "mark", "nobr", "noscript", "picture", "q", "s", "samp", "small",
    "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
})  # fmt: skip
_FEEDS = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"}
)
_NO_NAME = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code) in "-_"))


class Collector:
    """Collect links as columns; of a repeated URL only a longer anchor is used."""

    def __init__(
        self, *, base: str, canon: urls.Canon, encoding: str = "utf-8", limit: int = MAX_LINKS
    ) -> None:
        self.base = base
        self.canon = canon
        self.encoding = encoding
        self.limit = limit
        self._anchors: dict[str, str] = {}
        self._rest: list[tuple[str, str, str, float, Kind, str]] = []
        self._places: dict[int, Place] = {}

    def url_of(self, href: str) -> str | None:
        """Return the canonical URL of a reference, or None when it cannot be fetched."""
        if self.encoding != "utf-8" and not href.isascii():
            href = query_in(href, self.encoding)
        return self.canon(href, self.base) if href else None

    def is_known(self, url: str, anchor: str) -> bool:
        """Return whether a URL can be skipped: found on this page before, or beyond the limit."""
        before = self._anchors.get(url)
        if before is None:
            return len(self._rest) >= self.limit
        if len(anchor) > len(before):
            self._anchors[url] = anchor
        return True

    def keep(  # noqa: PLR0917 - called fifty times a page: names would cost 10 µs
        self,
        url: str,
        anchor: str,
        context: str,
        path: str,
        rel: str,
        position: float,
        kind: Kind = Kind.PAGE,
        type: str = "",
    ) -> int:
        """Add a link that is not `is_known`; return its number."""
        self._anchors[url] = anchor
        self._rest.append((context, path, rel, position, kind, type))
        return len(self._rest) - 1

    def set_positions(self, places: Mapping[int, Place]) -> None:
        """Set the positions of links, by their numbers."""
        self._places.update(places)

    def add(  # noqa: PLR0917
        self,
        href: str,
        anchor: str,
        context: str,
        path: str,
        rel: str,
        position: float,
        kind: Kind = Kind.PAGE,
    ) -> None:
        """Add one link, unless it cannot be fetched."""
        url = self.url_of(href)
        if url is not None and not self.is_known(url, anchor):
            self.keep(url, anchor, context, path, rel, position, kind)

    def links(self) -> Links:
        """Return the collected links."""
        if not self._rest:
            return Links()
        found = list(self._anchors)
        contexts, paths, rels, positions, kinds, types = zip(*self._rest, strict=True)
        origin, shared = urls.origin, dict[str, str]()
        positioned = np.array([self._places.get(row, UNKNOWN) for row in range(len(found))], np.float32)
        return Links(
            urls=found,
            origins=[shared.setdefault(o, o) for o in map(origin, found)],
            hashes=np.array(list(map(urls.fingerprint, found)), np.uint64),
            anchors=each(list(self._anchors.values()), MAX_ANCHOR),
            contexts=each(list(contexts), MAX_CONTEXT),
            paths=list(paths),
            rels=list(rels),
            positions=np.array(positions, np.float32),
            kinds=list(kinds),
            coordinates=np.ascontiguousarray(positioned[:, :4]),
            areas=positioned[:, 4].astype(np.uint8),
            types=list(types),
        )


class Surroundings:
    """Tag paths, block texts and positions of one document, each computed once."""

    def __init__(self, coordinates: Coordinates) -> None:
        self._coordinates = coordinates
        self._regions = coordinates.regions
        self._outside: Around = ("", 0, 0, 1, (0.0, 1.0), coordinates.outside, "html", 0)
        self._around: dict[int, Around] = {}
        self._blocks: dict[int, tuple[LexborNode, str]] = {}
        self._texts: dict[int, str] = {}
        self._lines: dict[int, tuple[float, float, int]] = {}  # of blocks: width, that of a letter, blanks
        self._cursors: dict[int, int] = {}
        self._left = _SURROUNDINGS

    def around(self, node: "LexborNode | None") -> Around:
        """Return what is around the children of a node: computed from the root downwards, each once."""
        chain, known = [], None
        while node is not None and (known := self._around.get(node.mem_id)) is None:
            tag = node.tag
            if tag is None or tag == "html" or tag == "-document":  # noqa: PLR1714 - a set costs more
                break
            chain.append((node, tag))
            node = node.parent
        known = known or self._outside
        for inner, tag in reversed(chain):
            known = self._enter(known, inner, tag)
        return known

    def _enter(self, outer: Around, node: "LexborNode", tag: str) -> Around:
        path, count, block, deep, share, here, above, around = outer
        number, attributes = node.mem_id, node.attributes
        path, count = longer(path, count, _step(tag, attributes.get("class")))
        if tag not in _INLINE or not block:
            block = number
            self._blocks[number] = node, tag
        if tag in CELLS and above == "tr" and (row := node.parent) is not None:
            share = self._coordinates.cells.share(node, row, share)
        if self._regions is not None:
            here = self._regions.enter(here, tag, attributes, node, around)
        elif tag in AREAS:
            here = (*here[:-1], AREAS[tag])
        made = self._around[number] = path, count, block, deep + (tag in BLOCKS), share, here, tag, number
        return made

    def text(self, block: int, anchor: str) -> tuple[str, int]:
        """Return the text of a block, or the part of it around the `anchor`, and the offset of the anchor.

        `anchor` is the text of the link as it is written.
        """
        text = self._texts.get(block)
        if text is None:
            text = ""
            if block and self._left > 0:
                text = self._blocks[block][0].text(separator=" ")
                self._left -= len(text) + 100
            self._texts[block] = text
        start = self._cursors.get(block, 0)
        at = text.find(anchor[:60], start, start + _NEAR) if anchor else start
        if at < 0:
            at = start
        self._cursors[block] = at + 1
        if len(text) <= MAX_CONTEXT:
            return text, at
        begin = max(0, at - max(40, (MAX_CONTEXT - len(anchor)) // 2))
        return text[begin : begin + MAX_CONTEXT], at

    def note(self, around: Around, walked: int, node: "LexborNode", anchor: str, at: int) -> Note:
        """Return what the position of a link is computed from; `at` is its offset in its block."""
        _, _, block, deep, share, here, _, _ = around
        if self._regions is None or not block:
            return walked, deep, share, here, 0.0, 0.0, 0.0
        text, long = self._texts[block], width(anchor) or _PICTURE
        if self._regions.strips and (alone := self._regions.own_box(node, here)) is not None:
            return walked, deep, share, alone, 0.0, long, long
        top = self._regions.starts.get(block, 0) >> _PIXELS
        # A block with nothing else in it, or with line breaks before the link: the link begins a line.
        if len(text) <= len(anchor) + 2 or walked >> _PIXELS > top + HEIGHTS.get(self._blocks[block][1], 0):
            return walked, deep, share, here, 0.0, long, long
        known = self._lines.get(block)
        if known is None:
            line, blank = width(" ".join(text[:_NEAR].split())), len(text) - len(text.lstrip())
            known = self._lines[block] = line, line / max(1, len(text) - blank), blank
        line, letter, blank = known
        return walked, deep, share, here, max(0, at - blank) * letter, long, max(line, long)


def width(text: str) -> float:
    """Return how wide a text is in half-width letters, without the blanks around it.

    >>> width(" two words "), width("東京")
    (9, 4.0)
    """
    text = text.strip()
    return len(text) if text.isascii() else (len(text) + len(text.encode("utf-8", "replace"))) / 2


def collect(
    found: Iterable[tuple[float, int, "LexborNode", str]], collector: Collector, coordinates: Coordinates
) -> None:
    """Read the links of a document into `collector`: position, sum of the walk, element and tag, in order."""
    surroundings, notes = Surroundings(coordinates), dict[int, Note]()
    for position, walked, node, tag in found:
        attributes = node.attributes
        href = attributes.get("src" if tag in _FRAMES else "href")
        if not href or href.startswith(_ELSEWHERE):
            continue
        rel = attributes.get("rel") or ""
        if tag == "link":
            kind = _kind(rel.lower().split(), attributes)
            if kind is not None:
                anchor = line(attributes.get("title") or "", MAX_ANCHOR)
                collector.add(href, anchor, "", "head/link", line(rel.lower(), 80), position, kind)
            continue
        url = collector.url_of(href)
        if url is None or href.isspace():
            continue
        text = node.text(separator=" ")[:_RAW_ANCHOR] if tag == "a" else ""
        anchor = _other_words(node, attributes) if not text or text.isspace() else text
        if collector.is_known(url, anchor):
            continue
        around = surroundings.around(node.parent)
        context, at = surroundings.text(around[2], text)
        path, _ = longer(around[0], around[1], _step(tag, attributes.get("class")))
        number = collector.keep(
            url, anchor, context, path, line(rel.lower(), 80) if rel else "", position, Kind.PAGE,
            _type(attributes),
        )  # fmt: skip
        notes[number] = surroundings.note(around, walked, node, text, at)
    collector.set_positions(dict(zip(notes, coordinates.places(list(notes.values())), strict=True)))


def longer(path: str, count: int, step: str) -> tuple[str, int]:
    """Append a step to a tag path; the first steps are dropped when it grows too long."""
    if not count:
        return step, 1
    path = f"{path}/{step}"
    count += 1
    while count > _STEPS or len(path) > MAX_PATH:
        path, count = path.partition("/")[2], count - 1
    return path, count


def _other_words(node: "LexborNode", attributes: dict[str, str | None]) -> str:
    """Return a replacement for the missing text of a link: the alt text of its image, else its title."""
    label = attributes.get("alt")
    if not label and (picture := node.css_first("img[alt]")) is not None:
        label = picture.attributes.get("alt")
    label = label or attributes.get("title") or attributes.get("aria-label")
    return line(label, MAX_ANCHOR) if label else ""


def _type(attributes: dict[str, str | None]) -> str:
    """Return the type attribute of a link, else the file name of its download attribute."""
    label = attributes.get("type") or attributes.get("download")
    return line(label, _TYPE).lower() if label else ""


def _kind(rels: list[str], attributes: dict[str, str | None]) -> Kind | None:
    """Return what a `<link>` in the head leads to, or None when it is no link to follow."""
    if "next" in rels or "prev" in rels or "previous" in rels:
        return Kind.PAGE
    if "alternate" in rels and "stylesheet" not in rels:
        if (attributes.get("type") or "").partition(";")[0].strip().lower() in _FEEDS:
            return Kind.FEED
        if attributes.get("hreflang"):
            return Kind.PAGE
    return None


@lru_cache(maxsize=8_192)
def _step(tag: str, classes: str | None) -> str:
    tag = _name(tag[:20])
    if not classes:
        return tag
    names = [_name(name[:30]) for name in classes[:200].split()[:_CLASSES]]
    return ".".join([tag, *filter(None, names)])


def _name(text: str) -> str:
    return text.encode("ascii", "ignore").translate(None, _NO_NAME).decode()
