"""Kill a crawl on a Ray cluster of this machine twenty times, and judge it by the server's log and the export.

    python -m bench.cluster_kills [--apart --pages 4000]

Three nodes, three shards, about 1,700 synthetic pages. Prints for each kind of kill the longest time until every
shard asked its hosts again; with --apart, no other kill falls into that time.
"""

import argparse
import shutil
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from tests.scale.conftest import PostgresServer, programs
from tests.scale.ray_crawl import RayCrawl
from tests.scale.ray_kit import RayNodes
from tests.scale.test_kill import judge
from tests.scale.tree_web import TreeWeb, serving

KILLS = (
    "shard", "parser", "shard", "shard", "postgres", "shard", "parser", "shard", "driver", "shard", "parser",
    "shard", "node", "shard", "postgres", "parser", "driver", "shard", "node", "cluster",
)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=1700)
    parser.add_argument("--hosts", type=int, default=6)
    parser.add_argument("--apart", action="store_true", help="kill only when every shard works again")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="clew-kills-"))
    nodes, postgres = RayNodes(head_cpus=1), PostgresServer(programs())
    try:
        postgres.start()
        for node in range(3):
            nodes.start(node)
        with serving(TreeWeb(pages=options.pages, hosts=options.hosts, latency=0.02, growing=True)) as web:
            run(options, base, web, nodes, postgres)
    finally:
        nodes.close()
        postgres.stop()
        shutil.rmtree(postgres.base, ignore_errors=True)
        shutil.rmtree(base, ignore_errors=True)


def run(options, base, web, nodes, postgres):
    crawl = RayCrawl(
        base / "tree", web, nodes=nodes, postgres=postgres, address=postgres.address, seed=options.seed
    )
    kinds, began = [], time.monotonic()
    crawl.drive()
    for what in KILLS:
        crawl.wait_pages(10)
        crawl.kill(what)
        if options.apart:
            crawl.wait_all()
        kinds += [what] * (len(crawl.kills) - len(kinds))
        print(f"{time.monotonic() - began:6.1f} s  {what} killed after {len(web.log):,} requests", flush=True)
    web.finish()
    crawl.finish(600)
    judge(crawl.folder, web, crawl.kills)
    longest = defaultdict(float)
    for what, silence in zip(kinds, crawl.silences(), strict=True):
        longest[what] = max(longest[what], silence)
    again = sum(count - 1 for count in web.requests().values())
    pages = len(web.urls)
    print(f"{pages:,} pages of {pages:,}, each stored once, {again} asked again, "
          f"smallest gap {min(web.gaps().values()):.2f} s, {time.monotonic() - began:.0f} s in all")  # fmt: skip
    for what, silence in sorted(longest.items()):
        print(f"{what:>9}: every shard asked again after {silence:.1f} s at most")


if __name__ == "__main__":
    main()
