"""A made-up web: topical, many hosts, any size, the same bytes for the same address, and the truth about it."""

from clew.madeup.server import serving
from clew.madeup.tasks import Question
from clew.madeup.truth import Truth
from clew.madeup.web import Answer, Web

__all__ = ["Answer", "Question", "Truth", "Web", "serving"]
