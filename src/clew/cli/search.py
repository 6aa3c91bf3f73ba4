"""`clew search`: query a search engine, to check its setup and see its results."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import screen
from clew.cli.arguments import crawl_folder
from clew.config.tables import SeekTable
from clew.contracts import SearchAnswer, SearchEngine
from clew.domain.text import printable
from clew.errors import ConfigError, NothingFetched
from clew.search import KINDS, open_engine, open_engines, query_engines

_INDENT = "     "


def engine_names(incomplete: str) -> list[str]:
    """Complete the name of an engine."""
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def search(
    engine: Annotated[
        str,
        typer.Argument(
            metavar="ENGINE",
            help='"brave", "searxng=URL", … or the folder of a crawl.',
            autocompletion=engine_names,
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

    Example: clew search local=wind lighthouse
    """
    started = time.monotonic()
    words = " ".join(query).strip()
    if not words:
        msg = f"the query is empty; write words: clew search {engine} lighthouse"
        raise ConfigError(msg)
    names, answer = query_engine(engine, words, count, lang)
    seconds = time.monotonic() - started
    if as_json:
        sys.stdout.write(_as_json(names, words, answer) + "\n")
        sys.stdout.flush()
    else:
        _show(names, words, answer, seconds)
    if answer.error and not answer.results:
        raise NothingFetched(answer.error)
    if answer.error:
        screen.print_error(answer.error)


def query_engine(name: str, query: str, count: int, lang: str) -> tuple[str, SearchAnswer]:
    """Query the named engine, or the engines of a crawl; return their names and what they returned."""
    return asyncio.run(_query(name, query, count, lang))


async def _query(name: str, query: str, count: int, lang: str) -> tuple[str, SearchAnswer]:
    engines = _open(name)
    try:
        return ", ".join(engine.name for engine in engines), await query_engines(engines, query, count, lang)
    finally:
        for engine in engines:
            await engine.aclose()


def _open(name: str) -> list[SearchEngine]:
    """Open the named engine, or the engines of a crawl."""
    folder = crawl_folder(Path(name))
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
        summary = f'{found:,}{of} result{"s" * (found != 1)} for "{printable(query, 60)}"'
        screen.echo(f"{printable(names)}: {summary} ({seconds:.1f} s)")
    for result in answer.results:
        screen.echo(f"{result.rank:>3}  {printable(result.title, 100) or '(no title)'}")
        screen.echo(f"{_INDENT}{printable(result.url)}")
        if result.snippet:
            screen.echo(f"{_INDENT}{printable(result.snippet, 150)}")
    for note in answer.notes:
        screen.echo(f"  note: {printable(note)}")
    if not found and not answer.error:
        screen.echo("  try other or fewer words, or another engine")


def _as_json(names: str, query: str, answer: SearchAnswer) -> str:
    values = {
        "engine": names,
        "query": query,
        "total": answer.total,
        "error": answer.error,
        "notes": list(answer.notes),
        "results": [
            {"rank": result.rank, "url": result.url, "title": result.title, "snippet": result.snippet}
            for result in answer.results
        ],
    }
    return json.dumps(values)
