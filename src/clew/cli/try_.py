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
from clew.cli.sparklines import bar, curve
from clew.cli.terminal import can_paint
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.explain import explain
from clew.lab.synthetic import SyntheticTask, Web, WebTruth, serving

PAGES = 20_000
"""Pages of the synthetic web: too many to read them all, few enough that one run finds its way."""

CONTACT = "https://github.com/clew-crawler/clew"
WIDE = 32


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
    relevant ones by the ground truth of the web, which the crawler cannot see.
    """
    registry.find("ranker", policy)
    made = Web(PAGES, seed=web)
    asked, truth = made.task(topic), WebTruth(made)
    hidden = truth.count(asked)
    screen.say(
        f"a synthetic web of {made.pages:,} pages on {len(made.home_urls()):,} hosts; "
        "nothing leaves this computer"
    )
    screen.say(f'looking for: "{asked.words}" ({hidden} relevant pages on {topic}), fetching {pages:,} pages')
    with _folder(keep) as folder, serving(made, process=True, lively=True) as proxy:
        settings = {"fetch.proxy": proxy, "fetch.delay": 0, "fetch.per_host": 2, "store.min_free": 0}
        crawls = {
            name: Crawl(
                place, asked.words, made.seeds(topic), CONTACT,
                settings={"rank.policy": name, "crawl.pages": pages, **settings},
            )
            for name, place in (("breadth", folder / "breadth-first"), (policy, folder / topic))
        }  # fmt: skip
        began = time.perf_counter()
        screen.say(f"fetching {pages:,} pages breadth-first, for comparison …")
        crawls["breadth"].run()
        spent = {"breadth": time.perf_counter() - began}
        began = time.perf_counter()
        if code := _watch(crawls[policy], plain=plain):
            raise typer.Exit(code)
        spent[policy] = time.perf_counter() - began
        screen.say("")
        found = {name: _found(crawl, truth, asked) for name, crawl in crawls.items()}
        _compare(found, spent, hidden, pages)
        marked = crawls[policy].summary().relevant
        screen.say(f"  the keyword judge marked {marked:,} pages relevant")
        _show_why(crawls[policy], truth, asked)
        _next(keep and folder / topic)


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="clew-try-") as place:
            yield Path(place)
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


def _found(crawl: Crawl, truth: WebTruth, asked: SyntheticTask) -> list[bool]:
    """Return for each page, in the order of fetching, whether it is relevant."""
    read = crawl.pages.sql("SELECT url FROM fetched WHERE kind = 'page' AND status = 200 ORDER BY fetched_at")
    return [truth.is_relevant(row["url"], asked) for row in read]


def _compare(found: dict[str, list[bool]], spent: dict[str, float], hidden: int, pages: int) -> None:
    """Print the relevant pages of each policy, with a curve over time."""
    most = max(sum(marks) for marks in found.values()) or 1
    screen.say(f"relevant pages among {pages:,} fetched (the web has {hidden}):")
    for name, marks in found.items():
        label = "breadth-first" if name == "breadth" else name
        done, _ = bar(sum(marks) / most, WIDE)
        grown = [sum(marks[: at + 1]) / most for at in range(0, len(marks), max(1, len(marks) // 24))]
        drawn = f"{done:<{WIDE}}  {curve(grown, 24):<24}"
        screen.say(f"  {label:>14} {sum(marks):5,}  {drawn} {spent[name]:4.1f} s")
    screen.say("  both measured just now, from the same seeds; the curves show relevant pages over time")


def _show_why(crawl: Crawl, truth: WebTruth, asked: SyntheticTask) -> None:
    """Explain one relevant page, the one with the longest crawl path."""
    order = "relevant DESC, url LIKE '%?%', depth DESC, id"  # rather the page than its print version
    query = f"SELECT url FROM fetched WHERE kind = 'page' ORDER BY {order}"  # noqa: S608 - words of ours
    best = next((row["url"] for row in crawl.pages.sql(query) if truth.is_relevant(row["url"], asked)), "")
    if best:
        screen.say("\nwhy it was fetched (clew why explains any URL):")
        wide = get_terminal_size().columns if sys.stdout.isatty() else 0
        for line in explain(crawl.folder, best).lines():
            screen.say(f"  {line}" if not wide or len(line) < wide - 2 else f"  {line[: wide - 4]}…")


def _next(kept: Path | None) -> None:
    """Print the next commands, as this program can be called here."""
    here = Path(sys.argv[0])
    clew = "clew" if which("clew") or here.name != "clew" else printable(os.path.relpath(here))
    steps = {f"{clew} try --keep my-try": "keep the crawl, to explore it"}
    if kept:
        steps = {
            f"{clew} why {printable(str(kept))} URL": "explain any URL of this crawl, fetched or not",
            f"{clew} export {printable(str(kept))} "
            "pages.jsonl": "what was found; also .csv .parquet .warc.gz",
        }
    steps[f"{clew} new my-crawl"] = "create a crawl of your own"
    width = max(map(len, steps))
    screen.say("\nnext:")
    for command, why in steps.items():
        screen.say(f"  {command:<{width}}  {why}")
