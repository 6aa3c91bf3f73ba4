"""The compiled fingerprint of a text is that of numpy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.domain.compiled import compiled
from clew.parse import simhash

pytestmark = pytest.mark.skipif(
    compiled("clew.parse._simhash", "simhash") is None, reason="nothing is compiled here"
)

PIECES = ["fog", "Lamp", "keeper 9", "x", "\x00", "of-the", "zz"]
STRANGE = ["Ä", "ß", "İstanbul", "日本", "\ud800", "\U00020000", "Ωmega", "é", "’"]
ASCII = st.lists(st.sampled_from(PIECES), max_size=2_000)
ANY = st.lists(st.sampled_from(PIECES + STRANGE), max_size=2_000)


@given(st.text(max_size=50) | st.text(st.characters(max_codepoint=127)) | st.text(st.characters()))
def test_any_text(text):
    assert simhash.simhash(text) == simhash._by_numpy(text)


@given(ASCII | ANY, st.sampled_from([" ", "", ".", "\u3000"]))
def test_long_texts(words, between):
    text = between.join(words)
    assert simhash.simhash(text) == simhash._by_numpy(text)


@pytest.mark.parametrize("size", [5, 6, 999, 1_004, 1_005, 1_006, 3_999, 4_000, 4_001, 9_000])
@pytest.mark.parametrize("last", ["", "é", "\U00020000"])
def test_the_bounds_of_what_is_read(size, last):
    text = "".join(chr(97 + (at * at + at // 7) % 26) for at in range(size - len(last))) + last
    assert simhash.simhash(text) == simhash._by_numpy(text)


@pytest.mark.parametrize("size", [4_000, 4_001])
def test_letters_of_two_code_units(size):
    text = "\U00020000\U00020001\U0002a6d6" * (size // 3 + 1)
    assert simhash.simhash(text[:size]) == simhash._by_numpy(text[:size])
