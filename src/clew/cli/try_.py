"""`clew try`: the whole program on a small made-up web, beside breadth-first, measured in the same run."""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from clew import sample_web
from clew.api import Crawl
from clew.cli.screen import say
from clew.text import shown

TOPIC = "lighthouses"
WORDS = "lighthouse keeper beacon"
SETTINGS = {"fetch.delay": 0, "fetch.per_host": 4, "fetch.allow": ["127.0.0.0/8"], "store.min_free": 0}


def try_(
    pages: Annotated[int, typer.Option(min=10, max=2000, help="How many pages to read.")] = 120,
) -> None:
    """See it work on a small web inside this computer; nothing leaves it."""
    with tempfile.TemporaryDirectory(prefix="clew-try-") as folder, sample_web.served() as homes:
        hidden = len(homes) * sample_web.PAGES
        say(f"a made-up web of {hidden * len(sample_web.TOPICS):,} pages on this computer; nothing leaves it")
        say(f"looking for: {WORDS!r} ({hidden} pages on {TOPIC} are hidden in it), reading {pages} pages\n")
        found = {}
        for policy in ("breadth", "best-first"):
            began = time.perf_counter()
            crawl = Crawl(
                Path(folder) / policy,
                about=WORDS,
                seeds=homes[:1],
                contact="https://github.com/clew-crawler/clew",
                settings={"rank.policy": policy, **SETTINGS},
            )
            crawl.run(pages=pages)
            found[policy] = sum(sample_web.is_about(TOPIC, row["url"]) for row in crawl.pages)
            bar = "█" * round(40 * found[policy] / pages)
            say(f"{policy:>12} {found[policy]:4} on topic {bar:40} {time.perf_counter() - began:.1f} s")
        _show_threads(crawl)
    say("\nnext:  clew new my-crawl --about 'what you look for' --seed https://… --contact https://…")
    say("       clew run my-crawl        Ctrl-C stops, the same command goes on")
    raise typer.Exit(0 if found["best-first"] > found["breadth"] else 1)


def _show_threads(crawl: Crawl) -> None:
    """Show the best pages with the thread that led to them."""
    say("\nits best pages, and the link that led there:")
    query = "SELECT verdict, url, title, anchor, parent FROM good_pages ORDER BY verdict DESC, id LIMIT 5"
    for row in crawl.pages.sql(query):
        where = shown(row["url"], 44)
        say(f"  {row['verdict']:.2f}  {where:44}  {row['anchor']!r} on {shown(row['parent'] or '', 44)}")
