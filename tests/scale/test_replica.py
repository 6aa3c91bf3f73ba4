"""Copies of a crawl on another disk: whole at every moment, and enough to go on from."""

import json
import shutil
import sqlite3
import sys

import pytest

from clew.errors import ConfigError, StoreError
from clew.scale.coordinator import Lease, ShardState
from clew.scale.replica import Replica, stored_epoch
from clew.scale.replication import replicating, restore_if_needed
from clew.store import read_sql
from clew.store.outbox import RESTORES
from tests.scale.shard_kit import clew, exported, new_crawl
from tests.scale.tree_web import TreeWeb, serving


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """A finished crawl without shards, with a small limit for WARC files."""
    with serving(TreeWeb(pages=40)) as web:
        folder = new_crawl(tmp_path_factory.mktemp("crawls") / "tree", web)
        clew("run", folder)
    return folder


def copied(crawl, tmp_path):
    shutil.copytree(crawl, tmp_path / "tree")
    return tmp_path / "tree"


def test_a_copy_can_be_put_back_and_exports_the_same(crawl, tmp_path):
    folder = copied(crawl, tmp_path)
    Replica(str(tmp_path / "copy")).save(folder)
    before = exported(folder)
    shutil.rmtree(folder / "pages")
    (folder / "crawl.db").unlink()
    Replica(str(tmp_path / "copy")).restore(folder)
    assert exported(folder) == before
    clew("doctor", folder)
    clew("export", folder, tmp_path / "pages.warc.gz")


def test_every_byte_of_a_warc_file_is_sent_once(crawl, tmp_path):
    folder, replica = copied(crawl, tmp_path), Replica(str(tmp_path / "copy"))
    (name, length), *_ = read_sql(folder, "SELECT name, length FROM warcs")
    half = length // 2
    with sqlite3.connect(folder / "crawl.db") as db:
        db.execute("UPDATE warcs SET length = ? WHERE name = ?", (half, name))
    replica.save(folder)
    with sqlite3.connect(folder / "crawl.db") as db:
        db.execute("UPDATE warcs SET length = ? WHERE name = ?", (length, name))
    made = replica.save(folder)
    assert [size for _, size in made.warcs[name]] == [half, length - half]
    assert replica.save(folder).warcs == made.warcs
    assert len(list((tmp_path / "copy").glob("crawl-*.db"))) == 1
    content = (folder / "pages" / name).read_bytes()
    again = tmp_path / "again"
    replica.restore(again)
    assert (again / "pages" / name).read_bytes() == content[:length]


def test_a_copy_that_was_interrupted_is_not_seen(crawl, tmp_path, monkeypatch):
    folder, replica = copied(crawl, tmp_path), Replica(str(tmp_path / "copy"))
    first = replica.save(folder)
    with sqlite3.connect(folder / "crawl.db") as db:
        db.execute("REPLACE INTO meta (key, value) VALUES ('mark', 'later')")

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(replica, "_write", fail)
    with pytest.raises(StoreError, match=r"No space left .*the one before it is whole"):
        replica.save(folder)
    again = tmp_path / "again"
    assert Replica(str(tmp_path / "copy")).restore(again) == first
    assert read_sql(again, "SELECT count(*) FROM meta WHERE key = 'mark'") == [(0,)]


def test_what_an_earlier_owner_saves_is_not_chosen(crawl, tmp_path):
    folder, url = copied(crawl, tmp_path), str(tmp_path / "copy")
    Replica(url, epoch=7).save(folder)
    Replica(url, epoch=6).save(folder)
    assert Replica(url, epoch=8).restore(tmp_path / "again").epoch == 7


def test_what_was_in_the_folder_is_kept_beside_it_and_the_restore_is_noted(crawl, tmp_path):
    folder, replica = copied(crawl, tmp_path), Replica(str(tmp_path / "copy"))
    replica.save(folder)
    replica.restore(folder)
    assert [path.name.partition("-")[0] for path in tmp_path.glob("tree.*")] == ["tree.before"]
    ((last,),) = read_sql(folder, "SELECT max(id) FROM links")
    ((value,),) = read_sql(folder, f"SELECT value FROM meta WHERE key = '{RESTORES}'")
    assert json.loads(value) == [last]


def test_a_damaged_database_is_not_replaced_in_silence(tmp_path):
    (tmp_path / "crawl.db").write_bytes(b"no database at all" * 100)
    assert restore_if_needed(tmp_path, "", Lease(0, "me", 9), Told(6)) == ""


class Told:
    """A coordinator that knows the epoch of the last owner."""

    def __init__(self, stored):
        self.stored = stored

    def states(self):
        return [ShardState(shard=0, stored=self.stored)]


def test_a_folder_is_used_only_if_it_holds_the_last_state(crawl, tmp_path):
    folder, lease = copied(crawl, tmp_path), Lease(0, "me", 9)
    with sqlite3.connect(folder / "crawl.db") as db:
        db.execute("REPLACE INTO meta (key, value) VALUES ('epoch', '5')")
    assert stored_epoch(folder) == 5
    assert restore_if_needed(folder, "", lease, Told(5)) == ""
    assert restore_if_needed(tmp_path / "new", "", lease, Told(0)) == ""
    with pytest.raises(StoreError, match=r"are not in .*crawl\.replicate"):
        restore_if_needed(folder, "", lease, Told(6))
    with pytest.raises(StoreError, match="there is no copy at"):
        restore_if_needed(folder, str(tmp_path / "copy"), lease, Told(6))
    Replica(str(tmp_path / "copy" / "shards" / "0"), epoch=6).save(folder)
    assert "goes on from its copy" in restore_if_needed(
        tmp_path / "gone", str(tmp_path / "copy"), lease, Told(6)
    )
    assert stored_epoch(tmp_path / "gone") == 5


def test_a_copy_that_fails_is_told_and_the_crawl_goes_on(crawl, tmp_path):
    folder, notes = copied(crawl, tmp_path), []
    (tmp_path / "copy").write_text("a file where a folder is needed")
    with replicating(folder, str(tmp_path / "copy"), notes.append):
        pass
    assert len(notes) == 1
    assert "failed" in notes[0]


def test_what_is_missing_for_a_copy_is_named(monkeypatch):
    with pytest.raises(ConfigError, match=r"write a path, or a URL like s3://"):
        Replica("nosuch://place/wind")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ConfigError, match=r"get what is missing with: .*scale"):
        Replica("/copy")


def test_a_lost_shard_goes_on_from_its_copy_and_no_page_is_missing(tmp_path):
    """Stop, go on, lose a disk: the copy is older than what other shards have read from it."""
    with serving(TreeWeb(pages=120, hosts=12)) as web:
        folder = new_crawl(tmp_path / "tree", web, more=f'replicate = "{tmp_path / "copy"}"')
        clew("run", folder, "--shards", 3, "--requests", 60)
        old = tmp_path / "old"
        shutil.copytree(tmp_path / "copy" / "shards" / "1", old)
        clew("run", folder, "--requests", 110)
        shutil.rmtree(tmp_path / "copy" / "shards" / "1")
        shutil.copytree(old, tmp_path / "copy" / "shards" / "1")
        shutil.rmtree(folder / "shards" / "1")
        done = clew("run", folder)
        assert "shard 1 goes on from its copy" in done.stdout
        assert exported(folder).keys() == web.urls
        shutil.rmtree(folder / "shards" / "2")
        assert "shard 2 is as it was 0 min ago" in clew("restore", folder).stdout
        assert exported(folder).keys() == web.urls
    assert len(read_sql(folder / "shards" / "1", f"SELECT value FROM meta WHERE key = '{RESTORES}'")) == 1


def test_a_crawl_without_shards_has_a_copy_too(tmp_path):
    with serving(TreeWeb(pages=20)) as web:
        folder = new_crawl(tmp_path / "tree", web, more=f'replicate = "{tmp_path / "copy"}"')
        clew("run", folder)
        assert "nothing to restore" in clew("restore", folder).stdout
        shutil.rmtree(folder / "pages")
        (folder / "crawl.db").unlink()
        assert "the crawl is as it was 0 min ago" in clew("restore", folder).stdout
        assert exported(folder).keys() == web.urls


def test_without_a_place_for_copies_restore_says_so(crawl):
    done = clew("restore", crawl, check=False)
    assert (done.returncode, "crawl.replicate is empty" in done.stderr) == (2, True)
