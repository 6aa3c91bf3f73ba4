"""Find addresses of the United States: house number and street, city, state and ZIP code; PO boxes too."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from clew.domain.places.america_names import PREFIXES, SHORT, STATES
from clew.domain.places.gazetteer import towns
from clew.domain.places.place import LOOKS, MOST, Place
from clew.domain.places.town_names import TownNames

_CODE = re.compile(r"([0-9]{5})(?:\s?[-–]\s?([0-9]{1,4}))?(?![\w]|[.,][0-9]|-[0-9])")
_PART_OF_MORE = re.compile(r"[\w$#.+-]")
_WORDS = "|".join((*STATES.values(), *(re.escape(word) for word in SHORT), *STATES))
_STATE = re.compile(rf"(?<![\w.])({_WORDS})\.?[,.]?(?:\s{{1,8}}USA?[,.]?)?\s{{0,8}}$")
_STATE_ALONE = re.compile(r",\s{1,3}([A-Z][A-Z])(?![\w])")
_KINDS = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Drive|Dr|Lane|Ln|Court|Ct|Place|Pl|Square|Sq|Way|Parkway"
    r"|Pkwy|Highway|Hwy|Circle|Cir|Terrace|Ter|Plaza|Trail|Pike|Broadway|Mall|Route|Loop|Alley)"
)
_LINE = re.compile(
    r"(?<![\w$#.-])(?P<number>\d{1,6}(?:-\d{1,4}|[A-Z])?)[ \t]{1,2}"
    r"(?P<street>(?:(?:[NSEW]\.?|North|South|East|West)[ ]{1,2})?"
    rf"(?:[A-Z0-9][\w.'’-]{{0,20}}[ ]{{1,2}}){{0,3}}?{_KINDS}\b\.?(?:[ ](?:NE|NW|SE|SW|N|S|E|W)\b\.?)?)"
    r"|(?P<box>(?:P\.?[ ]?O\.?|Post Office)[ ]?Box[ ]{0,2}#?(?P<box_number>\d{1,7}))"
)
_NAMED = re.compile(r"(?<![\w])[A-Z][a-z.'’-]{1,24}$")
_FAR = 45
"""Characters between a street and its city: a room, a building, a campus."""


@cache
def _names() -> TownNames:
    return TownNames.of(towns("us"), others_from=100_000)


def find(text: str) -> Iterator[Place]:
    """Yield the addresses of a text, in their order."""
    done = count = 0
    for at, end, state, postal in sorted((*_codes(text), *_states(text))):
        if at >= done and (place := _read(text, (done, at, end), state, postal)):
            yield place
            done, count = place.end, count + 1
            if count >= MOST:
                return


def _codes(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield the spans of states that are followed by a number of five digits."""
    for code in islice(_CODE.finditer(text), LOOKS):
        at = code.start()
        if at and _PART_OF_MORE.match(text, at - 1):
            continue
        low = max(0, at - 36)
        if state := _STATE.search(text[low:at]):
            more = f"-{code[2]}" if code[2] and len(code[2]) == 4 else ""  # noqa: PLR2004
            yield low + state.start(), code.end(), _short(state[1]), code[1] + more


def _states(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield the spans of states after a comma; a number may follow."""
    for state in islice(_STATE_ALONE.finditer(text), LOOKS):
        if state[1] in STATES and not _CODE.match(text, state.end() + 1):
            yield state.start(), state.end(), state[1], ""


def _read(text: str, where: tuple[int, int, int], state: str, postal: str) -> Place | None:
    """Read city and street between `low` and a state; without a code both are needed."""
    low, at, end = where
    near = max(low, at - 8)
    edge = near + len(text[near:at].rstrip(" \t\r\n,.\u00a0"))
    start, meant = _names().before(text, edge, low)
    here = [town for town in meant if town.region == state]
    city = text[start:edge] if here else ""
    begin, street, number = _street(text, start if here else at, low)
    fits = bool(postal) and (state, int(postal[:3])) in PREFIXES
    named = _NAMED.search(text, max(low, edge - 30), edge) is not None
    confidence = _confidence(postal, fits=fits, known=bool(here), street=bool(street), named=named)
    if not confidence:
        return None
    line = f"{street} {number}" if street == "PO Box" else f"{number} {street}".strip()
    return Place(
        start=begin, end=end, text=text[begin:end], country="us",
        normal=", ".join(part for part in (line, city, f"{state} {postal}".strip()) if part),
        region=state, city=city, street=street, number=number, postal=postal,
        latitude=here[0].latitude if here else None, longitude=here[0].longitude if here else None,
        confidence=confidence,
    )  # fmt: skip


def _confidence(postal: str, *, fits: bool, known: bool, street: bool, named: bool) -> float:
    """Rate the parts; a code of another state is a misprint if the city is in the state.

    `OR 97201` behind a number is a word and a number; behind a name it is a town that no list has.
    """
    if fits:
        return 0.98 if street and known else 0.9 if known else 0.85 if street else 0.6 if named else 0.4
    if not known:
        return 0.0
    return (0.85 if street else 0.7) if postal else 0.85 if street else 0.0


def _street(text: str, at: int, low: int) -> tuple[int, str, str]:
    """Read the last street or box in the lines before a city."""
    lines = list(_LINE.finditer(text, max(low, at - 110), at))
    if not lines or at - lines[-1].end() > _FAR:
        return at, "", ""
    last = lines[-1]
    if last["box"]:
        return last.start(), "PO Box", last["box_number"]
    return last.start(), " ".join(last["street"].split()), last["number"]


def _short(state: str) -> str:
    if state in STATES:
        return state
    return SHORT.get(state) or next(short for short, name in STATES.items() if name == state)
