"""The text around the main text is separate from it: footers hold addresses."""

from clew.parse.html import read_html
from clew.urls import Canon

PAGE = """<html><body><header><a href="/">Home</a> Tidewater Trust</header>
<main><h1>Beacons</h1><p>{story}</p></main>
<div class="related">See also: buoys</div>
<footer><p>1 Harbour Road</p><p>Falmouth TR11 3QA</p></footer></body></html>"""


def test_headers_and_footers_are_the_margin():
    made = read_html(
        PAGE.format(story="A light on a rock. " * 20), url="https://a.test/", canon=Canon(()), agent="clew"
    )
    assert "A light on a rock" in made.text
    assert "Falmouth" not in made.text
    assert made.margin.splitlines() == [
        "Home Tidewater Trust",
        "See also: buoys",
        "1 Harbour Road",
        "Falmouth TR11 3QA",
    ]


def test_what_stands_beside_a_main_part_is_the_margin():
    page = "<body><main>{}</main><div>Published by Ada</div></body>".format("Words of the page. " * 30)
    made = read_html(page, url="https://a.test/", canon=Canon(()), agent="clew")
    assert made.margin == "Published by Ada"


def test_a_page_without_margin_has_none():
    made = read_html("<p>Only words.", url="https://a.test/", canon=Canon(()), agent="clew")
    assert (made.text, made.margin) == ("Only words.", "")


def test_the_margin_has_an_end():
    page = "<body><main>{}</main><footer>{}</footer></body>".format("word " * 20_000, "x y " * 20_000)
    made = read_html(page, url="https://a.test/", canon=Canon(()), agent="clew")
    assert 10_000 < len(made.margin) <= 20_000
