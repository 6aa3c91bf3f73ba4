"""The fetcher: many concurrent libcurl transfers; network errors are returned as values, never raised.

Only GET, only http and https, only HTTP/1.1. Redirects are not followed here: a 3xx response is returned
like any other, and the crawl loop checks its target as it checks every link.
"""

import asyncio
import re
import resource
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import ada_url
import pycurl

from clew import urls
from clew.domain.datafiles import kind_of
from clew.errors import ClewError
from clew.fetch import curl_errors
from clew.fetch.address_guard import AddressGuard, Network
from clew.fetch.connection_check import ConnectionCheck
from clew.fetch.cookies import CookieJar
from clew.fetch.credentials import Credentials
from clew.fetch.curl_loop import CurlLoop
from clew.fetch.transfer import Limits, Transfer
from clew.types import Kind, Link, Response

OTHER_FILES = 128
"""Open files left to the rest of the program: store, WARC, parsing processes, name resolution."""

FRAGILE = 4_096
"""Origins remembered because they drop persistent connections."""


_PLAIN = re.compile(r"[\x20-\x7e]+")
_SESSION = re.compile(rb"(?im)^(set-cookie:)[^\r\n]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """What a fetcher sets up in the running event loop with its first fetch."""

    loop: CurlLoop
    slots: asyncio.Semaphore
    limits: Limits
    headers: bytes


class CurlFetcher:
    """Fetch links with libcurl.

    `agent` is the whole User-Agent header. `timeout` is the total deadline in seconds (60 at most) from
    name lookup to the last byte. Bodies are cut at `max_bytes`, as received. `proxy` is an HTTP proxy for
    http (plain) and https (CONNECT); proxies named by environment variables are never used. `allow` are
    private networks that may be reached. `concurrency` is the number of concurrent transfers and of open
    connections. `resolve` are `"host:port:address"` entries that replace name lookup. Of links that look
    like data files only the first `data_bytes` are requested, unless that is 0. `credentials` are headers,
    cookies and log-ins of the user; what only one host gets is left out of the recorded request.

    With a proxy, the guard can check only hosts given as IP addresses: the proxy resolves names itself.
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
        credentials: Credentials | None = None,
    ) -> None:
        self.agent = agent
        self.timeout = timeout
        self.max_bytes = max_bytes
        self.proxy = proxy
        self.allow = allow
        self.concurrency = concurrency
        self.resolve = resolve
        self.data_bytes = data_bytes
        self.credentials = credentials or Credentials()
        self._jar = CookieJar()
        self._sets_headers = bool(self.credentials.host_headers)  # some URLs get headers of their own
        self._fragile: OrderedDict[str, None] = OrderedDict()
        self._idle: list[Transfer] = []
        self._busy: dict[pycurl.Curl, Transfer] = {}
        self._session: _Session | None = None
        self._closed = False

    async def fetch(self, link: Link) -> Response:
        """Fetch `link` and return the response. Cancelling this aborts the transfer."""
        if self._closed:
            msg = "the fetcher is closed; make a new one for the next run"
            raise ClewError(msg)
        session = self._session or self._open()
        async with session.slots:
            if self._closed:
                return _unsent(link, curl_errors.STOPPED)
            if self.proxy and (refusal := _refusal(session.limits.guard, link.url)):
                return _unsent(link, refusal)
            transfer = self._idle.pop() if self._idle else Transfer(session.limits)
            try:
                return await self._run(session, transfer, link)
            finally:
                transfer.clear()
                self._idle.append(transfer)

    async def aclose(self) -> None:
        """Abort running transfers (their responses get the error `"stopped"`) and close all connections."""
        self._closed = True
        session, self._session = self._session, None
        if session is None:
            return
        for handle, transfer in list(self._busy.items()):
            self._abort(session, handle)
            transfer.fault = curl_errors.STOPPED
            transfer.end(0, "")
        await asyncio.sleep(0)  # let those fetches return before their handles are closed
        await session.loop.aclose()
        for transfer in self._idle:
            transfer.curl.close()
        self._idle.clear()

    def _open(self) -> _Session:
        """Start a session in the running event loop, with as many connections as open files allow."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        connections = min(self.concurrency, max(4, files - OTHER_FILES))
        limits = Limits(
            agent=self.agent,
            timeout=self.timeout,
            max_bytes=self.max_bytes,
            proxy=self.proxy,
            resolve=tuple(self.resolve),
            guard=AddressGuard(allow=self.allow),
            connections=ConnectionCheck(limit=4 * connections),
            more_headers=self.credentials.headers,
        )
        self._session = _Session(
            loop=CurlLoop(loop=asyncio.get_running_loop(), connections=connections, finished=self._finished),
            slots=asyncio.Semaphore(connections),
            limits=limits,
            headers="".join(f"{line}\r\n" for line in (*limits.headers, "")).encode(),
        )
        return self._session

    async def _run(self, session: _Session, transfer: Transfer, link: Link) -> Response:
        origin = urls.origin(link.url)
        received = self._jar.header(link.url) if self._jar else b""
        cookie, secret = self.credentials.cookie(link.url, received), self.credentials.concern(link.url)
        keep = origin not in self._fragile
        try:
            await self._transfer(session, transfer, link, cookie, fresh=not keep, keep=keep)
            if transfer.stale:
                await self._transfer(session, transfer, link, cookie, fresh=True, keep=keep)
        except (pycurl.error, ValueError):  # libcurl parses URLs more strictly than browsers do
            return _unsent(link, curl_errors.BAD_ADDRESS)
        if transfer.fault == curl_errors.CLOSED and transfer.sent:
            self._fragile[origin] = None
            if len(self._fragile) > FRAGILE:
                self._fragile.popitem(last=False)
        recorded = b"" if secret else cookie
        conditions = "".join(f"{line}\r\n" for line in conditional(link)).encode()
        request = _request(link.url, origin, recorded, transfer.range, conditions + session.headers)
        return self._response(transfer, link, request, secret=secret)

    def _first_bytes(self, link: Link) -> int:
        """Return how many bytes of a response to request; 0 for all that the limits allow."""
        if not self.data_bytes or link.kind is not Kind.PAGE:
            return 0
        return self.data_bytes if kind_of(link.url, anchor=link.anchor).chance > 0 else 0

    async def _transfer(
        self,
        session: _Session,
        transfer: Transfer,
        link: Link,
        cookie: bytes,
        *,
        fresh: bool,
        keep: bool,
    ) -> None:
        """Run one transfer to its end, or abort it on cancellation."""
        done = asyncio.get_running_loop().create_future()
        self._sets_headers = self._sets_headers or link.known is not None
        more = (*self.credentials.lines(link.url), *conditional(link)) if self._sets_headers else None
        first_bytes = self._first_bytes(link)
        transfer.begin(link.url, cookie, done, fresh=fresh, keep=keep, first_bytes=first_bytes, headers=more)
        session.loop.add(transfer.curl)
        self._busy[transfer.curl] = transfer
        try:
            await done
        finally:
            if transfer.curl in self._busy:
                self._abort(session, transfer.curl)

    def _response(self, transfer: Transfer, link: Link, request: bytes, *, secret: bool = False) -> Response:
        head = transfer.head
        if b"et-cookie" in head.lower():
            self._jar.store(link.url, _set_cookies(head))
            if secret:  # the session of the user: it may not be read from the archive
                head = _SESSION.sub(rb"\1 withheld", head)
        return Response(
            link=link,
            started=transfer.started,
            ended=transfer.ended,
            status=transfer.status,
            head=head,
            body=transfer.body,
            request=request,
            address=transfer.address,
            error=transfer.fault,
            truncated=transfer.cut,
        )

    def _finished(self, handle: pycurl.Curl, code: int, message: str) -> None:
        self._busy.pop(handle).end(code, message)

    def _abort(self, session: _Session, handle: pycurl.Curl) -> None:
        del self._busy[handle]
        session.loop.remove(handle)


def conditional(link: Link) -> tuple[str, ...]:
    """Return the header lines that ask for a known page only if it has changed."""
    if link.known is None:
        return ()
    lines = (("If-None-Match", link.known.etag), ("If-Modified-Since", link.known.modified))
    return tuple(f"{name}: {value}" for name, value in lines if value and _PLAIN.fullmatch(value))


def _unsent(link: Link, fault: str) -> Response:
    now = time.time()
    return Response(link=link, started=now, ended=now, error=fault)


def _request(url: str, origin: str, cookie: bytes, range: str, headers: bytes) -> bytes:
    """Return the request head as sent to the site (through a proxy, all but the request line is the same)."""
    target = url[len(origin) :] or "/"
    first = f"GET {target} HTTP/1.1\r\nHost: {urls.clock_key(origin)}\r\n".encode("utf-8", "replace")
    part = f"Range: bytes={range}\r\n".encode() if range else b""
    return b"".join((first, part, b"Cookie: " + cookie + b"\r\n" if cookie else b"", headers))


def _refusal(guard: AddressGuard, url: str) -> str:
    """Return why `url` must not be requested through a proxy; empty when it may be."""
    try:
        host = ada_url.URL(url).hostname
    except ValueError:
        return curl_errors.BAD_ADDRESS
    return "" if guard.permits_host(host) else f"refused address {host.strip('[]')}"


def _set_cookies(head: bytes) -> list[bytes]:
    lines = (line.partition(b":") for line in head.split(b"\n")[1:])
    return [value.strip() for name, _, value in lines if name.strip().lower() == b"set-cookie"]
