"""What is worth visiting again: how fast pages change, and where new relevant pages appear.

Two rates are estimated for every page, both as means of Gamma distributions whose prior is the estimate for
the pages around it (folder, host, type, all): a page with a history speaks for itself, one without like its
neighbours. What a visit is expected to bring is the number of new relevant pages that its links lead to,
and the share of a relevant page that a change of a known one is worth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from clew.contracts import PageHistory
from clew.domain.link_worth import worth_score
from clew.types import Kind, Scores

Floats = NDArray[np.float64]

DAY = 86_400.0

CHANGE_DAYS = 30.0
"""Days between two changes of a page where nothing is known yet."""

ARRIVAL_DAYS = 365.0
"""Days in which as many new links appear on a page as it has, where nothing is known yet."""

STRENGTH = 1.0
"""Events that the pages around a page count for, beside its own."""

BACK = 0.1
"""The chance that a page which was not found is there again, beside that of another one to have changed."""

SWEEPS = 4
"""Rounds of estimation: a change that was seen may stand for several, how many depends on the rate."""

LARGEST_CLASS = 5
"""Lists of at least 2 to this power links are of one kind, in how fast links appear on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshPlanner:
    """Score what is worth visiting again. A seen change of a relevant page is worth `changed` new ones."""

    changed: float = 0.1

    def __call__(self, history: PageHistory, now: float) -> Scores:
        """Return the score of each page, comparable to those that `LinkWorth` gives to new links."""
        gain = expected_new(history, now) + self.changed * expected_changes(history, now)
        return worth_score(gain)


def expected_changes(history: PageHistory, now: float) -> Floats:
    """Return the chance that each page has changed since it was seen, times what it was worth."""
    rate, own = change_rates(history)
    waited = np.maximum(now - history.seen_at, 0.0)
    exposure = (STRENGTH + own.events) / rate
    chance = 1 - (exposure / (exposure + waited)) ** (STRENGTH + own.events)
    worth = np.where(history.relevant, history.verdicts, 0.0)
    return worth * chance * np.where(history.lost, BACK, 1.0)


def expected_new(history: PageHistory, now: float) -> Floats:
    """Return how many new relevant pages the links of each page are expected to lead to.

    New links come at a rate that is drawn towards that of lists of its size, times the number of links that
    the page had at first; how many of them are relevant, towards those of its folder and its host.
    """
    visits, size, waited = history.visits, len(history), np.maximum(now - history.seen_at, 0.0)
    found, watched = _sums(visits.rows, visits.links, size), _sums(visits.rows, visits.seconds, size)
    stock = list_sizes(history)
    everywhere = (found.sum() + STRENGTH) / ((stock * watched).sum() + STRENGTH * ARRIVAL_DAYS * DAY)
    prior = stock * _shrunk(found, stock * watched, _list_classes(history, stock), np.full(size, everywhere))
    rate = (STRENGTH + found) / (STRENGTH / np.maximum(prior, 1e-15) + watched)
    return rate * waited * relevant_share(history) * np.where(history.lost, BACK, 1.0)


def _list_classes(history: PageHistory, sizes: Floats) -> NDArray[np.int64]:
    """Return the class of each page by kind, type and number of links: few appear on what is no list."""
    powers = np.minimum(np.log2(sizes), LARGEST_CLASS).astype(int).tolist()
    return _codes([
        f"{kind} {mime} {power}"
        for kind, mime, power in zip(history.kinds.tolist(), history.types, powers, strict=True)
    ])  # fmt: skip


def relevant_share(history: PageHistory) -> Floats:
    """Return which share of the links first found on each page is relevant, as far as they were read."""
    read, hits = history.read.astype(np.float64), history.hits.astype(np.float64)
    share = np.full(len(history), (hits.sum() + STRENGTH) / (read.sum() + 2 * STRENGTH))
    for codes in (*_groups(history)[1:], np.arange(len(history))):
        share = _shrunk(hits, read, codes, share, unit=True)
    return share


def list_sizes(history: PageHistory) -> Floats:
    """Return how many links each page had at first; sitemaps and feeds, as many as their host has pages.

    A link is credited to the page where it was found first, and a feed repeats what the pages of its host
    say: so it is taken for a list of all of them.
    """
    hosts = _codes([urlsplit(url).netloc for url in history.urls])
    on_host = np.bincount(hosts, minlength=1)
    own = history.first_children + 1.0
    return np.where(history.kinds == Kind.PAGE, own, on_host[hosts] if len(hosts) else own)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Changes of each page, and the seconds in which they were seen."""

    events: Floats
    seconds: Floats


def change_rates(history: PageHistory) -> tuple[Floats, Evidence]:
    """Return how often each page changes, per second, and what of that is its own evidence.

    A change that was seen after a long time may stand for several; a page that says when it was last modified
    tells of one change and of the time without any since then.
    """
    visits, count = history.visits, len(history)
    seconds = _sums(visits.rows, visits.seconds, count)
    age = np.nan_to_num(history.seen_at - history.stable_at, nan=-1.0)
    dated = age >= 0
    groups = _groups(history)
    rate = np.full(count, 1 / (CHANGE_DAYS * DAY))
    evidence = Evidence(np.zeros(count), seconds)
    for _ in range(SWEEPS):
        expected = rate[visits.rows] * visits.seconds
        several = np.where(visits.changed, expected / -np.expm1(-np.maximum(expected, 1e-9)), 0.0)
        events = _sums(visits.rows, several, count) + dated
        evidence = Evidence(events, seconds + np.where(dated, age, 0.0))
        rate = _rates(evidence, groups)
    return rate, evidence


def _rates(evidence: Evidence, groups: Sequence[NDArray[np.int64]]) -> Floats:
    """Return the rate of each page, drawn towards that of its groups, from the widest to itself."""
    events, seconds = evidence.events, evidence.seconds
    everywhere = (events.sum() + STRENGTH) / (seconds.sum() + STRENGTH * CHANGE_DAYS * DAY)
    rate = np.full(len(events), everywhere)
    for codes in groups:
        rate = _shrunk(events, seconds, codes, rate)
    return (STRENGTH + events) / (STRENGTH / rate + seconds)


def _shrunk(
    events: Floats, seconds: Floats, codes: NDArray[np.int64], prior: Floats, *, unit: bool = False
) -> Floats:
    """Return the rate of each row's group, drawn towards the mean prior of its rows.

    With `unit` events are a share of what is counted instead of seconds: the prior counts for one of those.
    """
    size = int(codes.max(initial=-1)) + 1
    members = np.maximum(np.bincount(codes, minlength=size), 1)
    before = np.maximum(_sums(codes, prior, size) / members, 1e-15)
    known = STRENGTH * (before if unit else 1.0)
    rate = (known + _sums(codes, events, size)) / (known / before + _sums(codes, seconds, size))
    return np.asarray(rate[codes])


def _groups(history: PageHistory) -> list[NDArray[np.int64]]:
    """Return the groups of each page, the widest first: its type, its host, its folder."""
    parts = [urlsplit(url) for url in history.urls]
    types = [f"{kind} {mime}" for kind, mime in zip(history.kinds.tolist(), history.types, strict=True)]
    return [
        _codes(types),
        _codes([part.netloc for part in parts]),
        _codes([f"{part.netloc}{part.path.rpartition('/')[0]}" for part in parts]),
    ]


def _sums(rows: NDArray[np.int64], values: NDArray[Any], size: int) -> Floats:
    """Return the sums of values by row."""
    return np.bincount(rows, values, size).astype(np.float64)


def _codes(names: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for each name, the same for the same name."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)
