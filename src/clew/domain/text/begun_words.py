"""Count the words of a text that begin with given terms; compiled where that was built."""

from clew.domain.compiled import compiled
from clew.domain.text.tokenizing import folded

_count_begun = compiled("clew.domain.text._begun_words", "count_begun")


def count_begun(
    text: str, terms: tuple[str, ...], *, is_folded: bool = False, after_underscore: bool = False
) -> list[int]:
    """Count the words of a text that begin with each term, or are it if it is a single letter.

    Terms are folded and in ASCII. `is_folded` says that the text is, too: else it is folded where that may
    change the result, which is not so for nearly all texts in ASCII. `after_underscore` says that a word may
    begin behind an underscore.

    >>> count_begun("A guide to R, and Guidelines of my_guide R2", ("guid", "r"))
    [2, 1]
    """
    if _count_begun is not None:
        counts: list[int] | None = _count_begun(text, terms, is_folded, after_underscore)
        return (
            counts
            if counts is not None
            else count_begun(folded(text), terms, is_folded=True, after_underscore=after_underscore)
        )
    read = text if is_folded else folded(text)
    return [_count(read, term, "" if after_underscore else "_") for term in terms]


def _count(text: str, term: str, joint: str) -> int:
    count, at, whole = 0, text.find(term), len(term) == 1
    while at >= 0:
        before = text[at - 1] if at else " "
        count += not (before.isalnum() or before == joint or (whole and text[at + 1 : at + 2].isalnum()))
        at = text.find(term, at + 1)
    return count
