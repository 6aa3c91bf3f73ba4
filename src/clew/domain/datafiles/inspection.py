"""A look at a file that was fetched: its kind, its size, and the chance that it holds statistics."""

import re
import zlib
from dataclasses import dataclass
from functools import lru_cache

from clew.domain.datafiles.boosted_trees import shipped
from clew.domain.datafiles.features import NAMES, features_of
from clew.domain.datafiles.file_words import DATA
from clew.domain.datafiles.kinds import kind_of, named_in
from clew.domain.datafiles.table import MOST_BYTES, read_table
from clew.types import Page

_TOTAL = re.compile(r"/(\d{1,15})\s*$")
_HTML = ("text/html", "application/xhtml+xml")
_SOME = 0.01  # shares below this are not worth a word


@dataclass(frozen=True, slots=True)
class FileInspection:
    """What a file turned out to be; `rows` and `columns` are 0 where its cells cannot be read here.

    `statistical` is the chance that it holds statistics: by its cells, or by its kind alone.
    """

    kind: str
    statistical: float
    rows: int = 0
    columns: int = 0
    why: str = ""


def looked_at(page: Page) -> FileInspection | None:
    """Look at a page that is a file; None when it is a page of the web, or a file of no kind we know."""
    visit = page.response
    if page.mime in _HTML and not _says_sheet(page):
        return None
    body = _plain(visit.body, visit.header("content-encoding"), page)
    if not body:
        return None
    named = named_in(visit.header("content-disposition")) or page.mime
    return look(body, url=page.url, type=named, encoding=page.encoding, cut=page.truncated or is_part(page))


def is_part(page: Page) -> bool:
    """Tell an answer that holds only the beginning of a file."""
    return page.truncated or (page.response.status == 206 and size_of(page) > len(page.response.body))  # noqa: PLR2004


def size_of(page: Page) -> int:
    """Return the bytes of the whole file, as far as the server says; else those that came."""
    visit = page.response
    whole = _TOTAL.search(visit.header("content-range"))
    if whole:
        return int(whole[1])
    stated = visit.header("content-length")
    return int(stated) if stated.isdecimal() and len(stated) < 16 else len(visit.body)  # noqa: PLR2004


@lru_cache(maxsize=4)
def look(
    body: bytes, *, url: str = "", type: str = "", encoding: str = "", cut: bool = False
) -> FileInspection | None:
    r"""Look at the first bytes of a file, and remember for a moment: judge and extractor ask for the same.

    >>> look(b"year,births\n" + b"".join(b"%d,%d\n" % (1990 + i, 700 + 7 * i) for i in range(30))).kind
    'csv'
    """
    sign = kind_of(url, type, first=body[:MOST_BYTES])
    if not body or sign.kind not in DATA:
        return None
    table = read_table(body, sign.kind, encoding=encoding, cut=cut)
    if table is None:
        return FileInspection(
            sign.kind, round(sign.chance, 4), why=f"{sign.kind} by {sign.why}; its cells were not read"
        )
    values = features_of(table).tolist()
    chance = shipped().chance(values)
    shape = f"{len(table.rows):,}{'+' if cut else ''} rows × {table.width:,} columns"
    return FileInspection(
        sign.kind, round(chance, 4), len(table.rows), table.width, f"{sign.kind}, {shape}{_in_words(values)}"
    )


def _in_words(values: list[float]) -> str:
    """Say what tells most about a table."""
    named = dict(zip(NAMES, values, strict=True))
    parts = [f"{100 * named['numbers']:.0f} % numbers"]
    if named["years"] or named["header_years"] > _SOME:
        parts.append("years")
    if named["dates"] > _SOME:
        parts.append("days")
    if named["units"] > _SOME:
        parts.append("units")
    if named["links"] > 0.1:  # noqa: PLR2004
        parts.append("addresses or links")
    if named["long_texts"] > 0.1:  # noqa: PLR2004
        parts.append("long texts")
    return f": {', '.join(parts)}"


def _says_sheet(page: Page) -> bool:
    """Tell HTML that calls itself a spreadsheet in its address or its head."""
    return kind_of(page.url).kind == "xls" and b"office:excel" in page.response.body[:4_096]


def _plain(body: bytes, coding: str, page: Page) -> bytes:
    """Return the first bytes of a body without its content coding; of what we cannot undo, the text."""
    names = [
        name.strip().lower() for name in coding.split(",") if name.strip().lower() not in ("", "identity")
    ]
    if not names:
        return body
    if names in (["gzip"], ["x-gzip"], ["deflate"]):
        try:
            return zlib.decompressobj(47).decompress(body, MOST_BYTES)
        except zlib.error:
            return page.text.encode()
    return page.text.encode()
