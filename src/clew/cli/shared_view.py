"""Show a run to other programs as well: its state and notes in files of the crawl folder (`clew serve`)."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clew.cli import resource_usage
from clew.cli.resource_usage import Throttled
from clew.cli.run_counts import RunCounts
from clew.cli.screen import RunView
from clew.domain.text import printable
from clew.engine.run import CrawlRun
from clew.frontier.stats import FrontierStats, best_links
from clew.insight.live_state import add_note, write_live
from clew.insight.summary import Summary
from clew.types import PageResult

SECONDS = 1.0
"""Seconds between two states."""

SHARE = 0.005
"""Maximum share of the time spent on writing them."""

NEXT, LAST, HOSTS = 40, 20, 40
"""Links, pages and hosts named in a state."""


class SharedView:
    """Pass everything on to a view, and write state and notes to the folder."""

    def __init__(self, folder: Path, view: RunView) -> None:
        self.folder = folder
        self.view = view
        self._counts = RunCounts()
        self._began = time.time()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, run: CrawlRun, stop: Callable[[], None]) -> None:
        self._run = run
        frontier, clock = run.engine.frontier, run.engine.clock
        self._stats: Throttled[FrontierStats] = Throttled(lambda: frontier.stats(clock.monotonic()))
        self._next: Throttled[list[dict[str, Any]]] = Throttled(self._best_links)
        self.view.begin(run, stop)
        self._write()

    def step(self, result: PageResult) -> None:
        self._counts.add(result)
        self.view.step(result)

    def note(self, text: str, **facts: object) -> None:
        add_note(self.folder, printable(text), facts)
        self.view.note(text, **facts)

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
            write_live(self.folder, {**self.state(), "ended": True})
        self.view.close()

    def end(self, summary: Summary) -> None:
        add_note(self.folder, f"ended: {summary.ended}", {"ended": summary.ended, "pages": summary.pages,
                                                          "relevant": summary.relevant})  # fmt: skip
        self.view.end(summary)

    def _write(self) -> None:
        began = time.perf_counter()
        write_live(self.folder, self.state())
        cost = time.perf_counter() - began
        self._timer = asyncio.get_running_loop().call_later(max(SECONDS, cost / SHARE), self._write)

    def state(self) -> dict[str, Any]:
        """Return the state of the run as plain values."""
        run, counts, stats = self._run, self._counts, self._stats()
        totals, frontier, now = run.engine.totals, run.engine.frontier, run.engine.clock.monotonic()
        pages_a_second, bytes_a_second = counts.speed()
        share, window = counts.share()
        resting = [
            {"host": name, "seconds": round(until - now, 1), "reason": counts.troubles.get(name, "")}
            for name, until in stats.paused[:HOSTS]
        ]
        return {
            "at": time.time(), "pid": os.getpid(), "began": self._began, "ended": False,
            "paused": run.paused, "stopping": run.stopping,
            "pages": totals.pages, "relevant": totals.relevant, "failed": totals.failed,
            "requests": totals.requests, "budget": 0 if run.is_refresh else run.budget.pages,
            "open": frontier.open, "hosts": frontier.hosts, "in_flight": frontier.in_flight,
            "pages_per_second": round(pages_a_second, 2), "bytes_per_second": round(bytes_a_second),
            "memory": resource_usage.memory(())[0],
            "recent": round(share, 4), "recent_pages": window,
            "scores": list(stats.scores), "host_states": dict(stats.hosts_by_status),
            "resting": resting, "suspended": dict(list(stats.suspended.items())[:HOSTS]),
            "last": [
                {"url": page.url, "title": page.title[:200], "verdict": page.verdict,
                 "relevant": page.relevant, "error": page.error}
                for page in list(counts.last)[-LAST:][::-1]
            ],
            "next": self._next(),
        }  # fmt: skip

    def _best_links(self) -> list[dict[str, Any]]:
        """Return the queued links with the best scores; their hosts may have to wait."""
        engine = self._run.engine
        found = []
        for id, score in best_links(engine.frontier.rank_snapshot(), NEXT):
            try:
                link = engine.store.link(id)
            except KeyError:
                continue
            found.append({"id": id, "url": link.url, "anchor": link.anchor[:200], "score": round(score, 4),
                          "depth": link.depth})  # fmt: skip
        return found
