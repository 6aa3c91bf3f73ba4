"""Questions for a search engine made of rows: the values that tell a row from all others, as phrases."""

from collections.abc import Sequence

from clew.domain.records.example_table import is_weak
from clew.domain.text import folded, shown

PHRASES = 2
"""Values of a row that are asked for together; with more of them an engine finds nothing."""

LONGEST = 100
"""Characters of a phrase: titles are cut at their end, where editions and subtitles stand."""


def telling_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns, those first whose values are rarest in the table, and of these the longest.

    >>> telling_columns([("Heindel", "The Rosicrucian Mysteries", "1911"), ("Heindel", "Letters", "1925")])
    [1, 2, 0]
    """
    count = len(rows[0]) if rows else 0
    worth = []
    for place in range(count):
        values = [folded(row[place]) for row in rows if row[place]]
        share = len(set(values)) / len(values) if values else 0.0
        worth.append((-share, -sum(map(len, values)) / max(1, len(values)), place))
    return [place for _, _, place in sorted(worth)]


def row_query(values: Sequence[str], columns: Sequence[int]) -> str:
    """Return the question for a row, its most telling values in quotation marks; empty if none tells.

    >>> row_query(("C.J. Date", "An Introduction to Database Systems"), [1, 0])
    '"An Introduction to Database Systems" "C.J. Date"'
    """
    chosen = [values[place] for place in columns if values[place] and not is_weak(values[place])][:PHRASES]
    return " ".join(f'"{_phrase(value)}"' for value in chosen)


def _phrase(value: str) -> str:
    text = shown(value.replace('"', " "))
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]
