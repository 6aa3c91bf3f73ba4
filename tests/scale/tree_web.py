"""A web on loopback for crawls in shards: a binary tree of pages over many hosts, served by a proxy with a log."""

import asyncio
import threading
import time
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass
class TreeWeb:
    """`pages` pages over `hosts` hosts: page k links to 2k + 1 and 2k + 2, which mostly lie elsewhere."""

    pages: int = 200
    hosts: int = 20
    latency: float = 0.0
    log: list[tuple[float, str]] = field(default_factory=list)
    port: int = 0

    @property
    def proxy(self):
        return f"http://127.0.0.1:{self.port}"

    def url(self, k):
        return f"http://host{k % self.hosts}.example/page{k}"

    @property
    def urls(self):
        return {self.url(k) for k in range(self.pages)}

    def body(self, k):
        links = [child for child in (2 * k + 1, 2 * k + 2) if child < self.pages]
        topic = "lighthouse keeper lantern" if k % 3 == 0 else "ordinary words"
        anchors = "".join(
            f'<p><a href="{self.url(child)}">page {child} of the tree</a></p>' for child in links
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
        for at, url in self.log:
            times[url.split("/")[2]].append(at)
        return {
            host: min(later - earlier for earlier, later in pairwise(some))
            for host, some in times.items()
            if len(some) > 1
        }

    async def serve(self, reader, writer):
        try:
            while line := await reader.readline():
                while (await reader.readline()).strip():
                    pass
                url = line.split()[1].decode()
                self.log.append((time.monotonic(), url))
                await asyncio.sleep(self.latency)
                status, body = self.answer(url)
                kind = b"text/plain" if url.endswith(".txt") else b"text/html"
                writer.write(
                    b"HTTP/1.1 %d OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                    % (status, kind, len(body), body)
                )
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


@contextmanager
def serving(web):
    """Serve a web from a thread until the block ends."""
    loop = asyncio.new_event_loop()

    async def open_server():
        return await asyncio.start_server(web.serve, "127.0.0.1", 0)

    server = loop.run_until_complete(open_server())
    web.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def close_server():
        server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    try:
        yield web
    finally:
        asyncio.run_coroutine_threadsafe(close_server(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
