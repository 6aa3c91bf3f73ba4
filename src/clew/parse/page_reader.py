"""Parse a response into a page, in this process: decode, detect the type, read what the type allows.

Pure and stateless. The workers of the pool call it, and so may any code that trusts the bytes; hostile
markup can keep it busy for minutes, which is why the workers can be killed.
"""

from contextlib import suppress

from clew.domain.content import mime, rendered_positions
from clew.domain.content.decoding import decode, is_gzip, names
from clew.domain.text import language
from clew.parse import feeds, xmlscan
from clew.parse.anchors import Collector
from clew.parse.charset import encoding_of, text_of
from clew.parse.clean_html import cleaned
from clew.parse.documents import DocumentContent, UnreadableDocumentError, read_document
from clew.parse.html import closed_for_html, read_html
from clew.parse.maintext import MAX_TEXT
from clew.parse.options import DEFAULT_OPTIONS, ParseOptions
from clew.parse.page_builder import PageBuilder, PageContent, has_nothing_to_read, start_page
from clew.parse.safe_text import BLOCK, lines
from clew.parse.simhash import simhash
from clew.types import Kind, Page, Response
from clew.urls import Canon

ROBOTS_BYTES = 500 * 1_024
"""How much of a robots.txt RFC 9309 requires a crawler to read."""

_LISTS = (".xml.gz", ".txt.gz")


def read(
    response: Response,
    *,
    canon: Canon,
    max_bytes: int,
    agent: str = "clew",
    options: ParseOptions = DEFAULT_OPTIONS,
) -> Page:
    """Parse a response. Never raises for bad input; faults of the body are in `Page.error`."""
    builder = start_page(response, canon=canon, agent=agent)
    builder.options = options
    if not has_nothing_to_read(builder):
        _read_body(builder, max_bytes)
    return builder.page()


def markup_of(response: Response, *, canon: Canon, max_bytes: int) -> str:
    """Return the clean markup of a response and nothing else; empty where `read` would give none."""
    html = html_of(response, canon=canon, max_bytes=max_bytes)
    return cleaned(html) if html else ""


def html_of(response: Response, *, canon: Canon, max_bytes: int) -> str:
    """Return the decoded HTML of a response; empty if it is something else."""
    builder = start_page(response, canon=canon, agent="clew")
    if response.link.kind is not Kind.PAGE or has_nothing_to_read(builder):
        return ""
    body = _decoded(builder, max_bytes)
    if builder.mime not in mime.HTML or _may_be_xml(body):
        return ""
    text = text_of(body, encoding_of(body, builder.header("content-type")))
    return text if builder.mime == "text/html" else closed_for_html(text)


def document_of(response: Response, *, canon: Canon, max_bytes: int) -> DocumentContent | None:
    """Return the content of a response that is a PDF or another document which can be read."""
    builder = start_page(response, canon=canon, agent="clew")
    if response.link.kind is not Kind.PAGE or has_nothing_to_read(builder):
        return None
    body = _decoded(builder, max_bytes)
    with suppress(UnreadableDocumentError):
        return read_document(body, builder.mime, MAX_TEXT) if builder.mime in mime.DOCUMENTS else None
    return None


def plain_of(response: Response, *, canon: Canon, max_bytes: int) -> str:
    """Return the text of a response that is plain text; empty if it is something else."""
    builder = start_page(response, canon=canon, agent="clew")
    if response.link.kind is not Kind.PAGE or has_nothing_to_read(builder):
        return ""
    body = _decoded(builder, max_bytes)
    if builder.mime not in mime.TEXT:
        return ""
    return plain_lines(text_of(body, encoding_of(body, builder.header("content-type"))))


def plain_lines(text: str) -> str:
    r"""Return the lines of a plain text, without empty ones and blanks around them.

    >>> plain_lines("  one \n\n two")
    'one\ntwo'
    """
    rows = (row.strip() for row in text[:MAX_TEXT].splitlines())
    return lines(BLOCK.join(filter(None, rows)))


def _read_body(builder: PageBuilder, max_bytes: int) -> None:
    kind = builder.response.link.kind
    body = _decoded(builder, max_bytes)
    if not body:
        return
    if kind is Kind.ROBOTS:
        builder.encoding, text = _rules_text(body)
        builder.content = PageContent(text=text)
        builder.links = feeds.robots(text, url=builder.url, canon=builder.canon)
    elif builder.mime in mime.HTML or builder.mime in mime.TEXT or mime.is_xml(builder.mime):
        builder.encoding = encoding_of(body, builder.header("content-type"))
        _read_text(builder, body)
    elif builder.mime in mime.DOCUMENTS and kind is Kind.PAGE:
        _read_document(builder, body)


def _read_document(builder: PageBuilder, body: bytes) -> None:
    """Read a PDF or another document that is no web page; one that cannot be read says why."""
    try:
        found = read_document(body, builder.mime, MAX_TEXT)
    except UnreadableDocumentError as error:
        builder.fault(f"{error}; it was cut at max_bytes" if builder.truncated else str(error))
        return
    lang = language(found.text, builder.header("content-language"))
    builder.content = PageContent(title=found.title, text=found.text, lang=lang)
    collector = Collector(base=builder.url, canon=builder.canon)
    for at, (target, anchor) in enumerate(found.links):
        collector.add(target, anchor, "", "document/a", "", at / len(found.links))
    builder.links = collector.links()
    builder.fingerprint = simhash(found.text)
    builder.truncated = builder.truncated or found.cut
    builder.fault(found.fault)


def _decoded(builder: PageBuilder, max_bytes: int) -> bytes:
    """Return the body without its content codings; record its type, truncation and errors."""
    kind = builder.response.link.kind
    limit = min(max_bytes, ROBOTS_BYTES) if kind is Kind.ROBOTS else max_bytes
    codings = names(builder.fields.get("content-encoding", ()))
    body, cut, error = decode(builder.response.body, codings, limit)
    stated = builder.mime
    builder.mime = mime.of(body, stated) if body else stated
    if (
        kind is not Kind.ROBOTS
        and is_gzip(body)
        and (kind is Kind.SITEMAP or _path(builder.url).endswith(_LISTS))
    ):
        body, cut_again, error = decode(body, ["gzip"], limit)
        cut = cut or cut_again
        builder.mime = mime.of(body, "")
    builder.truncated = builder.truncated or cut
    builder.fault(error)
    return body


def _rules_text(body: bytes) -> tuple[str, str]:
    """Return a robots.txt as text: UTF-8 by the RFC, UTF-16 only where that yields rules."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = encoding_of(body)
        text = text_of(body, encoding)
        if "agent" in text.lower():
            return encoding, text
    return "utf-8", text_of(body, "utf-8")


def _read_text(builder: PageBuilder, body: bytes) -> None:
    kind, encoding = builder.response.link.kind, builder.encoding
    if builder.mime == "text/html" and kind is not Kind.SITEMAP and not _may_be_xml(body):
        utf8 = encoding == "utf-8" or (encoding == "windows-1252" and body.isascii())
        _html(builder, body.removeprefix(b"\xef\xbb\xbf") if utf8 else text_of(body, encoding))
        return
    text = text_of(body, encoding)
    if builder.mime not in mime.TEXT:
        _xml(builder, text)
    elif kind is Kind.SITEMAP:
        builder.links = feeds.text_list(text, canon=builder.canon).links
    else:
        builder.content = PageContent(text=plain_lines(text))
        builder.fingerprint = simhash(builder.content.text)


def _xml(builder: PageBuilder, text: str) -> None:
    root = xmlscan.root(text)
    if root in feeds.SITEMAPS:
        listing = feeds.sitemap(text, url=builder.url, canon=builder.canon, root=root)
    elif root in feeds.FEEDS:
        listing = feeds.feed(text, url=builder.url, canon=builder.canon, root=root)
    else:
        # A sitemap that turns out to be a page is a "not found" page: its links are no sitemap.
        if builder.response.link.kind is not Kind.SITEMAP and (root == "html" or builder.mime in mime.HTML):
            _html(builder, text if builder.mime == "text/html" else closed_for_html(text))
        return
    builder.mime, builder.links = listing.mime, listing.links
    builder.content = PageContent(title=listing.title)


def _html(builder: PageBuilder, markup: bytes | str) -> None:
    content = read_html(
        markup,
        url=builder.url,
        canon=builder.canon,
        agent=builder.agent,
        encoding=builder.encoding,
        lang=builder.header("content-language"),
        layout=builder.options.layout,
        cleaned=builder.options.markup,
        extractor=builder.options.text,
    )
    builder.content, builder.redirect = content, content.redirect
    builder.links = rendered_positions.settled(content.links, markup, builder.canon)
    builder.fingerprint = simhash(content.text)


def _may_be_xml(body: bytes) -> bool:
    """Return whether a body served as HTML begins like a feed or a sitemap."""
    start = body[:1_024].removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith((b"<?xml", b"<rss", b"<feed", b"<urlset", b"<sitemapindex")):
        return False
    return b"<html" not in start


def _path(url: str) -> str:
    return url.partition("?")[0]
