"""What it costs to rerank all open links: CPU, memory, and the longest pause of a running crawl.

    python -m bench.reranking [--sizes 100000,1000000,10000000] [--hosts 1,100000] [--features 24] [--json FILE]

A frontier is filled with open links, their features in a mapped file as in a real crawl. Then, for each size and number
of hosts, in a process of its own:

*scoring*, *sorting*, *swapping*: the three steps one after another, without a crawl, in CPU seconds.
*beside*: the same while a loop takes links, ends them and adds pages of 50 new links with features as fast as it can;
wall seconds from the new weights to the last queue, and the pages processed meanwhile.
*pause*: the longest time the event loop was blocked meanwhile; *own*: the longest CPU time of its thread in one
round, which other programs on the machine do not lengthen; *usual*: the longest pause in the two seconds before.
*MB*: resident memory, and how much of it is the mapped file, which the system may reclaim at any time.

Features are drawn with the skew of words (half of them from the commonest hundredth); the table has 262,144 weights.
"""

import argparse
import asyncio
import gc
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bench import measure
from clew.frontier import Frontier
from clew.frontier.feature_rows import FeatureRows
from clew.frontier.linear_scorer import LinearScorer, make_scorer
from clew.frontier.queue import ranks_of
from clew.frontier.rerank_pass import RerankPass
from clew.types import FeatureGroup, Weights

WORDS = 1 << 18
LINKS = 50


def weights(seed: int, features: int) -> LinearScorer:
    """Return weights for three feature groups, as of a ranker of page, text and URL."""
    table = np.random.default_rng(seed).normal(0, 1, WORDS).astype(np.float32)
    table[0] = 0
    text = features // 2
    return make_scorer(Weights(table=table, groups=(
        FeatureGroup("page", 2, 0.4, -1.0), FeatureGroup("text", text, 0.4, -1.0), FeatureGroup("address", features - 2 - text, 0.2, -1.0),
    )))  # fmt: skip


def draw_features(rng: np.random.Generator, count: int, features: int) -> np.ndarray:
    """Draw features: common ones often, a third of the columns empty."""
    rows = (rng.random((count, features), np.float32) ** 6.6 * WORDS).astype(np.uint32)
    rows[:, features - features // 3 :] *= rng.random((count, features // 3), np.float32) < 0.5
    return rows


def fill_frontier(size: int, hosts: int, features: int, folder: Path, scorer: LinearScorer) -> Frontier:
    """Return a frontier of so many open links."""
    rng = np.random.default_rng(1)
    rows_file = FeatureRows(features, folder)
    rows_file.open("bench")
    rows_file.rows_below(size + 1)
    scores = np.empty(size, np.float32)
    for start in range(0, size, 1 << 16):
        rows = draw_features(rng, min(1 << 16, size - start), features)
        rows_file.append(start + 1, rows)
        scores[start : start + len(rows)] = scorer.scored_features(rows)[0]
    frontier = Frontier(delay=0.0, per_host=64)
    frontier.load(
        ids=np.arange(1, size + 1), hashes=rng.integers(0, 1 << 63, size).astype(np.uint64), scores=scores,
        open=np.ones(size, bool), origins=[f"http://h{number}.example" for number in range(hosts)],
        owners=rng.integers(0, hosts, size),
    )  # fmt: skip
    frontier.reranking.features, frontier.reranking.scorer = rows_file, scorer
    return frontier


def measure_steps(frontier: Frontier, scorer: LinearScorer) -> dict[str, float]:
    """Measure the three steps one after another."""
    service = frontier.reranking
    service.scorer, service._weights_changed = scorer, True  # noqa: SLF001 - only the bench runs single steps
    service._start_pass()  # noqa: SLF001
    rerank_pass = service._pass  # noqa: SLF001
    assert isinstance(rerank_pass, RerankPass)
    found = {}
    for name, step in (
        ("scoring", rerank_pass.rank),
        ("sorting", rerank_pass.sort),
        ("swapping", service.swap),
    ):
        began, cpu = time.perf_counter(), time.process_time()
        step()
        found[name], found[f"{name}_wall"] = time.process_time() - cpu, time.perf_counter() - began
    return found


class Crawl:
    """A loop that takes links and adds pages without end, and measures its pauses."""

    def __init__(self, frontier: Frontier, hosts: int, features: int, next_id: int) -> None:
        self.frontier, self.hosts, self.features, self.next_id = frontier, hosts, features, next_id
        self.rng, self.pages, self.longest, self.own = np.random.default_rng(2), 0, 0.0, 0.0

    async def process_pages(self) -> None:
        """Process one page after another."""
        while True:
            id = self.frontier.take(float(self.pages))
            self.frontier.done(id, float(self.pages))
            rows = draw_features(self.rng, LINKS, self.features)
            origins = [
                f"http://h{number}.example" for number in self.rng.integers(0, self.hosts, LINKS).tolist()
            ]
            self.frontier.reranking.add_features(self.next_id, rows)
            hashes = self.rng.integers(0, 1 << 63, LINKS).astype(np.uint64)
            scores = self.frontier.reranking.scorer.scored_features(rows)[0]
            self.frontier.add(self.next_id, origins, hashes, scores, np.ones(LINKS, bool))
            self.next_id += LINKS
            self.pages += 1
            await asyncio.sleep(0)

    async def watch(self) -> None:
        """Measure the time of every round of the event loop."""
        last, spent = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(0)
            now, own = time.perf_counter(), time.thread_time()
            self.longest, last = max(self.longest, now - last), now
            self.own, spent = max(self.own, own - spent), own


async def measure_during_crawl(
    frontier: Frontier, scorer: LinearScorer, hosts: int, features: int, next_id: int
) -> dict[str, float]:
    """Measure a reranking while a crawl runs."""
    service = frontier.reranking
    service.background = True
    crawl = Crawl(frontier, hosts, features, next_id)
    tasks = [asyncio.create_task(work) for work in (service.run(), crawl.process_pages(), crawl.watch())]
    await asyncio.sleep(2)
    usual, crawl.longest, crawl.own, before = crawl.longest, 0.0, 0.0, crawl.pages
    began, cpu = time.perf_counter(), time.process_time()
    service.apply_weights(scorer)
    while service.active:  # noqa: ASYNC110 - the crawl itself would not wait
        await asyncio.sleep(0.005)
    found = {
        "beside": time.perf_counter() - began, "beside_cpu": time.process_time() - cpu,
        "pages": crawl.pages - before, "pause": crawl.longest, "own": crawl.own, "usual": usual,
    }  # fmt: skip
    for task in tasks:
        task.cancel()
    return found


def memory() -> dict[str, float]:
    """Return resident memory and the part of it that is mapped from files, in MB."""
    status = dict(
        line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line
    )
    return {
        name: int(status[key].split()[0]) / 1000
        for name, key in (("resident", "VmRSS"), ("mapped", "RssFile"))
    }


def in_order(frontier: Frontier, scorer: LinearScorer, most: int) -> bool:
    """Tell whether the ranks of a sample of links agree with the weights."""
    table, features = frontier._links, frontier.reranking.features  # noqa: SLF001
    ids = np.random.default_rng(3).integers(1, table.size, most)
    ids = ids[table.ranks[ids] != 0xFFFF_FFFF]
    return bool((ranks_of(scorer.scores(features.read(ids))) == table.ranks[ids]).all())


def measured(size: int, hosts: int, features: int, folder: Path) -> dict[str, float]:
    frontier = fill_frontier(size, hosts, features, folder, weights(1, features))
    gc.collect()
    found = {"before": memory()["resident"]}
    found |= measure_steps(frontier, weights(2, features))
    found |= asyncio.run(measure_during_crawl(frontier, weights(3, features), hosts, features, size + 1))
    found |= memory()
    assert in_order(frontier, weights(3, features), 100_000), "every link has the rank its features give"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="100000,1000000,10000000", help="open links, separated by commas")
    parser.add_argument("--hosts", default="1,100000", help="hosts they are spread over, separated by commas")
    parser.add_argument("--features", type=int, default=24, help="features of a link")
    parser.add_argument("--json", type=Path, help="write raw numbers here")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        size, hosts = (int(number) for number in options.one.split(","))
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measured(size, hosts, options.features, Path(folder) / "derived")))
        return
    known = measure.facts("numpy")
    measure.print_facts(known)
    rows, runs = [], {}
    for size in (int(number) for number in options.sizes.split(",")):
        for hosts in (int(number) for number in options.hosts.split(",")):
            command = [
                sys.executable,
                "-m",
                "bench.reranking",
                "--one",
                f"{size},{hosts}",
                "--features",
                str(options.features),
            ]
            run = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            runs[f"{size} links, {hosts} hosts"] = run
            rows.append([
                f"{size:,}", f"{hosts:,}", *(f"{run[name]:.2f}" for name in ("scoring", "sorting", "swapping", "beside")),
                f"{run['pages']:,}", f"{1000 * run['pause']:.0f}", f"{1000 * run['own']:.0f}", f"{1000 * run['usual']:.0f}",
                f"{run['resident']:.0f}", f"{run['mapped']:.0f}",
            ])  # fmt: skip
    heads = [
        "open links",
        "hosts",
        "scoring CPU s",
        "sorting",
        "swapping",
        "beside s",
        "pages",
        "pause ms",
        "of it own",
        "usual ms",
    ]
    print(measure.table([*heads, "MB", "of it mapped"], rows))
    measure.write_json(options.json, {"facts": known, "runs": runs})


if __name__ == "__main__":
    main()
