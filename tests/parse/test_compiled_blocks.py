"""The compiled reader of blocks gives what the one in plain Python gives, on any page."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from clew.parse.maintext import blocks
from clew.parse.maintext.blocks import Blocks, _read_plainly, read_blocks

pytestmark = pytest.mark.skipif(blocks._READERS is None, reason="the compiled modules were not built")

TAGS = [
    "p",
    "div",
    "span",
    "a",
    "b",
    "h1",
    "h3",
    "li",
    "ul",
    "td",
    "tr",
    "table",
    "pre",
    "br",
    "hr",
    "nav",
    "footer",
    "button",
    "section",
    "article",
    "code",
    "my-part",
    "form",
    "noscript",
    "ruby",
    "rt",
    "details",
    "figure",
]
ATTRIBUTES = (
    "", ' class="nav menu"', " class", ' id="main" class="entry"', ' role="navigation"', ' role="x"',
    ' style="display: none"', ' style="color:red"', " hidden", ' aria-hidden="true"', ' aria-hidden="false"',
    ' itemprop="articleBody" id="é"', ' data-x="1"', ' class="größe" class="again"',
)  # fmt: skip
TEXTS = (
    "words", " ", "\n\t ", "two  words\n", "größe 東京", "\xa0", "\x1e", "a\x1fb", "\x0c", "&amp;", "<!-- no -->", "\u2028x",
    "\x0b",
)  # fmt: skip
PIECES = st.one_of(
    st.sampled_from(TEXTS),
    st.builds("<{}{}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
)


def columns(found: Blocks) -> tuple[object, ...]:
    unread = [node.mem_id for node in found.unread]
    return found.texts, found.held, found.linked, found.links, found.rows, unread


@settings(max_examples=400, deadline=None)
@given(pieces=st.lists(PIECES, max_size=60), whole=st.booleans())
def test_compiled_blocks_are_those_of_plain_python(pieces, whole):
    page = LexborHTMLParser("<body>" + "".join(pieces), options=1)
    assert columns(read_blocks(page.body, whole=whole)) == columns(_read_plainly(page.body, whole=whole))


def test_deep_nesting_is_read():
    page = LexborHTMLParser("<body>" + "<div class=a>x" * 3_000, options=1)
    assert columns(read_blocks(page.body)) == columns(_read_plainly(page.body, whole=False))


def test_bytes_that_are_no_text_are_replaced_alike():
    page = LexborHTMLParser(b"<body><p>a\xff\xc3 b<a href=x>\xe6\x9d</a>", options=1)
    assert columns(read_blocks(page.body)) == columns(_read_plainly(page.body, whole=False))


def test_another_layout_of_nodes_is_noticed():
    page = LexborHTMLParser("<div class=a>text<b></b></div><p></p>", options=1)
    node = page.body.first_child
    fits = blocks.compiled("clew.parse.maintext._blocks", "has_expected_layout")
    around = [page.body.mem_id, node.first_child.mem_id, node.last_child.mem_id, node.next.mem_id]
    text = (node.first_child.mem_id, 4, node.first_child.tag_id)
    assert fits(node.mem_id, around, text)
    assert not fits(node.mem_id, around[::-1], text)
    assert not fits(node.mem_id, around, (text[0], 5, text[2]))
