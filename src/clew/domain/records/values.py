"""Values of a table as they are compared: spelling, width and white space apart.

A value is stored as it was found. It is compared without regard to case, to full-width and half-width
letters, to kinds of quotes and dashes, to white space and to punctuation at its ends.
"""

import unicodedata
from collections.abc import Iterable, Sequence

LONGEST = 500
"""Characters of a value; a longer one is a text, and stands the same way on no two pages."""

ENDS = " \t.,;:!?…·•|/\\-–—_*\"'“”„«»()[]{}<>=~、。，；：・「」『』（）【】"
"""What may stand at the ends of a value without being part of it."""

_ALIKE = str.maketrans({
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
    "\u00ad": "", "\u200b": "", "\u200e": "", "\u200f": "", "\ufeff": "",
})  # fmt: skip
_INVERTED = 5  # words of a name written behind its comma: "Date, C. J."


def plain(text: str) -> str:
    """Return text folded for comparison, white space and ends as they are.

    >>> plain("Ｃ．Ｊ． “Date”")
    'c.j. "date"'
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).translate(_ALIKE).casefold()


def normal(text: str) -> str:
    """Return the form of a value by which it is compared.

    >>> normal("  The “Theory” of  Relational Databases, ") == normal('the "theory" of relational databases')
    True
    """
    return " ".join(plain(text).split()).strip(ENDS)


def turned(form: str) -> str:
    """Return a normal form with the part behind its only comma in front; the form itself where there is none.

    >>> turned("date, c. j")
    'c. j date'
    """
    last, comma, first = form.partition(", ")
    if not comma or "," in first or form.count(" ") >= _INVERTED or any(map(str.isdigit, form)):
        return form
    return f"{first} {last}"


def loose(form: str) -> str:
    """Return a normal form without full stops: initials are written with and without them.

    >>> loose("c. j. date")
    'c j date'
    """
    return " ".join(form.replace(".", " ").split()) if "." in form else form


def identity(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return what makes two rows the same: their normal forms without full stops, names the right way round.

    >>> identity(("Date, C. J.", "Databases ")) == identity(("C. J. Date", "databases"))
    True
    """
    return tuple(loose(turned(normal(value))) for value in values)


def beginning(texts: Iterable[str]) -> str:
    """Return the longest common beginning of texts.

    >>> beginning(["books/1", "books/12", "books/2"])
    'books/'
    """
    texts = list(texts)
    first, last = min(texts), max(texts)
    for at, sign in enumerate(first):
        if at >= len(last) or last[at] != sign:
            return first[:at]
    return first


def tidy(text: str) -> str:
    """Return a value as it is stored: one line, one blank at a time, no control characters."""
    text = " ".join(text.split())
    if not text.isprintable():
        text = "".join(sign for sign in text if sign.isprintable())
    return text[:LONGEST]


def form_of(value: str) -> str:
    """Return the form by which a value is looked up."""
    return loose(normal(value))


def same_form(one: str, other: str) -> bool:
    """Tell whether two forms are the same value, names turned or not."""
    return one == other or loose(turned(one)) == loose(turned(other))


def same_row(values: Sequence[str], forms: Sequence[str]) -> bool:
    """Tell whether all values that were found are those known by their forms, and two of them at least."""
    said = [(form_of(value), form) for value, form in zip(values, forms, strict=True) if value]
    return len(said) >= min(2, len(forms)) and all(same_form(one, other) for one, other in said)
