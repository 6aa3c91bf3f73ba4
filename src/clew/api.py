"""`clew.Crawl`: create, run and read a crawl from Python, also inside a notebook."""

import asyncio
import contextlib
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from clew.builder import open_crawl, refresh_options
from clew.config import Config, build, read_tables, template
from clew.domain.records.example_table import EXAMPLES_FILE, read_table, write_table
from clew.engine.budget import Budget
from clew.engine.run import CrawlRun
from clew.errors import ConfigError
from clew.insight.changes import ChangeReport, parse_date, read_changes
from clew.insight.diagnostics import Advisor
from clew.insight.explain import Explanation, explain
from clew.insight.notebook import RowList, RunProgress, as_pre
from clew.insight.status import CrawlStatus, read_status
from clew.insight.summary import Summary, summarise
from clew.services.labels import LabelAnswer, LabelQuestion, ask, find_pages, store_answers
from clew.services.tables import keep_marks, word_of
from clew.store import StoredTable, read_links, read_pages, read_table_rows
from clew.store.table_export import as_dict
from clew.types import PageResult

STREAM_AHEAD = 100
"""Results that `Crawl.stream` holds for a loop that is slower than the crawl."""


class Crawl:
    """A crawl in a folder: created on first use, resumed afterwards.

        crawl = Crawl("wind", about="offshore wind permits", seeds=["https://…"], contact="https://…")
        crawl.run(pages=200)              # run the cell again: it resumes where it stopped
        crawl.pages.to_pandas()

    Arguments override the folder's `clew.toml`, which is written if it does not exist; `records` is a
    table of example rows, copied there. `settings` takes any key, as `{"fetch.delay": 2}`. `ranker`,
    `judge`, `extractor` and `fetcher` take a name, `module:Class` or an object.
    """

    def __init__(
        self,
        folder: str | Path,
        about: str = "",
        seeds: Sequence[str] = (),
        contact: str = "",
        *,
        good: Sequence[str] = (),
        bad: Sequence[str] = (),
        records: str | Path = "",
        settings: dict[str, Any] | None = None,
        ranker: object = None,
        judge: object = None,
        extractor: object = None,
        fetcher: object = None,
    ) -> None:
        self.folder = Path(folder)
        self.given = {
            "about": about,
            "seeds": list(seeds),
            "contact": contact,
            "good": list(good),
            "bad": list(bad),
            "records": str(Path(records).expanduser().resolve()) if records else "",
        }
        self.settings = dict(settings or {})
        self.parts = {
            name: part
            for name, part in (
                ("ranker", ranker),
                ("judge", judge),
                ("extractor", extractor),
                ("fetcher", fetcher),
            )
            if part is not None
        }

    def config(self) -> Config:
        """Return the configuration: clew.toml overridden by the arguments; writes nothing."""
        given = self.given
        path = self.folder / "clew.toml"
        tables = read_tables(path) if path.exists() else {}
        for table, keys in (("crawl", ("seeds", "contact")), ("goal", ("about", "good", "bad", "records"))):
            tables.setdefault(table, {}).update({key: given[key] for key in keys if given[key]})
        for name, value in self.settings.items():
            table, _, key = name.partition(".")
            tables.setdefault(table, {})[key] = value
        return build(tables, str(path))

    def save(self) -> Config:
        """Write clew.toml and the example rows if the folder has none yet; return the configuration.

        `run` and `arun` call it first.
        """
        config = self.config()
        if not (self.folder / "clew.toml").exists():
            rows = read_table(Path(config.goal.records)) if config.goal.records else None
            template.write_new(
                self.folder, contact=config.crawl.contact, seeds=config.crawl.seeds, about=config.goal.about,
                good=config.goal.good, bad=config.goal.bad,
                settings={**self.settings, **({"goal.records": EXAMPLES_FILE} if rows else {})},
            )  # fmt: skip
            if rows and not (self.folder / EXAMPLES_FILE).exists():
                write_table(self.folder / EXAMPLES_FILE, rows)
        return config

    def run(
        self, pages: int = 0, hours: float = 0, requests: int = 0, *, progress: bool | None = None
    ) -> Summary:
        """Crawl until `pages` are read in all, `requests` made in all, `hours` are over, or no link is left.

        Works inside a running event loop too (a notebook has one): the crawl runs in a thread.
        An interrupt (Ctrl-C, the stop button) stops it cleanly; run again to resume. `progress` shows a line
        that is renewed while it runs; without a value, in notebooks only.
        """
        self._check(pages, hours, requests)
        return self._run(lambda: self._open(pages, hours, requests), progress=progress)

    def refresh(self, pages: int = 0, requests: int = 0, *, progress: bool | None = None) -> Summary:
        """Visit known pages again that are worth it, and follow what is new there.

        Reads at most `pages` (those that are not modified are free) with at most `requests`; 0 for what
        clew.toml says. One that was interrupted goes on where it stopped. `changes` says what it found.
        """
        self._check(pages, 0, requests)
        return self._run(lambda: self._open_refresh(pages, requests), progress=progress)

    def _run(
        self, opened: Callable[[], contextlib.AbstractAsyncContextManager[CrawlRun]], *, progress: bool | None
    ) -> Summary:
        runs: list[tuple[CrawlRun, asyncio.AbstractEventLoop]] = []
        advisor, hints = Advisor(self.config(), self.folder), []
        shown = RunProgress(wanted=progress)

        async def crawl() -> Summary:
            async with opened() as run:
                runs.append((run, asyncio.get_running_loop()))
                run.subscribe(lambda text, **_: hints.append(text))
                async for result in run.results():
                    hints.extend(advisor.observe(run, result))
                    shown.update(run)
                shown.update(run, last=True)
                ended, suspended = run.ended, run.engine.suspended()
            summary = summarise(self.folder, ended, suspended)
            return replace(summary, hints=(*hints, *advisor.finish(run, summary)))

        return _run_in_thread(crawl, lambda: [loop.call_soon_threadsafe(run.stop) for run, loop in runs])

    def stream(self, pages: int = 0, hours: float = 0, requests: int = 0) -> Iterator[PageResult]:
        """Yield every page result once it is on disk, as a plain loop; leaving it early stops the crawl.

        for result in crawl.stream(pages=200):
            print(result.page.url, result.relevant)
        """
        self._check(pages, hours, requests)
        results: queue.Queue[PageResult | None] = queue.Queue(STREAM_AHEAD)
        left = threading.Event()

        async def crawl() -> None:
            async with contextlib.aclosing(self.arun(pages, hours, requests)) as found:
                async for result in found:
                    while not left.is_set():
                        with contextlib.suppress(queue.Full):
                            results.put_nowait(result)
                            break
                        await asyncio.sleep(0.01)
                    if left.is_set():
                        break

        def work() -> None:
            try:
                asyncio.run(crawl())
            finally:
                while not left.is_set():
                    with contextlib.suppress(queue.Full):
                        results.put(None, timeout=0.1)
                        break

        with ThreadPoolExecutor(1, thread_name_prefix="clew") as thread:
            future = thread.submit(work)
            try:
                while (result := results.get()) is not None:
                    yield result
            finally:
                left.set()
                future.result()

    @staticmethod
    def _check(pages: int, hours: float, requests: int) -> None:
        if not isinstance(pages, int) or not isinstance(requests, int) or min(pages, hours, requests) < 0:
            given = f"pages={pages!r}, hours={hours!r}, requests={requests!r}"
            msg = f"run({given}): each must be 0 (no limit) or more, pages and requests whole numbers"
            raise ConfigError(msg)

    async def arun(
        self, pages: int = 0, hours: float = 0, requests: int = 0
    ) -> AsyncGenerator[PageResult, None]:
        """Yield every page result once it is on disk; leaving the loop early loses nothing."""
        async with (
            self._open(pages, hours, requests) as run,
            contextlib.aclosing(run.results()) as results,
        ):
            async for result in results:
                yield result

    def _open(
        self, pages: int, hours: float, requests: int
    ) -> contextlib.AbstractAsyncContextManager[CrawlRun]:
        limits = self.save().crawl
        budget = Budget(
            pages or limits.pages, hours or limits.hours, requests or limits.requests, limits.least
        )
        return open_crawl(self.folder, self.config(), budget=budget, parts=self.parts)

    def _open_refresh(self, pages: int, requests: int) -> contextlib.AbstractAsyncContextManager[CrawlRun]:
        config = self.save()
        return open_crawl(
            self.folder, config, parts=self.parts, refresh=refresh_options(config, pages, requests)
        )

    @property
    def pages(self) -> StoredTable:
        """The pages read so far, as rows."""
        return read_pages(self.folder)

    @property
    def links(self) -> StoredTable:
        """Every link found so far, as rows."""
        return read_links(self.folder)

    def changes(self, since: str | float, *, all: bool = False) -> ChangeReport:
        """Return what is new since a date ("2026-11-01", "7d" or Unix seconds): new, changed and gone pages.

        Of relevant pages, or of `all`. The report has `pages` with their passages that differ, and `rows`.
        """
        at = parse_date(since) if isinstance(since, str) else since
        return read_changes(self.folder, at, only_relevant=not all)

    def why(self, url: str) -> Explanation:
        """Explain why a URL was fetched, or why not: crawl path, score, verdict, rule."""
        return explain(self.folder, url)

    def label(self, url: str, good: bool | None) -> LabelAnswer:
        """Label a page as relevant or not relevant; None removes the label. Return what it was applied to.

        The label is on disk when this returns. A running crawl applies it within a second, otherwise the
        next run does. The answer has the `url` that was found, whether it is `known`, and its `verdict`.
        """
        (answer,) = find_pages(self.folder, [(url, good)], self.config().scope.drop_params, guess=True)
        store_answers(self.folder, [answer])
        return answer

    def ask(self, number: int = 10) -> list[LabelQuestion]:
        """Return the pages whose labels are most informative, the best first."""
        return ask(self.folder, number, keep=self.config().goal.keep)

    def records(self, *, all: bool = False) -> list[dict[str, Any]]:
        """Return the table extracted from the example rows; with `all` also excluded rows.

        Each row is a dictionary of its values by column, and its origin.
        """
        columns, rows = read_table_rows(self.folder, all=all)
        return RowList(as_dict(columns, row) for row in rows)

    def mark(self, row: int, word: str) -> None:
        """Label a row of the table, by its id, as "right", "off-topic" or "noise"; "" removes the label.

        The label is on disk when this returns. A running crawl applies it within a second.
        """
        try:
            keep_marks(self.folder, [(row, word_of(word))])
        except ValueError as error:
            raise ConfigError(str(error)) from None

    def status(self) -> CrawlStatus:
        """Return how far the crawl has come, as `clew status` shows it."""
        return read_status(self.folder)

    def __repr__(self) -> str:
        return f"Crawl({str(self.folder)!r})"

    def _repr_html_(self) -> str:
        return as_pre(self.status().lines())

    def summary(self) -> Summary:
        """Return the counts of the crawl so far."""
        return summarise(self.folder, "")


def _run_in_thread(work: Callable[[], Coroutine[Any, Any, Summary]], stop: Callable[[], object]) -> Summary:
    """Run a coroutine in a thread of its own, because the caller may have a running event loop."""
    with ThreadPoolExecutor(1, thread_name_prefix="clew") as thread:
        future = thread.submit(asyncio.run, work())
        try:
            return future.result()
        except KeyboardInterrupt:
            stop()
            return future.result()
