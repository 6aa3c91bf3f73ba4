"""`clew learn --fetch`: fetch example pages given as URLs, and nothing else, before the crawl."""

import asyncio
from pathlib import Path

from clew.builder import open_crawl
from clew.cli import screen
from clew.config import Config
from clew.domain.text import printable
from clew.services.labels.training_pages import collect_training_pages
from clew.store import read_sql
from clew.store.folder import DATABASE
from clew.types import State

_KNOWN = "SELECT url FROM links WHERE state != 0"


def fetch_examples(folder: Path, config: Config, *, quiet: bool) -> None:
    """Fetch the relevant examples that were not requested yet; their links stay for the crawl."""
    known = {url for (url,) in read_sql(folder, _KNOWN)} if (folder / DATABASE).exists() else set()
    wanted = [url for url in collect_training_pages(folder, config).waiting if url not in known]
    if not wanted:
        return
    # Links on the examples are out of scope for now: a later run, with its own depth, opens them again.
    alone = config.model_copy(
        update={
            "crawl": config.crawl.model_copy(update={"seeds": []}),
            "scope": config.scope.model_copy(update={"depth": 0}),
            "seek": config.seek.model_copy(update={"search": [], "reseed": False}),
        }
    )
    failed = asyncio.run(_fetch(folder, alone, wanted))
    if not quiet:
        read = len(wanted) - len(failed)
        screen.echo(f"fetched {read:,} of {len(wanted):,} example pages")
        for url, reason in failed.items():
            screen.echo(f"  ! {printable(url)}: {printable(reason)}")


async def _fetch(folder: Path, config: Config, wanted: list[str]) -> dict[str, str]:
    """Fetch URLs until none is left; return those that failed, with the reasons."""
    left, failed = set(wanted), {}
    async with open_crawl(folder, config) as run:
        async for result in run.results():
            url = result.page.link.url
            if url in left and result.state is not State.OPEN:
                left.discard(url)
                if result.page.redirect:
                    left.add(result.page.redirect)
                elif result.state is not State.DONE or not 200 <= result.page.response.status < 300:  # noqa: PLR2004
                    failed[url] = result.reason or f"status {result.page.response.status}"
            if not left and not run.stopping:
                run.stop()
    return failed
