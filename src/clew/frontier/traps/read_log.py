"""The pages that were read, in that order, with a hash of each text: what a restart must remember."""

from collections.abc import Mapping

import numpy as np
import xxhash

_CHUNK = 256  # pages in one stored row
_KEY = " read "
_DIGITS = b"0123456789"
_ENTRY = np.dtype([("id", "<u4"), ("text", "<u8")])


def text_hash(text: str) -> int:
    """Return a hash of a text with its digits; it is odd if the text has few of them, as counters and clocks.

    >>> text_hash("The bridge was closed at 17 minutes past six, until the next ebb.") & 1
    1
    >>> text_hash("1 2 3 go") & 1
    0
    """
    encoded = text.encode("utf-8", "replace")
    digits = len(encoded) - len(encoded.translate(None, _DIGITS))
    hashed = xxhash.xxh3_64_intdigest(encoded)
    return hashed & ~1 | (30 * digits < len(text))


class ReadLog:
    """Append pages; `changed` returns the rows to be stored, 12 bytes a page."""

    def __init__(self) -> None:
        self._chunk = 0
        self._entries: list[tuple[int, int]] = []
        self._full: dict[str, str] = {}
        self._stored = 0

    def append(self, id: int, text: int) -> None:
        """Note that a page was read."""
        self._entries.append((id, text))
        if len(self._entries) == _CHUNK:
            self._full[f"{_KEY}{self._chunk}"] = _pack(self._entries)
            self._chunk, self._entries, self._stored = self._chunk + 1, [], 0

    def changed(self) -> dict[str, str]:
        """Return what changed since the last call, packed, by key."""
        rows, self._full = self._full, {}
        if len(self._entries) > self._stored:
            rows[f"{_KEY}{self._chunk}"] = _pack(self._entries)
            self._stored = len(self._entries)
        return rows

    def restore(self, states: Mapping[str, str]) -> tuple[dict[int, int], dict[str, str]]:
        """Restore what `changed` returned; return the texts by page in the order read, and other states."""
        chunks = {int(key.removeprefix(_KEY)): state for key, state in states.items() if key.startswith(_KEY)}
        texts: dict[int, int] = {}
        for number in sorted(chunks):
            entries = np.frombuffer(bytes.fromhex(chunks[number]), _ENTRY)
            texts.update(zip(entries["id"].tolist(), entries["text"].tolist(), strict=True))
            self._chunk, self._entries = number, entries.tolist()
        if len(self._entries) == _CHUNK:
            self._chunk, self._entries = self._chunk + 1, []
        self._stored = len(self._entries)
        return texts, {key: state for key, state in states.items() if not key.startswith(_KEY)}


def _pack(entries: list[tuple[int, int]]) -> str:
    return np.array(entries, _ENTRY).tobytes().hex()
