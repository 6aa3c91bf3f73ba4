"""Measure what dividing a crawl costs: CPU a page and pages a second of whole crawls, by the number of shards.

    python -m bench.shard_cost [--shards 1,2,4,8] [--pages 1000] [--latency 0.2] [--repeat 3] [--out FILE.csv]

A synthetic web is served on loopback by a process of its own. CPU is user and system time of all processes of a crawl,
without that of a crawl of one page: what starting the processes takes is `start`. Other work on the machine makes CPU
times longer, never shorter: crawls are repeated in turn, and the least of each number counts.
"""

import argparse
import csv
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from clew.lab.synthetic import serving
from clew.lab.synthetic.web import Web

HEADS = ("shards", "pages", "CPU ms a page", "start CPU s", "seconds", "pages a second")


def crawl(folder, proxy, seeds, shards, pages):
    """Run a crawl; return its CPU seconds and its seconds."""
    folder.mkdir(parents=True)
    (folder / "clew.toml").write_text(
        f"""[crawl]
contact = "https://crawler.uni-x.org/bot"
seeds = {seeds!r}
[goal]
about = "lighthouse"
[fetch]
proxy = "{proxy}"
delay = 0
focus = 0
[parse]
workers = 1
[store]
min_free = 0
"""
    )
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [
        sys.executable,
        "-m",
        "clew",
        "run",
        str(folder),
        "--pages",
        str(pages),
        "--shards",
        str(shards),
        "--plain",
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shards", default="1,2,4,8")
    parser.add_argument("--pages", default=1_000, type=int)
    parser.add_argument("--latency", default=0.2, type=float)
    parser.add_argument("--repeat", default=3, type=int)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    web = Web(5_000, seed=1)
    seeds = list(web.seeds("lighthouses"))
    with (
        tempfile.TemporaryDirectory() as place,
        serving(web, process=True, latency=asked.latency) as proxy,
        asked.out.open("w", encoding="utf-8", newline="") if asked.out else sys.stdout as file,
    ):
        sheet = csv.writer(file, lineterminator="\n")
        sheet.writerow(HEADS)
        numbers = [int(number) for number in asked.shards.split(",")]
        found = defaultdict(list)
        for turn in range(asked.repeat):
            for shards in numbers:
                for pages in (1, asked.pages):
                    folder = Path(place) / f"{turn}-{shards}-{pages}"
                    found[shards, pages].append(crawl(folder, proxy, seeds, shards, pages))
                    print(shards, pages, *found[shards, pages][-1], file=sys.stderr)
                    shutil.rmtree(folder)
        for shards in numbers:
            (start, short), (cpu, seconds) = (
                [min(column) for column in zip(*found[shards, pages], strict=True)]
                for pages in (1, asked.pages)
            )
            rate = asked.pages / max(0.001, seconds - short)
            sheet.writerow((shards, asked.pages, round(1000 * (cpu - start) / asked.pages, 2), round(start, 1),
                            round(seconds, 1), round(rate, 1)))  # fmt: skip


if __name__ == "__main__":
    main()
