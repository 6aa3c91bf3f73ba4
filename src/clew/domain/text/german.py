"""German nouns: by the lexicon, by the last part of a compound, and by capitals and endings."""

import re

import Stemmer

from clew.domain.text.lexicon import Lexicon, lexicon
from clew.domain.text.stopword_lists import other_words, stop_words
from clew.domain.text.tokenizing import folded

_INFLECTIONS = ("s", "n", "es", "en", "e")
_STEMMER = Stemmer.Stemmer("german", 0)
_MIN_HEAD = 4
"""Minimum letters of the last part of a compound: shorter ones are endings."""

_ENDING = re.compile(
    r"\w+?(ung|heit|keit|schaft|ion|tät|ik|ment|nis|tum|ismus|ling|eur|anz|enz|age|ei|ie|er|or|ist)"
)
_PLURALS = (
    ("ungen", "ung"), ("heiten", "heit"), ("keiten", "keit"), ("schaften", "schaft"), ("ionen", "ion"),
    ("täten", "tät"), ("innen", "in"), ("nisse", "nis"), ("nissen", "nis"), ("ismen", "ismus"),
    ("ungs", "ung"), ("toren", "tor"), ("enzen", "enz"), ("anzen", "anz"),
)  # fmt: skip
_OTHER = re.compile(
    r"\w+(?:ig|lich|isch|bar|sam|haft|los|voll|weise|wärts|iger|ige|igen|iges|igem|liche|lichen|licher|liches"
    r"|lichem|ische|ischen|ischer|isches|ischem|bare|baren|barer|bares|same|samen|samer|hafte|haften|lose|losen"
    r"|volle|vollen|ende|enden|ender|endes|ierte|ierten|ierter|iertes|iert|ieren|test|tes|tem)"
)
_VERB = re.compile(
    r"(?:ge|be|ver|er|zer|ent|auf|aus|ab|an|ein|um|zu|vor|nach|mit|weg|hin|her)\w{2,}(?:en|t|te|ten)"
)


def german_noun(word: str, inside: bool) -> str:
    """Return the normal form of a noun, else nothing; `inside` means that it does not start a sentence.

    Without a lexicon the normal form is a stem, because the plural of a German noun is irregular.

    >>> german_noun("Windkraftanlagen", inside=True)[:14], german_noun("genehmigt", inside=True)
    ('windkraftanlag', '')
    """
    small = folded(word)
    if small in stop_words("de"):
        return ""
    known = lexicon("de")
    if known is not None and word in known:
        return folded(known.noun(word, cased=inside))
    if not word[0].isupper():
        return ""
    if known is not None and (noun := _inflected(word.lower(), known) or _compound(word.lower(), known)):
        return folded(noun)
    if not inside and not _may_begin(small):
        return ""
    return singular(small) if known is not None else str(_STEMMER.stemWord(small))


def _inflected(word: str, known: Lexicon) -> str:
    """Return the noun of which a word is the genitive or the plural, if it is known."""
    for ending in _INFLECTIONS:
        if word.endswith(ending):
            bare = word[: -len(ending)]
            if (
                len(bare) >= _MIN_HEAD
                and bare in known
                and (noun := known.noun(bare.capitalize(), cased=True))
            ):
                return noun
    return ""


def _compound(word: str, known: Lexicon) -> str:
    """Return the normal form of a compound by its longest last part that is known as a noun."""
    for at in range(3, len(word) - _MIN_HEAD + 1):
        if at == _MIN_HEAD - 1 and word[:at] not in known:  # "zif" begins no compound, but "tor" does
            continue
        head = word[at:]
        noun = known.noun(head.capitalize(), cased=True) if head in known else _inflected(head, known)
        if noun:
            return word[:at] + noun
    return ""


def _may_begin(word: str) -> bool:
    """Return whether a capitalized word at the start of a sentence looks like a noun."""
    if word in other_words("de"):
        return False
    return bool(_ENDING.fullmatch(word)) or not (_OTHER.fullmatch(word) or _VERB.fullmatch(word))


def singular(word: str) -> str:
    """Return the singular of a German noun where its ending leaves no doubt.

    >>> singular("genehmigungen"), singular("lehrerinnen"), singular("anlagen")
    ('genehmigung', 'lehrerin', 'anlagen')
    """
    for plural, single in _PLURALS:
        if word.endswith(plural) and len(word) > len(plural) + 2:
            return word[: -len(plural)] + single
    return word
