"""Parse: turn a visit into a page, in worker processes that may be killed."""

from clew.parse.pool import ParsePool
from clew.parse.read import read

__all__ = ["ParsePool", "read"]
