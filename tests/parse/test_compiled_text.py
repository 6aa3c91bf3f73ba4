"""The compiled trees and the compiled joining of blocks give what numpy and plain Python give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from clew.parse.maintext import model, rendering
from clew.parse.maintext.blocks import read_blocks
from clew.parse.maintext.features import features
from clew.parse.maintext.head_facts import HeadFacts
from tests.parse.test_compiled_blocks import PIECES
from tests.parse.test_compiled_features import LONG

pytestmark = pytest.mark.skipif(model._SUM_LEAVES is None, reason="the compiled modules were not built")

CELLS = st.sampled_from(
    ["<table>", "<tr>", "<td>cell", "<th>head", "</table>", "<pre>a\tb\n c</pre>", "\x1b[31m", "\x7f"]
)
PAGES = st.lists(st.one_of(PIECES, LONG, CELLS), max_size=60)


def blocks_of(pieces):
    return read_blocks(LexborHTMLParser("<body>" + "".join(pieces), options=1).body)


@settings(max_examples=200, deadline=None)
@given(pieces=PAGES)
def test_compiled_trees_reach_the_leaves_of_numpy(pieces):
    blocks = blocks_of(pieces)
    if not blocks.texts:
        return
    trees = model.load_model()
    matrix, _ = features(blocks, HeadFacts(title="", url="https://a.test/"))
    total = np.zeros(len(blocks.texts))
    model._SUM_LEAVES(matrix, trees.rows, trees.thresholds, trees.asked, trees.leaves, total)
    assert total.tolist() == trees.sum_leaves(matrix).tolist()


@settings(max_examples=400, deadline=None)
@given(pieces=PAGES, data=st.data())
def test_blocks_are_joined_as_in_plain_python(pieces, data):
    blocks = blocks_of(pieces)
    numbers = list(range(len(blocks.texts)))
    chosen = sorted(data.draw(st.sets(st.sampled_from(numbers)))) if numbers else []
    assert rendering.plain_text(blocks, chosen) == rendering._joined_text(blocks, chosen)
