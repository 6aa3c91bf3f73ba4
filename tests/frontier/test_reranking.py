"""Ranking all open links anew while the crawl goes on: afterwards the order is that of a full sort."""

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from clew.errors import ClewError
from clew.frontier import Frontier, reranking
from clew.frontier.linear_scorer import LinearScorer, make_scorer, sum_parts
from clew.frontier.queue import ranks_of
from clew.types import FeatureGroup, Weights

ORIGINS = [
    "http://a.example",
    "https://a.example",
    "http://b.example",
    "http://c.example",
    "http://d.example",
]
FAMILIES = (FeatureGroup("page", 1, 0.5, -0.5), FeatureGroup("text", 3, 0.5, 0.25))
WORDS = 12


def scale(seed: int) -> LinearScorer:
    table = np.random.default_rng(seed).normal(0, 2, WORDS).astype(np.float32)
    table[0] = 0
    return make_scorer(Weights(table=table, groups=FAMILIES))


def drawn(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, WORDS, (count, 4)).astype(np.uint32)


@pytest.fixture
def beside() -> Iterator[None]:
    """Let every pass run beside the crawl, and swap one host at a time."""
    few, look, reranking.SYNC_LIMIT, reranking.HOSTS_PER_CHECK = (
        reranking.SYNC_LIMIT,
        reranking.HOSTS_PER_CHECK,
        -1,
        1,
    )
    yield
    reranking.SYNC_LIMIT, reranking.HOSTS_PER_CHECK = few, look


def emptied(frontier: Frontier, now: float, most: int = 1_000_000) -> list[int]:
    taken: list[int] = []
    while len(taken) < most and (id := frontier.take(now)) is not None:
        taken.append(id)
        frontier.done(id, now)
    return taken


def filled(count: int, hosts: int, weights: LinearScorer, seed: int = 0) -> tuple[Frontier, np.ndarray]:
    """Return a frontier of links with features in rows 1 …"""
    frontier = Frontier(delay=0.0)
    frontier.reranking.apply_weights(weights)
    features = np.random.default_rng(seed).integers(0, WORDS, (count, 4)).astype(np.uint32)
    frontier.reranking.add_features(1, features)
    names = [f"http://h{i}.example" for i in range(hosts)]
    owners = np.random.default_rng(seed + 1).integers(0, hosts, count)
    frontier.add(
        1, [names[i] for i in owners.tolist()], np.arange(1, count + 1).astype(np.uint64),
        weights.scored_features(features)[0], np.ones(count, bool),
    )  # fmt: skip
    return frontier, features


def test_parts_add_up_and_a_link_alone_gets_the_same_bits() -> None:
    weights, features = scale(1), drawn(2, 5_000)
    together, parts = weights.scored_features(features)
    assert (together == sum_parts(parts)).all()
    alone = np.concatenate([weights.scored_features(features[i : i + 1])[0] for i in range(300)])
    assert (together[:300] == alone).all()
    table = weights.table[:-1].astype(np.float64)
    logits = -0.5 + table[features[:, 0]], 0.25 + table[features[:, 1:]].sum(axis=1)
    for column, logit in enumerate(logits):
        assert np.allclose(parts[:, column], 0.5 / (1 + np.exp(-logit)), atol=1e-6)


def test_features_that_are_newer_than_the_weights_weigh_nothing() -> None:
    weights = scale(1)
    assert (
        weights.scored_features(np.full((1, 4), 9_999, np.uint32))[1]
        == weights.scored_features(np.zeros((1, 4), np.uint32))[1]
    ).all()


def test_weights_of_no_use_say_so() -> None:
    with pytest.raises(ClewError, match="check_ranker"):
        make_scorer(Weights(table=np.array([0, np.nan], np.float32), groups=FAMILIES))
    with pytest.raises(ClewError, match="3 columns"):
        scale(1).scored_features(np.zeros((2, 3), np.uint32))[1]


@pytest.mark.parametrize("hosts", [1, 300, 70_000])
def test_a_hundred_thousand_links_in_the_order_of_a_full_sort(hosts: int) -> None:
    count = 100_000
    frontier, features = filled(count, hosts, scale(1))
    frontier.reranking.apply_weights(scale(2))
    ranks = ranks_of(scale(2).scored_features(features)[0])
    wanted = (np.lexsort((np.arange(count), ranks)) + 1).tolist()
    assert (frontier.reranking.ranks(np.arange(1, count + 1)) == ranks).all()
    most = count if hosts == 300 else 20_000
    assert emptied(frontier, 1.0, most) == wanted[:most]


def test_beside_a_crawl_that_goes_on(beside: None) -> None:
    """The real thread and the real loop; links are taken, found and put back meanwhile."""
    count = 100_000
    frontier, features = filled(count, 2_000, scale(1))
    frontier.reranking.background = True
    every = [features]

    async def crawl() -> set[int]:
        attending = asyncio.create_task(frontier.reranking.run())
        gone, next_id = set(), count + 1
        frontier.reranking.apply_weights(scale(2))
        frontier.reranking.apply_weights(scale(3))
        rounds = 0
        while frontier.reranking.active:
            rounds += 1
            for _ in range(5):
                id = frontier.take(0.0)
                if id % 2:
                    frontier.done(id, 0.0)
                    gone.add(id)
                else:
                    frontier.requeue(id)
            more = drawn(rounds, 3)
            frontier.reranking.add_features(next_id, more)
            hashes = np.arange(next_id, next_id + 3).astype(np.uint64)
            scores = scale(3).scored_features(more)[0]
            frontier.add(next_id, [f"http://h{rounds % 2_500}.example"] * 3, hashes, scores, np.ones(3, bool))
            every.append(more)
            next_id += 3
            await asyncio.sleep(0)
        attending.cancel()
        assert rounds > 3
        return gone

    gone = asyncio.run(crawl())
    assert frontier.reranking.completed_passes == 1, "the older pass was abandoned"
    ranks = ranks_of(scale(3).scored_features(np.concatenate(every))[0])
    ids = np.arange(1, len(ranks) + 1)
    wanted = [id for id in ids[np.lexsort((ids, ranks))].tolist() if id not in gone]
    assert emptied(frontier, 1.0) == wanted


def test_few_links_are_done_at_once() -> None:
    frontier, features = filled(2_000, 10, scale(1))
    frontier.reranking.background = True
    frontier.reranking.apply_weights(scale(2))
    assert not frontier.reranking.active
    best = int(np.lexsort((np.arange(2_000), ranks_of(scale(2).scored_features(features)[0])))[0]) + 1
    assert frontier.take(0.0) == best


@pytest.mark.parametrize("handful", [0, 1_000])
def test_given_scores_of_two_passes_in_a_row_both_count(
    beside: None, handful: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reranking, "DIRECT_LIMIT", handful)
    frontier = Frontier(delay=0.0)
    frontier.reranking.background = True
    frontier.add(
        1, ["http://a.example", "http://b.example"] * 2, np.arange(1, 5).astype(np.uint64),
        np.array([0.9, 0.8, 0.7, 0.6], np.float32), np.ones(4, bool),
    )  # fmt: skip
    frontier.rescore(np.array([4, 3]), np.array([1.0, 0.2], np.float32))
    assert frontier.reranking.active
    frontier.rescore(np.array([1, 3]), np.array([0.1, 0.3], np.float32))
    frontier.reranking.finish()
    assert emptied(frontier, 0.0) == [4, 2, 3, 1]


class Machine(RuleBasedStateMachine):
    """Any order of calls, with passes that go on in the smallest steps there are.

    `features` and `plain` are what a patient person keeps: the features of each link (or its score, if it has
    none); `places` where it is: queue, later, out or gone.
    """

    @initialize()
    def begin(self) -> None:
        self.few, self.look = reranking.SYNC_LIMIT, reranking.HOSTS_PER_CHECK
        reranking.SYNC_LIMIT, reranking.HOSTS_PER_CHECK = -1, 1
        self.frontier = Frontier(delay=0.0, per_host=3)
        self.service = self.frontier.reranking
        self.service.background = True
        self.weights = scale(0)
        self.service.apply_weights(self.weights)
        self.now, self.next_id, self.stage = 0.0, 1, 0
        self.features: dict[int, np.ndarray] = {}
        self.plain: dict[int, float] = {}
        self.places: dict[int, str] = {}
        self.homes: dict[int, str] = {}
        self.held: set[str] = set()
        self.later: dict[int, float] = {}

    def teardown(self) -> None:
        if not hasattr(self, "service"):
            return
        self.service.finish()
        self.in_order()
        for origin in self.held:
            self.frontier.resume(origin)
        waiting = [id for id, place in self.places.items() if place in ("queue", "later")]
        for id in [id for id, place in self.places.items() if place == "out"]:
            self.frontier.done(id, self.now)
        wanted = sorted(waiting, key=lambda link: (self.rank(link), link))
        assert emptied(self.frontier, 1e6) == wanted
        reranking.SYNC_LIMIT, reranking.HOSTS_PER_CHECK = self.few, self.look

    def score(self, id: int) -> float:
        if id in self.features:
            return float(self.weights.scored_features(self.features[id][None])[0][0])
        return self.plain[id]

    def rank(self, id: int) -> int:
        return int(ranks_of(np.array([self.score(id)], np.float32))[0])

    @invariant()
    def in_order(self) -> None:
        """Between passes every open link stands with the rank that its features have by the last weights."""
        if not hasattr(self, "service") or self.service.active:
            return
        queued = np.array([id for id, place in self.places.items() if place == "queue"], np.int64)
        assert self.frontier.reranking.ranks(queued).tolist() == [self.rank(id) for id in queued.tolist()]

    @rule(
        origins=st.lists(st.sampled_from(ORIGINS), min_size=1, max_size=8),
        seed=st.integers(0, 999),
        bare=st.booleans(),
    )
    def add(self, origins: list[str], seed: int, bare: bool) -> None:
        ids = range(self.next_id, self.next_id + len(origins))
        rows = drawn(seed, len(origins))
        scores = (
            np.full(len(origins), seed / 1_000, np.float32) if bare else self.weights.scored_features(rows)[0]
        )
        for at, id in enumerate(ids):
            if bare:
                self.plain[id] = float(scores[at])
            else:
                self.features[id] = rows[at]
            self.places[id], self.homes[id] = "queue", origins[at]
        if not bare:
            self.service.add_features(self.next_id, rows)
        self.frontier.add(
            self.next_id, origins, np.array(ids, np.uint64), scores, np.ones(len(origins), bool)
        )
        self.next_id += len(origins)

    @rule(times=st.integers(1, 6))
    def take(self, times: int) -> None:
        for _ in range(times):
            for id in [id for id, at in self.later.items() if at <= self.now]:
                self.places[id] = "queue"
                del self.later[id]
            options = [
                id
                for id, place in self.places.items()
                if place == "queue" and self.homes[id] not in self.held
            ]
            id = self.frontier.take(self.now)
            if id is None:
                return
            assert id in options, "only what is open is given"
            if not self.service.active and not self.busy():
                assert id == min(options, key=lambda link: (self.rank(link), link))
            self.places[id] = "out"

    def busy(self) -> bool:
        return any(place == "out" for place in self.places.values())

    @precondition(lambda self: self.busy())
    @rule(data=st.data(), how=st.sampled_from(["done", "back", "drop", "put_back"]))
    def comes_home(self, data: st.DataObject, how: str) -> None:
        id = data.draw(st.sampled_from(sorted(id for id, place in self.places.items() if place == "out")))
        if how == "done":
            self.frontier.done(id, self.now)
            self.places[id] = "gone"
        elif how == "back":
            self.frontier.retry_later(id, self.now, self.now + 1)
            self.places[id], self.later[id] = "later", self.now + 1
        elif how == "drop":
            self.frontier.cancel(id)
            self.places[id] = "gone"
        else:
            self.frontier.requeue(id)
            self.places[id] = "queue"

    @rule(data=st.data(), score=st.sampled_from([0.2, 0.7]))
    def reopen(self, data: st.DataObject, score: float) -> None:
        gone = sorted(id for id, place in self.places.items() if place == "gone")
        if gone:
            id = data.draw(st.sampled_from(gone))
            self.plain[id] = score
            self.frontier.reopen(id, score)
            self.places[id] = "queue"

    @rule(data=st.data(), seed=st.integers(0, 999), count=st.integers(1, 5))
    def meet(self, data: st.DataObject, seed: int, count: int) -> None:
        """Links are met again on another page."""
        if not self.places:
            return
        ids = data.draw(
            st.lists(st.sampled_from(sorted(self.places)), min_size=1, max_size=count, unique=True)
        )
        rows = drawn(seed, len(ids))
        scores = self.weights.scored_features(rows)[0]
        known = np.array(ids, np.int64)
        risen = self.frontier.raise_scores(known, scores)
        gained = self.service.update_features(known, scores, rows, risen)
        better = [
            at for at, id in enumerate(ids) if self.places[id] == "queue" and scores[at] > self.score(id)
        ]
        assert gained == better
        for at in better:
            self.features[ids[at]] = rows[at]

    @rule(origin=st.sampled_from(ORIGINS), hold=st.booleans())
    def hold(self, origin: str, hold: bool) -> None:
        if hold:
            self.frontier.suspend(origin)
            self.held.add(origin)
        else:
            self.frontier.resume(origin)
            self.held.discard(origin)

    @rule(seed=st.integers(0, 99))
    def think_again(self, seed: int) -> None:
        self.weights = scale(seed)
        self.service.apply_weights(self.weights)
        if not self.frontier.reranking.swapping:
            self.stage = 0

    @rule(passed=st.sampled_from([0.0, 1.0]))
    def time_passes(self, passed: float) -> None:
        self.now += passed

    @precondition(lambda self: self.service.active)
    @rule()
    def a_step(self) -> None:
        """Rank, sort, or swap one host."""
        asked = self.service.current_pass
        if self.stage == 0:
            asked.rank()
        elif self.stage == 1:
            asked.sort()
        else:
            self.service.swap(0.0)
        self.stage = self.stage + 1 if asked is self.service.current_pass else 0


Machine.TestCase.settings = settings(max_examples=40, stateful_step_count=50, deadline=None, derandomize=True)
TestMachine = Machine.TestCase
