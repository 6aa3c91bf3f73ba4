"""`clew search`: ask a search engine, to see whether it is set up well and what it would bring."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import screen
from clew.cli.arguments import home
from clew.config.tables import SeekTable
from clew.contracts import SearchAnswer, SearchEngine
from clew.domain.text import printable
from clew.errors import NothingFetched
from clew.search import KINDS, open_engine, open_engines, query_engines

_INDENT = "     "


def _engines(incomplete: str) -> list[str]:
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def search(
    engine: Annotated[
        str,
        typer.Argument(
            metavar="ENGINE",
            help='"brave", "searxng=URL", … or the folder of a crawl.',
            autocompletion=_engines,
        ),
    ],
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="The query, in words.")],
    count: Annotated[int, typer.Option("--count", min=1, max=1000, help="Maximum number of results.")] = 10,
    lang: Annotated[str, typer.Option("--lang", metavar="CODE", help="Language, e.g. ja or de.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Query a search engine, to check its setup and see its results.

    ENGINE is a name as in seek.search: searxng=URL, brave, mojeek, kagi, marginalia, commoncrawl,
    opensearch=URL, file=FILE, local=DIR. Keys come from the environment: CLEW_BRAVE_KEY and so on. For
    the folder of a crawl, the engines of its clew.toml are queried; if it names none, the stored pages of
    the crawl are searched. Only the index of those pages is stored. Exit code 4 if no engine responds.
    """
    started = time.monotonic()
    words = " ".join(query)
    names, answer = asyncio.run(_ask(engine, words, count, lang))
    seconds = time.monotonic() - started
    if as_json:
        sys.stdout.write(_as_json(names, words, answer) + "\n")
        sys.stdout.flush()
    else:
        _show(names, words, answer, seconds)
    if answer.error and not answer.results:
        raise NothingFetched(answer.error)
    if answer.error:
        screen.complain(answer.error)


async def _ask(name: str, query: str, count: int, lang: str) -> tuple[str, SearchAnswer]:
    engines = _opened(name)
    try:
        return ", ".join(each.name for each in engines), await query_engines(engines, query, count, lang)
    finally:
        for each in engines:
            await each.aclose()


def _opened(name: str) -> list[SearchEngine]:
    """Open what a person named: an engine, or those of a crawl."""
    folder = home(Path(name))
    if "=" not in name and name.lower() not in KINDS and folder.is_dir():
        if (folder / "clew.toml").exists():
            table = configuration.load(folder / "clew.toml").seek
            if table.search:
                return open_engines(table, folder)
        return [open_engine(f"local={folder}", SeekTable(), Path())]
    return [open_engine(name, SeekTable(), Path())]


def _show(names: str, query: str, answer: SearchAnswer, seconds: float) -> None:
    found = len(answer.results)
    if found or not answer.error:
        of = f" of {answer.total:,}" if answer.total is not None and answer.total > found else ""
        what = f'{found:,}{of} result{"s" * (found != 1)} for "{printable(query, 60)}"'
        screen.say(f"{printable(names)}: {what} ({seconds:.1f} s)")
    for each in answer.results:
        screen.say(f"{each.rank:>3}  {printable(each.title, 100) or '(no title)'}")
        screen.say(f"{_INDENT}{printable(each.url)}")
        if each.snippet:
            screen.say(f"{_INDENT}{printable(each.snippet, 150)}")
    for note in answer.notes:
        screen.say(f"  note: {printable(note)}")
    if not found and not answer.error:
        screen.say("  try other or fewer words, or another engine")


def _as_json(names: str, query: str, answer: SearchAnswer) -> str:
    said = {
        "engine": names,
        "query": query,
        "total": answer.total,
        "error": answer.error,
        "notes": list(answer.notes),
        "results": [
            {"rank": each.rank, "url": each.url, "title": each.title, "snippet": each.snippet}
            for each in answer.results
        ],
    }
    return json.dumps(said)
