"""Read one HTML page: title, text, language, links and robots directives.

The document is traversed once. That sorts elements into those that are read (links, metadata), those that
are removed and those that only decorate text; everything after it works on those short lists.
"""

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from clew.domain.text import language
from clew.parse import anchors, directives, maintext, schema
from clew.parse import clean_html as clean
from clew.parse.layout import coordinates
from clew.parse.layout.block_heights import ALONE, BLOCKS, HEIGHTS, weight
from clew.parse.layout.stylesheets import sheets
from clew.parse.safe_text import line
from clew.types import Links, RobotsDirectives
from clew.urls import Canon

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_TITLE = 500
MAX_ELEMENTS = 300_000
MAX_LAID_OUT = 20_000
"""Pages with more elements get no layout."""

REDIRECT_SECONDS = 10
"""Seconds: a refresh within this time is a redirect, a later one is a link."""

_LINKS = ("a", "area", "frame", "iframe", "link")
_INVISIBLE = ("script", "style", "template", "svg", "select", "textarea", "object", "math")
_MENUS = (
    "nav",
    "footer",
    "aside",
    "header",
    "noscript",
    "button",
    "iframe",
    "noframes",
    "dialog",
    "rt",
    "rp",
)
_BOXES = ("div", "section", "ul", "ol", "table", "td", "dl", "p")
_MAINS = ("main", "article")
_DECORATION = (
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "img",
    "ins", "kbd", "label", "mark", "nobr", "picture", "q", "ruby", "rb", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
)  # fmt: skip
_WITHOUT_EVENTS = 1  # lexbor copies <option> subtrees into <selectedcontent> otherwise
# In XML these may close themselves; in HTML they would swallow the rest of the page.
_SELF_CLOSED = re.compile(
    r"<(script|title|style|iframe|textarea|noscript|object|a|div|p|span|td|li)(\s[^<>]*)?/>"
)


def _tag_numbers() -> dict[str, int]:
    maker = LexborHTMLParser("")
    names = {*_LINKS, *_INVISIBLE, *_MENUS, *_BOXES, *_MAINS, *_DECORATION, "meta", "base", "title"}
    names |= BLOCKS | ALONE | {*HEIGHTS, "td", "th"}
    return {name: maker.create_node(name).tag_id for name in names}


_NUMBERS = _tag_numbers()
_NAMES = {_NUMBERS[name]: name for name in _LINKS}
_WEIGHTS = {_NUMBERS[name]: weight(name) for name in (*BLOCKS, *ALONE, *HEIGHTS, "td", "th")}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """What was read from the body of one page; `clean` is its clean markup."""

    title: str = ""
    text: str = ""
    margin: str = ""
    clean: str = ""
    lang: str = ""
    canonical: str = ""
    redirect: str = ""
    links: Links = field(default_factory=Links)
    directives: RobotsDirectives = field(default_factory=RobotsDirectives)
    kinds: tuple[str, ...] = ()


@dataclass(slots=True)
class _HtmlWalk:
    """The elements of a document, sorted by how they are used."""

    links: list[tuple[int, int, "LexborNode"]] = field(default_factory=list)
    metas: list["LexborNode"] = field(default_factory=list)
    bases: list["LexborNode"] = field(default_factory=list)
    titles: list["LexborNode"] = field(default_factory=list)
    invisible: list["LexborNode"] = field(default_factory=list)
    menus: list["LexborNode"] = field(default_factory=list)
    boxes: list["LexborNode"] = field(default_factory=list)
    mains: list["LexborNode"] = field(default_factory=list)
    decoration: list["LexborNode"] = field(default_factory=list)
    size: int = 1
    walked: int = 0
    starts: dict[int, int] | None = None

    def over(self, root: "LexborNode", *, layout: bool = False) -> None:
        """Traverse the tree below `root` in document order; `layout` records where each element begins."""
        lists: dict[int, list[LexborNode]] = {}
        for names, list_ in (
            (_INVISIBLE, self.invisible), (_MENUS, self.menus), (_BOXES, self.boxes), (_MAINS, self.mains),
            (_DECORATION, self.decoration), (("meta",), self.metas), (("base",), self.bases),
            (("title",), self.titles),
        ):  # fmt: skip
            lists.update((_NUMBERS[name], list_) for name in names)
        links, linking, place, lists_of = self.links, _NAMES, 0, lists.get
        walked, weighed, starts = 0, _WEIGHTS.get, dict[int, int]()
        for place, node in enumerate(islice(root.traverse(), MAX_ELEMENTS)):
            number = node.tag_id
            if (more := weighed(number)) is not None:
                if layout:
                    starts[node.mem_id] = walked
                walked += more
            if (same_tag := lists_of(number)) is not None:
                same_tag.append(node)
            if number in linking:
                links.append((place, walked, node))
        self.size, self.walked = place + 1, walked
        if layout and place < MAX_LAID_OUT:
            self.starts = starts


def read_html(
    markup: bytes | str,
    *,
    url: str,
    canon: Canon,
    agent: str,
    encoding: str = "utf-8",
    lang: str = "",
    layout: bool = True,
    cleaned: bool = False,
) -> PageContent:
    """Read a page found at `url`; `lang` is the language its headers state.

    `layout` computes x and y of links, `cleaned` clean markup.
    """
    try:
        document = LexborHTMLParser(markup, options=_WITHOUT_EVENTS)
    except SelectolaxError:  # any markup is HTML; the parser fails only without memory
        raise MemoryError from None
    root = document.root
    if root is None:
        return PageContent()
    walk = _HtmlWalk()
    walk.over(root, layout=layout)
    base = _base(walk, url, canon)
    title = line(walk.titles[0].text(), MAX_TITLE) if walk.titles else ""
    robots, refresh, stated = _metas(walk, agent)
    written = (root.html or "") if cleaned else ""
    positions, share = _coordinates(walk, root), 1.0 / walk.size
    found = [(place * share, walked, node, _NAMES[node.tag_id]) for place, walked, node in walk.links]
    kinds = schema.kinds(document, walk.invisible) if schema.is_stated(markup) else ()
    for node in walk.invisible:
        node.decompose()
    redirect, late = settle_refresh(refresh, url=url, base=base, canon=canon)
    collector = anchors.Collector(base=base, canon=canon, encoding=encoding)
    if late:
        collector.add(late, "", "", "head/meta", "", 0.0)
    anchors.collect(found, collector, positions)
    text = margin = ""
    body = document.body
    if body is not None:
        text, margin = maintext.main_text(
            body, boilerplate=walk.menus, containers=walk.boxes, mains=walk.mains, inline=walk.decoration
        )
    declared = root.attributes.get("lang") or root.attributes.get("xml:lang") or stated or lang
    return PageContent(
        title=title,
        text=text,
        margin=margin,
        clean=clean.pruned(written) if cleaned else "",
        lang=language(text, declared),
        canonical=_canonical(walk, base, canon),
        redirect=redirect,
        links=collector.links(),
        directives=robots,
        kinds=kinds,
    )


def _coordinates(walk: _HtmlWalk, root: "LexborNode") -> coordinates.Coordinates:
    """Return the calculator of link positions; the style elements are read before they are removed."""
    if walk.starts is None:
        return coordinates.Coordinates(walked=walk.walked)
    style, link = _NUMBERS["style"], _NUMBERS["link"]
    texts = tuple(node.text() for node in walk.invisible if node.tag_id == style)
    elsewhere = any(
        "stylesheet" in (node.attributes.get("rel") or "") for _, _, node in walk.links if node.tag_id == link
    )
    return coordinates.Coordinates(
        walked=walk.walked, starts=walk.starts, sheets=sheets(texts), elsewhere=elsewhere, root=root
    )


def closed_for_html(text: str) -> str:
    """Replace self-closing tags of XHTML by start and end tags, which HTML requires."""
    return _SELF_CLOSED.sub(r"<\1\2></\1>", text)


def settle_refresh(refresh: tuple[float, str], *, url: str, base: str, canon: Canon) -> tuple[str, str]:
    """Return the target of a refresh as a redirect, or as a link if it is late; else two empty strings."""
    seconds, reference = refresh
    target = canon(reference, base) if reference else None
    if target is None or target == url:
        return "", ""
    return (target, "") if seconds <= REDIRECT_SECONDS else ("", target)


def _base(walk: _HtmlWalk, url: str, canon: Canon) -> str:
    for node in walk.bases:
        if href := node.attributes.get("href"):
            return canon(href.strip(), url) or url
    return url


def _canonical(walk: _HtmlWalk, base: str, canon: Canon) -> str:
    link = _NUMBERS["link"]
    for _, _, node in walk.links:
        if node.tag_id == link:
            attributes = node.attributes
            if "canonical" in (attributes.get("rel") or "").lower().split() and (
                href := attributes.get("href")
            ):
                return canon(href.strip(), base) or ""
    return ""


def _metas(walk: _HtmlWalk, agent: str) -> tuple[RobotsDirectives, tuple[float, str], str]:
    """Return the robots directives, the refresh and the language stated in meta elements."""
    robots, refresh, lang = RobotsDirectives(), (0.0, ""), ""
    for node in walk.metas:
        attributes = node.attributes
        content = attributes.get("content")
        if not content:
            continue
        name = (attributes.get("name") or attributes.get("http-equiv") or "").strip().lower()
        if name in {"robots", agent.lower()}:
            robots |= directives.parse_directives(content.split(","))
        elif name == "refresh" and not refresh[1]:
            seconds, target = directives.refresh(content)
            # For browsers without scripts: a link, because the page itself may be read as well.
            refresh = (REDIRECT_SECONDS + 1.0 if _within(node, "noscript") else seconds), target
        elif name in {"content-language", "language"}:
            lang = lang or content
    return robots, refresh, lang


def _within(node: "LexborNode", tag: str) -> bool:
    parent = node.parent
    return parent is not None and parent.tag == tag
