"""Find addresses of the United Kingdom: a postcode by its grammar, its post town, and a street."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from clew.domain.places.gazetteer import Town, towns
from clew.domain.places.place import LOOKS, MOST, Place
from clew.domain.places.town_names import TownNames, folded_name

_AREAS = """
AB Aberdeen, AL St Albans, B Birmingham, BA Bath, BB Blackburn, BD Bradford, BH Bournemouth, BL Bolton, BN
Brighton, BR Bromley, BS Bristol, BT Belfast, CA Carlisle, CB Cambridge, CF Cardiff, CH Chester, CM
Chelmsford, CO Colchester, CR Croydon, CT Canterbury, CV Coventry, CW Crewe, DA Dartford, DD Dundee, DE
Derby, DG Dumfries, DH Durham, DL Darlington, DN Doncaster, DT Dorchester, DY Dudley, E London, EC London,
EH Edinburgh, EN Enfield, EX Exeter, FK Falkirk, FY Blackpool, G Glasgow, GL Gloucester, GU Guildford, HA
Harrow, HD Huddersfield, HG Harrogate, HP Hemel Hempstead, HR Hereford, HS Stornoway, HU Hull, HX Halifax,
IG Ilford, IP Ipswich, IV Inverness, KA Kilmarnock, KT Kingston upon Thames, KW Kirkwall, KY Kirkcaldy, L
Liverpool, LA Lancaster, LD Llandrindod Wells, LE Leicester, LL Llandudno, LN Lincoln, LS Leeds, LU Luton,
M Manchester, ME Rochester, MK Milton Keynes, ML Motherwell, N London, NE Newcastle upon Tyne, NG
Nottingham, NN Northampton, NP Newport, NR Norwich, NW London, OL Oldham, OX Oxford, PA Paisley, PE
Peterborough, PH Perth, PL Plymouth, PO Portsmouth, PR Preston, RG Reading, RH Redhill, RM Romford, S
Sheffield, SA Swansea, SE London, SG Stevenage, SK Stockport, SL Slough, SM Sutton, SN Swindon, SO
Southampton, SP Salisbury, SR Sunderland, SS Southend-on-Sea, ST Stoke-on-Trent, SW London, SY Shrewsbury,
TA Taunton, TD Galashiels, TF Telford, TN Tonbridge, TQ Torquay, TR Truro, TS Middlesbrough, TW
Twickenham, UB Southall, W London, WA Warrington, WC London, WD Watford, WF Wakefield, WN Wigan, WR
Worcester, WS Walsall, WV Wolverhampton, YO York, ZE Lerwick
"""
"""The post town that each area of postcodes is named after."""

_FAR = 110.0
"""Kilometres from there within which a town can have such a postcode; HS, IV, KW, PA and PH are wider."""
_WIDE = frozenset({"HS", "IV", "KW", "PA", "PH", "ZE"})

_INWARD = re.compile(r"[0-9][ABD-HJLNP-UW-Z]{2}(?![\w-])")
_OUTWARD = re.compile(r"(?<![\w-])([A-Z]{1,2})([0-9][A-Z0-9]?)([ \u00a0]{0,2})$")
_KINDS = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Close|Drive|Dr|Way|Square|Sq|Place|Pl|Crescent|Gardens|Gdns"
    r"|Terrace|Court|Grove|Hill|Park|Row|Mews|Walk|Green|Gate|Parade|Rise|View|Broadway|Embankment|Wharf|Quay"
    r"|Yard|Strand|Mall)"
)
_STREET = re.compile(
    r"(?<![\w-])(?P<number>\d{1,4}[A-Za-z]?(?:[-–]\d{1,4})?),?[ ]{1,2}"
    rf"(?P<street>(?:[A-Z][\w.'’-]{{0,20}}[ ]{{1,2}}){{0,3}}?(?:The )?{_KINDS}\b\.?)"
)
_BETWEEN = 50
"""Characters between a street and its town: for example a village."""


@cache
def _names() -> TownNames:
    return TownNames.of(towns("gb"), others_from=100_000)


@cache
def _middles() -> dict[str, Town | None]:
    known = _names().known
    pairs = (entry.split(None, 1) for entry in _AREAS.split(","))
    return {area: next(iter(known.get(folded_name(name), ())), None) for area, name in pairs}


def find(text: str) -> Iterator[Place]:
    """Yield the addresses of a text, in their order."""
    done = count = 0
    for inward in islice(_INWARD.finditer(text), 2 * LOOKS):
        low = max(done, inward.start() - 7)
        outward = _OUTWARD.search(text[low : inward.start()])
        if outward and (place := _read(text, outward, (done, low + outward.start()), inward)):
            yield place
            done, count = place.end, count + 1
            if count >= MOST:
                return


def _read(text: str, outward: re.Match[str], where: tuple[int, int], inward: re.Match[str]) -> Place | None:
    """Read town and street before a postcode; without both it must be written with its space."""
    area = outward[1]
    if area not in _middles():
        return None
    done, start = where
    low = max(done, start - 110)
    at, city, town = _town(text, low, start, area)
    begin, street, number = _street(text, low, at)
    if not town and not street and not outward[3]:
        return None
    postal = f"{area}{outward[2]} {inward[0]}"
    return Place(
        start=begin, end=inward.end(), text=text[begin : inward.end()], country="gb",
        normal=", ".join(part for part in (f"{number} {street}".strip(), city, postal) if part),
        city=city, street=street, number=number, postal=postal,
        latitude=town.latitude if town else None, longitude=town.longitude if town else None,
        confidence=0.98 if town and street else 0.95 if town else 0.9 if street else 0.7,
    )  # fmt: skip


def _town(text: str, low: int, at: int, area: str) -> tuple[int, str, Town | None]:
    """Read the town before a postcode, past a county; it must lie where the postcode does."""
    middle = _middles()[area]
    edge = at
    for _ in range(3):
        edge = len(text[low:edge].rstrip(" \t\r\n,.\u00a0-–|")) + low
        start, meant = _names().before(text, edge, low)
        for town in meant:
            if area in _WIDE or middle is None or town.distance(middle.latitude, middle.longitude) <= _FAR:
                return start, text[start:edge], town
        edge = max(text.rfind(",", low, edge), text.rfind("\n", low, edge))
        if edge <= low:
            break
    return at, "", None


def _street(text: str, low: int, at: int) -> tuple[int, str, str]:
    """Read the last street with a number before a town."""
    lines = list(_STREET.finditer(text, low, at))
    if not lines or at - lines[-1].end() > _BETWEEN:
        return at, "", ""
    last = lines[-1]
    return last.start(), " ".join(last["street"].split()), last["number"]
