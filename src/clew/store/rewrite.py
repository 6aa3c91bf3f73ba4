"""Rewrite WARC files without some of their records; every other record stays byte for byte.

The new file has a name of its own and the old one's running number: the database can switch from one to
the other in a transaction, and the files stay in the order in which they were begun.
"""

import os
import re
import time
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from clew.errors import StoreError
from clew.store.archive import serial_of
from clew.store.folder import disk_error
from clew.store.warc import read_member

_ADDRESS = re.compile(rb"^WARC-(?:Refers-To-)?Target-URI:[ \t]*<?([^\r\n>]*)", re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(rb"^WARC-Record-ID:[ \t]*([^\r\n]+)", re.IGNORECASE | re.MULTILINE)
_PARTNER = re.compile(rb"^WARC-(?:Refers|Concurrent)-To:[ \t]*([^\r\n]+)", re.IGNORECASE | re.MULTILINE)

_HEADER = 1 << 13  # a URL has 2,048 characters at most, 6 KiB when every one of them is escaped
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class RemovedRecords:
    """A WARC file and the records to be removed from it: offset and length of each.

    `length` is how much of the file is committed, `rest` how many records with a URL stay.
    """

    name: str
    length: int
    spans: tuple[tuple[int, int], ...]
    rest: int

    @property
    def bytes(self) -> int:
        """Bytes to be removed; without a record that has a URL the whole file is."""
        return sum(length for _, length in self.spans) if self.rest else self.length

    def new_offsets(self, offsets: Iterable[int]) -> Iterator[int | None]:
        """Return the offsets of records in the new file, None for removed ones.

        >>> list(RemovedRecords("", 100, ((10, 20), (50, 5)), 3).new_offsets([0, 10, 30, 50, 55]))
        [0, None, 10, None, 30]
        """
        starts = [start for start, _ in self.spans]
        before = [0, *accumulate(length for _, length in self.spans)]
        for offset in offsets:
            row = bisect_right(starts, offset)
            yield None if row and starts[row - 1] == offset else offset - before[row]


class RecordFilter:
    """Find the records to be removed.

    `is_removed` decides by URL. A request is removed with its response, and a revisit with the record that
    holds its payload: without it nothing is left of the response but the URL of the removed record.
    """

    def __init__(self, pages: Path, goes: Callable[[str], bool]) -> None:
        self.pages = pages
        self.is_removed = goes
        self._gone: set[bytes] = set()

    def find_removed(self, name: str, length: int, known: Mapping[int, int]) -> RemovedRecords:
        """Examine every record up to the committed length; `known` are lengths of records by offset."""
        serial_of(name)  # names come from the database, and that may come from a stranger
        spans: list[tuple[int, int]] = []
        rest = 0
        for offset, size, header in _headers(self.pages / name, length, known):
            addresses = _ADDRESS.findall(header)
            if any(self.is_removed(url.decode("utf-8", "replace")) for url in addresses) or not (
                self._gone.isdisjoint(_PARTNER.findall(header))
            ):
                spans.append((offset, size))
                self._gone.update(_NAME.findall(header))
            else:
                rest += bool(addresses)
        return RemovedRecords(name, length, tuple(spans), rest)


def _headers(path: Path, end: int, known: Mapping[int, int]) -> Iterator[tuple[int, int, bytes]]:
    """Read where each record lies, and its header; a body is unpacked only where its end is not known."""
    offset = 0
    try:
        with path.open("rb") as file:
            while offset < end:
                if (length := known.get(offset, 0)) > 0:
                    file.seek(offset)
                    data = zlib.decompressobj(wbits=31).decompress(file.read(_HEADER), _HEADER)
                else:
                    data, length = read_member(file, offset)
                header, gap, _ = data.partition(b"\r\n\r\n")
                if not gap:
                    raise _damaged(path, offset)
                yield offset, length, header
                offset += length
    except (EOFError, zlib.error) as error:
        raise _damaged(path, offset) from error
    except OSError as error:
        raise disk_error(error, path) from error


def _damaged(path: Path, offset: int) -> StoreError:
    return StoreError(
        f"{path} is damaged at byte {offset}, and nothing was changed: put a whole copy of it back, "
        "or move it out of the folder to go on without it"
    )


def new_name(pages: Path, old: str) -> str:
    """Return a name for the file that takes the place of `old`: its number, and the current time."""
    at = time.time()
    while True:
        name = f"clew-{time.strftime('%Y%m%d%H%M%S', time.gmtime(at))}-{serial_of(old):05d}.warc.gz"
        if name != old and not (pages / name).exists():
            return name
        at += 1


def write_remaining(pages: Path, cut: RemovedRecords, name: str) -> int:
    """Copy the remaining records to a new file, make it durable, and return its length."""
    try:
        with (pages / cut.name).open("rb") as old, (pages / name).open("xb") as new:
            start = 0
            for offset, length in (*cut.spans, (cut.length, 0)):
                old.seek(start)
                while start < offset:
                    chunk = old.read(min(_CHUNK, offset - start))
                    if not chunk:
                        raise _damaged(pages / cut.name, start)
                    new.write(chunk)
                    start += len(chunk)
                start = offset + length
            new.flush()
            os.fsync(new.fileno())
            return new.tell()
    except OSError as error:
        raise disk_error(error, pages / name) from error
