"""Measure the server of the pages: time of each page for a large crawl, and its cost beside a crawl.

    python -m bench.serve_pages --pages 1000000 [--folder DIR]

A crawl with so many pages and five links each is written by SQL; every page of the server is then asked for three
times, and the CPU seconds of the second and third are printed.
"""

import argparse
import json
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

from starlette.testclient import TestClient

from clew.config import template
from clew.store.database import open_writer
from clew.store.hashes import url_hash
from clew.web.app import make_app
from clew.web.crawls import CrawlFolders
from clew.web.server_state import ServerState

WORDS = [
    "lighthouse",
    "keeper",
    "lantern",
    "harbour",
    "beacon",
    "foghorn",
    "reef",
    "soup",
    "onion",
    "bread",
    "salt",
]
LINKS, HOSTS = 5, 2_000
ADDRESSES = {
    "crawls": "/", "overview": "/crawls/large", "pages": "/crawls/large/pages", "search": "/crawls/large/pages?q=item777",
    "common word": "/crawls/large/pages?q=lighthouse",
    "two filters": "/crawls/large/pages?relevant=yes&lang=de", "by verdict": "/crawls/large/pages?sort=verdict&offset=5000",
    "one page": "/crawls/large/pages/7", "why": "/crawls/large/why?id=7", "teach": "/crawls/large/teach",
    "links": "/crawls/large/links", "table": "/crawls/large/table", "map": "/crawls/large/map",
    "searches": "/crawls/large/searches", "export": "/crawls/large/export", "settings": "/crawls/large/settings",
    "sites": "/crawls/large/sites", "changes": "/crawls/large/changes", "since": "/crawls/large/changes?since=7d",
    "why by URL": "/crawls/large/why?url=https%3A%2F%2Fh0.example%2Fp%2F100000",
    "part of a URL": "/crawls/large/why?url=%2Fp%2F777777", "questions": "/api/v1/crawls/large/questions",
    "metrics": "/metrics", "events (state)": "/api/v1/crawls/large",
}  # fmt: skip


def write_large_crawl(folder: Path, pages: int, links: int = LINKS) -> None:
    """Write a crawl with made-up rows."""
    template.write_new(
        folder, contact="https://crawler.uni-x.org/bot", seeds=["https://h0.example/"], about="lighthouse"
    )
    (folder / "pages").mkdir(exist_ok=True)
    settings = json.dumps({"crawl": {"contact": "https://crawler.uni-x.org/bot", "pages": pages}})
    with closing(open_writer(folder, "bench")) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("BEGIN")
        db.executemany(
            "INSERT INTO hosts (id, origin) VALUES (?, ?)",
            ((n + 1, f"https://h{n}.example") for n in range(HOSTS)),
        )
        db.execute(
            "INSERT INTO runs (id, started_at, ended_at, ended, first_link, software, policy, judge, parts, settings)"
            " VALUES (1, 1e9, 2e9, 'the budget is spent', 1, 'bench', 'clew', 'auto', '[]', ?)",
            (settings,),
        )
        db.executemany(
            "INSERT INTO links (id, host, hash, kind, state, score, parent, depth, hops, tries, url, anchor) "
            "VALUES (?, ?, ?, 0, ?, ?, ?, ?, 0, 1, ?, ?)",
            (_link(n, pages) for n in range(pages * links)),
        )
        db.executemany(
            "INSERT INTO pages (id, status, error, truncated, mime, encoding, title, lang, score, verdict, relevant, why,"
            " noindex, fetched_at, seconds, bytes, address, fingerprint)"
            " VALUES (?, 200, '', 0, 'text/html', 'utf-8', ?, ?, 0.5, ?, ?, '', 0, ?, 0.1, 5000, '', ?)",
            (_page(n) for n in range(pages)),
        )
        db.executemany(
            "INSERT INTO texts (page, text) VALUES (?, ?)", ((n + 1, _text(n)) for n in range(pages))
        )
        db.execute("COMMIT")


def _link(n: int, pages: int) -> tuple[object, ...]:
    state = 1 if n < pages else n % 40 and (0 if n % 10 else 2)
    parent = n // LINKS or None
    host = n * 7919 % HOSTS + 1
    return (
        n + 1,
        host,
        url_hash(f"https://h{host - 1}.example/p/{n}"),
        state,
        n % 997 / 997,
        parent,
        3,
        f"https://h{host - 1}.example/p/{n}",
        f"link {n}",
    )


def _page(n: int) -> tuple[object, ...]:
    verdict = n * 31 % 1000 / 1000
    lang = ("en", "de", "ja", "")[n % 4]
    return (
        n + 1,
        f"{WORDS[n % 11]} number {n}",
        lang,
        verdict,
        int(verdict >= 0.5),
        1.7e9 + n,
        n * 0x9E37_79B9 % 2**62,
    )


def _text(n: int) -> str:
    return (
        " ".join(WORDS[(n * step) % 11] for step in range(1, 30))
        + (" foghorn" if n % 50 == 0 else "")
        + f" item{n}"
    )


def measure(folder: Path, addresses: dict[str, str]) -> dict[str, tuple[int, float, float]]:
    """Return status, CPU seconds and wall seconds of each address, the better of two warm calls."""
    server = ServerState(crawls=CrawlFolders([folder]))
    client = TestClient(make_app(server), base_url="http://localhost")
    for address in addresses.values():  # what is read in the background is read before anything is measured
        until = time.monotonic() + 600
        while client.get(address).status_code == 503 and time.monotonic() < until:
            time.sleep(0.5)
    while any(each.busy for each in server.remembered()):
        time.sleep(0.1)
    found = {}
    for name, address in addresses.items():
        calls = []
        for _ in range(3):
            began, cpu = time.perf_counter(), time.process_time()
            answer = client.get(address)
            calls.append((time.process_time() - cpu, time.perf_counter() - began))
        found[name] = (answer.status_code, *min(calls))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-serve-") as place:
        folder = (options.folder or Path(place)) / "large"
        if not folder.exists():
            began = time.process_time()
            write_large_crawl(folder, options.pages)
            print(f"{options.pages:,} pages written in {time.process_time() - began:.0f} CPU-s")
        (rows,) = sqlite3.connect(folder / "crawl.db").execute("SELECT count(*) FROM pages").fetchone()
        print(f"{rows:,} pages; CPU ms and wall ms of a warm call")
        for name, (status, cpu, wall) in measure(folder, ADDRESSES).items():
            print(f"{name:16} {status}  {1000 * cpu:7.1f}  {1000 * wall:7.1f}")


if __name__ == "__main__":
    main()
