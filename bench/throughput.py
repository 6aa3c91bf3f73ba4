"""Pages per CPU-second of the whole program, beside Scrapy, interleaved in one run.

    python -m bench.throughput [--pages 3000] [--repeat 3] [--policy clew --policy best-first] [--write] [--json FILE]

A local nginx serves a generated site: pages of about 30 KB with 50 links over eight hosts, in two shapes,
"new" (nearly every link of every page was never seen before) and "few" (nearly every link is known).
Clew does all of its work: robots.txt, parse with main text and language, judge, rank, deduplicate, commit
with full sync, WARC. Scrapy does LinkExtractor, title and text, robots.txt, JSON lines; no archive, no
durable queue, no near-duplicates. Scrapy is installed by this bench into an environment of its own
in the cache folder (~/.cache/clew-bench).

How to read it: CPU seconds are those of all processes of a program from its start to its end (start-up
included, the web server excluded), pages are those it stored. Both programs are compiled to bytecode beforehand, as
an installed package is, and see no Python settings of the shell. The ratio is the median of the ratios of
neighbouring runs, so that a slow moment of the machine touches both. Absolute figures depend on the machine.
`--write` publishes the table in docs/lab/speed.md.
"""

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

import clew
from bench import measure, site
from bench.figures import publish
from docs.figures import Table

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
    process = [python, "-c", "import scrapy; print(scrapy.__version__)"]
    return subprocess.run(process, check=True, capture_output=True, text=True).stdout.strip()


def plain_environment() -> dict[str, str]:
    """Return the environment without settings for Python: without bytecode, loading clew takes 1 s more."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


def compile_clew() -> None:
    """Compile the modules of clew to bytecode, as an installation does."""
    folder = str(Path(clew.__file__).parent)
    subprocess.run([sys.executable, "-m", "compileall", "-q", folder], check=True, env=plain_environment())


def run_clew(
    work: Path,
    seeds: list[str],
    pages: int,
    policy: str,
    settings: Sequence[str] = (),
    *,
    program: Sequence[str] = (),
) -> dict[str, float]:
    """Crawl with the real program, or one like it, in a fresh folder; return what it stored and what it cost."""
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
    env = plain_environment()
    subprocess.run(new, check=True, stdout=subprocess.DEVNULL, env=env)
    command = [
        *(program or [measure.clew()]),
        "run",
        str(folder),
        "--pages",
        str(pages),
        "--policy",
        policy,
        "--plain",
    ]
    for setting in (
        "fetch.delay=0",
        "fetch.allow=127.0.0.0/8",
        "fetch.per_host=8",
        "fetch.concurrency=64",
        *settings,
    ):
        command += ["--set", setting]
    cost = measure.run(command, log=work / "clew.log", env=env)
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
    """Crawl with Scrapy; return what it stored and what it cost."""
    out = work / "scrapy.jsonl"
    out.unlink(missing_ok=True)
    spider = Path(__file__).with_name("scrapy_spider.py")
    command = [str(python), str(spider), ",".join(seeds), str(pages), str(out)]
    cost = measure.run(command, log=work / "scrapy.log", env=plain_environment(), cwd=work)
    if cost.code or not out.exists():
        sys.exit(f"scrapy ended with code {cost.code}:\n{(work / 'scrapy.log').read_text()[-3000:]}")
    with out.open("rb") as lines:
        kept = sum(1 for _ in lines)
    return {"pages": kept, **costs(cost)}


COSTS = ("cpu", "own", "children", "wall")
COLUMNS = (
    "links", "program", "pages per CPU-second", "times Scrapy (each run)", "CPU ms a page", "main process",
    "other processes", "pages a second",
)  # fmt: skip


def costs(cost: measure.Cost) -> dict[str, float]:
    """Return a cost as plain numbers."""
    return {"cpu": cost.cpu, "own": cost.own, "children": cost.children, "wall": cost.wall}


def per_second(run: dict[str, float]) -> float:
    """Return pages per CPU-second."""
    return run["pages"] / run["cpu"]


def rows_of(shape: str, runs: dict[str, list[dict[str, float]]]) -> list[list[str]]:
    """Return a row of the table for each program: CPU and wall time, and the ratio to Scrapy."""
    rows = []
    for name, some in runs.items():
        if not some:
            continue
        middle = {key: measure.median(run[key] / run["pages"] * 1_000 for run in some) for key in COSTS}
        ratio = ""
        if runs["scrapy"] and name != "scrapy":
            ratios = [per_second(a) / per_second(b) for a, b in zip(some, runs["scrapy"], strict=True)]
            ratio = f"{measure.median(ratios):.1f} ({', '.join(f'{each:.1f}' for each in ratios)})"
        rows.append([
            "nearly all new" if shape == "new" else "few new", name if name == "scrapy" else f"clew, {name}",
            f"{measure.median(map(per_second, some)):,.0f}", ratio,
            *(f"{middle[key]:.2f}" for key in ("cpu", "own", "children")), f"{1_000 / middle['wall']:,.0f}",
        ])  # fmt: skip
    return rows


def main() -> None:
    """Measure both shapes and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=3000, help="page budget of each run")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program and shape")
    parser.add_argument("--shape", choices=["new", "few"], action="append", help="only this shape")
    parser.add_argument("--policy", action="append", help="Clew's ranking policy; may be repeated")
    parser.add_argument("--port", type=int, default=8460, help="port of the local nginx")
    parser.add_argument("--no-scrapy", action="store_true", help="measure Clew alone")
    parser.add_argument(
        "--set", action="append", default=[], metavar="TABLE.KEY=VALUE", help="further settings for Clew"
    )
    parser.add_argument("--json", type=Path, help="write raw numbers here")
    parser.add_argument("--write", action="store_true", help="publish in docs/lab/speed.md")
    options = parser.parse_args()
    python = None if options.no_scrapy else scrapy_python()
    known = measure.facts("pycurl", "selectolax")
    if python:
        known["scrapy"] = scrapy_version(python)
    measure.print_facts(known)
    bases = site.bases(options.port)
    seeds = [f"{base}/" for base in bases]
    policies = options.policy or ["clew", "best-first"]
    compile_clew()
    rows: list[list[str]] = []
    results: dict[str, dict[str, list[dict[str, float]]]] = {}
    for shape in options.shape or ["new", "few"]:
        web, folder = site.made(shape, 2 * options.pages if shape == "new" else options.pages + 300, bases)
        runs = results[shape] = {name: [] for name in (*policies, "scrapy")}
        with (
            site.served(web, folder, options.port),
            tempfile.TemporaryDirectory(prefix="clew-bench-") as work,
        ):
            for _ in range(options.repeat):
                for policy in policies:
                    runs[policy].append(run_clew(Path(work), seeds, options.pages, policy, options.set))
                if python:
                    runs["scrapy"].append(run_scrapy(python, Path(work), seeds, options.pages))
        rows += rows_of(shape, runs)
    publish(
        {"throughput": Table(COLUMNS, tuple(map(tuple, rows)))},
        f"python -m bench.throughput --pages {options.pages} --repeat {options.repeat} --write",
        dry=not options.write, scrapy=known.get("scrapy", ""), load=known["load"],
    )  # fmt: skip
    measure.write_json(options.json, {"facts": known, "pages": options.pages, "runs": results})


if __name__ == "__main__":
    main()
