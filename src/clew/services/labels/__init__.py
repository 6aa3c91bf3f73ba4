"""A person's word on pages: whom to ask, what was meant, and what it changes in a crawl that runs."""

from clew.services.labels.answers import LabelAnswer, keep_answers, kept_answers, meant, read_answers, said
from clew.services.labels.listener import LabelEffect, LabelListener
from clew.services.labels.questions import LabelQuestion, ask, helpfulness

__all__ = [
    "LabelAnswer",
    "LabelEffect",
    "LabelListener",
    "LabelQuestion",
    "ask",
    "helpfulness",
    "keep_answers",
    "kept_answers",
    "meant",
    "read_answers",
    "said",
]
