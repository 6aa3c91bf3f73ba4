"""Check the seeds of a new crawl: which respond, which do not, and what to do about it."""

import asyncio
from collections.abc import Callable
from itertools import chain, zip_longest

from clew import urls
from clew.config import Config
from clew.insight.preflight.findings import Finding, describe_error, describe_status
from clew.insight.preflight.probe import MAX_HOPS, NO_TIME, Probe, open_probe
from clew.types import Page

MOST = 25
"""Seeds checked; longer lists are left to the crawl itself."""

SECONDS = 15.0
PATIENCE = 8.0
"""Seconds for all seeds, and for one response: the user is waiting."""

_READABLE = ("text/", "application/xhtml", "application/xml", "application/rss", "application/atom",
             "application/rdf")  # fmt: skip
_LOGIN = ("login", "log-in", "signin", "sign-in", "/sso", "/auth")


async def check_seeds(
    config: Config, seeds: list[str], progress: Callable[[int, int], None] = lambda _done, _all: None
) -> list[Finding]:
    """Fetch the robots.txt of each seed's host, then the seed; call `progress` with done and total.

    At most `MOST` seeds are checked, from as many hosts as possible.
    """
    chosen = _spread(seeds)[:MOST]
    found: dict[str, Finding] = {}
    progress(0, len(chosen))
    async with open_probe(config, seconds=SECONDS, patience=PATIENCE) as probe:

        async def check(seed: str) -> None:
            found[seed] = await _check(probe, seed)
            progress(len(found), len(chosen))

        await asyncio.gather(*map(check, chosen))
    return [found.get(seed) or Finding(seed, "unchecked", "not checked") for seed in seeds]


def _spread(seeds: list[str]) -> list[str]:
    """Return the seeds interleaved by host."""
    by_host: dict[str, list[str]] = {}
    for seed in seeds:
        by_host.setdefault(urls.host(seed), []).append(seed)
    return [seed for seed in chain.from_iterable(zip_longest(*by_host.values())) if seed]


async def _check(probe: Probe, seed: str) -> Finding:
    """Fetch one seed and follow its redirects."""
    url = seed
    for _ in range(MAX_HOPS + 1):
        origin = urls.origin(url)
        if why := await probe.read_robots(origin):
            return _without_robots(probe, seed, url, why)
        if rule := probe.robots.refusal(url):
            file = f"{origin}/robots.txt: {rule.removeprefix('robots: ')}"
            cure = "use another seed, or ask its owner"
            return Finding(seed, "refused", f"robots.txt forbids it ({file})", cure)
        page = await probe.fetch(url)
        if page is None:
            return Finding(seed, "unchecked", NO_TIME)
        if not page.redirect:
            return _response_finding(probe.config, seed, url, page)
        url = page.redirect
    return Finding(
        seed, "failed", f"redirects more than {MAX_HOPS} times", "check in a browser where it leads"
    )


def _without_robots(probe: Probe, seed: str, url: str, why: str) -> Finding:
    """Distinguish a host that cannot be reached from one whose robots.txt cannot be read."""
    if why == NO_TIME:
        return Finding(seed, "unchecked", why)
    if why.startswith("status"):
        words = f"its robots.txt cannot be read ({why}), so nothing there may be fetched"
        return Finding(seed, "failed", words, "a crawl tries again; tell its owner if it persists")
    words, cure = describe_error(why, url, probe.config)
    return Finding(seed, "failed", words if url == seed else f"redirects to {url}, which {words}", cure)


def _response_finding(config: Config, seed: str, url: str, page: Page) -> Finding:
    """Describe the response of a seed, or of the page it redirects to."""
    moved = f"redirects to {url}, which " if url != seed else ""
    if page.response.error and not page.response.status:
        words, cure = describe_error(page.response.error, url, config)
        return Finding(seed, "failed", f"{moved}{words}", cure)
    if not 200 <= page.response.status < 300:  # noqa: PLR2004
        words, cure = describe_status(page.response.status)
        return Finding(seed, "failed", f"{moved}{words}", cure)
    if moved and any(word in url.lower() for word in _LOGIN):
        words, cure = describe_status(401)
        return Finding(seed, "failed", f"redirects to {url}: requires a login", cure)
    if page.mime and not page.mime.startswith(_READABLE):
        words = f"{moved}is not a web page ({page.mime})"
        return Finding(seed, "odd", words, "it has no links: use the page that links to it as seed")
    if moved:
        return Finding(seed, "moved", f"redirects to {url}")
    return Finding(seed, "answers", f"responds: {page.title}" if page.title else "responds")
