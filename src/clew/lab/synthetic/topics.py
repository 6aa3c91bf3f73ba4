"""The topics of the synthetic web, how large they are, and which are related; see `data/topics.toml`."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.lab.synthetic.resources import load
from clew.lab.synthetic.word_slots import word_table

LANGUAGES = ("en", "de", "ja", "fr")


@dataclass(frozen=True)
class Topic:
    """One topic: its share of the web, its neighbours, and the words a person would search with.

    Everyday topics (`query` is empty) fill the web between the others; no task is about them.
    """

    number: int
    name: str
    share: float
    measure: str
    near: tuple[str, ...]
    query: str

    def title(self, lang: str) -> str:
        """Return the name of this topic in menus."""
        if lang == "en":
            return self.name.capitalize() if self.name != "windpower" else "Wind power"
        name: str = load(f"words_{lang}")[self.name]["name"]
        return name

    def query_in(self, lang: str) -> str:
        """Return the words a person would type in a language."""
        if lang == "en":
            return self.query
        table = word_table(lang, self.name)
        words = table[0][:4] if lang == "ja" else [*self.title(lang).split(), *(row[0] for row in table[:3])]
        return " ".join(dict.fromkeys(words))


class Topics:
    """All topics, with lookup tables for whole columns of pages."""

    @cached_property
    def all(self) -> tuple[Topic, ...]:
        """All topics in the order of their numbers."""
        return tuple(
            Topic(number, name, row["share"], row["measure"], tuple(row["near"]), row.get("query", ""))
            for number, (name, row) in enumerate(load("topics").items())
        )

    @cached_property
    def by_name(self) -> dict[str, Topic]:
        """The topics by their names."""
        return {topic.name: topic for topic in self.all}

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, number: int) -> Topic:
        return self.all[number]

    @cached_property
    def searchable(self) -> tuple[Topic, ...]:
        """The topics that tasks are about; they come first, so that their places are their numbers."""
        return tuple(topic for topic in self.all if topic.query)

    @cached_property
    def everyday(self) -> tuple[int, ...]:
        """The numbers of topics that fill the web."""
        return tuple(topic.number for topic in self.all if not topic.query)

    @cached_property
    def near(self) -> NDArray[np.int64]:
        """Eight neighbours for each topic; few neighbours are repeated."""
        rows = []
        for topic in self.all:
            found = [self.by_name[name].number for name in topic.near]
            found += [
                other.number for other in self.all if topic.name in other.near and other.number not in found
            ]
            rows.append((found * 8)[:8])
        return np.array(rows, np.int64)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of each topic; the shares sum to 1."""
        shares = np.array([topic.share for topic in self.all], np.float64)
        total: np.float64 = shares.sum()
        return shares / total


TOPICS = Topics()
