"""The media type of a response: by its Content-Type, and by its first bytes where that is vague."""

import re
from functools import lru_cache

HTML = frozenset({"text/html", "application/xhtml+xml"})
TEXT = frozenset({"text/plain", "text/markdown", "text/x-markdown", "text/csv", "text/tab-separated-values"})
GZIP = frozenset({"application/gzip", "application/x-gzip", "application/gzip-compressed"})
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"
DOCUMENTS = frozenset({PDF, DOCX, ODT, EPUB})
"""Documents that are no web pages, but have text that is read."""

# Servers send these when they do not know the type; then the bytes decide.
_VAGUE = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown", "*/*"}
)
_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+*-]{1,60}/[A-Za-z0-9!#$&^_.+*-]{1,60}")
_SURE = (b"<!doctype html", b"<html", b"<head", b"<body")
_LIKELY = tuple(
    b"<" + tag
    for tag in (
        b"title", b"script", b"meta", b"div", b"h1", b"p>", b"p ", b"a ", b"table", b"style", b"br",
        b"font", b"iframe", b"b>", b"link", b"center", b"ul", b"span", b"img", b"frameset", b"!doctype",
    )
)  # fmt: skip
_MAGIC = (
    (b"%PDF-", PDF),
    (b"\x89PNG\r\n", "image/png"),
    (b"GIF8", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
)
_BINARY = bytes((*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)))
_HEAD = 1_024
_DIRECTORY = 65_536  # bytes at the end of a ZIP file that list what is in it


@lru_cache(maxsize=512)
def stated(content_type: str) -> str:
    """Return the type a Content-Type header states, in lower case, or an empty string."""
    found = _TYPE.match(content_type.strip())
    return found[0].lower() if found else ""


def is_xml(mime: str) -> bool:
    """Tell whether a type is XML of some kind (other than XHTML)."""
    return mime in {"text/xml", "application/xml"} or (mime.endswith("+xml") and mime not in HTML)


def is_opaque(mime: str) -> bool:
    """Tell whether nothing of this type is ever read: pictures, films, archives, programs."""
    return not (
        mime in _VAGUE or mime in HTML or mime in TEXT or mime in GZIP or mime in DOCUMENTS or is_xml(mime)
    )


def of(body: bytes, mime: str) -> str:
    """Return the type of a document that is stated to be `mime`.

    >>> of(b"<!DOCTYPE html><title>x</title>", "text/plain")
    'text/html'
    """
    if mime in HTML or is_xml(mime):
        return mime
    if mime in _VAGUE or mime == "text/plain":
        return _sniffed(body, sure=mime == "text/plain") or mime or "application/octet-stream"
    return mime


def _sniffed(body: bytes, *, sure: bool) -> str:
    head = body[:_HEAD]
    for magic, mime in _MAGIC:
        if head.startswith(magic):
            return _packed(head, body) or mime if mime == "application/zip" else mime
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head[2:].replace(b"\0", b"")
    elif head.translate(None, _BINARY) != head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if abs(even - odd) * 3 < len(head):  # UTF-16 has a zero in every other place
            return "application/octet-stream"
        head = head.replace(b"\0", b"")
    start = _without_comments(head.removeprefix(b"\xef\xbb\xbf").lstrip().lower())
    if start.startswith(_SURE) or (not sure and start.startswith(_LIKELY)):
        return "text/html"
    if start.startswith((b"<?xml", b"<rss", b"<feed", b"<urlset", b"<sitemapindex", b"<rdf:rdf")):
        return "application/xhtml+xml" if b"<html" in start else "application/xml"
    return "text/plain"


def _packed(head: bytes, body: bytes) -> str:
    """Return the type of a document that is a ZIP file, or an empty string."""
    for mime in (EPUB, ODT):
        if b"mimetype" + mime.encode() in head:
            return mime
    return DOCX if b"word/document.xml" in body[-_DIRECTORY:] else ""


def _without_comments(start: bytes) -> bytes:
    while start.startswith(b"<!--"):
        end = start.find(b"-->")
        if end < 0:
            return b""
        start = start[end + 3 :].lstrip()
    return start
