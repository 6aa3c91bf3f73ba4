"""Measure what dividing a crawl costs: relevant pages over the crawl, in shards and in one engine.

    python -m bench.shards --worlds FOLDER [--shards 1,8,32] [--pages 300] [--starts 3] [--out FILE.csv]
    python -m bench.shards --publish FILE.csv        puts such results into docs/lab/shards.md

Recorded webs are crawled in virtual time with the default policy, a delay of a second for each host and a latency
of .3 s. The shards are the product's: engines with the same exchange of links and outcomes and the same
coordinator, without processes, files and leases. `equal` gives each shard the same budget and lets it go on
alone, which is what a coordinator is for. `area` is the mean share of the pages read so far that are relevant.
"""

import argparse
import asyncio
import csv
import os
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np

from bench.figures import Table, publish
from clew import urls
from clew.builder import add_seeds, build_engine
from clew.domain.partition import Partition
from clew.engine.budget import Budget
from clew.engine.clock import Clock
from clew.engine.events import Events
from clew.engine.parts import make_parts, set_priors
from clew.engine.run import CrawlRun
from clew.lab.memory_store import MemoryStore
from clew.lab.replay import NetworkModel, Replay
from clew.lab.task import RELEVANT, Task
from clew.lab.trial import TrialSettings, start_of
from clew.lab.virtual_time import VirtualLoop, run_virtually
from clew.lab.world import World, open_world
from clew.scale.coordinator import CrawlLimits, Orders
from clew.scale.databases import SqliteDatabase
from clew.scale.exchange import ShardExchange
from clew.scale.lease_keeper import LeaseKeeper
from clew.scale.link_receiver import LinkReceiver
from clew.scale.shared_feedback import SharedFeedback
from clew.scale.sql_coordinator import SqlCoordinator
from clew.store.outbox import Outbox, SentLinks
from clew.types import Kind, Outcome, PageResult

WORLDS = ("webkb", "stat-sites", "geo-ja")
"""Recorded webs of many hosts: on a single host, one shard does everything."""

HEADS = ("world", "task", "start", "shards", "mode", "pages", "relevant", "area", "seconds")
DELAY, LATENCY = 1.0, 0.3


class LabDatabase(SqliteDatabase):
    """A coordinator's database in memory, in virtual time."""

    now = "lab_now()"

    def __init__(self, loop):
        super().__init__(Path(":memory:"))
        self.loop = loop

    def _open(self):
        db = super()._open()
        db.create_function("lab_now", 0, self.loop.wall)
        return db


class LabKeeper:
    """A lease that always holds."""

    lost = False

    def __init__(self, lease):
        self.lease = lease

    def is_fresh(self):
        return True


@dataclass
class LabOutbox:
    """What one shard has found for another, in memory."""

    sent: list[SentLinks] = field(default_factory=list)
    given: int = 0
    last: int = 0

    def read(self, after):
        found, self.given = self.sent[self.given :], len(self.sent)
        return found, max(after, self.last)

    def close(self):
        pass


class SharingStore(MemoryStore):
    """A store in memory that puts links of other shards into their outboxes."""

    def __init__(self):
        super().__init__()
        self.outboxes = {}

    def add(self, result: PageResult) -> None:
        super().add(result)
        if found := result.new_links:
            by_shard = defaultdict(list)
            for row, reason in enumerate(found.refused):
                if reason.startswith("host of shard "):
                    by_shard[int(reason.removeprefix("host of shard "))].append(row)
            judged = result.verdict is not None and result.page.link.kind is Kind.PAGE and not found.hops
            source = Outcome(result.page, result.verdict, result.relevant) if judged else None
            for shard, rows in by_shard.items():
                links, scores = found.links.take(rows), found.scores[rows]
                self.outboxes[shard].sent.append(
                    SentLinks(source=source, page=result.page.url, links=links, scores=scores, depth=found.depth,
                              hops=found.hops)
                )  # fmt: skip
            for outbox in self.outboxes.values():
                outbox.last = found.first + len(found.links) - 1


class LabExchange(ShardExchange):
    """An exchange without threads: nothing blocks in virtual time."""

    async def _call(self, work):
        return work()


@dataclass
class Crawl:
    """One crawl of a task in so many shards; `found` are the pages in the order in which they were read."""

    world: World
    task: Task
    settings: TrialSettings
    shards: int
    mode: str
    found: list[tuple[float, bool]] = field(default_factory=list)
    idle: set[int] = field(default_factory=set)

    async def run(self):
        self.loop = cast("VirtualLoop", asyncio.get_running_loop())
        settings, task = self.settings, self.task
        self.config = settings.config(task.about, (), ())
        self.seeds = start_of(self.world, task, settings)
        self.coordinator = SqlCoordinator(LabDatabase(self.loop))
        self.leases = []
        self.coordinator.join(task.name, self.shards)
        self.coordinator.begin(CrawlLimits(settings.pages, 0, self.config.fetch.focus))
        stores = [SharingStore() for _ in range(self.shards)]
        for sender, store in enumerate(stores):
            store.outboxes = {shard: LabOutbox() for shard in range(self.shards) if shard != sender}
        for shard in range(self.shards):
            self.leases.append(self.coordinator.acquire(shard, "lab"))
        await asyncio.gather(*(self.shard(shard, stores) for shard in range(self.shards)))
        self.coordinator.close()
        return self

    async def shard(self, shard, stores):
        config, parts = self.config, make_parts(self.config, {"ranker": "clew", "judge": self.settings.judge})
        partition = Partition(self.shards, shard) if self.shards > 1 else None
        engine = build_engine(config, stores[shard], Clock(self.loop.time, self.loop.wall), parts, seeds=self.seeds,
                              partition=partition)  # fmt: skip
        set_priors(parts, engine.evaluation.judge)
        events = Events()
        replay = Replay(world=self.world, wall=self.loop.wall, network=self.settings.network)
        add_seeds(
            engine, [url for url in self.seeds if not partition or not partition.refusal(urls.origin(url))]
        )
        pages, services = self.settings.pages, []
        if self.mode == "equal":
            pages //= self.shards
        if self.shards > 1:
            limits = replace_pages(config, pages)
            services = [self.exchange(shard, stores, limits, engine, events)]
        run = CrawlRun(
            engine=engine, fetcher=replay, parse=replay.parse, concurrency=config.fetch.concurrency,
            focus=config.fetch.focus, budget=Budget(pages), events=events, services=services,
        )  # fmt: skip
        for service in services:
            await service.start()
        async for result in run.results():
            if result.is_page:
                relevant = self.task.truth.grade(result.page.url) >= RELEVANT
                self.found.append((result.page.response.ended, relevant))
        for service in services:
            await service.close()
        self.idle.add(shard)

    def exchange(self, shard, stores, config, engine, events):
        coordinator = EqualShares(self) if self.mode == "equal" else self.coordinator
        outboxes = {
            sender: cast("Outbox", stores[sender].outboxes[shard])
            for sender in range(self.shards)
            if sender != shard
        }
        feedback = SharedFeedback(engine=engine, coordinator=coordinator, folder=Path())
        keeper = cast("LeaseKeeper", LabKeeper(self.leases[shard]))
        return LabExchange(config=config, engine=engine, events=events, coordinator=coordinator, keeper=keeper,
                           receiver=LinkReceiver(engine=engine, outboxes=outboxes), feedback=feedback)  # fmt: skip


class EqualShares:
    """A coordinator that only passes links on: no cut-off, no common budget, no common outcomes."""

    def __init__(self, crawl):
        self.crawl = crawl

    def report(self, lease, report):
        idle = self.crawl.idle
        idle.discard(lease.shard)
        if report.idle:
            idle.add(lease.shard)
        over = "nothing is left to fetch" if len(idle) == self.crawl.shards else ""
        return Orders(allowed=(10**9, 10**9), ended=over)

    def add_outcomes(self, *_):
        return True


def replace_pages(config, pages):
    return config.model_copy(update={"crawl": config.crawl.model_copy(update={"pages": pages})})


def area(found):
    """Return the mean share of relevant pages over the crawl, and how many there were."""
    relevant = np.cumsum([each for _, each in sorted(found, key=lambda page: page[0])])
    return float((relevant / np.arange(1, len(relevant) + 1)).mean()) if len(relevant) else 0.0


def crawls(asked):
    for name in asked.names.split(","):
        world = open_world(asked.worlds / name)
        for task in world.tasks[: asked.tasks]:
            if not task.about:
                continue
            for start in range(asked.starts):
                settings = TrialSettings(
                    pages=asked.pages, seed=start, concurrency=64, delay=DELAY, network=NetworkModel(latency=LATENCY),
                    examples="none",
                )  # fmt: skip
                for shards in map(int, asked.shards.split(",")):
                    for mode in asked.modes.split(",") if shards > 1 else ("one engine",):
                        crawl = Crawl(world, task, settings, shards, mode)
                        run_virtually(crawl.run)
                        ended = max(at for at, _ in crawl.found) - min(at for at, _ in crawl.found)
                        yield (name, task.name, start, shards, mode, len(crawl.found), sum(r for _, r in crawl.found),
                               round(area(crawl.found), 4), round(ended))  # fmt: skip


def summary(rows):
    """Return for each task and number of shards the area and the time relative to one engine, over all starts."""
    results = {
        (row["world"], row["task"], row["start"], row["shards"]): row
        for row in rows
        if row["mode"] != "equal"
    }
    tasks = list(dict.fromkeys((row["world"], row["task"]) for row in rows))
    lines = []
    for shards in sorted({int(row["shards"]) for row in rows} - {1}):
        ratios, times = defaultdict(list), defaultdict(list)
        for (world, task, start, number), row in results.items():
            if int(number) == shards:
                one = results[world, task, start, "1"]
                ratios[world, task].append(float(row["area"]) / float(one["area"]))
                times[world, task].append(float(row["seconds"]) / float(one["seconds"]))
        lines += [(str(shards), *key, *_cells(ratios[key], times[key])) for key in tasks]
        every = [ratio for each in ratios.values() for ratio in each]
        lines.append(
            (str(shards), "all", "", *_cells(every, [time for each in times.values() for time in each]))
        )
    return Table(("shards", "world", "task", "area", "worst", "best", "time"), tuple(lines))


def _cells(ratios, times):
    return f"{np.mean(ratios):.2f}", f"{min(ratios):.2f}", f"{max(ratios):.2f}", f"{np.mean(times):.1f}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", default=os.environ.get("CLEW_WORLDS", ""), type=Path)
    parser.add_argument("--names", default=",".join(WORLDS))
    parser.add_argument("--shards", default="1,8,32")
    parser.add_argument("--modes", default="shared,equal")
    parser.add_argument("--pages", default=300, type=int)
    parser.add_argument("--tasks", default=1, type=int)
    parser.add_argument("--starts", default=3, type=int)
    parser.add_argument("--publish", type=Path)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if asked.publish:
        with asked.publish.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        publish(
            {"shards": summary(rows)},
            "python -m bench.shards --modes shared --tasks 9",
            pages=asked.pages,
            starts=asked.starts,
        )
        return
    with asked.out.open("w", encoding="utf-8", newline="") if asked.out else sys.stdout as file:
        sheet = csv.writer(file, lineterminator="\n")
        sheet.writerow(HEADS)
        for row in crawls(asked):
            sheet.writerow(row)
            file.flush()


if __name__ == "__main__":
    main()
