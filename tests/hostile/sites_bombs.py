"""Bombs: answers that are small on the wire and huge in memory, and pages beside them that must still be read."""

from functools import lru_cache

import brotli
from backports import zstd

from .cases import case, front, leaf
from .content import gzipped, page, prose, raw_deflate, zeros_gzipped
from .judge import Check, Evidence, asked_at_most, let_go, marked, read
from .server import HTML, Answer, Request, Site, Wire

XML = (("Content-Type", "application/xml"),)
MIB = 64
"""Unpacked size of the bombs: far over every limit, and cheap to make."""


@lru_cache(maxsize=1)
def _blanks() -> bytes:
    return b"<html><body>" + b" " * (MIB * 2**20)


def _bomb(site: Site, coding: str, body: bytes) -> list[Check]:
    front(site, "/bomb", "/after")
    leaf(site, "/after")
    site.on("/bomb", Answer(body, headers=(HTML, ("Content-Encoding", coding))))
    return [read("/after"), marked("/bomb"), let_go()]


@case("bombs")
def gzip_bomb(site: Site) -> list[Check]:
    return _bomb(site, "gzip", zeros_gzipped(MIB, b"a"))


@case("bombs")
def gzip_in_gzip(site: Site) -> list[Check]:
    return _bomb(site, "gzip, gzip", gzipped(zeros_gzipped(MIB)))


@case("bombs")
def deflate_bomb(site: Site) -> list[Check]:
    return _bomb(site, "deflate", raw_deflate(_blanks()))


@case("bombs")
def brotli_bomb(site: Site) -> list[Check]:
    return _bomb(site, "br", brotli.compress(_blanks(), quality=1))


@case("bombs")
def zstandard_bomb(site: Site) -> list[Check]:
    return _bomb(site, "zstd", zstd.compress(_blanks()))


@case("bombs")
def a_chain_of_codings(site: Site) -> list[Check]:
    body = page("packed ten times")
    for _ in range(10):
        body = gzipped(body)
    return _bomb(site, ", ".join(["gzip"] * 10), body)


@case("bombs")
def a_very_long_header(site: Site) -> list[Check]:
    front(site, "/bomb", "/after")
    leaf(site, "/after")

    async def flood(_: Request, wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\nX-Long: ")
        for _ in range(64):
            await wire.send(b"a" * 2**20)
        await wire.send(b"\r\nContent-Length: 2\r\n\r\nok")

    site.on("/bomb", flood)
    return [read("/after"), marked("/bomb"), let_go(sent=32 * 2**20)]


@case("bombs")
def very_many_headers(site: Site) -> list[Check]:
    front(site, "/bomb", "/after")
    leaf(site, "/after")

    async def flood(_: Request, wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\n")
        for start in range(0, 2_000_000, 10_000):
            await wire.send(b"".join(b"X-%d: %d\r\n" % (n, n) for n in range(start, start + 10_000)))
        await wire.send(b"Content-Length: 2\r\n\r\nok")

    site.on("/bomb", flood)
    return [read("/after"), marked("/bomb"), let_go(sent=32 * 2**20)]


@case("bombs")
def cookies(site: Site) -> list[Check]:
    front(site, *(f"/c{n}" for n in range(12)), "/after")
    leaf(site, "/after")
    for n in range(12):
        jar = tuple(("Set-Cookie", f"c{n}x{k}={'v' * 1000}; Path=/") for k in range(60))
        site.on(f"/c{n}", Answer(page(f"cookies {n} of {site.name}"), headers=(HTML, *jar)))

    def bounded(evidence: Evidence, name: str) -> None:
        worst = max(len(a.headers.get("cookie", "")) for a in evidence.to(name))
        assert worst <= 16_384, f"a request carried {worst} bytes of cookies"

    return [read(*(f"/c{n}" for n in range(12)), "/after"), bounded]


def _markup(site: Site, body: bytes, *behind: str) -> list[Check]:
    """Whatever the parser makes of it, the page costs itself only, is asked for once, and leads on."""
    front(site, "/bomb", "/after")
    leaf(site, "/after", *behind)
    site.on("/bomb", Answer(body + b"".join(b"<p><a href=%s>on</a>" % path.encode() for path in behind)))

    def known(evidence: Evidence, name: str) -> None:
        assert evidence.row(name, "/bomb"), "the page left no trace in the export"

    return [read("/after", *behind), known, asked_at_most(2, "/bomb")]


@case("bombs")
def one_tag_with_very_many_attributes(site: Site) -> list[Check]:
    attributes = b" ".join(b"a%d=1" % n for n in range(150_000))
    return _markup(site, b"<title>attributes</title><p " + attributes + b">text", "/behind")


@case("bombs")
def deeply_nested_tags(site: Site) -> list[Check]:
    return _markup(site, b"<title>nested</title>" + b"<div><b><i>" * 200_000 + b"text", "/behind")


@case("bombs")
def deeply_nested_tables(site: Site) -> list[Check]:
    return _markup(site, b"<title>tables</title>" + b"<table><tr><td><a href=x>" * 60_000)


@case("bombs")
def very_many_links(site: Site) -> list[Check]:
    links = b"".join(b"<a href=/made/up/%d>%d</a>" % (n, n) for n in range(200_000))
    checks = _markup(site, b"<title>links</title>" + links)
    return [*checks, asked_at_most(150, "/made/up")]


@case("bombs")
def a_very_long_title_and_word(site: Site) -> list[Check]:
    return _markup(site, b"<title>" + b"t" * 3_000_000 + b"</title><p>" + b"w" * 3_000_000)


@case("bombs")
def markup_that_never_closes(site: Site) -> list[Check]:
    return _markup(
        site, b"<title>open</title><!--" * 200_000 + b"<script>" * 100_000 + b"<![CDATA[" * 100_000
    )


@case("bombs")
def entities_and_formatting(site: Site) -> list[Check]:
    return _markup(
        site,
        b"<title>entities</title>"
        + b"&#x1F600;&amp;&nbsp;" * 200_000
        + b"<b><a href=#>" * 50_000
        + b"</b>" * 50_000,
    )


@case("bombs")
def entities_that_multiply(site: Site) -> list[Check]:
    lines = ['<!ENTITY a0 "ha">'] + [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)]
    body = f'<?xml version="1.0"?><!DOCTYPE urlset [{"".join(lines)}]><urlset><url><loc>{site.url("/in-map")}</loc></url>'
    body += f"<url><loc>{site.url('/')}&a11;</loc></url></urlset>"
    site.robots(f"User-agent: *\nDisallow:\nSitemap: {site.url('/map.xml')}\n")
    site.on("/map.xml", Answer(body.encode(), headers=XML))
    site.on("/feed", Answer(body.encode(), headers=(("Content-Type", "application/rss+xml"),)))
    front(site, "/feed", "/after", head='<link rel=alternate type="application/rss+xml" href="/feed">')
    leaf(site, "/after", "/in-map")
    return [read("/after"), asked_at_most(4, "/map.xml", "/feed")]


@case("bombs")
def packed_sitemap(site: Site) -> list[Check]:
    site.robots(f"User-agent: *\nDisallow:\nSitemap: {site.url('/map.xml.gz')}\n")
    site.on("/map.xml.gz", Answer(zeros_gzipped(MIB, b" "), headers=(("Content-Type", "application/gzip"),)))
    front(site, "/after")
    leaf(site, "/after")
    return [read("/after"), asked_at_most(4, "/map.xml.gz")]


@case("bombs")
def a_sitemap_far_too_long(site: Site) -> list[Check]:
    site.robots(f"User-agent: *\nDisallow:\nSitemap: {site.url('/map.txt')}\n")
    body = "".join(f"{site.url('/')}made/{n}\n" for n in range(150_000)).encode()
    site.on("/map.txt", Answer(body, headers=(("Content-Type", "text/plain"),)))
    front(site, "/after")
    leaf(site, "/after")
    return [read("/after"), asked_at_most(150, "/made/")]


@case("bombs")
def packed_rules(site: Site) -> list[Check]:
    bomb = gzipped(b"User-agent: *\nDisallow: /no\n" + b"# " + b"a" * (MIB * 2**20))
    site.on(
        "/robots.txt", Answer(bomb, headers=(("Content-Type", "text/plain"), ("Content-Encoding", "gzip")))
    )
    front(site, "/no")
    leaf(site, "/no")
    return [asked_at_most(0, "/no")]


@case("bombs")
def text_of_one_endless_line(site: Site) -> list[Check]:
    front(site, "/bomb", "/after")
    leaf(site, "/after")
    text = (prose("endless", 50_000).replace(". ", " ") * 10).encode()
    site.on("/bomb", Answer(text, headers=(("Content-Type", "text/plain"),)))
    return [read("/after", "/bomb")]
