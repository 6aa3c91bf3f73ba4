"""Proper names from `data/names.toml`: places, people, streets, and words of host names and paths."""

from functools import cache
from typing import Any

from clew.lab.synthetic.resources import load, split_words


@cache
def _list(group: str, key: str) -> list[str]:
    return split_words(load("names")[group][key])


@cache
def places(lang: str) -> list[tuple[str, ...]]:
    """Return the places of a language: name, postal code and, in Japan, address and Latin spelling."""
    return [tuple(place) for place in load("names")[lang]["places"]]


@cache
def town_slugs(lang: str) -> list[str]:
    """Return the places of a language as host names spell them."""
    return [place[3] if lang == "ja" else ascii_slug(place[0]) for place in places(lang)]


def family_names(lang: str) -> list[str]:
    """Return family names of a language."""
    return _list(lang, "family_names")


def given_names(lang: str) -> list[str]:
    """Return given names of a language."""
    return _list(lang, "given_names")


def streets(lang: str) -> list[str]:
    """Return streets of a language."""
    return _list(lang, "streets")


def organisations(lang: str) -> list[str]:
    """Return what follows a topic or a place in a host's name."""
    return _list(lang, "organisations")


def title_endings() -> list[str]:
    """Return what follows a place in the title of a Japanese host."""
    return _list("ja", "title_endings")


def domains(lang: str) -> list[str]:
    """Return the top-level domains of hosts of a language."""
    return _list(lang, "domains")


def front_paths(lang: str) -> list[str]:
    """Return the paths of the about, contact, overview, search and log-in pages."""
    paths: Any = load("names")[lang]["front_paths"]
    return list(paths)


def brands() -> list[str]:
    """Return words of host names that tell nothing about the topic."""
    return _list("hosts", "brands")


def folders() -> list[str]:
    """Return folder names that tell nothing about the topic."""
    return _list("paths", "folders")


def slug_words() -> list[str]:
    """Return 128 words of slugs that tell nothing about the topic."""
    return _list("paths", "slug_words")


def ascii_slug(text: str) -> str:
    """Spell a name with plain letters, as host names and paths do."""
    plain = text.lower().translate(_PLAIN)
    return "".join(c for c in plain if c.isascii() and (c.isalnum() or c == "-"))


_PLAIN = str.maketrans({
    "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "ê": "e", "â": "a", "ô": "o", "î": "i",
    "ç": "c", " ": "-", "_": "-", "'": "", "À": "a",
})  # fmt: skip
