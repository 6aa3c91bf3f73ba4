"""What a large frontier costs: per page, per link in memory and on disk, and to start again.

    python -m bench.frontier_scale [--sizes 1000,10000,100000,1000000] [--pages 2000] [--hosts 200] [--json FILE]

The real engine (frontier, rules, judge, ranker, traps) and the real store, built as in a crawl, are filled with open
links page by page. Then pages are processed: links are taken, pages come back, every 64 pages are committed. Only the
network and the parser are left out; the pages are generated here, outside the measured time.

Columns, in CPU µs a page: *all new*: the 50 links of each page are new; *few new*: one is new, the others are
known as on real sites: half of them in menus (one of 500 popular URLs), the rest recent (one of the last 5,000),
one in ten anywhere; *random*: one is new, 49 are taken at random from all known URLs, the worst case for every
cache. Bodies are small (1 KB), so that a constant cost of archiving cannot hide growth.
*flat* is the cost divided by that of the smallest size.
*bytes/link* is resident memory beyond that of an empty crawl; *disk/link* the size of crawl.db.

*first request*: the real program is started on the filled folder against a local server; seconds from its start to
its first request, and its resident memory at that moment.
"""

import argparse
import asyncio
import gc
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench import measure
from clew import urls
from clew.builder import open_crawl
from clew.config import Config, build
from clew.engine.engine import Engine
from clew.types import Kind, Link, Links, Page, Response

CONTACT = "https://github.com/clew-crawler/clew"
LINKS = 50
BATCH = 64
POPULAR = 500
RECENT = 5_000
BODY = b"<p>" + b"A page of a synthetic host. " * 40
TOPIC = "tidal power turbines"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(BODY)
MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"


class Web:
    """An endless web: returns a page for every link, and remembers the URLs it has linked to."""

    def __init__(self, hosts: int, port: int) -> None:
        self.origins = [f"http://127.{1 + host // 250}.0.{1 + host % 250}:{port}" for host in range(hosts)]
        self.rng = random.Random(1)
        self.url_count = 0

    def url(self, number: int) -> str:
        """Return the URL with this number; four levels, so that no directory is large enough to look like a trap."""
        return f"{self.origins[number * 7919 % len(self.origins)]}/s{number // 4000}/t{number // 200 % 20}/page-{number}.html"

    def known(self, worst: bool) -> int:
        """Return the number of a URL that was linked to before."""
        kind = 1.0 if worst else self.rng.random()
        if kind < 0.5:
            return self.rng.randrange(min(POPULAR, self.url_count))
        if kind < 0.9:
            return self.rng.randrange(max(0, self.url_count - RECENT), self.url_count)
        return self.rng.randrange(self.url_count)

    def page(self, link: Link, fresh: int, *, worst: bool = False) -> Page:
        """Return the page of a link, with `fresh` links to new URLs."""
        now = time.time()
        if link.kind is Kind.ROBOTS:
            return Page(response=Response(link=link, started=now, ended=now, status=404, head=MISSING))
        numbers = list({self.known(worst) for _ in range(LINKS - fresh)}) if self.url_count else []
        numbers += range(self.url_count, self.url_count + fresh)
        self.url_count += fresh
        addresses = [self.url(number) for number in numbers]
        links = Links(
            urls=addresses,
            origins=[urls.origin(url) for url in addresses],
            hashes=np.array([urls.fingerprint(url) for url in addresses], np.uint64),
            anchors=[f"about page {number}" for number in numbers],
            contexts=["some words in front of the link and some words behind it, as on most pages"]
            * len(numbers),
            paths=["body/main/article/p/a"] * len(numbers),
            rels=[""] * len(numbers),
            positions=np.linspace(0, 1, len(numbers), dtype=np.float32),
            kinds=[Kind.PAGE] * len(numbers),
        )
        words = " ".join(self.rng.choice(_WORDS) for _ in range(120))
        return Page(
            response=Response(link=link, started=now, ended=now, status=200, head=HEAD, body=BODY),
            mime="text/html", encoding="utf-8", title=f"A page {link.id}", text=words, lang="en",
            links=links, fingerprint=self.rng.getrandbits(64),
        )  # fmt: skip


_WORDS = (
    "tidal power turbine sea current grid permit harbour study cost cable coast bird fish law plan " * 2
).split()


def config(port: int) -> Config:
    """Return the configuration both for the engine measured here and for the real program."""
    return build({
        "crawl": {"contact": CONTACT, "seeds": [f"http://127.1.0.1:{port}/"]},
        "goal": {"about": TOPIC},
        "scope": {"depth": 100_000},
        "fetch": {"delay": 0, "per_host": 8, "concurrency": BATCH, "allow": ["127.0.0.0/8"]},
        "parse": {"workers": 1},
    }, "bench")  # fmt: skip


async def process_pages(
    engine: Engine, web: Web, pages: int, fresh: int, *, worst: bool = False
) -> tuple[float, int]:
    """Process so many pages; return the CPU seconds of engine and store, and the number of pages."""
    spent, done = 0.0, 0
    while done < pages:
        began = time.process_time()
        links = []
        while len(links) < BATCH and (link := engine.next_link()):
            links.append(link)
        spent += time.process_time() - began
        if not links:
            return spent, done
        fetched = [web.page(link, fresh, worst=worst) for link in links]
        began = time.process_time()
        for page in fetched:
            engine.process_page(page)
        await engine.store.commit()
        spent += time.process_time() - began
        done += sum(link.kind is Kind.PAGE for link in links)
    return spent, done


async def measure_size(folder: Path, size: int, pages: int, hosts: int, port: int) -> dict[str, float]:
    """Fill one crawl to `size` open links and measure it."""
    web = Web(hosts, port)
    async with open_crawl(folder, config(port)) as crawl:
        engine = crawl.engine
        await process_pages(engine, web, 1, LINKS)
        empty = resident()
        while engine.frontier.open < size:
            lacking = size - engine.frontier.open
            await process_pages(
                engine, web, 1, LINKS if lacking > BATCH * LINKS else max(2, lacking // BATCH)
            )
        used = resident()
        filled = engine.frontier.open
        few, few_pages = await process_pages(engine, web, pages, 1)
        worst, worst_pages = await process_pages(engine, web, pages, 1, worst=True)
        new, new_pages = await process_pages(engine, web, min(pages, 400), LINKS)
        links = engine.intake.next_id - 1
    return {
        "open": filled,
        "few": few / few_pages,
        "random": worst / worst_pages,
        "new": new / new_pages,
        "memory": (used - empty) / filled,
        "disk": (folder / "crawl.db").stat().st_size / links,
        "links": links,
    }


def resident(pid: int | str = "self") -> int:
    """Return the resident memory of a process in bytes."""
    gc.collect()
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def listen_for_request(port: int) -> Iterator[threading.Event]:
    """Listen on every loopback address; set an event at the first request."""
    requested = threading.Event()
    with socket.create_server(("0.0.0.0", port), backlog=256) as listener:
        threading.Thread(target=_respond, args=(listener, requested), daemon=True).start()
        try:
            yield requested
        finally:
            listener.shutdown(socket.SHUT_RDWR)  # wakes the thread; closing alone would leave it listening


def _respond(listener: socket.socket, requested: threading.Event) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            if connection.recv(65_536):
                requested.set()
            connection.sendall(MISSING.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))


def resumed(folder: Path, port: int) -> dict[str, float]:
    """Start the real program on a filled folder; return seconds to its first request, and its memory then."""
    table = config(port)
    (folder / "clew.toml").write_text(
        f'[crawl]\ncontact = "{CONTACT}"\nseeds = ["{table.crawl.seeds[0]}"]\n[goal]\nabout = "{TOPIC}"\n'
        '[scope]\ndepth = 100000\n[fetch]\ndelay = 0\nper_host = 8\nallow = ["127.0.0.0/8"]\n'
    )
    with listen_for_request(port) as requested, (folder / "run.log").open("wb") as log:
        began = time.perf_counter()
        process = subprocess.Popen([measure.clew(), "run", str(folder), "--plain"], stdout=log, stderr=log)
        try:
            while not requested.wait(0.01):
                if process.poll() is not None:
                    sys.exit(f"clew ended before its first request:\n{(folder / 'run.log').read_text()}")
            seconds = time.perf_counter() - began
            memory = resident(process.pid)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait()
    return {"resume": seconds, "resident": memory / 1e6}


def one(size: int, options: argparse.Namespace) -> dict[str, float]:
    """Measure one size in a fresh process, so that memory of the last one does not count."""
    with tempfile.TemporaryDirectory(prefix="clew-scale-", dir=options.folder) as work:
        command = [sys.executable, "-m", "bench.frontier_scale", "--one", str(size), "--work", work]
        command += ["--pages", str(options.pages), "--hosts", str(options.hosts), "--port", str(options.port)]
        process = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(process.stdout.splitlines()[-1]) | resumed(Path(work) / "crawl", options.port)


def main() -> None:
    """Measure every size, each `--repeat` times in turn, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes", default="1000,10000,100000,1000000", help="open links, separated by commas"
    )
    parser.add_argument("--pages", type=int, default=2000, help="pages processed at each size")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each size, interleaved")
    parser.add_argument("--hosts", type=int, default=200, help="hosts the links are spread over")
    parser.add_argument("--port", type=int, default=8470, help="port of the local server")
    parser.add_argument("--folder", type=Path, help="where to put the crawls (default: the temporary folder)")
    parser.add_argument("--json", type=Path, help="write raw numbers here")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        folder = options.work / "crawl"
        print(
            json.dumps(
                asyncio.run(measure_size(folder, options.one, options.pages, options.hosts, options.port))
            )
        )
        return
    known = measure.facts("numpy")
    measure.print_facts(known)
    sizes = [int(size) for size in options.sizes.split(",")]
    runs: dict[int, list[dict[str, float]]] = {size: [] for size in sizes}
    for _ in range(options.repeat):
        for size in sizes:
            runs[size].append(one(size, options))
    rows, first = [], {}
    for size, some in runs.items():
        middle = {key: measure.median(run[key] for run in some) for key in some[0]}
        first = first or middle
        row = [f"{size:,}"]
        for kind in ("new", "few", "random"):
            row += [f"{1e6 * middle[kind]:.0f}", f"{middle[kind] / first[kind]:.2f}"]
        row += [
            f"{middle['memory']:.0f}"
            if size >= 100_000
            else "–",  # below that, the noise of the interpreter dominates
            f"{middle['disk']:.0f}",
            f"{middle['resume']:.2f}",
            f"{middle['resident']:.0f}",
        ]
        rows.append(row)
    heads = ["all new µs", "flat", "few new µs", "flat", "random µs", "flat"]
    print(
        measure.table(["open links", *heads, "bytes/link", "disk/link", "first request s", "MB then"], rows)
    )
    measure.write_json(options.json, {"facts": known, "hosts": options.hosts, "runs": runs})


if __name__ == "__main__":
    main()
