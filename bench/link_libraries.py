"""Which library collects the links of a page fastest: reference, text and tag path of each, from bytes.

    python -m bench.link_libraries [WORLDS] [--pages 40] [--tries 25] [--write]

Compares selectolax (lexbor), resiliparse (lexbor as well) and lxml (libxml2) if they are installed, on generated
pages and on recorded ones (WORLDS, or CLEW_WORLDS). Each does the same in its own best way: parse, find the
links, read their text, and build tag paths with one look-up for each parent.
How to read it: CPU µs a page, the least of several tries; "parse" is parsing alone. `--write` publishes the table
in docs/lab/parse.md.
"""

import argparse
import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from bench.figures import publish
from bench.parse_stages import WORLDS, generated, recorded

Link: TypeAlias = tuple[str, str, str]


def selectolax_tools() -> tuple[Callable[[bytes], Any], Callable[[bytes], list[Link]]]:
    """Return how selectolax parses, and collects links."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415

    def links(body: bytes) -> list[Link]:
        found, paths = [], dict[int, str]()
        for node in LexborHTMLParser(body).css("a[href]"):
            chain, above = [], node.parent
            while above is not None and above.mem_id not in paths:
                chain.append(above)
                above = above.parent
            path = paths[above.mem_id] if above is not None else ""
            for inner in reversed(chain):
                path = paths[inner.mem_id] = f"{path}/{inner.tag}"
            found.append((node.attributes["href"] or "", node.text(), path))
        return found

    return LexborHTMLParser, links


def resiliparse_tools() -> tuple[Callable[[bytes], Any], Callable[[bytes], list[Link]]]:
    """Return how resiliparse parses, and collects links."""
    from resiliparse.parse.html import HTMLTree  # noqa: PLC0415

    def links(body: bytes) -> list[Link]:
        found, paths = [], dict[Any, str]()
        for node in HTMLTree.parse_from_bytes(body).document.query_selector_all("a[href]"):
            chain, above = [], node.parent
            while above is not None and hash(above) not in paths:
                chain.append(above)
                above = above.parent
            path = paths[hash(above)] if above is not None else ""
            for inner in reversed(chain):
                path = paths[hash(inner)] = f"{path}/{inner.tag}"
            found.append((node.getattr("href"), node.text, path))
        return found

    return HTMLTree.parse_from_bytes, links


def lxml_tools() -> tuple[Callable[[bytes], Any], Callable[[bytes], list[Link]]]:
    """Return how lxml parses, and collects links."""
    from lxml import etree  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

    def links(body: bytes) -> list[Link]:
        found, paths = [], dict[Any, str]()
        for node in etree.HTML(body).iter("a"):
            href = node.get("href")
            if href is None:
                continue
            chain, above = [], node.getparent()
            while above is not None and above not in paths:
                chain.append(above)
                above = above.getparent()
            path = paths[above] if above is not None else ""
            for inner in reversed(chain):
                path = paths[inner] = f"{path}/{inner.tag}"
            found.append((href, "".join(node.itertext()), path))
        return found

    return etree.HTML, links


TOOLS = {"selectolax": selectolax_tools, "resiliparse": resiliparse_tools, "lxml": lxml_tools}


def least(work: Callable[[bytes], Any], bodies: list[bytes], tries: int) -> float:
    """Return CPU µs a page: the least of several tries of each page."""
    best = [float("inf")] * len(bodies)
    for _ in range(tries):
        for row, body in enumerate(bodies):
            began = time.process_time_ns()
            work(body)
            best[row] = min(best[row], (time.process_time_ns() - began) / 1e3)
    return sum(best) / len(best)


def main() -> None:
    """Measure and print, or publish."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("worlds", nargs="?", default=os.environ.get("CLEW_WORLDS"), metavar="WORLDS")
    parser.add_argument("--pages", type=int, default=40, help="pages of each kind")
    parser.add_argument("--tries", type=int, default=25, help="tries; the least time of each page counts")
    parser.add_argument("--write", action="store_true", help="publish in docs/lab/parse.md")
    options = parser.parse_args()
    sets = {"generated": [response.body for response in generated(options.pages)]}
    for world in WORLDS if options.worlds else ():
        file = Path(options.worlds) / world / "pages.warc.xz"
        if file.exists():
            sets[world] = [response.body for response in recorded(file, options.pages)]
    rows = ["| pages | library | links a page | parse, µs | links, µs |", "|---|"]
    for name, bodies in sets.items():
        for library, tools in TOOLS.items():
            if find_spec(library) is None:
                continue
            parse, links = tools()
            count = sum(len(links(body)) for body in bodies) / len(bodies)
            alone, whole = least(parse, bodies, options.tries), least(links, bodies, options.tries)
            rows.append(f"| {name} | {library} | {count:.0f} | {alone:.0f} | {whole:.0f} |")
    publish(
        {"parse-libraries": "\n".join(rows)}, "python -m bench.link_libraries WORLDS --write", dry=not options.write,
        pages=options.pages,
    )  # fmt: skip


if __name__ == "__main__":
    main()
