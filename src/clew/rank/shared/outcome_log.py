"""Followed links in a form that another engine can learn from: hashed tokens mean the same everywhere."""

from dataclasses import dataclass, field

import numpy as np

from clew.types import Features


@dataclass(slots=True)
class OutcomeLog:
    """Collect followed links from the first `take` on; before it, nobody wants them.

    Each is the fingerprint of a URL, a row of features and the value that was learned: 4 bytes for each
    column and 12 more.

    >>> log = OutcomeLog(columns=3)
    >>> log.take()
    b''
    >>> log.add(7, np.array([1, 2, 3], np.uint32), 0.5)
    >>> log.unpack(log.take())
    ([7], array([[1, 2, 3]], dtype=uint32), [0.5])
    """

    columns: int
    wanted: bool = False
    packed: list[bytes] = field(default_factory=list)

    def add(self, key: int, row: Features, value: float) -> None:
        """Add a followed link, if anybody wants to know."""
        if self.wanted:
            head = np.array([key], "<u8").tobytes() + np.array([value], "<f4").tobytes()
            self.packed.append(head + row.astype("<u4").tobytes())

    def take(self) -> bytes:
        """Return what was added since the last call, packed."""
        self.wanted = True
        packed, self.packed = b"".join(self.packed), []
        return packed

    def unpack(self, packed: bytes) -> tuple[list[int], Features, list[float]]:
        """Return keys, rows and values of links of another engine; of one with other features, none."""
        kind = np.dtype([("key", "<u8"), ("value", "<f4"), ("row", "<u4", (self.columns,))])
        found = np.frombuffer(packed if len(packed) % kind.itemsize == 0 else b"", kind)
        return found["key"].tolist(), np.ascontiguousarray(found["row"], np.uint32), found["value"].tolist()
