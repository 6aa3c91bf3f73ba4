"""An HTTP proxy on loopback that serves every host of a synthetic web over real sockets.

Requests come as `GET http://host/path HTTP/1.1`, or with a path and a Host header. Connections are kept
alive. The server has no access to the ground truth: it sends what `Web.respond` returns.
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
_MAX_REQUEST = 65_536  # bytes
_BUSY_REQUESTS = 3  # requests that a busy host refuses at first


@dataclass(slots=True)
class ServerBehaviour:
    """Latency and failures of the hosts; without them every response comes at once.

    `latency` is the mean seconds of a response; some hosts are ten times as slow. `failures` is the share
    of URLs that return 503 on the first request. With `lively`, one host in fifty refuses its first
    requests with 429, and one in thirty is slow.
    """

    latency: float = 0.0
    failures: float = 0.0
    lively: bool = False
    failed: set[str] = field(default_factory=set)
    requests: dict[str, int] = field(default_factory=dict)

    def delay(self, url: str) -> float:
        """Return the seconds a response takes."""
        host = url.split("/", 3)[2]
        slow = randomness.hash_text(host) % 30 == 0
        wait = self.latency * (0.5 + randomness.hash_text(url) * randomness.UNIT) * (10 if slow else 1)
        return wait + (0.4 if slow and self.lively else 0.0)

    def error_response(self, url: str) -> SyntheticResponse | None:
        """Return the error a host responds with, None when it serves the page."""
        if url.endswith("/robots.txt"):
            return None
        host = url.split("/", 3)[2]
        if self.lively and randomness.mix(randomness.hash_text(host)) % 50 == 0:
            count = self.requests[host] = self.requests.get(host, 0) + 1
            if count <= _BUSY_REQUESTS:
                return SyntheticResponse(
                    429, (("Retry-After", "1"), ("Content-Type", "text/plain")), b"Too many requests"
                )
        if (
            self.failures
            and url not in self.failed
            and randomness.hash_text(url) * randomness.UNIT < self.failures
        ):
            self.failed.add(url)
            return SyntheticResponse(503, (("Content-Type", "text/plain"),), b"Service unavailable")
        return None


class Proxy(asyncio.Protocol):
    """One connection: read requests one after the other and respond to each."""

    def __init__(
        self, web: Web | BookWeb, behaviour: ServerBehaviour, transports: set[asyncio.Transport]
    ) -> None:
        self.web = web
        self.behaviour = behaviour
        self.transports = transports
        self.buffer = b""
        self.waiting: asyncio.TimerHandle | None = None
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.transports.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the reason is not needed
        if self.transport is not None:
            self.transports.discard(self.transport)
        self.transport = None
        if self.waiting:
            self.waiting.cancel()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if self.waiting is None:
            self._serve()

    def _serve(self) -> None:
        """Respond to all requests that have arrived completely."""
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
            if not url or not length.isdigit() or int(length) > _MAX_REQUEST or "transfer-encoding" in fields:
                self._write(_plain_text(400, "Bad request"), keep=False)
                return
            self.buffer = self.buffer[int(length) :]
            if method not in {"GET", "HEAD"}:
                self._write(_plain_text(405, "Method not allowed"), keep=keep)
                continue
            wait = self.behaviour.delay(url) if self.behaviour.latency or self.behaviour.lively else 0.0
            if wait:
                loop = asyncio.get_running_loop()
                self.waiting = loop.call_later(wait, self._respond_late, url, method, keep)
                return
            self._write(self._response(url), keep=keep, body=method == "GET")
        if len(self.buffer) > _MAX_REQUEST:
            self._write(_plain_text(400, "Bad request"), keep=False)

    def _respond_late(self, url: str, method: str, keep: bool) -> None:
        self.waiting = None
        self._write(self._response(url), keep=keep, body=method == "GET")
        self._serve()

    def _response(self, url: str) -> SyntheticResponse:
        return self.behaviour.error_response(url) or self.web.respond(url)

    def _write(self, response: SyntheticResponse, *, keep: bool, body: bool = True) -> None:
        if self.transport is None:
            return
        fields = "".join(f"{name}: {value}\r\n" for name, value in response.headers)
        head = (
            f"HTTP/1.1 {response.status} {_REASONS.get(response.status, '')}\r\n{fields}"
            f"Content-Length: {len(response.body)}\r\nConnection: {'keep-alive' if keep else 'close'}\r\n\r\n"
        ).encode("latin-1")
        self.transport.write(head + response.body if body else head)
        if not keep:
            self.transport.close()
            self.transports.discard(self.transport)
            self.transport = None


def _request(line: str, fields: dict[str, str]) -> tuple[str, str]:
    """Return method and full URL of a request; an empty URL when it is malformed."""
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


def _plain_text(status: int, text: str) -> SyntheticResponse:
    return SyntheticResponse(status, (("Content-Type", "text/plain"),), text.encode())


async def serve(
    web: Web | BookWeb,
    behaviour: ServerBehaviour,
    port: int = 0,
    transports: set[asyncio.Transport] | None = None,
) -> asyncio.Server:
    """Start a server on loopback; port 0 takes any free one. Open connections are added to `transports`."""
    loop = asyncio.get_running_loop()
    transports = transports if transports is not None else set()
    return await loop.create_server(lambda: Proxy(web, behaviour, transports), "127.0.0.1", port)


def proxy_url(server: asyncio.Server) -> str:
    """Return the URL of the proxy."""
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
    """Serve a web while the block runs; yield the URL of the proxy.

    It runs in a thread, or in a `process` of its own so that generating pages costs the crawler no time.
    """
    if process:
        with _in_process(web, latency, failures, lively) as proxy:
            yield proxy
        return
    behaviour = ServerBehaviour(latency, failures, lively)
    loop = asyncio.new_event_loop()
    transports: set[asyncio.Transport] = set()
    server = loop.run_until_complete(serve(web, behaviour, transports=transports))
    thread = threading.Thread(target=loop.run_forever, name="synthetic-web", daemon=True)
    thread.start()
    try:
        yield proxy_url(server)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        for transport in list(transports):
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
