"""Checks of what rankers, judges and extractors can do beyond their contract."""

import copy
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.contracts import (
    ExplainedRanker,
    HostPolicy,
    LimitsPages,
    LinearRanker,
    Persistent,
    Ranker,
    ReportsStatus,
    Reranker,
    RestoresHosts,
    Resumable,
)
from clew.domain.topic_terms import TopicTerms
from clew.registry import capabilities
from clew.registry.capabilities import RankerCapabilities
from clew.testing.samples import name_of, sample_links, sample_outcome, sample_table
from clew.types import Label, Links, Outcome, Rule, Weights

Component = TypeVar("Component")


def copied(part: Component) -> Component:
    """Return a copy to try things with; the component itself if it cannot be copied."""
    try:
        return copy.deepcopy(part)
    except (TypeError, copy.Error):
        return part


def check_scores(name: str, given: object, number: int) -> None:
    """Check that there are so many scores, finite and 0 to 1."""
    scores = np.asarray(given)
    assert scores.shape == (number,), (
        f"{name} gave an array of shape {scores.shape}; one score for each of {number} links is wanted"
    )
    assert np.isfinite(scores).all(), f"{name} gave a score that is not a number"
    assert ((scores >= 0) & (scores <= 1)).all(), f"{name} gave scores outside 0…1: higher is better"


def _give_knowledge(abilities: RankerCapabilities) -> None:
    """Give a ranker what the engine may give it before the first page."""
    if abilities.table:
        abilities.table.use_table(sample_table())
    if abilities.uses_features:
        abilities.uses_features.use_features(lambda _: None)
    if abilities.priors:
        abilities.priors.set_priors({"lighthouse": 1.0, "soup": -0.5})
        abilities.priors.set_priors({"lantern": 0.5}, source="search")
    if abilities.topic_terms:
        abilities.topic_terms.set_topic_terms(TopicTerms(values={"lighthouse": 0.5}, pages=9))


def check_ranker_abilities(ranker: Ranker) -> None:
    """Check everything that a ranker offers beyond its contract, in the order in which the engine uses it."""
    name, abilities = name_of(ranker), capabilities.of_ranker(ranker)
    _give_knowledge(abilities)
    outcome, links = sample_outcome(0.5), sample_links(3)
    for value in (0.0, 1.0, 0.5):
        check_scores(name, ranker.score(sample_outcome(value), links), len(links))
        ranker.learn(sample_outcome(value))
        if abilities.reranker:
            _check_reranker(abilities.reranker)
    if isinstance(ranker, HostPolicy):
        _check_host_policy(ranker)
    _check_texts(name, abilities, outcome, links)
    if abilities.labels:
        abilities.labels.learn_label(Label(outcome.page.url, relevant=True, at=0.0), outcome.page)
    if abilities.defers:
        reason = abilities.defers.deferral_reason
        assert isinstance(reason, str) and reason, f"{name}.deferral_reason must be a text, it is {reason!r}"  # noqa: PT018
    if (revises := capabilities.learns_revisions(ranker)) and abilities.linear:
        rows = np.array(abilities.linear.features(outcome, links))
        revises.learn_revisions({outcome.page.url: 0.9})(rows)
        assert rows.shape[0] == len(links), f"{name}: learn_revisions returns what changes rows in place"
    if shares := capabilities.shares_outcomes(ranker):
        packed = shares.take_outcomes()
        assert isinstance(packed, bytes), f"{name_of(ranker)}.take_outcomes returns bytes"
        shares.learn_outcomes(packed)
    if abilities.rescores:
        for texts in ([], ["lighthouse", "", "page 2"]):
            scores = abilities.rescores.rescore_texts(texts, ["en"] * len(texts))
            check_scores(f"{name}.rescore_texts", scores, len(texts))


def _check_texts(name: str, abilities: RankerCapabilities, outcome: Outcome, links: Links) -> None:
    """Check the explanations of a ranker: one for each link."""
    if abilities.explains_terms:
        features = abilities.linear.features(outcome, links) if abilities.linear else None
        for rows in (None, features):
            terms = abilities.explains_terms.explain_terms(outcome, links, rows)
            assert len(terms) == len(links), (
                f"{name}.explain_terms gave {len(terms)} mappings for {len(links)} links"
            )
            for part, named in (item for mapping in terms for item in mapping.items()):
                assert all(isinstance(term, str) and math.isfinite(weight) for term, weight in named), (
                    f"{name}.explain_terms: {part} needs pairs of a term and a finite weight"
                )
    if abilities.describes:
        sentences = abilities.describes.describe_links(outcome, links, ("page 7",))
        assert len(sentences) == len(links), f"{name}.describe_links needs one sentence for each link"
        assert all(isinstance(each, str) for each in sentences), f"{name}.describe_links must give texts"


def check_parts(ranker: ExplainedRanker, outcome: Outcome, links: Links) -> None:
    """Check that the parts of each score add up to it, and have the same names every time."""
    parts = ranker.parts(outcome, links)
    assert isinstance(parts, Mapping), (
        f"{name_of(ranker)}.parts must return a dict, from the name of a part to its column of numbers"
    )
    assert parts, f"{name_of(ranker)}.parts is empty; leave the method out if there are no parts"
    total = np.sum([np.asarray(column, np.float64) for column in parts.values()], axis=0)
    scores = np.asarray(ranker.score(outcome, links), np.float64)
    assert total.shape == scores.shape, f"{name_of(ranker)}.parts needs one number for each link and part"
    assert np.allclose(total, scores, atol=1e-4), f"{name_of(ranker)}.parts do not add up to its scores"
    names = list(ranker.parts(outcome, sample_links(2)))
    assert names == list(parts), f"{name_of(ranker)}.parts must always give the same names in the same order"


def _check_reranker(ranker: Reranker) -> None:
    changed = ranker.rerank()
    if changed is not None:
        hashes, scores = changed
        assert np.asarray(hashes).dtype == np.uint64 or not len(hashes), (
            f"{name_of(ranker)}.rerank: hashes are uint64"
        )
        check_scores(f"{name_of(ranker)}.rerank", scores, len(hashes))


def check_linear(ranker: LinearRanker, outcome: Outcome, links: Links, before: Weights | None) -> Weights:
    """Check features and weights; return the weights in force."""
    name, weights = name_of(ranker), ranker.weights() or before
    assert weights is not None, f"{name}.weights() must return weights when it is first called"
    table, groups = np.asarray(weights.table), weights.groups
    assert table.ndim == 1, f"{name}.weights().table must have one dimension, it has {table.ndim}"
    assert table.dtype == np.float32, f"{name}.weights().table must be float32, it is {table.dtype}"
    assert np.isfinite(table).all(), f"{name}.weights().table holds a number that is not finite"
    assert table[:1].tolist() == [0], f"{name}.weights().table[0] must be 0: feature 0 means none"
    assert groups, f"{name}.weights() names no feature groups"
    named = [group.name for group in groups]
    assert len(set(named)) == len(named), f"{name}.weights() has two feature groups of one name: {named}"
    assert all(group.columns > 0 and group.weight >= 0 for group in groups), (
        f"{name}: a feature group needs columns, and a weight of 0 or more"
    )
    most = sum(group.weight for group in groups)
    assert most <= 1 + 1e-6, f"{name}: the weights of all feature groups add up to {most:.3f}; at most 1"
    features = np.asarray(ranker.features(outcome, links))
    wanted = (len(links), sum(group.columns for group in groups))
    assert features.shape == wanted, f"{name}.features gave {features.shape} instead of {wanted}"
    assert features.dtype == np.uint32, f"{name}.features must be uint32, they are {features.dtype}"
    again = np.asarray(ranker.features(outcome, links))
    assert (features == again).all(), f"{name}.features must be the same when called twice"
    if len(links):
        one = np.asarray(ranker.features(outcome, links.take([len(links) - 1])))
        alone = f"{name}.features of a link must not depend on the links beside it"
        assert (one[0] == features[-1]).all(), alone
        assert int(features.max()) < len(table), f"{name}.features gave a number that its table does not hold"
    return weights


def _check_host_policy(policy: HostPolicy) -> None:
    """Check a policy that chooses between hosts, in the order in which the engine calls it."""
    name, origin = name_of(policy), "https://a.test"
    assert isinstance(policy.inner, Ranker), f"{name}.inner must be a ranker"
    if isinstance(policy, RestoresHosts):
        policy.restore_hosts([("https://b.test", 3, 1.5, 1.25, 1.0)])
    policy.add_hosts([origin, "https://b.test"])
    policy.learn_page(sample_outcome())
    if isinstance(policy, LimitsPages):
        left = policy.pages_left()
        assert left is None or left >= 0, f"{name}.pages_left must be 0 or more, or None: {left!r}"
    policy.apply_rule(Rule("a.test", "exclude", 0.0))
    changed = policy.on_exhausted()
    assert isinstance(changed, bool), f"{name}.on_exhausted must say whether anything changed: {changed!r}"
    for host, priority in policy.host_priorities().items():
        assert priority is None or isinstance(priority, str) or 0 <= priority <= 1, (
            f"{name}.host_priorities gave {priority!r} for {host}: a number 0…1, None, or a reason"
        )
    if isinstance(policy, ReportsStatus):
        for notice in (policy.status(), *policy.notices()):
            assert notice.text, f"{name} has a notice without a text"


def check_persistent(part: Persistent, untrained: Persistent) -> None:
    """Check that a component which has learned nothing loads what another one has saved."""
    name = name_of(part)
    assert isinstance(part.learned, int), f"{name}.learned must be a whole number, it is {part.learned!r}"
    with tempfile.TemporaryDirectory() as home:
        folders = [Path(home) / each for each in ("blank", "saved", "loaded")]
        for folder in folders:
            folder.mkdir()
        blank, loaded = copied(untrained), copied(untrained)
        blank.load(folders[0])  # a missing file is no error
        blank.save(folders[0])
        part.save(folders[1])
        loaded.load(folders[1])
        loaded.save(folders[2])
        without, before, after = (
            {file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders
        )
    assert set(after) == set(before), f"{name} saves {sorted(after)} after load, but {sorted(before)} before"
    assert before == without or after != without, f"{name}.load does not restore what save has written"


def check_resumable(part: Resumable, untrained: Resumable) -> None:
    """Check that a component which has learned nothing continues with what another one has learned."""
    name, state = name_of(part), part.learned_state()
    for key, column in state.items():
        assert isinstance(column, np.ndarray), f"{name}.learned_state gave no array for {key}"
        assert column.dtype != object, f"{name}.learned_state gave Python objects for {key}"
    restored = copied(untrained)
    restored.restore_state({key: column.copy() for key, column in state.items()})
    after = restored.learned_state()
    wrong = sorted(state.keys() ^ after.keys())
    wrong += [key for key in state.keys() & after.keys() if not same_arrays(state[key], after[key])]
    assert not wrong, f"{name}.restore_state does not restore {', '.join(wrong)}"


def same_arrays(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Tell whether two arrays are equal; what is not a number equals itself."""
    return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()
