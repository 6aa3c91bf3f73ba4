"""Clew: a focused web crawler that shows its thread."""

from typing import TYPE_CHECKING, Any

from clew.version import __version__

if TYPE_CHECKING:
    from clew.api import Crawl
    from clew.report import Summary

__all__ = ["Crawl", "Summary", "__version__"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - parse workers import the package without its upper floors
    if name == "Crawl":
        from clew.api import Crawl  # noqa: PLC0415

        return Crawl
    if name == "Summary":
        from clew.report import Summary  # noqa: PLC0415

        return Summary
    msg = f"module 'clew' has no attribute {name!r}"
    raise AttributeError(msg)
