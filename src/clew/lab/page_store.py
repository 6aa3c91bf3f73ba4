"""The pages of an archive: parsed once, stored in files that are mapped into memory.

One file holds for each row the response's head, its packed body and the parsed page as the parse workers send
it; the others are columns. Opening costs some milliseconds whatever the size, and two processes that replay
the same archive share its pages in memory.
"""

import json
import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import xxhash
from isal import igzip_lib
from numpy.typing import NDArray

from clew import urls
from clew.types import Hashes, Links

COLUMNS = ("names", "order", "status", "cut", "sizes", "places", "checks", "ways", "starts", "moved", "spots")
BLOBS, ADDRESSES, META = "blobs.bin", "addresses.bin", "meta.json"

_PLAIN = "/~!$&'()*+,;=:@%-._"


class Damaged(Exception):  # noqa: N818 - caught by callers that can rebuild the store
    """The page store is damaged: a checksum or a file does not match."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded response: status, head and body as from a fetcher, and the parsed page, packed."""

    status: int
    head: bytes
    body: bytes
    cut: bool
    page: memoryview


class PageStore:
    """The pages of an archive by row, in the order in which they were recorded.

    `ways[starts[r] : starts[r + 1]]` are the rows that the links of page `r` lead to, in the order of its
    links, -1 for those that lead out of the archive; `moved[r]` is the row that a redirect leads to, or -1.
    """

    names: Hashes  # of the canonical addresses, sorted
    order: NDArray[np.int32]  # the row of each name
    status: NDArray[np.int16]
    cut: NDArray[np.bool_]
    sizes: NDArray[np.int32]  # of bodies
    places: NDArray[np.int64]  # four a row: where head, body and page begin, and where the page ends
    checks: Hashes
    ways: NDArray[np.int32]
    starts: NDArray[np.int64]
    moved: NDArray[np.int32]
    spots: NDArray[np.int64]  # where the address of each row begins

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.aliases: dict[str, str] = {}
        self.good = self.bad = 0

    def __len__(self) -> int:
        return len(self.status)

    def open(self) -> None:
        """Map the files; raise `Damaged` when one has changed."""
        try:
            meta: dict[str, Any] = json.loads((self.folder / META).read_text("utf-8"))
            for name in COLUMNS:
                column = np.load(self.folder / f"{name}.npy", mmap_mode="r")
                setattr(self, name, column.view(np.ndarray))  # without the memmap's own, slower, slices
                if meta["checks"][name] != check_of(getattr(self, name)):
                    raise Damaged(name)
            self._blobs = _mapped(self.folder / BLOBS)
            self._addresses = _mapped(self.folder / ADDRESSES)
            if len(self._blobs) != meta["size"] or len(self._addresses) != self.spots[-1]:
                raise Damaged(BLOBS)
            self.aliases = dict(meta["aliases"])
            self.good, self.bad = meta["good"], meta["bad"]
        except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError) as error:
            raise Damaged(str(error)) from error

    def url(self, row: int) -> str:
        """Return the canonical URL of a row."""
        return bytes(self._addresses[self.spots[row] : self.spots[row + 1]]).decode()

    def get(self, row: int) -> Recorded:
        """Return what was recorded; raise `Damaged` when its checksum does not match."""
        head, body, page, end = self.places[row].tolist()
        blobs = self._blobs
        if xxhash.xxh3_64_intdigest(blobs[head:end]) != self.checks.item(row):
            msg = f"row {row}"
            raise Damaged(msg)
        packed = blobs[body:page]
        return Recorded(
            status=self.status.item(row),
            head=bytes(blobs[head:body]),
            body=igzip_lib.decompress(packed, igzip_lib.DECOMP_ZLIB) if len(packed) else b"",
            cut=self.cut.item(row),
            page=blobs[page:end],
        )

    def find(self, url: str) -> int:
        """Return the row of a canonical URL, -1 for none.

        Other spellings of its path and the other names of its host count as well, as servers do it.
        """
        row = self._row(url)
        if row >= 0:
            return row
        if self.aliases and (main := self.aliases.get(urls.clock_key(urls.origin(url)))):
            url = url.replace(urls.clock_key(urls.origin(url)), main, 1)
            if (row := self._row(url)) >= 0:
                return row
        if "%" in url or not url.isascii():
            at = url.find("/", 8)
            path, mark, query = url[at:].partition("?")
            for spelling in (quote(unquote(path), safe=_PLAIN), unquote(path)):
                if (row := self._row(f"{url[:at]}{spelling}{mark}{query}")) >= 0:
                    return row
        return -1

    def resolve(self, url: str) -> int:
        """Return the row a link leads to, also one of the other scheme where there is no other."""
        row = self.find(url)
        return row if row >= 0 else self.find(other_scheme(url))

    def rows(self, links: Links) -> NDArray[np.int32]:
        """Return the row that each link leads to, -1 for those that lead out of the archive."""
        if not len(self.names):
            return np.full(len(links), -1, np.int32)
        positions = np.minimum(self.names.searchsorted(links.hashes), len(self.names) - 1)
        found = np.where(self.names[positions] == links.hashes, self.order[positions], np.int32(-1))
        for at in np.flatnonzero(found < 0).tolist():
            found[at] = self.resolve(links.urls[at])
        return found

    def _row(self, url: str) -> int:
        name = urls.fingerprint(url)
        position = int(self.names.searchsorted(np.uint64(name)))
        if position < len(self.names) and self.names.item(position) == name:
            return self.order.item(position)
        return -1


def other_scheme(url: str) -> str:
    """Return the same URL under http instead of https, or the reverse."""
    return f"http{url[5:]}" if url.startswith("https:") else f"https{url[4:]}"


def check_of(column: NDArray[Any]) -> str:
    """Return the checksum of a column."""
    return xxhash.xxh3_64_hexdigest(np.ascontiguousarray(column).data.cast("B") if column.size else b"")


def _mapped(path: Path) -> memoryview:
    with path.open("rb") as file:
        if not path.stat().st_size:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
