"""Turn a visit into a page, in this process: decode, name the type, read what the type allows.

Pure and stateless. The pool's workers call it, and so may anybody who trusts the bytes; hostile
markup can hold it for minutes, which is why the workers can be killed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from clew.domain.content import mime, rendered_positions
from clew.domain.content.decoding import decode, is_gzip, names
from clew.parse import directives, feeds, xmlscan
from clew.parse.charset import encoding_of, text_of
from clew.parse.clean_html import cleaned
from clew.parse.html import closed_for_html, read_html, settle_refresh
from clew.parse.maintext import MAX_TEXT
from clew.parse.safe_text import BLOCK, lines
from clew.parse.simhash import simhash
from clew.types import Kind, Links, Page, Response
from clew.urls import Canon

ROBOTS_BYTES = 500 * 1_024
"""What RFC 9309 asks a crawler to read of a robots.txt."""

Fields: TypeAlias = Mapping[str, list[str]]
"""Header fields by lower-case name."""

_NOT_MODIFIED = 304
_LISTS = (".xml.gz", ".txt.gz")


@dataclass(slots=True)
class PageBuilder:
    """A page in the making: the same words as `Page`, changed until all is read."""

    visit: Response
    fields: Fields
    canon: Canon
    agent: str
    mime: str = ""
    encoding: str = ""
    title: str = ""
    text: str = ""
    margin: str = ""
    markup: str = ""
    layout: bool = True
    clean: bool = False
    lang: str = ""
    canonical: str = ""
    redirect: str = ""
    links: Links = field(default_factory=Links)
    noindex: bool = False
    nofollow: bool = False
    fingerprint: int = 0
    truncated: bool = False
    error: str = ""
    kinds: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        return self.visit.link.url

    def header(self, name: str) -> str:
        """Return the last value of a header field, or an empty string."""
        values = self.fields.get(name)
        return values[-1] if values else ""

    def fault(self, error: str) -> None:
        """Add what went wrong to what had gone wrong before."""
        self.error = f"{self.error}; {error}" if self.error and error else self.error or error

    def page(self) -> Page:
        """Return the finished page; a Refresh header is its redirect where nothing else is."""
        if not self.redirect and "refresh" in self.fields:
            refresh = directives.refresh(self.header("refresh"))
            self.redirect, _ = settle_refresh(refresh, url=self.url, base=self.url, canon=self.canon)
        if "x-robots-tag" in self.fields:
            wish = directives.in_headers(self.fields["x-robots-tag"], self.agent)
            self.noindex, self.nofollow = self.noindex or wish.noindex, self.nofollow or wish.nofollow
        return Page(
            response=self.visit,
            mime=self.mime,
            encoding=self.encoding,
            title=self.title,
            text=self.text,
            margin=self.margin,
            markup=self.markup,
            lang=self.lang,
            canonical=self.canonical,
            redirect=self.redirect,
            links=self.links,
            noindex=self.noindex,
            nofollow=self.nofollow,
            fingerprint=self.fingerprint,
            truncated=self.truncated,
            error=self.error,
            kinds=self.kinds,
        )


def read(
    visit: Response,
    *,
    canon: Canon,
    max_bytes: int,
    agent: str = "clew",
    layout: bool = True,
    markup: bool = False,
) -> Page:
    """Read a visit. Never raises for what the web sent; faults of the body are in `Page.error`.

    Without `layout` x and y of links are counted from tags like pseudo-x and pseudo-y. `markup` asks for
    `Page.markup`.
    """
    draft = begun(visit, canon=canon, agent=agent)
    draft.layout, draft.clean = layout, markup
    if not says_nothing(draft):
        _read_body(draft, max_bytes)
    return draft.page()


def without_body(visit: Response, *, canon: Canon, agent: str = "clew") -> Page | None:
    """Return the page of a visit whose body says nothing; `None` when the body has to be read.

    This is safe to do anywhere: nothing but header fields and addresses is looked at.
    """
    draft = begun(visit, canon=canon, agent=agent)
    return draft.page() if says_nothing(draft) else None


def markup_of(visit: Response, *, canon: Canon, max_bytes: int) -> str:
    """Return the clean markup of a visit and read nothing else; empty where `read` would give none."""
    draft = begun(visit, canon=canon, agent="clew")
    if visit.link.kind is not Kind.PAGE or says_nothing(draft):
        return ""
    body = _decoded(draft, max_bytes)
    if draft.mime not in mime.HTML or _may_be_xml(body):
        return ""
    text = text_of(body, encoding_of(body, draft.header("content-type")))
    return cleaned(text if draft.mime == "text/html" else closed_for_html(text))


def begun(visit: Response, *, canon: Canon, agent: str) -> PageBuilder:
    """Return a draft that holds what the visit itself says."""
    draft = PageBuilder(
        visit, headers(visit.head), canon, agent, truncated=visit.truncated, error=visit.error
    )
    draft.mime = mime.stated(draft.header("content-type"))
    return draft


def says_nothing(draft: PageBuilder) -> bool:
    """Tell whether there is no body to read: redirects, failures, pictures, films."""
    visit = draft.visit
    if 300 <= visit.status < 400 and visit.status != _NOT_MODIFIED and "location" in draft.fields:  # noqa: PLR2004
        draft.redirect = draft.canon(draft.header("location"), draft.url) or ""
        if not draft.redirect:
            draft.fault("redirect to an address that cannot be fetched")
        return True
    return not visit.body or (visit.link.kind is Kind.PAGE and mime.is_opaque(draft.mime))


def headers(head: bytes) -> dict[str, list[str]]:
    """Return the header fields of a response, by lower-case name."""
    found: dict[str, list[str]] = {}
    for row in head.split(b"\n")[1:]:
        name, colon, value = row.partition(b":")
        if colon:
            try:
                text = value.decode("utf-8")
            except UnicodeDecodeError:
                text = value.decode("latin-1")
            found.setdefault(name.decode("latin-1").strip().lower(), []).append(text.strip())
    return found


def _read_body(draft: PageBuilder, max_bytes: int) -> None:
    kind = draft.visit.link.kind
    body = _decoded(draft, max_bytes)
    if not body:
        return
    if kind is Kind.ROBOTS:
        draft.encoding, draft.text = _rules_text(body)
        draft.links = feeds.robots(draft.text, url=draft.url, canon=draft.canon)
    elif draft.mime in mime.HTML or draft.mime in mime.TEXT or mime.is_xml(draft.mime):
        draft.encoding = encoding_of(body, draft.header("content-type"))
        _read_text(draft, body)


def _decoded(draft: PageBuilder, max_bytes: int) -> bytes:
    """Return the body without its codings; note its type, and what was cut or went wrong."""
    kind = draft.visit.link.kind
    limit = min(max_bytes, ROBOTS_BYTES) if kind is Kind.ROBOTS else max_bytes
    codings = names(draft.fields.get("content-encoding", ()))
    body, cut, error = decode(draft.visit.body, codings, limit)
    stated = draft.mime
    draft.mime = mime.of(body, stated) if body else stated
    if (
        kind is not Kind.ROBOTS
        and is_gzip(body)
        and (kind is Kind.SITEMAP or _path(draft.url).endswith(_LISTS))
    ):
        body, cut_again, error = decode(body, ["gzip"], limit)
        cut = cut or cut_again
        draft.mime = mime.of(body, "")
    draft.truncated = draft.truncated or cut
    draft.fault(error)
    return body


def _rules_text(body: bytes) -> tuple[str, str]:
    """Return a robots.txt as text: UTF-8 by the RFC, UTF-16 only where that makes rules of it."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = encoding_of(body)
        text = text_of(body, encoding)
        if "agent" in text.lower():
            return encoding, text
    return "utf-8", text_of(body, "utf-8")


def _read_text(draft: PageBuilder, body: bytes) -> None:
    kind, encoding = draft.visit.link.kind, draft.encoding
    if draft.mime == "text/html" and kind is not Kind.SITEMAP and not _may_be_xml(body):
        utf8 = encoding == "utf-8" or (encoding == "windows-1252" and body.isascii())
        _html(draft, body.removeprefix(b"\xef\xbb\xbf") if utf8 else text_of(body, encoding))
        return
    text = text_of(body, encoding)
    if draft.mime not in mime.TEXT:
        _xml(draft, text)
    elif kind is Kind.SITEMAP:
        draft.links = feeds.text_list(text, canon=draft.canon).links
    else:
        rows = (row.strip() for row in text[:MAX_TEXT].splitlines())
        draft.text = lines(BLOCK.join(filter(None, rows)))
        draft.fingerprint = simhash(draft.text)


def _xml(draft: PageBuilder, text: str) -> None:
    root = xmlscan.root(text)
    if root in feeds.SITEMAPS:
        listing = feeds.sitemap(text, url=draft.url, canon=draft.canon, root=root)
    elif root in feeds.FEEDS:
        listing = feeds.feed(text, url=draft.url, canon=draft.canon, root=root)
    else:
        # A sitemap that turns out to be a page is somebody's "not found": its links are not the site's list.
        if draft.visit.link.kind is not Kind.SITEMAP and (root == "html" or draft.mime in mime.HTML):
            _html(draft, text if draft.mime == "text/html" else closed_for_html(text))
        return
    draft.mime, draft.title, draft.links = listing.mime, listing.title, listing.links


def _html(draft: PageBuilder, markup: bytes | str) -> None:
    made = read_html(
        markup,
        url=draft.url,
        canon=draft.canon,
        agent=draft.agent,
        encoding=draft.encoding,
        lang=draft.header("content-language"),
        layout=draft.layout,
        cleaned=draft.clean,
    )
    draft.title, draft.text, draft.margin, draft.lang = made.title, made.text, made.margin, made.lang
    draft.markup = made.clean
    draft.canonical, draft.redirect = made.canonical, made.redirect
    draft.links = rendered_positions.settled(made.links, markup, draft.canon)
    draft.noindex, draft.nofollow = made.wish
    draft.kinds = made.kinds
    draft.fingerprint = simhash(made.text)


def _may_be_xml(body: bytes) -> bool:
    """Tell whether something served as HTML begins like a feed or a sitemap."""
    start = body[:1_024].removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith((b"<?xml", b"<rss", b"<feed", b"<urlset", b"<sitemapindex")):
        return False
    return b"<html" not in start


def _path(url: str) -> str:
    return url.partition("?")[0]
