"""What a language brings along to write pages in it: patterns of sentences, and the words of menus."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from clew.lab.synthetic.randomness import UNIT, Throw

MARKS = str.maketrans("@~^#%&", "\x01\x02\x03\x04\x05\x06")
"""What each page fills in: its place, another place, a person, a year, an earlier year, a number."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The patterns of one language. `slots(throw, topic, dim)` gives the words for one sentence.

    `dim` words leave out the obvious ones: for pages that are on a topic and hardly say so.
    """

    topical: list[str]
    general: list[str]
    mention: list[str]
    titles: list[str]
    dim_titles: list[str]
    heads: list[str]
    phrases: list[str]
    read_more: list[str]
    leads: tuple[str, ...]
    menu: Mapping[str, str]
    slots: Callable[[Throw, str, bool], Mapping[str, str]]
    between: str = " "

    def fill(self, pattern: str, throw: Throw, topic: str = "", *, dim: bool = False) -> str:
        """Return one sentence, its marks still to be filled in."""
        made = pattern.translate(MARKS).format_map(self.slots(throw, topic, dim))
        return made[0].upper() + made[1:]


class MenuWords(dict[str, str]):
    """The words for one sentence, taken as its pattern asks for them.

    Frequent words stand first in their lists and come most often, as Zipf says; none comes twice.
    """

    def __init__(self, throw: Throw) -> None:
        super().__init__()
        self.throw = throw
        self.said: set[str] = set()

    def one(self, words: Sequence[str], slope: float = 1.5) -> str:
        """Take one word; the steeper the slope, the more often the first ones."""
        at = int(len(words) * (self.throw() * UNIT) ** slope)
        if words[at] in self.said:
            at = (at + 1) % len(words)
        self.said.add(words[at])
        return words[at]


def rows(text: str) -> list[str]:
    """Return the lines of a table of patterns."""
    return text.strip().splitlines()


def split(row: str) -> list[str]:
    """Return the words of a row; `_` stands for a blank."""
    return [word.replace("_", " ") for word in row.split()]
