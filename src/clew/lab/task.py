"""A task: what a person would ask for in a world, where they would begin, and what is right.

The truth is for those who measure. A policy is given `about`, `good`, `bad` and the start; nothing else of a
task ever reaches a ranker or a judge, except the judge that is the truth itself (`trial.Perfect`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from clew import urls
from clew.domain.records.values import row_key

RELEVANT = 0.5
"""Grades from here up count as relevant."""


class TaskTruth(Protocol):
    """How well an address really fits, 0 to 1; `relevant` is the number of addresses that do."""

    @property
    def relevant(self) -> int: ...

    def grade(self, url: str) -> float: ...


@dataclass(frozen=True, slots=True)
class Graded:
    """Truth from labels: grades by the 64-bit name of the address; what is not named is 0."""

    grades: Mapping[int, float]

    @property
    def relevant(self) -> int:
        """The number of relevant addresses."""
        return sum(grade >= RELEVANT for grade in self.grades.values())

    def grade(self, url: str) -> float:
        """Return how well an address fits."""
        return self.grades.get(urls.fingerprint(url), 0.0)


class RowTruth(Protocol):
    """What is true of rows. `there` is how many there are to be found, -1 where nobody has counted.

    `word` is what an honest person would say of a row that stands on these pages: right, off-topic or noise.
    """

    @property
    def there(self) -> int: ...

    def word(self, values: Sequence[str], urls: Iterable[str]) -> str: ...


@dataclass(frozen=True, slots=True)
class ListedTruth:
    """Rows that somebody has listed: a row is right if it is among them, wherever it stands."""

    rows: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, rows: Iterable[Sequence[str]]) -> "ListedTruth":
        """Take rows as they are written."""
        return cls(frozenset(row_key(tuple(row)) for row in rows))

    @property
    def there(self) -> int:
        """The number of different rows."""
        return len(self.rows)

    def word(self, values: Sequence[str], urls: Iterable[str]) -> str:  # noqa: ARG002 - a list knows no pages
        """Say right for a row of the list, noise for any other."""
        return "right" if row_key(tuple(values)) in self.rows else "noise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One question to a world.

    Args:
        name: what reports call it.
        about: the words a person would type.
        truth: how well each page fits. The examples are not in it: what was given is not found.
        kind: `topic` (pages by label), `pages` (by a rule), `sites` (hosts that hold something: every page
            of such a host fits), `records` (pages that hold rows of a table), `crawl` (verdicts of a crawl).
        starts: sets of addresses to begin with, by name; `seeds` is the usual one, `pool` all at once.
        good: example pages.
        bad: counter-examples.
        records: example rows, for tasks that ask for rows.
        rows: what is true of rows, where somebody knows.
        sites: for tasks that ask for sites, which hosts are right.
        flags: what the makers of the world warn of.
    """

    name: str
    about: str
    truth: TaskTruth
    kind: str = "topic"
    starts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    records: tuple[Mapping[str, str], ...] = ()
    rows: RowTruth | None = None
    sites: Mapping[str, bool] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
