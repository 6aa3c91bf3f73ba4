"""A shard among others: take in the links that others found, report, and follow what is decided for all."""

import asyncio
from collections.abc import Callable
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
from clew.scale.link_receiver import LinkReceiver
from clew.scale.shared_feedback import SharedFeedback
from clew.types import PageResult

T = TypeVar("T")

REPORT_SECONDS = 0.5
"""Seconds between two reports, each with a look at what other shards have found."""

HURRY_SECONDS = 0.05
"""The least time between two reports, when the slice of the budget is spent."""


@dataclass(slots=True, kw_only=True)
class ShardExchange:
    """A `LinkSource` that brings the links of other shards and lets this one wait for its turn.

    Nothing is fetched without a fresh lease, beyond the slice of the budget, or below the cut-off. `address`
    is where other machines read the links of this one.
    """

    config: Config
    engine: Engine
    events: Events
    coordinator: Coordinator
    keeper: LeaseKeeper
    receiver: LinkReceiver
    feedback: SharedFeedback
    address: str = ""
    orders: Orders = field(default_factory=Orders)
    _turned: float = float("-inf")
    _idle: bool = False
    _reported: ShardReport = field(default_factory=ShardReport)
    _due: asyncio.Event = field(default_factory=asyncio.Event)
    _task: "asyncio.Task[None] | None" = None
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "clew-exchange"))

    # ---- as a source of links ------------------------------------------------------------------

    async def start(self) -> None:
        """Go on where the last run ended; take in links and report from now on."""
        self.receiver.restore()
        self.feedback.restore()
        self.engine.on_commit(self._before_commit)
        await self._turn()
        self._task = asyncio.create_task(self._work())

    def on_result(self, result: PageResult) -> None:
        """Do nothing: counts are those of the engine."""

    def _before_commit(self) -> AfterCommit:
        """Note what the commit that begins now makes safe."""
        pulled, learned = dict(self.receiver.pulled), self.feedback.outcomes

        async def settle() -> None:
            self.receiver.stored, self.feedback.learned = pulled, learned

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
        await self._call(self.receiver.close)
        self._thread.shutdown()

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
        receiver = self.receiver
        more = receiver.turn()
        while more:
            found = await self._call(partial(receiver.read, more))
            if any(sent for sent, _ in found.values()):
                self._idle = False
            more = [shard for shard, (sent, upto) in found.items() if receiver.take_in(shard, sent, upto)]
            if more:
                await self._commit()
        if receiver.stored != receiver.pulled and not self.engine.frontier.in_flight:
            await self._commit()

    async def _commit(self) -> None:
        """Commit what was taken in; end the run if the store has failed, also while it is idle."""
        try:
            await self.engine.commit()
        except StoreError:
            self.events.stop()
            raise

    def _report(self) -> ShardReport:
        totals, frontier = self.engine.totals, self.engine.frontier
        best = frontier.availability.histogram(BINS, self.engine.clock.monotonic())
        return ShardReport(
            spent=self._spent(), pages=totals.pages, relevant=totals.relevant, failed=totals.failed,
            open=frontier.open, wants=hosts_above(best, self.orders.cut_off) > 0, best=best,
            sent=self.receiver.sent, address=self.address, learned=self.feedback.learned,
            pulled=self.receiver.positions(), idle=self._idle,
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
