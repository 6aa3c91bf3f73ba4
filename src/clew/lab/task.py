"""A task: a goal in a world, its start sets, and the ground truth.

The truth is for measuring only. A policy gets `about`, `good`, `bad` and the start; nothing else of a
task ever reaches a ranker or a judge, except the judge that is the truth itself (`trial.Perfect`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from clew import urls
from clew.domain.records.values import row_key
from clew.errors import ConfigError
from clew.judge.words import goal_terms

RELEVANT = 0.5
"""Grades from here up count as relevant."""


class TaskTruth(Protocol):
    """The true grade of a URL, 0 to 1; `relevant` is the number of relevant URLs."""

    @property
    def relevant(self) -> int: ...

    def grade(self, url: str) -> float: ...


@dataclass(frozen=True, slots=True)
class Graded:
    """Truth from labels: grades by the 64-bit hash of the URL; others have 0."""

    grades: Mapping[int, float]

    @property
    def relevant(self) -> int:
        """The number of relevant URLs."""
        return sum(grade >= RELEVANT for grade in self.grades.values())

    def grade(self, url: str) -> float:
        """Return the grade of a URL."""
        return self.grades.get(urls.fingerprint(url), 0.0)


class RowTruth(Protocol):
    """True labels of rows. `row_count` is the number of right rows, -1 where unknown.

    `label_of` returns the true label of a row found on these pages: right, off-topic or noise.
    """

    @property
    def row_count(self) -> int: ...

    def label_of(self, values: Sequence[str], urls: Iterable[str]) -> str: ...


@dataclass(frozen=True, slots=True)
class ListedTruth:
    """Rows from a list: a row is right if it is in the list, wherever it was found."""

    rows: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, rows: Iterable[Sequence[str]]) -> "ListedTruth":
        """Make the truth from rows as they are written."""
        return cls(frozenset(row_key(tuple(row)) for row in rows))

    @property
    def row_count(self) -> int:
        """The number of different rows."""
        return len(self.rows)

    def label_of(self, values: Sequence[str], urls: Iterable[str]) -> str:  # noqa: ARG002 - a list knows no pages
        """Return right for a row of the list, noise for any other."""
        return "right" if row_key(tuple(values)) in self.rows else "noise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task in a world.

    Args:
        name: what reports call it.
        about: the words a person would type.
        truth: how well each page fits. The examples are not in it: they are given, not found.
        kind: `topic` (pages by label), `pages` (by a rule), `sites` (hosts that hold something: every page
            of such a host fits), `records` (pages that hold rows of a table), `crawl` (verdicts of a crawl).
        starts: sets of start URLs, by name; `seeds` is the usual one, `pool` all at once.
        good: example pages.
        bad: counter-examples.
        records: example rows, for tasks about rows.
        rows: true labels of rows, where known.
        sites: for tasks about sites, which hosts are relevant.
        flags: warnings of the makers of the world.
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


def check_words(task: Task, judge: object) -> None:
    """Refuse the keyword judge where the task has no words for it."""
    if judge == "words" and not goal_terms(task.about):
        msg = f"task {task.name} has no words for the judge words; choose another: --judge labels"
        raise ConfigError(msg)
