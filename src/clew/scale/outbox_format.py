"""The rows of an outbox as bytes, for a reader on another machine: JSON, compressed."""

import base64
import json
import zlib
from typing import Any

from clew.errors import StoreError
from clew.store.outbox import OutboxRows

_BYTES = "base64"
_LEVEL = 1
_MAX = 1 << 30  # bytes of a batch that a reader unpacks at most


def pack_rows(rows: OutboxRows) -> bytes:
    """Return rows as bytes.

    >>> unpack_rows(pack_rows(OutboxRows(upto=7, links=[(1, b"x", 0.1)], sources={1: "http://a.example/"})))
    OutboxRows(upto=7, links=[[1, b'x', 0.1]], pages={}, sources={1: 'http://a.example/'})
    """
    fields = {
        "upto": rows.upto, "links": rows.links, "pages": list(rows.pages.items()),
        "sources": list(rows.sources.items()),
    }  # fmt: skip
    text = json.dumps(fields, default=_pack_bytes, separators=(",", ":"), ensure_ascii=False)
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)


def unpack_rows(packed: bytes) -> OutboxRows:
    """Return the rows of `pack_rows`; raise `StoreError` for anything else."""
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(packed, _MAX).decode("utf-8", "surrogatepass")
        fields = json.loads(text, object_hook=_unpack_bytes)
        return OutboxRows(
            upto=int(fields["upto"]), links=fields["links"],
            pages=dict(fields["pages"]), sources=dict(fields["sources"]),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        msg = f"what another shard sent cannot be read ({error}); use the same clew on all machines"
        raise StoreError(msg) from error


def _pack_bytes(value: object) -> dict[str, str]:
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode("ascii")}
    raise TypeError(value)


def _unpack_bytes(fields: dict[str, Any]) -> object:
    return base64.b64decode(fields[_BYTES]) if fields.keys() == {_BYTES} else fields
