"""Engines on this computer that speak their protocols as documented, errors included; real sockets."""

import gzip
import json
import socket
import struct
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

KEY = "s3cret-key"


@dataclass
class Reply:
    status: int = 200
    body: bytes = b""
    mime: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    trick: str = ""  # reset, hang, endless, half

    @classmethod
    def of(cls, said, status=200, **headers):
        return cls(
            status, json.dumps(said).encode(), headers={k.replace("_", "-"): v for k, v in headers.items()}
        )


@dataclass
class Asked:
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    at: float


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer waits 40 ms for an acknowledgement

    def do_GET(self):
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(parts.path, query, headers, time.monotonic())
        self.server.log.append(asked)
        planned = self.server.planned.pop(0) if self.server.planned else None
        self._send(planned or self.server.answer(asked))

    def _send(self, reply):
        if reply.trick == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        if reply.trick == "hang":
            self.server.stop.wait(10)
            self.close_connection = True
            return
        body = reply.body
        self.send_response(reply.status)
        if "gzip" in reply.headers.get("Content-Encoding", ""):
            body = gzip.compress(body)
        self.send_header("Content-Type", reply.mime)
        length = 10**9 if reply.trick == "endless" else len(body) + (999 if reply.trick == "half" else 0)
        self.send_header("Content-Length", str(length))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
            while reply.trick == "endless" and not self.server.stop.is_set():
                self.wfile.write(b" " * 65_536)
        except OSError:
            pass
        self.close_connection = bool(reply.trick)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.planned = []  # replies to give before the protocol speaks again
        self.log = []
        self.stop = threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        pass


@contextmanager
def running(answer):
    server = Server(answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop.set()
        server.shutdown()
        server.server_close()
        thread.join()


# ---- the protocols ------------------------------------------------------------------------------------


def known(count):
    """What every engine here knows: pages of many hosts, best first."""
    return [(f"http://host{i}.test/page/{i}", f"Title {i}", f"Words about {i}") for i in range(count)]


def searxng(count=45, size=10):
    def answer(asked):
        if asked.path != "/search" or asked.query.get("format") != "json":
            return Reply(403, b"<html>Forbidden", "text/html")
        if not asked.query.get("q"):
            return Reply(400, b"No query", "text/plain")
        page = int(asked.query.get("pageno", "1"))
        rows = known(count)[(page - 1) * size : page * size]
        results = [
            {"url": u, "title": t, "content": s, "engine": "made up", "score": 1.0} for u, t, s in rows
        ]
        said = {"query": asked.query["q"], "number_of_results": count, "results": results}
        return Reply.of(said | {"answers": [], "suggestions": [], "unresponsive_engines": []})

    return answer


def brave(count=300):
    def error(status, code, detail):
        return Reply.of(
            {"type": "ErrorResponse", "error": {"code": code, "detail": detail, "status": status}}, status
        )

    def answer(asked):
        if asked.headers.get("x-subscription-token") != KEY:
            return error(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")
        number, offset = int(asked.query.get("count", "20")), int(asked.query.get("offset", "0"))
        if not 1 <= number <= 20 or not 0 <= offset <= 9 or len(asked.query["q"]) > 400:
            return error(422, "VALIDATION", "Unable to validate request parameter(s)")
        rows = known(count)[offset * number : (offset + 1) * number]
        results = [
            {"url": u, "title": f"<strong>{t}</strong>", "description": f"{s} &amp; more"} for u, t, s in rows
        ]
        more = count > (offset + 1) * number
        said = {"type": "search", "query": {"original": asked.query["q"], "more_results_available": more}}
        return Reply.of(
            said | {"web": {"type": "search", "results": results}}, X_RateLimit_Remaining="1, 1000"
        )

    return answer


def mojeek(count=45):
    def answer(asked):
        if asked.query.get("api_key") != KEY:
            return Reply.of({"response": {"status": "ERROR: Invalid API key"}})
        start, number = int(asked.query.get("s", "1")), int(asked.query.get("t", "10"))
        rows = known(count)[start - 1 : start - 1 + number]
        results = [{"url": u, "title": t, "desc": s} for u, t, s in rows]
        head = {"query": asked.query["q"], "start": start - 1, "return": len(rows), "results": count}
        return Reply.of({"response": {"status": "OK", "head": head, "results": results}})

    return answer


def kagi(count=45):
    def answer(asked):
        if asked.headers.get("authorization") != f"Bot {KEY}":
            return Reply.of(
                {"meta": {}, "data": None, "error": [{"code": 2, "msg": "Unauthorized", "ref": None}]}, 401
            )
        rows = known(count)[: int(asked.query.get("limit", "10"))]
        data = [
            {"t": 0, "rank": i, "url": u, "title": t, "snippet": s} for i, (u, t, s) in enumerate(rows, 1)
        ]
        return Reply.of({"meta": {"id": "1", "ms": 5}, "data": [*data, {"t": 1, "list": ["other words"]}]})

    return answer


def marginalia(count=45):
    def answer(asked):
        if asked.headers.get("api-key") not in (KEY, "public"):
            return Reply(401, b"", "text/plain")
        number, page = int(asked.query.get("count", "20")), int(asked.query.get("page", "1"))
        rows = known(count)[(page - 1) * number : page * number]
        results = [{"url": u, "title": t, "description": s, "quality": 1.0} for u, t, s in rows]
        return Reply.of({"license": "CC-BY-NC-SA 4.0", "query": asked.query["query"], "results": results})

    return answer


def commoncrawl(count=45, size=20):
    """One index of many, as pywb serves it: NDJSON, pages from 0, each address captured twice."""

    def answer(asked):
        if asked.path == "/collinfo.json":
            names = ("CC-MAIN-2026-40", "CC-MAIN-2026-36")
            return Reply.of([{"id": n, "cdx-api": f"https://index.commoncrawl.org/{n}-index"} for n in names])
        if asked.path != "/CC-MAIN-2026-40-index":
            return Reply(404, b"not here", "text/html")
        pattern, page = asked.query["url"], int(asked.query.get("page", "0"))
        if "host" not in pattern:
            return Reply.of({"message": f"No Captures found for: {pattern}"}, 404)
        last = (count - 1) // size
        if page > last:
            return Reply(
                400, f"Page {page} invalid: First Page is 0, Last Page is {last}".encode(), "text/plain"
            )
        rows = [f"http://host.test/page/{i}" for i in range(count)][page * size : (page + 1) * size]
        lines = [json.dumps({"url": url, "status": "200", "mime": "text/html"}) for url in rows for _ in "ab"]
        return Reply(200, "\n".join(lines).encode() + b"\n", "text/x-ndjson")

    return answer


def opensearch(count=45, kind="rss", paged=True):
    """A site with its description at /opensearch.xml and its results as a feed."""
    types = {"rss": "application/rss+xml", "atom": "application/atom+xml", "json": "application/json"}

    def describe(asked):
        host = asked.headers["host"]
        place = "&amp;start={startIndex?}" if paged else ""
        return (
            '<?xml version="1.0"?><OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
            "<ShortName>Here</ShortName>"
            f'<Url type="text/html" template="http://{host}/page?q={{searchTerms}}"/>'
            f'<Url type="application/x-suggestions+json" rel="suggestions" template="http://{host}/s?q={{searchTerms}}"/>'
            f'<Url type="{types[kind]}" indexOffset="0" template="http://{host}/feed?q={{searchTerms}}&amp;n={{count?}}{place}&amp;x={{other:thing?}}"/>'
            "</OpenSearchDescription>"
        )

    def answer(asked):
        if asked.path == "/opensearch.xml":
            return Reply(200, describe(asked).encode(), "application/opensearchdescription+xml")
        start = int(asked.query.get("start") or 0)
        rows = known(count)[start : start + 10]
        if kind == "json":
            return Reply.of({"items": [{"link": u, "title": t, "description": s} for u, t, s in rows]})
        if kind == "rss":
            items = "".join(
                f"<item><title>{escape(t)}</title><link>{escape(u)}</link><description>{escape(s)}</description></item>"
                for u, t, s in rows
            )
            text = (
                '<rss version="2.0" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><channel>'
                f"<title>All</title><link>http://here/</link><opensearch:totalResults>{count}</opensearch:totalResults>{items}</channel></rss>"
            )
        else:
            items = "".join(
                f'<entry><title>{escape(t)}</title><link rel="self" href="http://wrong.test/"/><link href="{escape(u)}"/><summary>{escape(s)}</summary></entry>'
                for u, t, s in rows
            )
            text = f'<feed xmlns="http://www.w3.org/2005/Atom">{items}</feed>'
        return Reply(200, text.encode(), types[kind])

    return answer
