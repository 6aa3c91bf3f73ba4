"""Find who speaks for a goal that has more to say than words: rows of a table, or files."""

import re

from clew.rank.file_witness import FileWitness
from clew.rank.table_witness import TableWitness

_COMBINED = re.compile(r"(?:all|any):")


def witness_of(judge: str) -> TableWitness | FileWitness | None:
    """Return the witness that goes with a judge, None for goals that are topics or places.

    >>> [type(witness_of(judge)).__name__ for judge in ("all:records,auto", "data", "files:pdf", "auto")]
    ['TableWitness', 'FileWitness', 'FileWitness', 'NoneType']
    """
    for name in _COMBINED.sub("", judge.lower(), count=1).split(","):
        called, _, of = name.strip().partition(":")
        if called == "records":
            return TableWitness()
        if called in ("data", "files"):
            return FileWitness(of=(of or "pdf") if called == "files" else "")
    return None
