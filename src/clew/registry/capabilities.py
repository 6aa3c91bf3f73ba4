"""What components can do: whether one keeps its contract, and which optional methods it has.

A judge, ranker, extractor or fetcher may offer more than its contract asks: each optional ability is a
Protocol in `clew.contracts`. This is the only module that looks for them, once when an engine is built;
everything else reads the frozen results. An ability is absent when its field is None.
"""

from dataclasses import dataclass
from inspect import signature
from typing import Any

from clew.contracts import (
    DefersLinks,
    DescribesLinks,
    ExplainedRanker,
    ExplainsTerms,
    Extractor,
    ForgetsLabels,
    HostPolicy,
    Judge,
    LearnsLabels,
    LearnsRevisions,
    LimitsPages,
    LinearRanker,
    Persistent,
    Preparable,
    ProposesTerms,
    ProvidesTable,
    Ranker,
    ReportsStatus,
    Reranker,
    RescoresTexts,
    RestoresHosts,
    RestoresRanking,
    Resumable,
    RevisesOutcomes,
    RevisesVerdicts,
    SharesOutcomes,
    SharesPages,
    TakesPriors,
    TakesTopicTerms,
    Trainable,
    UsesFeatures,
    UsesTable,
)
from clew.errors import ConfigError

_METHODS = {
    "ranker": {"score": "source, links", "learn": "outcome"},
    "judge": {"judge": "page", "learn": "label, page"},
    "extractor": {"extract": "page", "learn": "label, page"},
    "fetcher": {"fetch": "link", "aclose": ""},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RankerCapabilities:
    """What the ranker of links can do beyond `score` and `learn`."""

    explained: ExplainedRanker | None = None
    reranker: Reranker | None = None
    linear: LinearRanker | None = None
    uses_features: UsesFeatures | None = None
    topic_terms: TakesTopicTerms | None = None
    priors: TakesPriors | None = None
    labels: LearnsLabels | None = None
    defers: DefersLinks | None = None
    rescores: RescoresTexts | None = None
    explains_terms: ExplainsTerms | None = None
    describes: DescribesLinks | None = None
    table: UsesTable | None = None
    persistent: Persistent | None = None
    needs_layout: bool = False
    needs_tokens: bool = False
    requires: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPolicyCapabilities:
    """What the policy that chooses between hosts can do, if there is one."""

    policy: HostPolicy | None = None
    restores: RestoresHosts | None = None
    limits: LimitsPages | None = None
    status: ReportsStatus | None = None
    persistent: Persistent | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCapabilities:
    """What a judge can do beyond `judge` and `learn`."""

    terms: ProposesTerms | None = None
    forgets: ForgetsLabels | None = None
    trainable: Trainable | None = None
    table: UsesTable | None = None
    persistent: Persistent | None = None
    preparable: Preparable | None = None
    revises: RevisesVerdicts | None = None
    needs_whole_page: bool = False
    needs_terms: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractorCapabilities:
    """What an extractor can do beyond `extract` and `learn`."""

    provides_table: ProvidesTable | None = None
    preparable: Preparable | None = None
    needs_markup: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The optional abilities of the parts of one engine."""

    ranker: RankerCapabilities
    hosts: HostPolicyCapabilities
    judge: JudgeCapabilities
    extractor: ExtractorCapabilities
    ranking: RestoresRanking | None = None


def resolve(ranker: Ranker, judge: Judge, extractor: Extractor) -> Capabilities:
    """Find out what these components can do.

    >>> from clew.rank.baselines.breadth import Breadth
    >>> from clew.judge.words import WordsJudge
    >>> from clew.extract.nothing import NoExtractor
    >>> found = resolve(Breadth(), WordsJudge(), NoExtractor())
    >>> found.ranker.linear is None, found.judge.needs_whole_page
    (True, False)
    """
    links, hosts = split(ranker)
    return Capabilities(
        ranker=of_ranker(links),
        hosts=HostPolicyCapabilities(
            policy=hosts, restores=_offers(hosts, RestoresHosts), limits=_offers(hosts, LimitsPages),
            status=_offers(hosts, ReportsStatus), persistent=_offers(hosts, Persistent),
        ),
        judge=of_judge(judge),
        extractor=of_extractor(extractor),
        ranking=_offers(links, RestoresRanking),
    )  # fmt: skip


def check_contract(kind: str, component: object) -> None:
    """Refuse a component that lacks a method of its contract, or whose method takes other arguments.

    >>> check_contract("judge", object())
    Traceback (most recent call last):
    clew.errors.ConfigError: object is no judge: it needs a method judge(page); see clew.testing.check_judge
    """
    name = type(component).__name__
    cure = f"see clew.testing.check_{kind}"
    for method, parameters in _METHODS[kind].items():
        found = getattr(component, method, None)
        if not callable(found):
            msg = f"{name} is no {kind}: it needs a method {method}({parameters}); {cure}"
            raise ConfigError(msg)
        try:
            signature(found).bind(*parameters.split())
        except TypeError as error:
            msg = f"{name}.{method} must take ({parameters}) and takes {signature(found)}; {cure}"
            raise ConfigError(msg) from error


def split(ranker: Ranker) -> tuple[Ranker, HostPolicy | None]:
    """Return the ranker of links, and the policy that chooses between hosts, if the ranker is one."""
    return (ranker.inner, ranker) if isinstance(ranker, HostPolicy) else (ranker, None)


def of_ranker(ranker: object) -> RankerCapabilities:
    """Find out what a ranker of links can do."""
    return RankerCapabilities(
        explained=_offers(ranker, ExplainedRanker),
        reranker=_offers(ranker, Reranker),
        linear=_offers(ranker, LinearRanker),
        uses_features=_offers(ranker, UsesFeatures),
        topic_terms=_offers(ranker, TakesTopicTerms),
        priors=_offers(ranker, TakesPriors),
        labels=_offers(ranker, LearnsLabels),
        defers=_offers(ranker, DefersLinks),
        rescores=_offers(ranker, RescoresTexts),
        explains_terms=_offers(ranker, ExplainsTerms),
        describes=_offers(ranker, DescribesLinks),
        table=_offers(ranker, UsesTable),
        persistent=_offers(ranker, Persistent),
        needs_layout=bool(getattr(ranker, "needs_layout", False)),
        needs_tokens=bool(getattr(ranker, "needs_tokens", False)),
        requires=str(getattr(ranker, "requires", "")),
    )


def learns_revisions(ranker: object) -> LearnsRevisions | None:
    """Return the ranker if it can learn pages again with the verdicts that they would get now."""
    return ranker if isinstance(ranker, LearnsRevisions) else None


def link_columns(ranker: object) -> list[int]:
    """Return the features that a ranker wants replaced whenever a link is found again."""
    return list(getattr(ranker, "link_columns", ()))


def reviser(ranker: object) -> RevisesOutcomes | None:
    """Return the ranker if it can learn other verdicts on pages it has learned from."""
    return ranker if isinstance(ranker, RevisesOutcomes) else None


def of_judge(judge: object) -> JudgeCapabilities:
    """Find out what a judge can do."""
    return JudgeCapabilities(
        terms=_offers(judge, ProposesTerms),
        forgets=_offers(judge, ForgetsLabels),
        trainable=_offers(judge, Trainable),
        table=_offers(judge, UsesTable),
        persistent=_offers(judge, Persistent),
        preparable=_offers(judge, Preparable),
        revises=_offers(judge, RevisesVerdicts),
        needs_whole_page=bool(getattr(judge, "needs_whole_page", False)),
        needs_terms=bool(getattr(judge, "needs_terms", False)),
    )


def of_extractor(extractor: object) -> ExtractorCapabilities:
    """Find out what an extractor can do."""
    return ExtractorCapabilities(
        provides_table=_offers(extractor, ProvidesTable),
        preparable=_offers(extractor, Preparable),
        needs_markup=bool(getattr(extractor, "needs_markup", False)),
    )


def prepare(component: object) -> None:
    """Let a component load what it needs, or say what is missing, if it can."""
    if isinstance(component, Preparable):
        component.prepare()


def shares_outcomes(ranker: object) -> SharesOutcomes | None:
    """Return a ranker as one that learns from the outcomes of other engines, None if it does not."""
    return ranker if isinstance(ranker, SharesOutcomes) else None


def shares_pages(judge: object) -> SharesPages | None:
    """Return a judge as one that learns from the pages of other engines, None if it does not."""
    return judge if isinstance(judge, SharesPages) else None


def resumable(component: object) -> Resumable | None:
    """Return a judge or ranker as one that goes on exactly after a restart, None if it does not."""
    return component if isinstance(component, Resumable) else None


def persistent(component: object) -> Persistent | None:
    """Return the component if what it learned can be saved and loaded."""
    return component if isinstance(component, Persistent) else None


def _offers(component: object, ability: type[Any]) -> Any:  # noqa: ANN401 - one of the Protocols, or None
    return component if isinstance(component, ability) else None
