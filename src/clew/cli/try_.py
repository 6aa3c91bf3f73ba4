"""`clew try`: crawl a synthetic web and compare the result with breadth-first."""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size, which
from typing import Annotated

import typer

from clew import registry
from clew.api import Crawl
from clew.cli import screen, signals
from clew.cli.arguments import Policy
from clew.cli.live import LiveScreen
from clew.cli.terminal import can_paint
from clew.cli.text_cells import cut
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.explain import Explanation, explain
from clew.insight.sparklines import bar, curve
from clew.lab.synthetic import SyntheticTask, Web, WebTruth, serving
from clew.lab.world import SYNTHETIC, open_world
from clew.lab.world_search import fill_index
from clew.registry import capabilities
from clew.search import Index

PAGES = 20_000
"""Pages of the synthetic web: too many to fetch all, few enough for a short run."""

INDEXED = 0.3
"""Share of the synthetic web that a search engine has indexed."""

CONTACT = "https://github.com/clew-crawler/clew"
BAR_WIDTH, CURVE = 32, 24
"""Cells of the longest bar, if the terminal is wide enough, and of a curve."""


def try_(
    topic: Annotated[str, typer.Option(help="The topic: lighthouses, bread, chess …")] = "lighthouses",
    pages: Annotated[int, typer.Option(min=50, max=10_000, help="Page budget of each policy.")] = 1500,
    policy: Policy = "clew",
    web: Annotated[int, typer.Option(min=1, help="Random seed of the synthetic web.")] = 1,
    keep: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep the crawl in this folder.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of the live screen.")] = False,
) -> None:
    """Run a demonstration on a synthetic web on this computer, offline.

    Fetches the same number of pages from the same seeds, breadth-first and with a policy, and counts the
    relevant ones by the ground truth of the web, which the crawler cannot see. A policy that learns its words
    from a search engine, such as reseed, gets one that has indexed three pages in ten.

    Example: clew try --topic chess
    """
    synthetic = Web(PAGES, seed=web)
    task, truth = synthetic.task(topic), WebTruth(synthetic)
    relevant = truth.count(task)
    screen.echo_folded(
        f"a synthetic web of {synthetic.pages:,} pages on {len(synthetic.home_urls()):,} hosts; "
        "nothing leaves this computer",
        2,
    )
    screen.echo_folded(f"looking for {topic}, described as: {task.words} ({relevant} relevant pages)", 2)
    with _folder(keep) as folder, serving(synthetic, process=True, lively=True) as proxy:
        settings = {"fetch.proxy": proxy, "fetch.delay": 0, "fetch.per_host": 2, "store.min_free": 0}
        searching = _search_settings(policy, web, folder)
        crawls = {
            name: Crawl(
                crawl_dir, task.words, synthetic.seeds(topic), CONTACT,
                settings={
                    "rank.policy": name, "crawl.pages": pages, **settings,
                    **(searching if name == policy else {}),
                },
            )
            for name, crawl_dir in (("breadth", folder / "breadth-first"), (policy, folder / topic))
        }  # fmt: skip
        began = time.perf_counter()
        screen.echo_folded(f"fetching {pages:,} pages breadth-first, for comparison …", 2)
        crawls["breadth"].run(progress=sys.stderr.isatty())
        seconds = {"breadth": time.perf_counter() - began}
        began = time.perf_counter()
        if code := _watch(crawls[policy], plain=plain):
            raise typer.Exit(code)
        seconds[policy] = time.perf_counter() - began
        found = {name: _found(crawl, truth, task) for name, crawl in crawls.items()}
        _show_why(crawls[policy], truth, task)
        _next(keep and folder / topic, policy)
        if keep:
            port = proxy.rpartition(":")[2]
            served = f"python -m clew.lab.synthetic --seed {web} --lively --port {port}"
            screen.echo_folded(f"  to crawl further, first serve its web again: {served}", 4)
        _compare(found, seconds, relevant, pages)
        if searching:
            screen.echo_folded(f"  {policy} also started from the results of its search engine", 2)
        marked = crawls[policy].summary().relevant
        screen.echo_folded(f"  its judge marked {screen.many(marked, 'page')} relevant", 2)


def _search_settings(policy: str, web: int, folder: Path) -> dict[str, object]:
    """Index a part of the web for a policy that needs a search engine; return the settings that use it."""
    if not capabilities.of_ranker(registry.make("ranker", policy)).topic_terms:
        return {}
    path = folder / "search.db"
    screen.echo_folded(f"indexing {INDEXED:.0%} of the web, as a search engine for {policy} …", 2)
    index = Index(path)
    fill_index(index, open_world(f"{SYNTHETIC}:{PAGES}:{web}"), share=INDEXED)
    index.close()
    return {"seek.search": [f"local={path.resolve()}"], "seek.reseed": True}


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="clew-try-") as temporary:
            yield Path(temporary)
        return
    if keep.exists() and any(keep.iterdir()):
        msg = f"{keep} is not empty; choose a folder that does not exist yet"
        raise ConfigError(msg)
    keep.mkdir(parents=True, exist_ok=True)
    yield keep


def _watch(crawl: Crawl, *, plain: bool) -> int:
    """Run a crawl with the screen of `clew run`."""
    config = crawl.save()
    quiet = plain or not can_paint()
    view = screen.LineView(crawl.folder, config) if quiet else LiveScreen(crawl.folder, config)
    return asyncio.run(signals.run(crawl.folder, config, view, brief=True))


def _found(crawl: Crawl, truth: WebTruth, task: SyntheticTask) -> list[bool]:
    """Return for each page, in the order of fetching, whether it is relevant."""
    read = crawl.pages.sql("SELECT url FROM fetched WHERE kind = 'page' AND status = 200 ORDER BY fetched_at")
    return [truth.is_relevant(row["url"], task) for row in read]


def _compare(found: dict[str, list[bool]], seconds: dict[str, float], relevant: int, pages: int) -> None:
    """Print the relevant pages of each policy, with a curve over time."""
    most = max(sum(marks) for marks in found.values()) or 1
    screen.echo(f"\nrelevant pages among {pages:,} fetched (the web has {relevant}):")
    labels = {name: "breadth-first" if name == "breadth" else name for name in found}
    widest = max(map(len, labels.values()))
    width = min(BAR_WIDTH, max(8, get_terminal_size((100, 24)).columns - widest - CURVE - 22))
    for name, marks in found.items():
        done, _ = bar(sum(marks) / most, width)
        shares = [sum(marks[: at + 1]) / most for at in range(0, len(marks), max(1, len(marks) // CURVE))]
        drawn = f"{done:<{width}}  {curve(shares, CURVE):<{CURVE}}"
        screen.echo(f"  {labels[name]:>{widest}} {sum(marks):5,}  {drawn} {seconds[name]:5.1f} s")
    screen.echo_folded("  both measured just now, from the same seeds; the curves show pages over time", 2)


def _show_why(crawl: Crawl, truth: WebTruth, task: SyntheticTask) -> None:
    """Explain one relevant page, the one with the longest crawl path, in three lines."""
    order = "relevant DESC, url LIKE '%?%', depth DESC, id"  # prefer the page to its print version
    query = f"SELECT url FROM fetched WHERE kind = 'page' ORDER BY {order}"  # noqa: S608 - no user input
    best = next((row["url"] for row in crawl.pages.sql(query) if truth.is_relevant(row["url"], task)), "")
    if best:
        screen.echo("\none of the pages found, and why (clew why explains any URL in full):")
        width = get_terminal_size((100, 24)).columns - 1
        for line in _card(explain(crawl.folder, best)):
            screen.echo(cut(f"  {printable(line)}", width))


def _card(why: Explanation) -> list[str]:
    """Return the page, the way to it and its strongest reason, one line each."""
    steps, ranking = len(why.path) - 1, why.ranking
    if ranking is None:  # a result of a search
        return [why.url, "one of the pages it started from", f"verdict {why.page.verdict or 0:.2f}"]
    terms = [term for part, _ in ranking.parts for term in ranking.terms.get(part, ())]
    words = [f"«{term}»" for term, weight in sorted(terms, key=lambda each: -each[1]) if weight > 0][:4]
    parts = sorted(ranking.parts, key=lambda part: -part[1])
    reasons = ", ".join(words) or (parts[0][0] if parts else "its rank")
    last = f"“{why.link.anchor}”" if why.link.anchor.strip() else "a link without text"
    return [
        why.url,
        f"reached in {screen.many(steps, 'step')} from a seed, the last by the link {last}",
        f"verdict {why.page.verdict or 0:.2f}; score of the link {ranking.score:.2f} for {reasons}",
    ]


def _next(folder: Path | None, policy: str) -> None:
    """Print the next commands, as this program can be called here."""
    here = Path(sys.argv[0])
    clew = "clew" if which("clew") or here.name != "clew" else printable(os.path.relpath(here))
    own = "" if policy == "clew" else f" --policy {policy}"
    steps = {f"{clew} try{own} --keep my-try": "keep the crawl, to explore it"}
    if folder:
        steps = {
            f"{clew} open {printable(str(folder))}": "look at it in the browser",
            f"{clew} why {printable(str(folder))} URL": "explain any URL, fetched or not",
            f"{clew} export {printable(str(folder))} pages.jsonl": "also .csv .parquet .warc.gz",
        }
    steps[f"{clew} new my-crawl"] = "create a crawl of your own"
    width, columns = max(map(len, steps)), get_terminal_size((100, 24)).columns
    screen.echo("\nnext:")
    for command, why in steps.items():
        line = f"  {command:<{width}}  {why}"
        screen.echo(line if len(line) < columns else f"  {command}")
