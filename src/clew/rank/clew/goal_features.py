"""Find who speaks for a goal that has more to say than words: rows of a table, or files."""

import re

from clew.rank.clew.file_features import FileFeatures
from clew.rank.clew.table_features import TableFeatures

_COMBINED = re.compile(r"(?:all|any):")


def witness_of(judge: str) -> TableFeatures | FileFeatures | None:
    """Return the witness that goes with a judge, None for goals that are topics or places.

    >>> [type(witness_of(judge)).__name__ for judge in ("all:records,auto", "data", "files:pdf", "auto")]
    ['TableWitness', 'FileWitness', 'FileWitness', 'NoneType']
    """
    for name in _COMBINED.sub("", judge.lower(), count=1).split(","):
        called, _, of = name.strip().partition(":")
        if called == "records":
            return TableFeatures()
        if called in ("data", "files"):
            return FileFeatures(of=(of or "pdf") if called == "files" else "")
    return None
