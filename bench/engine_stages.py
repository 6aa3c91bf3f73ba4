"""CPU of the engine by stage: parsed pages go through judge, ranker, trap guard and frontier, without network and disk.

    python -m bench.engine_stages [--policy clew] [--pages 1500] [--write]

The pages are those of `bench.throughput` (about 28 KB, 50 links, 40 of them new), parsed beforehand. Each stage counts
its own time, without that of stages within it; "rest" is the engine's own. Figures are also given as a ratio to a fixed
pure-Python loop measured in the same process, because absolute ones depend on the machine.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from bench import measure, site
from bench.figures import publish, stacked
from bench.reference import loop_seconds
from clew.builder import add_seeds, build_engine
from clew.config import Config
from clew.engine.clock import Clock
from clew.engine.engine import Engine
from clew.engine.evaluation import Evaluation
from clew.engine.intake import Intake
from clew.engine.parts import make_parts
from clew.engine.scoring import Scoring
from clew.frontier import Frontier, TrapGuard
from clew.lab.memory_store import MemoryStore
from clew.parse import read
from clew.types import Kind, Link, Page, Response
from clew.urls import Canon
from docs.figures import Table

STAGES: tuple[tuple[str, type, str], ...] = (
    ("judge", Evaluation, "evaluate"),
    ("features and scores", Scoring, "scores"),
    ("learn", Scoring, "learn"),
    ("rerank", Scoring, "refresh_weights"),
    ("traps: learn", TrapGuard, "learn"),
    ("traps: refuse", TrapGuard, "refusal"),
    ("intake", Intake, "found"),
    ("frontier: add", Frontier, "add"),
    ("frontier: take", Frontier, "take"),
    ("frontier: find", Frontier, "find_ids"),
    ("frontier: raise", Frontier, "raise_scores"),
    ("memory store", MemoryStore, "add"),
)
WARM_UP = 300
"""Pages that are not counted: the judge collects its background, caches fill."""

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"


@dataclass
class Stopwatch:
    """CPU seconds by stage, each without the stages within it."""

    spent: dict[str, float] = field(default_factory=dict)
    _open: list[float] = field(default_factory=list)

    def wrap(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same and counts its time."""

        def timed(*args: Any, **named: Any) -> Any:
            began = time.process_time()
            self._open.append(0.0)
            try:
                return work(*args, **named)
            finally:
                total = time.process_time() - began
                self.spent[name] = self.spent.get(name, 0.0) + total - self._open.pop()
                if self._open:
                    self._open[-1] += total

        return timed


class Pages:
    """The generated site, parsed when a page is first taken; the time of parsing is not counted."""

    def __init__(self) -> None:
        self.bases = site.bases(8460)
        self.site = site.Site("new", 4_000, self.bases)
        self.canon = Canon()
        self.parsing = 0.0

    def page(self, link: Link) -> Page:
        """Return the page of a link."""
        began = time.process_time()
        name = link.url.rpartition("/")[2]
        if link.kind is Kind.ROBOTS or not name.endswith(".html"):
            body = b"<html lang=en><title>front</title><p>Front page." if link.kind is Kind.PAGE else b""
            number = self.bases.index(link.origin) if link.url.count("/") == 3 and not name else -1
        else:
            body, number = b"", int(name.removesuffix(".html").rpartition("-")[2])
        if number >= 0:
            body = self.site.html(number).encode()
        response = Response(link=link, started=0, ended=0, status=200, head=HEAD, body=body)
        page = read(response, canon=self.canon, max_bytes=8_000_000)
        self.parsing += time.process_time() - began
        return page


def new_engine(policy: str, pages: Pages) -> Engine:
    """Return an engine with the default judge and the seeds of the generated site."""
    seeds = [f"{base}/" for base in pages.bases]
    config = Config.model_validate({
        "goal": {"about": "research guides and news"}, "rank": {"policy": policy},
        "fetch": {"delay": 0, "robots": False}, "crawl": {"seeds": seeds, "contact": "https://github.com/clew-crawler/clew"},
    })  # fmt: skip
    engine = build_engine(config, MemoryStore(), Clock(), make_parts(config), seeds=seeds)
    add_seeds(engine, seeds)
    return engine


def ratios(policy: str, *, part: int = 100) -> Iterator[float]:
    """Yield the CPU time of a page in the engine as a ratio to the loop of reference, after each part of the pages.

    Page and loop take turns, so that what slows the machine down slows both; the least ratio so far counts.
    """
    pages = Pages()
    engine = new_engine(policy, pages)
    least = float("inf")
    for number in count():
        spent = looped = 0.0
        for _ in range(part if number else WARM_UP):
            began = time.process_time()
            link = engine.next_link()
            spent += time.process_time() - began
            assert link is not None, "the generated site has no end"
            page = pages.page(link)
            looped += loop_seconds()
            began = time.process_time()
            engine.process_page(page)
            spent += time.process_time() - began
        if number:
            least = min(least, spent / looped)
            yield least


def crawl(policy: str, amount: int) -> tuple[dict[str, float], float]:
    """Take pages through an engine; return CPU seconds by stage, and those of one loop of reference."""
    pages, watch = Pages(), Stopwatch()
    engine = new_engine(policy, pages)
    before = [(owner, name, getattr(owner, name)) for _, owner, name in STAGES]
    for (label, owner, name), (_, _, work) in zip(STAGES, before, strict=True):
        setattr(owner, name, watch.wrap(label, work))
    loops, read_pages = [], 0
    try:
        while read_pages < amount + WARM_UP and (link := timed_next(engine, watch)) is not None:
            page = pages.page(link)
            watch.wrap("rest", engine.process_page)(page)
            read_pages += 1
            if read_pages == WARM_UP:
                watch.spent.clear()
            if read_pages % 50 == 0:
                loops.append(loop_seconds())
    finally:
        for owner, name, work in before:
            setattr(owner, name, work)
    return {name: spent / (read_pages - WARM_UP) for name, spent in watch.spent.items()}, min(loops)


def timed_next(engine: Any, watch: Stopwatch) -> Link | None:
    """Return the next link; the time counts for the stage "next link"."""
    link: Link | None = watch.wrap("next link", engine.next_link)()
    return link


def table_of(policy: str, spent: dict[str, float], loop: float) -> Table:
    """Return µs a page, the ratio to the loop and the share of each stage, the most expensive first."""
    total = sum(spent.values())
    stages = [*sorted(spent.items(), key=lambda item: -item[1]), ("all", total)]
    rows = [
        (policy, name, f"{seconds * 1e6:,.0f}", f"{seconds / loop:.3f}", f"{seconds / total:.0%}")
        for name, seconds in stages
    ]
    return Table(("policy", "stage", "µs a page", "of the loop", "share"), tuple(rows))


def main() -> None:
    """Measure and print a table, or publish it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policy", action="append", help="clew and best-first unless given; may be repeated")
    parser.add_argument("--pages", type=int, default=1_500)
    parser.add_argument("--write", action="store_true", help="publish in docs/lab/speed.md")
    options = parser.parse_args()
    tables = [
        table_of(policy, *crawl(policy, options.pages)) for policy in options.policy or ("clew", "best-first")
    ]
    command = f"python -m bench.engine_stages --pages {options.pages} --write"
    publish({"engine-stages": stacked(tables)}, command, dry=not options.write, load=measure.facts()["load"])


if __name__ == "__main__":
    main()
