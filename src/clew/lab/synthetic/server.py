"""One HTTP proxy on loopback that answers for every host of a made-up web, over real sockets.

Requests come as `GET http://host/path HTTP/1.1`, or with a path and a Host header. Connections are kept
alive. The server knows nothing about truth: it passes on what `Web.answer` gives.
"""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus

from clew.errors import ClewError
from clew.lab.synthetic import randomness
from clew.lab.synthetic.books import BookWeb
from clew.lab.synthetic.web import SyntheticResponse, Web

_REASONS = {status.value: status.phrase for status in HTTPStatus}
_LONGEST = 65_536  # bytes of a request
_BUSY_AT_FIRST = 3  # requests that a busy host turns away


@dataclass(slots=True)
class ServerBehaviour:
    """How well the hosts feel: what is added to a web that would answer at once and always.

    `latency` is seconds for an answer, on average; some hosts are ten times as slow. `failures` is the
    share of addresses that answer 503 when they are asked for the first time. With `lively`, one host in
    fifty turns its first visitors away with 429, and one in thirty takes its time.
    """

    latency: float = 0.0
    failures: float = 0.0
    lively: bool = False
    seen: set[str] = field(default_factory=set)
    asked: dict[str, int] = field(default_factory=dict)

    def wait(self, url: str) -> float:
        """Return the seconds this answer takes."""
        host = url.split("/", 3)[2]
        slow = randomness.name(host) % 30 == 0
        wait = self.latency * (0.5 + randomness.name(url) * randomness.UNIT) * (10 if slow else 1)
        return wait + (0.4 if slow and self.lively else 0.0)

    def refusal(self, url: str) -> SyntheticResponse | None:
        """Return what a host in a bad mood says, None when it answers."""
        if url.endswith("/robots.txt"):
            return None
        host = url.split("/", 3)[2]
        if self.lively and randomness.mix(randomness.name(host)) % 50 == 0:
            turn = self.asked[host] = self.asked.get(host, 0) + 1
            if turn <= _BUSY_AT_FIRST:
                return SyntheticResponse(
                    429, (("Retry-After", "1"), ("Content-Type", "text/plain")), b"Too many requests"
                )
        if self.failures and url not in self.seen and randomness.name(url) * randomness.UNIT < self.failures:
            self.seen.add(url)
            return SyntheticResponse(503, (("Content-Type", "text/plain"),), b"Service unavailable")
        return None


class Proxy(asyncio.Protocol):
    """One connection: reads requests, one after the other, and answers each."""

    def __init__(self, web: Web | BookWeb, moods: ServerBehaviour, known: set[asyncio.Transport]) -> None:
        self.web = web
        self.moods = moods
        self.known = known
        self.buffer = b""
        self.waiting: asyncio.TimerHandle | None = None
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.known.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the reason does not matter
        if self.transport is not None:
            self.known.discard(self.transport)
        self.transport = None
        if self.waiting:
            self.waiting.cancel()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if self.waiting is None:
            self._serve()

    def _serve(self) -> None:
        """Answer all requests that have come in whole."""
        while self.transport is not None and (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].decode("latin-1")
            self.buffer = self.buffer[end + 4 :]
            lines = head.split("\r\n")
            fields = {
                name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
            }
            length = fields.get("content-length", "0")
            keep = "close" not in fields.get("connection", fields.get("proxy-connection", "")).lower()
            method, url = _request(lines[0], fields)
            if not url or not length.isdigit() or int(length) > _LONGEST or "transfer-encoding" in fields:
                self._write(_said(400, "Bad request"), keep=False)
                return
            self.buffer = self.buffer[int(length) :]
            if method not in {"GET", "HEAD"}:
                self._write(_said(405, "Method not allowed"), keep=keep)
                continue
            wait = self.moods.wait(url) if self.moods.latency or self.moods.lively else 0.0
            if wait:
                loop = asyncio.get_running_loop()
                self.waiting = loop.call_later(wait, self._late, url, method, keep)
                return
            self._write(self._answer(url), keep=keep, body=method == "GET")
        if len(self.buffer) > _LONGEST:
            self._write(_said(400, "Bad request"), keep=False)

    def _late(self, url: str, method: str, keep: bool) -> None:
        self.waiting = None
        self._write(self._answer(url), keep=keep, body=method == "GET")
        self._serve()

    def _answer(self, url: str) -> SyntheticResponse:
        return self.moods.refusal(url) or self.web.answer(url)

    def _write(self, answer: SyntheticResponse, *, keep: bool, body: bool = True) -> None:
        if self.transport is None:
            return
        fields = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
        head = (
            f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}\r\n{fields}"
            f"Content-Length: {len(answer.body)}\r\nConnection: {'keep-alive' if keep else 'close'}\r\n\r\n"
        ).encode("latin-1")
        self.transport.write(head + answer.body if body else head)
        if not keep:
            self.transport.close()
            self.known.discard(self.transport)
            self.transport = None


def _request(line: str, fields: dict[str, str]) -> tuple[str, str]:
    """Return method and full address of a request; an empty address when it is none."""
    method, _, rest = line.partition(" ")
    target, _, version = rest.rpartition(" ")
    if not version.startswith("HTTP/1.") or not method.isalpha() or " " in target:
        return method, ""
    if target.startswith("/"):
        target = f"http://{fields.get('host', '')}{target}"
    scheme, separator, rest = target.partition("://")
    host, _, path = rest.partition("/")
    host = host.lower().removesuffix(":80")
    if scheme.lower() != "http" or not separator or not host:
        return method, ""
    return method, f"http://{host}/{path.partition('#')[0]}"


def _said(status: int, text: str) -> SyntheticResponse:
    return SyntheticResponse(status, (("Content-Type", "text/plain"),), text.encode())


async def serve(
    web: Web | BookWeb, moods: ServerBehaviour, port: int = 0, known: set[asyncio.Transport] | None = None
) -> asyncio.Server:
    """Begin to answer on loopback; port 0 takes any free one. Open connections are kept in `known`."""
    loop = asyncio.get_running_loop()
    transports = known if known is not None else set()
    return await loop.create_server(lambda: Proxy(web, moods, transports), "127.0.0.1", port)


def address_of(server: asyncio.Server) -> str:
    """Return the proxy's address."""
    return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@contextmanager
def serving(
    web: Web | BookWeb,
    *,
    process: bool = False,
    latency: float = 0.0,
    failures: float = 0.0,
    lively: bool = False,
) -> Iterator[str]:
    """Serve a web while the block runs, and give the proxy's address.

    It runs in a thread, or in a `process` of its own when the crawler should not pay for making the pages.
    """
    if process:
        with _in_process(web, latency, failures, lively) as proxy:
            yield proxy
        return
    moods = ServerBehaviour(latency, failures, lively)
    loop = asyncio.new_event_loop()
    known: set[asyncio.Transport] = set()
    server = loop.run_until_complete(serve(web, moods, known=known))
    thread = threading.Thread(target=loop.run_forever, name="madeup", daemon=True)
    thread.start()
    try:
        yield address_of(server)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        for transport in list(known):
            transport.abort()
        loop.run_until_complete(server.wait_closed())
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


@contextmanager
def _in_process(web: Web | BookWeb, latency: float, failures: float, lively: bool) -> Iterator[str]:
    which = ["--pages", str(web.size)] if isinstance(web, Web) else ["--books"]
    command = [
        sys.executable, "-m", "clew.lab.synthetic", *which, "--seed", str(web.seed), "--port", "0",
        "--latency", str(latency), "--failures", str(failures), *(["--lively"] if lively else []),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:  # noqa: S603 - our own module
        assert child.stdout is not None
        try:
            proxy = child.stdout.readline().strip()
            if not proxy.startswith("http://"):
                msg = "the synthetic web did not start; run `python -m clew.lab.synthetic` to see why"
                raise ClewError(msg)
            yield proxy
        finally:
            child.terminate()
