"""Look at seeds before a crawl is made of them: which answer, which do not, and what would help."""

import asyncio
from collections.abc import Callable
from itertools import chain, zip_longest

from clew import urls
from clew.config import Config
from clew.insight.preflight.findings import Finding, refusal_of, trouble
from clew.insight.preflight.probe import MAX_HOPS, NO_TIME, Probe, scouting
from clew.types import Page

MOST = 25
"""Seeds looked at; a list of ten thousand is a matter for the crawl itself."""

SECONDS = 15.0
PATIENCE = 8.0
"""Seconds for all of them, and for one answer: a person is waiting."""

_READABLE = ("text/", "application/xhtml", "application/xml", "application/rss", "application/atom",
             "application/rdf")  # fmt: skip
_LOGIN = ("login", "log-in", "signin", "sign-in", "/sso", "/auth")


async def check_seeds(
    config: Config, seeds: list[str], told: Callable[[int, int], None] = lambda _done, _all: None
) -> list[Finding]:
    """Ask for the robots.txt of each seed's host, then for the seed; `told` hears how many are done.

    At most `MOST` of them are looked at, as many hosts as possible.
    """
    chosen = _spread(seeds)[:MOST]
    found: dict[str, Finding] = {}
    told(0, len(chosen))
    async with scouting(config, seconds=SECONDS, patience=PATIENCE) as scout:

        async def look(seed: str) -> None:
            found[seed] = await _look(scout, seed)
            told(len(found), len(chosen))

        await asyncio.gather(*map(look, chosen))
    return [found.get(seed) or Finding(seed, "unchecked", "not looked at") for seed in seeds]


def _spread(seeds: list[str]) -> list[str]:
    """Return the seeds so that the first ones are of as many hosts as possible."""
    by_host: dict[str, list[str]] = {}
    for seed in seeds:
        by_host.setdefault(urls.host(seed), []).append(seed)
    return [seed for seed in chain.from_iterable(zip_longest(*by_host.values())) if seed]


async def _look(scout: Probe, seed: str) -> Finding:
    """Follow one seed to its page, as a browser would."""
    url = seed
    for _ in range(MAX_HOPS + 1):
        origin = urls.origin(url)
        if why := await scout.rules(origin):
            return _ruled_out(scout, seed, url, why)
        if rule := scout.robots.refusal(url):
            file = f"{origin}/robots.txt: {rule.removeprefix('robots: ')}"
            cure = "begin elsewhere, or ask its owner"
            return Finding(seed, "refused", f"robots.txt forbids it ({file})", cure)
        page = await scout.bring(url)
        if page is None:
            return Finding(seed, "unchecked", NO_TIME)
        if not page.redirect:
            return _answer(scout.config, seed, url, page)
        url = page.redirect
    return Finding(
        seed, "failed", f"redirects more than {MAX_HOPS} times", "look where it leads in a browser"
    )


def _ruled_out(scout: Probe, seed: str, url: str, why: str) -> Finding:
    """Tell a host that cannot be asked from one that answers, but does not say what it allows."""
    if why == NO_TIME:
        return Finding(seed, "unchecked", why)
    if why.startswith("status"):
        words = f"its robots.txt cannot be read ({why}), and until then nothing of it may be fetched"
        return Finding(seed, "failed", words, "a crawl asks again; tell its owner if it stays")
    words, cure = trouble(why, url, scout.config)
    return Finding(seed, "failed", words if url == seed else f"moved to {url}, which {words}", cure)


def _answer(config: Config, seed: str, url: str, page: Page) -> Finding:
    """Put into words what a seed, or the page it moved to, answered."""
    moved = f"moved to {url}, which " if url != seed else ""
    if page.response.error and not page.response.status:
        words, cure = trouble(page.response.error, url, config)
        return Finding(seed, "failed", f"{moved}{words}", cure)
    if not 200 <= page.response.status < 300:  # noqa: PLR2004
        words, cure = refusal_of(page.response.status)
        return Finding(seed, "failed", f"{moved}{words}", cure)
    if moved and any(word in url.lower() for word in _LOGIN):
        words, cure = refusal_of(401)
        return Finding(seed, "failed", f"moved to {url}: asks for a login", cure)
    if page.mime and not page.mime.startswith(_READABLE):
        words = f"{moved}is no web page ({page.mime})"
        return Finding(seed, "odd", words, "it leads nowhere: begin at the page that links to it")
    if moved:
        return Finding(seed, "moved", f"moved to {url}")
    return Finding(seed, "answers", f"answers: {page.title}" if page.title else "answers")
