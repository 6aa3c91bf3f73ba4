"""Annotated pages for main-text extraction: reading the sets, and measuring a text against the annotation.

WCXB (Web Content eXtraction Benchmark, M. Foley 2026, CC BY 4.0): a folder with html/NNNN.html, ground-truth/NNNN.json
and metadata.json; measured by word F1, and by segments that must and must not be in the text. Zyte's article extraction benchmark (MIT): a folder with html/ID.html.gz and
ground-truth.json; measured by F1 over four-word shingles. Neither is part of this repository.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

WORD = re.compile(r"\w+")
ZYTE = "Zyte article"


@dataclass
class AnnotatedPage:
    """A page with its main text, the type of the page, and the domain by which pages are divided into folds.

    `wanted` and `unwanted` are segments that must and must not be in the text, as `squeezed` leaves them.
    """

    name: str
    url: str
    kind: str
    domain: str
    html: bytes
    truth: str
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def squeezed(text: str) -> str:
    """Return letters and digits only: annotations put blanks between elements where pages have none."""
    return "".join(words(text))


def segments(stored: dict, truth: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the segments that the annotated main text confirms: wanted ones that it has, others that it lacks."""
    whole = squeezed(truth)
    wanted, unwanted = (
        {squeezed(each) for each in stored.get(key) or ()} - {""} for key in ("with", "without")
    )
    return (
        tuple(sorted(each for each in wanted if each in whole)),
        tuple(sorted(each for each in unwanted if each not in whole)),
    )


def read_pages(wcxb: Path, zyte: Path | None = None) -> Iterator[AnnotatedPage]:
    """Read the pages that have an annotation."""
    listed = json.loads((wcxb / "metadata.json").read_text())["files"]
    for path in sorted((wcxb / "ground-truth").glob("*.json")):
        stored = json.loads(path.read_text())
        truth = stored["ground_truth"].get("main_content")
        if truth:
            yield AnnotatedPage(
                path.stem,
                stored.get("url", ""),
                stored["_internal"]["page_type"]["primary"],
                listed[path.stem]["domain"],
                (wcxb / "html" / f"{path.stem}.html").read_bytes(),
                truth,
                *segments(stored["ground_truth"], truth),
            )
    for name, stored in json.loads((zyte / "ground-truth.json").read_text()).items() if zyte else ():
        html = gzip.decompress((zyte / "html" / f"{name}.html.gz").read_bytes())
        domain = urlsplit(stored["url"]).hostname or ""
        yield AnnotatedPage(name, stored["url"], ZYTE, domain, html, stored["articleBody"])


def agreement(found: Counter, truth: Counter) -> tuple[float, float, float]:
    """Return F1, precision and recall of a bag against another."""
    hits = (found & truth).total()
    if not hits:
        return (1.0, 1.0, 1.0) if not found and not truth else (0.0, 0.0, 0.0)
    precision, recall = hits / found.total(), hits / truth.total()
    return 2 * precision * recall / (precision + recall), precision, recall


def measure(page: AnnotatedPage, text: str) -> tuple[float, float, float]:
    """Return F1, precision and recall of a text by the measure of the page's set."""
    length = 4 if page.kind == ZYTE else 1
    found, truth = (
        Counter(zip(*(each[at:] for at in range(length)), strict=False))
        for each in (words(text), words(page.truth))
    )
    return agreement(found, truth)


class SegmentCounts:
    """Segments found in texts: how many of those that must be there, and of those that must not."""

    def __init__(self) -> None:
        self.wanted = self.found = self.excess = 0

    def add(self, page: AnnotatedPage, text: str) -> None:
        whole = squeezed(text)
        self.wanted += len(page.wanted)
        self.found += sum(each in whole for each in page.wanted)
        self.excess += sum(each in whole for each in page.unwanted)

    @property
    def scores(self) -> tuple[float, float, float]:
        """Return F1, precision and recall over all segments."""
        if not self.found:
            return 0.0, 0.0, 0.0
        precision, recall = self.found / (self.found + self.excess), self.found / self.wanted
        return 2 * precision * recall / (precision + recall), precision, recall


def label_blocks(texts: list[str], truth: str) -> tuple[list[float], list[int]]:
    """Return for each block the share of its words that the main text has, and the number of its words.

    Long blocks claim their words first, if their shingles are in the main text; then short ones, if they are a
    line of it or continue a neighbour. A word of the main text is claimed once: a second copy of a text is none.
    """
    wanted = words(truth)
    free = Counter(wanted)
    shingles = set(zip(*(wanted[at:] for at in range(4)), strict=False))
    pairs = set(pairwise(wanted))
    lines = {" ".join(words(line)) for line in truth.split("\n")}
    found = [words(text) for text in texts]
    shares = [0.0] * len(found)
    for at, block in enumerate(found):
        if len(block) >= 4:
            hits = [run in shingles for run in zip(*(block[k:] for k in range(4)), strict=False)]
            share = sum(hits) / len(hits)
            if share > 0.3:
                claimed = (Counter(block) & free).total()
                free -= Counter(block)
                shares[at] = claimed / len(block) if share > 0.5 else share
    filled = [at for at, block in enumerate(found) if block]
    for place, at in enumerate(filled):
        block = found[at]
        if len(block) < 4 and Counter(block) <= free:
            near = [filled[k] for k in (place - 1, place + 1) if 0 <= k < len(filled)]
            joins = any(
                shares[k] > 0.5
                and ((found[k][-1], block[0]) if k < at else (block[-1], found[k][0])) in pairs
                for k in near
            )
            if " ".join(block) in lines or joins:
                free -= Counter(block)
                shares[at] = 1.0
    return shares, [len(block) for block in found]
