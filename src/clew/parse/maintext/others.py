"""Main text by another program, for those who chose it in `parse.text`."""

from importlib import import_module
from typing import Any

from clew.parse.safe_text import without_controls


def by_trafilatura(markup: bytes | str, url: str) -> str:
    """Return the main text as trafilatura extracts it, without comments; empty if it finds none."""
    trafilatura: Any = import_module("trafilatura")
    found = trafilatura.extract(markup, url=url or None, include_comments=False)
    return without_controls(found).strip() if found else ""
