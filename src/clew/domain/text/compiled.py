"""The compiled word table where it was built, else the one in plain Python; both do the same."""

from typing import TYPE_CHECKING

from clew.domain.compiled import compiled
from clew.domain.text import word_table

if TYPE_CHECKING:
    from clew.domain.text.word_table import LinkScanner, WordTable, tally
else:
    LinkScanner = compiled("clew.domain.text._link_words", "LinkScanner") or word_table.LinkScanner
    WordTable, tally = (
        compiled("clew.domain.text._words", name) or getattr(word_table, name)
        for name in ("WordTable", "tally")
    )

IS_COMPILED = WordTable is not word_table.WordTable
"""Whether the compiled modules are in use."""

__all__ = ["IS_COMPILED", "LinkScanner", "WordTable", "tally"]
