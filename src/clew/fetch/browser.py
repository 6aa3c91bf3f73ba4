"""Pages that need JavaScript, rendered by a browser that has no network of its own.

Chromium gets the response we have already fetched. All its other requests are routed here: scripts and
data of the page's own origin are fetched by our own fetcher, one after the other, with the delays of pages
and as far as robots.txt allows; images, frames, other sites and anything but GET are refused. The address
guard is part of our fetcher, so it applies to the browser too.
"""

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from clew import urls
from clew.contracts import Fetcher
from clew.domain.content import decoding, mime, rendered_positions
from clew.fetch.browser_pool import NOWHERE, BrowserLost, BrowserPool, BrowserWorker
from clew.types import Kind, Link, Response

MAX_REQUESTS = 30
"""Scripts and data fetched for one page."""

_MAX_SCRIPTS = 64  # scripts remembered: the pages of a site share them
_QUIET = 2.0  # seconds to wait for network idle, once the page is built
_SHELL_TEXT = 200  # characters of text below which a page with scripts may be an empty shell
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_WANTED = frozenset({"script", "xhr", "fetch"})
_BOXES = """most => {
  const root = document.documentElement;
  const wide = Math.max(root.scrollWidth, 1), high = Math.max(root.scrollHeight, 1);
  return [...document.querySelectorAll("a[href],area[href]")].slice(0, most).map(link => {
    const box = link.getBoundingClientRect();
    return [String(link.href), (box.left + scrollX + box.width / 2) / wide,
            (box.top + scrollY + box.height / 2) / high, box.width * box.height];
  }).filter(row => row[3] > 0).map(row => row.slice(0, 3));
}"""
_SHELL = re.compile(
    rb"""<div[^>]{0,200}\bid=["']?(?:app|root|__next|__nuxt|___gatsby)["'\s>]""", re.IGNORECASE
)
_UNSEEN = frozenset({b"script", b"style", b"noscript", b"template", b"title"})
_SHELL_BYTES = 300_000  # bytes of a page that are checked for emptiness


class BrowserFetcher:
    """A fetcher that renders the pages of another fetcher with a browser.

    `mode` is `auto` for pages that are empty without JavaScript, or `always`. `timeout` are seconds for one
    page, `delay` seconds between two requests to its host. `layout` records positions of links: then style
    sheets are fetched as well, and the page ends with a comment (see `rendered_positions`). `refusal` returns
    the rule of robots.txt that forbids a URL, empty for none. `browsers` are addresses of browsers on other
    machines, which render instead of one here; what pages ask for is fetched here all the same.
    """

    def __init__(
        self,
        *,
        fetcher: Fetcher,
        mode: str = "auto",
        agent: str = "",
        timeout: float = 20.0,
        delay: float = 1.0,
        max_bytes: int = 8_000_000,
        layout: bool = False,
        refusal: Callable[[str], str] | None = None,
        browsers: Sequence[str] = (),
    ) -> None:
        self.layout = layout
        self.fetcher = fetcher
        self.mode = mode
        self.agent = agent
        self.timeout = timeout
        self.delay = delay
        self.max_bytes = max_bytes
        self.refusal = refusal or _nothing
        self.browsers = BrowserPool(browsers)
        self._fetching = asyncio.Lock()
        self._next_at: dict[str, float] = {}
        self._scripts: OrderedDict[str, Response] = OrderedDict()

    def prepare(self) -> None:
        """Check it, before the first page is fetched."""
        self.browsers.check()

    async def fetch(self, link: Link) -> Response:
        """Fetch a link and return the response, with the rendered page where one is wanted."""
        response = await self.fetcher.fetch(link)
        if link.kind is not Kind.PAGE or response.status != 200 or response.error or not response.body:  # noqa: PLR2004
            return response
        markup = self._decoded(response)
        if mime.of(markup, mime.stated(response.header("content-type"))) not in {
            "text/html",
            "application/xhtml+xml",
        }:
            return response
        if self.mode != "always" and not needs_scripts(markup):
            return response
        rendered = await self._render(response, markup)
        self._next_at[link.origin] = max(self._next_at.get(link.origin, 0.0), time.monotonic() + self.delay)
        return replace(response, rendered=rendered, ended=time.time()) if rendered else response

    async def aclose(self) -> None:
        """Close the browser and the fetcher."""
        await self.browsers.aclose()
        await self.fetcher.aclose()

    def _decoded(self, response: Response) -> bytes:
        """Return a body without its content coding."""
        body, _, _ = decoding.decode(
            response.body, decoding.names(response.headers("content-encoding")), self.max_bytes
        )
        return body

    async def _render(self, response: Response, markup: bytes) -> bytes:
        """Render a page; return its markup, empty when it fails, takes too long, or no browser is there."""
        for _ in range(self.browsers.tries):
            async with self.browsers.worker() as worker:
                with suppress(BrowserLost):
                    return await self._render_there(worker, response, markup)
        return b""

    async def _render_there(self, worker: BrowserWorker, response: Response, markup: bytes) -> bytes:
        """Render a page in one browser; raise `BrowserLost` if that has ended or was cut off."""
        from playwright.async_api import Error  # noqa: PLC0415 - an extra, and slow to load

        context = None
        try:
            async with asyncio.timeout(self.timeout):
                browser = await self.browsers.open(worker)
                context = await browser.new_context(
                    user_agent=self.agent or None, service_workers="block", accept_downloads=False,
                    viewport={"width": 1280, "height": 800}, proxy=NOWHERE,
                )  # fmt: skip
                page = await context.new_page()
                await page.route("**/*", _RouteHandler(self, page, response, markup))
                await page.goto(response.link.url, wait_until="domcontentloaded", timeout=0)
                with suppress(Error):
                    await page.wait_for_load_state("networkidle", timeout=1_000 * _QUIET)
                rendered: str = await page.content()
                boxes = await self._boxes(page) if self.layout else b""
                return rendered.encode("utf-8", "replace")[: self.max_bytes] + boxes
        except (TimeoutError, Error):
            if not await self._close_page(worker, context):
                raise BrowserLost from None
            context = None
            return b""
        finally:
            if context is not None:
                await self._close_page(worker, context)

    async def _boxes(self, page: Any) -> bytes:  # noqa: ANN401
        """Return the positions of links in the browser as a comment; empty on errors."""
        from playwright.async_api import Error  # noqa: PLC0415

        try:
            return rendered_positions.written(await page.evaluate(_BOXES, rendered_positions.MAX_BOXES))
        except (Error, TypeError, ValueError):
            return b""

    async def _close_page(self, worker: BrowserWorker, context: Any) -> bool:  # noqa: ANN401 - playwright's
        """Close a page; if that fails, let go of its browser and return False."""
        try:
            async with asyncio.timeout(5):
                if context is not None:
                    await context.close()
        except Exception:  # noqa: BLE001 - whatever it is, a new browser cures it
            await self.browsers.drop(worker)
            return False
        if worker.browser is not None and not worker.browser.is_connected():
            await self.browsers.drop(worker)
            return False
        return worker.browser is not None

    async def fetch_resource(self, url: str, origin: str) -> Response:
        """Fetch a script or data for a page, one at a time and after the delay; responses are cached."""
        async with self._fetching:
            if (cached := self._scripts.get(url)) is not None:
                return cached
            await asyncio.sleep(self._next_at.get(origin, 0.0) - time.monotonic())
            response = await self.fetcher.fetch(Link(id=0, url=url, origin=origin))
            self._next_at[origin] = time.monotonic() + self.delay
            self._scripts[url] = response
            if len(self._scripts) > _MAX_SCRIPTS:
                self._scripts.popitem(last=False)
            return response


class _RouteHandler:
    """Handle the requests of one page."""

    def __init__(self, rendering: BrowserFetcher, page: Any, response: Response, markup: bytes) -> None:  # noqa: ANN401
        self.rendering = rendering
        self.page = page
        self.response = response
        self.markup = markup
        self.requests = -1  # the page itself does not count

    async def __call__(self, route: Any) -> None:  # noqa: ANN401
        with suppress(Exception):  # the page may be closed by now
            await self._handle(route)

    async def _handle(self, route: Any) -> None:  # noqa: ANN401
        request, link = route.request, self.response.link
        self.requests += 1
        if request.is_navigation_request():
            if self.requests:
                await route.abort()
            else:
                kind = self.response.header("content-type") or "text/html"
                await route.fulfill(status=200, headers={"content-type": kind}, body=self.markup)
            return
        url = request.url.partition("#")[0]
        if (
            request.method != "GET"
            or not (
                request.resource_type in _WANTED
                or (self.rendering.layout and request.resource_type == "stylesheet")
            )
            or self.requests > MAX_REQUESTS
            or urls.origin(url) != link.origin
            or self.rendering.refusal(url)
        ):
            await route.abort()
            return
        response = await self.rendering.fetch_resource(url, link.origin)
        if response.error or not response.status:
            await route.abort()
            return
        headers = {"content-type": response.header("content-type") or "text/plain"}
        await route.fulfill(status=response.status, headers=headers, body=self.rendering._decoded(response))  # noqa: SLF001


def needs_scripts(markup: bytes) -> bool:
    """Return whether a page is an empty shell that JavaScript fills.

    >>> needs_scripts(b'<div id="root"></div><script src="/app.js"></script>')
    True
    >>> needs_scripts(b"<p>The lamp was lit every night.</p>" * 9 + b"<script>x</script>")
    False
    """
    start = markup[:_SHELL_BYTES]
    if b"<script" not in start.lower():
        return False
    letters, needs, within = 0, False, b""
    for piece in start.split(b"<"):
        head, _, text = piece.partition(b">")
        tag = head[:10].partition(b" ")[0].lower()
        if not within and tag in _UNSEEN:
            within = tag
        needs = needs or (within == b"noscript" and b"javascript" in text.lower())
        if within and tag != b"/" + within:
            continue
        within = b""
        letters += len(b" ".join(text.split()))
        if letters >= _SHELL_TEXT:
            return False
    return not letters or needs or bool(_SHELL.search(start))


def _nothing(_: str) -> str:
    return ""
