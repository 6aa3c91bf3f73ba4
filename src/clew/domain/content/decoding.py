"""Content decoding with an output limit: gzip, deflate, br and zstd, nested at most twice.

Every page, robots.txt and sitemap goes through `decode`. Each library decodes a bounded piece at
a time, so a decompression bomb costs the limit and about one piece more, never its full size.
"""

import zlib
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias

import brotli
from isal import isal_zlib

try:
    from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # Python 3.14
except ImportError:
    from backports import zstd

Pieces: TypeAlias = Generator[bytes, None, bool]
"""Yields decoded pieces; returns whether the stream ended properly."""

MAX_NESTED = 2
_PIECE = 1 << 20
_SLICE = 1 << 16
_MAX_MEMBERS = 1_000  # of a gzip file; each costs a new decoder, and 8 MB could hold 400,000
_WINDOW_LOG = 23  # zstd: 8 MiB, what RFC 9659 allows on the web
_GZIP = b"\x1f\x8b"
_ZSTD = (b"\xb5\x2f\xfd", b"\x2a\x4d\x18")  # of a frame and of a skippable one, behind their first byte
_FAULTS: Any = (
    isal_zlib.error,
    zlib.error,
    brotli.error,
    zstd.ZstdError,
    EOFError,
    ValueError,
)
# Seen in the wild and ignored by browsers: not about compression.
_NOTHING = frozenset({"", "identity", "none", "binary", "8bit", "7bit", "utf-8", "utf8", "text"})


def names(values: Sequence[str]) -> list[str]:
    """Return the codings named by Content-Encoding headers, in the order they were applied.

    >>> names(["GZIP, identity", "br"])
    ['gzip', 'br']
    """
    listed = [name.strip().lower() for value in values for name in value.split(",")]
    return [name for name in listed if name not in _NOTHING]


def decode(body: bytes, encodings: Sequence[str], limit: int) -> tuple[bytes, bool, str]:
    """Undo `encodings` (as applied, so the last one first) and give at most `limit` bytes.

    Returns the bytes, whether they were cut (by the limit, by a damaged or an unfinished stream), and
    an error when nothing could be read. A body that is not compressed although the header states it is
    taken as it is, as browsers do.
    """
    if len(encodings) > MAX_NESTED:
        return b"", False, f"{len(encodings)} content encodings"
    cut = False
    for name in reversed(encodings):
        reader = _READERS.get(name)
        if reader is None:
            return b"", False, f"unknown content encoding {name[:40]!r}"
        if not body:
            break
        decoded, short, damaged = _take(reader(body, _SLICE), limit)
        if damaged:
            # The fast decoder loses the whole damaged piece; small steps lose little.
            more, _, _ = _take(reader(body, max(1, len(body) // 50_000)), limit)
            decoded = max(decoded, more, key=len)
            if not decoded and _looks_plain(body):
                continue
            if not decoded:
                return b"", False, f"damaged {name} data"
        body, cut = decoded, cut or short
    return body[:limit], cut or len(body) > limit, ""


def is_gzip(body: bytes) -> bool:
    """Tell whether the bytes begin like a gzip file."""
    return body.startswith(_GZIP)


def _take(pieces: Pieces, limit: int) -> tuple[bytes, bool, bool]:
    """Collect pieces up to `limit`; also return whether something is missing, and whether by damage."""
    taken: list[bytes] = []
    size = 0
    complete = damaged = False
    try:
        while size <= limit:
            piece = next(pieces)
            taken.append(piece)
            size += len(piece)
    except StopIteration as end:
        complete = bool(end.value)
    except _FAULTS:
        damaged = True
    decoded = taken[0] if len(taken) == 1 else b"".join(taken)
    return (decoded, not complete, damaged) if size <= limit else (decoded[:limit], True, False)


def _gzip(body: bytes, step: int) -> Pieces:
    return (yield from _inflate(body, 31, step)) if is_gzip(body) else (yield from _plain(body))


def _deflate(body: bytes, step: int) -> Pieces:
    wrapped = len(body) > 1 and body[0] & 0x0F == zlib.DEFLATED and int.from_bytes(body[:2], "big") % 31 == 0
    return (yield from _inflate(body, 15 if wrapped else -15, step))


def _plain(body: bytes) -> Pieces:
    yield body
    return True


def _inflate(body: bytes, wbits: int, step: int) -> Pieces:
    """Read one zlib or raw stream, or gzip members one after the other; ignore what follows them."""
    at = 0
    # A small step means that the fast decoder found damage; the standard one returns all before it.
    make = isal_zlib.decompressobj if step == _SLICE else zlib.decompressobj
    for _ in range(_MAX_MEMBERS):
        decoder = make(wbits)
        while not decoder.eof:
            chunk = body[at : at + step]
            piece = decoder.decompress(chunk, _PIECE)
            used = len(chunk) - len(decoder.unconsumed_tail) - len(decoder.unused_data)
            at += used
            if piece:
                yield piece
            elif not used and not decoder.eof:
                return False
        if wbits != 31 or not body.startswith(_GZIP, at):  # noqa: PLR2004 - zlib's number for gzip
            return True
    return False


def _brotli(body: bytes, step: int) -> Pieces:
    decoder = brotli.Decompressor()
    at = 0
    while not decoder.is_finished():
        chunk = b""
        if decoder.can_accept_more_data():
            chunk = body[at : at + step]
            at += len(chunk)
        piece = decoder.process(chunk, output_buffer_limit=_PIECE)
        if piece:
            yield piece
        elif not chunk:
            return bool(decoder.is_finished())
    return True


def _zstd(body: bytes, step: int) -> Pieces:
    at = 0
    if body[1:4] not in _ZSTD:
        raise EOFError
    while body[at + 1 : at + 4] in _ZSTD:
        decoder = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _WINDOW_LOG})
        start = at
        while not decoder.eof:
            chunk = b""
            if decoder.needs_input:
                chunk = body[at : at + step]
                at += len(chunk)
            piece = decoder.decompress(chunk, max_length=_PIECE)
            if piece:
                yield piece
            elif not chunk and not decoder.eof:
                return False
        at -= len(decoder.unused_data)
        if at <= start:
            break
    return True


def _looks_plain(body: bytes) -> bool:
    """Tell whether bytes that no decoder understands are markup or text after all."""
    start = body[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"<") or (len(start) > 0 and all(9 <= byte < 127 for byte in start))  # noqa: PLR2004


_READERS: dict[str, Callable[[bytes, int], Pieces]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
