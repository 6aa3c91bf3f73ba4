"""Responses from WARC files of any origin: plain, gzip or xz, intact or damaged.

A damaged record is skipped: reading continues at the next offset that looks like a record, and the damage
is counted. Our own store reads its files strictly (`store.warc`); these may come from any program.
"""

import lzma
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import IO

from clew.errors import ConfigError

MAX_BODY = 8_000_000
"""Bytes read of one response, as many as `fetch.max_bytes` lets a crawl read."""

SUFFIXES = (".warc.gz", ".warc.xz", ".warc")

_MAX_RECORD = 1 << 28  # a longer record is a damaged length
_MAX_HEAD = 1 << 16
_CHUNK = 1 << 20
_UNPACKED = 1 << 24  # bytes unpacked at a time, as a limit for decompression bombs
_GZIP = b"\x1f\x8b\x08"
_BLANK = re.compile(rb"\s*")
_RECORD = re.compile(rb"WARC/[01]\.[0-9]+\r?\n")
_STATUS = re.compile(rb"HTTP/[0-9.]+ +([1-9][0-9][0-9])")


@dataclass(frozen=True, slots=True)
class ArchivedResponse:
    """A recorded response: its head as received, its body without transfer coding, Unix time or 0."""

    url: str
    status: int
    head: bytes
    body: bytes
    cut: bool = False
    at: float = 0.0


@dataclass(slots=True)
class ReadCounts:
    """How many records were read, and how many were damaged."""

    good: int = 0
    bad: int = 0


def is_warc(path: Path) -> bool:
    """Tell a WARC file by its name."""
    return path.name.lower().endswith(SUFFIXES)


def read_responses(path: Path, counts: ReadCounts, end: int | None = None) -> Iterator[ArchivedResponse]:
    """Read the HTTP responses of a file in order, up to the byte `end`; count damage in `counts`."""
    with path.open("rb") as file:
        yield from responses_in(file, str(path), counts, end)


def responses_in(
    file: IO[bytes], name: str, counts: ReadCounts, end: int | None = None
) -> Iterator[ArchivedResponse]:
    """Read the HTTP responses of an open file, as `read_responses` does; `name` is used in messages."""
    for header, block in _records(_pieces(file, name, end), counts):
        if header.get(b"warc-type") != b"response":
            continue
        url = header.get(b"warc-target-uri", b"").decode("utf-8", "replace").strip("<>")
        if not url.startswith(("http://", "https://")):
            continue  # dns and the like
        response = _parse_response(url, block, cut=b"warc-truncated" in header)
        if response is None:
            counts.bad += 1
            continue
        counts.good += 1
        yield replace(response, at=_time(header.get(b"warc-date", b"")))


def _time(date: bytes) -> float:
    """Return the Unix time of a date in ISO 8601; 0 if it is none."""
    try:
        found = datetime.fromisoformat(date.decode("ascii", "replace"))
        return max(0.0, found.replace(tzinfo=found.tzinfo or UTC).timestamp())
    except (ValueError, OverflowError):
        return 0.0


def _parse_response(url: str, block: bytes, *, cut: bool) -> ArchivedResponse | None:
    head, gap, body = block.partition(b"\r\n\r\n")
    if not gap:
        head, gap, body = block.partition(b"\n\n")
    status = _STATUS.match(head)
    if not status:
        return None
    if re.search(rb"(?im)^transfer-encoding:.*chunked", head):
        body = _dechunk(body)
    return ArchivedResponse(
        url, int(status[1]), head + b"\r\n\r\n", body[:MAX_BODY], cut or len(body) > MAX_BODY
    )


def _dechunk(body: bytes) -> bytes:
    """Return a chunked body in one piece; as it is when it was joined before it was archived."""
    pieces, at = [], 0
    while line := re.compile(rb"([0-9A-Fa-f]+)[^\n]*\n").match(body, at):
        size = int(line[1], 16)
        pieces.append(body[line.end() : line.end() + size])
        at = line.end() + size
        if not size:
            return b"".join(pieces)
        if body[at : at + 2] != b"\r\n":
            break
        at += 2
    return b"".join(pieces) if at >= len(body) and pieces else body


def _records(
    pieces: Iterator[bytes | None], counts: ReadCounts
) -> Iterator[tuple[dict[bytes, bytes], bytes]]:
    """Cut a stream into records; `None` in the stream is a hole that ends the record it falls into."""
    buffer = bytearray()
    for piece in pieces:
        if piece is None:
            counts.bad += 1
            buffer.clear()
            continue
        buffer += piece
        start = _blank(buffer, 0)
        while (found := _parse_record(buffer, start)) is not None:
            header, block, start = found
            if header:
                yield header, block
            else:
                counts.bad += 1
        del buffer[:start]
    if buffer.strip():
        counts.bad += 1


def _parse_record(data: bytearray, start: int) -> tuple[dict[bytes, bytes], bytes, int] | None:
    """Return header, block and end of the record at `start`; no header for damage; None if more is needed."""
    start = _blank(data, start)
    if len(data) - start < 16:  # noqa: PLR2004 - "WARC/1.1\r\n" and something
        return None
    gap = re.compile(rb"\r?\n\r?\n").search(data, start, start + _MAX_HEAD)
    if _RECORD.match(data, start) and gap is None and len(data) - start < _MAX_HEAD:
        return None
    if not _RECORD.match(data, start) or gap is None:
        return {}, b"", _next(data, start + 1)
    header = {}
    for line in data[start : gap.start()].split(b"\n")[1:]:
        name, _, value = line.partition(b":")
        header[bytes(name).strip().lower()] = bytes(value).strip()
    size = header.get(b"content-length", b"")
    if not size.isdigit() or int(size) > _MAX_RECORD:
        return {}, b"", _next(data, gap.end())
    end = gap.end() + int(size)
    if len(data) < end:
        return None
    return header, bytes(data[gap.end() : end]), end


def _blank(data: bytearray, start: int) -> int:
    """Return where the blank between two records ends."""
    found = _BLANK.match(data, start)
    return found.end() if found else start


def _next(data: bytearray, start: int) -> int:
    """Return where the next record may begin."""
    again = _RECORD.search(data, start)
    return again.start() if again else max(start, len(data) - 16)


def _pieces(file: IO[bytes], name: str, end: int | None) -> Iterator[bytes | None]:
    """Read a file as it was before it was packed, piece by piece, with `None` for every hole."""
    start = file.read(6)
    chunks = _plain(file, start, end)
    if start.startswith(_GZIP):
        return _gzip(chunks)
    if start.startswith(b"\xfd7zXZ"):
        file.seek(0)
        return _xz(file)
    if start and not start.startswith(b"WARC/"):
        msg = f"{name} is no WARC file: it begins with {start!r}; pack it as .warc, .warc.gz or .warc.xz"
        raise ConfigError(msg)
    return chunks


def _plain(file: IO[bytes], start: bytes, end: int | None) -> Iterator[bytes]:
    """Read up to the byte `end`; `start` was read already."""
    if start[:end]:
        yield start[:end]
    left = inf if end is None else end - len(start)
    while left > 0 and (chunk := file.read(int(min(left, _CHUNK)))):
        left -= len(chunk)
        yield chunk


def _gzip(chunks: Iterator[bytes]) -> Iterator[bytes | None]:
    """Unpack member after member; after damage go on with the next that can be unpacked."""
    packed, unpack = b"", zlib.decompressobj(wbits=31)
    while True:
        if not packed:
            packed = next(chunks, b"")
            if not packed:
                break
        try:
            piece = unpack.decompress(packed, _UNPACKED)
        except zlib.error:
            yield None
            packed, unpack = packed[1:], zlib.decompressobj(wbits=31)
            while (at := packed.find(_GZIP)) < 0 and (more := next(chunks, b"")):
                packed = packed[-2:] + more
            packed = packed[at:] if at >= 0 else b""
            continue
        if piece:
            yield piece
        packed = unpack.unconsumed_tail
        if unpack.eof:
            packed, unpack = unpack.unused_data, zlib.decompressobj(wbits=31)


def _xz(packed: IO[bytes]) -> Iterator[bytes | None]:
    try:
        with lzma.open(packed) as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except (lzma.LZMAError, EOFError):
        yield None
