"""Clean markup: what is kept, what goes, and that hostile pages cost no more than their length."""

import asyncio
import re
import time

import pytest

from clew.parse import ParsePool, read
from clew.parse.clean_html import MAX_MARKUP, cleaned, pruned
from clew.parse.options import ParseOptions
from clew.parse.page_reader import markup_of
from clew.types import Link, Response
from clew.urls import Canon

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def visit(html, head=HEAD):
    return Response(
        link=Link(id=1, url="http://a.org/", origin="http://a.org"),
        started=0,
        ended=0,
        status=200,
        head=head,
        body=html,
    )


def body(html):
    return re.search(r"<body>(.*)</body>", cleaned(html)).group(1)


def test_only_words_and_the_tags_that_hold_them_stay():
    html = (
        '<div class="a b" onclick="x()" style="color:red"><!-- <b>no</b> --><script>if (a<b) "<p>"</script>'
        "<style>p{}</style><img src=x><select><option>no</select><svg><title>no</title></svg>Tom &amp; Jerry&nbsp;&lt;3</div>"
    )
    assert body(html) == '<div class="a b">Tom &amp; Jerry &lt;3</div>'


def test_white_space_is_folded_and_every_tag_is_closed():
    assert body("<p>a\n\n  b<p>c<b>d") == "<p>a b</p><p>c<b>d</b></p>"


def test_meaning_in_attributes_stays():
    html = '<meta itemprop="author" content="Date"><time datetime="1998-01-01" data-x=1>1998</time><a href="/x" rel=y>z</a>'
    assert '<meta itemprop="author" content="Date">' in cleaned(html)
    assert '<time datetime="1998-01-01">1998</time><a href="/x">z</a>' in cleaned(html)


@pytest.mark.parametrize("name", ['a"b', "<x", "x<y"])
def test_odd_names_of_attributes_do_not_swallow_the_page(name):
    assert body(f"<p {name}=1>one</p><p>two</p>").endswith("<p>two</p>")


def test_pages_are_cut_at_a_megabyte_and_stay_well_formed():
    made = cleaned("<ul>" + "<li>word word word</li>" * 100_000)
    assert MAX_MARKUP <= len(made) < MAX_MARKUP + 1_000
    assert made.endswith("</ul></body></html>")
    assert made.count("<li>") == made.count("</li>")


def test_pruning_is_linear_in_tags_in_depth_and_in_text():
    def seconds(html):
        began = time.process_time()
        pruned(html)
        return time.process_time() - began

    for make in (
        lambda n: "<b>" * n + "</b>" * n,
        lambda n: "<p>" + "a b " * n,
        lambda n: "<!--" * n,
        lambda n: "<a <" * n,
    ):
        small, large = seconds(make(20_000)), seconds(make(160_000))
        assert large < 30 * max(small, 0.002)


def test_the_pool_gives_the_markup_that_read_gives_and_only_when_asked():
    page = visit("<p>Ä &amp; b <a href=/x>c</a>".encode("latin-1"))

    async def through_pool(markup):
        pool = ParsePool(workers=1, options=ParseOptions(markup=markup))
        try:
            return (await pool(page)).markup
        finally:
            await pool.aclose()

    here = read(page, canon=Canon(), max_bytes=1_000, options=ParseOptions(markup=True)).markup
    assert here.endswith('<p>Ä &amp; b <a href="/x">c</a></p></body></html>')
    assert asyncio.run(through_pool(True)) == here == markup_of(page, canon=Canon(), max_bytes=1_000)
    assert asyncio.run(through_pool(False)) == ""


def test_what_is_no_page_has_no_markup():
    picture = visit(b"\x89PNG", b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n")
    feed = visit(b"<rss><item><title>x</title></item></rss>")
    assert markup_of(picture, canon=Canon(), max_bytes=1_000) == ""
    assert markup_of(feed, canon=Canon(), max_bytes=1_000) == ""
