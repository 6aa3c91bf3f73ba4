"""Small worlds for the tests of the lab: pages in a dictionary, as a folder with a WARC file, or behind a proxy."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from clew.store import warc
from clew.types import Link, Response
from clew.urls import origin

Said = tuple[int, dict[str, str], bytes]
HTML = {"Content-Type": "text/html; charset=utf-8"}


def page(title: str, text: str, *links: str) -> Said:
    """Return an answer with a page of its own words that links to addresses."""
    anchors = "".join(
        f'<li><a href="{url}">{url.rstrip("/").rpartition("/")[2]} of {title}</a></li>' for url in links
    )
    body = (
        f"<html lang=en><title>{title}</title><main><p>{text} {title * 3}</p><ul>{anchors}</ul></main></html>"
    )
    return 200, HTML, body.encode()


def moved(url: str) -> Said:
    return 301, {"Location": url, "Content-Type": "text/html"}, b""


def small_web(hosts: int = 4, pages: int = 12) -> dict[str, Said]:
    """Return a web of a few hosts whose pages link on, to other hosts and to nowhere; every third is on lighthouses."""
    web: dict[str, Said] = {}
    for host in range(hosts):
        base = f"http://h{host}.museum-web.org"
        web[f"{base}/robots.txt"] = (
            200,
            {"Content-Type": "text/plain"},
            b"User-agent: *\nDisallow: /private/\n",
        )
        firsts = [f"{base}/p{n}.html" for n in (0, 1, 2)]
        other = f"http://h{(host + 1) % hosts}.museum-web.org/"
        web[f"{base}/"] = page(
            f"Host {host}", "Welcome.", *firsts, other, f"{base}/private/x.html", f"{base}/old"
        )
        web[f"{base}/old"] = moved(f"{base}/new/")
        web[f"{base}/new/"] = page(f"New place {host}", "It was moved here.", f"{base}/p5.html")
        for n in range(pages):
            on_topic = (n + host) % 3 == 0
            words = (
                "The lighthouse keeper lit the lamp of the lighthouse." if on_topic else "Soup with onions."
            )
            links = [f"{base}/p{2 * n + 1}.html", f"{base}/p{2 * n + 2}.html", f"{other}p{n}.html"]
            web[f"{base}/p{n}.html"] = page(
                f"Page {n} of host {host}", words, *links, "http://gone.nowhere-web.org/"
            )
    return web


def topic_of(web: dict[str, Said]) -> list[str]:
    return [url for url, (status, _, body) in web.items() if status == 200 and b"lighthouse keeper" in body]


def visit_of(url: str, said: Said) -> Response:
    status, headers, body = said
    head = (
        f"HTTP/1.1 {status} OK\r\n"
        + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        + "\r\n"
    )
    link = Link(id=1, url=url, origin=origin(url))
    return Response(link=link, started=1.0, ended=2.0, status=status, head=head.encode(), body=body)


def members(web: dict[str, Said]) -> list[bytes]:
    """Return the WARC record of each answer, packed on its own; the same bytes for the same web, so that worlds share a page store."""
    return list(
        _packed(tuple((url, status, tuple(head.items()), body) for url, (status, head, body) in web.items()))
    )


@cache
def _packed(web: tuple[tuple[str, int, tuple[tuple[str, str], ...], bytes], ...]) -> tuple[bytes, ...]:
    return tuple(
        warc.pack(visit_of(url, (status, dict(head), body))).response for url, status, head, body in web
    )


def make_world(folder: Path, web: dict[str, Said], **task: object) -> Path:
    """Write a world as others make them: pages, labels, seeds, tasks."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pages.warc.gz").write_bytes(b"".join(members(web)))
    right = set(topic_of(web))
    labels = "".join(
        f"{url}\t{'light,web' if url in right else 'web'}\n" for url in web if not url.endswith(".txt")
    )
    (folder / "labels.tsv").write_text(labels, "utf-8")
    (folder / "seeds.txt").write_text("http://h0.museum-web.org/\nhttp://h2.museum-web.org/\n", "utf-8")
    entry = {"topic": "lighthouses", "keywords": ["lighthouse", "lamp"], "positive_labels": ["light"], **task}
    (folder / "tasks.json").write_text(json.dumps({"world": folder.name, "tasks": [entry]}), "utf-8")
    return folder


@contextmanager
def proxy(web: dict[str, Said]) -> Iterator[tuple[str, list[str]]]:
    """Answer for every host of a web as an HTTP proxy on loopback; yield its address and the log of requests."""
    requested: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet: two would wait for each other 40 ms

        def do_GET(self):
            requested.append(self.path)
            missing = (
                404,
                {"Content-Type": "text/html"},
                b"<html><title>Not Found</title><p>not in this world</p></html>",
            )
            status, headers, body = web.get(self.path, missing)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", requested
    finally:
        server.shutdown()
        server.server_close()
