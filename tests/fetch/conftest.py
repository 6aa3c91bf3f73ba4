"""Raw servers on loopback that answer with exactly the bytes a test wants."""

import asyncio
import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path

import pytest

from clew import urls
from clew.fetch import CurlFetcher
from clew.types import Link, Response

LOOPBACK = [ip_network("127.0.0.0/8"), ip_network("::1/128")]
RESET = b"\1\0\0\0\0\0\0\0"  # SO_LINGER on, no seconds: closing sends a reset

Talk = Callable[[socket.socket, int], bool | None]


@dataclass
class Server:
    """Answers request number `n` by `talk(connection, n)`; a true result keeps the connection."""

    talk: Talk
    tls: ssl.SSLContext | None = None
    host: str = "127.0.0.1"
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    open: int = 0
    most_open: int = 0

    def __post_init__(self) -> None:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        self._listener = socket.socket(family)
        self._listener.bind((self.host, 0))
        self._listener.listen(512)
        self._lock = threading.Lock()
        self._live: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def place(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"{'https' if self.tls else 'http'}://{self.place}{path}"

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._live:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                self.open += 1
                self.most_open = max(self.most_open, self.open)
                self._live.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, raw: socket.socket) -> None:
        connection = raw
        try:
            if self.tls:
                connection = self.tls.wrap_socket(raw, server_side=True)
                with self._lock:
                    self._live.add(connection)
            while (request := read_head(connection)) and self._answer(connection, request):
                pass
        except OSError:
            pass
        finally:
            connection.close()
            raw.close()
            with self._lock:
                self._live -= {connection, raw}
                self.open -= 1

    def _answer(self, connection: socket.socket, request: bytes) -> bool:
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
        return bool(self.talk(connection, number))


def read_head(connection: socket.socket) -> bytes:
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        piece = connection.recv(65_536)
        if not piece:
            return b""
        data += piece
    return data


def say(*answers: bytes, then: str = "close") -> Talk:
    """Give request `n` answer `n` (the last one from then on) and `keep`, `close`, `reset` or `hold`."""

    def talk(connection: socket.socket, number: int) -> bool:
        connection.sendall(answers[min(number, len(answers) - 1)])
        if then == "hold":
            connection.recv(1)  # until the client leaves
        if then == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        return then == "keep"

    return talk


def flood(start: bytes, again: bytes) -> Talk:
    """Send `start`, then `again` without end; counts what went out in `talk.sent`."""

    def talk(connection: socket.socket, _number: int) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(again)
            talk.sent += len(again)  # type: ignore[attr-defined]

    talk.sent = 0  # type: ignore[attr-defined]
    return talk


def link(url: str) -> Link:
    return Link(id=1, url=url, origin=urls.origin(url))


def get(*addresses: str, **settings: object) -> list[Response]:
    """Fetch addresses one after the other with one fetcher."""

    async def all_of_them() -> list[Response]:
        fetcher = CurlFetcher(**({"allow": LOOPBACK, "agent": "test/1", "timeout": 5} | settings))  # type: ignore[arg-type]
        try:
            return [await fetcher.fetch(link(address)) for address in addresses]
        finally:
            await fetcher.aclose()

    return asyncio.run(all_of_them())


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that another thread does."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0.01)


class Lab:
    """What the tests of this package work with."""

    allow = LOOPBACK
    flood = staticmethod(flood)
    get = staticmethod(get)
    link = staticmethod(link)
    read_head = staticmethod(read_head)
    say = staticmethod(say)
    until = staticmethod(until)

    def __init__(self) -> None:
        self.servers: list[Server] = []

    def serve(self, talk: Talk, **settings: object) -> Server:
        server = Server(talk, **settings)  # type: ignore[arg-type]
        self.servers.append(server)
        return server

    def answer(self, data: bytes, then: str = "close", **settings: object) -> Response:
        """Fetch once from a server that says `data`."""
        return get(self.serve(say(data, then=then)).url("/"), **settings)[0]


@pytest.fixture
def lab() -> Iterator[Lab]:
    lab = Lab()
    yield lab
    for server in lab.servers:
        server.close()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A fresh self-signed certificate for 127.0.0.1, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*command.split(), "-keyout", key, "-out", cert], check=True, capture_output=True)
    return cert, key


@pytest.fixture
def tls(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context
