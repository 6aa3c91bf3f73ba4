"""`clew recall`: how much of what a search engine returns has a crawl found?"""

import json
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import screen
from clew.cli.arguments import Folder
from clew.cli.search import engine_names, query_engine
from clew.domain.text import printable
from clew.errors import ConfigError, NothingFetched
from clew.insight.recall import Found, Recall, measure_recall
from clew.urls import Canon

_LISTED = 10


def recall(
    folder: Folder,
    engine: Annotated[
        str,
        typer.Argument(
            metavar="ENGINE",
            help='"brave", "searxng=URL", … or the folder of another crawl.',
            autocompletion=engine_names,
        ),
    ],
    query: Annotated[
        list[str] | None, typer.Argument(metavar="[QUERY]", help="Default: the words of the goal.")
    ] = None,
    count: Annotated[int, typer.Option("--count", min=1, max=1000, help="Maximum number of results.")] = 100,
    lang: Annotated[str, typer.Option("--lang", metavar="CODE", help="Language, e.g. ja or de.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare a crawl with a search engine: how many of its results has the crawl found?

    The engine is queried for the words of the goal, or for QUERY, and each result is looked up in the crawl:
    read and relevant, read and not relevant, known but not read, or never met. Nothing is fetched from the
    results and nothing is stored. What an engine returns is not all there is, nor all of it relevant: the
    figure compares two ways to search. ENGINE is named as in `clew search`.

    Example: clew recall wind searxng=http://127.0.0.1:8888
    """
    config = configuration.load(folder / "clew.toml")
    words = " ".join(query or config.goal.about.split())
    if not words:
        msg = f"the goal of {folder} has no words to query for; give some: clew recall DIR ENGINE QUERY"
        raise ConfigError(msg)
    names, answer = query_engine(engine, words, count, lang)
    if answer.error and not answer.results:
        raise NothingFetched(answer.error)
    canon = Canon(config.scope.drop_params)
    found = measure_recall(folder, (result.url for result in answer.results), canon)
    if as_json:
        screen.echo(_as_json(names, words, found))
    else:
        _show(folder, names, words, found)
    if answer.error:
        screen.print_error(answer.error)


def _show(folder: Path, names: str, words: str, found: Recall) -> None:
    total = len(found.pages)
    results = f"{total:,} result{'s' * (total != 1)}"
    screen.echo(f"{printable(names)}: {results} for «{printable(words, 60)}»")
    if not total:
        screen.echo("  try other or fewer words, or another engine")
        return
    for kind in Found:
        screen.echo(f"  {kind.value:<20} {found.count(kind):>5,}  {100 * found.share(kind):>3.0f} %")
    missed = [url for url, kind in found.pages if kind is Found.UNKNOWN]
    if missed:
        screen.echo("never met:")
        for url in missed[:_LISTED]:
            screen.echo(f"  {printable(url, 110)}")
        if len(missed) > _LISTED:
            screen.echo(f"  and {len(missed) - _LISTED:,} more (--json lists all)")
        screen.echo(f"  to read such pages, add them to the seeds in {printable(str(folder / 'clew.toml'))}")


def _as_json(names: str, words: str, found: Recall) -> str:
    return json.dumps({
        "engine": names,
        "query": words,
        "recall": round(found.share(Found.RELEVANT), 4),
        **{kind.name.lower(): found.count(kind) for kind in Found},
        "results": [{"url": url, "found": kind.name.lower()} for url, kind in found.pages],
    })  # fmt: skip
