"""WACZ: a web archive in one file, for replayweb.page, Browsertrix and others.

It is a ZIP file with the WARC records, their index, a list of pages, and the digest of each of these files:
https://specs.webrecorder.net/wacz/1.1.1/
"""

import gzip
import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import IO, BinaryIO

from clew.domain.installation import __version__
from clew.store.cdxj import CapturedPage, SortedLines, captured_pages, index_line
from clew.store.warc import warcinfo

WARC = "data.warc.gz"
INDEX = "index.cdx.gz"

_LINES = 1024
"""Lines of a block of the index: a program that replays reads one block to find a page."""

Records = Callable[[str, int, int], bytes]
"""Return the records of a response: its file, offset and length."""


@dataclass(slots=True)
class _Part:
    """One file of the archive while it is written: counts its bytes and keeps their digest."""

    file: IO[bytes]
    size: int = 0
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def write(self, data: bytes) -> None:
        self.file.write(data)
        self.digest.update(data)
        self.size += len(data)


class _WaczFile:
    """The ZIP file and the list of what is in it; nothing is compressed twice."""

    def __init__(self, file: BinaryIO) -> None:
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)
        self.resources: list[dict[str, object]] = []

    @contextmanager
    def part(self, path: str) -> Iterator[_Part]:
        """Write one of the files."""
        with self.zip.open(path, "w", force_zip64=True) as file:
            part = _Part(file)
            yield part
        name = path.rpartition("/")[2]
        digest = f"sha256:{part.digest.hexdigest()}"
        self.resources.append({"name": name, "path": path, "hash": digest, "bytes": part.size})

    def close(self) -> None:
        """Write the description of the whole, and its digest."""
        package = json.dumps(
            {
                "profile": "data-package",
                "wacz_version": "1.1.1",
                "software": f"clew {__version__}",
                "created": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
                "resources": self.resources,
            },
            indent=2,
        ).encode()
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(package).hexdigest()}"}
        self.zip.writestr("datapackage.json", package)
        self.zip.writestr("datapackage-digest.json", json.dumps(digest))
        self.zip.close()


def write_wacz(parts: Sequence[tuple[sqlite3.Connection, Records]], file: BinaryIO, where: str) -> int:
    """Write the responses of all parts of a crawl for which `where` holds; return their number."""
    count, archive = 0, _WaczFile(file)
    with closing(SortedLines()) as lines, closing(SortedLines()) as titles:
        with archive.part(f"archive/{WARC}") as warc:
            warc.write(warcinfo(WARC, software=f"clew/{__version__}"))
            for page, records in ((page, each) for db, each in parts for page in captured_pages(db, where)):
                lines.add(index_line(page, WARC, warc.size))
                if page.kind == "page" and 200 <= page.status < 300:  # noqa: PLR2004
                    titles.add(_page_line(page))
                warc.write(records(page.file, page.offset, page.length))
                count += 1
        _write_index(archive, lines)
        with archive.part("pages/pages.jsonl") as pages:
            pages.write(b'{"format": "json-pages-1.0", "id": "pages", "title": "All pages"}\n')
            for line in titles:
                pages.write(line.encode())
    archive.close()
    return count


def _page_line(page: CapturedPage) -> str:
    facts = {"id": str(page.id), "url": page.url, "ts": f"{page.time:%Y-%m-%dT%H:%M:%SZ}"}
    if page.title:
        facts["title"] = page.title
    return json.dumps(facts, ensure_ascii=False) + "\n"


def _write_index(archive: _WaczFile, lines: Iterable[str]) -> None:
    """Write the index in compressed blocks, and beside it the first key of each block."""
    each = iter(lines)
    heads = [f"!meta 0 {json.dumps({'format': 'cdxj-gzip-1.0', 'filename': INDEX})}\n"]
    with archive.part(f"indexes/{INDEX}") as index:
        while block := list(islice(each, _LINES)):
            packed = gzip.compress("".join(block).encode(), mtime=0)
            key, time, _ = block[0].split(" ", 2)
            digest = f"sha256:{hashlib.sha256(packed).hexdigest()}"
            place = {"offset": index.size, "length": len(packed), "digest": digest, "filename": INDEX}
            heads.append(f"{key} {time} {json.dumps(place)}\n")
            index.write(packed)
    with archive.part("indexes/index.idx") as keys:
        keys.write("".join(heads).encode())
