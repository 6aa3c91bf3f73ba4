"""The driver of a crawl on a cluster, with a cluster that answers as it is told."""

import asyncio
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from clew.errors import ConfigError, FolderBusy, StoreError
from clew.scale import ray_driver
from clew.scale.coordinator import CrawlLimits
from clew.scale.crawl_files import settings_files
from clew.scale.lease_keeper import RunSuperseded
from clew.scale.ray_cluster import RayCluster, RayNode, is_protected, ray_address
from clew.scale.ray_driver import RayDriver, ShardActors
from clew.scale.ray_shard import NODE_FOLDER, ActorStatus, ShardActor, ShardTask, crawl_folder, write_files
from clew.scale.run_control import RunFailure
from clew.scale.shard_command import ShardOrder
from clew.scale.sql_coordinator import open_coordinator
from clew.scale.supervisor import ShardFailed
from tests.scale.shard_kit import clew

SHARDS = 4


class FakeActor:
    """An actor on a node that answers at once."""

    def __init__(self, node, run):
        self.node, self.run, self.done, self.stopped = node, run, False, False
        self.lines = []
        self.status = SimpleNamespace(remote=self._status)
        self.stop = SimpleNamespace(remote=self._stop)

    def _status(self, after):
        lines = [line for line in self.lines if line[0] > after]
        return ActorStatus(node=self.node, run=self.run, done=self.done, count=len(self.lines), lines=lines)

    def _stop(self):
        self.stopped = True
        return True


class FakeCluster:
    """A cluster in memory; `away` lets it not answer."""

    def __init__(self, *nodes):
        self.machines = [RayNode(f"id-{node}", node) for node in nodes]
        self.actors = {}
        self.killed = []
        self.away = False

    def nodes(self):
        self.check()
        return self.machines

    def find(self, name):
        return self.actors.get(name)

    def create(self, name, actor, node, task):
        self.actors[name] = FakeActor(node, task.order.run)
        return self.actors[name]

    def ask(self, questions):
        self.check()
        return questions

    def kill(self, actor):
        self.killed.append(actor)
        self.actors = {name: each for name, each in self.actors.items() if each is not actor}

    def check(self):
        if self.away:
            msg = "the Ray cluster does not answer (gone)"
            raise StoreError(msg)

    def load(self):
        return sorted(actor.node for actor in self.actors.values())


class Notes:
    """A view that remembers."""

    def __init__(self):
        self.notes, self.lines = [], []

    def note(self, text):
        self.notes.append(text)

    def line(self, shard, fields):
        self.lines.append((shard, fields))

    def states(self, states):
        pass


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(ray_driver, "WATCH_SECONDS", 0.01)
    monkeypatch.setattr(ray_driver, "MOVE_SECONDS", 0.0)
    monkeypatch.setattr(ray_driver, "CLUSTER_SECONDS", 0.1)


@pytest.fixture
def coordinator(tmp_path):
    made = open_coordinator(tmp_path)
    made.join("wind", SHARDS)
    yield made
    made.close()


def driver(cluster, coordinator, name="one:1"):
    def task(shard, run):
        return ShardTask(order=ShardOrder(folder="/crawl", shard=shard, run=run), crawl="wind")

    view = Notes()
    actors = ShardActors(cluster=cluster, crawl="wind", shards=SHARDS, task=task, show=view.line)
    return RayDriver(
        cluster=cluster, coordinator=coordinator, actors=actors, view=view, name=name,
        begin=lambda: coordinator.begin(CrawlLimits()),
    )  # fmt: skip


async def until(what, tries=1000):
    for _ in range(tries):
        if what():
            return
        await asyncio.sleep(0.01)
    pytest.fail("waited in vain")


def finish(cluster, coordinator, reason="nothing is left to fetch"):
    coordinator.control.end(reason)
    for actor in cluster.actors.values():
        actor.done = True


def drive(made, *steps):
    """Run a driver, with some steps beside it; return how the crawl ended."""

    async def work():
        running = asyncio.create_task(made.run())
        await until(lambda: len(made.cluster.actors) == SHARDS or running.done())
        for step in steps:
            if callable(done := step()):
                await until(done)
        return await running

    return asyncio.run(work())


def test_shards_are_spread_and_a_node_that_is_added_takes_some_over(coordinator):
    cluster = FakeCluster("10.0.0.1", "10.0.0.2")
    made = driver(cluster, coordinator)

    def check_spread():
        assert cluster.load() == ["id-10.0.0.1"] * 2 + ["id-10.0.0.2"] * 2

    def add():
        cluster.machines.append(RayNode("id-10.0.0.3", "10.0.0.3"))
        return lambda: "id-10.0.0.3" in cluster.load()

    assert drive(made, check_spread, add, lambda: finish(cluster, coordinator)) == "nothing is left to fetch"
    assert made.view.notes == ["shard 2 moves from 10.0.0.1 to 10.0.0.3"]
    assert [actor.stopped for actor in cluster.killed][:1] == [True], "stopped cleanly before it was ended"
    assert cluster.actors == {}


def test_a_driver_finds_a_running_crawl_again_and_does_not_begin_anew(coordinator):
    cluster = FakeCluster("10.0.0.1")
    first = driver(cluster, coordinator)

    async def killed():
        running = asyncio.create_task(first.run())
        await until(lambda: len(cluster.actors) == SHARDS)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(killed())
    run, actors = coordinator.control.run(), dict(cluster.actors)
    cluster.actors["wind shard 1"].lines.append((1, {"note": "hello"}))
    second = driver(cluster, coordinator, "two:2")
    ended = drive(second, lambda: lambda: second.view.lines, lambda: finish(cluster, coordinator))
    assert ended == "nothing is left to fetch"
    assert coordinator.control.run() == run
    assert cluster.killed == list(actors.values())
    assert second.view.notes == ["this crawl is running on 1 machine; watching it again"]
    assert second.view.lines == [(1, {"note": "hello"})]


def test_a_new_run_ends_what_is_left_of_the_one_before(coordinator):
    cluster = FakeCluster("10.0.0.1")
    stale = FakeActor("id-10.0.0.1", run=0)
    stale.done = True
    cluster.actors["wind shard 0"] = stale
    made = driver(cluster, coordinator)
    drive(made, lambda: finish(cluster, coordinator))
    assert stale in cluster.killed
    assert coordinator.control.run() == 1


def test_a_second_driver_is_refused(coordinator):
    coordinator.control.drive("other:9")
    with pytest.raises(FolderBusy, match="other:9 already drives this crawl"):
        drive(driver(FakeCluster("10.0.0.1"), coordinator))


def test_the_error_of_a_shard_ends_the_crawl_with_its_exit_code(coordinator):
    cluster = FakeCluster("10.0.0.1")

    def fail():
        coordinator.control.fail(RunFailure(2, "the disk is full; free some space", 5))
        finish(cluster, coordinator)

    with pytest.raises(ShardFailed, match="shard 2: the disk is full") as raised:
        drive(driver(cluster, coordinator), fail)
    assert raised.value.exit_code == 5


def test_to_stop_is_to_let_the_coordinator_tell_all_shards(coordinator):
    cluster = FakeCluster("10.0.0.1")
    made = driver(cluster, coordinator)

    def stop():
        made.stop()
        return lambda: coordinator.control.ended() == "stopped"

    assert drive(made, stop, lambda: finish(cluster, coordinator)) == "stopped"


def test_the_second_stop_ends_everything_at_once(coordinator):
    cluster = FakeCluster("10.0.0.1")
    made = driver(cluster, coordinator)

    def stop_twice():
        made.stop()
        made.stop()

    assert drive(made, stop_twice) == "stopped"
    assert len(cluster.killed) == SHARDS


def test_without_its_cluster_a_driver_says_what_to_do(coordinator):
    cluster = FakeCluster("10.0.0.1")

    def leave():
        cluster.away = True

    with pytest.raises(StoreError, match="start the cluster again, then run the same command"):
        drive(driver(cluster, coordinator), leave)


def test_a_cluster_without_machines_for_us_is_refused_in_words(coordinator):
    with pytest.raises(StoreError, match="no machine of the Ray cluster"):
        drive(driver(FakeCluster(), coordinator))


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["ray://", "ray:", "dask://host", "host:6379", ""])
def test_what_is_no_address_of_a_cluster_is_refused(address):
    with pytest.raises(ConfigError, match="write ray://HOST:10001"):
        ray_address(address)


def test_only_a_cluster_with_a_token_may_listen_on_the_network(monkeypatch):
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    assert is_protected(["127.0.0.1", "127.0.0.1"])
    assert not is_protected(["127.0.0.1", "10.0.0.2"])
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    assert is_protected(["10.0.0.2"])


def test_without_ray_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"ray is not installed; get it with: .*scale"):
        RayCluster("ray://head:10001").connect()


def test_a_cluster_needs_a_database_that_all_machines_reach(tmp_path):
    (tmp_path / "clew.toml").write_text(
        '[crawl]\ncontact = "https://crawler.uni-x.org/bot"\nseeds = ["https://b.example/"]\n'
    )
    done = clew("run", tmp_path, "--shards", 2, "--on", "ray://127.0.0.1:1", check=False)
    assert done.returncode == 2
    assert "--on needs --coordinator postgresql://" in done.stderr


@pytest.fixture
def actor(tmp_path, coordinator, monkeypatch):
    """The actor of shard 1 before it starts anything, on a machine with a token."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    run = coordinator.begin(CrawlLimits())
    order = ShardOrder(folder=str(tmp_path / "wind"), shard=1, run=run, machine="10.0.0.7")
    made = object.__new__(ShardActor)
    made.task = ShardTask(order=order, crawl="wind", files={"clew.toml": b"[crawl]"})
    made.order = order
    return made


def test_a_machine_lays_out_the_folder_of_the_crawl(actor, coordinator, tmp_path):
    actor._prepare(coordinator)
    assert (tmp_path / "wind" / "clew.toml").read_bytes() == b"[crawl]"


def test_a_machine_with_another_python_or_clew_is_named(actor, coordinator):
    actor.task = replace(actor.task, version="0.1, Python 3.9.1")
    with pytest.raises(
        ConfigError, match=r"machine 10\.0\.0\.7 has clew .*, the driver 0\.1, Python 3\.9\.1"
    ):
        actor._prepare(coordinator)


def test_a_machine_whose_ray_has_no_token_is_named(actor, coordinator, monkeypatch):
    monkeypatch.delenv("RAY_AUTH_MODE")
    with pytest.raises(ConfigError, match=r"machine 10\.0\.0\.7 runs without a token"):
        actor._prepare(coordinator)


def test_an_actor_of_an_earlier_run_or_of_one_that_is_over_starts_nothing(actor, coordinator):
    coordinator.control.end("stopped")
    with pytest.raises(RunSuperseded):
        actor._prepare(coordinator)
    coordinator.begin(CrawlLimits())
    with pytest.raises(RunSuperseded):
        actor._prepare(coordinator)


def test_a_disk_that_cannot_be_written_ends_the_crawl_with_the_exit_code_of_disks(
    actor, coordinator, tmp_path
):
    (tmp_path / "wind").write_text("a file where a folder is needed")
    with pytest.raises(ShardFailed, match="shard 1: ") as raised:
        actor._prepare(coordinator)
    assert raised.value.exit_code == 5


# ---- files ---------------------------------------------------------------------------------------


def test_settings_and_examples_travel_and_results_stay(tmp_path, monkeypatch):
    folder = tmp_path / "wind"
    for name in (
        "clew.toml",
        "good/page.html",
        "shards/0/crawl.db",
        "pages/x.warc.gz",
        "crawl.lock",
        "coordinator.json",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    files = settings_files(folder)
    assert files == {"clew.toml": b"clew.toml", "good/page.html": b"good/page.html"}
    task = ShardTask(order=ShardOrder(folder=str(folder), shard=0), crawl="wind 1234", files=files)
    assert crawl_folder(task) == folder
    monkeypatch.setenv(NODE_FOLDER, str(tmp_path / "node"))
    there = crawl_folder(task)
    assert there == tmp_path / "node" / "wind-1234"
    write_files(there, files)
    write_files(there, files)
    assert (there / "good" / "page.html").read_bytes() == b"good/page.html"
