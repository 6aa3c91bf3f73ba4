"""`python -m clew.search.serve DIR`: a small search server over a crawl, with SearXNG's JSON interface."""

import argparse
import asyncio
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qs, urlsplit

from clew.contracts import SearchResult
from clew.errors import ClewError
from clew.search.local_engine import LocalEngine, open_local

PAGE_SIZE = 10
"""Results on one page."""

MAX_PAGE = 100


class Handler(BaseHTTPRequestHandler):
    """Handle GET /search?q=…&format=json&pageno=…&language=…, as SearXNG does."""

    server: "Server"
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer waits 40 ms for an acknowledgement
    timeout = 30

    def do_GET(self) -> None:
        """Handle one request."""
        parts = urlsplit(self.path)
        parameters = {name: values[-1] for name, values in parse_qs(parts.query[:8_000]).items()}
        if parts.path not in ("/", "/search"):
            return self._send(404, "text/plain", "there is /search?q=…&format=json\n")
        if parameters.get("format") != "json":
            return self._send(403, "text/plain", "only format=json is supported\n")
        if not parameters.get("q", "").strip():
            return self._send(400, "text/plain", "q is missing\n")
        pageno = parameters.get("pageno", "1")
        page = min(int(pageno), MAX_PAGE) if pageno.isascii() and pageno.isdigit() and pageno != "0" else 1
        lang = parameters.get("language", "")
        body = self.server.answer(parameters["q"], page, "" if lang in ("all", "auto") else lang)
        return self._send(200, "application/json", json.dumps(body, ensure_ascii=False))

    def _send(self, status: int, mime: str, text: str) -> None:
        data = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", f"{mime}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: queries are private."""


class Server(ThreadingHTTPServer):
    """Serve one index on the loopback interface; port 0 selects a free one."""

    daemon_threads = True

    def __init__(self, engine: LocalEngine, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.engine = engine
        self._search_lock = Lock()

    @property
    def address(self) -> str:
        """URL of the server."""
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, query: str, page: int, lang: str) -> dict[str, object]:
        """Return one page of results in the shape of SearXNG."""
        with self._search_lock:
            answer = asyncio.run(self.engine.search(query, page * PAGE_SIZE, lang))
        return {
            "query": query,
            "number_of_results": answer.total or 0,
            "results": [_result(each) for each in answer.results[(page - 1) * PAGE_SIZE :]],
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": [],
        }


def _result(result: SearchResult) -> dict[str, object]:
    return {
        "url": result.url,
        "title": result.title,
        "content": result.snippet,
        "engine": "clew",
        "engines": ["clew"],
        "positions": [result.rank],
        "score": 1 / result.rank,
        "category": "general",
    }


def main() -> int:
    """Serve until interrupted; the first line printed is the address."""
    parser = argparse.ArgumentParser(prog="python -m clew.search.serve", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="a crawl, or an index file (search.db)")
    parser.add_argument("--port", type=int, default=8888, help="port on loopback, 0 for any (8888)")
    options = parser.parse_args()
    try:
        engine = open_local(f"local={options.folder}", options.folder)
        server = Server(engine, options.port)
    except ClewError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        sys.stderr.write(f"port {options.port} cannot be used: {reason}; take another with --port\n")
        return 1
    count = len(engine.index)
    sys.stdout.write(
        f"{server.address}\n"
        f"{count:,} page{'s' * (count != 1)} of {options.folder} can be found; nothing leaves this computer\n"
        f"try: clew search searxng={server.address} WORDS        Ctrl-C stops\n"
    )
    sys.stdout.flush()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.stdout.write("stopped\n")
    server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
