"""Measure the synthetic web at scale, and crawl it with Clew: breadth-first, best-first, and an oracle that knows the truth.

    python -m bench.synthetic_scale [--size 1000000] [--pages 3000] [--topics lighthouses bread …] [--json FILE]

First the generator by itself: seconds until the first page, memory it takes, pages per CPU second made in process
and served over sockets (client and server are different processes; only the server's CPU counts). Then crawls of the
same web through its proxy, `fetch.delay` 0: how many relevant pages each policy read, by the truth, and what was refused
as a trap, which should be nothing, because this web has no traps. The oracle scores a link by what it leads to: 1 for a relevant page, less
for lists of the topic and for pages near it. It is greedy, so it is no upper bound, but no crawler has its knowledge.
"""

import argparse
import http.client
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

import clew
from bench import measure
from clew.lab.synthetic import SyntheticTask, Web, WebTruth, serving
from clew.types import Links, Outcome, Scores

CONTACT = "https://github.com/clew-crawler/clew"
QUIET = {"fetch.delay": 0, "fetch.per_host": 4, "store.min_free": 0}
_LEADS = {"list": 0.8, "hub": 0.7, "home": 0.4}


class Oracle:
    """Score links by the truth about their targets."""

    def __init__(self, truth: WebTruth, task: SyntheticTask) -> None:
        self.truth = truth
        self.task = task

    def score(self, source: Outcome, links: Links) -> Scores:  # noqa: ARG002 - the truth needs no page
        return np.array([self._value(url) for url in links.urls], np.float32)

    def _value(self, url: str) -> float:
        grade = self.truth.grade(url, self.task)
        if grade >= 2:
            return 1.0
        truth = self.truth.page_truth(url)
        if truth is None:
            return 0.0
        if truth.topic == self.task.topic and truth.lang == self.task.lang:
            return _LEADS.get(truth.kind, 0.3)
        return 0.2 if grade else 0.1 if truth.lang == self.task.lang else 0.02

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: everything is known."""


def begin(size: int) -> dict[str, float]:
    """Measure start and memory in a fresh process."""
    program = (
        "import time, resource; t = time.perf_counter(); import clew.lab.synthetic as m; i = time.perf_counter();"
        "b = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        f"w = m.Web({size}); u = w.seeds('lighthouses', 1)[0]; w.respond(u); f = time.perf_counter();"
        "a = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; n = sum(m.WebTruth(w).counts().values());"
        "print(i - t, f - i, (a - b) / 1024, time.perf_counter() - f)"
    )
    out = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    names = ("import s", "first page s", "memory MiB", "counting all topics s")
    return dict(zip(names, map(float, out.split()), strict=True))


def speed(web: Web, count: int) -> dict[str, float]:
    """Measure pages per CPU second, in process and over sockets."""
    truth = WebTruth(web)
    figures = {}
    for name, urls in (("even", truth.sample(count)), ("crawl", breadth_first_urls(web, count))):
        began, size = time.process_time(), 0
        for url in urls:
            size += len(web.respond(url).body)
        figures[f"in process, {name} pages/s"] = len(urls) / (time.process_time() - began)
        figures[f"bytes a page, {name}"] = size / len(urls)
    return figures


def breadth_first_urls(web: Web, count: int) -> list[str]:
    """Return URLs in breadth-first order from some seeds."""
    import re  # noqa: PLC0415 - a regular expression is enough here

    found = dict.fromkeys(web.seeds("lighthouses", 5))
    queue = list(found)
    while queue and len(found) < count:
        url = queue.pop(0)
        base = url.split("/", 3)[2]
        for to in re.findall(rb'href="([^"#]+)"', web.respond(url).body):
            full = to.decode("latin-1")
            full = f"http://{base}{full}" if full.startswith("/") else full
            if full.startswith("http://") and full not in found:
                found[full] = None
                queue.append(full)
    return list(found)[:count]


def over_sockets(web: Web, count: int) -> dict[str, float]:
    """Fetch pages over one keep-alive connection; count the server's CPU."""
    urls = breadth_first_urls(web, count)
    before = {int(p) for p in _children()}
    with serving(web, process=True) as proxy:
        (pid,) = {int(p) for p in _children()} - before
        connection = http.client.HTTPConnection(proxy.removeprefix("http://"))
        began, used = time.perf_counter(), measure.process_seconds(pid)
        for url in urls:
            connection.request("GET", url)
            connection.getresponse().read()
        wall, cpu = time.perf_counter() - began, measure.process_seconds(pid) - used
        connection.close()
    return {
        "over sockets pages/s of server CPU": len(urls) / cpu,
        "over sockets pages/s wall": len(urls) / wall,
    }


def _children() -> list[str]:
    return Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()


def race(web: Web, topic: str, pages: int) -> list[list[object]]:
    """Crawl with three policies and count what is relevant."""
    truth, task = WebTruth(web), web.task(topic)
    rows = []
    with serving(web, process=True) as proxy:
        for policy in ("breadth", "best-first", "oracle"):
            with tempfile.TemporaryDirectory(prefix="clew-madeup-") as folder:
                began = time.perf_counter()
                crawl = clew.Crawl(
                    Path(folder) / "crawl",
                    about=task.words,
                    seeds=web.seeds(topic, 5),
                    contact=CONTACT,
                    settings={**QUIET, "fetch.proxy": proxy}
                    | ({} if policy == "oracle" else {"rank.policy": policy}),
                    ranker=Oracle(truth, task) if policy == "oracle" else None,
                )
                crawl.run(pages=pages)
                read = list(crawl.pages.sql("SELECT url, status FROM fetched WHERE kind = 'page'"))
                refused = Counter(
                    (row["reason"] or "").partition(":")[0]
                    for row in crawl.pages.sql("SELECT reason FROM links_readable WHERE state = 'refused'")
                )
            found = sum(truth.is_relevant(row["url"], task) for row in read if row["status"] == 200)
            rows.append(
                [topic, policy, len(read), found, f"{100 * found / max(1, len(read)):.1f} %", f"{100 * truth.count(task) / web.pages:.2f} %",
                 refused["traps"], f"{time.perf_counter() - began:.0f}"]
            )  # fmt: skip
            print(*rows[-1], file=sys.stderr)
    return rows


def main() -> None:
    """Measure, crawl and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--pages", type=int, default=3_000, help="pages of each crawl; 0 leaves the crawls out"
    )
    parser.add_argument("--topics", nargs="*", default=["lighthouses", "bread", "census", "violins"])
    parser.add_argument(
        "--many", type=int, default=5_000, help="pages generated to measure speed; 0 leaves it out"
    )
    parser.add_argument("--json", type=Path, help="write raw numbers here")
    options = parser.parse_args()
    known = measure.facts()
    measure.print_facts(known)
    web = Web(options.size, options.seed)
    figures = begin(options.size) | {"pages": float(web.pages), "hosts": float(len(web.graph.names))}
    if options.many:
        figures |= speed(web, options.many) | over_sockets(web, options.many)
    print(
        measure.table(
            ["generator", ""],
            [[name, f"{value:,.2f}" if value < 10 else f"{value:,.0f}"] for name, value in figures.items()],
        )
    )
    rows = [row for topic in options.topics if options.pages for row in race(web, topic, options.pages)]
    if rows:
        print(measure.table(["topic", "policy", "read", "relevant", "harvest", "base", "traps", "s"], rows))
    measure.write_json(options.json, {"facts": known, "figures": figures, "race": rows})
    print(f"largest resident set here: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


if __name__ == "__main__":
    main()
