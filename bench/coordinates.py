"""Where are links on the page? The parser's coordinates against the boxes of a real browser.

    python -m bench.coordinates WORLDS            # writes the data and pictures of docs/lab/coordinates.md

WORLDS is the folder of recorded webs (or CLEW_WORLDS). Needs the extra `browser` and Chromium.
Recorded pages are rendered without scripts and without external style sheets, because the recordings
do not hold them; the pages of `bench.modern_pages` are rendered with theirs.
"""

import argparse
import os
import random
import re
import shutil
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from playwright.sync_api import Error, Page, sync_playwright
from selectolax.lexbor import LexborHTMLParser

from bench.figures import publish, with_header
from bench.modern_pages import made
from clew.lab.warc_reader import ReadCounts, read_responses
from clew.parse.html_walk import HtmlWalk
from clew.parse.options import ParseOptions
from clew.parse.page_reader import read
from clew.parse.surroundings import places_of
from clew.types import Link, Response
from clew.urls import Canon, origin

WORLDS = {
    "stat-sites": (42, 4), "geo-ja": (20, 5), "webkb": (40, 2), "rec-swde-book": (12, 4), "rec-swde-movie": (12, 4),
    "mdn-archive": (1, 6), "wikispeedia": (1, 6), "cppja": (2, 5), "lohelp-de": (1, 5), "rec-ith": (1, 6),
}  # fmt: skip
"""Hosts and pages of a host taken from each world, at random."""

COLUMNS = ("pseudo-x", "pseudo-y", "x", "y")
BINS = 40
OUT = Path(__file__).parent.parent / "docs" / "lab"
BOXES = """() => ({wide: Math.max(document.documentElement.scrollWidth, 1), high: Math.max(document.documentElement.scrollHeight, 1),
 left: document.documentElement.scrollLeft,
 boxes: [...document.querySelectorAll('a[href],area[href]')].map(a => {const r = a.getBoundingClientRect();
   return [r.left + scrollX, r.top + scrollY, r.width, r.height]})})"""


@dataclass
class Sample:
    """One page, and for each visible link its true x, y and our four numbers."""

    group: str
    name: str
    numbers: np.ndarray

    def correlation(self, column: int) -> float:
        """Return the correlation of our column with the browser's; nan where the browser's does not vary."""
        true, ours = self.numbers[:, column % 2], self.numbers[:, 2 + column]
        if true.std() < 1e-3:
            return float("nan")
        return float(np.corrcoef(true, ours)[0, 1]) if ours.std() > 1e-9 else 0.0


def recorded(folder: Path, world: str) -> list[tuple[str, bytes]]:
    """Return pages of a world: some hosts, some pages of each, at random but always the same."""
    hosts, each = WORLDS[world]
    by_host: dict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for answer in read_responses(folder / world / "pages.warc.xz", ReadCounts()):
        body = answer.body
        if answer.status == 200 and len(body) < 400_000 and body.lower().count(b"<a ") >= 5:
            by_host[urlsplit(answer.url).netloc].append((answer.url, body))
    drawn = random.Random(5)
    names = sorted(by_host)
    drawn.shuffle(names)
    return [
        page for name in names[:hosts] for page in drawn.sample(by_host[name], min(each, len(by_host[name])))
    ]


def without_scripts(markup: bytes) -> bytes:
    """Remove scripts and references to style sheets from a page."""
    markup = re.sub(rb"(?is)<link[^>]*stylesheet[^>]*>", b"", markup)
    return re.sub(rb"(?is)<script\b.*?</script>", b"", markup)


def rendered(page: Page, url: str, markup: bytes, sheet: str) -> dict | None:
    """Return the boxes of a page's links by the browser, or nothing when it fails."""

    def fulfill(route) -> None:
        request = route.request
        if request.is_navigation_request() and request.frame.parent_frame is None:
            route.fulfill(status=200, headers={"content-type": "text/html"}, body=markup)
        elif sheet and request.url.endswith("/site.css"):
            route.fulfill(status=200, headers={"content-type": "text/css"}, body=sheet)
        else:
            route.abort()

    page.unroute_all()
    page.route("**/*", fulfill)
    try:
        page.goto(url, wait_until="load", timeout=10_000)
        return page.evaluate(BOXES)
    except Error as error:
        print("left out", url, str(error).splitlines()[0])
        return None


def link_positions(document: LexborHTMLParser) -> dict[int, tuple]:
    """Return the coordinates of every link of a page as the parser computes them, repeated URLs included."""
    walk = HtmlWalk()
    walk.over(document.root, layout=True)
    nodes = [node.mem_id for _, _, node, _ in walk.links]
    return dict(zip(nodes, places_of(walk, document.root), strict=True))


def compared(group: str, name: str, markup: bytes, truth: dict) -> Sample | None:
    """Put our numbers beside the browser's."""
    document = LexborHTMLParser(markup, options=1)
    ours = link_positions(document)
    anchors = document.css("a[href],area[href]")
    if len(anchors) != len(truth["boxes"]):
        return None  # the browser sees another tree: noscript, templates
    rows = [
        ((left + width / 2 - min(0, truth["left"])) / truth["wide"], (top + height / 2) / truth["high"], *ours[node.mem_id][:4])
        for node, (left, top, width, height) in zip(anchors, truth["boxes"], strict=True)
        if width * height > 0 and node.mem_id in ours
    ]  # fmt: skip
    return Sample(group, name, np.clip(np.array(rows), -0.2, 1.2)) if len(rows) >= 5 else None


def measured(folder: Path) -> tuple[list[Sample], list[Sample], int]:
    """Render and compare everything: recorded pages, synthetic pages, and the number of hosts."""
    found, own, hosts = [], [], set()
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        for each in made():
            truth = rendered(page, "http://made.test/", each.markup.encode(), each.sheet)
            if truth and (sample := compared("made up", each.name, each.markup.encode(), truth)):
                own.append(sample)
        for world in WORLDS:
            for url, body in recorded(folder, world) if (folder / world).is_dir() else ():
                markup = without_scripts(body)
                truth = rendered(page, url, markup, "")
                if truth and (sample := compared(world, url, markup, truth)):
                    found.append(sample)
                    hosts.add(urlsplit(url).netloc)
        browser.close()
    return found, own, len(hosts)


def cost(folder: Path) -> list[str]:
    """Measure what a layout adds to reading a page: CPU time, the best of five, page by page."""
    rows, canon = [], Canon(())
    for world in ("stat-sites", "geo-ja", "webkb", "rec-swde-book"):
        pages = recorded(folder, world)[:60] if (folder / world).is_dir() else []
        responses = [response_of(url, body) for url, body in pages]
        best = np.full((2, len(pages)), 9.0)
        for _ in range(5):
            for at, response in enumerate(responses):
                for layout in (False, True):
                    begun = time.process_time()
                    read(response, canon=canon, max_bytes=8_000_000, options=ParseOptions(layout=layout))
                    best[int(layout), at] = min(best[int(layout), at], time.process_time() - begun)
        if pages:
            more, total = best[1] / best[0] - 1, best[1].sum() / best[0].sum() - 1
            rows.append(f"| {world} | {1e6 * best[0].mean():,.0f} | {np.median(more):+.0%} | {total:+.0%} |")
    return rows


def response_of(url: str, body: bytes) -> Response:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    link = Link(id=1, url=url, origin=origin(url))
    return Response(link=link, started=0, ended=0, status=200, head=head, body=body)


def table(samples: list[Sample]) -> list[str]:
    groups = defaultdict(list)
    for sample in samples:
        groups[sample.group].append(sample)
    lines = ["| | pages | links | " + " | ".join(COLUMNS) + " |", "|---|---|---|---|---|---|---|"]
    for name, some in [*groups.items(), ("**all, page by page**", samples)]:
        each = np.nanmean([[sample.correlation(column) for column in range(4)] for sample in some], 0)
        count = sum(len(sample.numbers) for sample in some)
        lines.append(
            f"| {name} | {len(some)} | {count:,} | " + " | ".join(f"{value:.2f}" for value in each) + " |"
        )
    pooled = np.concatenate([sample.numbers for sample in samples])
    whole = [np.corrcoef(pooled[:, column % 2], pooled[:, 2 + column])[0, 1] for column in range(4)]
    lines.append(
        f"| **all links pooled** | {len(samples)} | {len(pooled):,} | "
        + " | ".join(f"**{value:.2f}**" for value in whole)
        + " |"
    )
    return lines


def picture(samples: list[Sample], path: Path) -> None:
    """Draw our numbers over the browser's, one panel for each column; darker means more links."""
    pooled = np.concatenate([sample.numbers for sample in samples])
    parts = []
    for column, name in enumerate(COLUMNS):
        counts, _, _ = np.histogram2d(pooled[:, column % 2], pooled[:, 2 + column], BINS, [[0, 1], [0, 1]])
        shade = np.log1p(counts) / np.log1p(counts.max())
        left, size = 40 + column * 250, 200 / BINS
        parts.append(f'<rect x="{left}" y="30" width="200" height="200" fill="none" stroke="#888"/>')
        parts.append(f'<text x="{left + 100}" y="20" text-anchor="middle">{name}</text>')
        parts.append(
            f'<text x="{left + 100}" y="250" text-anchor="middle">{"xy"[column % 2]} in Chromium</text>'
        )
        parts.append(f'<path d="M{left} 230L{left + 200} 30" stroke="#d80" stroke-width="0.7"/>')
        parts += [
            f'<rect x="{left + across * size:.1f}" y="{230 - (up + 1) * size:.1f}" width="{size:.1f}" height="{size:.1f}" fill="#15a" fill-opacity="{shade[across, up]:.2f}"/>'
            for across, up in np.argwhere(counts > 0)
        ]
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1010 260" font-family="sans-serif" font-size="13">'
        f'<rect width="1010" height="260" fill="#fff"/>{"".join(parts)}</svg>',
        "utf-8",
    )


def worst(samples: list[Sample], column: int, count: int) -> list[str]:
    order = sorted(samples, key=lambda sample: np.nan_to_num(sample.correlation(column), nan=1))
    return [
        f"| {COLUMNS[column]} | {sample.name} | {sample.correlation(column):.2f} |"
        for sample in order[:count]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "worlds", nargs="?", type=Path, default=os.environ.get("CLEW_WORLDS"), help="the folder of worlds"
    )
    options = parser.parse_args()
    if not options.worlds:
        parser.error("name the folder of worlds, or set CLEW_WORLDS")
    folder = Path(options.worlds)
    report(*measured(folder), cost(folder))


def report(found: list[Sample], own: list[Sample], hosts: int, costs: list[str]) -> None:
    """Write the data files and the pictures."""
    heads = ("world", "counted, µs", "layout, median page", "layout, in all")
    layouts = [
        f"| {sample.name} | " + " | ".join(f"{sample.correlation(column):.2f}" for column in range(4)) + " |"
        for sample in own
    ]
    tables = {
        "coordinates-recorded": with_header(("world", "pages", "links", *COLUMNS), table(found)),
        "coordinates-synthetic": with_header(("pages of", "pages", "links", *COLUMNS), table(own)),
        "coordinates-layouts": with_header(("page", *COLUMNS), ["| |", "|---|", *layouts]),
        "coordinates-cost": with_header(heads, ["| |", "|---|", *costs]),
        "coordinates-worst": with_header(
            ("coordinate", "page", "correlation"), ["| |", "|---|", *worst(found, 2, 8), *worst(found, 3, 8)]
        ),
    }
    picture(found, OUT / "coordinates-recorded.svg")
    picture(own, OUT / "coordinates-made.svg")
    publish(tables, "python -m bench.coordinates WORLDS", pages=len(found), hosts=hosts)


if __name__ == "__main__":
    main()
