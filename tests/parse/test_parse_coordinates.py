"""Where links stand: pseudo coordinates by the paper's own recipe, and a layout without a browser."""

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from clew.parse.html import read_html
from clew.parse.html_walk import MAX_LAID_OUT, HtmlWalk
from clew.parse.layout.block_heights import ALONE, BLOCKS, LINKS
from clew.parse.surroundings import places_of
from clew.types import Area
from clew.urls import Canon


def placed(document, *, layout=True):
    """Return the places of all link elements of a document, as the reader finds them for those it keeps."""
    walk = HtmlWalk()
    walk.over(document.root, layout=layout)
    return places_of(walk, document.root)


def stand(markup, **options):
    """Return the places of all link elements, in order, as the parser sees the markup."""
    return placed(LexborHTMLParser(markup, options=1), **options)


def shown(markup):
    """Return x and y of links by their text."""
    document = LexborHTMLParser(markup, options=1)
    names = [node.text().strip() for node in document.root.traverse() if node.tag in LINKS]
    return {name: place[2:4] for name, place in zip(names, stand(markup), strict=True)}


# ---- pseudo coordinates, against the figures of the paper -----------------------------------------------


def paper(markup):  # noqa: C901 - three figures in one
    """Follow figures 2.1 to 2.3 step by step over the tree.

    Two slips of the figures are put right, as the paper's text wants it: `countBlockElements` gives what it
    has counted below elements that are no blocks too, and blocks within links count before later links.
    """
    root = LexborHTMLParser(markup, options=1).root
    across, down, order = [], [], 0

    def children(node):
        return [child for child in node.iter() if child.tag != "-comment"]

    def count_block_elements(node):
        below = sum(count_block_elements(child) for child in children(node))
        return below + (1 if node.tag in ALONE else 2 if node.tag in BLOCKS else 0)

    def calc_pseudo_x(node, left, width):
        if node.tag in LINKS:
            across.append(left + width / 2)
        cells = [child for child in children(node) if child.tag in {"td", "th"}] if node.tag == "tr" else []
        columns = [max(1, int(cell.attributes.get("colspan") or 1)) for cell in cells]
        for child in children(node):
            if child.tag in {"td", "th"} and node.tag == "tr":
                at = [cell.mem_id for cell in cells].index(child.mem_id)
                begin = left + width * sum(columns[:at]) / sum(columns)
                calc_pseudo_x(child, begin, width * columns[at] / sum(columns))
            else:
                calc_pseudo_x(child, left, width)

    def calc_pseudo_y(node):
        nonlocal order
        if node.tag in BLOCKS or node.tag in ALONE:
            order += 1
        if node.tag in LINKS:
            down.append(order / whole)
        for child in children(node):
            calc_pseudo_y(child)
        if node.tag in BLOCKS:
            order += 1

    whole = count_block_elements(root)
    calc_pseudo_x(root, 0.0, 1.0)
    calc_pseudo_y(root)
    return list(zip(across, down, strict=True))


TREES = st.recursive(
    st.sampled_from(
        ["<a href=x>l</a>", "words ", "<hr>", "<!-- <p> <a href=c> -->", "<script>if (1<a) '<td>'</script>",
         "<iframe src=i><a href=no></iframe>", "<template><p><a href=t></p></template>", "<br>", "&lt;p>"]
    ),
    lambda inner: st.builds(
        lambda tag, span, inside: f"<{tag}{span}>{''.join(inside)}</{tag.split()[0]}>",
        st.sampled_from(
            ["div", "p", "ul", "li", "table", "tr", "td", "th", "span", "b", "a href=y", "form", "center", "h2",
             "section", "tbody", "pre", "blockquote", "dl", "nav"]
        ),
        st.sampled_from(["", " colspan=2", " colspan=3", ' title="<td>"']),
        st.lists(inner, max_size=5),
    ),
    max_leaves=40,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(TREES, max_size=6).map("".join), st.booleans())
def test_pseudo_coordinates_are_those_of_the_paper(markup, layout):
    found = [place[:2] for place in stand(markup, layout=layout)]
    np.testing.assert_allclose(found, paper(markup) or np.empty((0, 2)).tolist(), atol=1e-9)


def test_a_worked_example_of_pseudo_coordinates():
    markup = """<body><table><tr><td><a href=1>one</a></td><td colspan=3>
    <table><tr><td><a href=2>two</a><td><a href=3>three</a></table></td></tr></table><hr><a href=4>four</a>"""
    # Block tags in order: html body table [1] table [2 3] /table /table hr [4] /body /html: nine in all.
    assert [place[:2] for place in stand(markup)] == [
        (0.125, 3 / 9), (0.25 + 0.75 / 4, 4 / 9), (0.25 + 0.75 * 3 / 4, 4 / 9), (0.5, 7 / 9),
    ]  # fmt: skip


# ---- layout ------------------------------------------------------------------------------------------------


def test_columns_of_a_table_stand_side_by_side():
    at = shown(
        "<table width=100%><tr><td width=20%><a href=a>menu</a><td><a href=b>middle</a>"
        "<td width=20%><a href=c>right</a></table><p><a href=d>below</a>"
    )
    assert at["menu"][0] < 0.2 < at["middle"][0] < 0.7 < at["right"][0]
    assert at["menu"][1] == pytest.approx(at["right"][1])
    assert at["menu"][1] < at["below"][1]


def test_floats_flex_and_grids_stand_beside_each_other():
    at = shown(
        """<style>.menu li { float: left; width: 25% } #shell { display: grid; grid-template-columns: 1fr 300px }
        @media (max-width: 600px) { #shell { display: block } } @media print { .menu li { float: none } }
        .bar { display: flex; justify-content: space-between }</style>
        <ul class=menu style="padding:0"><li><a href=1>one</a><li><a href=2>two</a><li><a href=3>three</a></ul>
        <div style="clear:both" class=bar><a href=4>logo</a><a href=5>login</a></div>
        <div id=shell><div><a href=6>text</a></div><div><a href=7>aside</a></div></div>"""
    )
    assert [at[name][0] for name in ("one", "two", "three")] == sorted(
        at[n][0] for n in ("one", "two", "three")
    )
    assert at["three"][0] > 0.5
    assert at["one"][1] == at["three"][1] < at["logo"][1] == at["login"][1] < at["text"][1] == at["aside"][1]
    assert at["logo"][0] < 0.1
    assert at["login"][0] > 0.9
    assert at["text"][0] < 0.1
    assert at["aside"][0] > 0.7


def test_words_behind_a_closing_tag_belong_to_what_is_around():
    at = shown("<center><p align=left>x</p><a href=1>middle</a></center><a href=2>left</a>")
    assert at["middle"][0] == pytest.approx(0.5, abs=0.03)
    assert at["left"][0] < 0.1


def test_common_class_names_count_where_a_sheet_lies_elsewhere():
    body = "<div class=row><div class=col-md-9><a href=1>text</a></div><div class=col-md-3><a href=2>side</a></div></div>"
    with_sheet = shown(f"<link rel=stylesheet href=x.css>{body}".replace("<link", "<link title=s"))
    assert with_sheet["side"][0] > 0.7
    assert shown(body)["side"][0] < 0.2


def test_pages_from_right_to_left_and_from_top_to_bottom():
    right = shown(
        "<html dir=rtl><body><a href=1>one</a><table width=100%><tr><td width=50%><a href=2>two</a><td><a href=3>three</a>"
    )
    assert right["one"][0] > 0.85
    assert right["two"][0] > 0.5 > right["three"][0]
    lines = "".join(f"<p><a href={n}>{n}</a>" for n in range(9))
    upright = shown(f'<body style="writing-mode: vertical-rl">{lines}')
    assert all(upright[str(n)][0] > upright[str(n + 1)][0] for n in range(8))
    assert upright["0"][1] == pytest.approx(upright["8"][1])


def test_areas_are_told_by_tags_roles_and_names():
    found = stand(
        "<header><a href=1></a><nav><a href=2></a></nav></header><main><header><a href=3></a></header></main>"
        "<div role=complementary><a href=4></a></div><div id=footer><a href=5></a></div><p><a href=6></a>"
    )
    assert [Area(place[4]) for place in found] == [
        Area.HEADER, Area.NAV, Area.MAIN, Area.ASIDE, Area.FOOTER, Area.OTHER,
    ]  # fmt: skip


def test_what_cannot_be_seen_takes_no_room():
    at = shown(
        "<div style='display:none'>"
        + "<p><a href=0>words</a>" * 50
        + "</div><a href=1>first</a>"
        + "<p>text" * 9
    )
    assert at["first"][1] < 0.1


# ---- what the web may send ---------------------------------------------------------------------------------


def nested(depth):
    return "<table><tr><td><a href=x>l</a>" * depth


HOSTILE = {
    "tables nested 500 deep": nested(500),
    "colspan of a thousand million": "<table><tr><td colspan=1000000000><a href=1>a</a><td><a href=2>b</a></table>",
    "negative colspan": "<table><tr><td colspan=-3 rowspan=-1><a href=1>a</a><td colspan=0><a href=2>b</a></table>",
    "rowspan without end": "<table>" + "<tr><td rowspan=65535 colspan=999><a href=1>a</a>" * 300 + "</table>",
    "no block elements": "<a href=1>one</a> and <a href=2>two</a>",
    "only links": "<a href=1></a><a href=2></a>",
    "vertical writing": "<html style='writing-mode:vertical-rl'><p><a href=1>縦書き</a><p><a href=2>二</a>",
    "100,000 tags": "<b><i>x</i></b>" * 30_000 + "<a href=1>l</a>",
    "100,000 blocks": "<div><a href=1>l</a></div>" * 40_000,
    "a style sheet of a megabyte": "<style>" + ".a .b > .c, #d e { float: left; width: 10% }" * 25_000 + "</style>"
    + "<div class='a b c'><a href=1>l</a>" * 300,
    "braces without end": "<style>" + "@media {" * 50_000 + "a{" * 50_000 + "</style><p><a href=1>l</a>",
    "sizes out of this world": "<div style='width:1e999px;flex:99999999999;font-size:9999999px;column-count:99999999'>"
    "<table width=99999999999999><tr><td width=9e9><a href=1>l</a></table></div>",
    "grids of a million columns": "<div style='display:grid;grid-template-columns:repeat(999,repeat(999,1fr))'><a href=1>l</a></div>",
    "floats in floats": "<div style='float:left'>" * 800 + "<a href=1>l</a>",
    "a flex row of thousands": "<div style='display:flex;flex-wrap:wrap'>" + "<div><a href=1>word</a></div>" * 6_000 + "</div>",
    "comments and scripts cut off": "<a href=1>l</a><!-- <a href=2> <script> <a href=3>",
    "plaintext": "<a href=1>l</a><plaintext><a href=2></plaintext>",
    "attributes full of tags": "<p title='<a href=1><td></table>'><a href=1 title='>'>l</a>",
    "frames": "<frameset><frame src=a><frame src=b><noframes><a href=c></noframes></frameset>",
    "foreign content": "<svg><a href=1><text>l</text></a><title><a href=2></title></svg><math><a href=3>l</a></math>",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_end_soon_within_the_page(name):
    document = LexborHTMLParser(HOSTILE[name], options=1)
    links = [node for node in document.root.traverse() if node.tag in LINKS]
    started = time.process_time()
    found = stand(HOSTILE[name])
    assert time.process_time() - started < 3
    assert len(found) == len(links)
    numbers = np.array([place[:4] for place in found])
    assert np.isfinite(numbers).all()
    assert ((numbers >= 0) & (numbers <= 1)).all()


@settings(max_examples=100, deadline=None)
@given(st.text("<>abdiprtv/!-= \"'hrefl", max_size=200))
def test_every_link_the_parser_sees_has_a_place(text):
    document = LexborHTMLParser(text, options=1)
    if document.root is not None:
        links = [node for node in document.root.traverse() if node.tag in LINKS]
        assert len(placed(document)) == len(links)


def test_pages_with_very_many_tags_are_only_counted():
    found = stand("<p><a href=1>l</a></p>" * (MAX_LAID_OUT // 2 + 1))
    assert all(place[:2] == place[2:4] for place in found)
    assert all(before[1] < after[1] for before, after in pairwise(found))


def test_links_of_a_page_carry_their_places():
    markup = b"<nav><a href=/a>A</a></nav><table width=100%><tr><td>x<td><a href=/b>B</a></table>"
    links = read_html(markup, url="http://a.test/", canon=Canon(()), agent="clew").links
    assert links.coordinates.shape == (2, 4)
    assert links.coordinates.dtype == np.float32
    assert links.areas.tolist() == [Area.NAV, Area.OTHER]
    assert links.coordinates[1, 0] == pytest.approx(0.75)
    assert links.take([1]).coordinates.tolist() == links.coordinates[[1]].tolist()
    assert links.join(links).areas.tolist() == [2, 0, 2, 0]
