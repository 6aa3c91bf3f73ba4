"""Take recorded responses into a crawl as if it had fetched them: stored, judged, their links open."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from clew import urls
from clew.engine.config_changes import record_import
from clew.engine.run import CrawlRun
from clew.types import Kind, Page, Response

TOGETHER = 16
"""Pages that are parsed at a time; they are taken in the order of the archive."""

COMMIT_EVERY = 256

SKIPPED_TYPES = ("image/", "font/", "audio/", "video/", "text/css", "application/font", "application/wasm")
"""Media types of what a page needs to be shown, which no crawl of pages would fetch."""

_SCRIPT = "javascript"
_RETRIED = frozenset({408, 425, 429})
_SERVER_ERROR = 500


@dataclass(slots=True)
class ImportCounts:
    """What became of the responses; `left_out` counts them by reason."""

    pages: int = 0
    relevant: int = 0
    redirects: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


async def import_responses(run: CrawlRun, responses: Iterable[Response], canon: urls.Canon) -> ImportCounts:
    """Take each response through judge, ranker and store; nothing is fetched.

    The links of the responses have no id yet. A URL that the crawl has read already stays as it is, so an
    import that was interrupted can be run again.
    """
    counts = ImportCounts()
    record_import(run.engine)
    waiting = 0
    wanted = _wanted(responses, canon, counts)
    while chunk := list(islice(wanted, TOGETHER)):
        for page in await asyncio.gather(*map(run.parse, chunk)):
            _take(run, page, counts)
        waiting += len(chunk)
        if waiting >= COMMIT_EVERY:
            await run.engine.commit()
            waiting = 0
    await run.engine.commit()
    return counts


def _wanted(responses: Iterable[Response], canon: urls.Canon, counts: ImportCounts) -> Iterator[Response]:
    """Yield the responses that a crawl of pages would have fetched, under canonical URLs."""
    for response in responses:
        url = canon(response.link.url)
        if reason := "URL that no crawl fetches" if url is None else _unwanted(response):
            counts.left_out[reason] += 1
        elif url is not None:
            yield replace(response, link=replace(response.link, url=url, origin=urls.origin(url)))


def _unwanted(response: Response) -> str:
    """Return why a response is left out, or an empty string."""
    mime = response.header("content-type").partition(";")[0].strip().lower()
    if mime.startswith(SKIPPED_TYPES) or _SCRIPT in mime:
        return "images, styles, scripts and other parts of pages"
    if response.link.url.partition("?")[0].endswith("/robots.txt"):
        return "robots.txt, which is read anew"
    if response.status in _RETRIED or response.status >= _SERVER_ERROR:
        return "server errors, which are tried anew"
    return ""


def _take(run: CrawlRun, page: Page, counts: ImportCounts) -> None:
    engine = run.engine
    engine.add_seeds([page.url], Kind.PAGE)
    hashes = np.array([urls.fingerprint(page.url)], np.uint64)
    id = int(engine.frontier.find_ids(hashes)[0])
    if not id or not engine.frontier.take_link(id, engine.clock.monotonic()):
        counts.left_out["URLs read before, or outside the scope"] += 1
        return
    page = replace(page, response=replace(page.response, link=engine.store.link(id)))
    result = engine.process_page(page)
    for service in run.services:
        service.on_result(result)
    counts.pages += result.is_page
    counts.relevant += result.relevant
    counts.redirects += bool(page.redirect)
