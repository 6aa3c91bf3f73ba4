"""Measure what dividing a crawl costs: CPU a page and pages a second of whole crawls, by the number of shards.

    python -m bench.shard_cost [--shards 1,2,4,8] [--pages 1000] [--latency 0.2] [--out FILE.csv]

A synthetic web is served on loopback by a process of its own. CPU is user and system time of all processes of a crawl,
without that of a crawl of one page: what starting the processes takes is `start`.
"""

import argparse
import csv
import resource
import subprocess
import sys
import tempfile
import time
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
        for shards in map(int, asked.shards.split(",")):
            start, short = crawl(Path(place) / f"{shards}-start", proxy, seeds, shards, 1)
            cpu, seconds = crawl(Path(place) / str(shards), proxy, seeds, shards, asked.pages)
            rate = asked.pages / max(0.001, seconds - short)
            sheet.writerow((shards, asked.pages, round(1000 * (cpu - start) / asked.pages, 2), round(start, 1),
                            round(seconds, 1), round(rate, 1)))  # fmt: skip
            file.flush()


if __name__ == "__main__":
    main()
