"""The frontier against a naive model: the best allowed link, at the allowed time, once."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from clew.errors import ClewError
from clew.frontier import Frontier, bulk_load
from clew.frontier.queue import ID_MASK, Queue, ranks_of
from clew.frontier.url_index import UrlIndex
from clew.urls import clock_key

A, TWIN, B, C = "http://a.example", "https://a.example", "http://b.example", "http://c.example:8080"


def filled(*links: tuple[str, float], **kwargs: float) -> Frontier:
    frontier = Frontier(**kwargs)
    give(frontier, 1, *links)
    return frontier


def give(frontier: Frontier, first: int, *links: tuple[str, float]) -> None:
    frontier.add(
        first,
        [origin for origin, _ in links],
        np.arange(first, first + len(links)).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15),
        np.array([score for _, score in links], np.float32),
        np.ones(len(links), bool),
    )


def test_best_first_then_oldest() -> None:
    frontier = filled((A, 0.5), (B, 0.9), (C, 0.9))
    assert [frontier.take(0.0) for _ in range(4)] == [2, 3, 1, None]


def test_the_delay_counts_from_the_end_of_the_answer() -> None:
    frontier = filled((A, 0.5), (A, 0.4), delay=2.0)
    assert frontier.take(0.0) == 1
    assert frontier.next_ready_at(1.0) == math.inf
    frontier.done(1, 5.0)
    assert frontier.take(6.9) is None
    assert frontier.next_ready_at(6.9) == 7.0
    assert frontier.take(7.0) == 2
    frontier.done(2, 7.5)
    assert frontier.next_ready_at(8.0) is None


def test_http_and_https_share_a_clock_but_ports_do_not() -> None:
    frontier = filled((A, 0.9), (TWIN, 0.8), ("http://a.example:81", 0.1))
    assert [frontier.take(0.0) for _ in range(3)] == [1, 3, None]


def test_starts_keep_the_delay_when_several_are_under_way() -> None:
    frontier = filled(*[(A, 0.5)] * 5, delay=1.0, per_host=2)
    assert frontier.take(0.0) == 1
    assert frontier.take(0.9) is None
    assert frontier.take(1.0) == 2
    assert frontier.take(9.0) is None


def test_the_gate_comes_first_with_the_score_of_the_best_link() -> None:
    frontier = filled((A, 0.9), (B, 0.5))
    frontier.close_gate(A, 100)
    assert frontier.take(0.0) == 100
    assert frontier.take(0.0) == 2
    frontier.done(100, 0.5)
    assert frontier.take(9.0) is None, "answered, but not understood yet"
    frontier.open_gate(A, delay=30.0)
    assert frontier.take(30.0) is None
    assert frontier.take(30.5) == 1, "Crawl-delay counts from the end of the robots answer"


def test_a_dropped_link_can_be_opened_again() -> None:
    frontier = filled((A, 0.9), (A, 0.5), delay=0.0)
    assert frontier.take(0.0) == 1
    frontier.cancel(1)
    assert frontier.take(0.0) == 2
    frontier.done(2, 0.0)
    assert frontier.next_ready_at(0.0) is None
    frontier.reopen(1, 0.9)
    assert frontier.open == 1
    assert frontier.take(0.0) == 1


def test_a_gate_that_failed_is_tried_again() -> None:
    frontier = filled((A, 0.9))
    frontier.close_gate(A, 100)
    assert frontier.take(0.0) == 100
    frontier.retry_later(100, 1.0, retry_at=10.0)
    assert frontier.next_ready_at(5.0) == 10.0
    assert frontier.take(5.0) is None
    assert frontier.take(10.0) == 100


def test_back_waits_for_its_time_while_others_go_on() -> None:
    frontier = filled((A, 0.9), (A, 0.1), delay=1.0)
    assert frontier.take(0.0) == 1
    frontier.retry_later(1, 0.0, retry_at=10.0)
    assert frontier.open == 2
    assert frontier.take(1.0) == 2
    frontier.done(2, 1.0)
    assert frontier.next_ready_at(2.0) == 10.0
    assert frontier.take(10.0) == 1


def test_drop_does_not_move_the_clock() -> None:
    frontier = filled((A, 0.9), (A, 0.1), delay=5.0)
    assert frontier.take(0.0) == 1
    frontier.cancel(1)
    assert frontier.take(0.0) == 2
    assert frontier.in_flight == 1


def test_put_back_restores_links_and_gates() -> None:
    frontier = filled((A, 0.9), (A, 0.1), delay=5.0)
    assert frontier.take(0.0) == 1
    frontier.requeue(1)
    assert (frontier.open, frontier.in_flight) == (2, 0)
    assert frontier.take(0.0) == 1
    frontier.done(1, 0.0)
    frontier.close_gate(A, 100)
    assert frontier.take(5.0) == 100
    frontier.requeue(100)
    assert frontier.take(5.0) == 100


def test_rest_and_hold() -> None:
    frontier = filled((A, 0.9), (B, 0.1))
    frontier.pause_host(A, 50.0)
    assert (frontier.take(0.0), len(frontier.stats(0.0).paused)) == (2, 1)
    assert frontier.stats(0.0).hosts_by_status == {"paused": 1}
    assert frontier.next_ready_at(0.0) == 50.0
    frontier.suspend(A, "too busy")
    assert (frontier.open, frontier.next_ready_at(60.0), frontier.take(60.0)) == (0, None, None)
    assert not frontier.stats(60.0).paused
    assert frontier.stats(60.0).hosts_by_status == {"suspended: too busy": 1}


def test_pages_per_host_end_a_host() -> None:
    frontier = filled((A, 0.9), (A, 0.8), (A, 0.7), delay=0.0, pages_per_host=2)
    first = frontier.take(0.0)
    frontier.retry_later(first, 0.0, 0.0)
    taken = []
    while (id := frontier.take(1.0)) is not None:
        taken.append(id)
        frontier.done(id, 1.0)
    assert taken == [1, 2]
    assert frontier.next_ready_at(2.0) is None


def test_scores_rise_but_never_fall() -> None:
    frontier = filled((A, 0.2), (A, 0.5), (B, 0.4), delay=0.0)
    assert frontier.raise_scores(np.array([1, 2, 3, 1]), np.array([0.9, 0.1, 0.4, 0.8], np.float32)) == [0]
    order = []
    while (id := frontier.take(0.0)) is not None:
        order.append(id)
        frontier.done(id, 0.0)
        frontier.raise_scores(np.array([id]), np.array([1.0], np.float32))
    assert order == [1, 2, 3]


def test_odd_scores_are_put_in_order() -> None:
    scores = np.array(
        [1.0, np.nextafter(np.float32(1), np.float32(0)), 1e-40, 0.0, -0.0, -3.0, 7.0, np.nan], np.float32
    )
    ranks = ranks_of(scores).tolist()
    assert ranks[0] == ranks[6] == 0
    assert ranks[0] < ranks[1] < ranks[2] < ranks[3] == ranks[4] == ranks[5] == ranks[7]


def test_too_many_links_say_so() -> None:
    with pytest.raises(ClewError, match="new folder"):
        give(Frontier(), ID_MASK, (A, 0.5))


def test_load_equals_add() -> None:
    rng = np.random.default_rng(5)
    count, names = 9_000, [A, TWIN, B, C]
    owners, scores = rng.integers(0, 4, count), rng.random(count).astype(np.float32)
    open, hashes = rng.random(count) < 0.7, rng.integers(0, 2**63, count).astype(np.uint64)
    added, loaded = Frontier(delay=0.0), Frontier(delay=0.0)
    added.add(1, [names[i] for i in owners], hashes, scores, open)
    loaded.load(
        ids=np.arange(1, count + 1), hashes=hashes, scores=scores, open=open, origins=names, owners=owners,
        clocks={B: 5.0},
    )  # fmt: skip
    assert added.open == loaded.open == int(open.sum())
    assert (loaded.find_ids(hashes) == np.arange(1, count + 1)).all()
    early = loaded.take(0.0)
    assert names[owners[early - 1]] != B
    loaded.cancel(early)
    give(loaded, count + 1, (A, scores[early - 1]))
    added_order, loaded_order = [], []
    for frontier, order in ((added, added_order), (loaded, loaded_order)):
        while (id := frontier.take(6.0)) is not None:
            order.append(id)
            frontier.done(id, 6.0)
    assert sorted(added_order) == (np.flatnonzero(open) + 1).tolist()
    assert [id for id in added_order if id != early] == [id for id in loaded_order if id != count + 1]


def test_seen_keeps_every_pair_through_flushes_and_merges() -> None:
    rng = np.random.default_rng(3)
    seen = UrlIndex(fresh=500, largest=6_000)
    hashes = rng.integers(0, 2**64, 20_000, np.uint64)
    for start in range(0, len(hashes), 50):
        seen.add(start + 1, hashes[start : start + 50])
        if start % 1_000 == 0:
            probe = rng.integers(0, start + 50, 20)
            assert (seen.find(hashes[probe]) == probe + 1).all()
    assert (seen.find(hashes) == np.arange(1, 20_001)).all()
    assert not seen.find(rng.integers(0, 2**64, 1_000, np.uint64)).any()
    assert len(seen) == 20_000
    assert len(seen.runs) < 12


def test_queue_gives_keys_in_order_whatever_was_spilled() -> None:
    from heapq import heappop, heappush

    rng = np.random.default_rng(4)
    queue, model, given = Queue(), [], []
    for key in rng.integers(1, 2**60, 20_000).tolist():
        heappush(queue.heap, key)
        heappush(model, key)
        if len(queue.heap) > 300:
            queue.spill()
        if key % 3 == 0:
            given.append(queue.peek() == heappop(model))
            heappop(queue.heap)
    while model:
        given.append(queue.peek() == heappop(model))
        heappop(queue.heap)
    assert all(given)
    assert queue.peek() == 0


ORIGINS = [A, TWIN, B, C]
SCORES = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@dataclass
class Model:
    """What a patient person with paper would keep."""

    delay: float
    per_host: int
    queue: dict[int, tuple[float, str]] = field(default_factory=dict)
    later: dict[int, tuple[float, float, str]] = field(default_factory=dict)
    out: dict[int, tuple[float, str]] = field(default_factory=dict)
    next_at: dict[str, float] = field(default_factory=dict)
    gates: dict[str, int] = field(default_factory=dict)
    gates_out: set[int] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    crawl_delay: dict[str, float] = field(default_factory=dict)

    def pause(self, origin: str) -> float:
        twins = [d for o, d in self.crawl_delay.items() if clock_key(o) == clock_key(origin)]
        return max([self.delay, *twins])

    def best(self, now: float) -> tuple[int | None, str]:
        options = []
        for origin in ORIGINS:
            key = clock_key(origin)
            busy = sum(clock_key(o) == key for _, o in self.out.values())
            mine = sorted((-s, id) for id, (s, o) in self.queue.items() if o == origin)
            if not mine or origin in self.held or busy >= self.per_host or self.next_at.get(key, -1) > now:
                continue
            gate = self.gates.get(origin)
            if gate is None:
                options.append((*mine[0], origin))
            elif gate not in self.gates_out:
                options.append((mine[0][0], gate, origin))
        return min(options)[1:] if options else (None, "")


class Machine(RuleBasedStateMachine):
    """Any order of calls; both must agree on every take."""

    @initialize(delay=st.sampled_from([0.0, 1.0, 2.5]), per_host=st.integers(1, 3))
    def begin(self, delay: float, per_host: int) -> None:
        self.frontier = Frontier(delay=delay, per_host=per_host)
        self.model = Model(delay, per_host)
        self.now, self.next_id, self.next_gate = 0.0, 1, 1_000_000
        self.starts: dict[str, float] = {}
        self.given: set[int] = set()
        self.met: set[str] = set()

    @rule(
        links=st.lists(st.tuples(st.sampled_from(ORIGINS), SCORES, st.booleans()), min_size=1, max_size=6),
        gated=st.booleans(),
    )
    def add(self, links: list[tuple[str, float, bool]], gated: bool) -> None:
        new = {origin for origin, _, _ in links if origin not in self.met}
        self.met |= new
        ids = np.arange(self.next_id, self.next_id + len(links))
        self.frontier.add(
            self.next_id,
            [origin for origin, _, _ in links],
            ids.astype(np.uint64),
            np.array([score for _, score, _ in links], np.float32),
            np.array([open for _, _, open in links]),
        )
        assert (self.frontier.find_ids(ids.astype(np.uint64)) == ids).all()
        for id, (origin, score, open) in zip(ids.tolist(), links, strict=True):
            if open:
                self.model.queue[id] = (score, origin)
        self.next_id += len(links)
        for origin in sorted(new) if gated else ():
            self.gate(origin)

    @rule(origin=st.sampled_from(ORIGINS))
    def gate(self, origin: str) -> None:
        if self.model.gates.get(origin) in self.model.gates_out:
            return
        self.frontier.close_gate(origin, self.next_gate)
        self.model.gates[origin] = self.next_gate
        self.next_gate += 1

    @rule(id=st.integers(1, 60), score=SCORES)
    def raise_score(self, id: int, score: float) -> None:
        if id < self.next_id:
            self.frontier.raise_scores(np.array([id]), np.array([score], np.float32))
            if id in self.model.queue and score > self.model.queue[id][0]:
                self.model.queue[id] = (score, self.model.queue[id][1])

    @rule(new=st.dictionaries(st.integers(1, 60), SCORES), whole=st.booleans())
    def rescore(self, new: dict[int, float], whole: bool) -> None:
        new = {id: score for id, score in new.items() if id < self.next_id}
        few, bulk_load.REBUILD_SHARE = bulk_load.REBUILD_SHARE, -1.0 if whole else 1.0
        self.frontier.rescore(np.array(list(new), np.int64), np.array(list(new.values()), np.float32))
        bulk_load.REBUILD_SHARE = few
        for id in new.keys() & self.model.queue.keys():
            self.model.queue[id] = (new[id], self.model.queue[id][1])

    @rule(passed=st.sampled_from([0.0, 0.5, 1.0, 3.0]), times=st.integers(1, 4))
    def take(self, passed: float, times: int) -> None:
        for _ in range(times):
            self._take(passed)
            passed = passed % 1.0

    def _take(self, passed: float) -> None:
        self.now += passed
        model = self.model
        for id, (at, score, origin) in list(model.later.items()):
            if at <= self.now:
                del model.later[id]
                if origin:
                    model.queue[id] = (score, origin)
                else:
                    model.gates_out.discard(id)
        wanted, origin = model.best(self.now)
        wake = self.frontier.next_ready_at(self.now)
        assert (wake == self.now) == (wanted is not None)
        assert self.frontier.take(self.now) == wanted
        if wanted is None:
            return
        key = clock_key(origin)
        assert self.now - self.starts.get(key, -1e9) >= model.pause(origin) or model.crawl_delay
        self.starts[key] = self.now
        if wanted in model.queue:
            assert wanted not in self.given, "given twice"
            self.given.add(wanted)
            assert self.frontier.score(wanted) == model.queue[wanted][0]
            model.out[wanted] = model.queue.pop(wanted)
        else:
            model.out[wanted] = (-1.0, origin)
            model.gates_out.add(wanted)
        self.undo = (wanted, model.next_at.get(key, -1))
        model.next_at[key] = max(model.next_at.get(key, -1), self.now + model.pause(origin))

    @precondition(lambda self: self.model.out)
    @rule(
        data=st.data(),
        passed=st.sampled_from([0.0, 0.5]),
        rest=st.sampled_from([0.0, 0.0, 4.0]),
        delay=st.sampled_from([None, 2.0]),
    )
    def done(self, data: st.DataObject, passed: float, rest: float, delay: float | None) -> None:
        id = data.draw(st.sampled_from(sorted(self.model.out)))
        self.now += passed
        score, origin = self.model.out.pop(id)
        if score < 0:
            self.frontier.open_gate(origin, delay)
            del self.model.gates[origin]
            self.model.gates_out.discard(id)
            self.model.crawl_delay[origin] = delay or 0.0
        self.frontier.done(id, self.now, pause=rest)
        self._ended(origin, rest)

    @precondition(lambda self: self.model.out)
    @rule(data=st.data(), wait=st.sampled_from([0.0, 2.0, 6.0]))
    def back(self, data: st.DataObject, wait: float) -> None:
        id = data.draw(st.sampled_from(sorted(self.model.out)))
        score, origin = self.model.out.pop(id)
        self.frontier.retry_later(id, self.now, self.now + wait)
        self.model.later[id] = (self.now + wait, score, origin if score >= 0 else "")
        self.given.discard(id)
        self._ended(origin, 0.0)

    @precondition(lambda self: getattr(self, "undo", None) and self.undo[0] in self.model.out)
    @rule()
    def drop(self) -> None:
        id, before = self.undo
        score, origin = self.model.out[id]
        key = clock_key(origin)
        if (
            score < 0
            or self.model.next_at[key] != self.starts[key] + self.model.pause(origin)
            or self.starts[key] < self.now
        ):
            return
        del self.model.out[id]
        self.frontier.cancel(id)
        self.model.next_at[key] = before
        self.starts[key] = -1e9

    @rule(origin=st.sampled_from(ORIGINS), wait=st.sampled_from([1.0, 8.0]))
    def rest(self, origin: str, wait: float) -> None:
        self.frontier.pause_host(origin, self.now + wait)
        key = clock_key(origin)
        self.model.next_at[key] = max(self.model.next_at.get(key, -1), self.now + wait)
        self.undo = None

    @rule(origin=st.sampled_from(ORIGINS), really=st.integers(0, 9))
    def hold(self, origin: str, really: int) -> None:
        if really == 0:
            self.frontier.suspend(origin)
            self.model.held.add(origin)

    def _ended(self, origin: str, rest: float) -> None:
        key = clock_key(origin)
        model = self.model
        model.next_at[key] = max(
            model.next_at.get(key, -1),
            self.now + model.pause(origin),
            self.now + rest,
            self.starts[key] + model.pause(origin),
        )

    @invariant()
    def counts(self) -> None:
        if not hasattr(self, "model"):
            return
        model = self.model
        open = [o for _, o in model.queue.values()] + [o for _, _, o in model.later.values() if o]
        assert self.frontier.open == sum(origin not in model.held for origin in open)
        assert self.frontier.in_flight == len(model.out)


Machine.TestCase.settings = settings(
    max_examples=150, stateful_step_count=40, deadline=None, derandomize=True
)
TestMachine = Machine.TestCase
