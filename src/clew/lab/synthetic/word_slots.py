"""The slots of sentence patterns, language by language: which word stands for {n}, {an}, {v} and so on.

Words come from `data/words_*.toml`; the slots of a language are explained in `data/sentences_*.toml`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from clew.lab.synthetic.randomness import UNIT, RandomStream
from clew.lab.synthetic.resources import load, split_words

_OBVIOUS_THINGS = 7
_ARTICLES = ("der", "die", "das")

WordTable = list[list[str]]


class WordSlots(dict[str, str]):
    """The words for one sentence, chosen when its pattern needs them.

    Frequent words come first in their lists and are chosen most often (Zipf's law); none is used twice.
    """

    def __init__(self, draw: RandomStream) -> None:
        super().__init__()
        self.draw = draw
        self.used: set[str] = set()

    def choose(self, words: Sequence[str], exponent: float = 1.5) -> str:
        """Choose a word; the larger the exponent, the more often one of the first."""
        at = int(len(words) * (self.draw() * UNIT) ** exponent)
        if words[at] in self.used:
            at = (at + 1) % len(words)
        self.used.add(words[at])
        return words[at]


@cache
def word_table(lang: str, topic: str) -> WordTable:
    """Return the words of a topic, one list for each part of speech; topic "" gives general words."""
    table = load(f"words_{lang}")[topic or "general"]
    return [split_words(words) for part, words in table.items() if part != "name"]


@cache
def _implicit_words(lang: str, topic: str) -> WordTable:
    """Return the words of a topic without the obvious ones."""
    table = word_table(lang, topic)
    if lang == "en":
        return [table[0][_OBVIOUS_THINGS + 2 :], *table[1:4], table[4][1:]]
    if lang == "de":
        return [*(nouns[2:] for nouns in table[:3]), *table[3:]]
    if lang == "ja":
        return [table[0][5:], *table[1:]]
    return [nouns[2:] for nouns in table]


def _words(lang: str, topic: str, *, implicit: bool) -> WordTable:
    return _implicit_words(lang, topic) if implicit else word_table(lang, topic)


class EnglishSlots(WordSlots):
    """The words for one English sentence."""

    def __init__(self, draw: RandomStream, topic: str, implicit: bool) -> None:
        super().__init__(draw)
        self.words = _words("en", topic, implicit=implicit)

    def __missing__(self, slot: str) -> str:
        words = self.words
        if slot[0] == "g":
            words, slot = word_table("en", ""), slot[1:]
        if slot in {"an", "An"}:
            noun = f"{self.choose(words[2])} {self.choose(words[0]).partition('/')[0]}"
            article = "an" if noun[0] in "aeiou" else "a"
            return f"{article if slot == 'an' else article.capitalize()} {noun}"
        if slot in {"c", "C"}:
            noun = self.choose(words[0][:_OBVIOUS_THINGS]).partition("/")[0]
            return noun.title() if slot == "C" else noun
        word = self.choose(words["nmavp".index(slot.lower())])
        return plural(word) if slot.isupper() else word.partition("/")[0]


def plural(noun: str) -> str:
    """Return the plural of an English noun; irregular ones come with theirs.

    >>> plural("berry"), plural("loaf/loaves"), plural("beach")
    ('berries', 'loaves', 'beaches')
    """
    one, slash, many = noun.partition("/")
    if slash:
        return many
    if one.endswith(("s", "x", "ch", "sh")):
        return one + "es"
    if one.endswith("y") and one[-2] not in "aeiou":
        return one[:-1] + "ies"
    return one + "s"


class GermanSlots(WordSlots):
    """The words for one German sentence."""

    def __init__(self, draw: RandomStream, topic: str, implicit: bool) -> None:
        super().__init__(draw)
        self.words = _words("de", topic, implicit=implicit)

    def __missing__(self, slot: str) -> str:
        words, begins = self.words, slot[0] == "D"
        slot = slot.removeprefix("D")
        if slot[0] == "g":
            words, slot = word_table("de", ""), slot[1:]
        if slot == "v":
            return self.choose(words[4])
        gender = (0, 0, 1, 1, 2)[self.draw() % 5]
        noun = self.choose(words[gender])
        if slot == "N":
            return noun
        article = _ARTICLES[gender].capitalize() if begins else _ARTICLES[gender]
        return f"{article} {self.choose(words[3])}e {noun}" if slot == "an" else f"{article} {noun}"


class JapaneseSlots(WordSlots):
    """The words for one Japanese sentence."""

    def __init__(self, draw: RandomStream, topic: str, implicit: bool) -> None:
        super().__init__(draw)
        self.words = _words("ja", topic, implicit=implicit)

    def __missing__(self, slot: str) -> str:
        table = self.words
        if slot[0] == "g":
            table, slot = word_table("ja", ""), slot[1:]
        return self.choose(table["nav".index(slot)])


class FrenchSlots(WordSlots):
    """The words for one French sentence."""

    def __init__(self, draw: RandomStream, topic: str, implicit: bool) -> None:
        super().__init__(draw)
        self.words = _words("fr", topic, implicit=implicit)

    def __missing__(self, slot: str) -> str:
        table = word_table("fr", "") if slot[0] == "g" else self.words
        gender = self.draw() % 2
        noun = self.choose(table[gender])
        if slot.endswith("N"):
            return noun
        return f"l'{noun}" if noun[0] in "aeiouhéêâ" else f"{('le', 'la')[gender]} {noun}"


SLOTS: dict[str, Callable[[RandomStream, str, bool], Mapping[str, str]]] = {
    "en": EnglishSlots, "de": GermanSlots, "ja": JapaneseSlots, "fr": FrenchSlots,
}  # fmt: skip
"""The slots of each language."""
