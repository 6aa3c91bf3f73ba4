"""A generated static site of ordinary pages, and an nginx of our own that serves it on loopback.

Pages weigh about 30 KB: head with styles and scripts, navigation, an article of paragraphs in
real-looking words, asides, a footer; about 50 links each, four of five to the same host. Two shapes:

- `new`: the pages form trees, one from the home page of each host; every page has 40 new links and 10 known ones;
- `few`: links go to random pages of the site, so that soon nearly every link is known already.

The trees have no end. The first pages are files from the beginning; one further out is generated when it
is first requested and is a file from then on.

Everything follows from a fixed seed: the same arguments always give the same bytes.
"""

import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.measure import cache_folder

HOSTS = 8
LINKS = 50
KNOWN = 5
"""Links of the fixed navigation: home and the section fronts."""

CROSS = 5
"""Links to pages further up, as on real sites; without any, a tree looks like a trap."""

FRESH = LINKS - KNOWN - CROSS
LAYOUT = 2
"""Increased when the generator changes, so that an old site in the cache is not used."""

_SYLLABLES = """
    ba be bo bu ca ce co da de di do fa fe fi ga go ha he hi la le li lo lu ma me mi mo na ne ni no pa pe pi po
    ra re ri ro sa se si so ta te ti to va ve vi wa we ar er or an en in on al el ol st th ch sh ment tion ness ing
"""
_COMMON = """
    the of and to in a is that for it as was with be by on not he this are or his from at which but have an
"""
_SECTIONS = ("news", "research", "guides", "people", "archive", "projects")


class Words:
    """A synthetic language with the statistics of a real one: few common words, many rare ones."""

    def __init__(self, dice: random.Random) -> None:
        syllables = _SYLLABLES.split()
        words = dict.fromkeys(
            "".join(dice.choices(syllables, k=dice.choice((2, 2, 3, 3, 4)))) for _ in range(24_000)
        )
        self.all = list(words)
        self.common = _COMMON.split()
        self.topics = [dice.sample(self.all, 300) for _ in range(200)]

    def sentence(self, dice: random.Random, topic: int) -> list[str]:
        """Return the words of one sentence about a topic."""
        made = []
        for _ in range(dice.randint(8, 22)):
            kind = dice.random()
            pool = self.common if kind < 0.42 else self.topics[topic] if kind < 0.75 else self.all
            made.append(pool[int(len(pool) * dice.random() ** 1.6)])
        made[0] = made[0].capitalize()
        return made


class Site:
    """The pages of one shape: their addresses, their links, their HTML."""

    def __init__(self, shape: str, pages: int, bases: list[str]) -> None:
        self.shape = shape
        self.pages = pages
        self.bases = bases
        dice = random.Random(f"clew {shape}")
        self.words = Words(dice)
        self._hosts = list(range(HOSTS))
        for number in range(HOSTS, pages):
            self._hosts.append(self.host(number))

    def host(self, number: int) -> int:
        """Return the host of a page; four of five links stay on the host of their page."""
        if number < len(self._hosts):
            return self._hosts[number]
        parent, child = divmod(number - HOSTS, FRESH)
        home = self.host(parent)
        return home if child % 5 else (home + 1 + (number * 2_654_435_761 >> 16) % (HOSTS - 1)) % HOSTS

    def path(self, number: int) -> str:
        """Return the path of a page; readable, as most URLs are."""
        if number < HOSTS:
            return "/"
        dice = random.Random(number)
        name = "-".join(self.words.all[dice.randrange(4000)] for _ in range(3))
        return f"/{_SECTIONS[number % len(_SECTIONS)]}/{name}-{number}.html"

    def address(self, number: int, source: int) -> str:
        """Return the href a page would use: a path on its own host, a full URL elsewhere."""
        there = self.host(number)
        return self.path(number) if there == self.host(source) else self.bases[there] + self.path(number)

    def targets(self, number: int, dice: random.Random) -> list[int]:
        """Return the targets of the links of a page."""
        if self.shape == "new":
            earlier = [dice.randrange(max(HOSTS, number)) for _ in range(CROSS)]
            return earlier + [HOSTS + FRESH * number + child for child in range(FRESH)]
        around = [
            (number * 7 + step) % self.pages for step in range(1, 6)
        ]  # so that every page is linked from some
        return around + [dice.randrange(self.pages) for _ in range(LINKS - KNOWN - 5)]

    def html(self, number: int) -> str:
        """Write one page."""
        dice = random.Random(f"{self.shape} {number}")
        topic = dice.randrange(len(self.words.topics))
        targets = self.targets(number, dice)
        dice.shuffle(targets)
        title = " ".join(self.words.sentence(dice, topic)[:7])
        article = self._article(dice, topic, number, targets[:30])
        side = "".join(
            f'<li class="card card--small"><a class="card__link" href="{self.address(t, number)}">'
            f'<span class="card__title">{self._anchor(dice, topic)}</span></a>'
            f'<time class="card__date" datetime="2026-0{1 + t % 9}-1{t % 9}">1{t % 9} May 2026</time></li>'
            for t in targets[30:]
        )
        navigation = "".join(
            f'<li class="nav__item"><a class="nav__link" href="{self.bases[self.host(number)]}/{section}/">{section.title()}</a></li>'
            for section in _SECTIONS[: KNOWN - 1]
        )
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title} | Page {number}</title>\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="description" content="{title}">\n'
            f'<link rel="stylesheet" href="/assets/site.css">\n<style>{_STYLE}</style>\n<script>{_SCRIPT}</script>\n</head>\n'
            f'<body class="page page--article"><header class="top"><nav class="nav" aria-label="Main"><ul class="nav__list">'
            f'<li class="nav__item"><a class="nav__link" href="/">Home</a></li>{navigation}</ul></nav></header>\n'
            f'<main class="main" id="content"><article class="article"><h1 class="article__title">{title}</h1>\n{article}</article>\n'
            f'<aside class="side"><h2>Read on</h2><ul class="cards">{side}</ul></aside></main>\n'
            f'<footer class="foot"><p>Published by a synthetic office. All words are invented.</p></footer></body></html>\n'
        )

    def _article(self, dice: random.Random, topic: int, number: int, targets: list[int]) -> str:
        made = []
        for index, target in enumerate(targets):
            words = [w for _ in range(dice.randint(5, 8)) for w in [*self.words.sentence(dice, topic), "."]]
            at = dice.randrange(3, len(words) - 3)
            words[at] = f'<a href="{self.address(target, number)}">{self._anchor(dice, topic)}</a>'
            if index % 6 == 0:
                made.append(
                    f'<h2 class="article__heading" id="s{index}">{self._anchor(dice, topic).title()}</h2>'
                )
            made.append(f'<p class="article__text">{" ".join(words).replace(" .", ".")}</p>\n')
        return "".join(made)

    def _anchor(self, dice: random.Random, topic: int) -> str:
        return " ".join(dice.choice(self.words.topics[topic]) for _ in range(dice.randint(2, 4)))


_STYLE = "".join(
    f".{block}__{part}{{margin:0 0 {n}px;padding:{n}px;color:#2{n}3}}"
    for n, block in enumerate(("nav", "card", "article", "side", "foot"), 4)
    for part in ("list", "item", "link", "title", "date", "text", "heading")
)
_OPTIONS = ",".join(f'"option{n}":{{"on":{"true" if n % 2 else "false"},"order":{n}}}' for n in range(40))
_SCRIPT = f"window.settings={{{_OPTIONS}}};"


def made(shape: str, pages: int, bases: list[str]) -> tuple[Site, Path]:
    """Return a site and its folder, generated on first use and cached."""
    port = bases[0].rpartition(":")[2]
    folder = cache_folder() / f"site-{LAYOUT}-{shape}-{pages}-{port}"
    site = Site(shape, pages, bases)
    if (folder / "whole").exists():
        return site, folder
    print(f"generating {pages:,} pages in {folder} …", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    for host in range(HOSTS):
        for section in _SECTIONS:
            front = folder / str(host) / section / "index.html"
            front.parent.mkdir(parents=True, exist_ok=True)
            title = f"{section} {host}"
            front.write_text(
                f"<!DOCTYPE html><html lang=en><title>{title}</title><p>Front of {title}.</p></html>"
            )
        (folder / str(host) / "robots.txt").write_text(
            "User-agent: *\nDisallow: /private/\nDisallow: /*?print=\n"
        )
    for number in range(pages):
        _write(site, folder, number)
    (folder / "whole").touch()
    return site, folder


def _write(site: Site, folder: Path, number: int) -> bytes:
    """Write one page into the folder atomically."""
    file = folder / str(site.host(number)) / (site.path(number).lstrip("/") or "index.html")
    body = site.html(number).encode()
    part = file.with_suffix(".part")
    part.write_bytes(body)
    part.replace(file)
    return body


def bases(port: int) -> list[str]:
    """Return the hosts of the site: neighbouring loopback addresses on one port."""
    return [f"http://127.0.0.{2 + host}:{port}" for host in range(HOSTS)]


class _Maker(BaseHTTPRequestHandler):
    """Generate a page of the endless tree when nginx first misses it; the next time it is a file."""

    protocol_version = "HTTP/1.1"
    site: Site
    folder: Path

    def do_GET(self) -> None:
        number = self.path.rpartition("-")[2].removesuffix(".html")
        known = number.isdigit() and self.site.path(int(number)) == self.path and self.site.shape == "new"
        body = _write(self.site, self.folder, int(number)) if known else b"not here"
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(
            BrokenPipeError
        ):  # a crawler that reached its limit disconnects in the middle of a response
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def _made_on_demand(site: Site, folder: Path) -> Iterator[int]:
    handler = type("Maker", (_Maker,), {"site": site, "folder": folder})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def served(site: Site, folder: Path, port: int) -> Iterator[None]:
    """Serve a generated site with an nginx of our own, one worker, without logs."""
    program = shutil.which("nginx") or shutil.which(
        "nginx", path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin"
    )
    if not program:
        sys.exit(
            "nginx is missing; install it (Debian, Ubuntu: apt-get install nginx-light; macOS: brew install nginx)"
        )
    with tempfile.TemporaryDirectory(prefix="clew-nginx-") as name, _made_on_demand(site, folder) as maker:
        work = Path(name)
        config = work / "nginx.conf"
        config.write_text(_nginx_config(work, folder, port, maker))
        process = subprocess.Popen([program, "-p", str(work), "-e", "stderr", "-c", str(config)])
        try:
            _wait_for(port, process)
            yield
        finally:
            process.terminate()
            process.wait()


def _nginx_config(work: Path, folder: Path, port: int, maker: int) -> str:
    user = "" if os.geteuid() else "user root;"  # else the worker may not read the cache folder
    spool = "".join(
        f"{name}_temp_path {work}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    servers = "".join(
        f"server {{ listen 127.0.0.{2 + host}:{port}; root {folder}/{host}; index index.html;\n"
        "location / { try_files $uri $uri/ @made; }\n"
        f"location @made {{ proxy_pass http://127.0.0.1:{maker}; proxy_buffers 16 16k; }} }}\n"
        for host in range(HOSTS)
    )
    return (
        f"{user} daemon off; worker_processes 1; pid {work}/pid; error_log stderr crit;\n"
        "events { worker_connections 1024; }\n"
        "http { access_log off; sendfile on; tcp_nopush on; keepalive_timeout 60; keepalive_requests 100000;\n"
        "default_type text/html; types { text/html html; text/plain txt; } charset utf-8;\n"
        f"{spool}{servers}}}\n"
    )


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 10
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.2", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    sys.exit(f"nginx does not answer on 127.0.0.2:{port}; is the port taken? choose another with --port")
