"""A small made-up web on loopback: a few hosts, a few topics, real sockets.

Every page is made from its address alone, so the same address always gives the same page. Topics
cluster: a page links to its own topic more often than chance would, hosts have home pages that
link to everything, and some links lie about where they lead.
"""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOPICS = {
    "lighthouses": "lighthouse keeper lantern beacon fog signal tower lens harbour coast ship rock lamp",
    "bread": "bread flour yeast oven dough loaf crust baker sourdough rye knead rise salt bake",
    "railways": "railway station train platform timetable signal locomotive carriage track junction",
    "gardens": "garden soil seed rose hedge compost orchard bloom prune bulb border greenhouse mulch",
    "chess": "chess opening endgame pawn bishop rook tournament grandmaster gambit clock castle defence",
    "weather": "weather rain wind cloud forecast pressure storm front temperature barometer frost shower",
}
FILLER = (
    "the",
    "a",
    "of",
    "in",
    "and",
    "on",
    "is",
    "was",
    "for",
    "with",
    "that",
    "by",
    "old",
    "new",
    "small",
    "some",
)
PAGES = 100
LINKS = 12


def page(host: int, path: str) -> str | None:
    """Return the HTML of one address, or None where there is nothing."""
    if path == "/":
        links = [
            f'<li><a href="/{topic}/{n}.html">{topic} {n}</a></li>' for topic in TOPICS for n in range(3)
        ]
        return _html("A small host", "<p>Welcome. Choose a subject.</p>", links)
    topic, _, name = path.strip("/").partition("/")
    number = name.removesuffix(".html")
    if topic not in TOPICS or not number.isdigit() or int(number) >= PAGES:
        return None
    dice = random.Random(f"{host} {path}")  # noqa: S311 - a made-up web, not a secret
    own = TOPICS[topic].split()
    words = [dice.choice(own if dice.random() < 0.3 else FILLER) for _ in range(240)]  # noqa: PLR2004
    paragraphs = [f"<p>{' '.join(words[i : i + 60]).capitalize()}.</p>" for i in range(0, 240, 60)]
    return _html(f"{topic.capitalize()} {number}", "".join(paragraphs), list(_links(dice, topic)))


def is_about(topic: str, url: str) -> bool:
    """Say whether an address is truly on the topic: for measuring only, the crawler never asks."""
    return f"/{topic}/" in url


def _links(dice: random.Random, topic: str) -> Iterator[str]:
    for _ in range(LINKS):
        target = topic if dice.random() < 0.6 else dice.choice(list(TOPICS))  # noqa: PLR2004
        said = target if dice.random() < 0.8 else "more"  # noqa: PLR2004
        port = dice.choice(_ports) if _ports and dice.random() < 0.2 else 0  # noqa: PLR2004
        base = f"http://127.0.0.1:{port}" if port else ""
        number = dice.randrange(PAGES)
        yield f'<li><a href="{base}/{target}/{number}.html">{said} {number}</a></li>'


def _html(title: str, body: str, links: list[str]) -> str:
    return (
        f"<!doctype html><html lang=en><title>{title}</title><nav><a href='/'>home</a></nav>"
        f"<main><h1>{title}</h1>{body}<ul>{''.join(links)}</ul></main><footer>A made-up host.</footer></html>"
    )


_ports: list[int] = []


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer one request."""
        index = _ports.index(self.request.getsockname()[1])
        html = page(index, self.path)
        body = (html or "not here").encode()
        self.send_response(200 if html else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8" if html else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextmanager
def served(hosts: int = 5) -> Iterator[list[str]]:
    """Serve the web on free ports of this computer; give the home pages."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), _Handler) for _ in range(hosts)]
    _ports[:] = [server.server_address[1] for server in servers]
    for server in servers:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield [f"http://127.0.0.1:{port}/" for port in _ports]
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
