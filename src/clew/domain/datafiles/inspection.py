"""Inspect a fetched file: its kind, its size, and the probability that it contains statistics."""

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
_SOME = 0.01  # shares below this are not mentioned


@dataclass(frozen=True, slots=True)
class FileInspection:
    """Result of an inspection; `rows` and `columns` are 0 if its cells cannot be read.

    `statistical` is the chance that it holds statistics: by its cells, or by its kind alone.
    """

    kind: str
    statistical: float
    rows: int = 0
    columns: int = 0
    why: str = ""


def looked_at(page: Page) -> FileInspection | None:
    """Inspect a page that is a file; None if it is a web page or a file of unknown kind."""
    response = page.response
    if page.mime in _HTML and not _says_sheet(page):
        return None
    body = _plain(response.body, response.header("content-encoding"), page)
    if not body:
        return None
    named = named_in(response.header("content-disposition")) or page.mime
    return look(body, url=page.url, type=named, encoding=page.encoding, cut=page.truncated or is_part(page))


def is_part(page: Page) -> bool:
    """Return whether a response holds only the start of a file."""
    return page.truncated or (page.response.status == 206 and size_of(page) > len(page.response.body))  # noqa: PLR2004


def size_of(page: Page) -> int:
    """Return the bytes of the whole file, as stated by the server; else those received."""
    response = page.response
    whole = _TOTAL.search(response.header("content-range"))
    if whole:
        return int(whole[1])
    stated = response.header("content-length")
    return int(stated) if stated.isdecimal() and len(stated) < 16 else len(response.body)  # noqa: PLR2004


@lru_cache(maxsize=4)
def look(
    body: bytes, *, url: str = "", type: str = "", encoding: str = "", cut: bool = False
) -> FileInspection | None:
    r"""Inspect the first bytes of a file, with a small cache: judge and extractor need the same result.

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
    """Describe the most important features of a table."""
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
    """Return whether HTML is declared as a spreadsheet in its URL or its head."""
    return kind_of(page.url).kind == "xls" and b"office:excel" in page.response.body[:4_096]


def _plain(body: bytes, coding: str, page: Page) -> bytes:
    """Return the first bytes of a body without its content coding; of an unsupported coding, the text."""
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
