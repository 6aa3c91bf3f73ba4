"""Content types: what is read, what is only named; feeds, sitemaps, robots.txt."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parse_visits import CANON, page

from clew.parse.feeds import MAX_LOCATIONS
from clew.types import Kind

HTML = "<!DOCTYPE html><title>T</title><p>text <a href=/a>a</a>"


@pytest.mark.parametrize(
    ("type", "body", "mime", "title"),
    [
        ("text/html", HTML, "text/html", "T"),
        ("TEXT/HTML;charset=utf-8", HTML, "text/html", "T"),
        (None, HTML, "text/html", "T"),
        ("", HTML, "text/html", "T"),
        ("nonsense", HTML, "text/html", "T"),
        ("text/plain", HTML, "text/html", "T"),
        ("application/octet-stream", HTML, "text/html", "T"),
        (None, "<!-- hi --> <div><title>T</title>", "text/html", "T"),
        ("text/plain", "<div> is a tag", "text/plain", ""),
        ("application/xhtml+xml", f"<?xml version='1.0'?>{HTML}", "application/xhtml+xml", "T"),
        ("text/xml", "<?xml version='1.0'?><html><title>T</title></html>", "text/xml", "T"),
        (None, "%PDF-1.7 x", "application/pdf", ""),
        ("application/octet-stream", "PK\x03\x04", "application/zip", ""),
        ("text/plain", b"\x00\x01\x02binary", "application/octet-stream", ""),
        ("image/png", HTML, "image/png", ""),
        ("application/json", "{}", "application/json", ""),
    ],
)
def test_types(type, body, mime, title):
    read = page(body, type)
    assert (read.mime, read.title) == (mime, title)
    if not title:
        assert len(read.links) == 0


def test_plain_text_is_text_without_links():
    read = page("One  line\n\n  http://x.org/ two\r\n", "text/plain")
    assert (read.text, len(read.links), read.fingerprint != 0) == ("One line\nhttp://x.org/ two", 0, True)


def test_xhtml_may_close_anything_within_its_tag():
    body = "<html><head><title>T</title><script src='x'/></head><body><a id='x'/><p>Seen</p></body></html>"
    read = page(body, "application/xhtml+xml")
    assert (read.title, read.text) == ("T", "Seen")


RSS = """<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY lol "lol">]><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel><title>My &amp; feed</title><link>https://site.org/</link><atom:link href="/self" rel="self"/>
<item><title><![CDATA[First <b>one</b>]]></title><link>https://site.org/1?a=1&amp;b=2</link><description>&lt;p&gt;About&lt;/p&gt; it</description></item>
<item><title>Second</title><guid isPermaLink="true">https://site.org/2</guid></item>
<item><title>Third</title><guid isPermaLink="false">https://site.org/no</guid><link> /3 </link></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://base.org/x/"><title>F</title><link href="/home"/>
<entry><title type="html">One</title><link rel="edit" href="/edit"/><link rel="alternate" href="one"/><summary>S</summary></entry>
<entry><title>Two</title><link href='https://site.org/two>gt'/></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"><title>R</title></channel>
<item rdf:about="https://site.org/about"><title>T1</title><link>https://site.org/r1</link></item>
<item rdf:about="https://site.org/r2"><title>T2</title></item></rdf:RDF>"""


@pytest.mark.parametrize("kind", [Kind.FEED, Kind.PAGE])
@pytest.mark.parametrize("type", ["application/rss+xml", "text/xml", "text/html", "text/plain", None])
def test_rss(kind, type):
    read = page(RSS, type, kind=kind)
    assert (read.mime, read.title) == ("application/rss+xml", "My & feed")
    assert read.links.urls == ["https://site.org/1?a=1&b=2", "https://site.org/2", "https://site.org/3"]
    assert read.links.anchors == ["First one", "Second", "Third"]
    assert read.links.contexts[0] == "About it"
    assert set(read.links.kinds) == {Kind.PAGE}


def test_atom():
    read = page(ATOM, "application/atom+xml")
    assert (read.mime, read.title) == ("application/atom+xml", "F")
    assert read.links.urls == ["https://base.org/x/one", "https://site.org/two%3Egt"]
    assert read.links.anchors == ["One", "Two"]


def test_rdf():
    read = page(RDF, "application/xml")
    assert read.mime == "application/rdf+xml"
    assert read.links.urls == ["https://site.org/r1", "https://site.org/r2"]


def test_a_feed_in_its_own_encoding():
    body = '<?xml version="1.0" encoding="euc-jp"?><rss><item><title>日本</title><link>/a</link></item></rss>'.encode(
        "euc_jp"
    )
    assert page(body, "application/xml").links.anchors == ["日本"]


URLSET = """<?xml version="1.0" encoding="UTF-8"?><!-- <url><loc>https://site.org/comment</loc></url> -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">
<url><loc>https://site.org/1?a=1&amp;b=2</loc><lastmod>2020</lastmod><image:image><image:loc>https://site.org/i.png</image:loc></image:image></url>
<url><loc ><![CDATA[https://site.org/2]]></loc></url><url><loc>
https://site.org/3 </loc></url><url><location>https://site.org/4</location></url><url><loc>https://site.org/5"""
WANTED = ["https://site.org/1?a=1&b=2", "https://site.org/2", "https://site.org/3"]


@pytest.mark.parametrize("kind", [Kind.SITEMAP, Kind.PAGE])
@pytest.mark.parametrize("type", ["application/xml", "text/xml; charset=utf-8", "text/html", None])
def test_urlset(kind, type):
    read = page(URLSET, type, kind=kind)
    assert read.links.urls == WANTED
    assert set(read.links.kinds) == {Kind.PAGE}


def test_prefixed_sitemap():
    body = '<sm:urlset xmlns:sm="x"><sm:url><sm:loc>https://site.org/p</sm:loc></sm:url></sm:urlset>'
    assert page(body, "text/xml", kind=Kind.SITEMAP).links.urls == ["https://site.org/p"]


def test_sitemap_index():
    body = "<sitemapindex><sitemap><loc>https://site.org/s1.xml.gz</loc></sitemap></sitemapindex>"
    links = page(body, "text/xml", kind=Kind.SITEMAP).links
    assert (links.urls, links.kinds) == (["https://site.org/s1.xml.gz"], [Kind.SITEMAP])


@pytest.mark.parametrize(
    "type", ["application/gzip", "application/x-gzip", "application/octet-stream", "application/xml"]
)
def test_sitemap_as_gzip_file(type):
    body = gzip.compress(URLSET.encode())
    assert page(body, type, kind=Kind.SITEMAP).links.urls == WANTED
    assert page(body, "application/gzip", url="https://site.org/sitemap.xml.gz").links.urls == WANTED
    twice = gzip.compress(body)
    assert page(twice, type, kind=Kind.SITEMAP, headers=(("Content-Encoding", "gzip"),)).links.urls == WANTED


def test_text_list():
    body = "\ufeffhttps://site.org/1\r\nnot an address\nhttps://site.org/2\nftp://x.org/\n"
    assert page(body, "text/plain", kind=Kind.SITEMAP).links.urls == [
        "https://site.org/1",
        "https://site.org/2",
    ]
    assert (
        page(gzip.compress(body.encode()), "application/gzip", kind=Kind.SITEMAP).links.urls[1]
        == "https://site.org/2"
    )


def test_a_sitemap_that_is_a_page_has_no_links():
    assert len(page(HTML, kind=Kind.SITEMAP).links) == 0


def test_sitemap_limit():
    body = (
        "<urlset>"
        + "".join(f"<url><loc>https://site.org/{n}</loc></url>" for n in range(MAX_LOCATIONS + 10))
        + "</urlset>"
    )
    assert len(page(body, "text/xml", kind=Kind.SITEMAP).links) == MAX_LOCATIONS


def test_billion_laughs_expand_to_nothing():
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">{entities}]><urlset><url><loc>https://site.org/&l9;</loc></url></urlset>'
    (url,) = page(body, "text/xml", kind=Kind.SITEMAP).links.urls
    assert len(url) < 60


def test_robots_answer():
    body = b"\xef\xbb\xbfUser-agent: *\nDisallow: /x\nSITEMAP: https://site.org/s.xml # main\nsitemap:/rel.xml\nSitemap: ftp://no\n"
    read = page(body, "text/plain", kind=Kind.ROBOTS, url="https://site.org/robots.txt")
    assert read.text == body[3:].decode()
    assert read.links.urls == ["https://site.org/s.xml", "https://site.org/rel.xml"]
    assert set(read.links.kinds) == {Kind.SITEMAP}


def test_robots_are_cut_at_500_kib_also_when_packed():
    body = gzip.compress(b"Disallow: /x\n" * 100_000)
    read = page(body, "text/plain", kind=Kind.ROBOTS, headers=(("Content-Encoding", "gzip"),))
    assert (len(read.text), read.truncated) == (500 * 1024, True)


def test_robots_answer_that_is_a_page_is_given_as_text():
    assert page(HTML, kind=Kind.ROBOTS).text == HTML


def test_robots_redirect():
    read = page(b"", kind=Kind.ROBOTS, status=301, headers=(("Location", "//other.org/robots.txt"),))
    assert read.redirect == "https://other.org/robots.txt"


TYPES = [
    "text/html",
    "text/plain",
    "text/xml",
    "application/xhtml+xml",
    "application/rss+xml",
    "application/gzip",
    "",
    "x",
]
TOKENS = st.sampled_from(
    [b"<a href=", b"<", b">", b"</", b"<!--", b"<![CDATA[", b"<?xml ", b"<rss>", b"<item>", b"<link>", b"<urlset>", b"<loc>",
     b"<meta charset=", b"<base href=", b"&#x", b"&amp;", b"'", b'"', b"http://", b"//[", b"\xff\xfe", b"\x1f\x8b\x08", b"\x1b$B",
     b"<!DOCTYPE x [", b"]>", b"<template>", b"<svg>", b"<table>", b"<select>", b"<title>", b"\0", b"refresh", b"<noscript>"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    body=st.lists(TOKENS | st.binary(max_size=12), max_size=30).map(b"".join),
    type=st.sampled_from(TYPES) | st.text(max_size=20),
    kind=st.sampled_from(list(Kind)),
    status=st.integers(0, 999),
    coding=st.sampled_from(["", "gzip", "br", "zstd", "deflate", "gzip, br", "x"]),
    location=st.none() | st.text(max_size=20),
)
def test_reading_never_raises(*, body, type, kind, status, coding, location):
    headers = [("Content-Encoding", coding)]
    if location is not None:
        headers += [("Location", location), ("Refresh", location), ("X-Robots-Tag", location)]
    read = page(body, type, kind=kind, status=status, headers=tuple(headers))
    columns = (read.links.urls, read.links.origins, read.links.hashes, read.links.anchors, read.links.contexts,
               read.links.paths, read.links.rels, read.links.positions, read.links.kinds)  # fmt: skip
    assert len({len(column) for column in columns}) == 1
    for url in [*read.links.urls, *filter(None, [read.redirect])]:
        assert CANON(url) == url
        assert url.startswith("http")
    (read.title + read.text + "".join(read.links.anchors + read.links.contexts)).encode()
