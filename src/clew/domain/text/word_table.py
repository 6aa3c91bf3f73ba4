"""Split texts into words and look up their numbers, in plain Python: what `_words` does compiled."""

from array import array
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from clew.domain.text.tokenizing import has_signs

FolderTokens: TypeAlias = tuple[list[int], list[int], list[str]]
"""The numbers of a folder's directories, the numbers of its words, and the words."""

_LONG_NUMBER = 5  # digits
_LOW, _HALF = 0xFFFFFFFF, 32
_MOST = 0xFFFF
_SOFT_HYPHEN = b"\xad"


class WordTable:
    """Numbers of words, each asked of `number_of` once; at most `most` words are remembered.

    `lower` has for every byte the byte it counts as in a word, or a space between words, in this `encoding`.

    >>> table = WordTable(bytes(range(256)), len)
    >>> list(array("I", table.numbers(b"one and three")))
    [3, 3, 5]
    """

    def __init__(
        self, lower: bytes, number_of: Callable[[str], int], encoding: str = "utf-8", most: int = 100_000
    ) -> None:
        self.lower = lower
        self.number_of = number_of
        self.encoding = encoding
        self.most = most
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, word: str) -> int:
        """Return the number of a word."""
        known = self._numbers.get(word)
        if known is None:
            if len(self._numbers) >= self.most:
                self._numbers.clear()
            known = self._numbers[word] = self.number_of(word)
        return known

    def numbers(self, data: bytes) -> bytes:
        """Return the numbers of the words of a text, in order, as packed numbers; no soft hyphens."""
        words = data.translate(self.lower, _SOFT_HYPHEN).decode(self.encoding).split()
        return array("I", [self.number(word) & _LOW for word in words]).tobytes()

    def plain_numbers(self, text: str, most: int) -> bytes | None:
        """Return the same of the first characters of a text in ASCII without signs; None for all others."""
        if not text.isascii() or has_signs(text := text[:most]):
            return None
        return self.numbers(text.encode("ascii"))


def tally(text: bytes, title: bytes, margin: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """Count packed ids in three fields: return the distinct ones in ascending order and their counts, packed.

    0 is no id. Counts stay at the most that 16 bits hold.
    """
    in_title, in_margin = np.frombuffer(title, np.uint32), np.frombuffer(margin, np.uint32)
    found = np.concatenate((np.frombuffer(text, np.uint32), in_title, in_margin))
    found.sort()
    differs = np.ones(len(found) + 1, bool)
    np.not_equal(found[1:], found[:-1], out=differs[1:-1])
    bounds = np.flatnonzero(differs)
    if len(found) and not found[0]:
        bounds = bounds[1:]
    ids, total = found[bounds[:-1]], bounds[1:] - bounds[:-1]
    titles, margins = (
        np.bincount(ids.searchsorted(part[part > 0]), minlength=len(ids)) for part in (in_title, in_margin)
    )
    counts = (total - titles - margins, titles, margins)
    packed = [np.minimum(each, _MOST).astype(np.uint16).tobytes() for each in counts]
    return ids.tobytes(), packed[0], packed[1], packed[2]


class LinkScanner:
    """Rows of tokens of links, from their texts, URLs and surroundings.

    `words_of` splits a text, `url_parts` gives the folder of a URL, the number of its extension and the words
    of its file name, `folder_of` the numbers and words of a folder. With `repeat` false a word is reported
    once, not once for each page.
    """

    def __init__(  # noqa: PLR0917 - positional, as in the compiled one
        self,
        table: WordTable,
        words_of: Callable[[str], list[str]],
        url_parts: Callable[[str], tuple[str, int, list[str]]],
        folder_of: Callable[[str], FolderTokens],
        text_seed: int,
        url_seed: int,
        characters: int,
        repeat: bool = True,
    ) -> None:
        self.table = table
        self.words_of = words_of
        self.url_parts = url_parts
        self.folder_of = folder_of
        self.text_seed = text_seed
        self.url_seed = url_seed
        self.characters = characters
        self.repeat = repeat
        self._reported: dict[str, None] = {}

    def columns(  # noqa: PLR0917
        self,
        anchors: Sequence[str],
        urls: Sequence[str],
        contexts: Sequence[str],
        text_columns: int,
        url_columns: int,
        context_columns: int,
    ) -> tuple[bytes, bytes, bytes, str, list[int]]:
        """Return the rows of texts, URLs and contexts as packed numbers, the words and their numbers."""
        number, met = self.table.number, dict[str, None]()
        texts, addresses, surroundings = array("I"), array("I"), array("I")
        for anchor in anchors:
            found = self._split(anchor[: self.characters])
            met.update(dict.fromkeys(found))
            texts.extend(_row(map(number, found), text_columns, 0))
        for url in urls:
            folder, ending, names = self.url_parts(url)
            own, above, folder_words = self.folder_of(folder)
            met.update(dict.fromkeys((*names, *folder_words)))
            addresses.extend(_row((*own, ending, *map(number, names), *above), url_columns, _HALF))
        rows: dict[str, list[int]] = {}
        for context in contexts:
            if context not in rows:
                found = self._split(context[: self.characters])
                met.update(dict.fromkeys(found))
                rows[context] = _row(map(number, found), context_columns, 0)
            surroundings.extend(rows[context])
        new = self._new(met)
        ids = [number(word) & _LOW for word in new]
        return texts.tobytes(), addresses.tobytes(), surroundings.tobytes(), " ".join(new), ids

    def _new(self, met: dict[str, None]) -> list[str]:
        """Return the words to report: long numbers never, others on each page or once."""
        words = [word for word in met if not (len(word) >= _LONG_NUMBER and word.isdecimal())]
        if self.repeat:
            return words
        words = [word for word in words if word not in self._reported]
        if len(self._reported) >= self.table.most:
            self._reported.clear()
        self._reported.update(dict.fromkeys(words))
        return words

    def _split(self, text: str) -> list[str]:
        """Split a text as `words_of` does; plain ASCII, the common case, in one pass."""
        if text.isascii() and "'" not in text and "\0" not in text and not has_signs(text):
            return text.encode().translate(self.table.lower).decode().split()
        return self.words_of(text)


def _row(numbers: "map[int] | tuple[int, ...]", columns: int, shift: int) -> list[int]:
    """Return a row of distinct numbers, 32 bits of each, padded with 0."""
    found = dict.fromkeys(numbers)
    found.pop(0, None)
    row = [number >> shift & _LOW for number in list(found)[:columns]]
    return row + [0] * (columns - len(row))
