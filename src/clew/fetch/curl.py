"""The fetcher: libcurl, many transfers at a time, every fault of the web as a value.

Only GET, only http and https, only HTTP/1.1. Redirects are not followed here: a 3xx answer is a visit like
any other, and the loop judges the next hop as it judges every link.
"""

import asyncio
import resource
import time
from collections import OrderedDict
from collections.abc import Sequence

import ada_url
import pycurl

from clew import urls
from clew.domain.datafiles import kind_of
from clew.errors import ClewError
from clew.fetch import curl_errors
from clew.fetch.address_guard import AddressGuard, Network
from clew.fetch.connection_check import ConnectionCheck
from clew.fetch.cookies import CookieJar
from clew.fetch.curl_loop import CurlLoop
from clew.fetch.transfer import Limits, Transfer
from clew.types import Kind, Link, Response

OTHER_FILES = 128
"""Open files left to the rest of the program: store, WARC, parsing processes, name resolution."""

FRAGILE = 4_096
"""Origins remembered because they drop kept connections."""


class CurlFetcher:
    """Fetch links with libcurl.

    `agent` is the whole User-Agent header. `timeout` is the total deadline in seconds (60 at most) from
    name lookup to the last byte. Bodies are cut at `max_bytes`, as received. `proxy` is an HTTP proxy for
    http (plain) and https (CONNECT); proxies named by environment variables are never used. `allow` are
    private networks that may be reached all the same. `concurrency` is the number of transfers under way,
    and of connections kept. `resolve` are `"host:port:address"` entries that stand in for name lookup.
    Of links that look like data files only the first `data_bytes` are asked for, unless that is 0.

    With a proxy, the guard can judge only hosts given as addresses; the proxy looks names up itself, and
    what those lead to is the proxy's to judge.
    """

    def __init__(
        self,
        *,
        agent: str = "",
        timeout: float = 30,
        max_bytes: int = 8_000_000,
        proxy: str = "",
        allow: Sequence[Network] = (),
        concurrency: int = 64,
        resolve: Sequence[str] = (),
        data_bytes: int = 0,
    ) -> None:
        self.agent = agent
        self.timeout = timeout
        self.max_bytes = max_bytes
        self.proxy = proxy
        self.allow = allow
        self.concurrency = concurrency
        self.resolve = resolve
        self.data_bytes = data_bytes
        self._jar = CookieJar()
        self._fragile: OrderedDict[str, None] = OrderedDict()
        self._idle: list[Transfer] = []
        self._busy: dict[pycurl.Curl, Transfer] = {}
        self._wire: CurlLoop | None = None
        self._closed = False

    async def fetch(self, link: Link) -> Response:
        """Return what the network gave for `link`. Cancelling this aborts the transfer."""
        if self._closed:
            msg = "the fetcher is closed; make a new one for the next run"
            raise ClewError(msg)
        wire = self._wire or self._open()
        async with self._lanes:
            if self._closed:
                return _unsent(link, curl_errors.STOPPED)
            if self.proxy and (refusal := self._refusal(link.url)):
                return _unsent(link, refusal)
            transfer = self._idle.pop() if self._idle else Transfer(self._terms)
            try:
                return await self._run(wire, transfer, link)
            finally:
                transfer.forget()
                self._idle.append(transfer)

    async def aclose(self) -> None:
        """Abort what is under way (those visits say `"stopped"`) and close every connection."""
        self._closed = True
        wire, self._wire = self._wire, None
        if wire is None:
            return
        for handle, transfer in list(self._busy.items()):
            self._leave(wire, handle)
            transfer.fault = curl_errors.STOPPED
            transfer.end(0, "")
        await asyncio.sleep(0)  # let those fetches return before their handles are closed
        await wire.aclose()
        for transfer in self._idle:
            transfer.curl.close()
        self._idle.clear()

    def _open(self) -> CurlLoop:
        """Start work in the running event loop, with as many connections as there are files for."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        lanes = min(self.concurrency, max(4, files - OTHER_FILES))
        self._lanes = asyncio.Semaphore(lanes)
        self._guard = AddressGuard(allow=self.allow)
        self._terms = Limits(
            agent=self.agent,
            timeout=self.timeout,
            max_bytes=self.max_bytes,
            proxy=self.proxy,
            resolve=tuple(self.resolve),
            guard=self._guard,
            kept=ConnectionCheck(limit=4 * lanes),
        )
        self._common = "".join(f"{line}\r\n" for line in (*self._terms.headers, "")).encode()
        self._wire = CurlLoop(loop=asyncio.get_running_loop(), connections=lanes, finished=self._finished)
        return self._wire

    async def _run(self, wire: CurlLoop, transfer: Transfer, link: Link) -> Response:
        origin = urls.origin(link.url)
        cookie = self._jar.header(link.url) if self._jar else b""
        keep = origin not in self._fragile
        most = self._most(link)
        try:
            await self._transfer(wire, transfer, link.url, cookie, fresh=not keep, keep=keep, most=most)
            if transfer.stale:
                await self._transfer(wire, transfer, link.url, cookie, fresh=True, keep=keep, most=most)
        except (pycurl.error, ValueError):  # libcurl reads addresses more strictly than browsers do
            return _unsent(link, curl_errors.BAD_ADDRESS)
        if transfer.fault == curl_errors.CLOSED and transfer.sent:
            self._fragile[origin] = None
            if len(self._fragile) > FRAGILE:
                self._fragile.popitem(last=False)
        return self._visit(transfer, link, origin, cookie)

    def _most(self, link: Link) -> int:
        """Return how many bytes of an answer are enough; 0 for all that the limits allow."""
        if not self.data_bytes or link.kind is not Kind.PAGE:
            return 0
        return self.data_bytes if kind_of(link.url, anchor=link.anchor).chance > 0 else 0

    async def _transfer(
        self,
        wire: CurlLoop,
        transfer: Transfer,
        url: str,
        cookie: bytes,
        *,
        fresh: bool,
        keep: bool,
        most: int,
    ) -> None:
        """Let one transfer run to its end, or abort it when we are cancelled."""
        done = asyncio.get_running_loop().create_future()
        transfer.begin(url, cookie, done, fresh=fresh, keep=keep, most=most)
        wire.add(transfer.curl)
        self._busy[transfer.curl] = transfer
        try:
            await done
        finally:
            if transfer.curl in self._busy:
                self._leave(wire, transfer.curl)

    def _visit(self, transfer: Transfer, link: Link, origin: str, cookie: bytes) -> Response:
        head = transfer.head
        if b"et-cookie" in head.lower():
            self._jar.store(link.url, _set_cookies(head))
        return Response(
            link=link,
            started=transfer.started,
            ended=transfer.ended,
            status=transfer.status,
            head=head,
            body=transfer.body,
            request=self._request(link.url, origin, cookie, transfer.range),
            address=transfer.address,
            error=transfer.fault,
            truncated=transfer.cut,
        )

    def _request(self, url: str, origin: str, cookie: bytes, range: str) -> bytes:
        """Return the request head as it went to the site (through a proxy, but for the request line)."""
        target = url[len(origin) :] or "/"
        first = f"GET {target} HTTP/1.1\r\nHost: {urls.clock_key(origin)}\r\n".encode("utf-8", "replace")
        part = f"Range: bytes={range}\r\n".encode() if range else b""
        return b"".join((first, part, b"Cookie: " + cookie + b"\r\n" if cookie else b"", self._common))

    def _refusal(self, url: str) -> str:
        """Say why a proxy may not be asked for `url`; empty when it may."""
        try:
            host = ada_url.URL(url).hostname
        except ValueError:
            return curl_errors.BAD_ADDRESS
        return "" if self._guard.permits_host(host) else f"refused address {host.strip('[]')}"

    def _finished(self, handle: pycurl.Curl, code: int, message: str) -> None:
        self._busy.pop(handle).end(code, message)

    def _leave(self, wire: CurlLoop, handle: pycurl.Curl) -> None:
        del self._busy[handle]
        wire.remove(handle)


def _unsent(link: Link, fault: str) -> Response:
    now = time.time()
    return Response(link=link, started=now, ended=now, error=fault)


def _set_cookies(head: bytes) -> list[bytes]:
    lines = (line.partition(b":") for line in head.split(b"\n")[1:])
    return [value.strip() for name, _, value in lines if name.strip().lower() == b"set-cookie"]
