"""What the stages of a crawl cost at least: a library that does that alone, on the pages of the generated site.

`bench.crawl_stages` prints it beside what the stages cost. Every figure is CPU µs a page, the least of several tries.
"""

import marshal
import re
import socket
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pycurl
from isal import igzip_lib
from selectolax.lexbor import LexborHTMLParser

from clew.types import Response

WORD = re.compile(r"\w+")
GROUP = 50
"""Pages of a commit."""


def least(work: Callable[[Sequence[Response]], object], pages: Sequence[Response], tries: int = 5) -> float:
    """Return the least µs a page of some tries."""
    best = float("inf")
    for _ in range(tries):
        began = time.process_time()
        work(pages)
        best = min(best, time.process_time() - began)
    return best / len(pages) * 1e6


def fetch(pages: Sequence[Response]) -> None:
    """Fetch pages one after the other over persistent connections, with libcurl alone."""
    curl = pycurl.Curl()
    for page in pages:
        curl.setopt(pycurl.URL, page.link.url)
        curl.perform_rb()
    curl.close()


def decode(pages: Sequence[Response]) -> None:
    """Decode bodies as UTF-8."""
    for page in pages:
        page.body.decode()


def parse(pages: Sequence[Response]) -> None:
    """Build trees with lexbor, and release them."""
    for page in pages:
        LexborHTMLParser(page.body)


def find_links(trees: Sequence[LexborHTMLParser]) -> None:
    """Read address and text of all links."""
    for tree in trees:
        for node in tree.css("a"):
            node.attributes.get("href"), node.text()


def read_text(trees: Sequence[LexborHTMLParser]) -> None:
    """Read the whole text of pages."""
    for tree in trees:
        tree.body.text() if tree.body else None


def count_words(texts: Sequence[str]) -> None:
    """Count words by a regular expression."""
    for text in texts:
        Counter(WORD.findall(text))


def send(pages: Sequence[Response]) -> None:
    """Send bodies through a socket and read them at its other end, twice: to a worker and back."""
    ours, theirs = socket.socketpair()
    buffer = memoryview(bytearray(1 << 20))
    with ours, theirs:
        for page in pages:
            for source, target in ((ours, theirs), (theirs, ours)):
                packed = marshal.dumps(page.body)
                source.sendall(packed)
                size = 0
                while size < len(packed):
                    size += target.recv_into(buffer)
                marshal.loads(buffer[:size])


def compress(pages: Sequence[Response]) -> None:
    """Compress pages as gzip members."""
    for page in pages:
        igzip_lib.compress(page.body, 1, igzip_lib.COMP_GZIP)


def store(pages: Sequence[Response]) -> None:
    """Insert a page of text and forty links each into SQLite, with a full sync for each group."""
    with tempfile.TemporaryDirectory() as folder:
        db = sqlite3.connect(Path(folder, "floor.db"), isolation_level=None)
        db.execute("PRAGMA page_size = 8192")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute(
            "CREATE TABLE links (id INTEGER PRIMARY KEY, parent INT, score REAL, url TEXT, context TEXT)"
        )
        db.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)")
        for start in range(0, len(pages), GROUP):
            db.execute("BEGIN")
            for number, page in enumerate(pages[start : start + GROUP], start):
                text = page.body[10_000:].decode()
                rows = (
                    (None, number, 0.5, text[at : at + 70], text[at : at + 160])
                    for at in range(0, 4_000, 100)
                )
                db.executemany("INSERT INTO links VALUES (?, ?, ?, ?, ?)", rows)
                db.execute("INSERT INTO texts VALUES (?, ?)", (number, text))
            db.execute("COMMIT")
        db.close()


def floors(pages: Sequence[Response]) -> dict[str, float]:
    """Return the least cost of the stages that have one, by the beginning of their names."""
    trees = [LexborHTMLParser(page.body) for page in pages]
    texts = [tree.body.text() if tree.body else "" for tree in trees]

    def least_of(work: Callable[[Sequence[object]], None], some: Sequence[object]) -> float:
        return least(lambda _: work(some), pages)

    return {
        "fetch": least(fetch, pages), "decode": least(decode, pages), "DOM": least(parse, pages),
        "links": least_of(find_links, trees), "text": least_of(read_text, trees),  # type: ignore[arg-type]
        "bag": least_of(count_words, texts),  # type: ignore[arg-type]
        "IPC": least(send, pages), "WARC": least(compress, pages), "store": least(store, pages),
    }  # fmt: skip
