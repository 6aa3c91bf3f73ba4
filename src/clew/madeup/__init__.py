"""A made-up web: many hosts, topics, any size, always the same bytes, and the truth about it."""

from clew.madeup.books import BookWeb
from clew.madeup.server import serving
from clew.madeup.tasks import Question
from clew.madeup.truth import Truth
from clew.madeup.web import Answer, Web

__all__ = ["Answer", "BookWeb", "Question", "Truth", "Web", "serving"]
