"""Words that begin with terms: compiled and in plain Python the same."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.domain.text import begun_words, folded
from clew.domain.text.begun_words import count_begun

letters = st.text(st.sampled_from("aAbBrR_ '.+#1éßÉ風ǅ\u2028\xa0"), max_size=20) | st.text(max_size=12)
terms = st.lists(st.text(st.sampled_from("abr1"), min_size=1, max_size=3), unique=True, max_size=4).map(tuple)


@pytest.mark.skipif(begun_words._count_begun is None, reason="the compiled module was not built")
@given(text=letters, terms=terms, is_folded=st.booleans(), after_underscore=st.booleans())
@example(text="C++ c++ ab_ab", terms=("cplusplus", "ab"), is_folded=False, after_underscore=True)
def test_compiled_and_plain_counts_are_equal(text, terms, is_folded, after_underscore):
    text = folded(text) if is_folded else text
    options = {"is_folded": is_folded, "after_underscore": after_underscore}
    compiled = count_begun(text, terms, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(begun_words, "_count_begun", None)
        assert count_begun(text, terms, **options) == compiled


def test_a_hundred_terms_are_counted():
    terms = tuple(f"w{number}x" for number in range(100))
    assert sum(count_begun(" ".join(terms), terms)) == 100
    assert sum(count_begun(" ".join(terms), terms, is_folded=True)) == 100
