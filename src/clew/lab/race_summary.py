"""Settings and results of a race: settings, statistics of the tasks, and standings."""

from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from clew import registry
from clew.lab.standings import PolicyStanding, RaceCase

JUDGES = {
    "words": "it uses the words of the goal; truth is used for measuring alone",
    "auto": "it uses the words and example pages of the goal; truth is used for measuring alone",
    "labels": "a perfect judge that returns the true label of every fetched page",
}
"""Explanations of the judges, for captions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceSettings:
    """Settings of a race.

    Args:
        worlds: folders, WARC files, crawls or names such as `madeup:20000:1`.
        tasks: names of tasks, or beginnings of them; none means all.
        policies: rankers by name or as `module:Class`.
        pages: pages a run may read.
        requests: requests a run may make; 0 means any number.
        runs: runs of each policy in each case; they differ in start set and seed.
        caps: page limits per host, each a case of its own; 0 means none.
        judge: `words`, `labels` for a perfect one, or `module:Class`.
        dead_ends: whether links that lead out of the archive are seen.
        traps: whether the trap guard may refuse links.
        search: share of a world that a search engine has indexed: all start from its results; 0 means none.
        labelled: with a search, relevant and other pages from the labels that the judge learns from.
        teacher: a teacher that labels pages by the truth, as `labels=40,error=0.1`; empty for none.
    """

    worlds: tuple[str, ...]
    policies: tuple[str, ...]
    tasks: tuple[str, ...] = ()
    pages: int = 1000
    runs: int = 5
    caps: tuple[int, ...] = (0,)
    judge: str = "auto"
    dead_ends: bool = False
    traps: bool = True
    requests: int = 0
    search: float = 0.0
    labelled: tuple[int, ...] = (0, 0)
    teacher: str = ""

    def judged(self) -> str:
        """Describe the judge, for the captions of tables and plots."""
        known = self.judge.partition(":")[0] in registry.names("judge")
        doc = (registry.find("judge", self.judge).__doc__ or "") if known else "A judge of your own."
        about = JUDGES.get(self.judge) or doc.strip().splitlines()[0].rstrip(".")
        return f"Judge: {self.judge} ({about})."

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as JSON takes them."""
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()
        }

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "RaceSettings":
        """Read settings back."""
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in stored.items()}
        return cls(**fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStats:
    """Size of a task: `reachable` relevant pages for each seed, `budget` fetches, areas `upto`.

    `starts[seed]` numbers the start of a run: those that begin with the same pages have the same number.
    `examples` is the number of pages the judge was shown; `bounded` says that the world is too large for the
    oracle, and a plain bound takes its place. `sites` says that sites are looked for instead of pages.
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
    sites: bool = False

    def sentence(self) -> str:
        """Describe the task in one line."""
        share = f" ({self.relevant / self.pages:.1%})" if self.pages and not self.sites else ""
        hosts = f" on {_many(self.hosts, 'host')}" if self.hosts else ""
        low, high = min(self.reachable), max(self.reachable)
        reachable = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        flags = f"; flags of its makers: {'; '.join(self.flags)}" if self.flags else ""
        relevant = f"{self.relevant:,} relevant{' sites' * self.sites}{share}, {reachable} of them reachable"
        length = f"{self.budget:,} fetches a run, areas up to {self.upto:,}"
        starts = _many(len(set(self.starts)), "start set")
        return f"{_many(self.pages, 'page')}{hosts}, {relevant}; {starts}; {length}{flags}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceSummary:
    """A race as it can be shown: complete, or as far as it has come."""

    settings: RaceSettings
    cases: dict[RaceCase, list[PolicyStanding]]
    stats_by_task: dict[tuple[str, str], TaskStats]
    notes: list[str] = field(default_factory=list)
    missing: int = 0
    made_by: str = ""

    def stats(self, case: RaceCase) -> TaskStats:
        """Return the statistics of the task of a case."""
        return self.stats_by_task[case.world, case.task]

    def _repr_html_(self) -> str:
        from clew.lab.report import report  # noqa: PLC0415 - it imports this module

        frame = "width:100%;height:42em;border:1px solid #ccc;border-radius:6px;background:#fff"
        return f'<iframe title="Race of policies" style="{frame}" srcdoc="{escape(report(self))}"></iframe>'

    def policies(self) -> list[str]:
        """Return every policy that has run."""
        return sorted({each.policy for ranked in self.cases.values() for each in ranked})


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
