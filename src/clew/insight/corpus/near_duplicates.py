"""Exact and near-duplicates among many texts, with an index on disk: memory does not grow.

Runs of letters are hashed, MinHash signatures of them are cut into bands, and texts that share a band are
compared by the share of runs they have in common. Runs of letters, not of words: it works in every language.

Broder, A. (1997): On the resemblance and containment of documents. Compression and Complexity of Sequences.
"""

import hashlib
import sqlite3
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

_RUN = 12  # letters
_BANDS, _ROWS = 8, 5
ENOUGH = 1_500
"""Runs; of more, those are taken whose hash is low: the same in similar texts."""

_CANDIDATES = 20  # texts that are compared, for each band
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_RANDOM = np.random.default_rng(20_240_506)
_FACTORS = _RANDOM.integers(1, 2**63, _BANDS * _ROWS, dtype=np.uint64)[:, None] * np.uint64(2) + np.uint64(1)
_SHIFT = np.uint64(32)

SCHEMA = """
CREATE TABLE IF NOT EXISTS seen (hash BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bands (band INTEGER, page INTEGER, PRIMARY KEY (band, page)) WITHOUT ROWID;
"""


def letter_runs(text: str) -> NDArray[np.uint64]:
    """Return the hashes of all runs of letters in a text, each once, in order; fewer of a long text."""
    letters = "".join(filter(str.isalpha, text.lower()))
    codes = np.frombuffer(letters.encode("utf-32-le", "replace"), np.uint32).astype(np.uint64)
    if len(codes) < _RUN:
        codes = np.resize(codes, _RUN) if len(codes) else np.zeros(_RUN, np.uint64)
    runs = len(codes) - _RUN + 1
    mixed = np.zeros(runs, np.uint64)
    for at in range(_RUN):
        mixed = mixed * _SPREAD + codes[at : at + runs]
    mixed ^= mixed >> np.uint64(29)
    mixed *= _SPREAD
    mixed ^= mixed >> _SHIFT
    mixed = np.unique(mixed)
    if len(mixed) > ENOUGH:
        # By halves of the range, so that texts of similar length keep the same ones.
        halves = (len(mixed) // ENOUGH).bit_length()
        mixed = mixed[mixed < np.uint64(2 ** (64 - halves))]
    return mixed


def resemblance(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> float:
    """Return the share of runs that two texts have in common."""
    if not len(one) or not len(other):
        return 0.0
    top = min(one[-1], other[-1])  # a longer text may have kept fewer of its runs
    one, other = one[one <= top], other[other <= top]
    common = len(np.intersect1d(one, other, assume_unique=True))
    return common / max(len(one) + len(other) - common, 1)


def band_keys(runs: NDArray[np.uint64]) -> list[int]:
    """Return the keys of the bands of a text's MinHash signature, as signed numbers for SQLite."""
    least = ((runs * _FACTORS) >> _SHIFT).min(1).reshape(_BANDS, _ROWS)
    keys = []
    for number, band in enumerate(least):
        digest = hashlib.blake2b(bytes([number]) + band.tobytes(), digest_size=8).digest()
        keys.append(int.from_bytes(digest, "little", signed=True))
    return keys


class DuplicateIndex:
    """The texts seen so far; `text_of` returns an earlier one by the number of its page."""

    def __init__(self, db: sqlite3.Connection, text_of: Callable[[int], str], similar: float) -> None:
        self.db = db
        self.text_of = text_of
        self.similar = similar
        db.executescript(SCHEMA)

    def is_exact(self, text: str) -> bool:
        """Return whether the same text was seen, whatever its case and white space; remember it."""
        digest = hashlib.blake2b(
            " ".join(text.lower().split()).encode("utf-8", "replace"), digest_size=16
        ).digest()
        return not self.db.execute("INSERT OR IGNORE INTO seen VALUES (?)", (digest,)).rowcount

    def near(self, page: int, text: str) -> int:
        """Return the page of a similar text that was seen, or 0; remember this one if there is none."""
        runs = letter_runs(text)
        keys = band_keys(runs)
        compared: set[int] = set()
        for key in keys:
            statement = f"SELECT page FROM bands WHERE band = ? LIMIT {_CANDIDATES}"  # noqa: S608 - a number
            for (other,) in self.db.execute(statement, (key,)).fetchall():
                if other not in compared:
                    compared.add(other)
                    if resemblance(runs, letter_runs(self.text_of(other))) >= self.similar:
                        return int(other)
        self.db.executemany("INSERT OR IGNORE INTO bands VALUES (?, ?)", ((key, page) for key in keys))
        return 0
