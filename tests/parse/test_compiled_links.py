"""The compiled walk over a page and its links give what plain Python gives, on any page."""

from dataclasses import fields
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.parse import link_reader
from clew.parse.html import read_html
from clew.urls import Canon

pytestmark = pytest.mark.skipif(link_reader._READER is None, reason="the compiled modules were not built")

URL = "http://a.test:8080/folder/page.html?x=1"
HREFS = (
    "", " ", "/", "/a", "/a/b.html", "/a//b", "/a/../b", "/a/./b", "/.hidden", "/a/b/", "b.html", "b/c", "../up", "./here",
    "b:c", "b'c", "/b'c", "httpfoo/x", "http://a.test:8080/z", "http://b.test/q?utm_source=x&k=1", "https://B.test/Up",
    "http://b.test", "//c.test/x", "/p#frag", "p#frag", "#frag", "/p #frag", "/caf\xe9", "/%7Eme", "/a;jsessionid=1/b",
    "/a%2e%2e/b", "?q=1", "javascript:x", "mailto:a@b", "JAVASCRIPT:x", "tel:1", "data:x", "ftp://x.test/y", "\t/tab",
    "/x y", "http://[::1]/a", "http://1.2.3.4:80/a", "http://1.2.3.4:99999/a", "/" + "l" * 2100, "name" * 600,
    "/a@b:c,d+e=f&g$h", "a@b,c+d=e&f$g", "-", "~me/x", "/\u6771", "http://a.test:8080/?a=1", "http://a.test:8080",
)  # fmt: skip
ATTRIBUTES = st.sampled_from((
    "", " class=x", ' class="one two three"', " class", ' rel="NoFollow  external"', ' type="text/CSV"', " download=f.pdf",
    " title='a  title'", " alt=", ' aria-label="label"', " colspan=2", " colspan=0", ' xlink:href="/other"', " id=m",
    " hreflang=de rel=alternate", ' rel=next title="N"', " rel='alternate' type='application/rss+xml'", " class=caf\xe9",
))  # fmt: skip
TAGS = (
    "p", "div", "span", "b", "li", "ul", "td", "th", "tr", "table", "nav", "header", "footer", "aside", "svg", "template",
    "noscript", "object", "script", "math", "my-part", "a-very-long-name-of-a-part", "center", "h1", "frameset", "select",
    "body", "html", "head", "title", "form", "br", "hr", "main", "article", "pre", "iframe", "feblend",
)  # fmt: skip
TEXTS = st.sampled_from((
    "words", " ", "\n\t ", "two  words\n", "gr\xf6\xdfe \u6771\u4eac", "\xa0", "\x1e", "a\x0bb", "&amp;", "<!-- no -->", "x" * 300,
    "long text " * 40, "\ud83d\ude00"[:0], "zero\u200bwidth", "<!doctype html>", "\x00",
))  # fmt: skip
LINKS = st.builds(
    "<{}{} {}='{}'>".format,
    st.sampled_from(("a", "area", "iframe", "frame", "link", "base", "a", "a")),
    ATTRIBUTES,
    st.sampled_from(("href", "src", "HREF", "href")),
    st.sampled_from(HREFS).map(lambda href: href.replace("'", "&#39;")),
)
METAS = st.sampled_from((
    "<meta name=robots content=nofollow>", "<meta http-equiv=refresh content='1; url=/r'>", "<meta name=language content=de>",
    "<noscript><meta http-equiv=refresh content='1; url=/s'></noscript>", "<meta property=og:title content=t>", "<meta>",
    "<meta http-equiv=refresh content='99; url=/late'>", "<img alt='picture text'>", "<img alt>", "<img>", "</a>",
    "<base href='http://b.test/deep/er/'>", "<svg><title>t</title><a href=/s>svg</a></svg>", "<title>T  x</title>",
))  # fmt: skip
PIECES = st.one_of(
    TEXTS, LINKS, LINKS, METAS,
    st.builds("<{}{}>".format, st.sampled_from(TAGS), ATTRIBUTES),
    st.builds("</{}>".format, st.sampled_from((*TAGS, "a"))),
)  # fmt: skip


def content(markup: bytes | str, encoding: str) -> list[object]:
    found = read_html(markup, url=URL, canon=Canon(), agent="clew", encoding=encoding, layout=False)
    values = [getattr(found, field.name) for field in fields(found) if field.name != "links"]
    columns = [getattr(found.links, field.name) for field in fields(found.links)]
    return values + [column.tolist() if isinstance(column, np.ndarray) else column for column in columns]


def both(markup: bytes | str, encoding: str = "utf-8") -> tuple[list[object], list[object]]:
    compiled = content(markup, encoding)
    with patch.object(link_reader, "_READER", None):
        return compiled, content(markup, encoding)


@settings(max_examples=500, deadline=None)
@given(
    pieces=st.lists(PIECES, max_size=50),
    encoding=st.sampled_from(("utf-8", "windows-1252", "shift_jis")),
    is_text=st.booleans(),
)
def test_compiled_links_are_those_of_plain_python(pieces, encoding, is_text):
    markup = "".join(pieces)
    compiled, plain = both(markup if is_text else markup.encode(), encoding)
    assert compiled == plain


def test_bytes_that_are_no_text_are_replaced_alike():
    compiled, plain = both(
        b"<a href='/\xff\xc3' class='\xe6'>a\xff</a><title>\xff</title><x\xff><a href=b>\xff"
    )
    assert compiled == plain


def test_more_links_than_are_kept_are_left_out_alike():
    markup = "".join(f"<p><a href=/{number}>{number} and more</a> text" for number in range(5_100))
    compiled, plain = both(markup + "<a href=/1>a longer text for the first</a>")
    assert compiled == plain
    assert len(compiled[-14]) == 5_000


def test_deep_nesting_is_read():
    compiled, plain = both("<div class=a><a href=x>x</a>" * 2_000)
    assert compiled == plain
