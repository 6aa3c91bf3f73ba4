"""Find German addresses: street and number, postal code and town; Postfach too."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from clew.domain.places.gazetteer import Town, towns
from clew.domain.places.place import LOOKS, MOST, Place
from clew.domain.places.town_names import WORD, TownNames, folded_name

_REGIONS = """
01 Dresden 02 Görlitz 03 Cottbus 04 Leipzig 06 Halle 07 Gera 08 Zwickau 09 Chemnitz 10 Berlin 12 Berlin
13 Berlin 14 Potsdam 15 Fürstenwalde 16 Eberswalde 17 Neubrandenburg 18 Rostock 19 Schwerin 20 Hamburg
21 Lüneburg 22 Hamburg 23 Lübeck 24 Kiel 25 Itzehoe 26 Oldenburg 27 Bremerhaven 28 Bremen 29 Celle
30 Hannover 31 Hildesheim 32 Herford 33 Bielefeld 34 Kassel 35 Gießen 36 Fulda 37 Göttingen
38 Braunschweig 39 Magdeburg 40 Düsseldorf 41 Mönchengladbach 42 Wuppertal 44 Dortmund 45 Essen 46 Bocholt
47 Duisburg 48 Münster 49 Osnabrück 50 Köln 51 Köln 52 Aachen 53 Bonn 54 Trier 55 Mainz 56 Koblenz
57 Siegen 58 Hagen 59 Hamm 60 Frankfurt 61 Friedberg 63 Offenbach 64 Darmstadt 65 Wiesbaden 66 Saarbrücken
67 Ludwigshafen 68 Mannheim 69 Heidelberg 70 Stuttgart 71 Böblingen 72 Tübingen 73 Göppingen 74 Heilbronn
75 Pforzheim 76 Karlsruhe 77 Offenburg 78 Villingen-Schwenningen 79 Freiburg 80 München 81 München
82 Starnberg 83 Rosenheim 84 Landshut 85 Ingolstadt 86 Augsburg 87 Kempten 88 Ravensburg 89 Ulm
90 Nürnberg 91 Ansbach 92 Amberg 93 Regensburg 94 Passau 95 Bayreuth 96 Bamberg 97 Würzburg 98 Suhl
99 Erfurt
"""
"""The centre of each region of postal codes, by the first two digits."""

_FAR = 110.0
"""Kilometres from that centre within which a town can have such a code; the widest region, 17, needs 105."""

_CODE = re.compile(r"([0-9]{5})[ \t\n\u00a0]{1,2}(?=[A-ZÄÖÜ])")
_LETTER = re.compile(r"(?<!\w)(?:DE|D)[ ]?[-–][ ]?$")
_PART_OF_MORE = re.compile(r"[\w.,/+–-]")
_PAUSE = r"[ \u00a0]?[\s,;|·•/–-]{1,4}"
_LINE = re.compile(
    r"((?:Stra(?:ß|ss)e des \d{1,2}\. )?[A-ZÄÖÜ][^\d\n,;:|()]{1,45}?)[ \u00a0]{1,2}"
    rf"(\d{{1,4}}[ ]?[a-zA-Z]?(?:[ ]?[-–/+][ ]?\d{{1,4}}[ ]?[a-zA-Z]?)?){_PAUSE}$"
)
_LIKE_A_STREET = re.compile(
    r"(?:stra(?:ß|ss)e|str\.?|weg|allee|platz|gasse|ring|ufer|damm|chaussee|markt|steig|wall|graben|hof)$",
    re.IGNORECASE,
)
_BOX = re.compile(rf"(?:Postfach|PF)[ \u00a0]?(\d[\d ]{{1,10}}){_PAUSE}$", re.IGNORECASE)


@cache
def _names() -> TownNames:
    return TownNames.of(towns("de"))


@cache
def _middles() -> dict[str, Town]:
    words, known = _REGIONS.split(), _names().known
    return {
        code: known[folded_name(name)][0] for code, name in zip(words[::2], words[1::2], strict=True)
    }  # fmt: skip


def find(text: str) -> Iterator[Place]:
    """Yield the German addresses of a text, in their order."""
    done = count = 0
    for code in islice(_CODE.finditer(text), LOOKS):
        if place := _read(text, code, done):
            yield place
            done, count = place.end, count + 1
            if count >= MOST:
                return


def _read(text: str, code: re.Match[str], low: int) -> Place | None:
    """Read town and street around a code; a round number is more likely an amount."""
    start = code.start()
    letter = _LETTER.search(text, max(0, start - 5), start)
    if letter:
        start = letter.start()
    elif start and _PART_OF_MORE.match(text, start - 1):
        return None
    middle = None if code[1].endswith("000") else _middles().get(code[1][:2])
    if middle is None:
        return None
    stop, meant = _names().behind(text, code.end())
    near = [town for town in meant if town.distance(middle.latitude, middle.longitude) <= _FAR]
    start, street, number = _street(text, start, low)
    if near:
        confidence = 0.98 if street else 0.85 if letter else 0.8
    elif not meant and _LIKE_A_STREET.search(street):
        word = WORD.match(text, code.end())
        stop, confidence = (word.end() if word else code.end()), 0.75
    else:
        return None
    city, line = text[code.end() : stop], f"{street} {number}".strip()
    return Place(
        start=start, end=stop, text=text[start:stop], country="de",
        normal=f"{line}, {code[1]} {city}" if line else f"{code[1]} {city}",
        city=city, street=street, number=number, postal=code[1],
        latitude=near[0].latitude if near else None, longitude=near[0].longitude if near else None,
        confidence=confidence,
    )  # fmt: skip


def _street(text: str, at: int, low: int) -> tuple[int, str, str]:
    """Read the line before a postal code: street and number, or a Postfach."""
    low = max(low, at - 72)
    head = text[low:at]
    if box := _BOX.search(head):
        return low + box.start(), "Postfach", box[1].strip()
    if line := _LINE.search(head):
        return low + line.start(1), " ".join(line[1].split()), line[2].replace(" ", "")
    return at, "", ""
