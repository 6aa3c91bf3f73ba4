"""A crawl on a Ray cluster of this machine, with kills; judged from the log of the web server and the export."""

import random
import time
from pathlib import Path

from clew.domain.partition import shard_of
from clew.scale.run_control import DRIVER_SECONDS
from tests.scale.shard_kit import kill, new_crawl, start, wait_for

DELAY = 0.3


class RayCrawl:
    """Drive a crawl of a tree web in `shards` shards on some nodes, and kill parts of it."""

    def __init__(self, folder, web, *, nodes, postgres, address, shards=3, seed=7):
        self.folder = new_crawl(folder, web, delay=DELAY)
        self.web, self.nodes, self.postgres, self.address, self.shards = web, nodes, postgres, address, shards
        self.chance = random.Random(seed)
        self.log = Path(f"{folder}.log")
        self.kills = []
        self.driver = None

    def drive(self):
        """Start a driver, or one that finds the crawl again."""
        place = ["--on", self.nodes.address, "--coordinator", self.address]
        self.driver = start(
            self.log,
            "run",
            self.folder,
            "--shards",
            self.shards,
            *place,
            "--plain",
            env=self.nodes.environment,
        )

    def wait_pages(self, more):
        """Wait until the crawl has gone on by some requests, or is over."""
        seen = len(self.web.log)
        wait_for(lambda: len(self.web.log) >= seen + more or self.driver.poll() is not None)
        assert self.driver.poll() is None, f"over too soon: {self.log.read_text()[-2000:]}"

    def processes(self, what):
        """Return the processes of shards, or of their parsers."""
        shards = self.nodes.processes("clew.cli.shard_process")
        if what == "shard":
            return shards
        children = [child for shard in shards for child in _children(shard)]
        return [child for child in children if child not in shards]

    def kill(self, what):
        """Kill something, and note when."""
        self.kills.append(time.monotonic())
        getattr(self, f"_kill_{what}", lambda: kill(self.chance.choice(self.processes(what))))()

    def _kill_driver(self):
        kill(self.driver.pid)
        self.driver.wait()
        time.sleep(DRIVER_SECONDS + 0.2)  # until nobody drives
        found = self._count("watching it again")
        self.drive()
        wait_for(lambda: self._count("watching it again") > found or self.driver.poll() is not None)

    def _kill_node(self):
        node = self.chance.choice([node for node in (1, 2) if self.nodes.raylets(node)])
        self.nodes.kill_node(node)
        moved = self._count("moves from")
        self.nodes.start(node, wait=False)  # it takes a shard over, without a stop
        wait_for(lambda: self._count("moves from") > moved or self.driver.poll() is not None)

    def _count(self, words):
        return self.log.read_text().count(words)

    def _kill_postgres(self):
        self.postgres.stop()
        time.sleep(3)
        self.postgres.start()

    def _kill_cluster(self):
        """Kill the process that knows the cluster, then everything; start it again and resume."""
        self.nodes.kill_head()
        time.sleep(1)
        self.nodes.kill_all()
        self.driver.wait()
        self.kills.append(time.monotonic())
        self.nodes.start(0)
        self.drive()

    def finish(self, patience=300):
        """Wait for the end of the crawl."""
        self.driver.wait(patience)
        assert self.driver.returncode == 0, self.log.read_text()[-3000:]

    def silences(self):
        """Return for each kill the longest time until a shard asked its hosts again, by the server's log."""
        times = self._times()
        return [
            max(min((at for at in some if at > kill), default=kill) - kill for some in times.values())
            for kill in self.kills
        ]

    def wait_all(self):
        """Wait until every shard has asked again after the last kill, or the crawl is over."""
        wait_for(
            lambda: (
                all(some[-1] > self.kills[-1] for some in self._times().values())
                or self.driver.poll() is not None
            )
        )

    def _times(self):
        """Return when the hosts of each shard were asked."""
        times = {}
        for at, url in list(self.web.log):
            origin = url.split("/page")[0].removesuffix("/robots.txt")
            times.setdefault(shard_of(origin, self.shards), []).append(at)
        return times


def _children(process):
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in text.split()]
