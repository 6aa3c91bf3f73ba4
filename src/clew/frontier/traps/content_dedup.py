"""Which texts have been read before: the same, and nearly the same on one host, in bounded memory."""

from collections.abc import Iterable
from typing import TypeVar
from zlib import crc32

V = TypeVar("V")

NEAR = 3
"""Bits in which fingerprints of nearly equal texts differ at most; then one of four quarters is equal."""

_CROWD = 8


class Recent(dict[int, V]):
    """A dictionary that forgets: at least `size` and at most twice as many of the last entries stay."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self._older: dict[int, V] = {}

    def find(self, key: int) -> V | None:
        """Return what was put under a key of late."""
        found = super().get(key)
        return self._older.get(key) if found is None else found

    def missing(self, keys: Iterable[int]) -> list[int]:
        """Return the keys nothing was put under of late."""
        older = self._older
        return [key for key in keys if key not in self and key not in older]

    def put(self, key: int, value: V) -> None:
        """Remember a value; every `size` entries the older half is forgotten."""
        if len(self) >= self.size:
            self._older = dict(self)
            self.clear()
        self[key] = value


class ContentDedup:
    """Tell whether a text was read before.

    `size` texts are remembered in full order; beyond it the oldest half is forgotten.
    """

    def __init__(self, *, size: int = 200_000) -> None:
        self._same: Recent[tuple[int, int]] = Recent(size)
        self._near: Recent[list[int]] = Recent(4 * size)

    def same(self, fingerprint: int, text: int, id: int) -> int:
        """Return the id of an earlier page with this text (0: none), and remember this one.

        `text` is a hash of the text with its digits; 0 when only the fingerprint is known.
        """
        earlier = self._same.find(fingerprint)
        if earlier is None or (text and earlier[1] and earlier[1] != text):
            self._same.put(fingerprint, (id, text))
            return 0
        return earlier[0] if earlier[0] != id else 0

    def is_new(self, host: str, fingerprint: int) -> bool:
        """Tell whether no text of a host was nearly like this one, and remember it."""
        salt = crc32(host.encode()) << 18
        quarters = [salt | place << 16 | fingerprint >> 16 * place & 0xFFFF for place in range(4)]
        crowds = [self._near.find(quarter) for quarter in quarters]
        for crowd in crowds:
            for other in crowd or ():
                if (other ^ fingerprint).bit_count() <= NEAR:
                    return False
        for quarter, crowd in zip(quarters, crowds, strict=True):
            self._near.put(quarter, [fingerprint] if crowd is None else [*crowd[1 - _CROWD :], fingerprint])
        return True
