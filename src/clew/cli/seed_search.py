"""Seeds from a search engine, asked when a crawl is made: a person sees what it would begin with."""

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
"""Results that are named one by one."""


def find_seeds(folder: Path, config: Config, table: ExampleTable | None = None) -> list[str]:
    """Ask the engines of a new crawl for its topic, show what they name, and return the addresses.

    Without a topic it is the first row of the table that is asked for. They are not written down: the first
    run asks again, and keeps question and answer.
    """
    wanted = " ".join(config.goal.about.split())
    if table and not wanted:
        wanted = row_query(table.rows[0], distinctive_columns(table.rows))
    answer = asyncio.run(_asked(folder, config, wanted))
    topic, names = printable(wanted, 60), printable(", ".join(config.seek.search), 80)
    if answer.error and not answer.results:
        cause, *cure = answer.error.splitlines()
        screen.say(f"! {names} did not answer: {printable(cause)}")
        for line in cure:
            screen.say(f"  {printable(line)}")
        screen.say("  the crawl is made all the same; try the engine alone with: clew search ENGINE QUERY")
        return []
    found = len(answer.results)
    if not found:
        screen.say(f"! {names} knows nothing about «{topic}»; use other or fewer words (goal.about)")
        return []
    screen.say(f"✓ {names} found {found} page{'s' * (found != 1)} to begin with for «{topic}»:")
    for each in answer.results[:_SHOWN]:
        screen.say(f"  {printable(each.title, 60) or '(no title)'}  {printable(each.url, 80)}")
    if found > _SHOWN:
        screen.say(f"  and {found - _SHOWN} more")
    canon = Canon(config.scope.drop_params)
    return [url for each in answer.results if (url := canon(each.url))]


async def _asked(folder: Path, config: Config, wanted: str) -> SearchAnswer:
    engines = open_engines(config.seek, folder)
    try:
        tongue = (config.seek.languages or [""])[0]
        return await query_engines(engines, wanted, config.seek.results, tongue)
    finally:
        for engine in engines:
            await engine.aclose()
