"""What the values of a column look like, precise enough to find them on sites where no row is known.

A column of numbers (telephone, ISBN) is found by its digits, however they are written. A column of words is
not: its model only tells which texts beside a number may be a value of it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_NUMBER = re.compile(
    r"(?<![\w.])(\+?\(?\d(?:[ ().\-/\u2010-\u2013]{0,3}\d){4,17})"
    r"(?:[ ,;]{0,2}(?:x|ext\.?|extension|int\.?|app\.?|内線)[ :.]{0,2}\d{1,6})?(?!\w|[.,]\d)",
    re.IGNORECASE,
)
"""A number, and the extension of a person behind it."""

_COUNTRY_CODE = re.compile(r"\+(?:[17]|[2-9]\d)")
_WORD = re.compile(r"[^\W\d_]+")
_TITLES = re.compile(r"(?:[^\W\d_]{2,4}\.\s*)+")
"""Titles before a name: Dr., Prof."""

_MIN_DIGITS = 7  # of a number that is not found everywhere by chance
_FEWER, _MORE = 0, 2  # digits that a number may have less or more than all known ones: country and area codes
_MAX_LENGTH = 60  # characters of a value of words
_PARTICLE = 3  # letters of a word that need no capital: von, de, bin


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A column of numbers with so many digits."""

    least: int
    most: int

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of such numbers in a text.

        >>> list(NumberColumn(10, 12).find("Tel. (206) 543-1695, room 114"))
        [(5, 19)]
        """
        for match in _NUMBER.finditer(text):
            if self.least <= _digits(match.group(1)) <= self.most:
                yield match.span()

    def fits(self, value: str) -> bool:
        """Return whether a value is such a number and nothing else."""
        return any(end - start >= len(value.strip()) - 1 for start, end in self.find(value.strip()))


@dataclass(frozen=True, slots=True)
class WordColumn:
    """A column of words: how many, how long, and whether they are capitalised as names are."""

    words: tuple[int, int]
    length: tuple[int, int]
    capitalised: bool

    def fits(self, value: str) -> bool:
        """Return whether a text may be a value.

        >>> names = word_column(["Ada Lovelace", "Charles P. Babbage"])
        >>> names.fits("Alan Turing"), names.fits("Office hours"), names.fits("Room 12"), names.fits("More")
        (True, False, False, False)
        """
        words = _WORD.findall(value)
        if any(map(str.isdigit, value)) or "@" in value or not words:
            return False
        if not self.words[0] <= len(words) <= self.words[1] + 1:
            return False
        if not 0.5 * self.length[0] <= len(value) <= min(_MAX_LENGTH, 2 * self.length[1]):
            return False
        return not self.capitalised or _is_capitalised(words)


def number_column(values: Iterable[str]) -> NumberColumn | None:
    """Return the model of a column if its values are numbers, else None.

    >>> number_column(["(206) 543-1695", "206.685.1224"])
    NumberColumn(least=10, most=12)
    >>> number_column(["+1 206 543 1695", "+1 206 685 1224"])
    NumberColumn(least=10, most=13)
    >>> number_column(["(206) 543-1695 x42", "(206) 543-1695, ext. 8"])
    NumberColumn(least=10, most=12)
    >>> number_column(["1998", "2001"]) is None
    True
    """
    counts, codes = [], []
    for value in values:
        codes.append(_COUNTRY_CODE.match(value.strip()))
        number = _NUMBER.search(value)
        if number is None or any(map(str.isalpha, value[: number.start()] + value[number.end() :])):
            return None
        counts.append(_digits(number.group(1)))
    if not counts or min(counts) < _MIN_DIGITS:
        return None
    # Where all are written with a country code, others may be without.
    fewer = max(_digits(code.group()) for code in codes if code) if all(codes) else _FEWER
    return NumberColumn(max(_MIN_DIGITS, min(counts) - fewer), max(counts) + _MORE)


def word_column(values: Sequence[str]) -> WordColumn | None:
    """Return the model of a column if its values are words, else None."""
    words = [_WORD.findall(value) for value in values]
    if not words or not all(words) or any(any(map(str.isdigit, value)) for value in values):
        return None
    counts, lengths = [len(found) for found in words], [len(value) for value in values]
    titles = [_TITLES.match(value) for value in values]
    if all(titles):  # others may be written without
        counts.append(min(counts) - max(len(_WORD.findall(title.group())) for title in titles if title))
    return WordColumn(
        (max(1, min(counts)), max(counts)), (min(lengths), max(lengths)), all(map(_is_capitalised, words))
    )


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _is_capitalised(words: Sequence[str]) -> bool:
    """Return whether all words but short ones within begin with a capital, or have no case."""
    return all(
        not word[0].islower() or (0 < at < len(words) - 1 and len(word) <= _PARTICLE)
        for at, word in enumerate(words)
    )
