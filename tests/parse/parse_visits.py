"""Visits for the tests of this room, made by hand."""

from clew.parse import read
from clew.types import Kind, Link, Page, Response
from clew.urls import Canon

CANON = Canon()
URL = "https://site.org/dir/page"


def visit(
    body: bytes | str = b"",
    type: str | None = "text/html; charset=utf-8",
    *,
    url: str = URL,
    kind: Kind = Kind.PAGE,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (),
    error: str = "",
    truncated: bool = False,
) -> Response:
    rows = [f"HTTP/1.1 {status} X", *([f"Content-Type: {type}"] if type is not None else [])]
    rows += [f"{name}: {value}" for name, value in headers]
    return Response(
        link=Link(id=1, url=url, origin="https://site.org", kind=kind),
        started=1.0,
        ended=2.0,
        status=status,
        head=("\r\n".join(rows) + "\r\n\r\n").encode(),
        body=body.encode() if isinstance(body, str) else body,
        error=error,
        truncated=truncated,
    )


def page(
    body: bytes | str = b"", type: str | None = "text/html; charset=utf-8", *, limit: int = 8_000_000, **more
) -> Page:
    return read(visit(body, type, **more), canon=CANON, max_bytes=limit)
