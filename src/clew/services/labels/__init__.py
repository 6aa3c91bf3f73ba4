"""Labels of pages: which pages to ask about, how answers are read, and how a running crawl applies them."""

from clew.services.labels.answers import (
    LabelAnswer,
    find_pages,
    parse_answer,
    read_answers,
    store_answers,
    stored_answers,
)
from clew.services.labels.learning import learn_pages, revise_page
from clew.services.labels.listener import LabelEffect, LabelListener
from clew.services.labels.questions import LabelQuestion, ask, choose, helpfulness

__all__ = [
    "LabelAnswer",
    "LabelEffect",
    "LabelListener",
    "LabelQuestion",
    "ask",
    "choose",
    "find_pages",
    "helpfulness",
    "learn_pages",
    "parse_answer",
    "read_answers",
    "revise_page",
    "store_answers",
    "stored_answers",
]
