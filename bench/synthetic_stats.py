"""Compare the synthetic web with real ones: one table, every figure computed by the same code from Clew's own parser.

    python -m bench.synthetic_stats --worlds FOLDER [--world NAME …] [--seeds 1 2 3] [--json FILE]

FOLDER (or the environment variable CLEW_WORLDS) holds archived webs: in each folder `pages.warc.gz` or `pages.warc.xz`,
and where there are labels `labels.tsv` (address, labels) and `tasks.json` (topics with their positive labels). The synthetic
web is read three ways: a small one whole (`whole`, as the archives are), a breadth-first crawl of a large one (`crawl`)
and pages drawn evenly from it (`even`; links only, nothing that needs a closed set of pages).

How to read it: *in-degree* counts pages of the set that link to a page of the set. The *tail exponent* is the maximum
likelihood one for the upper tenth. A link is *navigation* when its tag path goes through nav, header, footer or aside, or when the
same link is on at least 30 % of its host's pages (hosts with five pages and more). An anchor is *generic* when it is in
a list of such words, a number, or at most one character. *Locality* is the share of relevant pages among those first
reached by 1, 2, 3 links from a relevant page, over the share of relevant pages in the set; mean over topics.
"""

import argparse
import gzip
import json
import lzma
import os
import re
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from bench import measure
from clew.lab.synthetic import Web, WebTruth
from clew.parse import read
from clew.types import Kind, Link, Page, Response
from clew.urls import Canon, host, origin

GENERIC = """
read more|here|more|continue|click here|details|full story|this page|link|next|prev|previous|back|home|top|up|index|contents
see here|more »|[more]|next page|older »|« newer|home page|return|go|this|download|edit|?|print
mehr|hier|weiter|weiterlesen|hier klicken|zurück|vor|nächste seite|siehe hier|diese seite|[weiter]
続きを読む|詳しくはこちら|こちら|もっと見る|詳細|次へ|前へ|戻る|全文を読む|ここ|もっと|次のページ
lire la suite|ici|suite|cliquez ici|en savoir plus|détails|suivant|précédent
"""
_GENERIC = frozenset(GENERIC.replace("\n", "|").split("|"))
_NAVIGATION = re.compile(r"(?:^|/)(?:nav|header|footer|aside)(?:[./]|$)")
_REPEATED = 0.3
_SOURCES = 200  # relevant pages from which locality is measured
_RELEVANT = (0.002, 0.12)  # share of relevant pages in which a topic counts


@dataclass
class Corpus:
    """A set of pages read by Clew's parser, with the topics that pages are relevant to."""

    name: str
    pages: dict[str, Page] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    failed: int = 0
    topics: dict[str, set[str]] = field(default_factory=dict)
    closed: bool = True

    def add(self, url: str, status: int, head: bytes, body: bytes) -> Page | None:
        """Read one response."""
        link = Link(id=1, url=url, origin=origin(url), kind=Kind.PAGE)
        page = read(
            Response(link=link, started=0, ended=0, status=status, head=head, body=body),
            canon=_canon,
            max_bytes=8_000_000,
        )
        if page.redirect:
            self.moved[url] = page.redirect
        elif status >= 400:
            self.failed += 1
        elif page.mime in {"text/html", "application/xhtml+xml"}:
            self.pages[url] = page
            return page
        return None

    def target(self, url: str) -> str:
        """Follow redirects between the pages read."""
        for _ in range(5):
            if url not in self.moved:
                break
            url = self.moved[url]
        return url


_canon = Canon()


def world(folder: Path) -> Corpus:
    """Read an archived web and its labels."""
    corpus = Corpus(folder.name)
    for url, status, head, body in _responses(folder):
        corpus.add(_canon(url) or url, status, head, body)
    labels: dict[str, set[str]] = {}
    if (folder / "labels.tsv").exists():
        for row in (folder / "labels.tsv").read_text("utf-8").splitlines():
            url, _, names = row.partition("\t")
            labels[_canon(url) or url] = set(names.split(","))
    tasks = (
        json.loads((folder / "tasks.json").read_text("utf-8"))["tasks"]
        if (folder / "tasks.json").exists()
        else []
    )
    for task in tasks:
        wanted = set(task.get("positive_labels") or ())
        if wanted:
            corpus.topics[task["topic"]] = {url for url in corpus.pages if labels.get(url, set()) & wanted}
    return corpus


def _responses(folder: Path) -> Iterator[tuple[str, int, bytes, bytes]]:
    packed, packed_xz = folder / "pages.warc.gz", folder / "pages.warc.xz"
    with gzip.open(packed) if packed.exists() else lzma.open(packed_xz) as stream:
        yield from _records(stream)  # type: ignore[arg-type]


def _records(stream: BinaryIO) -> Iterator[tuple[str, int, bytes, bytes]]:
    while line := stream.readline():
        if not line.startswith(b"WARC/"):
            continue
        fields = {}
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            fields[name.strip().lower()] = value.strip()
        block = stream.read(int(fields[b"content-length"]))
        if fields.get(b"warc-type") == b"response":
            head, _, body = block.partition(b"\r\n\r\n")
            yield (
                fields[b"warc-target-uri"].decode("utf-8", "replace").strip("<>"),
                int(block.split(None, 2)[1]),
                head,
                body,
            )


def read_response(corpus: Corpus, web: Web, url: str) -> Page | None:
    response = web.respond(url)
    fields = "".join(f"{name}: {value}\r\n" for name, value in response.headers)
    return corpus.add(
        url, response.status, f"HTTP/1.1 {response.status} X\r\n{fields}".encode(), response.body
    )


def crawled(name: str, web: Web, truth: WebTruth, most: int, *, start: Iterable[str]) -> Corpus:
    """Read the synthetic web breadth-first, at most `most` responses."""
    corpus = Corpus(name)
    queue = deque(start)
    seen = set(queue)
    while queue and len(corpus.pages) + corpus.failed < most:
        page = read_response(corpus, web, queue.popleft())
        found = page.links.urls if page else []
        for url in [*found, *([corpus.moved[k] for k in list(corpus.moved)[-1:]] if page is None else [])]:
            if url not in seen:
                seen.add(url)
                queue.append(url)
    add_topics(corpus, truth)
    return corpus


def even(name: str, web: Web, truth: WebTruth, count: int) -> Corpus:
    """Read pages sampled uniformly from the synthetic web."""
    corpus = Corpus(name, closed=False)
    for url in truth.sample(count):
        read_response(corpus, web, url)
    return corpus


def add_topics(corpus: Corpus, truth: WebTruth) -> None:
    for url in corpus.pages:
        page_truth = truth.page_truth(url)
        if (
            page_truth
            and page_truth.topic
            and page_truth.lang == "en"
            and page_truth.kind not in {"list", "hub"}
        ):
            corpus.topics.setdefault(page_truth.topic, set()).add(url)


def figures(corpus: Corpus) -> dict[str, float]:
    """Compute every figure of the table."""
    pages = corpus.pages
    link_counts = np.array([len(page.links) for page in pages.values()])
    result = {"pages": float(len(pages)), "hosts": float(len({host(url) for url in pages}))}
    result |= {
        "links/page mean": link_counts.mean(),
        "links/page p50": np.median(link_counts),
        "links/page p90": np.percentile(link_counts, 90),
        "links/page p99": np.percentile(link_counts, 99),
    }
    result |= _links(corpus)
    lengths = np.array([len(page.text) for page in pages.values()])
    result |= {"text chars p50": np.median(lengths), "text chars p90": np.percentile(lengths, 90)}
    prints = Counter(page.fingerprint for page in pages.values() if page.fingerprint)
    result["duplicates %"] = 100 * (sum(prints.values()) - len(prints)) / len(pages)
    responses = len(pages) + corpus.failed + len(corpus.moved)
    result |= {
        "redirects %": 100 * len(corpus.moved) / responses,
        "errors %": 100 * corpus.failed / responses,
    }
    if corpus.closed:
        result |= _degrees(corpus)
        result |= _locality(corpus)
    return {name: float(value) for name, value in result.items()}


def _links(corpus: Corpus) -> dict[str, float]:
    """Compute the figures of single links: inside the host, navigation, anchors."""
    size = Counter(host(url) for url in corpus.pages)
    repeated: Counter[tuple[str, str, str]] = Counter()
    for url, page in corpus.pages.items():
        repeated.update((host(url), *pair) for pair in zip(page.links.urls, page.links.anchors, strict=True))
    inside = navigation = generic = total = 0
    words, chars = [], []
    for url, page in corpus.pages.items():
        home = host(url)
        for to, anchor, path in zip(page.links.urls, page.links.anchors, page.links.paths, strict=True):
            total += 1
            inside += host(to) == home
            is_repeated = size[home] >= 5 and repeated[home, to, anchor] >= _REPEATED * size[home]
            navigation += is_repeated or bool(_NAVIGATION.search(path))
            text = anchor.strip().lower()
            generic += text in _GENERIC or text.isdigit() or len(text) <= 1
            if anchor and not anchor.isspace():
                chars.append(len(anchor))
                words.append(len(anchor.split()))
    total = max(1, total)
    return {
        "inside host %": 100 * inside / total,
        "navigation %": 100 * navigation / total,
        "generic anchors %": 100 * generic / total,
        "anchor words mean": float(np.mean(words)),
        "anchor chars p50": float(np.median(chars)),
        "anchor chars p90": float(np.percentile(chars, 90)),
    }


def _neighbours(corpus: Corpus) -> dict[str, list[str]]:
    return {
        url: [
            to
            for to in dict.fromkeys(map(corpus.target, page.links.urls))
            if to in corpus.pages and to != url
        ]
        for url, page in corpus.pages.items()
    }


def _degrees(corpus: Corpus) -> dict[str, float]:
    counts = Counter(to for found in _neighbours(corpus).values() for to in found)
    degree = np.sort(np.array([counts[url] for url in corpus.pages]))
    floor = max(2.0, np.percentile(degree, 90))
    tail = degree[degree >= floor]
    exponent = 1 + len(tail) / np.log(tail / (floor - 0.5)).sum() if len(tail) else 0.0
    return {
        "in-degree p50": np.median(degree),
        "in-degree p90": np.percentile(degree, 90),
        "in-degree p99": np.percentile(degree, 99),
        "in-degree max": degree[-1],
        "tail exponent": exponent,
    }


def _locality(corpus: Corpus) -> dict[str, float]:
    neighbours = _neighbours(corpus)
    ratios: list[list[float]] = [[], [], []]
    bases = []
    for relevant in corpus.topics.values():
        base = len(relevant) / len(corpus.pages)
        if not _RELEVANT[0] <= base <= _RELEVANT[1] or len(relevant) < 15:
            continue
        bases.append(100 * base)
        ordered = sorted(relevant)
        hits, reached = [0, 0, 0], [0, 0, 0]
        for source in ordered[:: max(1, len(ordered) // _SOURCES)]:
            seen, ring = {source}, [source]
            for step in range(3):
                ring = list({to for url in ring for to in neighbours[url]} - seen)
                seen.update(ring)
                hits[step] += len(relevant.intersection(ring))
                reached[step] += len(ring)
        for step in range(3):
            if reached[step]:
                ratios[step].append(hits[step] / reached[step] / base)
    if not bases:
        return {}
    return {
        "relevant % mean": float(np.mean(bases)),
        **{f"locality {step + 1}": float(np.mean(ratios[step])) for step in range(3)},
        **{f"locality {step + 1} median": float(np.median(ratios[step])) for step in range(1)},
    }


def show(columns: dict[str, dict[str, float]], real: list[str], synthetic: list[str]) -> None:
    """Print one table, with the range of the real webs and whether the synthetic ones lie in it."""
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    rows = []
    for name in names:
        real_values = [columns[world][name] for world in real if name in columns[world]]
        synthetic_values = [columns[web][name] for web in synthetic if name in columns[web]]
        verdict = ""
        if real_values and synthetic_values and name not in {"pages", "hosts"}:
            verdict = (
                "in"
                if all(min(real_values) <= value <= max(real_values) for value in synthetic_values)
                else "OUT"
            )
        rows.append([name, *(_short(columns[c].get(name)) for c in columns), verdict])
    print(measure.table(["", *columns, "in range"], rows))


def _short(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def main() -> None:
    """Read all webs and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--worlds", type=Path, default=os.environ.get("CLEW_WORLDS"), help="folder of archived webs"
    )
    parser.add_argument("--world", nargs="*", help="only these folders")
    parser.add_argument(
        "--seeds", type=int, nargs="*", default=[1, 2], help="seeds of the synthetic webs (1 2)"
    )
    parser.add_argument(
        "--size", type=int, default=1_000_000, help="pages of the large synthetic web (1000000)"
    )
    parser.add_argument("--whole", type=int, default=5_000, help="pages of the small one, read whole (5000)")
    parser.add_argument("--crawl", type=int, default=4_000, help="pages read of the large one (4000)")
    parser.add_argument("--json", type=Path, help="write raw numbers here")
    options = parser.parse_args()
    columns: dict[str, dict[str, float]] = {}
    if options.worlds:
        folders = [f for f in sorted(Path(options.worlds).iterdir()) if any(f.glob("pages.warc.*"))]
        for folder in folders:
            if not options.world or folder.name in options.world:
                columns[folder.name] = figures(world(folder))
                print(f"read {folder.name}", file=sys.stderr)
    real = list(columns)
    for seed in options.seeds:
        small, large = Web(options.whole, seed), Web(options.size, seed)
        truth, far = WebTruth(small), WebTruth(large)
        columns[f"whole {seed}"] = figures(
            crawled("whole", small, truth, 10 * options.whole, start=small.home_urls())
        )
        starts = [url for topic in ("lighthouses", "bread", "census") for url in large.seeds(topic, 4)]
        columns[f"crawl {seed}"] = figures(crawled("crawl", large, far, options.crawl, start=starts))
        columns[f"even {seed}"] = figures(even("even", large, far, options.crawl))
        print(f"made up {seed}", file=sys.stderr)
    show(columns, real, [name for name in columns if name not in real])
    measure.write_json(options.json, {"facts": measure.facts(), "figures": columns})


if __name__ == "__main__":
    main()
