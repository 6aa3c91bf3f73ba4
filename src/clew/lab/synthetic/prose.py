"""Sentences, titles and headings, made once for each topic and language, picked from ever after.

A bank holds sentences whose marks (place, person, year) each page fills in with its own. Making a
bank takes some milliseconds; picking from it takes none, which is how a page of 500 words costs 0.2 ms.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from clew.lab.synthetic import grammar_de, grammar_en, grammar_fr, grammar_ja, names, randomness
from clew.lab.synthetic.grammar import Grammar
from clew.lab.synthetic.topics import TOPICS

GRAMMARS: dict[str, Grammar] = {
    "en": grammar_en.GRAMMAR,
    "de": grammar_de.GRAMMAR,
    "ja": grammar_ja.GRAMMAR,
    "fr": grammar_fr.GRAMMAR,
}
SENTENCES = 256
TITLES = 128
HEADS = 32
_EARLY, _LATE = 1890, 2024


@dataclass(frozen=True, slots=True)
class Bank:
    """What can be said about one topic in one language."""

    plain: list[str]
    dim: list[str]
    mention: list[str]
    titles: list[str]
    dim_titles: list[str]
    heads: list[str]
    phrases: list[str]
    nouns: list[str]


@cache
def bank(lang: str, topic: int) -> Bank:
    """Return the bank of a topic; `topic` -1 gives sentences about nothing in particular."""
    grammar = GRAMMARS[lang]
    name = TOPICS[topic].name if topic >= 0 else ""
    throw = randomness.throws(randomness.key(randomness.name(lang), topic))
    topical = grammar.topical if name else grammar.general
    titles = grammar.titles if name else grammar.dim_titles

    def many(patterns: list[str], count: int, *, dim: bool = False) -> list[str]:
        return [grammar.fill(patterns[i % len(patterns)], throw, name, dim=dim) for i in range(count)]

    return Bank(
        plain=many(topical, SENTENCES),
        dim=many(topical, SENTENCES, dim=True) if name else [],
        mention=many(grammar.mention, HEADS) if name else [],
        titles=many(titles, TITLES),
        dim_titles=many(grammar.dim_titles, TITLES),
        heads=many(grammar.heads, HEADS) if name else [],
        phrases=[
            said[0].lower() + said[1:] if lang != "de" else said for said in many(grammar.phrases, TITLES)
        ]
        if name
        else [],
        nouns=many(grammar.phrases[:2], TITLES) if name else [],
    )


@cache
def slugs(lang: str, topic: int) -> list[str]:
    """Return names for folders and files that tell a topic; none in Japanese."""
    if lang == "ja":
        return []
    grammar = GRAMMARS[lang]
    throw = randomness.throws(randomness.key(randomness.name(lang), topic, 1))
    patterns = [pattern for pattern in grammar.phrases if "@" not in pattern]
    said = (grammar.fill(patterns[i % len(patterns)], throw, TOPICS[topic].name) for i in range(2 * HEADS))
    return list(dict.fromkeys(names.ascii_slug(phrase) for phrase in said))


class PageFacts(NamedTuple):
    """What one page fills its marks with."""

    place: str
    elsewhere: str
    person: str
    year: int
    before: int
    number: int

    def fill(self, text: str) -> str:
        """Put the facts in the place of their marks."""
        filled = (
            text.replace("\x01", self.place)
            .replace("\x02", self.elsewhere)
            .replace("\x03", self.person)
            .replace("\x04", str(self.year))
            .replace("\x05", str(self.before))
        )
        if "\x06" not in filled:
            return filled
        first, *rest = filled.split("\x06")
        return first + "".join(f"{3 + self.number * (turn + 1) % 61}{part}" for turn, part in enumerate(rest))


@cache
def _people(lang: str) -> tuple[list[str], list[str]]:
    return names.FAMILY[lang].split(), names.GIVEN[lang].split()


@cache
def _places(lang: str) -> list[str]:
    return [place[0] for place in names.places(lang)]


def facts(lang: str, key: int) -> PageFacts:
    """Return the facts of the page with this key."""
    places = _places(lang)
    family, given = _people(lang)
    last, first = family[(key >> 12) % len(family)], given[(key >> 17) % len(given)]
    year = _EARLY + (key >> 22) % (_LATE - _EARLY)
    return PageFacts(
        place=places[key % len(places)],
        elsewhere=places[(key >> 6) % len(places)],
        person=last if lang == "ja" else f"{first} {last}",
        year=year,
        before=year - 5 - (key >> 30) % 80,
        number=1 + (key >> 37) % 60,
    )


def title(lang: str, topic: int, key: int, dim: bool) -> str:
    """Return the title of the page with this key."""
    found = bank(lang, topic)
    patterns = found.dim_titles if dim else found.titles
    pattern = patterns[(key >> 44) % len(patterns)]
    places = _places(lang)
    made = pattern.replace("\x01", places[key % len(places)])
    return facts(lang, key).fill(made) if not made.isprintable() else made
