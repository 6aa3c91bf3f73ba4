"""Clew: a focused web crawler that explains every link it follows."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clew.domain.installation import __version__

if TYPE_CHECKING:
    from clew import contracts, errors, testing, types
    from clew.api import Crawl
    from clew.insight.summary import Summary
    from clew.parse.maintext import extract_text

__all__ = ["Crawl", "Summary", "__version__", "contracts", "errors", "extract_text", "testing", "types"]

_PUBLIC = {"Crawl": "clew.api", "Summary": "clew.insight.summary", "extract_text": "clew.parse.maintext"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - loaded on first use: parse workers need none of it
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    if name in __all__:
        return import_module(f"clew.{name}")
    msg = f"module 'clew' has no attribute {name!r}"
    raise AttributeError(msg)
