"""Compare extractors of main text on annotated pages: F1 by type of page, segments, and CPU.

    python -m bench.text_extractors WCXB ZYTE [--every 1]     # needs trafilatura and readability-lxml

Clew's own row here is measured with the shipped model, which has seen these pages; what it does on domains that it
has not seen is measured by bench.text_training. CPU is that of the whole call, bytes in, text out; that of Clew is also
divided, in a pass of its own, into parsing and all that comes after it.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

import numpy as np
from readability import Document
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from selectolax.lexbor import LexborHTMLParser
from trafilatura import extract

from bench.figures import publish
from bench.text_pages import ZYTE, AnnotatedPage, SegmentCounts, measure, read_pages
from clew.parse.maintext import extract_text, parsed, text_of_document
from docs.figures import Table

TYPES = ("article", "documentation", "service", "forum", "collection", "listing", "product")


def _trafilatura(page: AnnotatedPage) -> str:

    return extract(page.html, url=page.url or None, include_comments=page.kind == "forum") or ""


def _resiliparse(page: AnnotatedPage) -> str:

    return extract_plain_text(bytes_to_str(page.html, detect_encoding(page.html)), main_content=True)


def _readability(page: AnnotatedPage) -> str:

    try:
        found = Document(page.html).summary()
    except Exception:  # noqa: BLE001 - whatever it stumbles over
        return ""
    return LexborHTMLParser(found).root.text(separator="\n")


EXTRACTORS: dict[str, Callable[[AnnotatedPage], str]] = {
    "trafilatura": _trafilatura,
    "resiliparse": _resiliparse,
    "readability": _readability,
    "clew, pages seen": lambda page: extract_text(page.html, page.url),
}


def row(name: str, scores: dict[str, list], cost: str) -> tuple[str, ...]:
    """Return a row of the table: mean F1 by type, of the whole set, of the articles of the other set, CPU."""
    whole = [value for kind in TYPES for value in scores[kind]]
    means = [np.mean([f1 for f1, _, _ in scores[kind]]) for kind in TYPES]
    total = np.mean(whole, 0)
    zyte = np.mean([f1 for f1, _, _ in scores[ZYTE]]) if scores[ZYTE] else float("nan")
    return (name, *(f"{value:.3f}" for value in (*means, *total, zyte)), cost)


def segment_row(name: str, pages: Iterable[tuple[AnnotatedPage, str]]) -> tuple[str, ...]:
    """Return a row of the table of segments: those of articles, and those of all pages."""
    counts = SegmentCounts(), SegmentCounts()
    for page, text in pages:
        for each in counts[page.kind != "article" :]:
            each.add(page, text)
    return (name, *(f"{value:.3f}" for each in counts for value in each.scores))


SEGMENT_HEADER = (
    "extractor", "articles F1", "articles precision", "articles recall", "all F1", "all precision", "all recall",
)  # fmt: skip
HEADER = ("extractor", *TYPES, "all", "precision", "recall", "Zyte articles", "ms a page")


def divided_cost(pages: Iterable[AnnotatedPage]) -> tuple[float, float]:
    """Return the CPU milliseconds a page of decoding and parsing, and of everything beyond it."""
    spent = []
    for page in pages:
        began = time.process_time()
        document = parsed(page.html)
        between = time.process_time()
        text_of_document(document, page.url)
        spent.append((between - began, time.process_time() - between))
    parsing, beyond = np.mean(spent, 0) * 1e3
    return parsing, beyond


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wcxb", type=Path)
    parser.add_argument("zyte", type=Path)
    parser.add_argument("--every", type=int, default=1, help="read every nth page only")
    options = parser.parse_args()
    parsing, beyond = divided_cost(islice(read_pages(options.wcxb, options.zyte), None, None, options.every))
    print(f"clew: {parsing:.2f} ms to parse a page, {beyond:.2f} beyond that", flush=True)
    scores = {name: defaultdict(list) for name in EXTRACTORS}
    texts: dict[str, list[tuple[AnnotatedPage, str]]] = {name: [] for name in EXTRACTORS}
    costs = dict.fromkeys(EXTRACTORS, 0.0)
    count = 0
    for page in islice(read_pages(options.wcxb, options.zyte), None, None, options.every):
        count += 1
        for name, extractor in EXTRACTORS.items():
            began = time.process_time()
            text = extractor(page)
            costs[name] += time.process_time() - began
            scores[name][page.kind].append(measure(page, text))
            texts[name].append((page, text))
    rows = [row(name, scores[name], f"{costs[name] / count * 1000:.1f}") for name in EXTRACTORS]
    command = f"python -m bench.text_extractors WCXB ZYTE --every {options.every}"
    segments = Table(SEGMENT_HEADER, tuple(segment_row(name, each) for name, each in texts.items()))
    tables = {"text-extractors": Table(HEADER, tuple(rows)), "text-extractors-segments": segments}
    publish(tables, command, pages=count, parsing=f"{parsing:.2f}", beyond=f"{beyond:.2f}")


if __name__ == "__main__":
    main()
