"""Find Japanese addresses: prefecture, municipality, town and block, as people write them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.places.japan_names import Atlas, Municipality, atlas, coordinates
from clew.places.japan_writing import counted, fold
from clew.places.place import MOST, Place

_SIGNS = "〒市区町村"
_CODE = re.compile(r"(?:〒|郵便番号\s?[::]?)?\s?(?<![\d-])(\d{3})\s?-\s?(\d{4})(?![\d-])")
_MARKED_CODE = re.compile(
    r"(?:〒|郵便番号)\s?[::]?\s?([0-9０-９]{3})\s?[-‐‑–−－ー―]?\s?([0-9０-９]{4})(?![0-9０-９])"
)
_NUMBER = r"[0-9十百]{1,7}"
_BETWEEN = r"(?:丁目|番地の|番地|番町|番|地割|号|線|の|-)"
_END = r"(?:丁目|番地|番|地割|号|線)"
_BLOCK = re.compile(
    rf"\s{{0,2}}({_NUMBER}(?:\s?{_BETWEEN}\s?{_NUMBER}){{0,5}}(?:\s?{_END})?)"
    r"(?![0-9]|\s?(?:年|月|日|人|件|円|%|%|度|時|分|名|台|万|億|個|回|位|歳|点|種|戸|校|社|世|代|か所|ケ所|km|m|KM))"
)
_NAMELESS = re.compile(
    rf"\s{{0,2}}((?:大?字)?[\u4e00-\u9fff々ァ-ヺのケツ]{{1,10}}?)(?={_NUMBER}\s?(?:{_BETWEEN}))"
)
_STREETS = re.compile(
    r".{0,22}?(?:上る|下る|上ル|下ル|上ケる|下ケる|上げる|下げる|東入る?ル?|西入る?ル?|通り?)(?=(.))"
)
_FIELD = re.compile(r"(?:大字|字)")
_NO_TOWN = re.compile(r"駅|大学|高校|中学|小学|城|線|神社|寺|公園|空港|店|祭|川|山|橋|長|立|内|民|議|役所")
_WINDOW = 72
"""Characters read behind a municipality: the longest town has 30, streets of Kyoto 20, a block 20."""


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
    """What was read behind the name of a municipality."""

    one: Municipality
    end: int
    town: str = ""
    code: int = 0
    street: str = ""
    block: str = ""
    firm: bool = False
    guessed: bool = False


def _by_name(text: str, names: Atlas) -> Iterator[Place]:
    """Go through the names the automaton finds; a municipality begins an address, alone or behind its prefecture."""
    prefecture, ended, begun, count = "", -1, 0, 0
    for pattern, start, end in names.automaton.find_matches_as_indexes(text):
        if count >= MOST:
            return
        meant = names.meaning[pattern]
        if not meant:
            if prefecture and (place := _shortened(text, names, prefecture, begun, ended)):
                count += 1
                yield place
            prefecture, begun, ended = names.patterns[pattern], start, end
            continue
        near = (
            prefecture
            if prefecture and not text[ended:start].strip(" \t\r\n　・,、/") and start - ended < 4
            else ""
        )
        if near and not any(one.prefecture == near for one in meant):
            near = ""
        place = _read(text, names, meant, near, (begun if near else start, start, end))
        prefecture = ""
        if place:
            count += 1
            yield place
    if prefecture and (place := _shortened(text, names, prefecture, begun, ended)):
        yield place


def _shortened(text: str, names: Atlas, prefecture: str, begun: int, ended: int) -> Place | None:
    """Read a municipality without 市, 区, 町 or 村 behind its prefecture; a town and a block must follow."""
    window = fold(text[ended : ended + 12])
    skipped = len(window) - len(window.lstrip())
    short = names.short.get(prefecture, {})
    for length in range(7, 1, -1):
        if one := short.get(window[skipped : skipped + length]):
            at = ended + skipped + length
            reading = _behind(text, one, at)
            return _place(text, names, reading, prefecture, begun) if reading.town and reading.firm else None
    return None


def _read(
    text: str, names: Atlas, meant: tuple[Municipality, ...], near: str, where: tuple[int, int, int]
) -> Place | None:
    """Read on behind a name; of several municipalities called so, the one that has the town is meant."""
    begun, start, end = where
    choice = [one for one in meant if one.prefecture == near] if near else list(meant)
    if not near:
        choice, begun = _before(text, start, choice)
    readings = [_behind(text, one, end) for one in choice]
    best = max(readings, key=lambda reading: (bool(reading.code), len(reading.town), not reading.guessed))
    rivals = sum(bool(r.code) == bool(best.code) and len(r.town) == len(best.town) for r in readings)
    said = near or (
        best.one.prefecture if begun < start and best.one.prefecture[:2] in text[begun:start] else ""
    )
    sure = near or rivals == 1 or len({r.one.prefecture for r in readings}) == 1
    return _place(text, names, best, said, begun, sure=bool(sure))


def _before(text: str, start: int, choice: list[Municipality]) -> tuple[list[Municipality], int]:
    """Look for county, city or a prefecture without its 県 before a name."""
    head = text[max(0, start - 12) : start]
    bare = head.rstrip(" \t\r\n　・,、/")
    if len(head) - len(bare) > 3 or not bare:  # noqa: PLR2004
        return choice, start
    for one in choice:
        for words in (one.county, one.county.removesuffix("市"), one.prefecture, one.prefecture[:-1]):
            if len(words) > 1 and bare.endswith(words):
                if words == "京都" and bare.endswith("東京都"):
                    continue
                begun = start - len(head) + len(bare) - len(words)
                rest = text[max(0, begun - 4) : begun].rstrip(" \t\r\n　")
                if words == one.county and rest.endswith(one.prefecture):
                    begun = max(0, begun - 4) + len(rest) - len(one.prefecture)
                alike = [
                    other
                    for other in choice
                    if words in (other.county, other.county[:-1], other.prefecture, other.prefecture[:-1])
                ]
                return alike, begun
    return choice, start


def _behind(text: str, one: Municipality, at: int) -> _Reading:
    """Read town and block behind a municipality."""
    window = fold(text[at : at + _WINDOW])
    tight, places = _tight(window)
    reading = _Reading(one, at)
    skipped = 0
    if field := _FIELD.match(tight):
        skipped = field.end()
    length = _longest(one, tight[skipped:])
    if not length and one.prefecture == "京都府" and (way := _STREETS.match(tight)):
        for stop in [
            m.end()
            for m in re.finditer(r"上る|下る|上ル|下ル|上ケる|下ケる|入る|入ル|入|通り|通", tight[:34])
        ][::-1]:
            if found := _longest(one, tight[stop:]):
                reading.street = tight[:stop]
                skipped, length = stop, found
                break
    if length:
        name = tight[skipped : skipped + length]
        reading.town, reading.code = one.towns[name]
        last = skipped + length
        reading.end = at + places[last - 1] + 1
        _block(window, places[last - 1] + 1, at, reading, tight[last : last + 4])
    else:
        _nameless(window, at, reading)
    return reading


def _tight(window: str) -> tuple[str, list[int]]:
    """Take the blanks out of a window; return where each character stood."""
    places = [i for i, sign in enumerate(window) if not sign.isspace()]
    return "".join(window[i] for i in places), places


def _longest(one: Municipality, tight: str) -> int:
    for length in range(min(14, len(tight)), 0, -1):
        if tight[:length] in one.towns:
            return length
    return 0


def _block(window: str, begin: int, at: int, reading: _Reading, follows: str) -> None:
    """Read the number of a block behind a town, across a 字 that no list names."""
    match = _BLOCK.match(window, begin)
    if match is None and (lane := _NAMELESS.match(window, begin)):
        match = _BLOCK.match(window, lane.end())
    if match and (marked := not match[1].isdigit() or match.start(1) == begin):
        reading.block = _numbers(match[1])
        reading.firm = marked
        reading.end = at + match.end(1)
    elif _NO_TOWN.match(follows):
        reading.guessed = True


def _numbers(block: str) -> str:
    """Write the number of a block one way: 一丁目２番３号 and 1-2-3 are the same.

    >>> _numbers("1丁目2番3号"), _numbers("58番地の9"), _numbers("2十3番地"), _numbers("3丁目")
    ('1-2-3', '58-9', '23', '3丁目')
    """
    numbers = re.findall(r"\d+", counted(block))
    return f"{numbers[0]}丁目" if len(numbers) == 1 and "丁目" in block else "-".join(numbers)


def _nameless(window: str, at: int, reading: _Reading) -> None:
    """Read a block behind a town that no list names."""
    match = _BLOCK.match(window)
    if match is None and (lane := _NAMELESS.match(window)):
        match = _BLOCK.match(window, lane.end())
        reading.town = re.sub(r"\s", "", lane[1]) if match else ""
    if match and not match[1].isdigit():
        reading.block = _numbers(match[1])
        reading.firm = bool(re.search(_END, match[1]))
        reading.guessed = True
        reading.end = at + match.end(1)
    else:
        reading.town = ""


def _place(
    text: str, names: Atlas, reading: _Reading, prefecture: str, begun: int, *, sure: bool = True
) -> Place | None:
    """Weigh what was read: the sum of its parts says how sure it is an address."""
    one = reading.one
    begun, postal, agrees = _code_before(text, names, begun, reading)
    confidence = _confidence(reading, bool(prefecture), postal, agrees)
    if not confidence:
        return None
    where = coordinates().get((one.prefecture, one.name)) if sure else None
    region = one.prefecture if sure else ""
    town = "" if reading.guessed and not reading.code else reading.town
    return Place(
        start=begun, end=reading.end, text=text[begun : reading.end], country="jp",
        normal=f"{region}{one.name}{town or reading.town}{reading.block}",
        region=region, city=one.name, town=town or reading.town, street=reading.street, number=reading.block, postal=postal,
        latitude=where.latitude if where else None, longitude=where.longitude if where else None,
        confidence=confidence,
    )  # fmt: skip


def _confidence(reading: _Reading, prefecture: bool, postal: str, agrees: bool) -> float:
    if agrees:
        return 0.98
    if reading.code and reading.firm:
        return 0.98 if prefecture else 0.95
    if reading.firm and reading.block:
        return 0.9 if prefecture else 0.6
    if reading.code and not reading.guessed:
        return 0.75 if prefecture else 0.35
    if reading.block:
        return 0.8 if prefecture else 0.3
    return 0.2 if prefecture else 0.0


def _code_before(text: str, names: Atlas, begun: int, reading: _Reading) -> tuple[int, str, bool]:
    """Return where the address begins with a postal code before it, the code, and whether it fits."""
    low = max(0, begun - 20)
    for match in _CODE.finditer(fold(text[low:begun])):
        if begun - low - match.end() <= 4:
            code = int(match[1] + match[2])
            owner = names.of_code(code)
            fits = owner is not None and owner.prefecture == reading.one.prefecture
            start = low + match.start() + len(match[0]) - len(match[0].lstrip())
            return (start, f"{match[1]}-{match[2]}", True) if fits else (begun, "", False)
    return begun, "", False


def _by_code(text: str, names: Atlas) -> Iterator[Place]:
    """Go through marked postal codes; what follows may be a town alone, or nothing that a list names."""
    if "〒" not in text and "郵便番号" not in text:
        return
    for match in _MARKED_CODE.finditer(text):
        code = fold(match[1] + match[2])
        one = names.of_code(int(code))
        if one is None:
            continue
        at = match.end()
        window = text[at : at + 4]
        at += len(window) - len(window.lstrip(" \t\r\n　::)）"))
        reading = _behind(text, one, at)
        corroborated = bool(reading.code)
        if not corroborated:
            reading = _Reading(one, match.end())
        where = coordinates().get((one.prefecture, one.name))
        yield Place(
            start=match.start(), end=reading.end, text=text[match.start() : reading.end], country="jp",
            normal=f"{one.prefecture}{one.name}{reading.town}{reading.block}",
            region=one.prefecture, city=one.name, town=reading.town, street=reading.street,
            number=reading.block, postal=f"{code[:3]}-{code[3:]}",
            latitude=where.latitude if where else None, longitude=where.longitude if where else None,
            confidence=0.97 if corroborated else 0.6,
        )  # fmt: skip
