"""Sitemaps and feeds: XML and text lists that hold nothing but links."""

from dataclasses import dataclass, field, replace

from clew.parse import xmlscan
from clew.parse.anchors import MAX_ANCHOR, MAX_LINKS, Collector
from clew.parse.list_dates import seconds_of
from clew.parse.safe_text import line
from clew.parse.surroundings import MAX_CONTEXT
from clew.types import Kind, Links
from clew.urls import Canon

MAX_LOCATIONS = 50_000
"""What the sitemap protocol allows in one file."""

_MIMES = {"rss": "application/rss+xml", "feed": "application/atom+xml", "rdf": "application/rdf+xml"}
SITEMAPS = frozenset({"urlset", "sitemapindex"})
FEEDS = frozenset(_MIMES)
_MAX_ELEMENT = 5_000  # characters of one element
_ITEMS = frozenset({"item", "entry"})
_DATES = frozenset({"pubdate", "updated", "published", "modified", "date"})
_SUMMARIES = frozenset({"description", "summary", "content", "encoded"})


@dataclass(frozen=True, slots=True)
class FeedContent:
    """The links of a sitemap or a feed, with the feed's own title and type."""

    links: Links
    mime: str
    title: str = ""


def sitemap(text: str, *, url: str, canon: Canon, root: str) -> FeedContent:
    """Read an XML sitemap (`urlset`) or an index of them (`sitemapindex`)."""
    kind, path = Kind.PAGE, "urlset/url/loc"
    if root == "sitemapindex":
        kind, path = Kind.SITEMAP, "sitemapindex/sitemap/loc"
    collector = Collector(base=url, canon=canon, limit=MAX_LOCATIONS)
    text = _without_comments(text)
    prefix, dates = _prefix(text, root), dict[str, float]()
    opening = f"<{prefix}loc"
    size = max(1, len(text))
    at = 0
    for _ in range(2 * MAX_LOCATIONS):
        start = text.find(opening, at)
        begin = text.find(">", start) + 1
        if start < 0 or not begin:
            break
        at = begin
        if text[start + len(opening)] not in "> \t\r\n":
            continue
        if text.startswith("<![CDATA[", begin):
            location = text[begin + 9 : text.find("]]>", begin)]
        else:
            end = text.find("<", begin, begin + 5_000)
            location = xmlscan.unescape(text[begin : end if end >= 0 else begin])
        collector.add(location.strip(), "", "", path, "", start / size, kind)
        if kind is Kind.PAGE and (at_date := _lastmod(text, begin, opening, prefix)) is not None:
            _note_date(dates, canon(location.strip(), url), at_date)
    return FeedContent(replace(collector.links(), dates=dates), "application/xml")


def _lastmod(text: str, at: int, opening: str, prefix: str) -> float | None:
    """Return the date that follows a location, before the next one."""
    following = text.find(opening, at, at + _MAX_ELEMENT)
    end = following if following >= 0 else at + _MAX_ELEMENT
    start = text.find(f"<{prefix}lastmod>", at, end)
    if start < 0:
        return None
    begin = start + len(f"<{prefix}lastmod>")
    return seconds_of(text[begin : text.find("<", begin, begin + _MAX_ELEMENT)])


def _note_date(dates: dict[str, float], url: str | None, date: float) -> None:
    """Keep the latest date of a page."""
    if url:
        dates[url] = max(date, dates.get(url, date))


def text_list(text: str, *, canon: Canon) -> FeedContent:
    """Read a sitemap that is a text file with one URL a line."""
    collector = Collector(base="", canon=canon, limit=MAX_LOCATIONS)
    rows = text.splitlines()[: 2 * MAX_LOCATIONS]
    for number, row in enumerate(rows):
        if row.startswith(("http://", "https://")):
            collector.add(row.strip(), "", "", "list/line", "", number / len(rows))
    return FeedContent(collector.links(), "text/plain")


def robots(text: str, *, url: str, canon: Canon) -> Links:
    """Return the sitemaps listed in a robots.txt."""
    collector = Collector(base=url, canon=canon, limit=MAX_LINKS)
    for row in text.splitlines():
        name, colon, location = row.partition(":")
        if colon and name.strip().lower() in {"sitemap", "site-map"} and (location := location.strip()):
            collector.add(location.split(" #")[0].strip(), "", "", "robots/sitemap", "", 0.0, Kind.SITEMAP)
    return collector.links()


@dataclass(slots=True)
class _Item:
    title: str = ""
    link: str = ""
    name: str = ""  # guid, id or rdf:about: used as the URL if there is no other
    summary: str = ""
    date: float | None = None
    place: int = 0

    def words(self, name: str, text: str) -> None:
        """Store the text of one of the item's elements."""
        text = text.strip()
        if name == "title":
            self.title = self.title or text
        elif name == "link":
            self.link = self.link or text
        elif name == "guid" and not self.name:
            self.name = text
        elif name in _SUMMARIES and not self.summary:
            self.summary = text
        elif name in _DATES and (date := seconds_of(text)) is not None:
            self.date = max(date, self.date or date)

    def attributes(self, name: str, value: str) -> None:
        """Store the attributes of a start tag."""
        found = xmlscan.attributes(value) if value else {}
        if name == "link" and found.get("rel", "alternate") == "alternate":
            self.link = self.link or found.get("href", "")
        elif name == "item":
            self.name = found.get("rdf:about", "")
        elif name == "guid" and found.get("isPermaLink", "").lower() == "false":
            self.name = self.name or "-"


@dataclass(slots=True)
class _Feed:
    title: str = ""
    base: str = ""
    items: list[_Item] = field(default_factory=list)

    def words(self, name: str, text: str) -> None:
        """Store the feed's own title."""
        if name == "title" and not self.title:
            self.title = text

    def attributes(self, name: str, value: str) -> None:
        """Store the base URL of the feed."""
        if name in FEEDS and "xml:base" in value:
            self.base = xmlscan.attributes(value).get("xml:base", "")


def feed(text: str, *, url: str, canon: Canon, root: str) -> FeedContent:
    """Read RSS, Atom or RDF: one link for each item, its title as anchor, its summary as context."""
    read = _items(text)
    collector = Collector(base=canon(read.base, url) or url if read.base else url, canon=canon)
    dates: dict[str, float] = {}
    path = {"rss": "rss/channel/item/link", "feed": "feed/entry/link"}.get(root, "rdf/item/link")
    for item in read.items:
        if location := item.link or item.name:
            collector.add(
                location,
                line(_untagged(item.title), MAX_ANCHOR),
                line(_untagged(item.summary), MAX_CONTEXT),
                path,
                "",
                item.place / max(1, len(read.items)),
            )
            if item.date is not None:
                _note_date(dates, canon(location, collector.base), item.date)
    links = replace(collector.links(), dates=dates)
    return FeedContent(links, _MIMES[root], line(_untagged(read.title), 500))


def _items(text: str) -> _Feed:
    """Collect the items of a feed in one pass."""
    read = _Feed()
    item: _Item | None = None
    inside, content = "", ""
    for what, name, value in xmlscan.pieces(text):
        if what == "text":
            if inside and len(content) < _MAX_ELEMENT:
                content += value[:_MAX_ELEMENT]
        elif what == "open":
            if name in _ITEMS:
                if len(read.items) >= MAX_LINKS:
                    break
                item = _Item(place=len(read.items))
                read.items.append(item)
            (item or read).attributes(name, value)
            inside, content = name, ""
        else:
            if name == inside:
                (item or read).words(name, content)
            if name in _ITEMS:
                item = None
            inside = ""
    return read


def _untagged(text: str) -> str:
    """Return escaped HTML as text; titles and summaries often carry some."""
    if "<" not in text:
        return xmlscan.unescape(text)
    return xmlscan.unescape(
        " ".join(piece.value for piece in xmlscan.pieces(text + "<") if piece.what == "text")
    )


def _prefix(text: str, root: str) -> str:
    """Return the namespace prefix the document uses for `root`, with its colon."""
    at = text[:65_536].lower().find(root)
    start = text.rfind("<", 0, at) if at > 0 else -1
    prefix = text[start + 1 : at] if start >= 0 else ""
    return prefix if prefix.endswith(":") and prefix[:-1].isalnum() else ""


def _without_comments(text: str) -> str:
    if "<!--" not in text:
        return text
    parts = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        parts.append(text[at:start])
        end = text.find("-->", start + 4)
        at = len(text) if end < 0 else end + 3
    parts.append(text[at:])
    return "".join(parts)
