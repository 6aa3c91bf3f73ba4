"""What each room promises the others: small Protocols, a plain callable, and how an engine is asked.

Nobody inherits from these. A class with the right verbs is a Ranker; `clew.testing.check_ranker`
tells whether it keeps the promise. Scores and verdicts are 0 to 1, higher is better, everywhere.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from clew.types import (
    Features,
    Hashes,
    Ids,
    Label,
    Link,
    Links,
    NewLinks,
    Outcome,
    Page,
    PageResult,
    Record,
    Response,
    Rule,
    ScoreParts,
    Scores,
    Verdict,
    Weights,
)

HostPriorities: TypeAlias = Mapping[str, float | str | None]
"""Origins by turn: a number from 0 to 1 to compete by, None to compete by their links, or a reason in words
to leave them alone for now."""

Parser: TypeAlias = Callable[[Response], Awaitable[Page]]
"""Read a visit somewhere it can be killed; never raises for what the web sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What a search engine is asked: a person's words, more words that must stand on the page, a site.

    `also` is what re-seeding adds to the topic (`K AND word`); each engine writes it in its own syntax.
    """

    text: str
    also: tuple[str, ...] = ()
    site: str = ""

    def __str__(self) -> str:
        words = [f'"{word}"' if " " in word else word for word in self.also]
        said = " AND ".join([self.text, *words] if self.text else words)
        return f"{said} site:{self.site}".strip() if self.site else said


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """One address that an engine named, canonical; `rank` 1 is its best."""

    url: str
    title: str = ""
    snippet: str = ""
    rank: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What an engine said. `total` is how many results it claims to know, None when it does not say.

    `error` says in words why there are no (or no more) results, and what to do; it is empty when all is
    well. Results that came before the fault are kept. `notes` tell what was left out.
    """

    results: tuple[SearchResult, ...] = ()
    total: int | None = None
    error: str = ""
    notes: tuple[str, ...] = ()


@runtime_checkable
class SearchEngine(Protocol):
    """Name addresses for words. The faults of an engine are values: `SearchAnswer.error`.

    `name` is how a person calls it in `seek.search`; it is safe to show and to store, and carries no key.
    """

    @property
    def name(self) -> str: ...

    async def search(self, query: SearchQuery | str, count: int, lang: str = "") -> SearchAnswer: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class Fetcher(Protocol):
    """Bring one answer from the network. The web's faults are values: `Visit.error`."""

    async def fetch(self, link: Link) -> Response: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class Judge(Protocol):
    """Say how well a page fits the goal, and why."""

    def judge(self, page: Page) -> Verdict: ...

    def learn(self, label: Label, page: Page) -> None: ...


@runtime_checkable
class Extractor(Protocol):
    """Take rows of a table out of a page."""

    def extract(self, page: Page) -> Sequence[Record]: ...

    def learn(self, label: Label, page: Page) -> None: ...


@runtime_checkable
class Ranker(Protocol):
    """Say how promising each link of a page is, before anybody has seen where it leads.

    `score` is given the page the links stand on with its verdict; it answers with one score per
    link, in order. `learn` is told what a link that was followed led to.
    """

    def score(self, source: Outcome, links: Links) -> Scores: ...

    def learn(self, outcome: Outcome) -> None: ...


@runtime_checkable
class ExplainedRanker(Ranker, Protocol):
    """A ranker that can say what its scores are made of; then the mind asks for `parts` instead of `score`.

    `parts` gives one column for each part, always the same names in the same order. For every link
    they add up to its score; a part may be negative. `clew why` shows them as they were when the link
    was scored.
    """

    def parts(self, source: Outcome, links: Links) -> Mapping[str, Scores]: ...


@runtime_checkable
class Reranker(Ranker, Protocol):
    """A ranker that thinks again about links it has scored before.

    `rerank` is called after every `learn`. It answers None as long as nothing has changed enough, else
    the names of links (`Links.hashes`) with their new scores: all of them or only some; links that
    were fetched meanwhile are passed over.
    """

    def rerank(self) -> tuple[Hashes, Scores] | None: ...


@runtime_checkable
class LinearRanker(Ranker, Protocol):
    """A ranker whose scores are sums over numbered features; the frontier then scores all open links anew.

    `features` numbers what is known of each link: one row for each, always as many columns as the
    families have together. They are kept with the link. `weights` is called after every `learn` and
    answers None as long as nothing has changed enough, else the weights that hold from now on: for links
    still to be found and, in one pass beside the crawl, for every link that is open. Such a ranker needs
    neither `parts` nor `rerank`: what each family adds is known. One with the attribute `row_of` is given a
    function that finds the features a link was kept with, by its id, before it is told what came.
    """

    def features(self, source: Outcome, links: Links) -> Features: ...

    def weights(self) -> Weights | None: ...


@runtime_checkable
class HostPolicy(Ranker, Protocol):
    """A ranker that decides between hosts, and leaves the links of a host to another: `inner`.

    `meet` is told of the origins of links that enter the frontier, `steer` of each page, `overrule` of a
    person's word on a site (`yes`, `no`, `open`). `run_dry` is asked when nothing is left to fetch as things
    stand, and says whether that changes anything. After each of these, `turns` is asked for the hosts whose
    turn has changed; the frontier does the rest.
    """

    @property
    def inner(self) -> Ranker: ...

    def meet(self, origins: Sequence[str]) -> None: ...

    def steer(self, outcome: Outcome) -> None: ...

    def overrule(self, rule: Rule) -> None: ...

    def run_dry(self) -> bool: ...

    def turns(self) -> HostPriorities: ...


@runtime_checkable
class Persistent(Protocol):
    """A judge or ranker whose knowledge outlives the run, in small files that people can read.

    `save` writes what was learned into a folder (`models/` of the crawl), `load` reads it again, in the
    next run or in another crawl; a file that is missing is no fault, one that is damaged is a `ConfigError`
    with its cure. `learned` is a number that changes whenever there is something new to save.
    """

    @property
    def learned(self) -> int: ...

    def save(self, folder: Path) -> None: ...

    def load(self, folder: Path) -> None: ...


@runtime_checkable
class Store(Protocol):
    """Keep everything, lose nothing.

    `plant`, `add`, `refuse`, `revise`, `reopen`, `raise_scores`, `name_parts`, `keep_rule` and `keep_places`
    only collect: from then on `link` sees what they brought. `commit` makes it durable together, or raises
    `StoreError`; nothing counts as done before it returned.
    """

    def link(self, id: int) -> Link: ...

    def plant(self, found: NewLinks) -> None: ...

    def add(self, step: PageResult) -> None: ...

    def refuse(self, id: int, reason: str) -> None: ...

    def revise(self, id: int, verdict: Verdict, relevant: bool) -> None: ...

    def reopen(self, ids: Ids) -> None: ...

    def standing(self, after: int, most: int) -> Sequence[tuple[int, str, str]]: ...

    def raise_scores(
        self,
        ids: Ids,
        scores: Scores,
        source: int = 0,
        parts: ScoreParts | None = None,
        links: Links | None = None,
    ) -> None: ...

    def name_parts(self, names: Sequence[str]) -> None: ...

    def keep_rule(self, rule: Rule) -> None: ...

    def keep_places(self, states: Mapping[str, str]) -> None: ...

    async def commit(self) -> None: ...

    def labels(self, since: float) -> Sequence[Label]: ...

    def rules(self, after: int) -> Sequence[Rule]: ...

    async def aclose(self) -> None: ...
