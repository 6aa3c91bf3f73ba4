"""Messages between the pool and its workers: a length, then plain tuples packed by marshal.

Marshal yields only strings, numbers and lists, so that a worker which was taken over by hostile markup
cannot make the main process run code.
"""

import marshal
import struct
from typing import Any

import numpy as np

from clew.domain.text.link_words import CONTEXT_COLUMNS
from clew.types import Kind, Link, Links, Page, Response, RobotsDirectives, TermBag, TokenColumns

HEADER = struct.Struct("<II")
"""Length of the packed tuple, length of the raw bytes behind it."""

OUT_OF_MEMORY = "parser out of memory"
"""The error of a page that needed more memory than a worker may have; the worker is replaced."""

MAX_REPLY = 256 << 20
_KINDS = tuple(Kind)


def pack(values: tuple[Any, ...], raw: bytes = b"") -> list[bytes]:
    """Return a message as pieces to send one after the other."""
    packed = marshal.dumps(values)
    pieces = [HEADER.pack(len(packed), len(raw)) + packed]
    if raw:
        pieces.append(raw)
    return pieces


def task(response: Response) -> list[bytes]:
    """Return the message with a response to parse; the body is not copied."""
    link, head, body = response.link, response.head, response.body
    if response.rendered:
        head, body = _as_rendered(head), response.rendered
    return pack((link.url, int(link.kind), response.status, head, response.error, response.truncated), body)


def _as_rendered(head: bytes) -> bytes:
    """Return the header block for a rendered page: without the headers about the original bytes."""
    dropped = (b"content-encoding:", b"content-type:", b"content-length:")
    lines = [line for line in head.split(b"\n") if not line.lower().startswith(dropped)]
    return b"\n".join([*lines[:1], b"Content-Type: text/html; charset=utf-8\r", *lines[1:]])


def response_of(values: tuple[Any, ...], body: bytes) -> Response:
    """Return the response of a message, with what a worker needs of it."""
    url, kind, status, head, error, truncated = values
    link = Link(id=0, url=url, origin="", kind=_KINDS[kind])
    return Response(
        link=link, started=0, ended=0, status=status, head=head, body=body, error=error, truncated=truncated
    )


def reply(page: Page) -> list[bytes]:
    """Return the message with a parsed page, without its response."""
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
            _packed_tokens(links.tokens),
            links.dates,
        )
    return pack((
        page.mime, page.encoding, page.title, page.text, page.lang, page.redirect, columns,
        *page.directives, page.fingerprint, page.truncated, page.error, page.margin,
        page.kinds, page.markup, _packed_terms(page.terms),
    ))  # fmt: skip


def _packed_terms(bag: TermBag | None) -> tuple[bytes, ...] | None:
    if bag is None:
        return None
    return bag.ids.tobytes(), bag.text.tobytes(), bag.title.tobytes(), bag.margin.tobytes()


def _packed_tokens(tokens: TokenColumns | None) -> tuple[bytes, bytes, bytes, bytes, str] | None:
    if tokens is None:
        return None
    columns = (tokens.text, tokens.url, tokens.context, tokens.word_ids)
    text, url, context, word_ids = (column.tobytes() for column in columns)
    return text, url, context, word_ids, tokens.words


def values_of(packed: bytes | memoryview) -> tuple[Any, ...]:
    """Return the values of a message without raw bytes."""
    values: tuple[Any, ...] = marshal.loads(packed)  # noqa: S302 - from our own worker, and marshal runs no code
    return values


def page_of(packed: bytes | memoryview, response: Response) -> Page:
    """Return the page of a message, with its response."""
    (
        mime, encoding, title, text, lang, redirect, columns,
        noindex, nofollow, fingerprint, truncated, error, margin, kinds, markup, terms,
    ) = values_of(packed)  # fmt: skip
    return Page(
        response=response,
        mime=mime,
        encoding=encoding,
        title=title,
        text=text,
        margin=margin,
        markup=markup,
        lang=lang,
        redirect=redirect,
        links=_links(columns) if columns else Links(),
        directives=RobotsDirectives(noindex, nofollow),
        fingerprint=fingerprint,
        truncated=truncated,
        error=error,
        kinds=kinds,
        terms=_terms(terms) if terms else None,
    )


def _terms(packed: tuple[bytes, bytes, bytes, bytes]) -> TermBag:
    ids, text, title, margin = packed
    return TermBag(
        ids=np.frombuffer(ids, np.uint32),
        text=np.frombuffer(text, np.uint16),
        title=np.frombuffer(title, np.uint16),
        margin=np.frombuffer(margin, np.uint16),
    )


def _tokens(packed: tuple[bytes, bytes, bytes, bytes, str], count: int) -> TokenColumns:
    text, url, context, word_ids, words = packed
    return TokenColumns(
        text=np.frombuffer(text, np.uint32).reshape(count, -1),
        url=np.frombuffer(url, np.uint32).reshape(count, -1),
        context=np.frombuffer(context, np.uint32).reshape(-1 if context else 0, CONTEXT_COLUMNS),
        word_ids=np.frombuffer(word_ids, np.uint32),
        words=words,
    )


def _links(columns: tuple[Any, ...]) -> Links:
    (
        urls, origins, hashes, anchors, contexts, paths, rels, positions, kinds, coordinates, areas, types,
        tokens, dates,
    ) = columns  # fmt: skip
    return Links(
        urls=urls,
        origins=origins,
        hashes=np.frombuffer(hashes, np.uint64),
        anchors=anchors,
        contexts=contexts,
        paths=paths,
        rels=rels,
        positions=np.frombuffer(positions, np.float32),
        kinds=[_KINDS[kind] for kind in kinds] if any(kinds) else [Kind.PAGE] * len(kinds),
        coordinates=np.frombuffer(coordinates, np.float32).reshape(-1, 4),
        areas=np.frombuffer(areas, np.uint8),
        types=types or [],
        tokens=_tokens(tokens, len(urls)) if tokens else None,
        dates=dates,
    )
