"""Links of a page that the parser could not read: a scan of its bytes, linear in their number.

It runs in the main process, so it builds no tree: it searches for `href` in start tags. What it finds has no
text and no position; a page that took too long to parse still leads to its links.
"""

import re
from html import unescape

from clew import urls
from clew.domain.content.decoding import decode, names
from clew.parse.anchors import MAX_LINKS, Collector
from clew.types import Links, Response

MAX_SCANNED = 1_000_000
"""Bytes that are scanned at either end of a page: at most 0.1 s each. What lies between is left out."""

_HREF = re.compile(
    rb"<a\s[^<>]{0,2000}?href\s*=\s*"
    rb"""(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})'|([^\s"'<>]{1,2000}))""",
    re.IGNORECASE,
)
_NOFOLLOW = re.compile(rb"<meta\s[^<>]{0,200}nofollow", re.IGNORECASE)


def scan_links(response: Response, *, canon: urls.Canon, max_bytes: int) -> Links:
    """Return the links of an HTML response, in the order of its bytes; none if it asks not to follow them.

    >>> from clew.types import Link
    >>> link = Link(id=1, url="http://a.test/x/", origin="http://a.test")
    >>> body = b"<b><i>" * 9 + b"<a class=n href='y?a=1&amp;b=2'>y"
    >>> response = Response(link=link, started=0, ended=0, status=200, body=body)
    >>> scan_links(response, canon=urls.Canon(), max_bytes=1_000).urls
    ['http://a.test/x/y?a=1&b=2']
    """
    type = response.header("content-type").lower()
    if type and "html" not in type:
        return Links()
    body, _, _ = decode(response.body, names(response.headers("content-encoding")), max_bytes)
    if len(body) > 2 * MAX_SCANNED:
        body = body[:MAX_SCANNED] + b" " + body[-MAX_SCANNED:]
    if _NOFOLLOW.search(body):
        return Links()
    places: dict[bytes, int] = {}
    for match in _HREF.finditer(body):
        places.setdefault(match[1] or match[2] or match[3], match.start())
        if len(places) == MAX_LINKS:
            break
    collector = Collector(base=response.link.url, canon=canon)
    for href, start in places.items():
        text = unescape(href.decode("utf-8", "replace")).strip()
        collector.add(text, "", "", "", "", start / len(body))
    return collector.links()
