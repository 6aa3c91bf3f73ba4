"""Find addresses of any country: a town with a postal code beside it, or with a street near it."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

from clew.domain.places.extras import library
from clew.domain.places.gazetteer import Town, large_towns
from clew.domain.places.place import LOOKS, MOST, Place

_KNOWN_ABROAD = 100_000
"""Minimum population of a town whose names in other languages are included: Rome, Roma, Rom."""

_SCRIPTS = {
    country: (low, high)
    for countries, low, high in (
        ("RU UA BG BY KZ KG RS MK MN TJ", "\u0400", "\u04ff"),
        ("CN TW HK MO", "\u4e00", "\u9fff"),
        ("KR KP", "\uac00", "\ud7af"),
        ("GR CY", "\u0370", "\u03ff"),
        ("SA EG IQ IR SY JO LB AE MA DZ TN PK", "\u0600", "\u06ff"),
        ("IL", "\u0590", "\u05ff"),
        ("TH", "\u0e00", "\u0e7f"),
        ("IN NP", "\u0900", "\u097f"),
        ("AM", "\u0530", "\u058f"),
        ("GE", "\u10a0", "\u10ff"),
    )
    for country in countries.split()
}
"""The script in which a country writes its addresses, where it is not the Latin one."""

_NUMBER = re.compile(r"\d")
_PAUSE = re.compile(r"[,\n]")
_BEFORE = re.compile(
    r"(?<![\w.,/+-])((?:[A-Z]{1,3}\s?[-–]\s?)?"
    r"(?:\d{4}\s?[A-Z]{2}|\d{2}[- ]\d{3}|\d{3}\s\d{2}|\d{4,6}))[ \t\n\u00a0]{1,3}$"
)
_BEHIND = re.compile(
    r"[ \u00a0]?[,–-]?[ \t\n\u00a0]{1,3}(?:[A-Z]{2}[ ,]{1,2})?"
    r"([A-Z]\d[A-Z][ -]?\d[A-Z]\d|\d{5}-\d{3}|\d{4}-\d{3}|\d{3}\s?\d{3}|\d{4,6})"
    r"(?![\w%]|[.,-]\d|[ \u00a0]{1,2}[A-Z])"
)
_KINDS = (
    r"(?:rue|avenue|boulevard|quai|chemin|via|viale|piazza|corso|calle|avenida|paseo|plaza|carrer|rua|praça"
    r"|largo|travessa|street|road|lane|drive|square|str\.|straat|laan|gracht|plein|weg|straße|strasse|platz"
    r"|gatan|gata|vägen|gade|vej|katu|tie|ulica|ul\.|aleja|al\.|náměstí|ulice|utca|út|strada|bulevardul|улица"
    r"|ул\.|проспект|пр\.|вулиця|бул\.|caddesi|cad\.|sokak|sk\.|jalan|jl\.|marg|nagar)"
)
_HOUSE = r"\d{1,5}[a-z]?(?:\s?bis)?"
_WORD = r"[^\W\d_][\w.'’-]{0,24}"
_STREET = re.compile(
    rf"\b(?:(?:{_HOUSE},?[ ])?{_KINDS}[ ](?:{_WORD}[ ,]{{1,2}}){{0,5}}?(?:n[.°º]\s?)?{_HOUSE}\b"
    rf"|{_HOUSE},?[ ]{_KINDS}[ ](?:{_WORD}[ ]?){{1,5}}?(?=,|\n)"
    rf"|{_WORD}{_KINDS}[ ]{_HOUSE}\b"
    rf"|{_HOUSE}[ ](?:{_WORD}[ ]){{1,3}}?{_KINDS}\b)",
    re.IGNORECASE,
)
_NEAR = 80
"""Characters before a town in which a street belongs to it."""
_GAP = 30
"""Characters between the two: a floor, a district."""


@cache
def _names() -> tuple[Any, list[Town]]:
    """Build the automaton over the names of large towns: once, 1 s and 90 MB."""
    known: dict[str, Town] = {}
    for town in large_towns():
        for name in _written(town):
            other = known.get(name)
            if other is None or other.people < town.people:
                known[name] = town
    ahocorasick = library("ahocorasick_rs")
    automaton = ahocorasick.AhoCorasick(
        list(known),
        matchkind=ahocorasick.MatchKind.LeftmostLongest,
        implementation=ahocorasick.Implementation.ContiguousNFA,
    )
    return automaton, list(known.values())


def _written(town: Town) -> set[str]:
    """Return the names of a town as used in addresses: in its country's script, or in Latin letters."""
    low, high = _SCRIPTS.get(town.country, ("", ""))
    names = {name for name in town.others if name and low <= name[0] <= high} if low else set()
    if town.people >= _KNOWN_ABROAD:
        names |= {name for name in town.others if "A" <= name[:1] < "\u0250" and name[0].isupper()}
    names = {name for name in names if len(name) > 1 and not (name.isascii() and name.isupper())}
    return names | {town.name}


def find(text: str) -> Iterator[Place]:
    """Yield towns with a postal code beside them, or a street near them."""
    if not _NUMBER.search(text):
        return
    automaton, towns = _names()
    done = count = 0
    for pattern, start, end in islice(automaton.find_matches_as_indexes(text), LOOKS):
        if start < done or _inside_word(text, start, end):
            continue
        if place := _read(text, done, (start, end), towns[pattern]):
            yield place
            done, count = place.end, count + 1
            if count >= MOST:
                return


def _inside_word(text: str, start: int, end: int) -> bool:
    if text[start] > "\u2e80":  # scripts without spaces between words
        return False
    return (start > 0 and text[start - 1].isalnum()) or (end < len(text) and text[end].isalnum())


def _read(text: str, done: int, where: tuple[int, int], town: Town) -> Place | None:
    """Search a code beside a town and a street before it; a number alone is not enough."""
    start, end = where
    low = max(done, start - _NEAR)
    before = _BEFORE.search(text, max(low, start - 16), start)
    begin = before.start(1) if before else start
    street = _street(text, low, begin)
    behind = None if before else _BEHIND.match(text, end, end + 24)
    code = before[1] if before else behind[1] if behind else ""
    if street is None and (not code or code.isdigit()):
        return None
    if street:
        begin = street.start()
    stop = behind.end() if behind else end
    line = " ".join(street[0].split()) if street else ""
    return Place(
        start=begin, end=stop, text=text[begin:stop], country=town.country.lower(),
        normal=", ".join(part for part in (line, f"{code} {text[start:end]}".strip()) if part),
        city=text[start:end], street=line, postal=code,
        latitude=town.latitude, longitude=town.longitude,
        confidence=0.95 if street and code else 0.7 if street else 0.6,
    )  # fmt: skip


def _street(text: str, low: int, at: int) -> re.Match[str] | None:
    """Return the last street before a position, with a comma or a new line between."""
    if not _NUMBER.search(text, low, at):
        return None
    streets = list(_STREET.finditer(text, low, at))
    if not streets or at - streets[-1].end() > _GAP:
        return None
    return streets[-1] if _PAUSE.search(text, streets[-1].end(), at) else None
