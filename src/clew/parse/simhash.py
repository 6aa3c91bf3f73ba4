"""A 64-bit fingerprint of a text: similar texts get similar fingerprints.

Charikar's simhash over runs of letters: digits, case, punctuation and spacing do not count, so a
page that shows the time or a visitor counter keeps its fingerprint. Runs of characters, not words, because
Japanese and Chinese have no blanks between words.

Charikar, M. (2002): Similarity estimation techniques from rounding algorithms. STOC.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled

_RUN = 6  # letters: about a word of English, two or three of Japanese
_WINDOW = 1_000  # letters at the beginning, in the middle and at the end: bounded work for any text
_ENOUGH = 1_000  # runs; from more of them a third is taken
_CHOSEN = np.uint64((1 << 64) // 3)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_STIR = np.uint64(0xD6E8FEB86659FD93)
_FACTOR = np.uint32(0x9E3779B1)
_FACTOR_2 = np.uint32(0x9E3779B1**2 & 0xFFFFFFFF)
_FACTOR_4 = np.uint32(0x9E3779B1**4 & 0xFFFFFFFF)
_MOST_ROWS = 255  # that can be added without leaving a byte
_COMPILED = compiled("clew.parse._simhash", "simhash")
_NO_LETTERS = bytes(set(range(128)) - set(b"abcdefghijklmnopqrstuvwxyz"))


def simhash(text: str) -> int:
    """Return the fingerprint of a text; 0 when it holds no letters.

    >>> simhash("Opening hours: 9 to 5") == simhash("opening  hours, 10 to 6!")
    True
    """
    if _COMPILED is None:
        return _by_numpy(text)
    return int(_COMPILED(text, b"" if text.isascii() else _packed_folding()))


def _by_numpy(text: str) -> int:
    letters = _letters(text)
    if not len(letters):
        return 0
    if len(letters) < _RUN:
        letters = np.resize(letters, _RUN)
    runs = len(letters) - _RUN + 1
    # A polynomial of six letters, from three pairs: half the operations of Horner's rule.
    pairs = letters[:-1] * _FACTOR
    pairs += letters[1:]
    mixed = pairs[:runs] * _FACTOR_4
    mixed += pairs[2 : 2 + runs] * _FACTOR_2
    mixed += pairs[4:]
    hashes = np.multiply(mixed, _SPREAD, dtype=np.uint64)
    if runs > _ENOUGH:
        # Chosen by content, not by place: a word put in front does not change the choice.
        hashes = hashes[hashes < _CHOSEN]
    hashes ^= hashes >> np.uint64(29)
    hashes *= _STIR
    hashes ^= hashes >> np.uint64(32)
    hashed = int.from_bytes(
        np.packbits(_ones(hashes) * 2 > len(hashes), bitorder="little").tobytes(), "little"
    )
    return hashed or 1


def _ones(hashes: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Count for each of the 64 bits in how many hashes it is set."""
    rows = np.zeros((len(hashes) + 7) // 8 * 8, np.uint64)
    rows[: len(hashes)] = hashes
    bits = np.unpackbits(rows.view(np.uint8), bitorder="little")
    # Eight hashes to a row: adding long rows is three times faster than adding short ones, adding bytes
    # twice as fast as adding words.
    table = bits.reshape(-1, 512)
    sums = np.add.reduce(table, 0, np.uint8 if len(table) <= _MOST_ROWS else np.uint16)
    ones: NDArray[np.uint16] = np.add.reduce(sums.reshape(8, 64), 0, np.uint16)
    return ones


def _letters(text: str) -> NDArray[np.uint32]:
    if len(text) > 4 * _WINDOW:
        middle = len(text) // 2
        text = text[:_WINDOW] + text[middle : middle + _WINDOW] + text[-_WINDOW:]
    if text.isascii():  # the same letters, without the table
        return np.frombuffer(text.lower().encode().translate(None, _NO_LETTERS), np.uint8).astype(np.uint32)
    folded = _folding()[np.frombuffer(text.encode("utf-16-le", "replace"), np.uint16)]
    return folded[folded > 0].astype(np.uint32)


@lru_cache(maxsize=1)
def _packed_folding() -> bytes:
    """Return the table of `_folding` as packed numbers."""
    return _folding().tobytes()


@lru_cache(maxsize=1)
def _folding() -> NDArray[np.uint16]:
    """Return the letter each code unit counts as: lower case, or 0 for what does not count."""
    table = np.zeros(1 << 16, np.uint16)
    for code in range(1 << 16):
        char = chr(code)
        if char.isalpha():
            lower = char.lower()
            table[code] = ord(lower) if len(lower) == 1 else code
    table[0xD800:0xE000] = np.arange(0xD800, 0xE000)  # halves of rare characters count as they are
    return table
