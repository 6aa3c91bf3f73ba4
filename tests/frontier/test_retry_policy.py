"""What each kind of answer means."""

import pytest

from clew.frontier import RetryPolicy
from clew.frontier.retry_policy import BUSY_LIMIT, DEAD_LIMIT, retry_after
from clew.types import Link, Response, State

A, B = "http://a.example", "http://b.example"


def visit(
    status: int = 0,
    error: str = "",
    *,
    tries: int = 0,
    header: str = "",
    truncated: bool = False,
    origin: str = A,
    id: int = 1,
) -> Response:
    head = f"HTTP/1.1 {status} X\r\n{header}\r\n\r\n".encode()
    link = Link(id=id, url=origin + "/", origin=origin, tries=tries)
    return Response(link=link, started=0, ended=0, status=status, head=head, error=error, truncated=truncated)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (visit(200), State.DONE),
        (visit(301), State.DONE),
        (visit(404), State.DONE),
        (visit(410), State.DONE),
        (visit(401), State.DONE),
        (visit(408), State.OPEN),
        (visit(425), State.OPEN),
        (visit(500), State.OPEN),
        (visit(500, tries=3), State.FAILED),
        (visit(error="timeout"), State.OPEN),
        (visit(error="timeout", tries=3), State.FAILED),
        (visit(error="connection reset"), State.OPEN),
        (visit(error="something new"), State.OPEN),
        (visit(error="refused address 10.0.0.1"), State.FAILED),
        (visit(error="tls: certificate expired"), State.FAILED),
        (visit(error="headers too large"), State.FAILED),
        (visit(error="bad address"), State.FAILED),
        (visit(error="stopped", tries=9), State.OPEN),
        (visit(200, truncated=True), State.DONE),
        (visit(200, "incomplete body", truncated=True), State.OPEN),
        (visit(200, "incomplete body", truncated=True, tries=3), State.DONE),
    ],
)
def test_states(made: Response, state: State) -> None:
    decision = RetryPolicy(tries=4).decide(made, 0.0)
    assert decision.state is state
    assert (decision.retry_in > 0) is (state is State.OPEN)
    assert not decision.suspend_host


def test_back_off_doubles() -> None:
    patience = RetryPolicy(tries=5)
    assert [patience.decide(visit(500, tries=n), 0.0).retry_in for n in range(5)] == [1, 2, 4, 8, 0]


def test_a_busy_host_rests_longer_and_is_held_in_the_end() -> None:
    patience = RetryPolicy()
    decisions = [patience.decide(visit(503, id=n), 0.0) for n in range(BUSY_LIMIT)]
    assert [d.host_pause for d in decisions] == [5, 10, 20, 40, 80, 0]
    assert [d.suspend_host for d in decisions] == [False] * 5 + [True]
    assert all(d.state is State.OPEN for d in decisions)
    assert patience.decide(visit(503, origin=B), 0.0).host_pause == 5


def test_a_page_that_alone_is_busy_is_given_up_without_its_host() -> None:
    patience = RetryPolicy()
    asked = "Retry-After: 315360000"
    decisions = [patience.decide(visit(503, tries=n, header=asked), 0.0) for n in range(BUSY_LIMIT)]
    assert decisions[-1].state is State.FAILED
    assert not any(decision.suspend_host for decision in decisions)
    assert max(decision.host_pause for decision in decisions) <= 300


def test_an_answer_ends_the_streak() -> None:
    patience = RetryPolicy()
    for _ in range(20):
        assert not patience.decide(visit(429), 0.0).suspend_host
        patience.decide(visit(200), 0.0)


@pytest.mark.parametrize(
    ("header", "rest", "hold"),
    [
        ("Retry-After: 7", 7, False),
        ("retry-after:  300", 300, False),
        ("Retry-After: 301", 0, True),
        ("Retry-After: 86400", 0, True),
        ("Retry-After: " + "9" * 400, 5, False),
        ("Retry-After: 0", 1, False),
        ("Retry-After: -5", 5, False),
        ("Retry-After: soon", 5, False),
        ("Retry-After: ", 5, False),
        ("Retry-After: nan", 5, False),
        ("Retry-After: Thu, 01 Jan 1970 00:02:00 GMT", 60, False),
        ("Retry-After: Thu, 01 Jan 1970 00:00:00 GMT", 1, False),
        ("Retry-After: Thu, 99 Jan 99999 00:00:00 GMT", 5, False),
        ("Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", 5, False),
    ],
)
def test_retry_after(header: str, rest: float, hold: bool) -> None:
    decision = RetryPolicy(max_rest=300).decide(visit(429, header=header), 60.0)
    assert (decision.host_pause, decision.suspend_host, decision.state) == (rest, hold, State.OPEN)
    assert "429" in decision.reason


def test_a_page_that_is_always_busy_fails_in_the_end() -> None:
    patience = RetryPolicy(tries=4)
    for tries in range(12):
        decision = patience.decide(visit(503, tries=tries), 0.0)
        patience.decide(visit(200), 0.0)
        if decision.state is State.FAILED:
            break
    assert tries + 1 <= 6


def test_a_dead_host_does_not_eat_tries_for_every_link() -> None:
    patience = RetryPolicy(tries=4)
    held = 0
    for attempt in range(1, 50):
        if patience.decide(visit(error="connection refused", tries=attempt % 2), 0.0).suspend_host:
            held = attempt
            break
    assert held == DEAD_LIMIT


def test_streaks_are_bounded() -> None:
    patience = RetryPolicy()
    for n in range(50_100):
        origin = f"http://h{n}.example"
        link = Link(id=1, url=f"{origin}/", origin=origin)
        patience.decide(Response(link=link, started=0.0, ended=0.0, status=200), 0.0)
    assert len(patience) == 50_000


def test_dates_without_zone_count_as_utc() -> None:
    assert retry_after("Thu, 01 Jan 1970 00:01:00 -0000", 0.0) is not None


def test_a_page_that_takes_all_its_time_is_tried_twice() -> None:
    patience = RetryPolicy(tries=4)
    assert patience.decide(visit(0, error="timeout"), 0.0).state is State.OPEN
    assert patience.decide(visit(0, error="timeout", tries=1), 0.0).state is State.FAILED
    assert patience.decide(visit(0, error="connection reset", tries=1), 0.0).state is State.OPEN


def test_pages_that_are_busy_again_do_not_keep_the_others_of_their_host_from_their_turn() -> None:
    """Else two pages take turns for minutes before the host is known to be busy with all of them."""
    patience = RetryPolicy(max_rest=10)
    waiting, asked, now = dict.fromkeys(range(9), 0.0), [], 0.0
    while True:
        id = min(link for link, at in waiting.items() if at <= now)  # the first has the best score
        asked.append(id)
        decision = patience.decide(visit(503, id=id, tries=asked.count(id) - 1), now)
        if decision.suspend_host:
            break
        waiting[id] = now + decision.retry_in
        now += decision.host_pause
    assert len(set(asked)) == BUSY_LIMIT
    assert len(asked) <= 2 * BUSY_LIMIT
