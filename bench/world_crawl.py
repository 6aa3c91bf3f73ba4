"""Crawl an archived web through a replay proxy, and compare what was fetched with what the archive holds.

    python -m bench.world_crawl WORLD --serve PATH/serve.py [--keep FOLDER] [--json FILE]
    python -m bench.world_crawl WORLD --proxy http://127.0.0.1:8080

WORLD is a folder with a WARC file of responses (`*.warc`, `.warc.gz` or `.warc.xz`) and `seeds.txt`. The proxy answers
every host of the archive from it and everything else with 404; `serve.py WORLD --port 0 --ready FILE` is
expected to write its port into FILE once it listens. The real program crawls through `fetch.proxy`, delay 0,
robots.txt obeyed, without a page limit, and must end by itself.

How to read it: *found* are addresses the archive answers with 200 that the crawl stored with 200. *Missing* ones are
listed with what the crawl's own table of links says about them. *Respelled* ones were found under another spelling:
links on the pages write %2F for a slash or leave escapes out, and the proxy answers those too, so the
archive's spelling is never asked for. *Extra* ones are addresses stored with 200 that the archive does not hold.
"""

import argparse
import gzip
import lzma
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from bench import measure
from clew.urls import Canon

CONTACT = "https://github.com/clew-crawler/clew"
SHOWN = 20


def archived(world: Path) -> Iterator[tuple[str, int]]:
    """Give address and status of every response in a world's archive."""
    files = [file for file in sorted(world.iterdir()) if ".warc" in file.name]
    if any(file.suffix != ".xz" for file in files):
        files = [file for file in files if file.suffix != ".xz"]
    if not files:
        sys.exit(f"{world} holds no WARC file")
    for file in files:
        opener = {".gz": gzip.open, ".xz": lzma.open}.get(file.suffix, open)
        with opener(file, "rb") as stream:
            yield from _responses(stream)  # type: ignore[arg-type]


def _responses(stream: BinaryIO) -> Iterator[tuple[str, int]]:
    while line := stream.readline():
        if not line.startswith(b"WARC/"):
            continue
        head = {}
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            head[name.strip().lower()] = value.strip()
        block = stream.read(int(head[b"content-length"]))
        if head.get(b"warc-type") == b"response":
            url = head[b"warc-target-uri"].decode("utf-8", "replace").strip("<>")
            yield url, int(block.split(None, 2)[1])


@dataclass(frozen=True, slots=True)
class Truth:
    """What an archive holds: pages and redirects by canonical address."""

    pages: set[str]
    redirects: set[str]
    shared: int
    """Responses whose canonical address is that of another one."""


def truth(world: Path) -> Truth:
    """Return the pages and the redirects of a world."""
    canon = Canon()
    pages: set[str] = set()
    redirects: set[str] = set()
    total = 0
    for url, status in archived(world):
        plain = (
            "http:" + url.removeprefix("https:") if url.startswith("https:") else url
        )  # a proxy has no TLS
        kind = pages if status == 200 else redirects if 300 <= status < 400 else None
        if kind is not None:
            total += 1
            kind.add(canon(plain) or plain)
    return Truth(pages, redirects - pages, total - len(pages | redirects))


@contextmanager
def proxied(world: Path, serve: Path, work: Path) -> Iterator[str]:
    """Run the replay proxy on a free port."""
    ready = work / "ready"
    command = [
        sys.executable,
        str(serve),
        str(world),
        "--port",
        "0",
        "--ready",
        str(ready),
        "--log",
        str(work / "log.jsonl"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 120
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > end:
                sys.exit(f"{serve} did not begin to answer")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{ready.read_text().strip()}"
    finally:
        process.terminate()
        process.wait()


def crawl(world: Path, folder: Path, proxy: str, settings: list[str]) -> measure.Cost:
    """Crawl the whole world with the real program."""
    seeds = [
        line.split()[0] for line in (world / "seeds.txt").read_text("utf-8").splitlines() if line.strip()
    ]
    new = [measure.clew(), "new", str(folder), "--contact", CONTACT, "--no-check"]
    for seed in seeds:
        new += ["--seed", "http:" + seed.removeprefix("https:") if seed.startswith("https:") else seed]
    subprocess.run(new, check=True, stdout=subprocess.DEVNULL)
    command = [measure.clew(), "run", str(folder), "--plain"]
    for setting in (f"fetch.proxy={proxy}", "fetch.delay=0", "fetch.per_host=8", *settings):
        command += ["--set", setting]
    cost = measure.run(command, log=folder / "run.log")
    lines = (folder / "run.log").read_text("utf-8", "replace").splitlines()
    ended = [line for line in lines if " read, " in line]
    print(f"{' '.join(ended[-1:])} (exit code {cost.code})\n")
    return cost


@dataclass(frozen=True, slots=True)
class Result:
    """How a crawl compares with the archive."""

    found: int
    respelled: int
    redirects: int
    missing: dict[str, str]
    unfollowed: dict[str, str]
    extra: list[str]
    statuses: dict[int, int]
    refused: list[tuple[str, int]]


def compared(folder: Path, known: Truth) -> Result:
    """Compare what the crawl stored with what there is; explain what is missing from its own tables."""
    database = sqlite3.connect(f"file:{folder}/crawl.db?mode=ro", uri=True)
    stored = dict(database.execute("SELECT url, status FROM fetched WHERE kind = 'page'"))
    states = {
        url: (state, reason)
        for url, state, reason in database.execute("SELECT url, state, reason FROM links_readable")
    }
    database.close()
    read = {url for url, status in stored.items() if status == 200}
    moved = {url for url, status in stored.items() if 300 <= status < 400}
    spellings = {unquote(url) for url in read}
    respelled = {url for url in known.pages - read if unquote(url) in spellings}
    archived_spellings = {unquote(url) for url in known.pages}

    def why(urls: set[str]) -> dict[str, str]:
        told = {}
        for url in sorted(urls):
            state, reason = states.get(url, ("never found", ""))
            told[url] = f"{state}, status {stored.get(url, 'none')}: {reason or 'no reason given'}"
        return told

    return Result(
        found=len(known.pages & read),
        respelled=len(respelled),
        redirects=len(known.redirects & moved),
        missing=why(known.pages - read - respelled),
        unfollowed=why(known.redirects - moved),
        extra=sorted(url for url in read - known.pages if unquote(url) not in archived_spellings),
        statuses=dict(Counter(stored.values())),
        refused=Counter(reason for state, reason in states.values() if state == "refused").most_common(10),
    )


def show(known: Truth, result: Result, cost: measure.Cost) -> None:
    """Print the comparison."""
    statuses = result.statuses
    answers = sum(statuses.values())
    rows = [
        ["pages (200)", f"{len(known.pages):,}", f"{result.found + result.respelled:,}"],
        ["  of these respelled", "", result.respelled],
        ["  missing", "", len(result.missing)],
        ["redirects", f"{len(known.redirects):,}", f"{result.redirects:,}"],
        ["extra pages", "", len(result.extra)],
        ["answers in all", "", f"{answers:,}"],
    ]
    print(measure.table(["", "archive", "crawl"], rows))
    if known.shared:
        print(f"{known.shared} responses share the canonical address of another one and count once")
    print(
        f"{cost.cpu:.1f} CPU s, {cost.wall:.1f} s, {1000 * cost.cpu / max(1, answers):.2f} CPU ms an answer"
    )
    for title, lines in (
        ("missing", [f"{url}: {why}" for url, why in result.missing.items()]),
        ("redirects not met", [f"{url}: {why}" for url, why in result.unfollowed.items()]),
        ("extra", result.extra),
        ("refused most often", [f"{count:,} links: {rule}" for rule, count in result.refused]),
    ):
        if lines:
            print(f"{title}:")
            print("\n".join(f"  {line}" for line in lines[:SHOWN]))
        if len(lines) > SHOWN:
            print(f"  … and {len(lines) - SHOWN} more")


def main() -> None:
    """Crawl one world and say whether everything in it was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("world", type=Path)
    parser.add_argument("--serve", type=Path, help="the program that answers for the world")
    parser.add_argument("--proxy", default="", help="or a proxy that already does")
    parser.add_argument(
        "--set", action="append", default=[], metavar="TABLE.KEY=VALUE", help="further settings for Clew"
    )
    parser.add_argument("--keep", type=Path, help="keep the crawl in this folder")
    parser.add_argument("--json", type=Path, help="write raw numbers here")
    options = parser.parse_args()
    if not options.serve and not options.proxy:
        parser.error("say who answers for the world: --serve PATH or --proxy URL")
    known = measure.facts()
    measure.print_facts(known)
    there = truth(options.world)
    with tempfile.TemporaryDirectory(prefix="clew-world-") as work:
        folder = options.keep or Path(work) / "crawl"
        if options.keep:
            shutil.rmtree(folder, ignore_errors=True)
        if options.proxy:
            cost = crawl(options.world, folder, options.proxy, options.set)
        else:
            with proxied(options.world, options.serve, Path(work)) as proxy:
                cost = crawl(options.world, folder, proxy, options.set)
        result = compared(folder, there)
    show(there, result, cost)
    world = {"name": options.world.name, "pages": len(there.pages), "redirects": len(there.redirects)}
    measure.write_json(
        options.json, {"facts": known, "world": world, "result": asdict(result), "cost": asdict(cost)}
    )
    sys.exit(1 if result.missing or cost.code else 0)


if __name__ == "__main__":
    main()
