"""Refreshes in the lab: the product itself, on the synthetic web over time, with the truth beside it.

A web is crawled at day 0; then days pass, and it is refreshed again and again with the same requests. What
differs is who says what is worth visiting again: the product, chance, the oldest page first, or an oracle.
"""

import asyncio
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp
from pathlib import Path
from typing import Any

import numpy as np

from clew import urls
from clew.builder import open_crawl
from clew.config import Config, build
from clew.contracts import PageHistory, Parser, RevisitPlanner
from clew.domain.link_worth import LinkWorth, worth_score
from clew.domain.refresh import DAY, RefreshPlanner
from clew.engine.clock import Clock
from clew.engine.refresh import RefreshOptions
from clew.lab.synthetic import SyntheticTask, Web, WebTruth
from clew.lab.synthetic.changing import ChangingWeb
from clew.lab.synthetic.site import Site
from clew.lab.synthetic.topics import TOPICS
from clew.lab.synthetic.url_schemes import PageKind
from clew.lab.trial import CONTACT
from clew.lab.virtual_time import EPOCH
from clew.parse import read
from clew.store.reading import read_sql
from clew.types import Link, Links, Outcome, Page, Response, Scores

PLANNERS = ("clew", "uniform", "oldest", "informed", "oracle")
"""Who says what is worth visiting again."""

PLANNED_BY_WORTH = ("clew", "informed")
"""Plans that compare known pages with new links; the others follow every new link at once."""

_LAST = 1e-4
"""Scores of plans that do not compare known pages with new links stay below this: new links come first."""

_MAX_BYTES = 8_000_000

_DELAY = b"Crawl-delay: 1\n"
"""What some hosts ask for: left out, because a lab that waits has results that depend on the machine."""

WHOLE_WEB = 100_000
"""Pages of the web that the hosts of a collection are taken from."""

HOST_PAGES = range(40, 400)
"""Sizes of those hosts: neither single pages nor one that is the whole collection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshSettings:
    """The collection, and how it is refreshed: every `days` days, `rounds` times, with `requests` each.

    It holds some hosts of a large web that write about the topic, with about so many `pages` in the end.
    """

    pages: int = 2_500
    seed: int = 1
    topic: str = "museums"
    days: float = 7.0
    rounds: int = 8
    requests: int = 100


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What all refreshes so far have found: relevant pages that appeared after day 0, and how many there are.

    `fresh` is the share of known relevant pages whose stored version is the current one.
    """

    found: int
    there: int
    fresh: float
    requests: int


@dataclass(slots=True)
class ChangingFetcher:
    """Fetch from the synthetic web as it is now; conditional requests are answered."""

    web: ChangingWeb
    count: int = 0

    def wall(self) -> float:
        """Return the time in the web: days have passed, and a second for each request."""
        return EPOCH + self.web.day * DAY + self.count

    async def fetch(self, link: Link) -> Response:
        """Return the response of this moment."""
        self.count += 1
        at, reply = self.wall(), self.web.respond(link.url)
        status, body = reply.status, reply.body.replace(_DELAY, b"")
        tag = dict(reply.headers).get("ETag", "")
        if tag and link.known is not None and link.known.etag == tag:
            status, body = 304, b""
        lines = [f"HTTP/1.1 {status} OK", *(f"{name}: {value}" for name, value in reply.headers)]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        return Response(link=link, started=at, ended=at, status=status, head=head, body=body)

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""


class _Reader:
    """Parse in this process: the pages are our own."""

    def __init__(self, _usual: Parser) -> None:
        self.canon = urls.Canon()

    async def __call__(self, response: Response) -> Page:
        return read(response, canon=self.canon, max_bytes=_MAX_BYTES)

    async def aclose(self) -> None:
        """Do nothing: there is no process."""


class TruthRanker:
    """The order of the oracle: relevant pages and the lists on the way first, nothing else."""

    def __init__(self, is_wanted: "set[str]") -> None:
        self.wanted = is_wanted

    def score(self, source: Outcome, links: Links) -> Scores:  # noqa: ARG002 - by the truth alone
        """Return 1 for wanted links, else 0."""
        return np.array([float(url in self.wanted) for url in links.urls], np.float32)

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing."""


@dataclass(slots=True)
class RefreshTrial:
    """One web with its truth, crawled once; `run` refreshes copies of that crawl."""

    settings: RefreshSettings
    folder: Path
    web: ChangingWeb = field(init=False)
    truth: WebTruth = field(init=False)
    task: SyntheticTask = field(init=False)
    sites: list[Site] = field(init=False)

    def __post_init__(self) -> None:
        whole = Web(WHOLE_WEB, seed=self.settings.seed)
        self.web, self.truth = ChangingWeb(whole), WebTruth(whole)
        self.task = whole.task(self.settings.topic)
        self.sites = _sites_on(whole, self.task, self.settings.pages)

    def crawl(self) -> None:
        """Crawl the web of day 0, all of it."""
        self.web.day = 0.0
        self._run(self.folder / "start", None, {})

    def run(self, planner: str) -> list[RoundResult]:
        """Refresh a copy of the crawl, round by round, by one of the `PLANNERS`."""
        folder = self.folder / planner
        shutil.copytree(self.folder / "start", folder)
        begun, results = _requests(folder), []
        for number in range(1, self.settings.rounds + 1):
            self.web.day = number * self.settings.days
            options = RefreshOptions(
                planner=self._planner(planner), worth=LinkWorth() if planner in PLANNED_BY_WORTH else None,
                requests=self.settings.requests,
            )  # fmt: skip
            wanted = {url for pair in self._new_relevant() for url in pair} if planner == "oracle" else set()
            parts = {"ranker": TruthRanker(wanted)} if planner == "oracle" else {}
            self._run(folder, options, parts)
            results.append(self._result(folder, _requests(folder) - begun))
        shutil.rmtree(folder)
        return results

    def _new_relevant(self) -> list[tuple[str, str]]:
        """Return the relevant pages that have appeared since day 0, with the lists that show them."""
        return [
            pair for pair in self.web.appeared(self.sites, 0.0) if self.truth.is_relevant(pair[0], self.task)
        ]

    def _planner(self, name: str) -> RevisitPlanner:
        if name == "clew":
            return RefreshPlanner()
        if name == "oracle":
            return _Oracle(self._new_relevant())
        if name == "informed":
            return _Informed(self.web, self.task)
        return _uniform if name == "uniform" else _oldest

    def _run(self, folder: Path, refresh: RefreshOptions | None, parts: dict[str, Any]) -> None:
        fetcher = ChangingFetcher(self.web)
        clock = Clock(wall=fetcher.wall)

        async def run() -> None:
            given = {"fetcher": fetcher, "clock": clock, "parser": _Reader, **parts}
            async with open_crawl(folder, self._config(), parts=given, refresh=refresh) as crawl_run:
                async for _ in crawl_run.results():
                    pass

        asyncio.run(run())

    def _config(self) -> Config:
        seeds = [f"http://{site.name}/" for site in self.sites]
        return build({
            "crawl": {"contact": CONTACT, "seeds": seeds},
            "goal": {"about": self.task.words},
            "fetch": {"delay": 0, "concurrency": 1},
            "scope": {"hosts": "seeds"},
            "store": {"min_free": 0},
        }, "the lab")  # fmt: skip

    def _result(self, folder: Path, requests: int) -> RoundResult:
        new = {url for url, _ in self._new_relevant()}
        known = read_sql(folder, "SELECT url, fetched_at FROM pages JOIN links USING (id) WHERE status = 200")
        read_urls = {url for url, _ in known}
        fresh = [
            self._edits(url, day) == self._edits(url, self.web.day)
            for url, at in known
            if (day := (at - EPOCH) / DAY) >= 0 and self.truth.is_relevant(url, self.task)
        ]
        return RoundResult(len(new & read_urls), len(new), sum(fresh) / max(1, len(fresh)), requests)

    def _edits(self, url: str, day: float) -> int:
        found = self.web.web.locate(url)
        if found is None or not self.web.is_there(*found):
            return 0
        site, target = found
        return self.web.edits(site.sections[target.section], target.position, day)


def _sites_on(web: Web, task: SyntheticTask, pages: int) -> list[Site]:
    """Return hosts with a section on the topic, in the order of their numbers, until they have the pages."""
    topic, found, total = TOPICS.by_name[task.topic].number, [], 0
    for number in range(len(web.graph.names)):
        site = web.graph.site(number)
        on_topic = any(section.topic == topic and not section.secluded for section in site.sections)
        if on_topic and site.lang == task.lang and site.count in HOST_PAGES and not site.is_closed:
            found.append(site)
            total += site.count
            if total >= pages:
                break
    return found


@dataclass(frozen=True, slots=True)
class _Oracle:
    """Visit the lists that show relevant pages which are not known yet, those with most first."""

    new: Sequence[tuple[str, str]]

    def __call__(self, history: PageHistory, now: float) -> Scores:  # noqa: ARG002 - it knows the moment
        known = set(history.urls)
        missing: dict[str, int] = {}
        for url, listed_on in self.new:
            if url not in known:
                missing[listed_on] = missing.get(listed_on, 0) + 1
        return np.array([1 - 1 / (1 + missing.get(url, 0)) for url in history.urls], np.float32)


@dataclass(frozen=True, slots=True)
class _Informed:
    """Know how fast every list grows and every page changes, and which share is on the topic, in truth.

    It does not know which pages have appeared: what it expects of a visit is what the product estimates.
    """

    web: ChangingWeb
    task: SyntheticTask

    def __call__(self, history: PageHistory, now: float) -> Scores:
        expected = [
            self._expected(url, (seen - EPOCH) / DAY, (now - EPOCH) / DAY)
            for url, seen in zip(history.urls, history.seen_at.tolist(), strict=True)
        ]
        worth = RefreshPlanner().changed * history.verdicts * history.relevant
        new, changed = np.array(expected, np.float64).reshape(-1, 2).T
        return worth_score(new + worth * changed)

    def _expected(self, url: str, seen: float, now: float) -> tuple[float, float]:
        """Return the new relevant pages on a list, and the chance that a page has changed."""
        found = self.web.web.locate(url)
        if found is None or found[1].kind not in (PageKind.LIST, PageKind.CONTENT):
            return 0.0, 0.0
        site, target = found
        section = site.sections[target.section]
        if target.kind == PageKind.CONTENT:
            return 0.0, 1 - exp(-(now - seen) / self.web.days_between_edits(section, target.position))
        if section.topic != TOPICS.by_name[self.task.topic].number:
            return 0.0, 0.0
        first = target.position * site.per_list
        last = min(first + site.per_list, section.count)
        growing = max(
            0.0, min(now, self.web.born(section, last - 1)) - max(seen, self.web.born(section, first))
        )
        return growing / self.web.days_between_pages(section) * section.purity / 65_536, 0.0


def _uniform(history: PageHistory, now: float) -> Scores:
    """Visit known pages in random order."""
    draw = random.Random(int(now))  # noqa: S311 - an experiment
    return np.array([_LAST * (1 - draw.random()) for _ in history.urls], np.float32)


def _oldest(history: PageHistory, now: float) -> Scores:
    """Visit first what was not seen for longest."""
    return (_LAST * (now - history.seen_at) / max(1.0, np.ptp(now - history.seen_at) * 2 + DAY)).astype(
        np.float32
    )


def _requests(folder: Path) -> int:
    return int(read_sql(folder, "SELECT sum(tries) FROM links")[0][0])
