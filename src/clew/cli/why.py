"""`clew why`: explain the crawl path, score and verdict of a URL, or the rule that excluded it."""

import json as json_
from typing import Annotated

import typer

from clew.cli import screen
from clew.cli.arguments import ShardedFolder
from clew.cli.shard_feedback import check_not_sharded
from clew.errors import ConfigError
from clew.insight.explain import explain, search_lines, searches
from clew.insight.site_listing import describe_site_of_url, site_of_url

_INDENT = 18  # columns before the name of a score part


def why(
    folder: ShardedFolder,
    url: Annotated[str, typer.Argument(metavar="URL", help="A URL, or a part of one.")] = "",
    list_searches: Annotated[
        bool, typer.Option("--searches", help="List the search queries, their reasons and their results.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Explain why a URL was fetched, or why not.

    For a fetched page: the crawl path from the seed with its link texts, the score of its link and the
    parts of that score, the verdict with its reasons, and the response. For a queued link: its position
    in the queue and what it waits for. For a refused link: the rule. For an unknown URL: whether it would
    be fetched.

    With the policy sites: theta, delta and the turn of its site (see clew sites).

    For a URL found by a search engine: the query, its time and its reason. --searches lists all queries
    with their results, and needs no URL.

    A part of a URL is enough if it matches only one known URL. Works while the crawl runs.

    Example: clew why wind https://www.wind-authority.org/register
    """
    if list_searches:
        check_not_sharded(folder, "--searches")
        rows = map(json_.dumps, searches(folder)) if json else search_lines(folder)
        for line in rows:
            screen.echo(line)
        return
    if not url:
        msg = f"name a URL: clew why {folder} URL, or list the search queries with --searches"
        raise ConfigError(msg)
    explanation = explain(folder, url)
    site = site_of_url(folder, explanation.url)
    if json:
        screen.echo(json_.dumps({**explanation.as_dict(), "site": site}, ensure_ascii=False))
        return
    lines = [*explanation.lines(), *([f"  site    {describe_site_of_url(site)}"] if site else [])]
    for line in lines:
        screen.echo_folded(line, _INDENT)
