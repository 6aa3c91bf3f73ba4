"""WARC 1.1 records: a response as received, in a form that strict readers accept.

Each record is a gzip member of its own, so a page is read back from its offset and length alone.
Nothing from the web can write a header of ours: URLs are escaped, header lines are cleaned, and
lengths are counted by us.
"""

import os
import re
import socket
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from isal import igzip_lib

from clew.domain.digests import payload_digest
from clew.types import KnownVersion, Response

_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_VALUE = rb"[\t\x20-\x7e\x80-\xff]*"
_FIELDS = rb"(?:" + _TOKEN + rb":" + _VALUE + rb"\r\n)*\r\n"
_CLEAN_ANSWER = re.compile(rb"HTTP/1\.[01] [1-9][0-9][0-9](?: " + _VALUE + rb")?\r\n" + _FIELDS).fullmatch
_CLEAN_QUESTION = re.compile(rb"[A-Z]+ [\x21-\x7e\x80-\xff]+ HTTP/1\.[01]\r\n" + _FIELDS).fullmatch
_STATUS_LINE = re.compile(rb"HTTP/(1\.[01])?[0-9.]* +[1-9][0-9][0-9](?: +(.*))?", re.DOTALL)
_NAME = re.compile(_TOKEN).fullmatch
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]+")
_FRAMING = re.compile(
    rb"^(transfer-encoding|content-length)[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE
)
_URL_UNSAFE = re.compile(r"[^\x21-\x7e]")
_LENGTH = re.compile(rb"^Content-Length: ([0-9]+)\r$", re.IGNORECASE | re.MULTILINE)

NOT_MODIFIED = 304
"""Status of a response to a conditional request: the stored version is the current one."""

_CHUNK = 1 << 15
_SMALL = 2_048  # below this the fastest level is as small, at 2 instead of 6 µs


@dataclass(frozen=True, slots=True)
class Packed:
    """A response and its request as two gzip members, and the digest of the body."""

    response: bytes
    request: bytes
    digest: str


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record read back: where it lies in its file, its WARC header, and its block."""

    offset: int
    length: int
    header: dict[str, str]
    block: bytes

    @property
    def http(self) -> tuple[bytes, bytes]:
        """HTTP head (with its blank line) and payload of a request or response."""
        head, gap, body = self.block.partition(b"\r\n\r\n")
        return head + gap, body


def pack(response: Response) -> Packed:
    """Make the response and request records of a response; a revisit record if nothing has changed."""
    head = clean_response_head(response.head, response.status, len(response.body))
    # No block digest: it would cost a second pass over every body, and gzip has a checksum of its own.
    digest = payload_digest(response.body)
    request_head = clean_request_head(response.request)
    url = _URL_UNSAFE.sub(lambda odd: quote(odd[0], safe="", errors="replace"), response.link.url)
    shared = f"WARC-Date: {stamp(response.started)}\r\nWARC-Target-URI: {url}\r\n"
    address = plain_address(response.address)
    if address:
        shared += f"WARC-IP-Address: {address}\r\n"
    name = record_id()
    cut = f"WARC-Truncated: {truncation_reason(response)}\r\n" if response.truncated else ""
    kind, body = "response", response.body
    if same := _same_as(response, digest):
        kind, body, digest, cut = "revisit", b"", same.digest or digest, _revisit_fields(response, same, url)
    response_header = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {name}\r\n{shared}{cut}"
        f"WARC-Payload-Digest: {digest}\r\nContent-Type: application/http;msgtype=response\r\n"
        f"Content-Length: {len(head) + len(body)}\r\n\r\n"
    )
    request = b""
    if request_head:
        request_header = (
            f"WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: {record_id()}\r\n{shared}"
            f"WARC-Concurrent-To: {name}\r\nContent-Type: application/http;msgtype=request\r\n"
            f"Content-Length: {len(request_head)}\r\n\r\n"
        )
        request = member(b"".join((request_header.encode(), request_head, b"\r\n\r\n")))
    if response.rendered and body:
        request = _conversion(response, name, shared) + request
    whole = member(b"".join((response_header.encode(), head, body, b"\r\n\r\n")))
    return Packed(whole, request, digest)


def _same_as(response: Response, digest: str) -> KnownVersion | None:
    """Return the stored version that a response repeats: it is not modified, or sends the same body."""
    known = response.link.known
    if known is not None and (response.status == NOT_MODIFIED or (response.body and digest == known.digest)):
        return known
    return None


def _revisit_fields(response: Response, known: KnownVersion, url: str) -> str:
    """Return the fields of a revisit record: why it has no payload, and which response had it."""
    profile = "server-not-modified" if response.status == NOT_MODIFIED else "identical-payload-digest"
    return (
        f"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/{profile}\r\n"
        f"WARC-Refers-To-Target-URI: {url}\r\nWARC-Refers-To-Date: {stamp(known.fetched_at)}\r\n"
    )


def _conversion(response: Response, name: str, shared: str) -> bytes:
    """Make the record of a page as a browser rendered it from the response record `name`."""
    header = (
        f"WARC/1.1\r\nWARC-Type: conversion\r\nWARC-Record-ID: {record_id()}\r\n{shared}"
        f"WARC-Refers-To: {name}\r\nContent-Type: text/html; charset=utf-8\r\n"
        f"Content-Length: {len(response.rendered)}\r\n\r\n"
    )
    return member(b"".join((header.encode(), response.rendered, b"\r\n\r\n")))


def warcinfo(filename: str, *, software: str, contact: str = "", robots: str = "obey") -> bytes:
    """Make the warcinfo record at the start of a file: operator, software, robots policy."""
    facts = {
        "software": software,
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "robots": robots,
        "operator": contact,
        "hostname": socket.gethostname(),
    }
    block = "".join(f"{key}: {_one_line(value)}\r\n" for key, value in facts.items() if value).encode()
    header = (
        f"WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: {record_id()}\r\n"
        f"WARC-Date: {stamp(time.time())}\r\nWARC-Filename: {_one_line(filename)}\r\n"
        f"WARC-Block-Digest: {payload_digest(block)}\r\nContent-Type: application/warc-fields\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return member(b"".join((header.encode(), block, b"\r\n\r\n")))


def member(data: bytes) -> bytes:
    """Compress one record into one gzip member."""
    level = 0 if len(data) < _SMALL else 1
    packed: bytes = igzip_lib.compress(data, level, igzip_lib.COMP_GZIP)
    return packed


def record_id() -> str:
    """Make a fresh random name for a record (UUID version 4)."""
    h = os.urandom(16).hex()
    return f"<urn:uuid:{h[:8]}-{h[8:12]}-4{h[13:16]}-{'89ab'[int(h[16], 16) & 3]}{h[17:20]}-{h[20:]}>"


def stamp(at: float) -> str:
    """Write a time the way WARC 1.1 does, in UTC with milliseconds."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")[:23] + "Z"


def truncation_reason(response: Response) -> str:
    """Return why a body was truncated, in the words of the standard."""
    error = response.error.lower()
    if "time" in error or "progress" in error:
        return "time"
    if not error or "too large" in error or "too many" in error or "limit" in error:
        return "length"
    return "disconnect"


@lru_cache(maxsize=4_096)
def plain_address(text: str) -> str:
    """Return an IP address in its plain form and without a port, or nothing when it is none."""
    host = text.rpartition(":")[0] if text.startswith("[") or text.count(":") == 1 else text
    try:
        return str(ip_address((host or text).strip("[]")))
    except ValueError:
        return ""


def clean_response_head(head: bytes, status: int, length: int) -> bytes:
    r"""Return a response head that any reader parses, with lengths that are true for the stored body.

    The body is stored after transfer decoding, so `Transfer-Encoding` is stored under the name
    `X-Crawler-Transfer-Encoding`; so is a `Content-Length` that does not match the stored bytes.

    >>> clean_response_head(b"HTTP/2 200\nA : 1\nTransfer-Encoding: chunked\n", 200, 5)
    b'HTTP/1.1 200 \r\nA: 1\r\nX-Crawler-Transfer-Encoding: chunked\r\n\r\n'
    """
    if not _CLEAN_ANSWER(head):
        first, fields = _lines(_last_block(head))
        known = _STATUS_LINE.fullmatch(first)
        version, reason = (known[1] or b"1.1", known[2] or b"") if known else (b"1.1", b"")
        head = b"HTTP/%b %03d %b\r\n%b\r\n" % (version, status, reason, fields)
    framing = _FRAMING.findall(head)
    if not framing or (len(framing) == 1 and framing[0][0][0] in b"cC" and framing[0][1] == b"%d" % length):
        return head
    head = _FRAMING.sub(rb"X-Crawler-\1: \2", head)
    if any(name[0] in b"cC" for name, _ in framing):
        head = b"%bContent-Length: %d\r\n\r\n" % (head[:-2], length)
    return head


def clean_request_head(head: bytes) -> bytes:
    """Return a request head that any reader parses; our own requests already are such."""
    if not head or _CLEAN_QUESTION(head):
        return head
    first, fields = _lines(head)
    return b"%b\r\n%b\r\n" % (first, fields)


def _last_block(head: bytes) -> bytes:
    """Return the final head when interim responses come before it."""
    blocks = [block for block in re.split(rb"\r?\n\r?\n", head) if block.strip()]
    answers = [block for block in blocks if block.lstrip()[:5] == b"HTTP/"]
    return (answers or blocks or [b""])[-1]


def _lines(head: bytes) -> tuple[bytes, bytes]:
    """Return the first line and the cleaned fields; folded lines are joined, damaged ones renamed."""
    lines: list[bytes] = []
    for raw in head.strip(b"\r\n").split(b"\n"):
        line = _CONTROL.sub(b" ", raw.rstrip(b"\r\n"))
        if line[:1] in (b" ", b"\t") and len(lines) > 1:
            lines[-1] += b" " + line.strip()
        else:
            lines.append(line.strip())
    fields = b""
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if colon and _NAME(name.rstrip()):
            fields += b"%b: %b\r\n" % (name.rstrip(), value.strip())
        elif line:
            fields += b"X-Crawler-Damaged-Header: %b\r\n" % line
    return lines[0], fields


def _one_line(value: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in value).split())


def read_member(file: BinaryIO, offset: int) -> tuple[bytes, int]:
    """Return the record whose gzip member begins at `offset`, and the compressed length of it.

    Raises `EOFError` at the end of the file and `zlib.error` when there is no whole member.
    """
    file.seek(offset)
    unpack = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    read = 0
    while not unpack.eof:
        chunk = file.read(_CHUNK)
        if not chunk:
            if not read:
                raise EOFError
            msg = f"the gzip member at {offset} has no end"
            raise zlib.error(msg)
        read += len(chunk)
        parts.append(unpack.decompress(chunk))
    return b"".join(parts), read - len(unpack.unused_data)


def read_record(file: BinaryIO, offset: int) -> StoredRecord:
    """Read one record back, strictly; raises `ValueError` when its lengths are not true."""
    data, length = read_member(file, offset)
    head, gap, rest = data.partition(b"\r\n\r\n")
    found = _LENGTH.search(head + b"\r")
    size = int(found[1]) if found else -1
    if not gap or not head.startswith(b"WARC/1.") or len(rest) != size + 4 or rest[size:] != b"\r\n\r\n":
        msg = f"the record at {offset} is damaged"
        raise ValueError(msg)
    lines = head.decode("utf-8", "replace").split("\r\n")[1:]
    header = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return StoredRecord(offset, length, header, rest[:size])


def read_file(path: Path, end: int | None = None) -> Iterator[StoredRecord]:
    """Read the records of a file in order, up to the committed `end`."""
    offset = 0
    with path.open("rb") as file:
        while end is None or offset < end:
            try:
                stored = read_record(file, offset)
            except EOFError:
                return
            yield stored
            offset += stored.length
