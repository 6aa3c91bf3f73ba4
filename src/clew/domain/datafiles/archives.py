"""Read zip files from their start, entry by entry, also truncated ones.

The list of entries stands at the end of a zip file, and the beginning is all we fetch. Each entry says its
name before its bytes, so they can be read in order. Nothing is inflated further than needed.
"""

import struct
import zlib
from collections.abc import Iterator

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_MARK = b"PK\x03\x04"
_STORED, _DEFLATED = 0, 8
_TOTAL = 8 << 20
"""Maximum inflated bytes of one file, against zip bombs."""


def entries(packed: bytes, *, most: int = 1_000, each: int = 1 << 20) -> Iterator[tuple[str, bytes]]:
    """Yield names and first bytes of entries, in order, within the given limits."""
    at, left = 0, _TOTAL
    for _ in range(most):
        if packed[at : at + 4] != _MARK or at + _LOCAL.size > len(packed):
            return
        _, _, flags, method, *_, compressed, _, name_size, extra_size = _LOCAL.unpack_from(packed, at)
        start = at + _LOCAL.size + name_size + extra_size
        name = packed[at + _LOCAL.size : at + _LOCAL.size + name_size].decode("utf-8", "replace")
        if flags & 1 or method not in (_STORED, _DEFLATED):
            yield name, b""  # encrypted, or with an unsupported compression
            at = start + compressed
            continue
        if method == _STORED:
            yield name, packed[start : start + min(compressed, each, left)]
            at = start + compressed
            continue
        known = compressed if compressed and not flags & 8 else 0
        inside, end = _inflated(packed, start, known, min(each, left))
        left -= len(inside)
        yield name, inside
        at = start + known if known else end
        if not at or left <= 0:
            return
        if not known:  # the sizes follow the bytes, with a signature or without
            at = packed.find(_MARK, at, at + 64)
            if at < 0:
                return


def _inflated(packed: bytes, start: int, known: int, most: int) -> tuple[bytes, int]:
    """Return the first bytes of an entry and, if its size is not known, where it ends (0 if nowhere)."""
    inflate = zlib.decompressobj(-15)
    source = memoryview(packed)[start : start + known] if known else memoryview(packed)[start:]
    try:
        inside = inflate.decompress(source, max(1, most))
        if known:
            return inside, 0
        rest, spent = inflate.unconsumed_tail, len(inside)
        while rest and not inflate.eof and spent < _TOTAL:  # to its end, without storing it
            spent += len(inflate.decompress(rest, 1 << 20))
            rest = inflate.unconsumed_tail
    except zlib.error:
        return b"", 0
    return inside, len(packed) - len(inflate.unused_data) if inflate.eof else 0
