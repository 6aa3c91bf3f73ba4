"""Find addresses of the United States: house number and street, city, state and ZIP code; PO boxes too."""

import re
from collections.abc import Iterator
from functools import cache

from clew.places.america_names import PREFIXES, SHORT, STATES
from clew.places.gazetteer import Town, towns
from clew.places.place import MOST, Place
from clew.places.town_names import TownNames

_ZIP = re.compile(r"(?<![\w$#.,+-])(\d{5})(?:\s?[-–]\s?(\d{4}))?(?![\w]|[.,]\d|-\d)")
_SHORTEST = "|".join(re.escape(word) for word in (*SHORT, *STATES))
_STATE = re.compile(
    rf"(?<![\w.])({'|'.join(STATES.values())}|{_SHORTEST})\.?[,.]?(?:\s{{1,8}}USA?[,.]?)?\s{{0,8}}$"
)
_SUFFIX = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Drive|Dr|Lane|Ln|Court|Ct|Place|Pl|Square|Sq|Way|Parkway|Pkwy"
    r"|Highway|Hwy|Circle|Cir|Terrace|Ter|Plaza|Trail|Pike|Broadway|Mall|Route|Loop|Alley)"
)
_STREET = (
    r"(?P<number>\d{1,6}(?:-\d{1,4}|[A-Z])?)[ \t]{1,2}"
    rf"(?P<street>(?:(?:[NSEW]\.?|North|South|East|West)[ ]{{1,2}})?(?:[A-Z0-9][\w.'’-]{{0,20}}[ ]{{1,2}}){{0,3}}?{_SUFFIX}\b\.?"
    r"(?:[ ](?:N|S|E|W|NE|NW|SE|SW)\b\.?)?)"
)
_BOX = r"(?P<box>P\.?[ ]?O\.?[ ]?Box[ ]{0,2}#?(?P<box_number>\d{1,7})|Post Office Box[ ]{0,2}(?P<box_number_too>\d{1,7}))"
_LINE = re.compile(rf"(?:{_STREET}|{_BOX})")
_SPELT = re.compile(
    rf"(?<![\w$#.-]){_STREET}(?P<room>[ ]?,?\s{{0,3}}(?:Suite|Ste|Apt|Room|Rm|Floor|#)\.?\s{{0,2}}[\w-]{{1,6}})?\s{{0,3}},?\s{{0,8}}(?=[A-Z])"
)
_AFTER = re.compile(rf",?\s{{1,3}}({'|'.join(STATES.values())}|{_SHORTEST})\b")


@cache
def _names() -> TownNames:
    return TownNames.of(towns("us"))


def find(text: str) -> Iterator[Place]:
    """Yield the addresses of a text, in their order."""
    done = 0
    for place in sorted(
        (*_by_code(text), *_by_street(text)), key=lambda place: (place.start, -place.confidence)
    ):
        if place.start >= done:
            done = place.end
            yield place


def _by_code(text: str) -> Iterator[Place]:
    for count, code in enumerate(_ZIP.finditer(text)):
        if count >= 4 * MOST:
            return
        low = max(0, code.start() - 36)
        state = _STATE.search(text[low : code.start()])
        if state is None:
            continue
        short = _short(state[1])
        if (short, int(code[1][:3])) not in PREFIXES:
            continue
        yield _coded(text, code, low + state.start(), short)


def _coded(text: str, code: re.Match[str], at: int, state: str) -> Place:
    """Read city and street before a state and its ZIP code."""
    edge = len(text[max(0, at - 8) : at].rstrip(" \t\r\n,.\u00a0")) + max(0, at - 8)
    start, meant = _names().before(text, edge)
    here = [town for town in meant if town.region == state]
    city = text[start:edge] if here else ""
    if not here:
        start = at
    begin, street, number = _street(text, start)
    postal = code[1] + (f"-{code[2]}" if code[2] else "")
    known = 0.9 if here else 0.6
    return _place(
        text, begin, code.end(), (street, number, city, state, postal), here, max(known, 0.98 if street and here else 0.85 if street else 0)
    )  # fmt: skip


def _street(text: str, at: int) -> tuple[int, str, str]:
    """Read the last street or box in the lines before a city."""
    low = max(0, at - 110)
    last = None
    for last in _LINE.finditer(text, low, at):
        pass
    if last is None or len(text[last.end() : at]) > 45:  # noqa: PLR2004 - a room, a building, a campus
        return at, "", ""
    if last["box"]:
        return last.start(), "PO Box", last["box_number"] or last["box_number_too"]
    return last.start(), " ".join(last["street"].split()), last["number"]


def _by_street(text: str) -> Iterator[Place]:
    """Go through streets with a number; a city and its state must follow."""
    for count, match in enumerate(_SPELT.finditer(text)):
        if count >= MOST:
            return
        stop, meant = _names().behind(text, match.end())
        state = _AFTER.match(text, stop) if meant else None
        if state is None:
            continue
        short = _short(state[1])
        here = [town for town in meant if town.region == short]
        if here:
            parts = (" ".join(match["street"].split()), match["number"], text[match.end() : stop], short, "")
            yield _place(text, match.start(), state.end(), parts, here, 0.85)


def _short(state: str) -> str:
    if state in STATES:
        return state
    return SHORT.get(state) or next(short for short, name in STATES.items() if name == state)


def _place(
    text: str,
    start: int,
    end: int,
    parts: tuple[str, str, str, str, str],
    here: list[Town],
    confidence: float,
) -> Place:
    street, number, city, state, postal = parts
    line = f"PO Box {number}" if street == "PO Box" else f"{number} {street}".strip()
    tail = f"{state} {postal}".strip()
    return Place(
        start=start, end=end, text=text[start:end], country="us",
        normal=", ".join(part for part in (line, city, tail) if part),
        region=state, city=city, street=street, number=number, postal=postal,
        latitude=here[0].latitude if here else None, longitude=here[0].longitude if here else None,
        confidence=confidence,
    )  # fmt: skip
