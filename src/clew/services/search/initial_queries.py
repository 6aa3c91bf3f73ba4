"""What is asked before anything else: the topic, to begin with or to learn from, and other subjects."""

from dataclasses import dataclass

from clew.config.tables import SeekTable
from clew.domain.text import language
from clew.services.search.control_topics import unrelated_topics
from clew.services.search.judge_training import OTHERS, TIMES

LEARNING = "to learn the words of the topic"
BEGINNING = "where to begin"

AT_MOST = 0.25
"""Share of the page budget that may go into pages read to learn from."""


@dataclass(frozen=True, slots=True)
class InitialQuery:
    """A question to be asked: its words, its language, how many results are wanted, and what for."""

    text: str
    lang: str
    count: int
    why: str


def initial_queries(
    topic: str, seek: SeekTable, pages: int, *, learns: bool, trains: bool
) -> list[InitialQuery]:
    """Return the first questions of a crawl with that budget.

    `learns` asks for pages to learn words from, `trains` for pages of other subjects too. All that is read
    to learn from stays within a quarter of the budget, but for the seeds themselves.
    """
    room = int(AT_MOST * pages) if pages else seek.learn * (1 + TIMES)
    most = max(seek.results, room // (1 + TIMES) if trains else room)
    count, why = (min(seek.learn, most), LEARNING) if learns or trains else (seek.results, BEGINNING)
    tongues = seek.languages or [""]
    found = [InitialQuery(topic, lang, count, why) for lang in tongues]
    if trains:
        subjects = seek.others or unrelated_topics(topic, tongues[0] or language(topic))
        each = max(1, min(TIMES * count, room - count) // len(subjects))
        found += [InitialQuery(text, tongues[0], each, OTHERS) for text in subjects]
    return found
