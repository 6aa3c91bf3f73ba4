"""Compiled cleaning of link texts and origins give what plain Python gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew import urls
from clew.parse import anchors, safe_text, schema
from clew.parse.anchors import Collector

pytestmark = pytest.mark.skipif(safe_text._CLEAN_EACH is None, reason="the compiled modules were not built")

SIGNS = st.text(st.sampled_from("ab \n\t\x1e\x1f\x00\x7f\x0b\r\xa0é風\u202e"), max_size=60)
LONG = st.sampled_from(["word " * 1_000, " " * 300 + "behind", "x" * 5_000, "é " * 200])


@given(st.lists(st.one_of(st.text(max_size=30), SIGNS, LONG), max_size=12), st.integers(0, 20) | st.just(200))
def test_texts_are_cleaned_as_in_plain_python(texts, limit):
    expected = [safe_text.line(text, limit) for text in texts]
    assert safe_text.each(texts, limit) == expected
    assert safe_text._each_plainly(texts, limit) == expected


def test_a_clean_text_stays_the_same_object():
    texts = ["clean", " not clean", "same"] + ["twice  "] * 2
    found = safe_text.each(texts, 200)
    assert found[0] is texts[0]
    assert found[3] is found[4]


@given(
    st.lists(
        st.sampled_from(
            [
                "http://a.test/",
                "http://a.test/x/é",
                "https://b.test:8080/",
                "http://a.testing/",
                "http://a.test",
            ]
        )
    )
)
def test_origins_are_those_of_plain_python(found):
    collector = Collector(base="http://a.test/page", canon=urls.Canon())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anchors, "_ORIGINS_OF", None)
        expected = collector._origins(found)
    assert collector._origins(found) == expected == [urls.origin(url) for url in found]


@given(st.lists(st.sampled_from([b"schema", b".", b"org", b"schema.org", b"x", b"schem"])).map(b"".join))
def test_names_in_markup_are_found(markup):
    assert schema.is_stated(markup) == (b"schema.org" in markup)
