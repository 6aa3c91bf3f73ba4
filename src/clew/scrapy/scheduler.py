"""The scheduler: takes the requests of a spider, and gives back the one that the policy ranks highest."""

import asyncio
import logging
from collections import deque
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from clew import urls
from clew.api import Crawl
from clew.builder import open_crawl
from clew.engine.budget import Budget
from clew.engine.run import CrawlRun
from clew.errors import ConfigError
from clew.scrapy.addon import crawl_of, missing_middlewares
from clew.scrapy.downloads import LINK, Downloads, downloads_of
from clew.scrapy.middleware import TAKEN
from clew.scrapy.request_file import RequestFile
from clew.types import Link, PageResult, State

logger = logging.getLogger(__name__)

UNRANKED = "clew_unranked"
"""Key of `request.meta`: the number of a request that is not ranked."""


@dataclass(slots=True)
class _OpenCrawl:
    """The crawl while the spider is open."""

    run: CrawlRun
    requests: RequestFile
    canon: urls.Canon
    known: set[int] = field(default_factory=set)
    """URL hashes of requests whose page is not processed yet, so that the frontier does not know them."""

    def is_known(self, url_hash: int) -> bool:
        ids = self.run.engine.frontier.find_ids(np.array([url_hash], np.uint64))
        return bool(ids[0]) or url_hash in self.known


class FocusedScheduler(BaseScheduler):
    """Order requests by a Clew policy; use it by `ADDONS = {"clew.scrapy.FocusedCrawl": 500}`.

    A run of Clew decides what is next; its fetcher hands each link back to Scrapy as the spider's request.
    GET requests are links of the frontier, one for each URL. All others, and those that repeat a URL on
    purpose (`dont_filter`), cannot be ranked and come first, oldest first. Priorities are not used.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.downloads: Downloads = downloads_of(crawler)
        self._ready: deque[Request] = deque()
        self._unranked: deque[Request] = deque()
        self._crawl: _OpenCrawl | None = None
        self._task: asyncio.Task[None] | None = None
        self._may_start = asyncio.Event()
        self._exhausted = self._closing = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "FocusedScheduler":
        """Return the scheduler of a crawler whose settings switch its middlewares on, too."""
        if missing := missing_middlewares(crawler.settings):
            msg = f"{', '.join(missing)} missing; write: ADDONS = {{'clew.scrapy.FocusedCrawl': 500}}"
            raise ConfigError(msg)
        if not is_asyncio_available():
            msg = "Clew needs asyncio; leave TWISTED_REACTOR at Scrapy's default"
            raise ConfigError(msg)
        return cls(crawler)

    # ---- what Scrapy calls ---------------------------------------------------------------------

    def open(self, spider: Spider) -> Deferred[None]:
        """Open the crawl folder, with everything that earlier runs have left there."""
        self.crawler.signals.connect(self._left_downloader, signals.request_left_downloader)
        self.crawler.signals.connect(self._response_received, signals.response_received)
        return deferred_from_coro(self._open(spider))

    def close(self, reason: str) -> Deferred[None]:
        """Store what is finished; requests that are not stay open."""
        return deferred_from_coro(self._close(reason))

    def has_pending_requests(self) -> bool:
        """Whether there is anything to do, as far as is known."""
        return bool(self._ready or self._unranked or self.downloads.count) or not (
            self._exhausted or self._task is None or self._task.done()
        )

    def enqueue_request(self, request: Request) -> bool:
        """Take a request: a new one, or one that a middleware has made of one under way."""
        if (taken := request.meta.pop(TAKEN, None)) is not None:
            return bool(taken)
        download = self.downloads.get(request.meta.get(LINK))
        if download is not None:
            download.stop_timer()
            if self._open_crawl.canon(request.url) == download.link.url and request.method == "GET":
                self._ready.append(request)  # handed out by the run, or tried again by Scrapy
                return True
            return self._enqueue_moved(request, download.link.id)
        if UNRANKED in request.meta:  # tried again, or moved
            self._unranked.append(request)
            return True
        return self._take(request, None)

    def next_request(self) -> Request | None:
        """Return the request that the run wants next, if it has decided."""
        self._may_start.set()
        queue = self._unranked or self._ready
        if not queue:
            return None
        self._count("scheduler/dequeued")
        return queue.popleft()

    # ---- requests ------------------------------------------------------------------------------

    def _take(self, request: Request, page: object) -> bool:
        """Take a request that is made of the page of a link, or of none; return whether it is new."""
        crawl = self._open_crawl
        request.meta.pop(UNRANKED, None)
        canonical = crawl.canon(request.url) if request.method == "GET" and not request.body else None
        download = self.downloads.get(page)
        if canonical is not None and download is not None:
            download.urls.append(canonical)
        if canonical is None or (request.dont_filter and not request.meta.get("is_start_request")
                                 and crawl.is_known(urls.fingerprint(canonical))):  # fmt: skip
            request.meta[UNRANKED] = crawl.requests.add_unranked(request)
            self._unranked.append(request)
        elif crawl.is_known(url_hash := urls.fingerprint(canonical)):
            self._count("dupefilter/filtered")
            return False
        else:
            crawl.requests.add(url_hash, request)
            if download is None:
                crawl.run.engine.add_seeds([canonical])
            else:
                crawl.known.add(url_hash)
        self._count("scheduler/enqueued")
        self._wake()
        return True

    def _enqueue_moved(self, request: Request, id: int) -> bool:
        """Let a link lead to where a middleware goes instead, usually after a redirect."""
        request.meta.pop(LINK)
        crawl, target = self._open_crawl, self._open_crawl.canon(request.url)
        if target is None or request.method != "GET":
            self.downloads.fail(id, f"replaced by {request.method} {request.url}")
            return self._take(request, None)
        url_hash = urls.fingerprint(target)
        is_new = not crawl.is_known(url_hash)
        if is_new:
            crawl.requests.add(url_hash, request)
            self._count("scheduler/enqueued")
        else:
            self._count("dupefilter/filtered")
        self.downloads.redirect(id, target)
        return is_new

    def _hand_out(self, link: Link) -> None:
        """Give a link to Scrapy; its engine asks the scheduler for the next request when it gets one."""
        request = self._open_crawl.requests.get(urls.fingerprint(link.url))
        request = request or Request(link.url)  # a seed of clew.toml: for the spider's `parse`
        request.meta[LINK] = link.id
        engine = self.crawler.engine
        if engine is None or engine.spider is None or self._closing:
            self.downloads.fail(link.id, "stopped")
        else:
            self._exhausted = False
            engine.crawl(request)
            if not (self._ready and self._ready[-1] is request):
                self.downloads.fail(link.id, "ignored by a handler of request_scheduled")

    def _left_downloader(self, request: Request) -> None:
        self.downloads.left_downloader(request.meta.get(LINK))

    def _response_received(self, request: Request) -> None:
        if (download := self.downloads.get(request.meta.get(LINK))) is not None:
            download.stop_timer()
        elif (number := request.meta.get(UNRANKED)) is not None:
            self._open_crawl.requests.remove_unranked(number)

    # ---- the run -------------------------------------------------------------------------------

    async def _open(self, spider: Spider) -> None:
        crawl = crawl_of(self.crawler.settings, spider.name)
        self.downloads.max_bytes = crawl.save().fetch.max_bytes
        requests = RequestFile(crawl.folder, spider)
        self.downloads.hand_out, self.downloads.take = self._hand_out, self._take
        opened: asyncio.Future[CrawlRun] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(crawl, requests, opened))
        run = await opened
        run.engine.on_commit(requests.flush)
        self._crawl = _OpenCrawl(run, requests, urls.Canon(crawl.config().scope.drop_params))
        run.subscribe(lambda text, **_: logger.info("%s", text))
        for number, request in requests.unranked():
            request.meta[UNRANKED] = number
            self._unranked.append(request)
        logger.info("requests are ordered by the policy %s; see: clew status %s",
                    crawl.config().rank.policy, crawl.folder)  # fmt: skip

    async def _run(self, crawl: Crawl, requests: RequestFile, opened: "asyncio.Future[CrawlRun]") -> None:
        """Run the crawl until it ends by itself or is closed; then close the spider."""
        parts = {"fetcher": self.downloads, "parser": self.downloads.parser, "services": [_SpiderLinks(self)]}
        config = crawl.config()
        try:
            async with open_crawl(crawl.folder, config, budget=self._budget(crawl), parts=parts) as run:
                opened.set_result(run)
                await self._may_start.wait()
                async with aclosing(run.results()) as results:
                    async for result in results:
                        if result.state is not State.OPEN:
                            requests.remove([urls.fingerprint(result.page.url)])
        except Exception as error:
            if not opened.done():
                opened.set_exception(error)
                return
            logger.exception("the crawl in %s has failed", crawl.folder)
        finally:
            requests.close()
        if not self._closing and (engine := self.crawler.engine) is not None:
            logger.info("%s", run.ended)
            self._ending = asyncio.create_task(engine.close_spider_async(reason="finished"))

    def _budget(self, crawl: Crawl) -> Budget:
        """Return the limits of clew.toml; without any, the page count at which Scrapy closes the spider."""
        limits, pages = crawl.config().crawl, self.crawler.settings.getint("CLOSESPIDER_PAGECOUNT")
        if not limits.pages and pages:
            earlier = crawl.status().read.pages if (Path(crawl.folder) / "crawl.db").exists() else 0
            return Budget(earlier + pages, limits.hours, limits.requests, limits.least)
        return Budget(limits.pages, limits.hours, limits.requests, limits.least)

    async def _close(self, reason: str) -> None:
        self._closing = True
        self._may_start.set()
        if self._crawl is not None:
            run = self._crawl.run
            run.ended = run.ended or f"closed by Scrapy: {reason}"
            run.stop()
        await self.downloads.aclose()
        if self._task is not None:
            await self._task

    def page_processed(self, result: PageResult) -> None:
        """Let requests that the engine did not take as links of their page enter as seeds."""
        crawl, stats = self._open_crawl, self.crawler.stats
        for url in self.downloads.asked(result.page.link.id):
            crawl.known.discard(urls.fingerprint(url))
            crawl.run.engine.add_seeds([url])  # if it is not known yet
        if stats is not None:
            stats.set_value("clew/pages", crawl.run.engine.totals.pages)
            stats.set_value("clew/relevant", crawl.run.engine.totals.relevant)

    def exhausted(self) -> None:
        """Note that the run has nothing left unless the spider makes new requests."""
        self._exhausted = True

    @property
    def _open_crawl(self) -> _OpenCrawl:
        if self._crawl is None:
            msg = "the scheduler is not open"
            raise ConfigError(msg)
        return self._crawl

    def _wake(self) -> None:
        self._exhausted = False
        self._open_crawl.run.events.wake()

    def _count(self, name: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(name)


class _SpiderLinks:
    """Keep the run going while the spider is open: it may make requests at any time (a `LinkSource`)."""

    def __init__(self, scheduler: FocusedScheduler) -> None:
        self.scheduler = scheduler

    async def start(self) -> None: ...

    def on_result(self, result: PageResult) -> None:
        self.scheduler.page_processed(result)

    async def close(self) -> None: ...

    def before_fetch(self) -> None: ...

    def must_wait(self) -> bool:
        return False

    def may_add_links(self) -> bool:
        self.scheduler.exhausted()
        return True
