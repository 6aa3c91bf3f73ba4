"""One request and its answer: a libcurl handle, the limits on what comes in, and what came.

A transfer is used again and again for different links; `begin` clears it. libcurl calls the methods that
start with `_on`, from inside the event loop's turn; they only note things down or say stop.
"""

import asyncio
import errno
import os
import re
import socket
import time
from dataclasses import dataclass

import certifi
import pycurl

from clew.fetch import curl_errors
from clew.fetch.address_guard import AddressGuard
from clew.fetch.connection_check import ConnectionCheck

MAX_HEAD = 128 * 1024
"""Bytes of all header lines of one fetch: the answer's, those of interim answers, trailers."""

MAX_INTERIM = 20
MAX_SECONDS = 60.0
MAX_CONNECT_SECONDS = 10.0

MANY_PIECES = 20_000
TINY_PIECE = 64
"""More pieces than that, smaller than this on average, are an attack on our CPU, not a page."""

IDLE_TURNS = 100
"""Turns in which bytes came but neither a header line nor a body byte did: an endless chunk extension.
A flood brings some 0.3 MiB a turn, 30 MiB in all; a TLS record in small packets takes a dozen turns."""

ACCEPT = (
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Encoding: gzip, deflate, br, zstd",
    "Accept-Language: *",  # any language is welcome; some servers answer 406 when the line is missing
)

# libcurl options that pycurl does not name (curl.h): a user name in a URL is an error, a proxy's answer to
# CONNECT is not shown to us, and a resolver thread that hangs is left behind instead of waited for.
_DISALLOW_USERNAME_IN_URL = 278
_SUPPRESS_CONNECT_HEADERS = 265
_QUICK_EXIT = 322

_BLANK = (b"\r\n", b"\n")
_INTERIM = re.compile(rb"HTTP/\S+[ \t]+1\d\d", re.IGNORECASE)
_LENGTH = re.compile(rb"^content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r?$", re.MULTILINE)
_ODD_LENGTH = re.compile(
    rb"^(?:content-length[ \t]+:|transfer-encoding[ \t]*:[ \t]*identity[ \t]*\r?$)",
    re.IGNORECASE | re.MULTILINE,
)
_FRAMED = re.compile(rb"^(?:content-length|transfer-encoding)[ \t]*:", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What holds for every transfer of one fetcher."""

    agent: str
    timeout: float
    max_bytes: int
    proxy: str
    resolve: tuple[str, ...]
    guard: AddressGuard
    kept: ConnectionCheck

    @property
    def headers(self) -> tuple[str, ...]:
        """The header lines that every request carries."""
        return (f"User-Agent: {self.agent}", *ACCEPT) if self.agent else ACCEPT


class _Opened:
    """A socket on its way to libcurl, which duplicates the descriptor; ours closes when this is dropped."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def fileno(self) -> int:
        return self.descriptor

    def __del__(self) -> None:
        os.close(self.descriptor)


class Transfer:
    """A libcurl handle that fetches one address at a time."""

    __slots__ = (
        "_descriptors",
        "_head_size",
        "_idle",
        "_interim",
        "_interims",
        "_length",
        "_lines",
        "_most",
        "_pieces",
        "_size",
        "_terms",
        "address",
        "curl",
        "cut",
        "done",
        "ended",
        "fault",
        "head",
        "range",
        "refused",
        "sent",
        "stale",
        "started",
        "status",
        "whole",
    )  # fmt: skip

    def __init__(self, terms: Limits) -> None:
        self._terms = terms
        self.curl = _handle(terms)
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
        most: int = 0,
    ) -> None:
        """Clear what the last use left and take the next address; `done` is resolved at the end.

        `fresh` asks for a new connection, `keep` allows that it serves again. `most` asks for the first bytes
        only, so many; a server that sends more all the same is cut short.
        """
        self.done = done
        self.started = self.ended = time.time()
        self.status = self._head_size = self._size = self._interims = self._idle = 0
        self.head = b""
        self._lines: list[bytes] = []
        self._pieces: list[bytes] = []
        self.address = self.fault = self.refused = ""
        self.whole = self.cut = self.sent = self.stale = self._interim = False
        self._descriptors: list[int] = []
        self._length = -1
        self._most = min(most, self._terms.max_bytes) if most else self._terms.max_bytes
        self.range = f"0-{self._most - 1}" if most else ""
        if self.range:
            self.curl.setopt(pycurl.RANGE, self.range)
        else:
            self.curl.unsetopt(pycurl.RANGE)
        self.curl.setopt(pycurl.URL, url)
        self.curl.setopt(pycurl.NOPROGRESS, 1)
        self.curl.setopt(pycurl.FORBID_REUSE, 0 if keep else 1)
        self.curl.setopt(pycurl.FRESH_CONNECT, 1 if fresh else 0)
        if cookie:
            self.curl.setopt(pycurl.COOKIE, cookie)
        else:
            self.curl.unsetopt(pycurl.COOKIE)

    def end(self, code: int, message: str) -> None:
        """Conclude: libcurl is through with this transfer, for good (`code` 0) or bad."""
        self.ended = time.time()
        if self.whole:
            self.status = self.curl.getinfo(pycurl.RESPONSE_CODE)
        if self.fault or self.cut:
            pass  # our own callback stopped it and said why
        elif 0 <= self._length <= self._size:
            pass  # the length that libcurl overlooked is reached
        elif code:
            self._blame(code, message)
        elif not self.whole:
            self.fault = curl_errors.INCOMPLETE_HEADERS
        if self.fault and self.whole:
            self.cut = True
        if not self.done.done():
            self.done.set_result(None)

    def forget(self) -> None:
        """Let go of what came, so that a resting transfer holds no page in memory."""
        self.head = b""
        self._lines = []
        self._pieces = []

    def _blame(self, code: int, message: str) -> None:
        if self.refused and not self.sent:
            self.fault = f"refused address {self.refused}"
        elif self.whole and "unexpected eof" in message and not _FRAMED.search(self.head):
            self.cut = True  # TLS ended without a goodbye; browsers take the page, and so do we
        else:
            begun = bool(self._lines)
            fault = curl_errors.phrase(
                self.curl, code, message, sent=self.sent, begun=begun, whole=self.whole
            )
            ours = self._terms.proxy and not self.sent and code == pycurl.E_COULDNT_CONNECT
            self.fault = f"{curl_errors.NO_PROXY}: {fault}" if ours and "proxy" not in fault else fault

    @property
    def body(self) -> bytes:
        """The entity body as far as it came, within the limits."""
        body = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        limit = self._most if self._length < 0 else min(self._length, self._most)
        return body[:limit] if len(body) > limit else body

    def _on_open(self, _purpose: int, target: tuple[int, int, int, tuple[str, int]]) -> "_Opened | int":
        """Open a socket: the only place where that happens, and therefore the guard's."""
        family, kind, protocol, place = target
        if family not in (socket.AF_INET, socket.AF_INET6):
            return int(pycurl.SOCKET_BAD)
        # Through a proxy every socket goes to the proxy, which the person named.
        if not self._terms.proxy and not self._terms.guard.permits(place[0]):
            self.refused = place[0]
            return int(pycurl.SOCKET_BAD)
        try:
            return _Opened(socket.socket(family, kind, protocol).detach())
        except OSError as error:
            full = error.errno in (errno.EMFILE, errno.ENFILE)
            self.fault = curl_errors.TOO_MANY_FILES if full else (error.strerror or "no socket").lower()
            return int(pycurl.SOCKET_BAD)

    def _on_opened(self, descriptor: int, _purpose: int) -> int:
        self._descriptors.append(descriptor)
        return int(pycurl.SOCKOPT_OK)

    def _on_request(self, address: str, _local: str, port: int, local_port: int) -> int:
        """Note the address really connected to, just before the request is sent."""
        route = (address, port, local_port)
        if self.sent:
            # A kept connection died and libcurl would ask again at once. Asking again is the loop's
            # business: it knows how long this host wants to be left alone.
            self.fault = curl_errors.CLOSED
            return int(pycurl.PREREQFUNC_ABORT)
        if self._descriptors:
            self._terms.kept.note(route, self._descriptors)
        elif not self._terms.kept.quiet(route):
            self.stale = True  # nothing was sent yet: the fetcher begins again on a new connection
            return int(pycurl.PREREQFUNC_ABORT)
        self.sent = True
        self.fault = ""  # one of several addresses may have failed before this one connected
        self.address = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        return int(pycurl.PREREQFUNC_OK)

    def _on_header(self, line: bytes) -> int | None:
        self._head_size += len(line)
        self._idle = 0
        if self._head_size > MAX_HEAD:
            return self._stop(curl_errors.HEADERS_TOO_LARGE)
        if self.whole:  # a trailer: counted, not kept
            return None
        lines = self._lines
        if not lines:
            self._interim = _INTERIM.match(line) is not None
        lines.append(line)
        if line not in _BLANK:
            return None
        if not self._interim:
            self.whole = True
            self.head = b"".join(lines)
            return self._frame()
        if lines[0].split(None, 2)[1] == b"101":
            return self._stop(curl_errors.SWITCHED)
        lines.clear()
        self._interims += 1
        return self._stop(curl_errors.TOO_MANY_INTERIM) if self._interims > MAX_INTERIM else None

    def _frame(self) -> int | None:
        """Look how the body is framed, now that the header block is here."""
        head = self.head.lower()
        if b"transfer-encoding" in head:
            self.done.get_loop().call_soon(self._watch, self.done)
        if (b" :" in head or b"identity" in head) and _ODD_LENGTH.search(head):
            # libcurl overlooks this length and would wait for the end of the connection.
            if length := _LENGTH.search(head):
                self._length = int(length[1])
            if self._length == 0:
                return 0
        return None

    def _watch(self, done: asyncio.Future[None]) -> None:
        """Look on at every turn from now: bytes between chunks reach none of the other callbacks.

        Small pages are done before this is called; for all others it would be 10 µs a page for nothing.
        """
        if done is self.done and not done.done():
            self.curl.setopt(pycurl.NOPROGRESS, 0)

    def _on_body(self, piece: bytes) -> int | None:
        pieces = self._pieces
        pieces.append(piece)
        self._size += len(piece)
        self._idle = 0
        if self._size > self._most:
            self.cut = True
            return 0
        if 0 <= self._length <= self._size:
            return 0
        if len(pieces) > MANY_PIECES and self._size < len(pieces) * TINY_PIECE:
            return self._stop(curl_errors.TOO_MANY_PIECES)
        return None

    def _on_progress(self, _total: int, _now: int, _up_total: int, _up_now: int) -> int:
        self._idle += 1
        if self._idle > IDLE_TURNS:
            self.fault = curl_errors.NO_PROGRESS
            return 1
        return 0

    def _stop(self, fault: str) -> int:
        self.fault = fault
        return 0  # fewer bytes than were given: libcurl ends the transfer


def _handle(terms: Limits) -> pycurl.Curl:
    """Make a libcurl handle with everything that is the same for all addresses."""
    seconds = min(terms.timeout, MAX_SECONDS)
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
        (pycurl.PROXY, terms.proxy),  # empty: none, whatever the environment says
        (pycurl.NOPROXY, ""),
        (pycurl.PROXY_CAINFO, certifi.where()),
        (pycurl.HEADEROPT, pycurl.HEADER_SEPARATE),  # our headers are for the site, not for the proxy
        (pycurl.HTTPHEADER, list(terms.headers)),
        (pycurl.USERAGENT, ""),
        (_DISALLOW_USERNAME_IN_URL, 1),
        (_SUPPRESS_CONNECT_HEADERS, 1),
        (_QUICK_EXIT, 1),
    ):
        curl.setopt(option, value)
    if terms.resolve:
        curl.setopt(pycurl.RESOLVE, list(terms.resolve))
    return curl
