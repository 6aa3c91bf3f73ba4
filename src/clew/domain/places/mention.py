"""Detect mentions of places in a few words: a prefecture, a state, a city, without a street."""

import re
from functools import cache, lru_cache

from clew.domain.places.america_names import STATES
from clew.domain.places.gazetteer import large_towns, towns
from clew.domain.places.japan_names import atlas
from clew.domain.places.town_names import WORD, TownNames

_LARGE = 20_000
"""Minimum population of a town whose name counts alone; smaller ones are named Home, Welcome or Service."""

_LARGE_ABROAD = 100_000
"""The same if any country is allowed: 5,000 names."""

_SHORTEST = 4
"""Letters of a name in Latin letters: "Of", "Ar" and "Hit" are towns."""

_LONGEST = 300
"""Characters that are read: a longer link text is a paragraph."""

_REGIONS = {
    "de": "Baden-Württemberg, Bayern, Berlin, Brandenburg, Bremen, Hamburg, Hessen, Mecklenburg-Vorpommern, "
    "Niedersachsen, Nordrhein-Westfalen, Rheinland-Pfalz, Saarland, Sachsen, Sachsen-Anhalt, "
    "Schleswig-Holstein, Thüringen",
    "us": ", ".join(STATES.values()),
    "gb": "England, Scotland, Wales, Northern Ireland",
}
_STATION = re.compile(
    r"[\u4e00-\u9fffァ-ヺー々ヶケ]{1,10}駅(?![伝弁員長名])|空港|停留所|バス停"
    r"|\b(?:[A-ZÄÖÜ][\w’'.-]+ )+(?:Station|Airport|Terminal)\b|\b(?:Haupt)?[Bb]ahnhof\b|Haltestelle|Flughafen"
)
_LANDMARK = re.compile(
    r"[\u4e00-\u9fffァ-ヺー々]{2,10}(?:神社|大社|寺院|城跡|城址|タワー|公園|美術館|博物館|動物園|水族館|図書館|市場|港|橋)"
    r"|\b(?:[A-ZÄÖÜ][\w’'.-]+ )+(?:Tower|Castle|Cathedral|Bridge|Museum|Park|Square|Market|Palace)\b"
    r"|\b[A-ZÄÖÜ]\w{3,}(?:turm|schloss|dom|brücke|platz|museum|park|burg|halle)\b"
)
_BARE = re.compile(
    "北海道|青森|岩手|宮城|秋田|山形|福島|茨城|栃木|群馬|埼玉|千葉|東京|神奈川|新潟|富山|石川|福井|山梨|長野|岐阜|静岡|愛知|三重|滋賀"
    "|(?<!東)京都|大阪|兵庫|奈良|和歌山|鳥取|島根|岡山|広島|山口|徳島|香川|愛媛|高知|福岡|佐賀|長崎|熊本|大分|宮崎|鹿児島|沖縄"
)


@lru_cache(maxsize=16_384)
def names_place(text: str, country: str) -> bool:
    """Return whether a text names a place of a country: much less than an address.

    >>> [names_place(text, "jp") for text in ("札幌市の公園", "大阪支店", "会社概要")]
    [True, True, False]
    >>> names_place("Our office in Chicago", "us"), names_place("our offices", "us")
    (True, False)
    """
    text = text[:_LONGEST]
    if country in ("jp", "world") and not text.isascii() and _japanese(text):
        return True
    return country != "jp" and _latin(text, country)


def names_landmark(text: str) -> bool:
    """Return whether a text names a station or a landmark, by the words with which such names end.

    There is no list of them: a shop in the station's name counts, a tower that is not called one does not.

    >>> [names_landmark(text) for text in ("渋谷駅から徒歩5分", "駅伝大会", "上野動物園", "Euston Station")]
    [True, False, True, True]
    """
    text = text[:_LONGEST]
    return bool(_STATION.search(text) or _LANDMARK.search(text))


def _japanese(text: str) -> bool:
    return bool(
        _BARE.search(text) or _cities().search(text) or atlas().automaton.find_matches_as_indexes(text)
    )


@cache
def _cities() -> re.Pattern[str]:
    """Return a pattern for the cities that have wards, without their 市: 札幌, 横浜, 神戸 and the like."""
    names = {one.county.removesuffix("市") for one in atlas().municipalities if one.ward}
    return re.compile("|".join(sorted(name for name in names if len(name) > 1)))


def _latin(text: str, country: str) -> bool:
    if _region(country).search(text):
        return True
    names = _names(country)
    for word in WORD.finditer(text):
        end, found = names.behind(text, word.start())
        if found and end - word.start() >= _SHORTEST:
            return True
    return False


@cache
def _names(country: str) -> TownNames:
    """Return the large towns of a country, or of all."""
    if country == "world":
        return TownNames.of(town for town in large_towns() if town.people >= _LARGE_ABROAD)
    large = (town for town in towns(country) if town.people >= _LARGE)
    return TownNames.of(large, others_from=_LARGE_ABROAD)


@cache
def _region(country: str) -> re.Pattern[str]:
    """Return a pattern for the regions of a country, or of all."""
    lists = _REGIONS.values() if country == "world" else (_REGIONS[country],)
    names = (re.escape(name) for some in lists for name in some.split(", "))
    return re.compile(rf"\b(?:{'|'.join(names)})\b")
