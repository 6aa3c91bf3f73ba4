"""The compiled fingerprint of a text is that of numpy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.domain.compiled import compiled
from clew.parse import simhash

ascii_simhash = compiled("clew.parse._simhash", "ascii_simhash")
pytestmark = pytest.mark.skipif(ascii_simhash is None, reason="nothing is compiled here")

WORDS = st.lists(st.sampled_from(["fog", "Lamp", "keeper 9", "x", "\x00", "of-the", "zz"]), max_size=2_000)


@given(st.text(max_size=50) | st.text(st.characters(max_codepoint=127)))
def test_any_text(text):
    found = ascii_simhash(text)
    assert (found is None) == (not text.isascii())
    assert found is None or found == simhash._by_numpy(text)


@given(WORDS, st.sampled_from([" ", "", "."]))
def test_long_texts(words, between):
    text = between.join(words)
    assert ascii_simhash(text) == simhash._by_numpy(text)


@pytest.mark.parametrize("size", [999, 1_004, 1_005, 1_006, 3_999, 4_000, 4_001, 9_000])
def test_the_bounds_of_what_is_read(size):
    text = "".join(chr(97 + (at * at + at // 7) % 26) for at in range(size))
    assert ascii_simhash(text) == simhash._by_numpy(text)
