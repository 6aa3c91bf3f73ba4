"""Memory of the engine by pages read: what grows with a crawl beside its open links.

    python -m bench.page_memory [--pages 100000] [--policy clew] [--objects] [--write]

An endless web of small pages (some 150 words of a large vocabulary, twelve links, one or two of them new, 200 hosts) is
parsed and goes through the real engine and the real store, built as in a crawl. After every tenth of the pages
the resident memory of the process is noted, with the number of open links. *bytes a page* is the growth since the
line before, divided by the pages of that step. `--objects` names what holds the memory that came in the second half
(tracemalloc; this makes the run several times slower).
"""

import argparse
import asyncio
import random
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

from bench import measure
from bench.figures import publish
from bench.frontier_scale import BATCH, CONTACT, resident
from bench.site import Words
from clew.builder import open_crawl
from clew.config import Config, build
from clew.engine.engine import Engine
from clew.parse import read
from clew.types import Kind, Link, Page, Response
from clew.urls import Canon
from docs.figures import Table

HOSTS = 200
STEPS = 10
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n"


class SmallPages:
    """An endless web of small pages over many hosts; every page follows from its number."""

    def __init__(self) -> None:
        self.words = Words(random.Random("small pages"))
        self.canon = Canon()

    def url(self, number: int) -> str:
        """Return the URL of a page, in folders of at most a hundred pages."""
        name = "-".join(random.Random(number).sample(self.words.all, 2))
        return f"http://site{number % HOSTS}.example/s{number // 40_000}/t{number // 400 % 100}/{name}-{number}.html"

    def html(self, number: int) -> str:
        """Return a page with links to two pages further out and to ten that every crawl soon knows."""
        dice = random.Random(f"page {number}")
        topic = dice.randrange(len(self.words.topics))
        targets = [2 * number + 1, 2 * number + 2, *(dice.randrange(2 * HOSTS) for _ in range(10))]
        links = "".join(
            f'<li><a href="{self.url(target)}">{" ".join(self.words.sentence(dice, topic)[:4])}</a></li>'
            for target in targets
        )
        text = "".join(f"<p>{' '.join(self.words.sentence(dice, topic))}.</p>" for _ in range(10))
        title = " ".join(self.words.sentence(dice, topic)[:6])
        return (
            f"<html lang=en><title>{title}</title><main><h1>{title}</h1>{text}</main><ul>{links}</ul></html>"
        )

    def page(self, link: Link) -> Page:
        """Return the parsed page of a link; there is no robots.txt."""
        now = time.time()
        if link.kind is not Kind.PAGE:
            return Page(response=Response(link=link, started=now, ended=now, status=404, head=MISSING))
        number = int(link.url.removesuffix(".html").rpartition("-")[2])
        body = self.html(number).encode()
        response = Response(link=link, started=now, ended=now, status=200, head=HEAD, body=body)
        return read(response, canon=self.canon, max_bytes=1_000_000)


def config(policy: str, seed: str) -> Config:
    """Return the configuration of the crawl."""
    return build({
        "crawl": {"contact": CONTACT, "seeds": [seed]},
        "goal": {"about": "research guides and news"},
        "rank": {"policy": policy},
        "fetch": {"delay": 0, "per_host": 8, "concurrency": BATCH},
        "parse": {"workers": 1},
    }, "bench")  # fmt: skip


async def crawl_pages(engine: Engine, web: SmallPages, pages: int) -> AsyncIterator[int]:
    """Take so many pages through the engine; yield how many there were after each commit."""
    done = 0
    while done < pages:
        links: list[Link] = []
        while len(links) < BATCH and (link := engine.next_link()):
            links.append(link)
        for link in links:
            engine.process_page(web.page(link))
        await engine.store.commit()
        done += sum(link.kind is Kind.PAGE for link in links)
        yield done


async def measured(folder: Path, options: argparse.Namespace) -> list[list[str]]:
    """Crawl; return the rows of the table, and print what holds the memory if asked."""
    web = SmallPages()
    rows: list[list[str]] = []
    before = None
    async with open_crawl(folder, config(options.policy, web.url(0))) as crawl:
        engine = crawl.engine
        step = options.pages // STEPS
        last, memory = 0, resident()
        async for done in crawl_pages(engine, web, options.pages):
            if done < last + step:
                continue
            now = resident()
            open_links = engine.frontier.open
            rows.append(
                [f"{done:,}", f"{open_links:,}", f"{now / 1e6:.0f}", f"{(now - memory) / (done - last):,.0f}"]
            )
            print(" ".join(rows[-1]), flush=True)
            last, memory = done, now
            if options.objects and before is None and done >= options.pages // 2:
                tracemalloc.start(12)
                before = tracemalloc.take_snapshot()
        if before is not None:
            for change in tracemalloc.take_snapshot().compare_to(before, "traceback")[:25]:
                print(f"{change.size_diff / 1e3:,.0f} KB", *change.traceback.format(5)[-6:], sep="\n  ")
    return rows


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100_000, help="pages to read")
    parser.add_argument("--policy", default="clew", help="ranking policy")
    parser.add_argument("--objects", action="store_true", help="name what holds the memory")
    parser.add_argument("--write", action="store_true", help="publish in docs/lab/speed.md")
    options = parser.parse_args()
    measure.print_facts(measure.facts("numpy"))
    with tempfile.TemporaryDirectory(prefix="clew-memory-") as work:
        rows = asyncio.run(measured(Path(work) / "crawl", options))
    columns = ("pages read", "open links", "resident MB", "bytes a page")
    print(measure.table(list(columns), rows))
    if options.write:
        command = f"python -m bench.page_memory --pages {options.pages} --policy {options.policy}"
        publish({"page-memory": Table(columns, tuple(map(tuple, rows)))}, command)


if __name__ == "__main__":
    main()
