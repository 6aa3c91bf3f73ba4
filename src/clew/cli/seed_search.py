"""Preview the seeds that the search engines of a new crawl return."""

import asyncio
from pathlib import Path

from clew.cli import screen
from clew.config import Config
from clew.contracts import SearchAnswer
from clew.domain.records.example_table import ExampleTable
from clew.domain.records.row_queries import distinctive_columns, row_query
from clew.domain.text import printable
from clew.search import open_engines, query_engines
from clew.urls import Canon

_SHOWN = 5
"""Maximum number of results listed one by one."""


def find_seeds(folder: Path, config: Config, table: ExampleTable | None = None) -> list[str]:
    """Query the engines of a new crawl for its topic, print the results, and return their URLs.

    Without a topic, the first row of the table is the query. Nothing is stored: the first run queries
    again, and stores query and results.
    """
    query = " ".join(config.goal.about.split())
    if table and not query:
        query = row_query(table.rows[0], distinctive_columns(table.rows))
    answer = asyncio.run(_query(folder, config, query))
    shown, names = printable(query, 60), printable(", ".join(config.seek.search), 80)
    if answer.error and not answer.results:
        cause, *advice = answer.error.splitlines()
        screen.echo(f"! {names} did not respond: {printable(cause)}")
        for line in advice:
            screen.echo(f"  {printable(line)}")
        screen.echo("  the crawl is created anyway; test the engine with: clew search ENGINE QUERY")
        return []
    found = len(answer.results)
    if not found:
        screen.echo(f"! {names} found no results for «{shown}»; use other or fewer words (goal.about)")
        return []
    screen.echo(f"✓ {names} found {found} seed{'s' * (found != 1)} for «{shown}»:")
    for result in answer.results[:_SHOWN]:
        screen.echo(f"  {printable(result.title, 60) or '(no title)'}  {printable(result.url, 80)}")
    if found > _SHOWN:
        screen.echo(f"  and {found - _SHOWN} more")
    canon = Canon(config.scope.drop_params)
    return [url for result in answer.results if (url := canon(result.url))]


async def _query(folder: Path, config: Config, query: str) -> SearchAnswer:
    engines = open_engines(config.seek, folder)
    try:
        language = (config.seek.languages or [""])[0]
        return await query_engines(engines, query, config.seek.results, language)
    finally:
        for engine in engines:
            await engine.aclose()
