"""Messages between the pool and its workers: a length, then plain tuples packed by marshal.

Marshal makes strings, numbers and lists and nothing else, so that a worker which hostile markup has
taken over cannot make the main process run anything.
"""

import marshal
import struct
from typing import Any

import numpy as np

from clew.types import Kind, Link, Links, Page, Response, RobotsDirectives

HEADER = struct.Struct("<II")
"""Length of the packed tuple, length of the raw bytes behind it."""

OUT_OF_MEMORY = "parser out of memory"
"""The error of a page that needed more memory than a worker may have; the worker is replaced."""

MAX_ANSWER = 256 << 20
_KINDS = tuple(Kind)


def pack(values: tuple[Any, ...], raw: bytes = b"") -> list[bytes]:
    """Return a message as pieces to send one after the other."""
    packed = marshal.dumps(values)
    pieces = [HEADER.pack(len(packed), len(raw)) + packed]
    if raw:
        pieces.append(raw)
    return pieces


def task(visit: Response) -> list[bytes]:
    """Return the message that asks for a visit to be read; the body travels uncopied."""
    link, head, body = visit.link, visit.head, visit.body
    if visit.rendered:
        head, body = _as_rendered(head), visit.rendered
    return pack((link.url, int(link.kind), visit.status, head, visit.error, visit.truncated), body)


def _as_rendered(head: bytes) -> bytes:
    """Return a header block for a page as a browser built it: what it says of bytes is no longer true."""
    gone = (b"content-encoding:", b"content-type:", b"content-length:")
    kept = [line for line in head.split(b"\n") if not line.lower().startswith(gone)]
    return b"\n".join([*kept[:1], b"Content-Type: text/html; charset=utf-8\r", *kept[1:]])


def visit_of(values: tuple[Any, ...], body: bytes) -> Response:
    """Return what a worker needs to know of a visit."""
    url, kind, status, head, error, truncated = values
    link = Link(id=0, url=url, origin="", kind=_KINDS[kind])
    return Response(
        link=link, started=0, ended=0, status=status, head=head, body=body, error=error, truncated=truncated
    )


def answer(page: Page) -> list[bytes]:
    """Return the message that gives a page back, without its visit."""
    links = page.links
    columns = None
    if len(links):
        columns = (
            links.urls,
            links.origins,
            links.hashes.tobytes(),
            links.anchors,
            links.contexts,
            links.paths,
            links.rels,
            links.positions.tobytes(),
            bytes(links.kinds),
            links.coordinates.tobytes(),
            links.areas.tobytes(),
            links.types if any(links.types) else None,
        )
    return pack((
        page.mime, page.encoding, page.title, page.text, page.lang, page.canonical, page.redirect, columns,
        *page.directives, page.fingerprint, page.truncated, page.error, page.margin,
        page.kinds, page.markup,
    ))  # fmt: skip


def page_of(packed: bytes | memoryview, visit: Response) -> Page:
    """Return the page that an answer holds, with its visit."""
    (
        mime, encoding, title, text, lang, canonical, redirect, columns,
        noindex, nofollow, fingerprint, truncated, error, margin, kinds, markup,
    ) = marshal.loads(packed)  # noqa: S302 - from our own worker, and no code comes of it  # fmt: skip
    return Page(
        response=visit,
        mime=mime,
        encoding=encoding,
        title=title,
        text=text,
        margin=margin,
        markup=markup,
        lang=lang,
        canonical=canonical,
        redirect=redirect,
        links=_links(columns) if columns else Links(),
        directives=RobotsDirectives(noindex, nofollow),
        fingerprint=fingerprint,
        truncated=truncated,
        error=error,
        kinds=kinds,
    )


def _links(columns: tuple[Any, ...]) -> Links:
    urls, origins, hashes, anchors, contexts, paths, rels, positions, kinds, places, areas, types = columns
    return Links(
        urls=urls,
        origins=origins,
        hashes=np.frombuffer(hashes, np.uint64),
        anchors=anchors,
        contexts=contexts,
        paths=paths,
        rels=rels,
        positions=np.frombuffer(positions, np.float32),
        kinds=[_KINDS[kind] for kind in kinds],
        coordinates=np.frombuffer(places, np.float32).reshape(-1, 4),
        areas=np.frombuffer(areas, np.uint8),
        types=types or [],
    )
