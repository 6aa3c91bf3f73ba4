"""Data files: links to them, their kind and content by their first bytes, and a classifier of statistics."""

from clew.domain.datafiles.file_words import DATA, OTHER, STRICT
from clew.domain.datafiles.inspection import FileInspection, is_part, look, looked_at, size_of
from clew.domain.datafiles.kinds import NOTHING, KindSign, kind_of, named_in

__all__ = [
    "DATA", "NOTHING", "OTHER", "STRICT", "FileInspection", "KindSign", "is_part", "kind_of", "look",
    "looked_at", "named_in", "size_of",
]  # fmt: skip
