"""Links of pages: which ones, and what is known of each."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from parse_visits import CANON, page

from clew import urls
from clew.parse.anchors import MAX_ANCHOR, MAX_LINKS
from clew.parse.surroundings import MAX_CONTEXT
from clew.parse.tag_paths import MAX_PATH
from clew.types import Kind


def test_every_form_of_link_and_no_other():
    body = """<link rel=stylesheet href=/s.css><link rel=next href=/next><link rel=prev href=/prev>
    <link rel=alternate type="application/rss+xml" href=/rss title="News"><link rel=alternate hreflang=de href=/de>
    <link rel="alternate stylesheet" type="text/css" href=/alt.css><link rel=icon href=/i.ico>
    <a href=/a>A</a><map><area href=/area alt="Region"></map><iframe src=/iframe title=Inner></iframe>
    <form action=/form><input></form><img src=/img.png><script src=/x.js></script><a name=x>none</a>
    <a href="javascript:void(0)">j</a><a href="JavaScript:void(0)">j</a><a href=mailto:a@b.org>m</a><a href="#top">t</a>
    <a href="">self</a><a href="tel:1">t</a><a href="ftp://x.org/">f</a><noscript><a href=/noscript>N</a></noscript>"""
    links = page(body).links
    paths = [url.removeprefix("https://site.org") for url in links.urls]
    assert paths == ["/next", "/prev", "/rss", "/de", "/a", "/area", "/iframe", "/noscript"]
    assert [kind for kind in links.kinds if kind] == [Kind.FEED]
    assert links.kinds[2] is Kind.FEED
    assert links.anchors[2:] == ["News", "", "A", "Region", "Inner", "N"]


def test_frames():
    assert page("<frameset><frame src=left.html><frame src=right.html></frameset>").links.urls == [
        "https://site.org/dir/left.html",
        "https://site.org/dir/right.html",
    ]


def test_columns_belong_together():
    links = page(
        "<main><p>See <a class='x y z' rel='NoFollow ugc' href=/a?b=2&a=1>the  list</a> of things</p></main>"
    ).links
    assert links.urls == ["https://site.org/a?b=2&a=1"]
    assert links.origins == ["https://site.org"]
    assert links.hashes.tolist() == [urls.fingerprint(links.urls[0])]
    assert links.anchors == ["the list"]
    assert links.contexts == ["See the list of things"]
    assert links.paths == ["body/main/p/a.x.y"]
    assert links.rels == ["nofollow ugc"]
    assert links.hashes.dtype == np.uint64
    assert links.positions.dtype == np.float32


def test_the_same_address_twice_keeps_the_first_place_and_the_longest_anchor():
    links = page(
        "<ul class=nav><li><a href=/a>A</a></ul><p><a href=/b>B</a><a href=/a#x>A longer name</a>"
    ).links
    assert links.urls == ["https://site.org/a", "https://site.org/b"]
    assert links.anchors == ["A longer name", "B"]
    assert links.paths[0] == "body/ul.nav/li/a"


def test_anchor_of_pictures_and_titles():
    links = page(
        "<a href=/1><img alt='A picture' src=x></a><a href=/2 title=Tip></a><a href=/3><b>Big</b><i>Small</i></a>"
    ).links
    assert links.anchors == ["A picture", "Tip", "Big Small"]


def test_context_of_a_long_block_surrounds_the_anchor():
    before, after = "alpha " * 200, "omega " * 200
    links = page(f"<div>{before}<a href=/x>the middle</a> {after}<a href=/y>more</a></div>").links
    context = links.contexts[0]
    assert "alpha the middle omega" in context
    assert len(context) <= MAX_CONTEXT
    assert "omega more" in links.contexts[1]


def test_repeated_anchors_in_one_block_have_their_own_context():
    links = page(
        "<div>" + "".join(f"{'x' * 150} item{n} <a href=/{n}>more</a> " for n in range(3)) + "</div>"
    ).links
    assert ["item0" in links.contexts[0], "item1" in links.contexts[1], "item2" in links.contexts[2]] == [
        True
    ] * 3


def test_long_things_are_cut():
    deep = "<div class='" + "c" * 60 + "'>"
    links = page(deep * 40 + f"<a href=/x>{'long ' * 100}</a>").links
    assert len(links.anchors[0]) <= MAX_ANCHOR
    assert len(links.paths[0]) <= MAX_PATH
    assert links.paths[0].endswith("/a")
    assert page("<b><i>" * 30 + "<a href=/x>y</a>").links.paths[0].count("/") == 11


def test_class_names_are_sanitised():
    path = page("<p class='a/b é&#8238;'><a class='x\x01\"<y>' href=/x>y</a>").links.paths[0]
    assert path == "body/p.ab/a.xy"


def test_positions_grow_from_zero_to_one():
    links = page("".join(f"<p>{n}<a href=/{n}>{n}</a></p>" for n in range(50))).links
    assert 0 <= links.positions[0] < 0.1
    assert 0.9 < links.positions[-1] <= 1
    assert (np.diff(links.positions) > 0).all()


def test_there_is_a_limit():
    assert len(page("".join(f"<a href=/{n}>x</a>" for n in range(MAX_LINKS + 50))).links) == MAX_LINKS


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.text(max_size=40))
def test_links_are_always_canonical(href, base):
    quoted = href.replace("&", "&amp;").replace('"', "&quot;")
    links = page(f'<base href="{base.replace(chr(34), "")}"><a href="{quoted}">x</a>').links
    for url in links.urls:
        assert url.startswith(("http://", "https://"))
        assert CANON(url) == url
