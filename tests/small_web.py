"""A few pages on loopback, written down as a dictionary, with a log of what was asked for."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Web:
    """Pages by path. A value is HTML, a `(status, headers, body)` triple, or a function of the request giving one."""

    pages: dict[str, object] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    origin: str = ""

    def answer(self, request: BaseHTTPRequestHandler) -> tuple[int, dict[str, str], bytes]:
        page = self.pages.get(request.path, (404, {}, b"not here"))
        if isinstance(page, Callable):
            page = page(request)
        if isinstance(page, str):
            page = (200, {}, page.encode())
        return page


class _Server(ThreadingHTTPServer):
    """A threaded server that prints no traceback when a client has closed its connection."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(pages: dict[str, object]) -> Iterator[Web]:
    web = Web(pages)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            web.asked.append(self.path)
            web.agents.add(self.headers.get("User-Agent", ""))
            web.headers[self.path] = dict(self.headers)
            status, headers, body = web.answer(self)
            self.send_response(status)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            self.do_GET()

        def log_message(self, *_):
            pass

    server = _Server(("127.0.0.1", 0), Handler)
    web.origin = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()


def linked(*paths: str, text: str = "", title: str = "A page") -> str:
    """Return a page that says something and links to paths."""
    anchors = "".join(f'<p><a href="{path}">to {path}</a></p>' for path in paths)
    return f"<html lang=en><title>{title}</title><body><main><p>{text}</p>{anchors}</main></body></html>"


QUICK = {"fetch.delay": 0, "fetch.allow": ["127.0.0.0/8"], "store.min_free": 0}
CONTACT = "https://crawler.uni-x.org/bot"
