"""Sentences, titles and headings: generated once for each topic and language, then chosen from.

A bank contains sentences whose marks (place, person, year) each page fills in with its own. Making a
bank takes some milliseconds; choosing from it takes none, so that a page of 500 words costs 0.2 ms.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from clew.lab.synthetic import names, randomness
from clew.lab.synthetic.grammar import grammar_of
from clew.lab.synthetic.topics import TOPICS

SENTENCES = 256
TITLES = 128
HEADINGS = 32
_EARLY, _LATE = 1890, 2024


@dataclass(frozen=True, slots=True)
class Bank:
    """The sentences, titles and phrases of one topic in one language."""

    plain: list[str]
    implicit: list[str]
    mentions: list[str]
    titles: list[str]
    neutral_titles: list[str]
    headings: list[str]
    anchor_phrases: list[str]
    nouns: list[str]


@cache
def bank(lang: str, topic: int) -> Bank:
    """Return the bank of a topic; `topic` -1 gives sentences about nothing in particular."""
    grammar = grammar_of(lang)
    name = TOPICS[topic].name if topic >= 0 else ""
    draw = randomness.random_stream(randomness.combine(randomness.hash_text(lang), topic))
    topical = grammar.topical if name else grammar.general
    titles = grammar.titles if name else grammar.neutral_titles

    def generate(patterns: list[str], count: int, *, implicit: bool = False) -> list[str]:
        return [
            grammar.fill(patterns[i % len(patterns)], draw, name, implicit=implicit) for i in range(count)
        ]

    return Bank(
        plain=generate(topical, SENTENCES),
        implicit=generate(topical, SENTENCES, implicit=True) if name else [],
        mentions=generate(grammar.mentions, HEADINGS) if name else [],
        titles=generate(titles, TITLES),
        neutral_titles=generate(grammar.neutral_titles, TITLES),
        headings=generate(grammar.headings, HEADINGS) if name else [],
        anchor_phrases=[
            phrase[0].lower() + phrase[1:] if lang != "de" else phrase
            for phrase in generate(grammar.anchor_phrases, TITLES)
        ]
        if name
        else [],
        nouns=generate(grammar.anchor_phrases[:2], TITLES) if name else [],
    )


@cache
def slugs(lang: str, topic: int) -> list[str]:
    """Return names for folders and files that describe a topic; none in Japanese."""
    if lang == "ja":
        return []
    grammar = grammar_of(lang)
    draw = randomness.random_stream(randomness.combine(randomness.hash_text(lang), topic, 1))
    patterns = [pattern for pattern in grammar.anchor_phrases if "@" not in pattern]
    phrases = (
        grammar.fill(patterns[i % len(patterns)], draw, TOPICS[topic].name) for i in range(2 * HEADINGS)
    )
    return list(dict.fromkeys(names.ascii_slug(phrase) for phrase in phrases))


class PageFacts(NamedTuple):
    """What one page fills its marks with."""

    place: str
    other_place: str
    person: str
    year: int
    earlier_year: int
    number: int

    def fill(self, text: str) -> str:
        """Replace the marks by the facts."""
        filled = (
            text.replace("\x01", self.place)
            .replace("\x02", self.other_place)
            .replace("\x03", self.person)
            .replace("\x04", str(self.year))
            .replace("\x05", str(self.earlier_year))
        )
        if "\x06" not in filled:
            return filled
        first, *rest = filled.split("\x06")
        return first + "".join(
            f"{3 + self.number * (index + 1) % 61}{part}" for index, part in enumerate(rest)
        )


@cache
def _places(lang: str) -> list[str]:
    return [place[0] for place in names.places(lang)]


def facts(lang: str, key: int) -> PageFacts:
    """Return the facts of the page with this key."""
    places = _places(lang)
    family, given = names.family_names(lang), names.given_names(lang)
    last, first = family[(key >> 12) % len(family)], given[(key >> 17) % len(given)]
    year = _EARLY + (key >> 22) % (_LATE - _EARLY)
    return PageFacts(
        place=places[key % len(places)],
        other_place=places[(key >> 6) % len(places)],
        person=last if lang == "ja" else f"{first} {last}",
        year=year,
        earlier_year=year - 5 - (key >> 30) % 80,
        number=1 + (key >> 37) % 60,
    )


def title(lang: str, topic: int, key: int, implicit: bool) -> str:
    """Return the title of the page with this key."""
    titles = bank(lang, topic)
    patterns = titles.neutral_titles if implicit else titles.titles
    pattern = patterns[(key >> 44) % len(patterns)]
    places = _places(lang)
    text = pattern.replace("\x01", places[key % len(places)])
    return facts(lang, key).fill(text) if not text.isprintable() else text
