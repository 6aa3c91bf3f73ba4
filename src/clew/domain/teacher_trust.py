"""How far a teacher can be trusted: by the pages that a person has labelled too."""

from collections.abc import Mapping
from dataclasses import dataclass

RIGHT, WRONG = 8, 2
"""What is assumed before anybody has compared: eight labels of ten are right."""

LEAST = 2 / 3
"""Labels of a kind hold while at least this share of them is expected to be right."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often a person said the same as the teacher, for one kind of answer."""

    same: int = 0
    other: int = 0

    @property
    def trust(self) -> float:
        """The share of labels that is expected to be right.

        >>> Agreement(0, 3).trust < LEAST < Agreement(0, 2).trust + 1e-9
        True
        """
        return (RIGHT + self.same) / (RIGHT + WRONG + self.same + self.other)

    @property
    def holds(self) -> bool:
        """Whether labels of this kind are used."""
        return self.trust >= LEAST - 1e-9


@dataclass(frozen=True, slots=True)
class Trust:
    """Agreement on pages that the teacher called relevant, and on those that it called not relevant."""

    yes: Agreement
    no: Agreement

    @classmethod
    def of(cls, teacher: Mapping[str, bool], person: Mapping[str, bool]) -> "Trust":
        """Compare the labels of a teacher with those of a person, by URL.

        >>> Trust.of({"a": True, "b": True, "c": False}, {"a": True, "b": False}).yes
        Agreement(same=1, other=1)
        """
        counts = {True: [0, 0], False: [0, 0]}
        for url in teacher.keys() & person.keys():
            counts[teacher[url]][teacher[url] != person[url]] += 1
        return cls(Agreement(*counts[True]), Agreement(*counts[False]))

    def holds(self, relevant: bool) -> bool:
        """Whether labels of this kind are used."""
        return (self.yes if relevant else self.no).holds

    @property
    def compared(self) -> int:
        """Pages that both have labelled."""
        return self.yes.same + self.yes.other + self.no.same + self.no.other

    @property
    def same(self) -> int:
        """Pages on which both agree."""
        return self.yes.same + self.no.same
