"""Find Japanese addresses: prefecture, municipality, town and block, as people write them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from clew.domain.places.japan_names import JapanGazetteer, Municipality, atlas, coordinates
from clew.domain.places.japan_writing import counted, fold, fold_numbers
from clew.domain.places.place import LOOKS, MOST, Place

_SIGNS = "〒市区町村"
_BLANKS = " \t\r\n　\xa0\u200b・,、/"
_CODE = re.compile(r"(?:〒|郵便番号\s?:?)?\s?(?<![\d-])(\d{3})\s?-\s?(\d{4})(?![\d-])")
_MARKED_CODE = re.compile(
    r"(?:〒|郵便番号)\s?[::]?\s?([0-9０-９]{3})\s?[-‐‑–−－ー―]?\s?([0-9０-９]{4})(?![0-9０-９])"
)
_NUMBER = r"(?:[0-9]{1,7}|[０-９十百]{1,7})"
_BETWEEN = r"(?:丁目|番地の|番地|番町|番|地割|号|線|の|-)"
_END = r"(?:丁目|番地|番|地割|号|線)"
_UNITS = r"年|月|日|人|件|円|%|％|度|時|分|名|台|万|億|個|回|位|歳|点|種|戸|校|社|世|代|か所|ケ所|[kK]?[mM]"
_BLOCK = re.compile(
    rf"\s{{0,2}}({_NUMBER}(?:\s?{_BETWEEN}\s?{_NUMBER}){{0,5}}(?:\s?{_END})?)(?![0-9]|\s?(?:{_UNITS}))"
)
_LANE = re.compile(rf"\s{{0,2}}((?:大?字)?[\u4e00-\u9fff々ァ-ヺのケツ]{{1,10}}?)(?={_NUMBER}\s?{_BETWEEN})")
_CORNER = re.compile(r"上る|下る|上ル|下ル|上ケる|下ケる|入る|入ル|入|通り|通")
_FORMER_WARD = re.compile(r"[\u4e00-\u9fff]{1,3}区")
_KANJI = r"[\u4e00-\u9fff々ヶケノ]"
_FORMER = re.compile(rf"\s?((?:{_KANJI}{{1,4}}郡\s?)?{_KANJI}{{1,5}}?[市町村])")
_FIELD = re.compile(r"大字|字")
_NO_TOWN = re.compile(r"駅|大学|高校|中学|小学|城|線|神社|寺|公園|空港|店|祭|川|山|橋|長|立|内|民|議|役所")
_WINDOW = 56
"""Characters read after a municipality: streets of Kyoto have 34 at most, a town 14."""

_BLOCK_WINDOW = 36
"""Characters read after a town: a 字 of ten, and a number with its signs and spaces."""

_NEAR = 3
"""Spaces, commas and line ends that may occur between the parts of an address."""


_Window: TypeAlias = tuple[str, Sequence[int]]


def find(text: str) -> Iterator[Place]:
    """Yield the Japanese addresses of a text, in their order."""
    if text.isascii() or not any(sign in text for sign in _SIGNS):
        return
    names = atlas()
    done = count = 0
    for place in _merged(_by_name(text, names), _by_code(text, names)):
        if place.start >= done and count < MOST:
            done, count = place.end, count + 1
            yield place


def _merged(named: Iterator[Place], coded: Iterator[Place]) -> list[Place]:
    return sorted((*named, *coded), key=lambda place: (place.start, -place.confidence))


@dataclass(slots=True)
class _Reading:
    """What was read after the name of a municipality."""

    one: Municipality
    end: int
    town: str = ""
    code: int = 0
    street: str = ""
    block: str = ""
    firm: bool = False
    guessed: bool = False


def _by_name(text: str, names: JapanGazetteer) -> Iterator[Place]:
    """Yield addresses at names that the automaton finds: a municipality, alone or after its prefecture."""
    prefecture, begun, ended, count = "", 0, 0, 0
    for pattern, start, end in islice(names.automaton.find_matches_as_indexes(text), LOOKS):
        meant = names.meaning[pattern]
        near = start - ended <= _NEAR and not text[ended:start].strip(_BLANKS)
        joined = prefecture if near and any(one.prefecture == prefecture for one in meant) else ""
        if prefecture and not joined and (place := _shortened(text, names, prefecture, begun, ended)):
            count += 1
            yield place
        if meant and (place := _read(text, names, meant, joined, (begun if joined else start, start, end))):
            count += 1
            yield place
        if count >= MOST:
            return
        prefecture, begun, ended = ("" if meant else names.patterns[pattern]), start, end
    if prefecture and (place := _shortened(text, names, prefecture, begun, ended)):
        yield place


def _shortened(text: str, names: JapanGazetteer, prefecture: str, begun: int, ended: int) -> Place | None:
    """Read a municipality without its 市 after its prefecture, or one that was merged since.

    Town and block must follow.
    """
    window = fold(text[ended : ended + 12])
    skipped = len(window) - len(window.lstrip())
    short = names.short.get(prefecture, {})
    for length in range(7, 1, -1):
        if one := short.get(window[skipped : skipped + length]):
            at = ended + skipped + length
            reading = _behind(text, one, at)
            if reading.code and reading.firm:
                return _place(text, names, reading, begun, has_prefecture=True, sure=True)
    if former := _FORMER.match(text, ended, ended + 12):
        reading = _Reading(Municipality(prefecture, "".join(former[1].split())), former.end())
        _nameless(text, reading)
        return _place(text, names, reading, begun, has_prefecture=True, sure=True) if reading.block else None
    return None


def _read(
    text: str, names: JapanGazetteer, meant: tuple[Municipality, ...], near: str, where: tuple[int, int, int]
) -> Place | None:
    """Read on after a name; of several municipalities of that name, take the one that has the town."""
    begun, start, end = where
    choice = [one for one in meant if one.prefecture == near] if near else list(meant)
    has_prefecture = bool(near)
    if not near:
        choice, begun, has_prefecture = _before(text, start, choice)
    seen = _tight(text, end)
    readings = [_behind(text, one, end, seen) for one in choice]
    best = max(readings, key=lambda reading: (bool(reading.code), len(reading.town), not reading.guessed))
    alike = [r for r in readings if bool(r.code) == bool(best.code) and len(r.town) == len(best.town)]
    return _place(
        text,
        names,
        best,
        begun,
        has_prefecture=has_prefecture,
        sure=len({r.one.prefecture for r in alike}) == 1,
    )


def _before(text: str, start: int, choice: list[Municipality]) -> tuple[list[Municipality], int, bool]:
    """Search before a name for its county or city, and for a prefecture without its 県.

    Returns the candidates, where the address starts, and whether the prefecture is written.
    """
    head = text[max(0, start - 12) : start]
    bare = head.rstrip(_BLANKS)
    if not bare or len(head) - len(bare) > _NEAR:
        return choice, start, False
    edge = start - len(head) + len(bare)
    for one in choice:
        for words in (one.county, one.county[:-1], one.prefecture, one.prefecture[:-1]):
            if len(words) < 2 or not bare.endswith(words) or (words == "京都" and bare.endswith("東京都")):  # noqa: PLR2004
                continue
            alike = [
                other
                for other in choice
                if words in (other.county, other.county[:-1], other.prefecture, other.prefecture[:-1])
            ]
            begun = edge - len(words)
            if words in one.prefecture:
                return alike, begun, True
            low = max(0, begun - 4 - _NEAR)
            rest = text[low:begun].rstrip(_BLANKS)
            if rest.endswith(one.prefecture):
                return alike, low + len(rest) - len(one.prefecture), True
            return alike, begun, False
    return choice, start, False


def _behind(text: str, one: Municipality, at: int, seen: _Window | None = None) -> _Reading:
    """Read town and block after a municipality; `seen` is the text there, if it was read before."""
    tight, places = seen or _tight(text, at)
    reading = _Reading(one, at)
    field = _FIELD.match(tight)
    skipped = field.end() if field else 0
    length = _longest(one, tight[skipped:])
    if not length and one.name.endswith("市") and (ward := _FORMER_WARD.match(tight)):
        gone = ward[0] not in one.wards
        skipped, length = ward.end(), _longest(one, tight[ward.end() :]) if gone else 0
    if not length and one.prefecture == "京都府":
        for corner in reversed(list(_CORNER.finditer(tight, 0, 34))):
            if length := _longest(one, tight[corner.end() :]):
                skipped = corner.end()
                reading.street = "".join(text[at : at + places[skipped - 1] + 1].split())
                break
    if length:
        last = skipped + length
        reading.town, reading.code = one.towns[tight[skipped:last]]
        reading.end = at + places[last - 1] + 1
        _block(text, reading, tight[last : last + 4])
    else:
        _nameless(text, reading)
    return reading


def _tight(text: str, at: int) -> _Window:
    """Fold the text at a position without spaces; return the position of each character."""
    window = fold(text[at : at + _WINDOW])
    parts = window.split()
    if len(parts) == 1 and len(parts[0]) == len(window):
        return window, range(len(window))
    return "".join(parts), [i for i, sign in enumerate(window) if not sign.isspace()]


def _longest(one: Municipality, tight: str) -> int:
    for length in range(min(14, len(tight)), 0, -1):
        if tight[:length] in one.towns:
            return length
    return 0


def _block(text: str, reading: _Reading, follows: str) -> None:
    """Read the number of a block after a town, across a 字 that is not in the gazetteer."""
    window = fold_numbers(text[reading.end : reading.end + _BLOCK_WINDOW])
    match = _BLOCK.match(window)
    if match is None and (lane := _LANE.match(window)):
        match = _BLOCK.match(window, lane.end())
    if match and (not match[1].isdigit() or match.start(1) == 0):
        reading.block = _numbers(match[1])
        reading.firm = True
        reading.end += match.end(1)
    elif _NO_TOWN.match(follows):
        reading.guessed = True


def _numbers(block: str) -> str:
    """Normalize the number of a block: 一丁目２番３号 and 1-2-3 are the same.

    >>> _numbers("1丁目2番3号"), _numbers("58番地の9"), _numbers("２十３番地"), _numbers("3丁目")
    ('1-2-3', '58-9', '23', '3丁目')
    """
    numbers = re.findall(r"[0-9]+", counted(block))
    return f"{numbers[0]}丁目" if len(numbers) == 1 and "丁目" in block else "-".join(numbers)


def _nameless(text: str, reading: _Reading) -> None:
    """Read a block after a town that is not in the gazetteer."""
    at = reading.end
    window = fold_numbers(text[at : at + _BLOCK_WINDOW])
    match, town = _BLOCK.match(window), ""
    if match is None and (lane := _LANE.match(window)):
        match = _BLOCK.match(window, lane.end())
        town = "".join(text[at + lane.start(1) : at + lane.end(1)].split())
    if match and not match[1].isdigit():
        reading.town = town
        reading.block = _numbers(match[1])
        reading.firm = bool(re.search(_END, match[1]))
        reading.guessed = True
        reading.end = at + match.end(1)


def _place(
    text: str, names: JapanGazetteer, reading: _Reading, begun: int, *, has_prefecture: bool, sure: bool
) -> Place | None:
    """Rate what was read; `has_prefecture` means that it is written, `sure` that there is only one."""
    begun, postal = _code_before(text, names, begun, reading.one)
    confidence = 0.98 if postal else _confidence(reading, has_prefecture)
    return _made(text, reading, begun, postal, confidence, sure=sure) if confidence else None


def _confidence(reading: _Reading, has_prefecture: bool) -> float:
    """Return the confidence of an address by its parts, as measured: see docs/lab/places.md."""
    if reading.code and reading.firm:
        return 0.98 if has_prefecture else 0.95
    if reading.firm:
        return 0.9 if has_prefecture else 0.6
    if reading.code and not reading.guessed:
        return 0.75 if has_prefecture else 0.35
    if reading.block:
        return 0.8 if has_prefecture else 0.3
    return 0.2 if has_prefecture else 0.0


def _made(
    text: str, reading: _Reading, begun: int, postal: str, confidence: float, *, sure: bool = True
) -> Place:
    one = reading.one
    region = one.prefecture if sure else ""
    where = coordinates().get((one.prefecture, one.name)) if sure else None
    return Place(
        start=begun, end=reading.end, text=text[begun : reading.end], country="jp",
        normal=f"{region}{one.name}{reading.town}{reading.block}",
        region=region, city=one.name, town=reading.town, street=reading.street, number=reading.block,
        postal=postal, confidence=confidence,
        latitude=where.latitude if where else None, longitude=where.longitude if where else None,
    )  # fmt: skip


def _code_before(text: str, names: JapanGazetteer, begun: int, one: Municipality) -> tuple[int, str]:
    """Return where an address starts including a postal code before it, and the code if it matches."""
    low = max(0, begun - 20)
    for match in _CODE.finditer(fold(text[low:begun])):
        if begun - low - match.end() <= _NEAR + 1:
            owner = names.of_code(int(match[1] + match[2]))
            if owner is not None and owner.prefecture == one.prefecture:
                blanks = len(match[0]) - len(match[0].lstrip())
                return low + match.start() + blanks, f"{match[1]}-{match[2]}"
    return begun, ""


def _by_code(text: str, names: JapanGazetteer) -> Iterator[Place]:
    """Yield addresses at marked postal codes; what follows may be a town alone, or unknown."""
    if "〒" not in text and "郵便番号" not in text:
        return
    count = 0
    for match in _MARKED_CODE.finditer(text):
        code = fold(match[1] + match[2])
        one = names.of_code(int(code))
        if one is None:
            continue
        behind = text[match.end() : match.end() + _NEAR + 1]
        at = match.end() + len(behind) - len(behind.lstrip(_BLANKS + ":：)）"))
        reading = _behind(text, one, at)
        fits = bool(reading.code)
        if not fits:
            reading = _Reading(one, match.end())
        yield _made(text, reading, match.start(), f"{code[:3]}-{code[3:]}", 0.97 if fits else 0.6)
        count += 1
        if count >= MOST:
            return
