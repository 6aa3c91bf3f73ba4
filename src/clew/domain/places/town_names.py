"""Names of towns in Latin letters, looked up by the words before or after a postal code."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from clew.domain.places.gazetteer import Town

WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['’.-](?=[^\W\d_]))*\.?")
_GAP = re.compile(r"[ \u00a0]\(?|[/(]")
MOST_WORDS = 5
"""Maximum words of a town's name: Stoke-on-Trent is one, Frankfurt am Main three."""

_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_EASY = {"saint": "st", "sankt": "st", "mount": "mt", "fort": "ft"}


@lru_cache(maxsize=4_096)
def folded_name(name: str) -> str:
    """Return one spelling of a town's name: small letters, no accents, umlauts as two letters, short saints.

    >>> folded_name("Saint-Étienne"), folded_name("Köln"), folded_name("St. Albans")
    ('st etienne', 'koeln', 'st albans')
    """
    text = name.lower().translate(_GERMAN)
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    parts = re.split(r"[\W_]+", text)
    return " ".join(_EASY.get(part, part) for part in parts if part)


@dataclass(slots=True, eq=False)
class TownNames:
    """Towns by their folded names."""

    known: dict[str, list[Town]]

    @classmethod
    def of(cls, towns: Iterable[Town], *, others_from: int = 0) -> "TownNames":
        """Add all names of towns that can be written in Latin letters; the largest town comes first.

        Names beside the first count for towns of `others_from` people or more.
        """
        known: defaultdict[str, list[Town]] = defaultdict(list)
        for town in towns:
            for name in {town.name, *town.others} if town.people >= others_from else {town.name}:
                if name[:1].isupper() and not (name.isascii() and name.isupper()) and name[0] < "\u0250":
                    known[folded_name(name)].append(town)
        for here in known.values():
            here.sort(key=lambda town: -town.people)
        return cls(dict(known))

    def behind(self, text: str, at: int, end: int = 0) -> tuple[int, list[Town]]:
        """Return the end of the longest name that starts at `at`, and the towns of that name."""
        ends: list[int] = []
        here = at
        while len(ends) < MOST_WORDS and (word := WORD.match(text, here, end or at + 60)):
            ends.append(word.end())
            gap = _GAP.match(text, word.end())
            if gap is None:
                break
            here = gap.end()
        for stop in reversed(ends):
            if (towns := self.known.get(folded_name(text[at:stop]))) and text[at].isupper():
                closes = "(" in text[at:stop] and text.startswith(")", stop)
                return stop + closes, towns
        return at, []

    def before(self, text: str, at: int, low: int = 0) -> tuple[int, list[Town]]:
        """Return the start of the longest name between `low` and `at`, and the towns of that name."""
        low = max(low, at - 60)
        starts = [word.start() for word in WORD.finditer(text, low, at)][-MOST_WORDS:]
        for start in starts:
            name = text[start:at]
            whole = "\n" not in name and "," not in name and name[:1].isupper()
            if whole and (towns := self.known.get(folded_name(name))):
                return start, towns
        return at, []
