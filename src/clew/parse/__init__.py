"""Parse: turn a response into a page, in worker processes that may be killed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.parse.page_reader import read
    from clew.parse.pool import ParsePool

__all__ = ["ParsePool", "read"]

_MODULES = {"ParsePool": "clew.parse.pool", "read": "clew.parse.page_reader"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - workers need no pool, and a crawl reads no page itself
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    msg = f"module 'clew.parse' has no attribute {name!r}"
    raise AttributeError(msg)
