"""Sentence patterns of a language, and the words of menus; the texts are in `data/sentences_*.toml`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from clew.lab.synthetic.randomness import RandomStream
from clew.lab.synthetic.resources import load
from clew.lab.synthetic.word_slots import SLOTS

MARKS = str.maketrans("@~^#%&", "\x01\x02\x03\x04\x05\x06")
"""What each page fills in: its place, another place, a person, a year, an earlier year, a number."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The patterns of one language. `slots(draw, topic, implicit)` gives the words for one sentence.

    With `implicit` the obvious words are left out: for pages that are on a topic and hardly name it.
    """

    topical: list[str]
    general: list[str]
    mentions: list[str]
    titles: list[str]
    neutral_titles: list[str]
    headings: list[str]
    anchor_phrases: list[str]
    generic_anchors: list[str]
    link_sentences: list[str]
    menu: Mapping[str, list[str]]
    sentence_separator: str
    slots: Callable[[RandomStream, str, bool], Mapping[str, str]]

    def fill(self, pattern: str, draw: RandomStream, topic: str = "", *, implicit: bool = False) -> str:
        """Return one sentence; its marks are still to be filled in."""
        text = pattern.translate(MARKS).format_map(self.slots(draw, topic, implicit))
        return text[0].upper() + text[1:]


@cache
def grammar_of(lang: str) -> Grammar:
    """Return the grammar of a language."""
    return Grammar(**load(f"sentences_{lang}"), slots=SLOTS[lang])
