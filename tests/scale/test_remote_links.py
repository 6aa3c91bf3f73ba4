"""Links between machines: the same positions and the same links as from the folder, with a token."""

import json
import sqlite3
import urllib.error
import urllib.request

import pytest

from clew.errors import StoreError
from clew.scale.coordinator import ShardState
from clew.scale.link_server import LinkServer
from clew.scale.outbox_format import unpack_rows
from clew.scale.remote_outbox import REST, RemoteOutbox, ShardAddresses
from clew.store.outbox import RESTORES, Outbox, link_of, position
from tests.scale.shard_kit import clew, new_crawl
from tests.scale.tree_web import TreeWeb, serving

SHARDS = 2
TOKEN = "a secret"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """A finished crawl in two shards."""
    with serving(TreeWeb(pages=40)) as web:
        folder = new_crawl(tmp_path_factory.mktemp("crawls") / "tree", web)
        clew("run", folder, "--shards", SHARDS)
    return folder


class Directory:
    """A coordinator that knows where shard 0 is."""

    address = ""
    asked = 0

    def states(self):
        self.asked += 1
        return [ShardState(shard=0, left=1.0, address=self.address)]


@pytest.fixture
def server(crawl):
    made = LinkServer(crawl / "shards" / "0", "127.0.0.1", TOKEN)
    made.start()
    yield made
    made.close()


@pytest.fixture
def remote(server):
    directory = Directory()
    directory.address = server.address
    time = [0.0]
    made = RemoteOutbox(
        sender=0,
        receiver=1,
        token=TOKEN,
        addresses=ShardAddresses(directory, clock=lambda: time[0]),
        clock=lambda: time[0],
    )
    yield made, directory, time
    made.close()


def urls(sent):
    return [(each.page, url, each.depth) for each in sent for url in each.links.urls]


def test_another_machine_reads_the_same_links_as_from_the_folder(crawl, remote):
    outbox, _, _ = remote
    local = Outbox(crawl / "shards" / "0", 1)
    here, upto = local.read(0)
    there, far = outbox.read(0)
    assert urls(there) == urls(here) != []
    assert far == upto > 0
    assert outbox.read(upto) == ([], upto)
    for one, other in zip(here, there, strict=True):
        assert (one.source is None) == (other.source is None)
        if one.source:
            assert one.source.page.text == other.source.page.text
            assert one.source.verdict == other.source.verdict
        assert one.scores.tolist() == other.scores.tolist()
        assert one.links.hashes.tolist() == other.links.hashes.tolist()
    local.close()


def test_a_wrong_token_or_question_is_refused(server):
    for path, token, status in (
        ("/links?shard=1&after=0", "another", 401),
        ("/links?shard=1&after=x", TOKEN, 400),
        ("/other?shard=1&after=0", TOKEN, 404),
    ):
        request = urllib.request.Request(
            f"http://{server.address}{path}", headers={"Authorization": f"Bearer {token}"}
        )
        with pytest.raises(urllib.error.HTTPError) as raised:
            urllib.request.urlopen(request, timeout=10)
        assert raised.value.code == status
        raised.value.close()


def test_a_shard_that_is_away_has_nothing_new_and_is_found_again_where_it_moved(crawl, server, remote):
    outbox, directory, time = remote
    server.close()
    assert outbox.read(5) == ([], 5)
    moved = LinkServer(crawl / "shards" / "0", "127.0.0.1", TOKEN)
    moved.start()
    directory.address = moved.address
    try:
        assert outbox.read(5) == ([], 5), "asked before its rest was over"
        time[0] += REST
        assert outbox.read(0)[0]
    finally:
        moved.close()


def test_after_a_restore_links_with_new_numbers_are_read_again(crawl, tmp_path):
    copy = tmp_path / "0"
    copy.mkdir()
    with sqlite3.connect(crawl / "shards" / "0" / "crawl.db") as db, sqlite3.connect(copy / "crawl.db") as to:
        db.backup(to)
    outbox = Outbox(copy, 1)
    sent, upto = outbox.read(0)
    half = link_of(upto) // 2
    with sqlite3.connect(copy / "crawl.db") as db:
        db.execute("REPLACE INTO meta (key, value) VALUES (?, ?)", (RESTORES, json.dumps([half])))
    again, later = outbox.read(upto)
    assert later == position(link_of(upto), 1) > upto
    assert urls(again) == urls(Outbox(copy, 1).read(half)[0]) != []
    assert len(urls(again)) < len(urls(sent))
    assert outbox.read(later) == ([], later)
    outbox.close()


def test_what_is_no_batch_is_refused_in_words():
    with pytest.raises(StoreError, match="same clew on all machines"):
        unpack_rows(b"something else")
