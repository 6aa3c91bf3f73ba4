"""One request and its response: a libcurl handle, its limits and the state of the transfer.

A transfer is reused for different links; `begin` resets it. libcurl calls the methods that start with `_on`
from inside the event loop; they only record state or stop the transfer.
"""

import asyncio
import errno
import os
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass

import certifi
import pycurl

from clew.fetch import curl_errors
from clew.fetch.address_guard import AddressGuard
from clew.fetch.connection_check import ConnectionCheck
from clew.fetch.response_buffer import ResponseBuffer

MAX_SECONDS = 60.0
MAX_CONNECT_SECONDS = 10.0

IDLE_TURNS = 100
"""Progress calls in which bytes arrived but no header line and no body byte: an endless chunk extension.
A flood brings some 0.3 MiB a call, 30 MiB in all; a TLS record in small packets takes a dozen calls."""

ACCEPT = (
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Encoding: gzip, deflate, br, zstd",
    "Accept-Language: *",  # any language; some servers send 406 when the line is missing
)

# libcurl options that pycurl does not name (curl.h): a user name in a URL is an error, a proxy's response to
# CONNECT is not passed to us, and a resolver thread that hangs is abandoned instead of waited for.
_DISALLOW_USERNAME_IN_URL = 278
_SUPPRESS_CONNECT_HEADERS = 265
_QUICK_EXIT = 322


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Options and limits shared by all transfers of one fetcher."""

    agent: str
    timeout: float
    max_bytes: int
    proxy: str
    resolve: tuple[str, ...]
    guard: AddressGuard
    connections: ConnectionCheck
    more_headers: tuple[str, ...] = ()

    @property
    def headers(self) -> tuple[str, ...]:
        """The header lines of every request; those of the user replace ours."""
        usual = (f"User-Agent: {self.agent}", *ACCEPT) if self.agent else ACCEPT
        return _merged(usual, self.more_headers)


def _merged(usual: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Return header lines, without usual ones of which there is another."""
    names = {line.partition(":")[0].lower() for line in more}
    return (*(line for line in usual if line.partition(":")[0].lower() not in names), *more)


class _OpenSocket:
    """A socket handed to libcurl, which duplicates the descriptor; ours closes when this is deleted."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def fileno(self) -> int:
        return self.descriptor

    def __del__(self) -> None:
        os.close(self.descriptor)


class Transfer:
    """A libcurl handle that fetches one URL at a time."""

    __slots__ = (
        "_descriptors",
        "_idle_turns",
        "_limits",
        "_received",
        "address",
        "curl",
        "cut",
        "done",
        "ended",
        "fault",
        "range",
        "refused",
        "sent",
        "stale",
        "started",
        "status",
    )

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._received = ResponseBuffer(0)
        self.curl = _handle(limits)
        self.curl.setopt(pycurl.OPENSOCKETFUNCTION, self._on_open)
        self.curl.setopt(pycurl.SOCKOPTFUNCTION, self._on_opened)
        self.curl.setopt(pycurl.PREREQFUNCTION, self._on_request)
        self.curl.setopt(pycurl.HEADERFUNCTION, self._on_header)
        self.curl.setopt(pycurl.WRITEFUNCTION, self._on_body)
        self.curl.setopt(pycurl.XFERINFOFUNCTION, self._on_progress)

    def begin(
        self,
        url: str,
        cookie: bytes,
        done: asyncio.Future[None],
        *,
        fresh: bool = False,
        keep: bool = True,
        first_bytes: int = 0,
        headers: Sequence[str] | None = None,
    ) -> None:
        """Reset the state and set the next URL; `done` is resolved when the transfer ends.

        `fresh` forces a new connection, `keep` allows its reuse afterwards. `first_bytes` requests only so
        many bytes of the body; the response of a server that sends more is cut there. `headers` are lines for
        this URL only; None where no URL has any.
        """
        self.done = done
        self.started = self.ended = time.time()
        self.status = self._idle_turns = 0
        self.address = self.fault = self.refused = ""
        self.cut = self.sent = self.stale = False
        self._descriptors: list[int] = []
        limit = min(first_bytes, self._limits.max_bytes) if first_bytes else self._limits.max_bytes
        self._received = ResponseBuffer(limit)
        self.range = f"0-{limit - 1}" if first_bytes else ""
        if self.range:
            self.curl.setopt(pycurl.RANGE, self.range)
        else:
            self.curl.unsetopt(pycurl.RANGE)
        if headers is not None:  # also none for this URL: a handle keeps those of the last one
            self.curl.setopt(pycurl.HTTPHEADER, list(_merged(self._limits.headers, headers)))
        self.curl.setopt(pycurl.URL, url)
        self.curl.setopt(pycurl.NOPROGRESS, 1)
        self.curl.setopt(pycurl.FORBID_REUSE, 0 if keep else 1)
        self.curl.setopt(pycurl.FRESH_CONNECT, 1 if fresh else 0)
        if cookie:
            self.curl.setopt(pycurl.COOKIE, cookie)
        else:
            self.curl.unsetopt(pycurl.COOKIE)

    def end(self, code: int, message: str) -> None:
        """Set the result: libcurl has finished this transfer, with success (`code` 0) or an error."""
        received = self._received
        self.ended = time.time()
        if received.headers_complete:
            self.status = self.curl.getinfo(pycurl.RESPONSE_CODE)
        if self.fault or self.cut:
            pass  # our own callback stopped it and set the reason
        elif received.body_complete:
            pass  # the length that libcurl overlooked is reached
        elif code:
            self._set_fault(code, message)
        elif not received.headers_complete:
            self.fault = curl_errors.INCOMPLETE_HEADERS
        if self.fault and received.headers_complete:
            self.cut = True
        if not self.done.done():
            self.done.set_result(None)

    def clear(self) -> None:
        """Drop the response, so that an idle transfer holds no page in memory."""
        self._received = ResponseBuffer(0)

    @property
    def head(self) -> bytes:
        """The header block, empty until it is complete."""
        return self._received.head

    @property
    def body(self) -> bytes:
        """The entity body as far as it arrived, within the limits."""
        return self._received.body

    def _set_fault(self, code: int, message: str) -> None:
        received = self._received
        complete = received.headers_complete
        if self.refused and not self.sent:
            self.fault = f"refused address {self.refused}"
        elif complete and "unexpected eof" in message and not received.is_framed:
            self.cut = True  # TLS ended without close_notify; browsers take the page, and so do we
        else:
            fault = curl_errors.phrase(
                self.curl, code, message, sent=self.sent, begun=received.has_headers, whole=complete
            )
            ours = self._limits.proxy and not self.sent and code == pycurl.E_COULDNT_CONNECT
            self.fault = f"{curl_errors.NO_PROXY}: {fault}" if ours and "proxy" not in fault else fault

    def _on_open(self, _purpose: int, target: tuple[int, int, int, tuple[str, int]]) -> "_OpenSocket | int":
        """Open a socket. No other place does, so the address guard is checked here."""
        family, kind, protocol, endpoint = target
        if family not in (socket.AF_INET, socket.AF_INET6):
            return int(pycurl.SOCKET_BAD)
        # Through a proxy every socket goes to the proxy, which the user configured.
        if not self._limits.proxy and not self._limits.guard.permits(endpoint[0]):
            self.refused = endpoint[0]
            return int(pycurl.SOCKET_BAD)
        try:
            return _OpenSocket(socket.socket(family, kind, protocol).detach())
        except OSError as error:
            full = error.errno in (errno.EMFILE, errno.ENFILE)
            self.fault = curl_errors.TOO_MANY_FILES if full else (error.strerror or "no socket").lower()
            return int(pycurl.SOCKET_BAD)

    def _on_opened(self, descriptor: int, _purpose: int) -> int:
        self._descriptors.append(descriptor)
        return int(pycurl.SOCKOPT_OK)

    def _on_request(self, address: str, _local: str, port: int, local_port: int) -> int:
        """Record the address really connected to, just before the request is sent."""
        route = (address, port, local_port)
        if self.sent:
            # A reused connection died and libcurl would send the request again at once. Retries belong to
            # the crawl loop, which knows how long to wait for this host.
            self.fault = curl_errors.CLOSED
            return int(pycurl.PREREQFUNC_ABORT)
        if self._descriptors:
            self._limits.connections.add(route, self._descriptors)
        elif not self._limits.connections.is_idle(route):
            self.stale = True  # nothing was sent yet: the fetcher retries on a new connection
            return int(pycurl.PREREQFUNC_ABORT)
        self.sent = True
        self.fault = ""  # one of several addresses may have failed before this one connected
        self.address = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        return int(pycurl.PREREQFUNC_OK)

    def _on_header(self, line: bytes) -> int | None:
        received = self._received
        is_trailer = received.headers_complete
        self._idle_turns = 0
        if fault := received.add_header(line):
            return self._stop(fault)
        if is_trailer or not received.headers_complete:
            return None
        if received.read_framing():
            self.done.get_loop().call_soon(self._watch, self.done)
        return 0 if received.body_complete else None

    def _watch(self, done: asyncio.Future[None]) -> None:
        """Enable the progress callback: bytes between chunks reach none of the other callbacks.

        Small pages are done before this is called; for them it would cost 10 µs a page for nothing.
        """
        if done is self.done and not done.done():
            self.curl.setopt(pycurl.NOPROGRESS, 0)

    def _on_body(self, piece: bytes) -> int | None:
        received = self._received
        received.add_body(piece)
        self._idle_turns = 0
        if received.is_too_long:
            self.cut = True
            return 0
        if received.body_complete:
            return 0
        return self._stop(curl_errors.TOO_MANY_PIECES) if received.is_fragmented else None

    def _on_progress(self, _total: int, _now: int, _up_total: int, _up_now: int) -> int:
        self._idle_turns += 1
        if self._idle_turns > IDLE_TURNS:
            self.fault = curl_errors.NO_PROGRESS
            return 1
        return 0

    def _stop(self, fault: str) -> int:
        self.fault = fault
        return 0  # fewer bytes than were given: libcurl ends the transfer


def _handle(limits: Limits) -> pycurl.Curl:
    """Create a libcurl handle with the options that are the same for all URLs."""
    seconds = min(limits.timeout, MAX_SECONDS)
    curl = pycurl.Curl()
    for option, value in (
        (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
        (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1),
        (pycurl.HTTP09_ALLOWED, 0),
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.PATH_AS_IS, 1),
        (pycurl.NETRC, pycurl.NETRC_IGNORED),
        (pycurl.NOSIGNAL, 1),
        (pycurl.TIMEOUT_MS, int(seconds * 1_000) or 1),
        (pycurl.CONNECTTIMEOUT_MS, int(min(seconds, MAX_CONNECT_SECONDS) * 1_000) or 1),
        (pycurl.DNS_CACHE_TIMEOUT, 60),
        (pycurl.MAXAGE_CONN, 60),
        (pycurl.BUFFERSIZE, 65_536),
        (pycurl.CAINFO, certifi.where()),
        (pycurl.SSL_VERIFYPEER, 1),
        (pycurl.SSL_VERIFYHOST, 2),
        (pycurl.PROXY, limits.proxy),  # empty: none, whatever the environment variables are
        (pycurl.NOPROXY, ""),
        (pycurl.PROXY_CAINFO, certifi.where()),
        (pycurl.HEADEROPT, pycurl.HEADER_SEPARATE),  # our headers are for the site, not for the proxy
        (pycurl.HTTPHEADER, list(limits.headers)),
        (pycurl.USERAGENT, ""),
        (_DISALLOW_USERNAME_IN_URL, 1),
        (_SUPPRESS_CONNECT_HEADERS, 1),
        (_QUICK_EXIT, 1),
    ):
        curl.setopt(option, value)
    if limits.resolve:
        curl.setopt(pycurl.RESOLVE, list(limits.resolve))
    return curl
