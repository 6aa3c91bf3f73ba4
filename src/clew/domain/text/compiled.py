"""The compiled word table where it was built, else the one in plain Python; both do the same.

`CLEW_PURE_PYTHON=1` chooses plain Python: to compare the two, and to find out which of them is at fault.
"""

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from clew.domain.text import word_table

if TYPE_CHECKING:
    from clew.domain.text.word_table import LinkScanner, WordTable
else:
    chosen = word_table
    if not os.environ.get("CLEW_PURE_PYTHON"):
        with suppress(ImportError):
            from clew.domain.text import _words as chosen
    LinkScanner, WordTable = chosen.LinkScanner, chosen.WordTable

IS_COMPILED = WordTable is not word_table.WordTable
"""Whether the compiled modules are in use."""

__all__ = ["IS_COMPILED", "LinkScanner", "WordTable"]
