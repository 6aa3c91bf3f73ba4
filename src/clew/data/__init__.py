"""Data files: which links lead to them, what is in their first bytes, and whether that is statistics."""

from clew.data.kinds import NOTHING, Sign, kind_of, named_in
from clew.data.looking import Look, is_part, look, looked_at, size_of
from clew.data.words import DATA, OTHER, STRICT

__all__ = [
    "DATA", "NOTHING", "OTHER", "STRICT", "Look", "Sign", "is_part", "kind_of", "look", "looked_at",
    "named_in", "size_of",
]  # fmt: skip
