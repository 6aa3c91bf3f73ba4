"""A shard among others: take in the links that others found, report, and follow what is decided for all."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from clew.config import Config
from clew.engine.engine import AfterCommit, Engine
from clew.engine.events import Events
from clew.errors import StoreError
from clew.scale.coordinator import BINS, Coordinator, Orders, ShardReport
from clew.scale.cut_off import hosts_above
from clew.scale.lease_keeper import LeaseKeeper
from clew.scale.received_links import MOVED_SEEDS, add_received
from clew.scale.remote_outbox import LinkOutbox
from clew.scale.shared_feedback import SharedFeedback
from clew.store.outbox import RESTORES, SentLinks, position
from clew.types import PageResult

T = TypeVar("T")

REPORT_SECONDS = 0.5
"""Seconds between two reports, each with a look at what other shards have found."""

HURRY_SECONDS = 0.05
"""The least time between two reports, when the slice of the budget is spent."""


MANY = 1_000
"""Links of one shard after which there may be more: they are read again at once."""


def _count(sent: SentLinks) -> int:
    return len(sent.links)


def received_fact(shard: int) -> str:
    """Return the name of the fact that says up to which link another shard was read."""
    return f"received from shard {shard}"


@dataclass(slots=True, kw_only=True)
class ShardExchange:
    """A `LinkSource` that brings the links of other shards and lets this one wait for its turn.

    `outboxes` are those of the other shards by number; `pulled` says up to which position each was read, and
    `_stored` how much of that is committed, which is what others are told. Nothing is fetched
    without a fresh lease, beyond the slice of the budget, or below the cut-off. `address` is where other
    machines read the links of this one.
    """

    config: Config
    engine: Engine
    events: Events
    coordinator: Coordinator
    keeper: LeaseKeeper
    outboxes: Mapping[int, LinkOutbox]
    feedback: SharedFeedback
    address: str = ""
    orders: Orders = field(default_factory=Orders)
    pulled: dict[int, int] = field(default_factory=dict)
    _stored: dict[int, int] = field(default_factory=dict)
    _turned: float = float("-inf")
    _restores: int = 0
    _idle: bool = False
    _reported: ShardReport = field(default_factory=ShardReport)
    _due: asyncio.Event = field(default_factory=asyncio.Event)
    _task: "asyncio.Task[None] | None" = None
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "clew-exchange"))

    # ---- as a source of links ------------------------------------------------------------------

    async def start(self) -> None:
        """Go on where the last run ended; take in links and report from now on."""
        names = {shard: received_fact(shard) for shard in self.outboxes}
        facts = self.engine.store.reader.facts(*names.values(), RESTORES)
        self._restores = len(json.loads(facts.get(RESTORES) or "[]"))
        self.pulled = {shard: int(facts.get(name) or 0) for shard, name in names.items()}
        for url in json.loads(self.engine.store.reader.facts(MOVED_SEEDS).get(MOVED_SEEDS) or "[]"):
            self.engine.intake.scope.add_seed(url)
        self._stored = dict(self.pulled)
        self.feedback.restore()
        self.engine.on_commit(self._before_commit)
        await self._turn()
        self._task = asyncio.create_task(self._work())

    def on_result(self, result: PageResult) -> None:
        """Do nothing: counts are those of the engine."""

    def _before_commit(self) -> AfterCommit:
        """Note what the commit that begins now makes safe."""
        pulled, learned = dict(self.pulled), self.feedback.outcomes

        async def settle() -> None:
            self._stored, self.feedback.learned = pulled, learned

        return settle

    def before_fetch(self) -> None:
        """Note that the shard is not known to be idle."""
        self._idle = False

    def must_wait(self) -> bool:
        """Return whether nothing may be fetched now: no lease, no budget, or better links elsewhere."""
        if not self.keeper.is_fresh():
            return True
        frontier = self.engine.frontier
        if not frontier.open:
            return False
        if self._over_slice():
            if self._reported.spent != self._spent():
                self._due.set()
            return True
        if not self.orders.cut_off:
            return False
        best = frontier.availability.best_score(self.engine.clock.monotonic())
        return best is not None and best < self.orders.cut_off

    def _over_slice(self) -> bool:
        limits = (self.config.crawl.pages, self.config.crawl.requests)
        return any(
            limit and spent >= allowed
            for limit, spent, allowed in zip(limits, self._spent(), self.orders.allowed, strict=True)
        )

    def may_add_links(self) -> bool:
        """Return whether other shards may still find links for this one; called when it has nothing to do."""
        self._idle = True
        if not self._reported.idle:
            self._due.set()
        return not self.orders.ended

    async def close(self) -> None:
        """Report for the last time."""
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        if self.keeper.is_fresh():
            with suppress(StoreError):
                await self.feedback.share(self.keeper.lease, Orders(), self._call)
                await self._call(partial(self.coordinator.report, self.keeper.lease, self._report()))
        await self._call(self._close_outboxes)
        self._thread.shutdown()

    def _close_outboxes(self) -> None:
        for outbox in self.outboxes.values():
            outbox.close()

    # ---- beside the crawl ----------------------------------------------------------------------

    async def _work(self) -> None:
        while not self.keeper.lost:
            await asyncio.sleep(HURRY_SECONDS)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._due.wait(), REPORT_SECONDS - HURRY_SECONDS)
            self._due.clear()
            await self._turn()
        self.events.stop(f"shard {self.keeper.lease.shard} was taken over")

    async def _turn(self) -> None:
        """Take in new links, report, and follow the answer; without a coordinator, wait for it.

        Between two turns a shard whose slice is spent only reports.
        """
        now = self.engine.clock.monotonic()
        whole = now >= self._turned + REPORT_SECONDS - HURRY_SECONDS or self._idle
        try:
            if whole:
                self._turned = now
                await self._receive()
            self._reported = self._report()
            orders = await self._call(partial(self.coordinator.report, self.keeper.lease, self._reported))
            if orders is None:
                return
            self.orders = orders
            if whole:
                await self.feedback.apply(orders, self._call)
                await self.feedback.share(self.keeper.lease, orders, self._call)
        except StoreError as error:
            self._say(str(error))
            return
        self._say("")
        if orders.relevant:
            self.engine.choice.seed_links.end()
        if orders.ended:
            self.events.stop(orders.ended)
        self.events.wake()

    async def _receive(self) -> None:
        """Take in what other shards have found for this one, with the numbers up to which they were read.

        The next commit of the crawl makes both safe; one of its own is needed only if no page is under way.
        """
        more = list(self.outboxes)
        while more:
            found = await self._call(partial(self._read, more))
            for shard, (sent, upto) in found.items():
                self._take_in(shard, sent, upto)
            more = [shard for shard, (sent, _) in found.items() if sum(map(_count, sent)) >= MANY]
            if more:
                await self._commit()
        if self._stored != self.pulled and not self.engine.frontier.in_flight:
            await self._commit()

    def _read(self, shards: Sequence[int]) -> dict[int, tuple[list[SentLinks], int]]:
        """Return the links of some shards after the last ones taken in; those that have none are left out."""
        found = {shard: self.outboxes[shard].read(self.pulled[shard]) for shard in shards}
        return {shard: each for shard, each in found.items() if each[1] > self.pulled[shard]}

    async def _commit(self) -> None:
        """Commit what was taken in; end the run if the store has failed, also while it is idle."""
        try:
            await self.engine.commit()
        except StoreError:
            self.events.stop()
            raise

    def _take_in(self, shard: int, sent: Sequence[SentLinks], upto: int) -> None:
        """Add links and number without a pause between, so that one commit holds both."""
        for each in sent:
            self._idle = False
            add_received(self.engine, each, shard)
        if sent:
            self.engine.store.set_fact(received_fact(shard), str(upto))
        elif self._stored[shard] == self.pulled[shard]:
            self._stored[shard] = upto  # nothing to commit: read again, it would be as empty
        self.pulled[shard] = upto

    def _report(self) -> ShardReport:
        totals, frontier = self.engine.totals, self.engine.frontier
        now, shards = self.engine.clock.monotonic(), len(self.outboxes) + 1
        best = frontier.availability.histogram(BINS, now)
        return ShardReport(
            spent=self._spent(), pages=totals.pages, relevant=totals.relevant, failed=totals.failed,
            open=frontier.open, wants=hosts_above(best, self.orders.cut_off) > 0, best=best,
            sent=position(self.engine.intake.next_id - 1, self._restores), address=self.address,
            learned=self.feedback.learned,
            pulled=[self._stored.get(shard, 0) for shard in range(shards)], idle=self._idle,
        )  # fmt: skip

    def _spent(self) -> tuple[int, int]:
        totals, in_flight = self.engine.totals, self.engine.frontier.in_flight
        return totals.pages + in_flight, totals.requests + in_flight

    def _say(self, trouble: str) -> None:
        """Say once that the coordinator is away, and that it is back."""
        if trouble and not self.feedback.trouble:
            self.events.notify(f"{trouble}; shard {self.keeper.lease.shard} waits")
        elif self.feedback.trouble and not trouble:
            self.events.notify(f"shard {self.keeper.lease.shard} goes on: its coordinator answers again")
        self.feedback.trouble = trouble

    async def _call(self, work: Callable[[], T]) -> T:
        """Run something that may block in the thread of this exchange."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
