"""Let shards on other machines read the links that this one has found for them, over HTTP with a token."""

import hmac
import threading
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from clew.errors import ConfigError, StoreError
from clew.scale.outbox_format import pack_rows
from clew.store.outbox import Outbox

PATH = "/links"

IDLE_SECONDS = 60.0
"""Seconds after which a connection that asks nothing is closed."""


class LinkServer:
    """Serve the outboxes of the shard in `folder` at an address of this machine, from threads of its own.

    `GET /links?shard=3&after=17` returns the links for shard 3 after position 17. Without the token of the
    crawl, everything is refused.
    """

    def __init__(self, folder: Path, host: str, token: str) -> None:
        self.folder = folder
        self.host = host
        self.token = token
        self._outboxes: dict[int, Outbox] = {}
        self._thread = ThreadPoolExecutor(1, "clew-outboxes")  # SQLite wants its own thread
        self._server: ThreadingHTTPServer | None = None

    @property
    def address(self) -> str:
        """Where others reach it, empty before `start`."""
        return f"{self.host}:{self._server.server_address[1]}" if self._server else ""

    def start(self) -> None:
        """Begin to serve at a free port."""
        try:
            self._server = _LinkHttpServer((self.host, 0), _handler(self))
        except OSError as error:
            msg = f"cannot listen at {self.host} ({error.strerror}); name an address of this machine"
            raise ConfigError(msg) from error
        threading.Thread(target=self._server.serve_forever, name="clew-links", daemon=True).start()

    def read(self, shard: int, after: int) -> bytes:
        """Return the links for a shard after a position, packed."""
        return self._thread.submit(self._read, shard, after).result()

    def _read(self, shard: int, after: int) -> bytes:
        outbox = self._outboxes.setdefault(shard, Outbox(self.folder, shard))
        return pack_rows(outbox.rows(after))

    def close(self) -> None:
        """Stop serving."""
        if self._server is None:
            return
        self._server.shutdown()
        self._server.server_close()
        self._server = None
        self._thread.submit(self._close_outboxes)
        self._thread.shutdown()

    def _close_outboxes(self) -> None:
        for outbox in self._outboxes.values():
            outbox.close()


class _LinkHttpServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


def _handler(links: LinkServer) -> type[BaseHTTPRequestHandler]:
    class LinkHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = IDLE_SECONDS
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            given = self.headers.get("Authorization", "").encode("latin-1")
            if not hmac.compare_digest(given, f"Bearer {links.token}".encode()):
                self._answer(HTTPStatus.UNAUTHORIZED, b"")
                return
            parts = urlsplit(self.path)
            try:
                query = {name: int(values[0]) for name, values in parse_qs(parts.query).items()}
                shard, after = query["shard"], query["after"]
            except (ValueError, KeyError):
                self._answer(HTTPStatus.BAD_REQUEST, b"")
                return
            if parts.path != PATH or shard < 0 or after < 0:
                self._answer(HTTPStatus.NOT_FOUND, b"")
                return
            try:
                self._answer(HTTPStatus.OK, links.read(shard, after))
            except (StoreError, RuntimeError) as error:  # the latter while it is closed
                self._answer(HTTPStatus.SERVICE_UNAVAILABLE, str(error).encode())

        def _answer(self, status: HTTPStatus, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:  # noqa: ANN401 - as the base class has it
            """Print nothing: the output of a shard is read by a program."""

    return LinkHandler
