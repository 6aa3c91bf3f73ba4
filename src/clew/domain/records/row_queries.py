"""Make search queries of rows: the values that distinguish a row, as phrases."""

from collections.abc import Sequence

from clew.domain.records.example_table import is_weak
from clew.domain.text import folded, printable

PHRASES = 2
"""Number of values of a row in one query; with more of them an engine finds nothing."""

LONGEST = 100
"""Maximum characters of a phrase: titles are cut at their end, where editions and subtitles are."""


def distinctive_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns, those with the most distinct values first, and of these the longest.

    >>> distinctive_columns([("Heindel", "The Mysteries", "1911"), ("Heindel", "Letters", "1925")])
    [1, 2, 0]
    """
    count = len(rows[0]) if rows else 0
    ranking = []
    for column in range(count):
        values = [folded(row[column]) for row in rows if row[column]]
        share = len(set(values)) / len(values) if values else 0.0
        ranking.append((-share, -sum(map(len, values)) / max(1, len(values)), column))
    return [column for _, _, column in sorted(ranking)]


def row_query(values: Sequence[str], columns: Sequence[int]) -> str:
    """Return the query for a row, its most distinctive values in quotation marks; empty if it has none.

    >>> row_query(("C.J. Date", "An Introduction to Database Systems"), [1, 0])
    '"An Introduction to Database Systems" "C.J. Date"'
    """
    chosen = [values[column] for column in columns if values[column] and not is_weak(values[column])][
        :PHRASES
    ]
    return " ".join(f'"{_phrase(value)}"' for value in chosen)


def _phrase(value: str) -> str:
    text = printable(value.replace('"', " "))
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]
