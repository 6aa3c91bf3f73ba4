"""`clew plan` of a crawl that begins with a search: what would be asked, without asking."""

import json as jsons
import shlex
from pathlib import Path

from clew.cli import screen
from clew.cli.plan_settings import echo_line, show_settings
from clew.cli.screen import many
from clew.config import Config
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.search.setup import open_engine


def show_search_plan(folder: Path, config: Config, *, json: bool) -> None:
    """Print engines, first query and settings; an engine that cannot be asked is named with the remedy."""
    seek, topic = config.seek, " ".join(config.goal.about.split())
    problems = {name: cure for name in seek.search if (cure := _problem(folder, config, name))}
    if json:
        found = {
            "folder": str(folder),
            "seeds": {},
            "search": seek.search,
            "query": topic,
            "problems": problems,
        }
        screen.echo(jsons.dumps(found, ensure_ascii=False))
        return
    name = printable(str(folder))
    screen.echo(f"{name}: no seeds; it begins with a search (no request was sent)\n")
    echo_line("engines", ", ".join(seek.search))
    languages = f" in {', '.join(seek.languages)}" if seek.languages else ""
    query = f"«{topic}»" if topic else "the words of the example rows"
    echo_line("query", f"{query}{languages}; the first {many(seek.results, 'result')} become seeds")
    again = f"; asks again when fewer than {seek.threshold:.0%} of {seek.window} pages are relevant"
    echo_line("at most", f"{many(seek.queries, 'request')} to engines a run{again if seek.reseed else ''}")
    budget = many(config.crawl.pages, "page") if config.crawl.pages else "none"
    echo_line("budget", f"{budget}; robots.txt, delays and time are known after the search")
    show_settings(config)
    for engine, cure in problems.items():
        screen.echo_folded(f"! {printable(engine)}: {printable(cure)}", 2)
    quoted = shlex.quote(name)
    search = shlex.join(["clew", "search", seek.search[0], topic or "QUERY"])
    screen.echo(f"\nnext:  {printable(search)}    see what it finds")
    screen.echo(f"       clew run {quoted}    Ctrl-C stops, the same command resumes")


def _problem(folder: Path, config: Config, name: str) -> str:
    """Return why an engine cannot be asked; empty if nothing is known against it."""
    try:
        open_engine(name, config.seek, folder)
    except ConfigError as error:
        return str(error)
    return ""
