"""A person's word on pages: whom to ask, what was meant, and what it changes in a crawl that runs."""

from clew.feedback.answers import Answer, keep_answers, kept_answers, meant, read_answers, said
from clew.feedback.hearing import Heard, Hearing
from clew.feedback.questions import Question, ask, helpfulness

__all__ = [
    "Answer",
    "Heard",
    "Hearing",
    "Question",
    "ask",
    "helpfulness",
    "keep_answers",
    "kept_answers",
    "meant",
    "read_answers",
    "said",
]
