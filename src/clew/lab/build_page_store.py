"""Build a page store: read the archive, parse its pages in worker processes, write the files."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import xxhash
from isal import igzip_lib
from numpy.typing import NDArray

from clew import urls
from clew.engine.streams import amap
from clew.lab.page_store import ADDRESSES, BLOBS, COLUMNS, META, PageStore, check_of
from clew.lab.warc_reader import ArchivedResponse, ReadCounts, read_responses
from clew.parse import ParsePool, ipc
from clew.types import Link, Page, Response

PARSE_SECONDS = 30.0
"""Seconds for one page; longer than in a crawl, because a page that fails here fails in every trial."""

_UNDER_WAY = 16
_SMALL = 1 << 20  # bytes of packed files that one worker has read before a second one has started
_LOCATION = re.compile(rb"(?im)^location:([^\r\n]*)")
_NOBODY = Response(link=Link(id=0, url="", origin=""), started=0.0, ended=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The files from which a page store is built.

    `files` are paths, each with the end of its committed part in bytes, or None; `aliases` are
    further names of hosts. `plain` gives every https page under http and turns links to them into http links,
    as a proxy without certificates must: only to compare a replay with a crawl through such a proxy.
    """

    files: tuple[tuple[Path, int | None], ...]
    aliases: dict[str, str] = field(default_factory=dict)
    plain: bool = False

    def responses(self, counts: ReadCounts) -> Iterator[ArchivedResponse]:
        """Read all responses, in order."""
        if not self.plain:
            for path, end in self.files:
                yield from read_responses(path, counts, end)
            return
        found = [response for path, end in self.files for response in read_responses(path, counts, end)]
        hosts = {urls.clock_key(urls.origin(response.url)) for response in found} | set(self.aliases)
        for response in found:
            if plain := _plain(response, hosts):
                yield plain


def _plain(response: ArchivedResponse, hosts: set[str]) -> ArchivedResponse | None:
    url = "http:" + response.url[6:] if response.url.startswith("https:") else response.url
    head, body = response.head, response.body
    for host in hosts if b"https://" in head + body else ():
        before, after = f"https://{host}".encode(), f"http://{host}".encode()
        head, body = head.replace(before, after), body.replace(before, after)
    target = _LOCATION.search(head)
    if target and target[1].strip() == url.encode():
        return None  # the recorded redirect from http to https must not hide the page
    return ArchivedResponse(url, response.status, head, body, response.cut)


@dataclass(slots=True)
class _Row:
    """One response while the store is built."""

    number: int
    url: str
    exact: bool
    status: int
    cut: bool
    size: int
    at: tuple[int, int, int, int]
    check: int


def build(source: Source, folder: Path) -> None:
    """Write the pages of a source into `folder`. Works inside a running event loop, too."""
    with ThreadPoolExecutor(1, thread_name_prefix="clew-lab") as thread:
        thread.submit(asyncio.run, _build(source, folder)).result()


async def _build(source: Source, folder: Path) -> None:
    counts, rows = ReadCounts(), dict[int, _Row]()
    packed = sum(path.stat().st_size if end is None else end for path, end in source.files)
    canon, pool = urls.Canon(), ParsePool(timeout=PARSE_SECONDS, workers=int(packed < _SMALL))

    async def numbered() -> AsyncGenerator[tuple[int, ArchivedResponse, str], None]:
        for number, response in enumerate(source.responses(counts)):
            if url := canon(response.url):
                yield number, response, url
                await asyncio.sleep(0)

    try:
        with (folder / BLOBS).open("wb") as blobs:
            async for number, response, page in amap(partial(_parse, pool), numbered(), _UNDER_WAY):
                row = _append(blobs, number, response, page)
                name = urls.fingerprint(row.url)
                known = rows.get(name)
                if known is None or (row.exact, row.number) > (known.exact, known.number):
                    rows[name] = row
    finally:
        await pool.aclose()
    _write_columns(folder, sorted(rows.values(), key=lambda row: row.number), source, counts)


async def _parse(
    pool: ParsePool, item: tuple[int, ArchivedResponse, str]
) -> tuple[int, ArchivedResponse, Page]:
    number, archived, url = item
    response = Response(
        link=Link(id=0, url=url, origin=urls.origin(url)), started=0.0, ended=0.0, status=archived.status,
        head=archived.head, body=archived.body, truncated=archived.cut,
    )  # fmt: skip
    return number, archived, await pool(response)


def _append(blobs: BinaryIO, number: int, response: ArchivedResponse, page: Page) -> _Row:
    """Append one response to the file of blobs."""
    packed = igzip_lib.compress(response.body, 1, igzip_lib.COMP_ZLIB) if response.body else b""
    parsed = b"".join(ipc.reply(page))[ipc.HEADER.size :]
    start = blobs.tell()
    record = response.head + packed + parsed
    blobs.write(record)
    body = start + len(response.head)
    return _Row(
        number=number,
        url=page.url,
        exact=response.url == page.url,
        status=response.status,
        cut=response.cut,
        size=len(response.body),
        at=(start, body, body + len(packed), start + len(record)),
        check=xxhash.xxh3_64_intdigest(record),
    )


def _write_columns(folder: Path, rows: list[_Row], source: Source, counts: ReadCounts) -> None:
    """Write the columns, first those of the rows, then the links between them."""
    addresses = [row.url.encode() for row in rows]
    (folder / ADDRESSES).write_bytes(b"".join(addresses))
    names = np.array([urls.fingerprint(row.url) for row in rows], np.uint64)
    order = np.argsort(names).astype(np.int32)
    columns: dict[str, NDArray[Any]] = {
        "names": names[order],
        "order": order,
        "status": np.array([row.status for row in rows], np.int16),
        "cut": np.array([row.cut for row in rows], np.bool_),
        "sizes": np.array([row.size for row in rows], np.int32),
        "places": np.array([row.at for row in rows], np.int64).reshape(-1, 4),
        "checks": np.array([row.check for row in rows], np.uint64),
        "spots": np.cumsum([0, *map(len, addresses)], dtype=np.int64),
        "ways": np.empty(0, np.int32),
        "starts": np.zeros(len(rows) + 1, np.int64),
        "moved": np.full(len(rows), -1, np.int32),
    }
    meta = {"aliases": source.aliases, "good": counts.good, "bad": counts.bad}
    _save(folder, columns, meta)
    store = PageStore(folder)
    store.open()
    _save(folder, columns | _link_targets(store), meta)


def _link_targets(store: PageStore) -> dict[str, NDArray[Any]]:
    """Return the row that each link of each page leads to."""
    ways, lengths, moved = [np.empty(0, np.int32)], [0], np.full(len(store), -1, np.int32)
    for row in range(len(store)):
        page = ipc.page_of(store.get(row).page, _NOBODY)
        ways.append(store.rows(page.links))
        lengths.append(len(page.links))
        if page.redirect:
            moved[row] = store.resolve(page.redirect)
    return {"ways": np.concatenate(ways), "starts": np.cumsum(lengths, dtype=np.int64), "moved": moved}


def _save(folder: Path, columns: Mapping[str, NDArray[Any]], meta: dict[str, Any]) -> None:
    for name in COLUMNS:
        np.save(folder / f"{name}.npy", columns[name])
    checks = {name: check_of(columns[name]) for name in COLUMNS}
    size = (folder / BLOBS).stat().st_size
    (folder / META).write_text(json.dumps({**meta, "checks": checks, "size": size}), "utf-8")
