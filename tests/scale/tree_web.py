"""A web on loopback for crawls in shards: a binary tree of pages over many hosts, served by a proxy with a log."""

import socket
import socketserver
import struct
import threading
import time
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise

SO_TIMESTAMPNS = 35
"""Linux: let the kernel say when bytes have arrived. A busy machine reads them later, but not in another order."""

AHEAD = 40
"""Pages that a growing web has beyond those that were asked for."""


@dataclass
class TreeWeb:
    """`pages` pages over `hosts` hosts: page k links to two more, which mostly lie elsewhere.

    A `growing` web has more: it grows with each page that is asked for, so that no crawl comes to its end before
    `finish`. `log` is when each request has arrived, by the monotonic clock.
    """

    pages: int = 200
    hosts: int = 20
    latency: float = 0.0
    growing: bool = False
    log: list[tuple[float, str]] = field(default_factory=list)
    port: int = 0
    _children: dict[int, range] = field(default_factory=dict)
    _linked: int = 1
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def proxy(self):
        return f"http://127.0.0.1:{self.port}"

    def url(self, k):
        return f"http://host{k % self.hosts}.example/page{k}"

    @property
    def urls(self):
        return {self.url(k) for k in range(max(self.pages, self._linked if self._children else 0))}

    def finish(self):
        """Let a growing web grow no more."""
        self.growing = False

    def children(self, k):
        """Return the pages that page k links to; the same whenever it is asked for."""
        with self._lock:
            if k not in self._children:
                if 2 * k + 1 < self.pages:
                    more = range(2 * k + 1, min(2 * k + 3, self.pages))
                elif (
                    self.growing and self._linked >= self.pages and self._linked < len(self._children) + AHEAD
                ):
                    more = range(self._linked, self._linked + 2)
                else:
                    more = range(0)
                self._children[k] = more
                self._linked = max(self._linked, more.stop)
            return self._children[k]

    def body(self, k):
        topic = "lighthouse keeper lantern" if k % 3 == 0 else "ordinary words"
        anchors = "".join(
            f'<p><a href="{self.url(child)}">page {child} of the tree</a></p>' for child in self.children(k)
        )
        return f"<html lang=en><title>Page {k}</title><body><main><p>{topic} number {k}</p>{anchors}</main></body></html>"

    def answer(self, url):
        path = url.split("/", 3)[-1]
        if path.startswith("page") and path[4:].isdigit() and url == self.url(int(path[4:])):
            return 200, self.body(int(path[4:])).encode()
        return (200, b"User-agent: *\nAllow: /\n") if path == "robots.txt" else (404, b"nothing here")

    def requests(self):
        """Count the requests for each page."""
        return Counter(url for _, url in self.log if not url.endswith("/robots.txt"))

    def gaps(self):
        """Return the smallest gap between the starts of two requests to each host."""
        times = defaultdict(list)
        for at, url in sorted(self.log):
            times[url.split("/")[2]].append(at)
        return {
            host: min(later - earlier for earlier, later in pairwise(some))
            for host, some in times.items()
            if len(some) > 1
        }

    def serve(self, connection):
        """Answer the requests of one connection, one after the other."""
        while request := _request(connection):
            at, url = request
            self.log.append((at, url))
            time.sleep(self.latency)
            status, body = self.answer(url)
            kind = b"text/plain" if url.endswith(".txt") else b"text/html"
            head = b"HTTP/1.1 %d OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            connection.sendall(head % (status, kind, len(body)) + body)


def _request(connection):
    """Return when the next request of a connection has arrived, and its URL; None at the end."""
    data, began = b"", None
    while b"\r\n\r\n" not in data:
        more, notes, _, _ = connection.recvmsg(65536, 256)
        if not more:
            return None
        data += more
        began = began or _arrived(notes)
    return began, data.split()[1].decode()


def _arrived(notes):
    """Return when bytes have arrived, by the monotonic clock: as the kernel says, or now."""
    for level, kind, value in notes:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
            seconds, nanoseconds = struct.unpack("@ll", value)
            return time.monotonic() - (time.time() - seconds - nanoseconds / 1e9)
    return time.monotonic()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256


@contextmanager
def serving(web):
    """Serve a web from threads until the block ends."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            with suppress(OSError):
                web.serve(self.request)

    with _Server(("127.0.0.1", 0), Handler) as server:
        with suppress(OSError):
            server.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)  # connections inherit it
        web.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield web
        finally:
            server.shutdown()
            thread.join()
