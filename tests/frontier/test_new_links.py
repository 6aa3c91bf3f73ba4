"""New links in the frontier: compiled and in plain Python the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.frontier import bulk_load, url_index
from clew.frontier.bulk_load import push_links
from clew.frontier.hosts import HostTable, LinkTable
from clew.frontier.url_index import DictBuffer, UrlIndex

ORIGINS = st.sampled_from(["http://a.test", "https://a.test", "http://b.test"])
links = st.lists(st.tuples(ORIGINS, st.floats(width=32), st.booleans()), max_size=12)
batches = st.lists(st.lists(st.integers(0, 40) | st.integers(0, 2**64 - 1), max_size=30), max_size=12)


def _pushed(pages: list[list[tuple[str, float, bool]]]) -> list[object]:
    hosts, table, first, told = HostTable(1.0, lambda *_: None), LinkTable(), 1, []
    for page in pages:
        table.grow(first + len(page))
        scores, open = (
            np.array([link[1] for link in page], np.float32),
            np.array([link[2] for link in page], bool),
        )
        changed = push_links(hosts, [link[0] for link in page], scores, open, first, table)
        told.append([host.number for host in changed])
        first += len(page)
    queues = [(host.open, sorted(host.queue.heap)) for host in hosts.by_number]
    return [told, queues, table.ranks[:first].tolist(), table.owners[:first].tolist()]


@pytest.mark.skipif(bulk_load._push_links is None, reason="the compiled module was not built")
@given(pages=st.lists(links, max_size=4))
def test_compiled_and_plain_queues_are_equal(pages):
    compiled = _pushed(pages)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk_load, "_push_links", None)
        assert _pushed(pages) == compiled


@pytest.mark.skipif(url_index._Buffer is DictBuffer, reason="the compiled module was not built")
@given(batches=batches)
def test_compiled_and_plain_buffers_are_equal(batches):
    buffers, first = (url_index._Buffer(), DictBuffer()), 1
    for batch in batches:
        hashes = np.array(batch, np.uint64)
        for each in buffers:
            each.add(first, hashes)
        first += len(batch)
        asked = np.concatenate((hashes, np.arange(41, dtype=np.uint64)))
        found = [np.empty(len(asked), np.int64) for _ in buffers]
        unknown = [each.find(asked, ids) for each, ids in zip(buffers, found, strict=True)]
        assert found[0].tolist() == found[1].tolist()
        assert unknown[0] == unknown[1] == int((found[0] == 0).sum())
    pairs = [sorted(zip(*(column.tolist() for column in each.pairs()), strict=True)) for each in buffers]
    assert pairs[0] == pairs[1]
    assert len(buffers[0]) == len(buffers[1]) == len(pairs[0])


def test_an_index_grows_and_finds_all():
    index, rng = UrlIndex(), np.random.default_rng(1)
    hashes = rng.integers(0, 1 << 64, 150_000, np.uint64)
    for first in range(0, len(hashes), 1_000):
        index.add(first + 1, hashes[first : first + 1_000])
    assert index.find(hashes).tolist() == list(range(1, len(hashes) + 1))
    assert not index.find(rng.integers(0, 1 << 64, 1_000, np.uint64)).any()
