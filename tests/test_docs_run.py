"""Run the documents: every console and Python block of a page, in order, in a folder of its own.

The web is the synthetic one, behind a proxy on this computer.  URLs of the examples are replaced by some of
its URLs, budgets are made small.  Answers that a block shows after `> ` are typed; so is a `y` where a
command asks for confirmation.  What cannot run here is listed with the reason in `NOT_RUN`.
"""

import ast
import asyncio
import os
import re
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
from inspect import CO_COROUTINE

import matplotlib as mpl
import pytest

import clew
from clew.config import template
from clew.lab.synthetic import Web, serving
from tests.docs_kit import PAGES, TEXTS, short

TOPIC = "lighthouses"
CONTACT = "https://www.uni-x.org/our-crawler"
ABOUT = "planning permits for offshore wind farms|offshore wind permits"
SCALE = 25
"""Budgets of the documents are divided by this."""

NOT_RUN = {
    r"pip install|python3 -m venv|make ": "installs software, or runs the tests themselves",
    r"(datasette|duckdb|warcio) ": "another program, which need not be installed",
    r"clew search (brave|marginalia)|--search brave": "asks a search engine on the network",
    r"--search searxng=http://127.0.0.1:8888|clew (search|recall wind) searxng=http://127.0.0.1:8888": "wants a SearXNG",
    r"worlds/|lab show course|wind-world": "wants recorded webs, which are not in the repository",
    r"curl .*localhost:8400": "asks the server of another line at its usual port; tests/web asks all of it",
    r"--edit": "opens an editor",
    r"my_module:Mine": "a policy that the reader has written; docs/extending.md runs one",
    r"place=jp|shops ": "wants the extra `places`; tests/places crawls for addresses",
    r"clew learn lights --search|run lights --policy reseed|why lights --searches|why lights http://ely-friends": (
        "searches and crawls for a minute: tests/test_reseed_run.py"
    ),
    r"clew new wind$": "asks on a terminal: tests/test_new.py answers it there",
    r"--teacher |clew teach |history of lighthouses and": "wants a language model: tests/teacher has one",
    r"--pages 1000000": "the same server as with fewer pages",
}
PAGES_RUN = [
    page
    for page in PAGES
    if page.parent.name not in ("lab", "adr") and re.search(r"```(console|python)", TEXTS[page])
]
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.ClassDef)
READY = {
    "README.md": ("wind",), "docs/guides/steering.md": ("wind",), "docs/guides/results.md": ("wind",),
    "docs/guides/teaching.md": ("wind", "lights"), "docs/guides/teacher.md": ("lights",),
    "docs/guides/troubleshooting.md": ("wind",),
    "docs/guides/search.md": ("wind", "last-year"), "docs/politeness.md": ("wind",), "docs/extending.md": ("wind",),
    "docs/lab.md": ("wind",), "docs/schema.md": ("folder",), "docs/guides/browser.md": ("wind",),
    "docs/guides/refresh.md": ("wind",),
}  # fmt: skip
"""Crawls that a page takes for granted."""


@pytest.fixture(scope="module")
def web():
    made = Web(20_000, seed=1)
    with serving(made, process=True) as proxy:
        yield made, proxy


@pytest.fixture(scope="module")
def crawled(web, tmp_path_factory):
    """Crawl once; pages that begin with a crawl get a copy."""
    made, proxy = web
    folder = tmp_path_factory.mktemp("ready") / "wind"
    template.write_new(
        folder, contact=CONTACT, seeds=made.seeds(TOPIC, 3), about=made.task(TOPIC).words,
        settings=_quick(proxy),
    )  # fmt: skip
    assert clew.Crawl(folder).run(pages=40).pages == 40
    return folder


def _quick(proxy):
    return {
        "fetch.proxy": proxy, "fetch.delay": 0, "store.min_free": 0, "parse.workers": 1,
        "fetch.concurrency": 8,
    }  # fmt: skip


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Reader:
    """Somebody who types what a page shows."""

    def __init__(self, folder, web, proxy):
        self.folder, self.web, self.proxy = folder, web, proxy
        self.servers, self.ports, self.names, self.races = [], {}, {}, 0

    def close(self):
        for server in self.servers:
            server.kill()
            server.wait()
            server.stdout.close()

    def here(self, text):
        """Replace URLs of the examples by some of the synthetic web, and ports by those really used."""
        seeds = self.web.seeds(TOPIC, 4)
        hosts = [url.split("/")[2] for url in seeds]
        for example, here in {
            "wind URL": f"wind {seeds[0]}", "news.example": hosts[1], "www.tobermory-works.net": hosts[1],
            "fish.example.net": hosts[0], "census.example.org": hosts[1], "--mark 436": "--mark 2",
            "therapies-and-treatments-779": seeds[0], "fowey-forum.com/read/1348": seeds[0],
            "http://www.portsoy-guild.com/issue/652.html": seeds[0],
        }.items():  # fmt: skip
            text = text.replace(example, here)
        relevant = self.web.examples(TOPIC, 1)[0][0]
        text = re.sub(r"https://www\.wind-authority\.org/[\w/]*", relevant, text)
        text = re.sub(r"https://www\.(stats-office|book-lists)\.org/", seeds[0], text)
        for port, real in self.ports.items():
            text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{real}").replace(
                f"port {port}", f"port {real}"
            )
        return text

    # ---- the terminal -------------------------------------------------------------------------------

    def console(self, block):
        joined = re.sub(r"\\\n\s*", " ", block)
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", joined, re.MULTILINE):
            line = re.sub(r"\s{2,}#.*$", "", command)
            if not any(re.search(pattern, line) for pattern in NOT_RUN):
                self.type(
                    self.here(line),
                    "".join(f"{text}\n" for text in re.findall(r"^> (.*)$", shown, re.MULTILINE)),
                )

    def type(self, line, answers):
        words = shlex.split(re.sub(ABOUT, self.web.task(TOPIC).words, line))
        env = dict(os.environ, COLUMNS="110")
        while re.fullmatch(r"[A-Z_]+=\S*", words[0]):
            key, _, value = words.pop(0).partition("=")
            env[key] = value
        if words[0] == "sqlite3":
            self.sql(words)
        elif words[:2] == ["python", "-m"]:
            self.serve(words)
        elif words[:2] in (["clew", "serve"], ["clew", "open"]):
            self.browse(words, env)
        elif words[0] == "clew" and not set("|>&") & set(line):
            self.clew(words[1:], answers, env, line)
        else:
            done = subprocess.run(["/bin/sh", "-c", line], cwd=self.folder, env=env, check=False)
            assert done.returncode == 0, line

    def sql(self, words):
        *_, file, query = words
        with sqlite3.connect(f"file:{self.folder / file}?mode=ro", uri=True) as db:
            db.execute(query).fetchall()

    def serve(self, words):
        """Start a server as a reader would in a second terminal, on a port that is free here."""
        at = words.index("--port") + 1
        self.ports[words[at]] = words[at] = str(free_port())
        words = [word for word in words if word not in ("--lively", "--latency", "0.3")]  # no time to wait
        command = [sys.executable, *words[1:]]
        server = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.servers.append(server)
        assert server.stdout.readline(), f"{words} does not start"

    def browse(self, words, env):
        """Start the server of the pages, on a port that is free here, with a browser that shows nothing."""
        folder = self.folder if words[1] == "serve" else self.folder / words[2]
        command = [sys.executable, "-m", "clew", words[1], folder, "--port", str(free_port())]
        env = env | {"BROWSER": "true", "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen(command, cwd=self.folder, env=env, stdout=subprocess.PIPE, text=True)
        self.servers.append(server)
        assert "open http://localhost:" in server.stdout.readline(), f"{words} does not start"

    def clew(self, words, answers, env, line):
        words = [str(int(word) if int(word) <= 120 else max(5, int(word) // SCALE)) if before == "--pages" else word
                 for before, word in zip(["", *words], words, strict=False)]  # fmt: skip
        extra = []
        if words[0] == "run":
            extra = [] if "--pages" in words else ["--pages", "45"]
        elif words[0] == "new":
            known = " ".join(words)
            if answers:
                about, *_, contact = typed = answers.splitlines()
                seeds = next(answer for answer in reversed(typed[:-1]) if answer.startswith("http")).split()
                words += ["--about", about, "--contact", contact]
                words += [part for seed in seeds for part in ("--seed", seed)]
            extra = [part for key, value in _quick(self.proxy).items() if f"{key}=" not in known
                     for part in ("--set", f"{key}={value}")]  # fmt: skip
        elif words[0] == "forget":
            # A short crawl may not have met the host of the page: another one will do.
            known = sorted({row["url"].split("/")[2] for row in clew.Crawl(self.folder / words[1]).links})
            words[2] = words[2] if words[2] in known else known[0]
            extra = ["--yes"]
        elif words[0] == "try":
            extra = ["--pages", "50", "--plain"]
        elif words[:2] == ["lab", "race"]:
            words = [w for i, w in enumerate(words) if w != "--runs" and words[i - 1] != "--runs"]
            extra = ["--pages", "10", "--runs", "1", "--jobs", "1"]
            extra += (
                []
                if any("madeup" in w or w == "wind" for w in words)
                else ["madeup:1000:1", "--task", "bees"]
            )
            self.races += 1
            extra += [] if "--out" in words else ["--out", f"race{self.races}"]
            extra += [] if "--policies" in words else ["--policies", "keyword"]
        command = [sys.executable, "-m", "clew", *words, *extra]
        done = subprocess.run(
            command, cwd=self.folder, env=env, input=answers or "y\n" * 9, capture_output=True, text=True,
            timeout=250, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"

    # ---- Python -------------------------------------------------------------------------------------

    def python(self, block, page):
        code = compile(self.here(block), page, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        result = eval(code, self.names)
        if code.co_flags & CO_COROUTINE:
            asyncio.run(result)


@pytest.fixture
def small_crawls(monkeypatch, web):
    """Let crawls of Python blocks read the synthetic web, and only a few pages of it."""
    whole = clew.Crawl

    class SmallCrawl(whole):
        def __init__(self, *given, settings=None, **named):
            super().__init__(*given, settings=_quick(web[1]) | (settings or {}), **named)

        def run(self, pages=0, hours=0):
            return super().run(max(5, (pages or 500) // SCALE), hours)

        def arun(self, pages=0, hours=0, requests=0):
            return super().arun(max(60, pages // SCALE), hours, requests)

    monkeypatch.setattr(clew, "Crawl", SmallCrawl, raising=False)
    mpl.use("Agg")


@pytest.mark.parametrize("page", PAGES_RUN, ids=short)
@pytest.mark.usefixtures("small_crawls")
def test_the_blocks_of_a_page_run(page, web, crawled, tmp_path, monkeypatch):
    made, proxy = web
    monkeypatch.chdir(tmp_path)
    _files(tmp_path, made)
    for name in READY.get(short(page), ()):
        shutil.copytree(crawled, tmp_path / name)
    reader = Reader(tmp_path, made, proxy)
    reader.names["clew"] = clew
    try:
        for kind, body in _blocks(TEXTS[page]):
            if kind == "console":
                reader.console(body)
            else:
                reader.python(body, short(page))
                if page.name in ("examples.md", "extending.md"):
                    with (tmp_path / "my_module.py").open("a", encoding="utf-8") as file:
                        definitions = [n for n in ast.parse(body).body if isinstance(n, DEFINITIONS)]
                        file.write("".join(f"{ast.unparse(node)}\n" for node in definitions))
    finally:
        reader.close()


def _blocks(text):
    """Yield console and Python blocks in the order of the page."""
    for indent, kind, body in re.findall(
        r"^( *)```(console|python)\n(.*?)^\1```$", text, re.MULTILINE | re.DOTALL
    ):
        yield kind, re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)


def _files(folder, web):
    """Put there what examples take for granted: rows, seeds, example pages, lists of sites, a table."""
    header = "author,title\n"
    books = [
        ("A.F. Cardenas", "Data Base Management Systems"),
        ("C.J. Date", "An Introduction to Database Systems"),
        ("D. Maier", "The Theory of Relational Databases"),
    ]
    (folder / "books.csv").write_text(header + "".join(f"{a},{t}\n" for a, t in books), "utf-8")
    (folder / "births.csv").write_text(
        "year,births,rate\n2020,1200,9.1\n2021,1180,9.0\n2022,1150,8.8\n", "utf-8"
    )
    (folder / "seeds.txt").write_text("\n".join(web.seeds(TOPIC, 3)), "utf-8")
    hosts = [url.split("/")[2] for url in web.seeds(TOPIC, 4)]
    (folder / "list.txt").write_text("\n".join(hosts), "utf-8")
    (folder / "known.tsv").write_text(f"{hosts[0]}\tyes\n{hosts[1]}\tno\n", "utf-8")
    for name, text in (("good", "a permit for an offshore wind farm"), ("bad", "jobs at our company")):
        (folder / name).mkdir()
        (folder / name / "a.html").write_text(f"<title>{text}</title><p>{text * 5}</p>", "utf-8")


def test_everything_that_is_not_run_is_there():
    """A reason for a line that no page shows any more is stale."""
    lines = [
        re.sub(r"\s{2,}#.*$", "", line)
        for page in PAGES_RUN
        for kind, body in _blocks(TEXTS[page])
        if kind == "console"
        for line in re.findall(r"^\$ (.*)$", re.sub(r"\\\n\s*", " ", body), re.MULTILINE)
    ]
    for pattern, reason in NOT_RUN.items():
        assert reason
        assert any(re.search(pattern, line) for line in lines), pattern
