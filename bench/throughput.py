"""Pages per CPU-second of the whole program, beside Scrapy, interleaved in one run.

    python -m bench.throughput [--pages 3000] [--repeat 3] [--policy best-first] [--json FILE]

A local nginx serves a generated site: pages of about 30 KB with 50 links over eight hosts, in two shapes,
"new" (nearly every link of every page was never seen before) and "few" (nearly every link is known).
Clew does all of its work: robots.txt, parse with main text and language, judge, rank, deduplicate, commit
with full sync, WARC. Scrapy does LinkExtractor, title and text, robots.txt, JSON lines; no archive, no
durable queue, no near-duplicates. Scrapy is installed by this bench into an environment of its own
in the cache folder (~/.cache/clew-bench).

How to read it: CPU seconds are those of all processes of a program from its start to its end (start-up
included, the web server excluded), pages are those it kept. The ratio is the median of the ratios of
neighbouring runs, so that a slow moment of the machine touches both. Absolute figures depend on the machine.
"""

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from bench import measure, site

CONTACT = "https://github.com/clew-crawler/clew"


def scrapy_python() -> Path:
    """Return a Python that has Scrapy; the environment is made on first use."""
    folder = measure.cache_folder() / "scrapy"
    python = folder / "bin" / "python"
    if not (folder / "whole").exists():
        print(f"installing Scrapy into {folder} …", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "scrapy"], check=True, stderr=subprocess.DEVNULL
        )
        (folder / "whole").touch()
    return python


def scrapy_version(python: Path) -> str:
    """Return which Scrapy is measured."""
    asked = [python, "-c", "import scrapy; print(scrapy.__version__)"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def run_clew(work: Path, seeds: list[str], pages: int, policy: str, settings: list[str]) -> dict[str, float]:
    """Crawl with the real program in a fresh folder; return what it kept and what it cost."""
    folder = work / "clew"
    shutil.rmtree(folder, ignore_errors=True)
    new = [
        measure.clew(),
        "new",
        str(folder),
        "--about",
        "research guides and news",
        "--contact",
        CONTACT,
        "--no-check",
    ]
    for seed in seeds:
        new += ["--seed", seed]
    subprocess.run(new, check=True, stdout=subprocess.DEVNULL)
    command = [measure.clew(), "run", str(folder), "--pages", str(pages), "--policy", policy, "--plain"]
    for setting in (
        "fetch.delay=0",
        "fetch.allow=127.0.0.0/8",
        "fetch.per_host=8",
        "fetch.concurrency=64",
        *settings,
    ):
        command += ["--set", setting]
    cost = measure.run(command, log=work / "clew.log")
    if cost.code:
        sys.exit(f"clew ended with code {cost.code}:\n{(work / 'clew.log').read_text()[-3000:]}")
    database = sqlite3.connect(f"file:{folder}/crawl.db?mode=ro", uri=True)
    with database:
        (kept,) = database.execute(
            "SELECT count(*) FROM fetched WHERE kind = 'page' AND status = 200"
        ).fetchone()
        (links,) = database.execute("SELECT count(*) FROM links").fetchone()
    database.close()
    archive = sum(file.stat().st_size for file in (folder / "pages").glob("*.warc.gz"))
    return {"pages": kept, "links": links, "archive": archive, **costs(cost)}


def run_scrapy(python: Path, work: Path, seeds: list[str], pages: int) -> dict[str, float]:
    """Crawl with Scrapy; return what it kept and what it cost."""
    out = work / "scrapy.jsonl"
    out.unlink(missing_ok=True)
    spider = Path(__file__).with_name("scrapy_spider.py")
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    command = [str(python), str(spider), ",".join(seeds), str(pages), str(out)]
    cost = measure.run(command, log=work / "scrapy.log", env=env, cwd=work)
    if cost.code or not out.exists():
        sys.exit(f"scrapy ended with code {cost.code}:\n{(work / 'scrapy.log').read_text()[-3000:]}")
    with out.open("rb") as lines:
        kept = sum(1 for _ in lines)
    return {"pages": kept, **costs(cost)}


def costs(cost: measure.Cost) -> dict[str, float]:
    """Return a cost as plain numbers."""
    return {"cpu": cost.cpu, "own": cost.own, "children": cost.children, "wall": cost.wall}


def per_second(run: dict[str, float]) -> float:
    """Return pages per CPU-second."""
    return run["pages"] / run["cpu"]


def show(shape: str, runs: dict[str, list[dict[str, float]]]) -> None:
    """Print one shape: both programs, the ratio, and where Clew's time went."""
    rows = []
    for name, some in runs.items():
        if some:
            middle = {key: measure.median(run[key] for run in some) for key in some[0]}
            rows.append([
                name, f"{middle['pages']:,.0f}", f"{measure.median(map(per_second, some)):,.0f}",
                f"{1000 * middle['cpu'] / middle['pages']:.2f}", f"{middle['cpu']:.1f}", f"{middle['wall']:.1f}",
                f"{middle['pages'] / middle['wall']:,.0f}",
            ])  # fmt: skip
    what = "nearly all links new" if shape == "new" else "few links new"
    print(f"{what}:")
    print(measure.table(["", "pages", "pages/CPU-s", "CPU ms/page", "CPU s", "wall s", "pages/s"], rows))
    clew = runs["clew"]
    own = measure.median(run["own"] / run["pages"] for run in clew) * 1000
    children = measure.median(run["children"] / run["pages"] for run in clew) * 1000
    print(f"clew: main process {own:.2f} ms a page, parse workers {children:.2f} ms a page")
    if runs["scrapy"]:
        ratios = [per_second(a) / per_second(b) for a, b in zip(clew, runs["scrapy"], strict=True)]
        print(f"ratio: {measure.median(ratios):.1f} times Scrapy ({', '.join(f'{r:.1f}' for r in ratios)})")
    print()


def main() -> None:
    """Measure both shapes and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=3000, help="page budget of each run")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program and shape")
    parser.add_argument("--shape", choices=["new", "few"], action="append", help="only this shape")
    parser.add_argument("--policy", default="best-first", help="Clew's ranking policy")
    parser.add_argument("--port", type=int, default=8460, help="port of the local nginx")
    parser.add_argument("--no-scrapy", action="store_true", help="measure Clew alone")
    parser.add_argument(
        "--set", action="append", default=[], metavar="TABLE.KEY=VALUE", help="further settings for Clew"
    )
    parser.add_argument("--json", type=Path, help="write raw numbers here")
    options = parser.parse_args()
    python = None if options.no_scrapy else scrapy_python()
    known = measure.facts("pycurl", "selectolax", "resiliparse")
    if python:
        known["scrapy"] = scrapy_version(python)
    measure.say_facts(known)
    bases = site.bases(options.port)
    seeds = [f"{base}/" for base in bases]
    results: dict[str, dict[str, list[dict[str, float]]]] = {}
    for shape in options.shape or ["new", "few"]:
        web, folder = site.made(shape, 2 * options.pages if shape == "new" else options.pages + 300, bases)
        runs = results[shape] = {"clew": [], "scrapy": []}
        with (
            site.served(web, folder, options.port),
            tempfile.TemporaryDirectory(prefix="clew-bench-") as work,
        ):
            for _ in range(options.repeat):
                runs["clew"].append(run_clew(Path(work), seeds, options.pages, options.policy, options.set))
                if python:
                    runs["scrapy"].append(run_scrapy(python, Path(work), seeds, options.pages))
        show(shape, runs)
    measure.write_json(
        options.json, {"facts": known, "pages": options.pages, "policy": options.policy, "runs": results}
    )


if __name__ == "__main__":
    main()
