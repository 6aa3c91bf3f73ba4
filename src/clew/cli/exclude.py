"""`clew exclude`: exclude a host from a crawl, also while it runs, or include it again."""

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
        msg = f"{host} is not a host name; write it as news.example, or *.example for its subdomains"
        raise ConfigError(msg)
    if undo and exclusions(folder).is_forgotten(f"http://{name.removeprefix('*.')}"):
        msg = f"{name} was deleted with clew forget; to fetch it again, create a new crawl: clew new"
        raise ConfigError(msg)
    rows = read_sql(
        folder,
        "SELECT origin, count(links.id) FROM hosts JOIN links ON host = hosts.id WHERE state = 0 GROUP BY 1",
    )
    waiting = sum(count for origin, count in rows if host_matches(name, urls.host(origin)))
    add_rule(folder, Rule(name, "include" if undo else "exclude", time.time()))
    done = "is crawled again" if undo else "is excluded from now on"
    screen.say(f"{printable(name)} {done}: {waiting:,} queued link{'s' * (waiting != 1)}")
    if not undo:
        if not any(
            host_matches(name, urls.host(origin))
            for (origin,) in read_sql(folder, "SELECT origin FROM hosts")
        ):
            screen.say("  the crawl has no URL of this host yet: is it spelt correctly?")
        again = shlex.join(["clew", "exclude", str(folder), name, "--undo"])
        screen.say(f"  undo: {printable(again)}")
