"""`clew exclude`: leave a host alone from now on, also while a crawl runs; or go on with it."""

import shlex
import time
from typing import Annotated

import typer

from clew import urls
from clew.cli import screen
from clew.cli.arguments import Folder
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.frontier import host_matches
from clew.insight.explain import exclusions
from clew.store import add_rule, read_sql
from clew.types import Rule


def exclude(
    folder: Folder,
    host: Annotated[str, typer.Argument(metavar="HOST", help="A host name, or *.name for its subdomains.")],
    undo: Annotated[bool, typer.Option("--undo", help="Include an excluded host again.")] = False,
) -> None:
    """Exclude a host from the crawl, or include it again.

    A running crawl applies it within a second, and later runs keep it. Queued links of the host stay in
    the database, and --undo releases them. Fetched pages stay; clew forget deletes them.
    """
    name = (urls.host(host) if "://" in host else host.strip("/")).lower()
    if not name or any(sign in name for sign in " /:"):
        msg = f"{host} is no host name; write it as news.example, or *.example for all below it"
        raise ConfigError(msg)
    if undo and exclusions(folder).is_forgotten(f"http://{name.removeprefix('*.')}"):
        msg = f"{name} was forgotten, and stays so in this crawl; to fetch it again, make a new one: clew new"
        raise ConfigError(msg)
    rows = read_sql(
        folder,
        "SELECT origin, count(links.id) FROM hosts JOIN links ON host = hosts.id WHERE state = 0 GROUP BY 1",
    )
    waiting = sum(count for origin, count in rows if host_matches(name, urls.host(origin)))
    add_rule(folder, Rule(name, "include" if undo else "exclude", time.time()))
    done = "is crawled again" if undo else "is left alone from now on"
    screen.say(f"{printable(name)} {done}: {waiting:,} open link{'s' * (waiting != 1)}")
    if not undo:
        if not any(
            host_matches(name, urls.host(origin))
            for (origin,) in read_sql(folder, "SELECT origin FROM hosts")
        ):
            screen.say("  no address there was met so far: is it spelt as on the pages?")
        again = shlex.join(["clew", "exclude", str(folder), name, "--undo"])
        screen.say(f"  take it back: {printable(again)}")
