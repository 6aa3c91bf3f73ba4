"""How good is the main text in other languages than English? Beside other extractors, on pages nobody trained on.

    python -m bench.text_languages WORLDS [--pages 120]     # needs trafilatura, readability-lxml and resiliparse

Truth is what the publisher marks as the content (an element of that site's template, named below) on recorded pages, and
what the synthetic web put into the frame of a page. Words are compared, in Japanese and Chinese characters. The model of
Clew was trained on neither.
"""

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from bench.figures import publish
from bench.text_extractors import EXTRACTORS
from bench.text_pages import AnnotatedPage, agreement, words
from clew.lab.synthetic.pages import write
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path
from clew.lab.synthetic.web import Web, is_bare
from clew.lab.warc_reader import ReadCounts, read_responses
from clew.parse.charset import encoding_of, text_of
from docs.figures import Table


class Source(NamedTuple):
    """Pages of a recorded world whose template marks the content; `lang` is that of the html element.

    `part` is in the URLs of the pages: lists of posts mark an archive menu as content, too.
    """

    lang: str
    world: str
    kind: str
    selector: str
    part: str = "/"


SOURCES = (
    Source("de", "lohelp-de", "help pages", "#DisplayArea"),
    Source("ja", "lohelp-ja", "help pages", "#DisplayArea"),
    Source("ja", "cppja", "reference", "[itemprop=articleBody]"),
    Source("ja", "nikki-ja", "diary", "article", "/post/20"),
    Source("zh", "stat-sites", "posts", ".post-body, .article-entry, .post-content, .theme-default-content"),
)
SYNTHETIC = ("en", "de", "fr", "ja")
SMALLEST = 200
"""Characters of the content from which on a page is measured."""

_UNSHOWN = "script, style, template, noscript"
_LETTERS = re.compile(r"[\w]")


def content(node) -> str:
    """Return the text of an element as a browser shows it."""
    for hidden in node.css(_UNSHOWN):
        hidden.decompose()
    return node.text(separator="\n")


def recorded(worlds: Path, source: Source, most: int) -> list[AnnotatedPage]:
    """Return pages of a world, spread over all that have the element once and enough text in it."""
    found = []
    for response in read_responses(worlds / source.world / "pages.warc.gz", ReadCounts()):
        if response.status != 200 or b"<" not in response.body[:500] or source.part not in response.url:
            continue
        document = LexborHTMLParser(text_of(response.body, encoding_of(response.body)))
        marked, html = document.css(source.selector), document.css_first("html")
        if len(marked) != 1 or not (html.attributes.get("lang") or "").lower().startswith(source.lang):
            continue
        truth = content(marked[0])
        if len(truth.strip()) >= SMALLEST:
            found.append(AnnotatedPage(response.url, response.url, source.kind, "", response.body, truth))
    return found[:: max(1, len(found) // most)][:most]


def synthetic(lang: str, most: int) -> Iterator[AnnotatedPage]:
    """Yield content pages of the synthetic web in a language, one a section."""
    web = Web(20_000, seed=23)
    for host in range(len(web.graph.names)):
        site = web.graph.site(host)
        for section in site.sections if site.lang == lang else ():
            target = UrlTarget(PageKind.CONTENT, section.number, section.count // 2)
            if most and not is_bare(site, target):
                body = write(web.graph, site, target._replace(variant="print")).main
                truth = content(LexborHTMLParser(body).body)
                url = f"http://{site.name}{path(site, target)}"
                yield AnnotatedPage(url, url, "synthetic", site.name, web.respond(url).body, truth)
                most -= 1


def parts(text: str, lang: str) -> Counter:
    return Counter(_LETTERS.findall(text.lower()) if lang in ("ja", "zh") else words(text))


def row(lang: str, kind: str, world: str, pages: list[AnnotatedPage]) -> list[tuple[str, ...]]:
    """Return one row for each extractor: F1, precision, recall, CPU."""
    rows = []
    for name, extractor in EXTRACTORS.items():
        began = time.process_time()
        texts = [extractor(page) for page in pages]
        spent = (time.process_time() - began) / len(pages) * 1e3
        scores = np.mean(
            [
                agreement(parts(text, lang), parts(page.truth, lang))
                for text, page in zip(texts, pages, strict=True)
            ],
            axis=0,
        )
        shown = "clew" if name.startswith("clew") else name
        figures = (*(f"{value:.3f}" for value in scores), f"{spent:.1f}")
        rows.append((lang, kind, world, str(len(pages)), shown, *figures))
    print(*rows, sep="\n", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worlds", type=Path)
    parser.add_argument("--pages", type=int, default=120, help="pages of each kind (120 unless given)")
    options = parser.parse_args()
    rows = []
    for source in SOURCES:
        pages = recorded(options.worlds, source, options.pages)
        rows += row(source.lang, source.kind, source.world, pages)
    for lang in SYNTHETIC:
        rows += row(lang, "articles", "synthetic web", list(synthetic(lang, options.pages)))
    columns = (
        "language",
        "pages are",
        "world",
        "pages",
        "extractor",
        "F1",
        "precision",
        "recall",
        "ms a page",
    )
    table = Table(columns, tuple(rows))
    publish({"text-languages": table}, f"python -m bench.text_languages WORLDS --pages {options.pages}")


if __name__ == "__main__":
    main()
