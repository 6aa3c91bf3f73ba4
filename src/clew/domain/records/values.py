"""Normalise table values for comparison.

A value is stored as it was found. Comparison ignores case, full-width and half-width letters, kinds of
quotes and dashes, white space, and punctuation at the ends.
"""

import unicodedata
from collections.abc import Iterable, Sequence

LONGEST = 500
"""Maximum characters of a value; a longer one is prose, and is never written the same way twice."""

ENDS = " \t.,;:!?…·•|/\\-–—_*\"'“”„«»()[]{}<>=~、。，；：・「」『』（）【】"
"""Characters stripped from both ends of a value."""

_ALIKE = str.maketrans({
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
    "\u00ad": "", "\u200b": "", "\u200e": "", "\u200f": "", "\ufeff": "",
})  # fmt: skip
_INVERTED = 5  # words of a name written behind its comma: "Date, C. J."


def fold(text: str) -> str:
    """Fold text for comparison; white space and ends stay as they are.

    >>> fold("Ｃ．Ｊ． “Date”")
    'c.j. "date"'
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).translate(_ALIKE).casefold()


def normalize(text: str) -> str:
    """Return the normal form of a value, used to compare it.

    >>> normalize("  The “Theory” of  Databases, ") == normalize('the "theory" of databases')
    True
    """
    return " ".join(fold(text).split()).strip(ENDS)


def swap_inverted_name(form: str) -> str:
    """Move the part behind the only comma to the front; without such a comma return the form unchanged.

    >>> swap_inverted_name("date, c. j")
    'c. j date'
    """
    last, comma, first = form.partition(", ")
    if not comma or "," in first or form.count(" ") >= _INVERTED or any(map(str.isdigit, form)):
        return form
    return f"{first} {last}"


def drop_full_stops(form: str) -> str:
    """Remove full stops from a normal form: initials are written with and without them.

    >>> drop_full_stops("c. j. date")
    'c j date'
    """
    return " ".join(form.replace(".", " ").split()) if "." in form else form


def drop_bracketed_end(form: str) -> str:
    """Remove a part in brackets at the end of a normal form: the year, edition or series behind a title.

    >>> drop_bracketed_end("signs (2002"), drop_bracketed_end("(500) days of summer")
    ('signs', '(500) days of summer')
    """
    head, bracket, _ = form.rpartition(" (")
    return head.strip(ENDS) if bracket and head and ")" not in form[len(head) :][:-1] else form


def row_key(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the key by which two rows are equal: normal forms without full stops, names in natural order.

    >>> row_key(("Date, C. J.", "Databases ")) == row_key(("C. J. Date", "databases"))
    True
    """
    return tuple(drop_full_stops(swap_inverted_name(normalize(value))) for value in values)


def common_prefix(texts: Iterable[str]) -> str:
    """Return the longest common prefix of texts.

    >>> common_prefix(["books/1", "books/12", "books/2"])
    'books/'
    """
    texts = list(texts)
    first, last = min(texts), max(texts)
    for at, char in enumerate(first):
        if at >= len(last) or last[at] != char:
            return first[:at]
    return first


def clean_value(text: str) -> str:
    """Return a value as it is stored: one line, single spaces, no control characters."""
    text = " ".join(text.split())
    if not text.isprintable():
        text = "".join(char for char in text if char.isprintable())
    return text[:LONGEST]


def lookup_form(value: str) -> str:
    """Return the form by which a value is looked up."""
    return drop_full_stops(normalize(value))


def same_form(one: str, other: str) -> bool:
    """Return whether two forms are the same value: names in either order, titles with or without a year.

    >>> same_form("date, c j", "c j date"), same_form("signs (2002", "signs"), same_form("signs", "sign")
    (True, True, False)
    >>> same_form("quo vadis", "quo vadis: a narrative of the time of nero")
    True
    """
    if one == other:
        return True
    one, other = _plain_form(one), _plain_form(other)
    return one == other or one.startswith(f"{other}:") or other.startswith(f"{one}:")


def _plain_form(form: str) -> str:
    return drop_full_stops(swap_inverted_name(drop_bracketed_end(form)))


def same_row(values: Sequence[str], forms: Sequence[str]) -> bool:
    """Return whether every value that was found equals the known form, and at least two were found."""
    pairs = [(lookup_form(value), form) for value, form in zip(values, forms, strict=True) if value]
    return len(pairs) >= min(2, len(forms)) and all(same_form(one, other) for one, other in pairs)
