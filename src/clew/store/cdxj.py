"""CDXJ: the index of WARC files that replay programs use, one sorted line for each response."""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from clew.store.folder import PAGES

_ROWS = (
    "SELECT p.id, l.url, p.fetched_at, p.mime, p.status, ifnull(p.digest, ''), p.warc_file, p.warc_offset,"
    " p.warc_length, ifnull(p.title, ''), l.kind FROM pages p JOIN links_readable l ON l.id = p.id"
    " WHERE p.id > ? AND p.warc_file IS NOT NULL AND {where} ORDER BY p.id LIMIT 500"
)


@dataclass(frozen=True, slots=True)
class CapturedPage:
    """A response in a WARC file."""

    id: int
    url: str
    at: float
    mime: str
    status: int
    digest: str
    file: str
    offset: int
    length: int
    title: str
    kind: str

    @property
    def time(self) -> datetime:
        """When the request began."""
        return datetime.fromtimestamp(self.at, UTC)


def captured_pages(db: sqlite3.Connection, where: str = "true") -> Iterator[CapturedPage]:
    """Read the responses of a crawl that are in its WARC files, in the order in which links were found."""
    last = -1
    while rows := db.execute(_ROWS.format(where=where), (last,)).fetchall():
        for row in rows:
            yield CapturedPage(*row)
        last = rows[-1][0]


def index_line(page: CapturedPage, file: str, offset: int) -> str:
    """Return the line of a response that is at `offset` of a file."""
    facts = {
        "url": page.url,
        "mime": page.mime or "unk",
        "status": str(page.status),
        "digest": page.digest,
        "length": str(page.length),
        "offset": str(offset),
        "filename": file,
    }
    return f"{sort_key(page.url)} {page.time:%Y%m%d%H%M%S} {json.dumps(facts, ensure_ascii=False)}\n"


def sort_key(url: str) -> str:
    """Return a URL with its host reversed, so that the pages of a domain sort together.

    >>> sort_key("https://www.example.org/Light?b=2&a=1")
    'org,example)/light?a=1&b=2'
    """
    parts = urlsplit(url.lower())
    host = parts.hostname or ""
    first, _, rest = host.partition(".")
    if rest and first.startswith("www") and (first[3:].isdigit() or not first[3:]):
        host = rest
    if ":" not in host:
        host = ",".join(reversed(host.split(".")))
    port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    query = "&".join(sorted(parts.query.split("&")))
    path = re.sub("/+", "/", parts.path).rstrip("/")
    return f"{host}{port}){path or '/'}{'?' + query if query else ''}"


class SortedLines:
    """Lines that are sorted on disk, however many there are."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")  # a temporary file that nobody else sees
        self._database.execute("CREATE TABLE lines (line TEXT NOT NULL)")

    def add(self, line: str) -> None:
        """Take a line."""
        self._database.execute("INSERT INTO lines VALUES (?)", (line,))

    def __iter__(self) -> Iterator[str]:
        for (line,) in self._database.execute("SELECT line FROM lines ORDER BY line"):
            yield line

    def close(self) -> None:
        """Remove the temporary file."""
        self._database.close()


def write_cdxj(parts: Sequence[tuple[Path, sqlite3.Connection]], file: BinaryIO, where: str) -> int:
    """Write the index of the WARC files of a crawl, or of its shards; return the number of lines."""
    count, top = 0, parts[0][0] if len(parts) == 1 else parts[0][0].parent.parent
    with closing(SortedLines()) as lines:
        for folder, db in parts:
            pages = (folder / PAGES).relative_to(top).as_posix()
            for page in captured_pages(db, where):
                lines.add(index_line(page, f"{pages}/{page.file}", page.offset))
                count += 1
        file.writelines(line.encode() for line in lines)
    return count
