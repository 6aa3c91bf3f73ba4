"""A web of tiny sites on loopback whose every byte is chosen by the case, and one access log of it all.

Each `Site` listens on its own address 127.1.x.y, so that each has its own robots.txt and its own clock.
An answer is an `Answer` (framed honestly), a `Raw` (sent exactly as written), a function of the request
that gives one of those, or a coroutine that holds the wire and may do anything to it.

The log is one JSON object a line: `kind` is "request" or "connection"; times are wall time in seconds.
A request counts as complete when the kernel took its last byte while the client was still there.
"""

import asyncio
import contextlib
import hashlib
import inspect
import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Self

CERTIFICATE = Path(__file__).with_name("selfsigned.pem")
HTML = ("Content-Type", "text/html; charset=utf-8")


class Gone(Exception):  # noqa: N818 - reads aloud better without "Error"
    """The client closed the connection while a handler was still at work."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came over the wire."""

    method: str
    target: str
    headers: dict[str, str]
    connection: int
    turn: int
    """Which request on this connection it is, from 1."""
    visit: int
    """How often this target was asked for on this site, this time included."""

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with honest framing: by length, in chunks, or up to the close."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (HTML,)
    framing: str = "length"

    def encode(self) -> bytes:
        lines = [f"HTTP/1.1 {self.status} {'OK' if self.status == 200 else 'Answer'}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.framing == "length":
            lines.append(f"Content-Length: {len(self.body)}")
        elif self.framing == "chunked":
            lines.append("Transfer-Encoding: chunked")
        else:
            lines.append("Connection: close")
        head = "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n"
        return head + (chunked(self.body) if self.framing == "chunked" else self.body)


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes sent exactly as written; afterwards the connection is closed, kept or reset."""

    data: bytes
    then: str = "close"


class Wire:
    """An open connection as a handler sees it; it counts what it sends and notices who left."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.sent = 0
        self.status = 0
        self.digest = ""
        self.keep = False

    async def send(self, data: bytes) -> None:
        if not self.sent and data[:5] == b"HTTP/" and data[9:12].isdigit():
            self.status = int(data[9:12])
        try:
            self.writer.write(data)
            await self.writer.drain()
            await asyncio.sleep(
                0
            )  # drain does not yield while the kernel keeps up; a flood must not stop the others
        except (ConnectionError, ssl.SSLError, OSError) as error:
            raise Gone from error
        self.sent += len(data)

    async def pause(self, seconds: float) -> None:
        """Wait, unless the client leaves first."""
        try:
            left = await asyncio.wait_for(self.reader.read(65_536), seconds)
        except TimeoutError:
            return
        except (ConnectionError, OSError) as error:
            raise Gone from error
        if not left:
            raise Gone

    async def drip(self, data: bytes, every: float, size: int = 1) -> None:
        """Send `data` in pieces of `size`, one each `every` seconds."""
        for start in range(0, len(data), size):
            await self.send(data[start : start + size])
            await self.pause(every)

    def reset(self) -> None:
        """Hang up with RST instead of FIN."""
        sock = self.writer.get_extra_info("socket")
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Handler = Callable[[Request, Wire], Awaitable[None]]
Reply = Answer | Raw | Callable[[Request], Answer | Raw] | Handler


@dataclass
class Site:
    """One address and port with its answers by path; `/robots.txt` allows everything unless told."""

    name: str
    web: "Web"
    listener: socket.socket
    scheme: str = "http"
    routes: dict[str, Reply] = field(default_factory=dict)
    otherwise: Reply = Answer(b"<title>gone</title>", status=404)
    wild: Callable[[Wire], Awaitable[None]] | None = None
    """Takes over whole connections, before any request is read."""
    visits: dict[str, int] = field(default_factory=dict)
    deaf: bool = False
    """Listens but never accepts: the handshake of TCP itself hangs."""

    @property
    def address(self) -> str:
        return str(self.listener.getsockname()[0])

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    @property
    def authority(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    def url(self, path: str = "/") -> str:
        return self.origin + path

    def on(self, path: str, reply: Reply) -> None:
        """Answer `path` (everything before the query, or the whole target) with `reply`."""
        self.routes[path] = reply

    def robots(self, text: str | bytes) -> None:
        body = text.encode() if isinstance(text, str) else text
        self.routes["/robots.txt"] = Answer(body, headers=(("Content-Type", "text/plain"),))

    def sister(self, name: str, *, same_address: bool = False, scheme: str = "http") -> "Site":
        """Open another site that belongs to the same case."""
        return self.web.site(
            f"{self.name}/{name}", address=self.address if same_address else "", scheme=scheme
        )

    def find(self, request: Request) -> Reply:
        return self.routes.get(request.target) or self.routes.get(request.path) or self.otherwise


class Web:
    """All sites of a run, served by one thread, with one access log."""

    def __init__(self, folder: Path) -> None:
        self.log_path = folder / "access.jsonl"
        self.sites: dict[str, Site] = {}
        self._numbers = count(1)
        self._connections = count(1)
        self._write_lock = threading.Lock()
        self.requests = 0
        """How many requests have come so far, answered or not."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self._blockers: list[socket.socket] = []

    def site(self, name: str, *, address: str = "", port: int = 0, scheme: str = "http") -> Site:
        """Bind a new site; it may be filled with answers until `start`."""
        if not address:
            high, low = divmod(next(self._numbers), 250)
            address = f"127.1.{high}.{low + 1}"
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        made = Site(name, self, listener, scheme)
        made.robots("User-agent: *\nDisallow:\n")
        self.sites[name] = made
        return made

    def start(self) -> None:
        self._log = self.log_path.open("a", encoding="utf-8", buffering=1)
        self._thread.start()
        for site in self.sites.values():
            if site.deaf:
                self._fill_backlog(site)
            else:
                asyncio.run_coroutine_threadsafe(self._listen(site), self._loop).result(10)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
        for sock in [*self._blockers, *(site.listener for site in self.sites.values())]:
            sock.close()
        self._log.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _fill_backlog(self, site: Site) -> None:
        site.listener.listen(0)
        for _ in range(4):  # one or two are taken by the queue, the others hang as ours will
            sock = socket.socket()
            sock.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                sock.connect((site.address, site.port))
            self._blockers.append(sock)

    async def _listen(self, site: Site) -> None:
        context = None
        if site.scheme == "https" and site.wild is None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task
            self._tasks.add(task)
            try:
                await self._serve(site, reader, writer)
            finally:
                self._tasks.discard(task)

        await asyncio.start_server(serve, sock=site.listener, ssl=context, backlog=256, limit=2**21)

    async def _hang_up(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0.05)

    def _note(self, **entry: object) -> None:
        with self._write_lock:
            self._log.write(json.dumps(entry) + "\n")

    async def _serve(self, site: Site, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = next(self._connections)
        opened = time.time()
        writer.transport.set_write_buffer_limits(0)
        sent = 0
        try:
            for turn in count(1):
                wire = Wire(reader, writer)
                go_on = (
                    await self._wild(site, wire) if site.wild else await self._one(site, wire, number, turn)
                )
                sent += wire.sent
                if not go_on:
                    break
        except (ConnectionError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self._note(
                kind="connection", site=site.name, host=site.authority, connection=number,
                opened=opened, closed=time.time(), sent=sent,
            )  # fmt: skip
            writer.close()
            with contextlib.suppress(ConnectionError, OSError, ssl.SSLError, TimeoutError):
                await asyncio.wait_for(writer.wait_closed(), 1)

    async def _wild(self, site: Site, wire: Wire) -> bool:
        assert site.wild
        with contextlib.suppress(Gone):
            await site.wild(wire)
        return False

    async def _one(self, site: Site, wire: Wire, number: int, turn: int) -> bool:
        """Read one request, answer it, note it; tell whether the connection lives on."""
        head = await wire.reader.readuntil(b"\r\n\r\n")
        started = time.time()
        self.requests += 1
        request = _parse(head, number, turn, site.visits)
        complete = False
        try:
            await _reply(site.find(request), request, wire)
            complete = not wire.writer.transport.is_closing()
        except Gone:
            wire.keep = False
        finally:
            self._note(
                kind="request", site=site.name, host=site.authority, scheme=site.scheme, connection=number,
                turn=turn, started=started, ended=time.time(), method=request.method, target=request.target,
                headers=request.headers, status=wire.status, sent=wire.sent, complete=complete,
                digest=wire.digest,
            )  # fmt: skip
        return wire.keep


def _parse(head: bytes, connection: int, turn: int, visits: dict[str, int]) -> Request:
    first, *lines = head.decode("utf-8", "surrogateescape").split("\r\n")
    method, _, rest = first.partition(" ")
    target = rest.rpartition(" ")[0]
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines if line)
    }
    visits[target] = visits.get(target, 0) + 1
    return Request(method, target, headers, connection, turn, visits[target])


async def _reply(reply: Reply, request: Request, wire: Wire) -> None:
    if inspect.iscoroutinefunction(reply):
        await reply(request, wire)
        return
    made = reply(request) if callable(reply) else reply
    if isinstance(made, Answer):
        wire.digest = "sha1:" + hashlib.sha1(made.body, usedforsecurity=False).hexdigest()
        data = made.encode()
        await wire.send(data.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if request.method == "HEAD" else data)
        wire.keep = made.framing != "close" and request.headers.get("connection", "").lower() != "close"
    elif isinstance(made, Raw):
        await wire.send(made.data)
        wire.keep = made.then == "keep"
        if made.then == "reset":
            wire.reset()


def chunked(body: bytes, size: int = 1_000, trailer: bytes = b"") -> bytes:
    """Return `body` in chunked coding."""
    pieces = [body[i : i + size] for i in range(0, len(body), size)]
    return b"".join(b"%X\r\n%b\r\n" % (len(p), p) for p in pieces) + b"0\r\n" + trailer + b"\r\n"


def free_port(addresses: Iterable[str]) -> int:
    """Return a port that is free on every one of the addresses."""
    for _ in range(100):
        with contextlib.ExitStack() as stack:
            port = 0
            try:
                for address in addresses:
                    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
                    stack.enter_context(contextlib.closing(sock))
                    sock.bind((address, port))
                    port = sock.getsockname()[1]
            except OSError:
                continue
            return port
    msg = "no port is free on all of these addresses; close some services"
    raise RuntimeError(msg)
