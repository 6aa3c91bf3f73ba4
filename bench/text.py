"""Measure what the language side of `clew.domain.text` costs: pages and links per second of one core, cold and warm.

Reads pages of worlds (or of a synthetic web unless any is named) and extracts the terms and nouns of their text
and of the links on them, twice: the first time every word is new, the second time none is. CPU time; the last
column compares with `words`, which only splits.  Read: a crawl handles some hundred pages a second, so terms
should take well under a millisecond a page.  Run:  python -m bench.text [--pages N] [WORLD…]
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from clew.domain.text import extra_for, language, nouns, terms, words
from clew.lab.world import World, open_world
from clew.parse import ipc
from clew.types import Link, Page, Response


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "worlds", nargs="*", default=["madeup:2000:7"], metavar="WORLD", help="worlds to read"
    )
    parser.add_argument("--pages", type=int, default=200, help="pages of each (200 unless given)")
    options = parser.parse_args()
    for lang in ("ja", "de", "en"):  # load what is loaded once
        nouns("Wind 風力", lang)
        if extra_for(lang):
            print(extra_for(lang))
    print(f"{'':<34}{'a second':>12}{'µs cold':>10}{'µs warm':>10}{'of words()':>12}")
    for name in options.worlds:
        measure(name, read(open_world(name), options.pages))


def read(world: World, most: int) -> list[Page]:
    """Return pages with text, sampled evenly from a world."""
    found = []
    for row in range(0, len(world.pages), max(1, len(world.pages) // most)):
        link = Link(id=0, url=world.pages.url(row), origin="")
        page = ipc.page_of(world.recorded(row).page, Response(link=link, started=0.0, ended=0.0))
        if page.text:
            found.append(page)
    return found


def measure(name: str, pages: list[Page]) -> None:
    """Print what pages and their links cost."""
    lang = Counter(page.lang for page in pages).most_common(1)[0][0]
    size = sum(len(page.text.encode("utf-8", "replace")) for page in pages) / max(1, len(pages)) / 1e3
    texts = [(page.text, page.lang) for page in pages]
    print(f"{name}: {len(pages)} pages of {size:.1f} kB, mostly {lang}")
    plain = spent(lambda text, _: words(text), texts)
    show("  terms of a page", terms, texts, plain)
    show("  nouns of a page", nouns, texts, plain)
    links = [(anchor, page.lang) for page in pages for anchor in page.links.anchors if anchor]
    plain = spent(lambda text, _: words(text), links)
    show("  language of a link", lambda text, near: language(text, near=near), links, plain)
    show("  nouns of a link, all links", nouns, links, plain)


def show(
    label: str, function: Callable[[str, str], Any], texts: Sequence[tuple[str, str]], plain: float
) -> None:
    cold, warm = spent(function, texts), min(spent(function, texts) for _ in range(3))
    each = 1e6 / max(1, len(texts))
    print(
        f"{label:<34}{len(texts) / warm:>12,.0f}{cold * each:>10.2f}{warm * each:>10.2f}{warm / plain:>12.2f}"
    )


def spent(function: Callable[[str, str], Any], texts: Sequence[tuple[str, str]]) -> float:
    """Return the CPU seconds of all calls."""
    started = time.process_time()
    for text, lang in texts:
        function(text, lang)
    return time.process_time() - started


if __name__ == "__main__":
    main()
