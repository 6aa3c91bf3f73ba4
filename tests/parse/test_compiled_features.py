"""The compiled features of blocks equal those of numpy, on any page."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from clew.parse.maintext.blocks import read_blocks
from clew.parse.maintext.features import _FILL, COLUMNS, _by_numpy, features
from clew.parse.maintext.head_facts import HeadFacts
from tests.parse.test_compiled_blocks import PIECES

pytestmark = pytest.mark.skipif(_FILL is None, reason="the compiled modules were not built")

LONG = st.sampled_from(
    ["A sentence with some words. " * 4, "What is it? " * 9, "これは長い文章です。" * 9, "😀 done! " * 20]
)


@settings(max_examples=300, deadline=None)
@given(
    pieces=st.lists(st.one_of(PIECES, LONG), max_size=50), title=st.sampled_from(["", "two words here", "A"])
)
def test_compiled_features_are_those_of_numpy(pieces, title):
    blocks = read_blocks(LexborHTMLParser("<body>" + "".join(pieces), options=1).body)
    if not blocks.texts:
        return
    facts = HeadFacts(title=title, url="https://a.test/2020/01/post")
    compiled, plain = features(blocks, facts), _by_numpy(blocks, facts)
    for row, name in enumerate(COLUMNS):
        assert compiled[0][row].tolist() == plain[0][row].tolist(), name
    assert np.array_equal(compiled[1], plain[1])
