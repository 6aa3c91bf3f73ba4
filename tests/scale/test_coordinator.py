"""One contract for both databases: leases, budget, cut-off, end, labels, rules, outcomes."""

import threading
import time

import pytest

from clew.errors import ConfigError, FolderBusy, StoreError
from clew.scale.coordinator import BINS, LINKS, PAGES, CrawlLimits, LabelledText, Lease, ShardReport
from clew.scale.databases import PostgresDatabase, SqliteDatabase
from clew.scale.lease_keeper import RunSuperseded, acquire
from clew.scale.run_control import RunControl, RunFailure
from clew.scale.sql_coordinator import SqlCoordinator, open_coordinator
from clew.types import Rule

SHORT = 2.0
"""A lease in seconds that a test can wait for."""


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    """Make connections to one fresh database."""
    if request.param == "sqlite":
        return lambda: SqliteDatabase(tmp_path / "coordinator.db")
    address = request.getfixturevalue("fresh_schema")
    return lambda: PostgresDatabase(address)


@pytest.fixture
def make(database):
    made = []

    def coordinator(lease=30.0):
        made.append(SqlCoordinator(database(), lease=lease))
        return made[-1]

    yield coordinator
    for each in made:
        each.close()


@pytest.fixture
def crawl(make):
    """A coordinator of three shards, all leased."""
    coordinator = make()
    coordinator.join("wind", 3)
    coordinator.begin(CrawlLimits(pages=200, requests=1_000, focus=4))
    return coordinator, [coordinator.acquire(shard, "me") for shard in range(3)]


def test_a_shard_has_one_owner_at_a_time(make):
    one, other = make(), make()
    one.join("wind", 2)
    other.join("wind", 2)
    lease = one.acquire(0, "one")
    assert lease == Lease(0, "one", 1)
    assert other.acquire(0, "other") is None
    assert one.renew(lease)
    one.release(lease)
    assert other.acquire(0, "other") == Lease(0, "other", 2)
    assert not one.renew(lease)
    assert one.report(lease, ShardReport()) is None
    assert not one.add_outcomes(lease, {LINKS: b"late"})


def test_of_many_that_ask_at_once_one_gets_the_shard(make):
    make().join("wind", 1)
    seats = [make() for _ in range(6)]
    got = []
    threads = [threading.Thread(target=lambda seat=seat: got.append(seat.acquire(0, "x"))) for seat in seats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(lease is not None for lease in got) == 1


def test_an_unrenewed_lease_ends_and_the_next_epoch_fences_the_old_owner(make):
    short, other = make(SHORT), make()
    short.join("wind", 1)
    lease = short.acquire(0, "frozen")
    assert other.acquire(0, "next") is None
    time.sleep(1.5 * SHORT)
    taken = other.acquire(0, "next")
    assert taken.epoch == lease.epoch + 1
    assert not short.renew(lease)


def test_an_expired_lease_that_nobody_took_can_be_renewed(make):
    short = make(SHORT)
    short.join("wind", 1)
    lease = short.acquire(0, "slow")
    time.sleep(1.5 * SHORT)
    assert short.renew(lease)
    assert make().acquire(0, "other") is None


def test_the_budget_is_given_in_slices_and_never_twice(crawl):
    coordinator, leases = crawl
    allowed = [
        coordinator.report(lease, ShardReport(spent=(0, 0), wants=True)).allowed[0] for lease in leases
    ]
    assert allowed == [64, 45, 30]  # a slice, then shares of what is left
    spent = [0, 0, 0]
    for _ in range(60):
        for shard, lease in enumerate(leases):
            orders = coordinator.report(
                lease, ShardReport(spent=(spent[shard], spent[shard]), pages=spent[shard], wants=True)
            )
            assert sum(spent) <= 200
            spent[shard] = max(spent[shard], min(orders.allowed[0], spent[shard] + 7))
    assert sum(spent) == 200
    assert orders.ended == "the budget of 200 pages is spent"


def test_a_shard_without_work_gives_its_slice_back(crawl):
    coordinator, leases = crawl
    for lease in leases:
        coordinator.report(lease, ShardReport(wants=True))
    assert coordinator.report(leases[0], ShardReport(wants=False)).allowed == (0, 0)
    spent = 0
    for _ in range(60):
        for lease in leases[1:]:
            coordinator.report(lease, ShardReport(wants=False))
        orders = coordinator.report(leases[0], ShardReport(spent=(spent, spent), pages=spent, wants=True))
        spent = orders.allowed[0]
    assert spent == 200


def test_after_a_kill_the_slice_is_counted_anew_from_what_was_committed(crawl):
    coordinator, leases = crawl
    assert coordinator.report(leases[0], ShardReport(spent=(60, 60), pages=40, wants=True)).allowed[0] > 60
    coordinator.release(leases[0])
    again = coordinator.acquire(0, "restarted")
    assert coordinator.report(again, ShardReport(spent=(40, 45), pages=40, wants=False)).allowed == (40, 45)


def test_requests_are_limited_like_pages(make):
    coordinator = make()
    coordinator.join("wind", 1)
    coordinator.begin(CrawlLimits(requests=10))
    lease = coordinator.acquire(0, "me")
    assert coordinator.report(lease, ShardReport(spent=(0, 4), wants=True)).allowed[1] == 10
    orders = coordinator.report(lease, ShardReport(spent=(2, 10), pages=2, wants=True))
    assert orders.ended == "the budget of 10 requests is spent"


def histogram(**hosts):
    bins = [0] * BINS
    for name, count in hosts.items():
        bins[int(name.removeprefix("at_"))] = count
    return bins


def test_the_cut_off_lets_the_best_hosts_of_all_shards_through(crawl):
    coordinator, leases = crawl
    coordinator.report(leases[0], ShardReport(best=histogram(at_60=3), wants=True))
    time.sleep(1.05)
    coordinator.report(leases[1], ShardReport(best=histogram(at_40=3, at_10=5), wants=True))
    cut = coordinator.report(leases[2], ShardReport(best=histogram(at_10=90), wants=True)).cut_off
    assert cut == 40 / BINS  # four hosts are wanted (focus): three at 60, and the first below
    assert [state.above for state in coordinator.states()] == [3, 3, 0]


def test_without_a_page_budget_there_is_no_cut_off(make):
    coordinator = make()
    coordinator.join("wind", 1)
    coordinator.begin(CrawlLimits())
    lease = coordinator.acquire(0, "me")
    assert coordinator.report(lease, ShardReport(best=histogram(at_60=30), wants=True)).cut_off == 0


def test_a_crawl_ends_when_all_are_idle_and_every_link_is_delivered(make):
    coordinator = make()
    coordinator.join("wind", 2)
    coordinator.begin(CrawlLimits())
    one, two = (coordinator.acquire(shard, "me") for shard in range(2))
    assert not coordinator.report(one, ShardReport(idle=True, sent=7, pulled=(0, 0))).ended
    assert not coordinator.report(two, ShardReport(idle=True, sent=5, pulled=(6, 0))).ended
    assert [state.lag for state in coordinator.states()] == [5, 1]
    assert not coordinator.report(one, ShardReport(idle=True, sent=7, pulled=(0, 5))).ended
    assert not coordinator.report(two, ShardReport(idle=False, sent=5, pulled=(7, 0))).ended
    ended = coordinator.report(two, ShardReport(idle=True, sent=5, pulled=(7, 0))).ended
    assert ended == "nothing is left to fetch"
    assert coordinator.report(one, ShardReport(idle=False, sent=9)).ended == ended  # for all, from then on
    coordinator.release(one)
    coordinator.begin(CrawlLimits())
    one = coordinator.acquire(0, "me")
    assert not coordinator.report(one, ShardReport(idle=True, sent=7, pulled=(0, 5))).ended


def test_a_new_run_ends_the_leases_of_the_one_before_and_waits_for_their_end(make):
    coordinator = make(lease=SHORT)
    coordinator.join("wind", 1)
    first = coordinator.begin(CrawlLimits())
    lease = coordinator.acquire(0, "before", first)
    second = coordinator.begin(CrawlLimits())
    assert second == coordinator.control.run() == first + 1
    assert not coordinator.renew(lease)
    assert coordinator.report(lease, ShardReport()) is None
    assert coordinator.acquire(0, "after", second) is None, "its lease may still be thought to hold"
    time.sleep(SHORT + 0.1)
    assert coordinator.acquire(0, "before", first) is None
    assert coordinator.acquire(0, "after", second).owner == "after"
    with pytest.raises(RunSuperseded, match="started again elsewhere"):
        acquire(coordinator, 0, "before", run=first)


def test_a_crawl_has_one_driver_at_a_time(make):
    coordinator = make()
    coordinator.join("wind", 1)
    control = RunControl(coordinator.database, seconds=SHORT)
    control.drive("one:1")
    control.drive("one:1")
    with pytest.raises(FolderBusy, match="one:1 already drives this crawl"):
        control.drive("two:2")
    control.leave("two:2")
    with pytest.raises(FolderBusy):
        control.drive("two:2")
    control.leave("one:1")
    control.drive("two:2")
    time.sleep(SHORT + 0.1)
    control.drive("one:1")  # the other was killed


def test_a_run_ends_for_the_first_reason_and_the_next_forgets_it(make):
    coordinator = make()
    coordinator.join("wind", 1)
    coordinator.begin(CrawlLimits())
    control = coordinator.control
    assert (control.ended(), control.failure()) == ("", None)
    control.fail(RunFailure(0, "disk full", 5))
    control.end("stopped")
    assert (control.ended(), control.failure()) == ("shard 0 failed", RunFailure(0, "disk full", 5))
    assert coordinator.report(coordinator.acquire(0, "me"), ShardReport()).ended == "shard 0 failed"
    coordinator.begin(CrawlLimits())
    assert (control.ended(), control.failure()) == ("", None)
    assert len(control.token()) == 32


def test_outcomes_that_every_shard_has_learned_are_dropped_and_numbers_go_on(crawl):
    coordinator, leases = crawl
    for packed in (b"one", b"two", b"three"):
        coordinator.add_outcomes(leases[0], {LINKS: packed})
    coordinator.report(leases[0], ShardReport(learned=3))
    coordinator.report(leases[1], ShardReport(learned=3))
    coordinator.report(leases[2], ShardReport(learned=2))
    coordinator.add_outcomes(leases[0], {LINKS: b"four"})
    assert [(each.id, each.packed) for each in coordinator.outcomes(0, 1)] == [(3, b"three"), (4, b"four")]
    for lease in leases:
        orders = coordinator.report(lease, ShardReport(learned=4))
    assert orders.outcomes == 4
    coordinator.add_outcomes(leases[1], {LINKS: b"five"})
    assert [each.id for each in coordinator.outcomes(0, 0)] == [5]


def test_a_database_of_the_version_before_is_brought_up_to_date(make, database):
    coordinator = make()
    coordinator.join("wind", 2)
    token = coordinator.control.token()

    def downgrade(execute):
        execute("ALTER TABLE shards DROP COLUMN stored")
        execute("ALTER TABLE shards DROP COLUMN learned")
        execute("ALTER TABLE shards DROP COLUMN address")
        execute("DELETE FROM crawl WHERE name = 'token'")
        execute("ALTER TABLE outcomes DROP COLUMN kind")
        execute("DROP TABLE texts")
        execute("UPDATE crawl SET value = '1' WHERE name = 'version'")

    coordinator.database.run(downgrade)
    coordinator.join("wind", 2)
    coordinator.join("wind", 2)
    assert len(coordinator.control.token()) == 32 != token
    assert [state.stored for state in coordinator.states()] == [0, 0]


def test_labels_rules_and_outcomes_reach_every_shard_in_their_order(crawl):
    coordinator, leases = crawl
    coordinator.add_label("http://a.example/", relevant=True)
    coordinator.add_label("http://a.example/", relevant=None)
    coordinator.add_rule(Rule("spam.example", "exclude", 12.5))
    assert coordinator.add_outcomes(leases[1], {LINKS: b"\x00one"})
    assert coordinator.add_outcomes(leases[2], {LINKS: b"two", PAGES: b"three"})
    orders = coordinator.report(leases[0], ShardReport())
    assert (orders.labels, orders.rules, orders.outcomes) == (2, 1, 3)
    assert [(each.url, each.relevant) for each in coordinator.labels(0)] == [
        ("http://a.example/", True), ("http://a.example/", None),
    ]  # fmt: skip
    assert coordinator.labels(2) == []
    assert coordinator.rules(0) == [Rule("spam.example", "exclude", 12.5, 1)]
    assert [(each.kind, each.packed) for each in coordinator.outcomes(0, 0)] == [
        (LINKS, b"\x00one"), (LINKS, b"two"), (PAGES, b"three"),
    ]  # fmt: skip
    assert [each.packed for each in coordinator.outcomes(0, 1)] == [b"two", b"three"]


def test_texts_of_labelled_pages_are_kept_once(crawl):
    coordinator, leases = crawl
    first = LabelledText(0, "http://a.example/", "Fog", "A signal\0 in the fog", "en")
    coordinator.add_texts([first, LabelledText(0, "http://b.example/", "", "bell", "")])
    coordinator.add_texts([first])
    found = coordinator.texts(0)
    assert [(each.url, each.text) for each in found] == [
        ("http://a.example/", "A signal  in the fog"), ("http://b.example/", "bell"),
    ]  # fmt: skip
    assert coordinator.report(leases[0], ShardReport()).texts == found[-1].id
    assert coordinator.texts(found[0].id) == found[1:]


@pytest.mark.parametrize(
    ("name", "shards", "words"),
    [("sea", 3, "another crawl"), ("wind", 4, "has 3 shards"), ("wind", 3, "")],
)
def test_a_database_of_another_crawl_is_refused(crawl, make, name, shards, words):
    if not words:
        make().join(name, shards)
        return
    with pytest.raises(ConfigError, match=words):
        make().join(name, shards)


def test_a_database_of_another_version_is_refused(crawl, make):
    coordinator, _ = crawl
    coordinator.database.run(lambda execute: execute("UPDATE crawl SET value = '99' WHERE name = 'version'"))
    with pytest.raises(ConfigError, match="same clew on all machines"):
        make().join("wind", 3)


def test_a_lost_connection_is_opened_again(postgres, request):
    import psycopg

    database = PostgresDatabase(postgres)
    try:
        ((process,),) = database.run(lambda execute: execute("SELECT pg_backend_pid()"))
        with psycopg.connect(postgres, autocommit=True) as db:
            db.execute("SELECT pg_terminate_backend(%s)", (process,))
        assert database.run(lambda execute: execute("SELECT 1")) == [(1,)]
    finally:
        database.close()


def test_a_server_that_is_away_is_named(tmp_path):
    pytest.importorskip("psycopg")
    away = PostgresDatabase(f"postgresql://clew@/postgres?host={tmp_path}")
    with pytest.raises(StoreError, match="PostgreSQL does not answer"):
        away.run(lambda execute: execute("SELECT 1"))


def test_an_address_that_is_no_database_is_refused():
    with pytest.raises(ConfigError, match="postgresql://"):
        open_coordinator("mysql://somewhere")
