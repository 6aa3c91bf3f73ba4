"""Who may request and write: the lease of a shard, on the clock of its machine and in its database."""

import asyncio

import pytest

from clew.errors import StoreError
from clew.scale.coordinator import Lease
from clew.scale.lease_keeper import LeaseKeeper, ShardTakenOver
from clew.scale.member import FencedFetcher
from clew.store import SqliteStore, read_sql
from clew.store.fence import StoreFence
from clew.types import Link
from tests.store.store_kit import some_found


class Register:
    """A coordinator that answers as it is told."""

    def __init__(self):
        self.answer = True
        self.released = []

    def renew(self, lease):
        if isinstance(self.answer, StoreError):
            raise self.answer
        return self.answer

    def release(self, lease):
        self.released.append(lease)


@pytest.fixture
def keeper():
    """A lease of ten seconds, with a clock that the test sets."""
    made = LeaseKeeper(Register(), Lease(2, "me", 5), 100.0, seconds=10.0, clock=lambda: made.coordinator.now)
    made.coordinator.now = 100.0
    return made


def test_a_lease_is_fresh_for_a_part_of_its_time_from_when_it_was_asked_for(keeper):
    keeper.coordinator.now = 107.9
    assert keeper.check()
    keeper.coordinator.now = 108.1
    assert not keeper.check()
    keeper.renew()
    assert keeper.check()


def test_a_lease_with_a_later_owner_is_lost_for_good(keeper):
    keeper.coordinator.answer = False
    keeper.renew()
    keeper.coordinator.answer = True
    keeper.renew()
    assert keeper.lost
    with pytest.raises(ShardTakenOver, match="shard 2 was taken over"):
        keeper.check()
    with pytest.raises(ShardTakenOver):
        keeper.wait_fresh()


def test_a_coordinator_that_is_away_lets_the_lease_run_out_and_no_longer(keeper):
    keeper.coordinator.answer = StoreError("PostgreSQL does not answer (gone); start it again")
    keeper.coordinator.now = 105.0
    keeper.renew()
    assert keeper.check()
    keeper.coordinator.now = 109.0
    assert not keeper.check()
    assert keeper.trouble == "PostgreSQL does not answer (gone)"
    keeper.coordinator.answer = True
    keeper.renew()
    assert keeper.check()
    assert keeper.trouble == ""


def test_nothing_is_requested_before_the_lease_is_fresh_again(keeper):
    asked = []

    class Fetcher:
        async def fetch(self, link):
            asked.append(link.url)

    async def run():
        keeper.coordinator.now = 109.0
        link = Link(id=1, url="http://a.test/", origin="http://a.test")
        request = asyncio.create_task(FencedFetcher(Fetcher(), keeper).fetch(link))
        await asyncio.sleep(0.2)
        assert asked == []
        keeper.renew()
        await request
        assert asked == ["http://a.test/"]
        keeper.coordinator.answer = False
        keeper.renew()
        with pytest.raises(ShardTakenOver):
            await FencedFetcher(Fetcher(), keeper).fetch(link)

    asyncio.run(run())
    assert len(asked) == 1


def shard_store(folder, epoch, check=lambda: None):
    return SqliteStore(folder, min_free=0, fence=StoreFence(epoch, check))


def test_the_database_of_a_shard_refuses_an_owner_that_was_replaced(tmp_path):
    async def run():
        old = shard_store(tmp_path, 1)
        old.open()
        old.add_links(some_found(1, ["http://a.test/1"], depth=0))
        await old.commit()
        old._connections.writer.execute("UPDATE meta SET value = '2' WHERE key = 'epoch'")  # another has come
        old.add_links(some_found(2, ["http://a.test/2"], depth=0))
        with pytest.raises(StoreError, match="taken over"):
            await old.commit()
        await old.aclose()

    asyncio.run(run())
    assert read_sql(tmp_path, "SELECT url FROM links") == [("http://a.test/1",)]
    with pytest.raises(StoreError, match="taken over"):
        shard_store(tmp_path, 1).open()
    again = shard_store(tmp_path, 3)
    again.open()
    asyncio.run(again.aclose())


def test_nothing_is_written_without_a_lease_not_even_to_the_archive(tmp_path):
    calls = []

    def check():
        calls.append(1)
        if len(calls) > 1:  # the first is that of `open`
            raise ShardTakenOver("shard 0 was taken over")  # noqa: EM101

    async def run():
        store = shard_store(tmp_path, 1, check)
        store.open()
        store.add_links(some_found(1, ["http://a.test/1"], depth=0))
        with pytest.raises(ShardTakenOver):
            await store.commit()
        await store.aclose()

    asyncio.run(run())
    assert read_sql(tmp_path, "SELECT count(*) FROM links") == [(0,)]
    assert not list((tmp_path / "pages").glob("*.warc.gz"))
