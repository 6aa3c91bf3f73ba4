"""Middlewares that see what became of a request: the spider's output, or the error."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from clew.scrapy.downloads import LINK, Downloads, downloads_of

TAKEN = "clew_taken"
"""Key of `request.meta`: the scheduler has seen the request when it was made, and whether it was new.

Scrapy lets callbacks run ahead of the scheduler, so a page may be judged before its requests come there.
"""


class PageMiddleware:
    """Collect the requests that a callback makes of a page; when it has ended, the page is judged.

    It stands nearest to the engine, so it sees requests as other middlewares have left them.
    """

    def __init__(self, downloads: Downloads) -> None:
        self.downloads = downloads

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "PageMiddleware":
        """Return the middleware of a crawler."""
        return cls(downloads_of(crawler))

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Pass on what a callback makes."""
        id = _link_of(response)
        try:
            for made in result:
                yield self._taken(made, id)
        finally:
            self.downloads.deliver(id, response)

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterable[Any]
    ) -> AsyncIterator[Any]:
        """Pass on what an asynchronous callback makes."""
        id = _link_of(response)
        try:
            async for made in result:
                yield self._taken(made, id)
        finally:
            self.downloads.deliver(id, response)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:  # noqa: ARG002
        """Judge the page also when its callback failed, or when it never came to one."""
        self.downloads.deliver(_link_of(response), response)

    def _taken(self, made: object, id: object) -> object:
        if isinstance(made, Request) and self.downloads.take is not None:
            made.meta.pop(LINK, None)  # many spiders pass the meta of a response on
            made.meta[TAKEN] = self.downloads.take(made, id)
        return made


class FailureMiddleware:
    """See requests that end without a response, after all retries."""

    def __init__(self, downloads: Downloads) -> None:
        self.downloads = downloads

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "FailureMiddleware":
        """Return the middleware of a crawler."""
        return cls(downloads_of(crawler))

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Record the error; Scrapy goes on with it as ever."""
        name = type(exception).__name__
        if isinstance(exception, IgnoreRequest):
            error = f"ignored by Scrapy: {exception}"
        elif "timeout" in name.lower():
            error = f"timeout ({name})"
        else:
            error = f"connection failed ({name})"
        self.downloads.fail(request.meta.get(LINK), error)


def _link_of(response: Response) -> object:
    return response.request.meta.get(LINK) if response.request is not None else None
