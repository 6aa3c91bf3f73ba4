"""What a component may offer beyond its contract: one Protocol for each ability.

`clew.registry.capabilities` finds out once, when the engine is built, which of them a component fulfils.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from clew.contracts.parts import Ranker
from clew.types import Features, Hashes, Label, Links, Notice, Outcome, Page, Rule, Scores, Weights

if TYPE_CHECKING:
    from clew.domain.records import RecordTable
    from clew.domain.topic_terms import TopicTerms

FeatureLookup: TypeAlias = Callable[[int], Features | None]
FeatureChange: TypeAlias = Callable[[Features], None]
"""From the id of a link to its stored row of features, None if there is none."""

HostPriorities: TypeAlias = Mapping[str, float | str | None]
"""Origins by turn: a number from 0 to 1 to compete by, None to compete by their links, or a reason in words
to leave them alone for now."""


@runtime_checkable
class ExplainedRanker(Ranker, Protocol):
    """A ranker whose scores are sums of named parts; the engine then calls `parts` instead of `score`.

    `parts` returns one column for each part, always the same names in the same order. For every link
    they add up to its score; a part may be negative. `clew why` shows them as they were when the link
    was scored.
    """

    def parts(self, source: Outcome, links: Links) -> Mapping[str, Scores]: ...


@runtime_checkable
class Reranker(Ranker, Protocol):
    """A ranker that changes the scores of links it has scored before.

    `rerank` is called after every `learn`. It returns None as long as nothing has changed enough, else
    hashes of links (`Links.hashes`) with their new scores: all of them or only some; links that
    were fetched meanwhile are skipped.
    """

    def rerank(self) -> tuple[Hashes, Scores] | None: ...


@runtime_checkable
class LinearRanker(Ranker, Protocol):
    """A ranker whose scores are sums over numbered features; the frontier can then rescore all open links.

    `features` returns one row of feature numbers for each link, with as many columns as the
    feature groups have together. They are stored with the link. `weights` is called after every `learn` and
    returns None as long as nothing has changed enough, else the weights in force from now on: for links
    still to be found and, in one pass beside the crawl, for every open link. Such a ranker needs
    neither `parts` nor `rerank`: what each group adds is known.
    """

    def features(self, source: Outcome, links: Links) -> Features: ...

    def weights(self) -> Weights | None: ...


@runtime_checkable
class UsesFeatures(Protocol):
    """A linear ranker that learns from the features a link was stored with.

    `use_features` is called once with a function from link id to its stored row of features (None if there
    is none).
    """

    def use_features(self, lookup: FeatureLookup) -> None: ...


@runtime_checkable
class TakesTopicTerms(Protocol):
    """A ranker that scores by the topic terms that search results have taught."""

    def set_topic_terms(self, terms: "TopicTerms", /) -> None: ...


@runtime_checkable
class TakesPriors(Protocol):
    """A ranker that takes terms with weights as a hint, before it has learned from links.

    `source` names where they come from (`judge`, `search`); a later call with the same source replaces them.
    """

    def set_priors(self, terms: Mapping[str, float], source: str = "judge") -> None: ...


@runtime_checkable
class LearnsLabels(Protocol):
    """A ranker that learns from a user's label; others get an `Outcome` with the label as its verdict."""

    def learn_label(self, label: Label, page: Page) -> None: ...


@runtime_checkable
class RevisesOutcomes(Protocol):
    """A ranker that learns that a page it has learned from is judged differently now.

    `features` are those of the page's open links, one row each; it returns them as they are from now on.
    """

    def revise_outcome(self, outcome: Outcome, features: Features) -> Features: ...


@runtime_checkable
class RevisesVerdicts(Protocol):
    """A judge that learns from pages without labels, and would judge earlier ones otherwise then.

    `take_revisions` returns the verdicts that it would give earlier pages now, by URL, in the order in which
    they were read; nothing if it has not changed since the last call.
    """

    def take_revisions(self) -> Mapping[str, float]: ...


@runtime_checkable
class LearnsRevisions(Protocol):
    """A linear ranker that can learn pages again with the verdicts that the judge would give them now.

    `learn_revisions` takes them by URL. It returns a function that changes features in place, one row for
    each link: what they say of the pages that links were found on.
    """

    def learn_revisions(self, verdicts: Mapping[str, float]) -> FeatureChange: ...


@runtime_checkable
class SharesOutcomes(Protocol):
    """A ranker that can learn from the links that other engines of the same crawl have followed.

    `take_outcomes` returns what was learned since the last call, packed; `learn_outcomes` takes what another
    ranker of the same kind has returned.
    """

    def take_outcomes(self) -> bytes: ...

    def learn_outcomes(self, packed: bytes) -> None: ...


@runtime_checkable
class SharesPages(Protocol):
    """A judge that can learn from the pages that other engines of the same crawl have read.

    `take_pages` returns what it has learned from since the last call, packed; `learn_pages` takes what
    another judge of the same kind has returned.
    """

    def take_pages(self) -> bytes: ...

    def learn_pages(self, packed: bytes) -> None: ...


@runtime_checkable
class DefersLinks(Protocol):
    """A ranker that defers links with score 0: they wait outside the frontier until they score.

    `deferral_reason` says why, in words; `clew why` shows it.
    """

    @property
    def deferral_reason(self) -> str: ...


@runtime_checkable
class RescoresTexts(Protocol):
    """A ranker that can score link texts again when its knowledge has changed."""

    def rescore_texts(self, anchors: list[str], langs: list[str]) -> Scores: ...


@runtime_checkable
class RestoresRanking(Ranker, Protocol):
    """A ranker that ranks by all pages of the crawl, and gets them back when a crawl is opened again.

    `ranking_state` returns what it knows as arrays, which are written into the folder of the crawl from time
    to time; `restore_ranking` continues with them. Pages for which `knows_page` is then false are passed to
    `learn` and `score` once more, from the store. `current_scores` returns the links that were not fetched
    yet, by the hashes of their URLs, with the scores they have now.
    """

    def knows_page(self, id: int) -> bool: ...

    def ranking_state(self) -> Mapping[str, NDArray[np.generic]]: ...

    def restore_ranking(self, state: Mapping[str, NDArray[Any]]) -> None: ...

    def current_scores(self) -> tuple[Hashes, Scores]: ...


@runtime_checkable
class Resumable(Protocol):
    """A judge or ranker that goes on after a restart exactly as if there had been none.

    `learned_state` returns all it has learned as arrays, copied: they are written into the folder of the
    crawl from time to time. `restore_state` continues with them.
    """

    def learned_state(self) -> Mapping[str, NDArray[Any]]: ...

    def restore_state(self, state: Mapping[str, NDArray[Any]]) -> None: ...


@runtime_checkable
class ExplainsTerms(Protocol):
    """A ranker that names the terms behind each part of a score, with their weights, for `clew why`.

    `features` are the stored rows of the links, where the ranker uses them.
    """

    def explain_terms(
        self, source: Outcome, links: Links, features: Features | None = None
    ) -> Sequence[Mapping[str, Sequence[tuple[str, float]]]]: ...


@runtime_checkable
class DescribesLinks(Protocol):
    """A ranker that says in words how it sees links now; `siblings` are the page's other link texts."""

    def describe_links(
        self, source: Outcome, links: Links, siblings: Sequence[str] = ()
    ) -> Sequence[str]: ...


@runtime_checkable
class HostPolicy(Ranker, Protocol):
    """A ranker that chooses between hosts, and leaves the links of a host to another: `inner`.

    `add_hosts` gets the origins of links that enter the frontier, `learn_page` each page, `apply_rule` a
    user's rule for a site (`yes`, `no`, `open`). `on_exhausted` is called when nothing is left to fetch as
    things stand, and returns whether that changes anything. After each of these, `host_priorities` returns
    the hosts whose priority has changed; the frontier does the rest.
    """

    @property
    def inner(self) -> Ranker: ...

    def add_hosts(self, origins: Sequence[str]) -> None: ...

    def learn_page(self, outcome: Outcome) -> None: ...

    def apply_rule(self, rule: Rule) -> None: ...

    def on_exhausted(self) -> bool: ...

    def host_priorities(self) -> HostPriorities: ...


@runtime_checkable
class RestoresHosts(Protocol):
    """A host policy that can be told what was read in earlier runs.

    Each row is an origin, its judged pages, the sums of their verdicts and squared verdicts, and how many
    verdicts reach `goal.keep`, also on pages that may not be indexed.
    """

    def restore_hosts(self, rows: Iterable[tuple[str, int, float, float, float]]) -> None: ...


@runtime_checkable
class LimitsPages(Protocol):
    """A host policy with a budget of its own: what it may still request; None for any number."""

    def pages_left(self) -> int | None: ...


@runtime_checkable
class ReportsStatus(Protocol):
    """A host policy that reports where it stands; `notices` returns what is new since the last call."""

    def status(self) -> Notice: ...

    def notices(self) -> Sequence[Notice]: ...


class WeightedTerm(Protocol):
    """A term with its weight, 0 to 1 or negative."""

    @property
    def term(self) -> str: ...

    @property
    def weight(self) -> float: ...


@runtime_checkable
class ProposesTerms(Protocol):
    """A judge that lists the terms it decides by, strongest first, and reads the user's edited list."""

    def propose_terms(self) -> Sequence[WeightedTerm]: ...


@runtime_checkable
class ForgetsLabels(Protocol):
    """A judge that can take back what it learned from one page."""

    def forget_label(self, url: str) -> None: ...


@runtime_checkable
class Trainable(Protocol):
    """A judge that is trained on relevant and irrelevant pages at once."""

    def train(self, relevant: Iterable[Page], irrelevant: Iterable[Page]) -> None: ...


@runtime_checkable
class UsesTable(Protocol):
    """A judge or ranker that uses the user's growing table of records."""

    def use_table(self, table: "RecordTable", /) -> None: ...


@runtime_checkable
class ProvidesTable(Protocol):
    """An extractor that grows a table of records."""

    @property
    def record_table(self) -> "RecordTable": ...


@runtime_checkable
class Preparable(Protocol):
    """A component that loads what it needs, or raises `ConfigError` with a remedy, before the first page."""

    def prepare(self) -> None: ...


@runtime_checkable
class Persistent(Protocol):
    """A judge or ranker whose knowledge outlives the run, in small files that people can read.

    `save` writes what was learned into a folder (`models/` of the crawl), `load` reads it again, in the
    next run or in another crawl; a missing file is no error, a damaged one raises `ConfigError`
    with a remedy. `learned` is a number that changes whenever there is something new to save.
    """

    @property
    def learned(self) -> int: ...

    def save(self, folder: Path) -> None: ...

    def load(self, folder: Path) -> None: ...
