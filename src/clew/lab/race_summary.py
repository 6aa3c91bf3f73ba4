"""What a race is and what it has to tell: settings, courses, and who stands where."""

from dataclasses import asdict, dataclass, field
from typing import Any

from clew.lab.standings import Heat, PolicyStanding

JUDGES = {
    "words": "it knows the words of the goal; truth is used for measuring alone",
    "auto": "it knows the words and example pages of the goal; truth is used for measuring alone",
    "labels": "a perfect judge, told the true label of every page that was fetched",
}
"""How each judge is explained beside every number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What was asked of every policy.

    Args:
        worlds: folders, WARC files, crawls or names such as `madeup:20000:1`.
        tasks: names of tasks, or beginnings of them; none means all.
        policies: rankers by name or as `module:Class`.
        pages: fetches a run may make.
        runs: runs of each policy in each heat; they differ in start set and dice.
        caps: how many pages a host may give, each a heat of its own; 0 means any number.
        judge: `words`, `labels` for a perfect one, or `module:Class`.
        dead_ends: whether links that lead out of the archive are seen.
        traps: whether the trap guard may refuse links.
    """

    worlds: tuple[str, ...]
    policies: tuple[str, ...]
    tasks: tuple[str, ...] = ()
    pages: int = 1000
    runs: int = 5
    caps: tuple[int, ...] = (0,)
    judge: str = "words"
    dead_ends: bool = False
    traps: bool = True

    def judged(self) -> str:
        """Say who judged, in words that stand beside every table and drawing."""
        return f"Judge: {self.judge} ({JUDGES.get(self.judge, 'a judge of your own')})."

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as JSON takes them."""
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()
        }

    @classmethod
    def of(cls, kept: dict[str, Any]) -> "Settings":
        """Read settings back."""
        made: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in kept.items()}
        return cls(**made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What a task is like to run: `reachable` relevant pages for each seed, `budget` fetches, areas `upto`.

    `starts[seed]` numbers the start of a run: those that begin with the same pages have the same number.
    `examples` is the number of pages the judge was shown; `bounded` says that the world is too large for the
    oracle, and a plain bound takes its place.
    """

    world: str
    task: str
    pages: int
    hosts: int
    relevant: int
    reachable: tuple[int, ...]
    starts: tuple[int, ...]
    budget: int
    upto: int
    examples: int = 0
    flags: tuple[str, ...] = ()
    bounded: bool = False

    def sentence(self) -> str:
        """Say it in one line."""
        share = f" ({self.relevant / self.pages:.1%})" if self.pages else ""
        hosts = f" on {_many(self.hosts, 'host')}" if self.hosts else ""
        low, high = min(self.reachable), max(self.reachable)
        near = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        flags = f"; flags of its makers: {'; '.join(self.flags)}" if self.flags else ""
        right = f"{self.relevant:,} relevant{share}, {near} of them within reach"
        length = f"{self.budget:,} fetches a run, areas up to {self.upto:,}"
        starts = _many(len(set(self.starts)), "start set")
        return f"{_many(self.pages, 'page')}{hosts}, {right}; {starts}; {length}{flags}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceSummary:
    """A race as it can be shown: complete, or as far as it has come."""

    settings: Settings
    heats: dict[Heat, list[PolicyStanding]]
    courses: dict[tuple[str, str], Course]
    notes: list[str] = field(default_factory=list)
    missing: int = 0
    made_by: str = ""

    def course(self, heat: Heat) -> Course:
        """Return what a heat is run on."""
        return self.courses[heat.world, heat.task]

    def policies(self) -> list[str]:
        """Return every policy that has run."""
        return sorted({each.policy for ranked in self.heats.values() for each in ranked})


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
