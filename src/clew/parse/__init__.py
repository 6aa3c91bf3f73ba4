"""Parse: turn a response into a page, in worker processes that may be killed."""

from typing import TYPE_CHECKING, Any

from clew.parse.page_reader import read

if TYPE_CHECKING:
    from clew.parse.pool import ParsePool

__all__ = ["ParsePool", "read"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the workers need neither the pool nor its event loop
    if name == "ParsePool":
        from clew.parse.pool import ParsePool  # noqa: PLC0415

        return ParsePool
    msg = f"module 'clew.parse' has no attribute {name!r}"
    raise AttributeError(msg)
