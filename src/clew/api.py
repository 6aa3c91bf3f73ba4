"""Clew in five lines of Python, synchronous and fine in a notebook."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from clew.builder import open_crawl
from clew.config import Config, build, read_tables, template
from clew.domain.records.example_table import EXAMPLES_FILE, read_table, write_table
from clew.engine.budget import Budget
from clew.engine.run import CrawlRun
from clew.errors import ConfigError
from clew.insight.diagnostics import Advisor
from clew.insight.explain import Explanation, explain
from clew.insight.summary import Summary, summarise
from clew.services.labels import LabelQuestion, ask, keep_answers, meant
from clew.services.tables import keep_marks, word_of
from clew.store import StoredTable, read_links, read_pages, read_table_rows
from clew.store.table_export import as_dict
from clew.types import PageResult


class Crawl:
    """A crawl in a folder: made on first use, continued ever after.

    crawl = Crawl("wind", about="offshore wind permits", seeds=["https://…"], contact="https://…")
    crawl.run(pages=200)              # run the cell again: it goes on where it stopped
    crawl.pages.to_pandas()

    Arguments that are given are laid over the folder's `clew.toml`, which is written if it does not
    exist; `records` is a table of example rows, copied there. `settings` takes any key, as
    `{"fetch.delay": 2}`. `ranker`, `judge`, `extractor` and `fetcher` take a name, `module:Class` or an
    object of your own.
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
        """Return the configuration in force: the file with what was given laid over it; writes nothing."""
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

        `run` and `arun` do it first.
        """
        config = self.config()
        if not (self.folder / "clew.toml").exists():
            rows = read_table(Path(config.goal.records)) if config.goal.records else None
            template.write_new(
                self.folder, contact=config.crawl.contact, seeds=config.crawl.seeds, about=config.goal.about,
                good=config.goal.good, bad=config.goal.bad,
                settings={"goal.records": EXAMPLES_FILE} if rows else None,
            )  # fmt: skip
            if rows and not (self.folder / EXAMPLES_FILE).exists():
                write_table(self.folder / EXAMPLES_FILE, rows)
        return config

    def run(self, pages: int = 0, hours: float = 0) -> Summary:
        """Crawl until `pages` are read in all, `hours` are over, or nothing is left; then say what came.

        Works inside a running event loop too (a notebook has one): the crawl then lives in a thread.
        An interrupt (Ctrl-C, the stop button) ends it cleanly; run again to go on.
        """
        if not isinstance(pages, int) or pages < 0 or hours < 0:
            msg = f"run(pages={pages!r}, hours={hours!r}): whole pages and hours of 0 (no limit) or more"
            raise ConfigError(msg)
        walks: list[tuple[CrawlRun, asyncio.AbstractEventLoop]] = []
        advisor, hints = Advisor(self.config(), self.folder), []

        async def whole() -> Summary:
            async with self._open(pages, hours) as walk:
                walks.append((walk, asyncio.get_running_loop()))
                walk.subscribe(lambda text, **_: hints.append(text))
                async for step in walk.results():
                    hints.extend(advisor.observe(walk, step))
                ended, held = walk.ended, walk.engine.frontier.suspended()
            summary = summarise(self.folder, ended, held)
            return replace(summary, hints=(*hints, *advisor.finish(walk, summary)))

        return _complete(whole, lambda: [loop.call_soon_threadsafe(walk.stop) for walk, loop in walks])

    async def arun(self, pages: int = 0, hours: float = 0) -> AsyncGenerator[PageResult, None]:
        """Yield every step once it is safe on disk; leaving the loop early loses nothing."""
        async with self._open(pages, hours) as walk, contextlib.aclosing(walk.results()) as steps:
            async for step in steps:
                yield step

    def _open(self, pages: int, hours: float) -> contextlib.AbstractAsyncContextManager[CrawlRun]:
        config = self.save()
        budget = Budget(pages or config.crawl.pages, hours or config.crawl.hours)
        return open_crawl(self.folder, config, budget=budget, parts=self.parts)

    @property
    def pages(self) -> StoredTable:
        """The pages read so far, as rows."""
        return read_pages(self.folder)

    @property
    def links(self) -> StoredTable:
        """Every link found so far, as rows."""
        return read_links(self.folder)

    def why(self, url: str) -> Explanation:
        """Tell why an address was followed, or why not: thread, score, verdict, rule."""
        return explain(self.folder, url)

    def label(self, url: str, good: bool | None) -> None:
        """Say that a page is what you look for, or is not; None takes it back.

        It is on disk when this returns. A crawl that runs hears it within a second, otherwise it counts at
        the next run.
        """
        keep_answers(
            self.folder, meant(self.folder, [(url, good)], self.config().scope.drop_params, guess=True)
        )

    def ask(self, number: int = 10) -> list[LabelQuestion]:
        """Return the pages whose label would help most, the best first."""
        return ask(self.folder, number, keep=self.config().goal.keep)

    def records(self, *, all: bool = False) -> list[dict[str, Any]]:
        """Return the table that has grown from the example rows; with `all` also rows that are left out.

        Each row is a dictionary: its values under the names of their columns, and where it comes from.
        """
        columns, rows = read_table_rows(self.folder, all=all)
        return [as_dict(columns, row) for row in rows]

    def mark(self, row: int, word: str) -> None:
        """Say of a row of the table, by its id, that it is "right", "off-topic" or "noise"; "" takes it back.

        It is on disk when this returns. A crawl that runs hears it within a second.
        """
        try:
            keep_marks(self.folder, [(row, word_of(word))])
        except ValueError as error:
            raise ConfigError(str(error)) from None

    def summary(self) -> Summary:
        """Say where the crawl stands."""
        return summarise(self.folder, "")


def _complete(work: Callable[[], Coroutine[Any, Any, Summary]], stop: Callable[[], object]) -> Summary:
    """Run a coroutine to its end in a thread of its own, so that a running event loop is no obstacle."""
    with ThreadPoolExecutor(1, thread_name_prefix="clew") as thread:
        future = thread.submit(asyncio.run, work())
        try:
            return future.result()
        except KeyboardInterrupt:
            stop()
            return future.result()
