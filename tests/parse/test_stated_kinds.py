"""schema.org types as Page.kinds, and what links say of the files they lead to."""

from clew.parse.html import read_html
from clew.parse.ipc import HEADER, page_of, reply
from clew.parse.page_builder import PageContent
from clew.testing import sample_page
from clew.types import Links, Page
from clew.urls import Canon


def read(markup: str) -> PageContent:
    return read_html(markup, url="http://a.org/", canon=Canon(), agent="clew")


def linked_data(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script><p>text'


def test_json_ld_in_all_its_spellings():
    graph = (
        '{"@context":"https://schema.org","@graph":[{"@type":["Recipe","HowTo"]},{"x":{"@type":"Person"}}]}'
    )
    assert read(linked_data(graph)).kinds == ("Recipe", "HowTo", "Person")
    escaped = r'{"@context":"http:\/\/schema.org","@type":"http:\/\/schema.org\/Dataset"}'
    assert read(linked_data(escaped)).kinds == ("Dataset",)
    broken = '{"@context":"https://schema.org","@type":"Movie", oh no'
    assert read(linked_data(broken)).kinds == ("Movie",)


def test_microdata_and_rdfa():
    assert read('<div itemscope itemtype="http://schema.org/Recipe https://schema.org/Thing">').kinds == (
        "Recipe",
        "Thing",
    )
    assert read('<div vocab="https://schema.org/" typeof="Event">').kinds == ("Event",)
    assert read('<i>schema.org</i><div typeof="schema:Event foaf:Person">').kinds == ("Event",)


def test_false_friends_state_nothing():
    assert read('<p>On schema.org there is a type Recipe: "@type": "Recipe"').kinds == ()
    assert read('<script>x = {"@context": "https://schema.org", "@type": "Recipe"}</script>').kinds == ()
    assert read(linked_data('{"@context":"https://other.org","@type":"Recipe"}')).kinds == ()
    assert read('<div itemtype="http://data-vocabulary.org/Recipe">schema.org').kinds == ()
    assert read("<p>no markup").kinds == ()


def test_a_page_that_states_everything_is_cut_short():
    assert len(read("".join(f'<p itemtype="https://schema.org/T{i}">' for i in range(500))).kinds) == 50


def test_links_say_what_they_lead_to():
    links = read(
        '<a href=a type=" Text/CSV ">a</a><a href=b download="Table 1.XLSX">b</a><a href=c download>c</a><a href=d>d</a>'
    ).links
    assert links.types == ["text/csv", "table 1.xlsx", "", ""]
    assert links.take([1, 3]).types == ["table 1.xlsx", ""]
    assert links.join(links).types == links.types * 2


def test_types_and_kinds_come_home_from_the_workers():
    made = read('<div itemtype="https://schema.org/Recipe"><a href=a type=text/csv>a</a><a href=b>b</a>')
    visit = sample_page().response
    page = Page(response=visit, links=made.links, kinds=made.kinds)
    sent = b"".join(reply(page))[HEADER.size :]
    home = page_of(sent, visit)
    assert home.kinds == ("Recipe",)
    assert home.links.types == ["text/csv", ""]
    plain = Page(response=visit, links=made.links.take([1]))
    assert page_of(b"".join(reply(plain))[HEADER.size :], visit).links.types == [""]
    assert Links.plain(["http://a.org/"], made.links.kinds[0]).types == [""]
