"""Re-ranking as a service: passes over all open links run beside the crawl."""

import asyncio
from contextlib import suppress

from clew.engine.events import Events
from clew.frontier.reranking import Reranking
from clew.types import PageResult


class RerankingService:
    """Run re-ranking passes in the background; a fault in one ends the run like any other of ours."""

    def __init__(self, reranking: Reranking, events: Events) -> None:
        self._reranking = reranking
        self._events = events
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to run passes beside the crawl."""
        self._reranking.run_in_background()
        self._task = asyncio.create_task(self._reranking.run())
        self._task.add_done_callback(lambda _: self._events.stop())

    def on_result(self, result: PageResult) -> None:
        """Do nothing: the ranker asks for passes itself."""

    async def close(self) -> None:
        """End the pass that runs; raise what went wrong in it."""
        self._reranking.cancel()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
