"""The links of a page as columns: URL, anchor, context, tag path, rel and position."""

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from clew import urls
from clew.domain.compiled import compiled
from clew.parse.charset import query_in
from clew.parse.html_walk import FoundLink, HtmlWalk
from clew.parse.layout.block_heights import TAGS
from clew.parse.layout.coordinates import Coordinates, Note, Place
from clew.parse.link_reader import Walk
from clew.parse.safe_text import each, line
from clew.parse.surroundings import Surroundings
from clew.parse.tag_paths import child
from clew.types import Kind, Links

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_LINKS = 5_000
MAX_ANCHOR = 200
UNKNOWN: Place = (0.0, 0.0, 0.0, 0.0, 0)
_ORIGINS_OF = compiled("clew.parse._links", "origins_of")
_RAW_ANCHOR = 4 * MAX_ANCHOR  # characters of an anchor that are read, white space included
_TYPE = 100
_PAGE = Kind.PAGE  # an attribute of an enumeration costs 5 µs a page
_FRAMES = frozenset({"frame", "iframe"})
_ELSEWHERE = ("#", "javascript:", "mailto:", "tel:", "data:")  # other spellings fail later and slower
_FEEDS = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"}
)


class Collector:
    """Collect links as columns; of a repeated URL only a longer anchor is used."""

    def __init__(
        self, *, base: str, canon: urls.Canon, encoding: str = "utf-8", limit: int = MAX_LINKS
    ) -> None:
        self.base = base
        self.canon = canon
        self.encoding = encoding
        self.limit = limit
        self.anchors: dict[str, str] = {}
        self.contexts: list[str] = []
        self.paths: list[str] = []
        self.rels: list[str] = []
        self.kinds: list[Kind] = []
        self.types: list[str] = []
        self.positions = array("f")
        self.places = array("f")  # `Place` of each link, one after the other

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
        if url is None:
            return
        if url in self.anchors or len(self.contexts) >= self.limit:
            self._add_anchor(url, anchor)
            return
        self.anchors[url] = anchor
        self._add_row(context, path, rel, position, kind, "", UNKNOWN)

    def _add_row(  # noqa: PLR0917
        self, context: str, path: str, rel: str, position: float, kind: Kind, type: str, place: Place
    ) -> None:
        self.contexts.append(context)
        self.paths.append(path)
        self.rels.append(rel)
        self.positions.append(position)
        self.kinds.append(kind)
        self.types.append(type)
        self.places.extend(place)

    def add_walked(self, walk: Walk, coordinates: Coordinates | None) -> None:
        """Add the links of a document; what the compiled walk found needs no coordinates."""
        if isinstance(walk, HtmlWalk) and coordinates is not None:
            self.add_elements(walk.links, walk.size, coordinates)
        elif not isinstance(walk, HtmlWalk):
            walk.collect(self, *self.canon.begins(self.base), self.encoding == "utf-8")

    def add_elements(self, found: Iterable[FoundLink], size: int, coordinates: Coordinates) -> None:
        """Add the links of a document of `size` elements."""
        surroundings, share, regions = Surroundings(coordinates), 1.0 / size, coordinates.regions
        anchors, notes, tags, width_of_place = self.anchors, dict[int, Note](), coordinates.tags, len(UNKNOWN)
        canon, base, utf8, spot = self.canon, self.base, self.encoding == "utf-8", UNKNOWN
        for place, walked, node, tag in found:
            attributes = node.attributes
            href = attributes.get("src" if tag in _FRAMES else "href")
            if not href or href.startswith(_ELSEWHERE):
                continue
            if tag == "link":
                self.add_head_link(href, attributes, place * share)
                continue
            url = canon(href, base) if utf8 or href.isascii() else self.url_of(href)
            if url is None or href.isspace():
                continue
            text = node.text(True, " ")[:_RAW_ANCHOR] if tag == "a" else ""
            anchor = _other_words(node, attributes) if not text or text.isspace() else text
            if url in anchors or len(self.contexts) >= self.limit:
                self._add_anchor(url, anchor)
                continue
            path, block, (left, width), _, _ = around = surroundings.around(node.parent)
            context, at = surroundings.context(block, text)
            if regions is not None:
                notes[len(self.contexts)] = surroundings.note(around, walked, node, text, at)
            else:
                x, y = left + width / 2, ((walked & TAGS) - path.depth) / tags
                spot = x, y, x, y, path.area
            anchors[url] = anchor
            steps = child(path, tag, attributes.get("class")).text
            self._add_row(context, steps, _rel(attributes), place * share, _PAGE, _type(attributes), spot)
        for row, laid_out in zip(notes, coordinates.places(list(notes.values())), strict=True):
            at = row * width_of_place
            self.places[at : at + width_of_place] = array("f", laid_out)

    def links(self) -> Links:
        """Return the collected links."""
        if not self.contexts:
            return Links()
        found, count = list(self.anchors), len(self.contexts)
        placed = np.frombuffer(self.places, np.float32).reshape(-1, len(UNKNOWN))
        texts = each([*self.anchors.values(), *self.contexts], MAX_ANCHOR)  # contexts have the same limit
        return Links(
            urls=found,
            origins=self._origins(found),
            hashes=np.array(list(map(urls.fingerprint, found)), np.uint64),
            anchors=texts[:count],
            contexts=texts[count:],
            paths=self.paths,
            rels=self.rels,
            positions=np.frombuffer(self.positions, np.float32),
            kinds=self.kinds,
            coordinates=np.ascontiguousarray(placed[:, :4]),
            areas=placed[:, 4].astype(np.uint8),
            types=self.types,
        )

    def url_of(self, href: str) -> str | None:
        """Return the canonical URL of a reference, or None when it cannot be fetched."""
        if self.encoding != "utf-8" and not href.isascii():
            href = query_in(href, self.encoding)
        return self.canon(href, self.base) if href else None

    def _add_anchor(self, url: str, anchor: str) -> None:
        """Keep the longer anchor of a URL that was found on this page before."""
        before = self.anchors.get(url)
        if before is not None and len(anchor) > len(before):
            self.anchors[url] = anchor

    def add_head_link(self, href: str, attributes: dict[str, str | None], position: float) -> None:
        """Add a `<link>` that leads to a page or a feed."""
        rel = _rel(attributes)
        kind = _kind((attributes.get("rel") or "").lower().split(), attributes)
        if kind is not None:
            anchor = line(attributes.get("title") or "", MAX_ANCHOR)
            self.add(href, anchor, "", "head/link", rel, position, kind)

    def _origins(self, found: list[str]) -> list[str]:
        """Return the origins of URLs; most are that of the page, and equal ones are one string."""
        if _ORIGINS_OF is not None:
            origins: list[str] = _ORIGINS_OF(found, urls.origin(self.base))
            return origins
        origin, home, shared = urls.origin, urls.origin(self.base), dict[str, str]()
        near = f"{home}/"
        return [
            home if url[: len(near)] == near else shared.setdefault(other := origin(url), other)
            for url in found
        ]


def _other_words(node: "LexborNode", attributes: dict[str, str | None]) -> str:
    """Return a replacement for the missing text of a link: the alt text of its image, else its title."""
    label = attributes.get("alt")
    if not label and (picture := node.css_first("img[alt]")) is not None:
        label = picture.attributes.get("alt")
    label = label or attributes.get("title") or attributes.get("aria-label")
    return line(label, MAX_ANCHOR) if label else ""


def _rel(attributes: dict[str, str | None]) -> str:
    rel = attributes.get("rel")
    return line(rel.lower(), 80) if rel else ""


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
