"""Which texts have been read before: the same, and nearly the same on one host, in bounded memory."""

from collections.abc import Iterable
from typing import TypeVar
from zlib import crc32

V = TypeVar("V")

MAX_DISTANCE = 3
"""Bits in which fingerprints of nearly equal texts differ at most; then one of four quarters is equal."""

_MAX_BUCKET = 8


class Recent(dict[int, V]):
    """A bounded dictionary: at least `size` and at most twice as many of the last entries stay."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self._older: dict[int, V] = {}

    def find(self, key: int) -> V | None:
        """Return the value of a key, or `None` if there is none or it was dropped."""
        found = super().get(key)
        return self._older.get(key) if found is None else found

    def missing(self, keys: Iterable[int]) -> list[int]:
        """Return the keys without a value."""
        older = self._older
        return [key for key in keys if key not in self and key not in older]

    def put(self, key: int, value: V) -> None:
        """Remember a value; every `size` entries the older half is dropped."""
        if len(self) >= self.size:
            self._older = dict(self)
            self.clear()
        self[key] = value


class ContentDedup:
    """Detect texts that were read before.

    `size` texts are remembered; beyond it the oldest half is dropped.
    """

    def __init__(self, *, size: int = 200_000) -> None:
        self._same: Recent[tuple[int, int]] = Recent(size)
        self._near: Recent[int | tuple[int, ...]] = Recent(4 * size)  # nearly all have one: 90 bytes fewer

    def find_duplicate(self, fingerprint: int, text: int, id: int) -> int:
        """Return the id of an earlier page with this text (0: none), and remember this one.

        `text` is a hash of the text with its digits.
        """
        earlier = self._same.find(fingerprint)
        if earlier is None or earlier[1] != text:
            self._same.put(fingerprint, (id, text))
            return 0
        return earlier[0] if earlier[0] != id else 0

    def is_new(self, host: str, fingerprint: int) -> bool:
        """Return whether no text of a host was nearly equal to this one, and remember it."""
        salt = crc32(host.encode()) << 18
        quarters = [salt | place << 16 | fingerprint >> 16 * place & 0xFFFF for place in range(4)]
        buckets = [_fingerprints(self._near.find(quarter)) for quarter in quarters]
        for bucket in buckets:
            for other in bucket:
                if (other ^ fingerprint).bit_count() <= MAX_DISTANCE:
                    return False
        for quarter, bucket in zip(quarters, buckets, strict=True):
            kept = (*bucket[1 - _MAX_BUCKET :], fingerprint)
            self._near.put(quarter, kept if bucket else fingerprint)
        return True


def _fingerprints(found: int | tuple[int, ...] | None) -> tuple[int, ...]:
    return found if isinstance(found, tuple) else () if found is None else (found,)
