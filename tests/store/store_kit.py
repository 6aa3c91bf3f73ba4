"""Small real steps for the store's tests, and strict readers for what it wrote."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from warcio.archiveiterator import ArchiveIterator

from clew import urls
from clew.types import Kind, Link, Links, NewLinks, Page, PageResult, Response, State, Verdict

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nServer: test\r\n\r\n"
REQUEST = b"GET / HTTP/1.1\r\nHost: site.test\r\nUser-Agent: clew/0 (+https://people.org)\r\n\r\n"


def some_links(addresses: Sequence[str], **columns: Any) -> Links:
    count = len(addresses)
    filled: dict[str, Any] = {
        "urls": list(addresses),
        "origins": [urls.origin(url) for url in addresses],
        "hashes": np.array([urls.fingerprint(url) for url in addresses], np.uint64),
        "anchors": [f"anchor {i}" for i in range(count)],
        "contexts": [f"words around {i}" for i in range(count)],
        "paths": ["body/p/a"] * count,
        "rels": [""] * count,
        "positions": np.linspace(0, 1, count, dtype=np.float32),
        "kinds": [Kind.PAGE] * count,
    }
    return Links(**(filled | columns))


def some_found(first: int, addresses: Sequence[str], depth: int = 1, **more: Any) -> NewLinks:
    columns = more.pop("columns", {})
    filled: dict[str, Any] = {
        "first": first,
        "links": some_links(addresses, **columns),
        "scores": np.full(len(addresses), 0.5, np.float32),
        "refused": [""] * len(addresses),
        "depth": depth,
    }
    return NewLinks(**(filled | more))


def some_link(id: int, url: str, **more: Any) -> Link:
    return Link(id=id, url=url, origin=urls.origin(url), **more)


def some_visit(link: Link, **more: Any) -> Response:
    filled: dict[str, Any] = {
        "link": link,
        "started": 1_700_000_000.25,
        "ended": 1_700_000_000.75,
        "status": 200,
        "head": HEAD,
        "body": b"<html>hello</html>",
        "request": REQUEST,
        "address": "192.0.2.7",
    }
    return Response(**(filled | more))


def some_step(link: Link, state: State = State.DONE, **more: Any) -> PageResult:
    visit = some_visit(link, **more.pop("visit", {}))
    page = Page(
        response=visit,
        **({"mime": "text/html", "title": "A title", "text": "Some text"} | more.pop("page", {})),
    )
    filled: dict[str, Any] = {"verdict": Verdict(0.75, ("words +0.5", "title +0.25")), "relevant": True}
    return PageResult(page=page, state=state, **(filled | more))


def no_answer(error: str = "timeout") -> dict[str, Any]:
    return {"status": 0, "head": b"", "body": b"", "address": "", "error": error}


def rows(folder: Path, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    db = sqlite3.connect(folder / "crawl.db")
    try:
        return db.execute(query, parameters).fetchall()
    finally:
        db.close()


def sound(folder: Path) -> bool:
    """Whether SQLite finds nothing wrong, neither pages nor references."""
    return (
        rows(folder, "PRAGMA integrity_check") == [("ok",)] and rows(folder, "PRAGMA foreign_key_check") == []
    )


def strict_records(path: Path) -> list[tuple[str, str, bytes, int, Any]]:
    """Read a file with warcio; every digest is checked, every deviation raises."""
    found = []
    with path.open("rb") as stream:
        reader = ArchiveIterator(stream, no_record_parse=False, verify_http=True, check_digests="raise")
        for record in reader:
            body = record.raw_stream.read()
            assert record.digest_checker.passed is (None if record.rec_type == "request" else True)
            head = record.rec_headers
            found.append(
                (
                    record.rec_type,
                    head.get_header("WARC-Target-URI"),
                    body,
                    reader.get_record_offset(),
                    record,
                )
            )
    return found


def responses(folder: Path) -> dict[str, list[bytes]]:
    """Every response record of a crawl, by URL."""
    found: dict[str, list[bytes]] = {}
    for path in sorted((folder / "pages").iterdir()):
        for kind, url, body, _, _ in strict_records(path):
            if kind == "response":
                found.setdefault(url, []).append(body)
    return found
