"""Measure the corpus export: speed and memory on many pages, and how well near-duplicates are found.

    python -m bench.corpus WORLD… [--pages 100000]

Made pages are put together from sentences of a recorded world. One in ten is an exact copy of an earlier page, one
in ten an earlier page with a share of its words replaced: the truth is known. On the synthetic web articles have a
version for printing, which is their duplicate. Of the worlds' own pages the truth is the comparison of every pair,
with all runs of letters.
"""

import argparse
import json
import random
import re
import resource
import sqlite3
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Self

import numpy as np
from backports import zstd

from bench.figures import publish
from clew.insight.corpus import CorpusOptions, export_corpus
from clew.insight.corpus import near_duplicates as nd
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path
from clew.lab.synthetic.web import Web, is_bare
from clew.lab.warc_reader import ReadCounts, read_responses
from clew.parse.maintext import extract_text
from clew.store.database import open_writer
from clew.store.warc import pack
from clew.types import Link, Response
from docs.figures import Table

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
HOSTS = 200
SYNTHETIC = 3_000  # articles of the synthetic web
MOST = 800  # pages of a world: every pair is compared
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def world_texts(world: Path, most: int) -> list[str]:
    """Return the main texts of a world's pages."""
    texts = []
    for response in read_responses(world / "pages.warc.gz", ReadCounts()):
        if response.status == 200 and b"<" in response.body[:500]:
            text = extract_text(response.body, response.url)
            if len(text.split()) >= 50:
                texts.append(text)
        if len(texts) >= most:
            break
    return texts


class PeakMemory:
    """How many bytes of memory this process took more than at the beginning, looked at every tenth of a second."""

    def __enter__(self) -> Self:
        self._done = threading.Event()
        self._begin = self._peak = self._taken()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()

    @property
    def grown(self) -> int:
        return self._peak - self._begin

    def _watch(self) -> None:
        while not self._done.wait(0.1):
            self._peak = max(self._peak, self._taken())

    @staticmethod
    def _taken() -> int:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()


class MadePages:
    """Pages whose duplicates are known: new ones, copies, and copies with a share of their words replaced."""

    def __init__(self, texts: list[str]) -> None:
        lines = (line for text in texts for line in text.split("\n"))
        self.sentences = [each for line in lines for each in _SENTENCE.split(line) if len(each) > 40]
        self.words = sorted({word for text in texts for word in text.split()})

    def page(self, number: int) -> tuple[str, str, int]:
        """Return the text of a page, "new", "exact" or the share of replaced words, and the page it copies."""
        dice = random.Random(number)
        kind = dice.random()
        if number < 100 or kind >= 0.2:
            paragraphs = (" ".join(dice.choices(self.sentences, k=5)) for _ in range(6))
            return "\n".join(paragraphs), "new", number
        text, found, source = "", "", 0
        while found != "new":
            text, found, source = self.page(dice.randrange(number))
        if kind < 0.1:
            return text, "exact", source
        share, words = dice.choice(SHARES), text.split(" ")
        for at in dice.sample(range(len(words)), round(share * len(words))):
            words[at] = dice.choice(self.words)
        return " ".join(words), f"{share:g}", source


def fill(folder: Path, made: MadePages, count: int) -> list[tuple[str, int]]:
    """Write a crawl of made pages; return for each its kind and the page it copies."""
    db = open_writer(folder, "bench")
    name, kinds = "clew-20260101000000-00000.warc.gz", []
    (folder / "pages").mkdir(exist_ok=True)
    db.execute("INSERT INTO warcs VALUES (?, 0)", (name,))
    for host in range(HOSTS):
        db.execute("INSERT INTO hosts (id, origin) VALUES (?, ?)", (host + 1, f"http://host{host}.example"))
    with (folder / "pages" / name).open("wb") as file:
        for number in range(count):
            text, kind, source = made.page(number)
            kinds.append((kind, source))
            url = f"http://host{number % HOSTS}.example/{number}"
            body = f"<html lang=en><title>{number}</title><body><p>{text}</p></body></html>".encode()
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            link = Link(id=number + 1, url=url, origin="")
            packed = pack(Response(link=link, started=0, ended=0, status=200, head=head, body=body))
            place = file.tell()
            file.write(packed.response)
            insert(db, "links", id=number + 1, host=number % HOSTS + 1, hash=number, kind=0, state=1, score=0,
                   depth=0, hops=0, tries=1, url=url)  # fmt: skip
            insert(db, "pages", id=number + 1, status=200, error="", truncated=0, mime="text/html",
                   encoding="utf-8", title=str(number), lang="en", score=0, relevant=1, why="", noindex=0,
                   fetched_at=0, seconds=0, bytes=len(body), address="", fingerprint=0, warc_file=name,
                   warc_offset=place, warc_length=file.tell() - place)  # fmt: skip
            insert(db, "texts", page=number + 1, text=text)
    db.commit()
    db.close()
    return kinds


def insert(db: sqlite3.Connection, table: str, **values: object) -> None:
    marks = ", ".join("?" * len(values))
    db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values()))


def exported(target: Path) -> set[int]:
    """Return the pages in a corpus."""
    found = set()
    for shard in (target / "data").glob("*.zst"):
        with zstd.open(shard) as file:
            found |= {json.loads(line)["id"] for line in file}
    return found


def made_rows(texts: list[str], count: int) -> tuple[list[tuple[str, ...]], dict[str, object]]:
    """Export a crawl of made pages; return how many of each kind were left out, and the price."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "crawl")
        folder.mkdir()
        kinds = fill(folder, MadePages(texts), count)
        with PeakMemory() as memory:
            began = time.process_time()
            export_corpus(folder, Path(name, "corpus"), CorpusOptions(min_words=20))
            seconds = time.process_time() - began
        kept = exported(Path(name, "corpus"))
    # Of a page and its copies any one may be kept: hosts come in their order, not pages.
    copied = {source for kind, source in kinds if kind != "new"}
    groups: dict[str, list[bool]] = {}
    for number, (kind, source) in enumerate(kinds):
        if kind != "new":
            groups.setdefault(kind, []).append(not {number + 1, source + 1} <= kept)
        elif number not in copied:
            groups.setdefault(kind, []).append(number + 1 not in kept)
    rows = []
    for kind in ("new", "exact", *(f"{share:g}" for share in SHARES)):
        name = {"new": "without copy", "exact": "exact copy"}.get(kind, f"copy, {kind} of words replaced")
        rows.append((name, f"{len(groups[kind]):,}", f"{np.mean(groups[kind]):.4f}"))
    return rows, {"ms": f"{seconds / count * 1000:.2f}", "mebibytes": memory.grown >> 20, "pages": count}


def world_row(name: str, texts: list[str]) -> tuple[str, ...]:
    """Return precision and recall on a world's own pages, by comparing all pairs with all their runs."""
    enough, nd.ENOUGH = nd.ENOUGH, 10**9
    runs = [nd.letter_runs(text) for text in texts]
    truth = {
        at
        for at in range(len(runs))
        if any(
            min(len(runs[at]), len(runs[other])) >= 0.8 * max(len(runs[at]), len(runs[other]))
            and nd.resemblance(runs[at], runs[other]) >= 0.8
            for other in range(at)
        )
    }
    nd.ENOUGH = enough
    return scored_row(name, texts, truth)


def synthetic_row() -> tuple[str, ...]:
    """Return precision and recall on articles of the synthetic web, half of which are followed by their print version."""
    web, texts, truth = Web(20_000, seed=23), list[str](), set[int]()
    for host in range(len(web.graph.names)):
        site = web.graph.site(host)
        for section in site.sections:
            target = UrlTarget(PageKind.CONTENT, section.number, section.count // 2)
            if is_bare(site, target) or len(texts) >= SYNTHETIC:
                continue
            for variant in ("", "print") if section.number % 2 else ("",):
                url = f"http://{site.name}{path(site, target._replace(variant=variant))}"
                if variant:
                    truth.add(len(texts))
                texts.append(extract_text(web.respond(url).body, url))
    return scored_row("synthetic web", texts, truth)


def scored_row(name: str, texts: list[str], truth: set[int]) -> tuple[str, ...]:
    """Return precision and recall of the index, which sees texts in their order, against the true duplicates."""
    with closing(sqlite3.connect(":memory:")) as db:
        index = nd.DuplicateIndex(db, lambda page: texts[page], 0.8)
        found = {at for at, text in enumerate(texts) if index.near(at, text)}
    hits = len(truth & found)
    precision, recall = (f"{hits / len(each):.3f}" if each else "–" for each in (found, truth))
    return name, f"{len(texts):,}", f"{len(truth):,}", precision, recall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worlds", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=100_000, help="made pages; 0: the worlds only")
    options = parser.parse_args()
    texts = {world.name: world_texts(world, MOST) for world in options.worlds}
    worlds = [world_row(name, each) for name, each in texts.items()]
    worlds.append(synthetic_row())
    names = " ".join(world.name for world in options.worlds)
    command = f"python -m bench.corpus {names} --pages {options.pages}"
    columns = "world", "pages", "near-duplicates", "precision", "recall"
    publish({"corpus-worlds": Table(columns, tuple(worlds))}, command)
    if options.pages:
        rows, price = made_rows(texts[options.worlds[0].name], options.pages)
        publish({"corpus-made": Table(("page", "pages", "removed"), tuple(rows))}, command, **price)


if __name__ == "__main__":
    main()
