"""Values to try components with: links, pages, outcomes."""

import numpy as np

from clew import urls
from clew.domain.records import RecordTable
from clew.types import Kind, Link, Links, Outcome, Page, Response, Verdict

KEEP = 0.5
"""Verdict from which a sample page is relevant: the default of `goal.keep`."""


def sample_link(url: str = "https://a.test/", **fields: object) -> Link:
    """Return a link for trying things out."""
    return Link(**{"id": 1, "url": url, "origin": urls.origin(url), **fields})  # type: ignore[arg-type]


def sample_page(
    url: str = "https://a.test/", *, title: str = "", text: str = "", links: Links | None = None
) -> Page:
    """Return a page as the parser would make it."""
    response = Response(
        link=sample_link(url), started=0.0, ended=0.1, status=200, head=b"HTTP/1.1 200 OK\r\n", body=b"x"
    )
    return Page(response=response, mime="text/html", title=title, text=text, links=links or Links())


def sample_links(number: int = 3, base: str = "https://a.test/") -> Links:
    """Return that many links of one page."""
    made = [f"{base}p{i}.html" for i in range(number)]
    return Links(
        urls=made,
        origins=[urls.origin(u) for u in made],
        hashes=np.array([urls.fingerprint(u) for u in made], np.uint64),
        anchors=[f"page {i}" for i in range(number)],
        contexts=[f"read page {i} here" for i in range(number)],
        paths=["body/main/p/a"] * number,
        rels=[""] * number,
        positions=np.linspace(0, 1, number, dtype=np.float32),
        kinds=[Kind.PAGE] * number,
        coordinates=np.linspace((0.5, 0, 0.5, 0), (0.5, 1, 0.5, 1), number, dtype=np.float32),
    )


def sample_outcome(value: float = 1.0) -> Outcome:
    """Return a page with a verdict."""
    page = sample_page(title="Lighthouses", text="A page about lighthouses.")
    return Outcome(page, Verdict(value, ("sample",)), relevant=value >= KEEP)


def sample_table() -> RecordTable:
    """Return a table of records with one example row."""
    return RecordTable(("title", "author"), [("The Lighthouse", "Alan Bell")])


def name_of(part: object) -> str:
    """Return the name of a component, or of its class, for messages."""
    return part.__name__ if isinstance(part, type) else type(part).__name__
