"""Nouns: what a text speaks of, in normal form, with the extras that know better or without them."""

from clew.text.detection import language
from clew.text.stems import terms


def nouns(text: str, lang: str = "") -> list[str]:
    """Return the nouns of a text in normal form, in order and as often as they occur."""
    return terms(text, lang or language(text))
