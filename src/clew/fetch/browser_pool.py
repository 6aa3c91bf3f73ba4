"""The browsers that render pages: one that is started here, or some that run on other machines."""

import asyncio
import importlib.util
import os
import shutil
import time
import urllib.request
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from clew.domain.installation import install_command
from clew.errors import ConfigError

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Names of the browser's executable."""

PAGES = 2
"""Pages that one browser renders at the same time."""

REST = 30.0
"""Seconds for which a browser that could not be reached is left alone."""

MOST_TRIES = 4
"""Browsers that may be lost before a page is left as it is; a page may be what ends them."""

NOWHERE = {"server": "http://127.0.0.1:9", "bypass": "<-loopback>"}
"""What is not routed to us (sockets, prefetching) gets a proxy that does not exist."""

_CONNECT = 5.0  # seconds to reach a browser on another machine
_CLOSE = 5.0
_HEAP = 256  # MiB of a page's JavaScript


class BrowserLost(Exception):  # noqa: N818 - says more than "Error"
    """The browser ended, or was cut off, while it had a page: another one can render it."""


@dataclass(slots=True)
class BrowserWorker:
    """One browser: at an address, or on this machine if that is empty. `pages` counts those that it has."""

    address: str = ""
    pages: int = 0
    rests_until: float = float("-inf")
    browser: Any = None
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)


class BrowserPool:
    """Give each page to the browser that has the fewest; `addresses` are those of the debugging ports.

    A browser is started, or connected to, when it is first needed, and again when it was lost. One that
    cannot be reached is left alone for a while, and the others do its work.
    """

    def __init__(self, addresses: Sequence[str] = ()) -> None:
        self.addresses = tuple(addresses)
        self._workers = [BrowserWorker(address) for address in self.addresses or ("",)]
        self._slots = asyncio.Semaphore(PAGES * len(self._workers))
        self._play: Any = None

    @property
    def tries(self) -> int:
        """How often a page is given to a browser, if those before were lost."""
        return min(MOST_TRIES, len(self._workers) + 1)

    def check(self) -> None:
        """Check that there is a browser, before the first page is fetched."""
        if importlib.util.find_spec("playwright") is None:
            msg = f"fetch.browser needs playwright; get it with: {install_command('browser')}"
            raise ConfigError(msg)
        if self.addresses:
            _check_addresses(self.addresses)
        elif not find_chromium():
            msg = (
                "fetch.browser needs Chromium, which is not installed;\n"
                'install it (Debian: apt install chromium), or set fetch.browser = "never"'
            )
            raise ConfigError(msg)

    @asynccontextmanager
    async def worker(self) -> AsyncIterator[BrowserWorker]:
        """Wait until a browser has room for a page, and give it that page."""
        async with self._slots:
            free = [worker for worker in self._workers if worker.pages < PAGES]
            now = time.monotonic()
            chosen = min(free, key=lambda worker: (max(0.0, worker.rests_until - now), worker.pages))
            chosen.pages += 1
            try:
                yield chosen
            finally:
                chosen.pages -= 1

    async def open(self, worker: BrowserWorker) -> Any:  # noqa: ANN401 - playwright's, which may not be installed
        """Return the browser of a worker; raise `BrowserLost` if it cannot be reached."""
        from playwright.async_api import Error, async_playwright  # noqa: PLC0415 - an extra, and slow to load

        async with worker.starting:
            if worker.browser is None or not worker.browser.is_connected():
                self._play = self._play or await async_playwright().start()
                try:
                    worker.browser = await _start(self._play.chromium, worker.address)
                except Error as error:
                    worker.rests_until = time.monotonic() + REST
                    raise BrowserLost(str(error)) from error
            return worker.browser

    async def drop(self, worker: BrowserWorker) -> None:
        """Let go of a browser that does not work any more; the next page gets a new one."""
        browser, worker.browser = worker.browser, None
        if worker.address:
            worker.rests_until = time.monotonic() + REST
        await _close(browser)
        if not any(each.browser for each in self._workers):
            await self._stop_playwright()

    async def aclose(self) -> None:
        """Close the browser that was started here, or the connections to those elsewhere."""
        for worker in self._workers:
            browser, worker.browser = worker.browser, None
            await _close(browser)
        await self._stop_playwright()

    async def _stop_playwright(self) -> None:
        play, self._play = self._play, None
        with suppress(Exception):
            if play is not None:
                await play.stop()


async def _start(chromium: Any, address: str) -> Any:  # noqa: ANN401
    if address:
        return await chromium.connect_over_cdp(address, timeout=1_000 * _CONNECT)
    return await chromium.launch(
        executable_path=find_chromium(),
        chromium_sandbox=os.geteuid() != 0,  # Chromium refuses to build its sandbox for root
        proxy=NOWHERE,
        args=[f"--js-flags=--max-old-space-size={_HEAP}", "--disable-gpu", "--mute-audio"],
    )


async def _close(browser: Any) -> None:  # noqa: ANN401
    with suppress(Exception):  # whatever it is, it is gone afterwards
        async with asyncio.timeout(_CLOSE):
            if browser is not None:
                await browser.close()


def _check_addresses(addresses: Sequence[str]) -> None:
    """Raise `ConfigError` if no browser answers; those that are away may come later."""
    failures = []
    for address in addresses:
        if not address.startswith(("http://", "https://")):
            return  # a socket says only when it is used whether it works
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{address.rstrip('/')}/json/version", timeout=_CONNECT):
                return
        except (OSError, ValueError) as error:
            failures.append(f"{address}: {error}")
    msg = (
        f"fetch.browsers: none of them answers ({'; '.join(failures)});\n"
        "start one there: chromium --headless --remote-debugging-port=9222, and make the port reachable"
    )
    raise ConfigError(msg)


def find_chromium() -> str | None:
    """Return the path of an installed Chromium; None if there is none."""
    return next(filter(None, map(shutil.which, CHROMIUM)), None)
