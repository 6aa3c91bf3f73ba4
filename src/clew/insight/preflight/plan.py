"""Say what a run would do without fetching a page: whom it may ask, which rules drop what, what it costs."""

import asyncio
import shutil
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path

from clew import urls
from clew.config import Config
from clew.frontier import Scope
from clew.insight.preflight import recorded_state as keeping
from clew.insight.preflight.findings import trouble
from clew.insight.preflight.probe import MAX_HOPS, NO_TIME, Probe, scouting
from clew.insight.preflight.recorded_state import RecordedState
from clew.store import read_sql
from clew.types import Kind, Page, State

SECONDS = 30.0
PATIENCE = 10.0
SITEMAPS = 5
"""Sitemap files read of one host: enough to see what a site offers, not a crawl of its own."""

PAGE_BYTES = 60_000.0
"""What a page takes on the disk before we know better: compressed answer, text and fifty links."""

PAGE_SECONDS = 0.5
"""What a page takes to answer before we know better."""

UNKNOWN = "robots: rules not read yet"


@dataclass(slots=True, kw_only=True)
class HostPlan:
    """What is known of one origin. `may` is yes, no, in part or unknown; `why` the reason for it."""

    origin: str
    may: str = "yes"
    why: str = ""
    delay: float = 0.0
    crawl_delay: float | None = None
    sitemaps_read: int = 0
    sitemaps_left: int = 0
    offered: int = 0
    in_scope: int = 0
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class CrawlPlan:
    """What would happen. Seconds and bytes are estimates; `None` where there is nothing to go by.

    `at_least` is the time with all known hosts at work all the time, `at_most` that of one alone.
    """

    folder: str
    pages: int = 0
    relevant: int = 0
    budget_pages: int = 0
    budget_hours: float = 0.0
    to_fetch: int = 0
    at_least: float | None = None
    at_most: float | None = None
    page_seconds: float = PAGE_SECONDS
    measured_seconds: bool = False
    page_bytes: float = PAGE_BYTES
    disk_bytes: float = 0.0
    disk_free: int = 0
    in_scope: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    seeds: dict[str, str] = field(default_factory=dict)
    hosts: list[HostPlan] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def hopeless(self) -> bool:
        """Whether every seed is refused and nothing else is left to fetch."""
        return bool(self.seeds) and all(self.seeds.values()) and not self.in_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What the rules say about one address; `known` is what the crawl has done with it so far."""

    url: str
    rule: str
    known: str = ""


@dataclass(slots=True, kw_only=True)
class PlanRequest:
    """The rules of a crawl around one table, and what they make of the addresses it knows."""

    config: Config
    kept: RecordedState
    scope: Scope
    scout: Probe
    seeds: dict[str, Kind]
    hosts: dict[str, HostPlan] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def rule(self, url: str, depth: int, kind: Kind = Kind.PAGE) -> str:
        """Return the rule against an address, or an empty string; seeds are outside of any scope."""
        if said := self.kept.exclusions.reason(urls.origin(url)):
            return said
        if url not in self.seeds and (rule := self.scope.refusal(url, depth, kind)):
            return rule
        return self.scout.robots.refusal(url) if self.config.fetch.robots else ""

    def host(self, origin: str) -> HostPlan:
        """Return the line of an origin, begun when it is met first."""
        return self.hosts.setdefault(origin, HostPlan(origin=origin))

    def count(self, url: str, depth: int, kind: Kind = Kind.PAGE) -> None:
        """Count an address that would be fetched, or the rule that drops it."""
        host = self.host(urls.origin(url))
        rule = self.rule(url, depth, kind)
        if rule and rule != UNKNOWN:
            _add(host.dropped, _short(rule))
        else:
            host.in_scope += 1

    async def read_sitemaps(self, origin: str) -> None:
        """Read some of the sitemaps that the robots.txt of an origin names, and count what they offer."""
        host = self.host(origin)
        named = [(url, 1) for url in self.scout.sitemaps.get(origin, ())]
        named += [
            (u, 0) for u, kind in self.seeds.items() if kind is Kind.SITEMAP and urls.origin(u) == origin
        ]
        queue = deque(named)
        while queue:
            url, depth = queue.popleft()
            if url in self.kept.read_sitemaps or self.rule(url, depth, Kind.SITEMAP) not in ("", UNKNOWN):
                continue
            if host.sitemaps_read == SITEMAPS:
                host.sitemaps_left += 1
                continue
            page = await self._follow(url)
            if page is None:
                host.sitemaps_left += 1
                continue
            host.sitemaps_read += 1
            for link, kind, name in zip(
                page.links.urls, page.links.kinds, page.links.hashes.tolist(), strict=True
            ):
                if name in self.seen:
                    continue
                self.seen.add(name)
                if kind is Kind.SITEMAP:
                    queue.append((link, depth + 1))
                else:
                    host.offered += 1
                    self.count(link, depth + 1)

    async def _follow(self, url: str) -> Page | None:
        for _ in range(MAX_HOPS + 1):
            if await self.scout.rules(urls.origin(url)) or self.scout.robots.refusal(url):
                return None
            page = await self.scout.bring(url, Kind.SITEMAP)
            if page is None or not page.redirect:
                return page
            url = page.redirect
        return None


async def make_plan(
    folder: Path, config: Config, seeds: dict[str, Kind], *, offline: bool = False
) -> CrawlPlan:
    """Look at rules, sitemaps and what the crawl already knows, and count."""
    canon = urls.Canon(config.scope.drop_params)
    async with scouting(config, seconds=0 if offline else SECONDS, patience=PATIENCE) as scout:
        survey = _survey(folder, config, seeds, scout, canon)
        origins = list(dict.fromkeys(map(urls.origin, seeds)))
        await asyncio.gather(*map(scout.rules, origins))
        has_begun = keeping.begun(folder)
        survey.seen = keeping.known_names(folder) if has_begun else set()
        for url, kind in seeds.items():
            survey.host(urls.origin(url))
            if kind is Kind.PAGE and (name := urls.fingerprint(url)) not in survey.seen:
                survey.seen.add(name)
                survey.count(url, 0)
        if config.scope.sitemaps and config.fetch.robots:
            await asyncio.gather(*map(survey.read_sitemaps, origins))
        for url, depth in keeping.open_links(folder) if has_begun else ():
            survey.count(url, depth)
        plan = _totals(folder, survey)
    plan.warnings = _warnings(config, plan)
    return plan


async def rulings(
    folder: Path, config: Config, seeds: dict[str, Kind], addresses: list[str], *, offline: bool = False
) -> list[Ruling]:
    """Name the rule that keeps each address from being fetched, if there is one."""
    canon = urls.Canon(config.scope.drop_params)
    async with scouting(config, seconds=0 if offline else SECONDS, patience=PATIENCE) as scout:
        survey = _survey(folder, config, seeds, scout, canon)
        await asyncio.gather(*(scout.rules(urls.origin(url)) for url in dict.fromkeys(addresses)))
        has_begun = keeping.begun(folder)
        return [_ruling(folder if has_begun else None, survey, url) for url in addresses]


def _ruling(folder: Path | None, survey: PlanRequest, url: str) -> Ruling:
    known, depth = "", 1
    if folder is not None:
        name = urls.fingerprint(url)
        rows = read_sql(
            folder, "SELECT state, depth, ifnull(reason, '') FROM links WHERE hash = ? AND kind <> ? LIMIT 1",
            name - (1 << 64) if name >> 63 else name, Kind.ROBOTS.value,
        )  # fmt: skip
        for state, depth, reason in rows:  # noqa: B007 - at most one
            known = State(state).name.lower() + (f": {reason}" if reason else "")
    rule = survey.rule(url, depth)
    origin = urls.origin(url)
    if rule == "robots unreachable":
        rule = f"{origin}/robots.txt cannot be read ({survey.scout.troubles.get(origin) or 'last time'})"
    elif rule.startswith("robots: ") and rule != UNKNOWN:
        rule = f"{origin}/robots.txt: {rule.removeprefix('robots: ')}"
    return Ruling(url=url, rule=rule, known=known)


def _survey(
    folder: Path, config: Config, seeds: dict[str, Kind], scout: Probe, canon: urls.Canon
) -> PlanRequest:
    kept = keeping.kept(folder, canon)
    for rules in kept.rules:
        scout.recall(rules.origin, rules.status, rules.text, rules.at, rules.sitemaps)
    scope = config.scope
    return PlanRequest(
        config=config,
        kept=kept,
        scope=Scope(
            hosts=scope.hosts, exclude=scope.exclude, depth=scope.depth, seeds=list(seeds),
            sitemaps=scope.sitemaps, feeds=scope.feeds,
        ),
        scout=scout,
        seeds=seeds,
    )  # fmt: skip


def _short(rule: str) -> str:
    """Return the rule under which an address is counted: without the address itself."""
    if rule.startswith(("scope.hosts", "scope.depth")):
        return rule.partition(":")[0]
    return rule.partition(" on ")[0].replace("robots: ", "robots ", 1)


def _add(counts: dict[str, int], rule: str, number: int = 1) -> None:
    counts[rule] = counts.get(rule, 0) + number


def _totals(folder: Path, survey: PlanRequest) -> CrawlPlan:
    """Close the lines of all hosts and add them up."""
    config, kept, scout = survey.config, survey.kept, survey.scout
    for host in survey.hosts.values():
        _close(host, survey)
    measured = kept.page_seconds or (sum(scout.seconds) / len(scout.seconds) if scout.seconds else 0.0)
    plan = CrawlPlan(
        folder=str(folder),
        pages=kept.pages,
        relevant=kept.relevant,
        budget_pages=config.crawl.pages,
        budget_hours=config.crawl.hours,
        page_seconds=measured or PAGE_SECONDS,
        measured_seconds=bool(measured),
        page_bytes=kept.page_bytes or PAGE_BYTES,
        disk_free=shutil.disk_usage(folder).free,
        seeds={url: _skipped(survey, url, kind) for url, kind in survey.seeds.items()},
        hosts=sorted(survey.hosts.values(), key=lambda host: -host.in_scope),
    )
    for host in plan.hosts:
        plan.in_scope += host.in_scope
        for rule, number in host.dropped.items():
            _add(plan.dropped, rule, number)
    plan.to_fetch = max(0, plan.budget_pages - plan.pages) if plan.budget_pages else plan.in_scope
    plan.disk_bytes = plan.to_fetch * plan.page_bytes
    _estimate(plan, config)
    return plan


def _close(host: HostPlan, survey: PlanRequest) -> None:
    config, scout, origin = survey.config, survey.scout, host.origin
    host.crawl_delay = scout.robots.delay(origin) if config.fetch.robots else None
    host.delay = max(config.fetch.delay, host.crawl_delay or 0.0)
    if config.scope.per_host:
        room = max(0, config.scope.per_host - survey.kept.by_origin.get(origin, 0))
        if host.in_scope > room:
            _add(host.dropped, "scope.per_host", host.in_scope - room)
            host.in_scope = room
    why = scout.troubles.get(origin, NO_TIME)
    forbidden = {n: rule for rule, n in host.dropped.items() if not rule.startswith("scope.")}
    if not config.fetch.robots:
        host.why = "robots.txt is not obeyed"
    elif why and why != NO_TIME:
        words, _ = trouble(why, origin, config)
        host.may, host.why = "no", f"robots.txt answers {why}" if why.startswith("status") else words
    elif forbidden:
        host.may = "in part" if host.in_scope else "no"
        host.why = "" if host.in_scope else forbidden[max(forbidden)]
    elif why and scout.robots.refusal(f"{origin}/") == UNKNOWN:
        host.may, host.why = "unknown", "robots.txt not read yet"


def _skipped(survey: PlanRequest, url: str, kind: Kind) -> str:
    rule = survey.rule(url, 0, kind)
    if rule == "robots unreachable":
        return survey.host(urls.origin(url)).why
    return "" if rule == UNKNOWN else rule


def _estimate(plan: CrawlPlan, config: Config) -> None:
    """Estimate the time: hosts work side by side, each at its own pace, so many at once at most."""
    pace: dict[str, float] = {}
    waiting: Counter[str] = Counter()
    for host in plan.hosts:
        if host.in_scope:
            clock = urls.clock_key(host.origin)
            each = host.delay + plan.page_seconds / config.fetch.per_host
            pace[clock] = max(pace.get(clock, 0.0), each)
            waiting[clock] += host.in_scope
    if not pace or not plan.to_fetch:
        return
    lanes = plan.to_fetch * plan.page_seconds / config.fetch.concurrency
    known = max(waiting[clock] * each for clock, each in pace.items())
    if not plan.budget_pages:
        plan.at_least = max(lanes, known)
    elif plan.to_fetch > plan.in_scope:  # the rest is still to be found, most likely at the same hosts
        plan.at_least = max(lanes, plan.to_fetch / sum(1 / each for each in pace.values()))
    else:
        plan.at_least = max(lanes, _until(plan.to_fetch, known, [(waiting[c], pace[c]) for c in pace]))
    if plan.budget_pages:
        plan.at_most = plan.to_fetch * max(pace.values())


def _until(pages: int, longest: float, hosts: list[tuple[int, float]]) -> float:
    """Return when so many pages have come, if each host gives what it has at its own pace."""
    early, late = 0.0, longest
    for _ in range(40):  # halved so often, the error is less than a millisecond in a year
        middle = (early + late) / 2
        if sum(min(has, middle / each) for has, each in hosts) < pages:
            early = middle
        else:
            late = middle
    return late


def _warnings(config: Config, plan: CrawlPlan) -> list[str]:
    """Return what a person should know before they begin."""
    fetch, said = config.fetch, []
    if not fetch.robots:
        said.append("fetch.robots = false: what sites forbid is fetched all the same; have their leave first")
    if fetch.delay < 1:
        said.append(f"fetch.delay = {fetch.delay:g}: less than a second between requests, for own hosts only")
    if fetch.per_host > 1:
        said.append(f"fetch.per_host = {fetch.per_host}: several requests at once to one host")
    if not (config.crawl.pages or config.crawl.hours):
        endless = (
            "it runs until you stop it" if "any" in config.scope.hosts else "it runs until nothing is left"
        )
        said.append(
            f"no budget: {endless}; give it one with crawl.pages, or clew run {plan.folder} --pages 500"
        )
    room = plan.disk_free - (config.store.min_free << 20)
    if plan.disk_bytes > room:
        said.append(
            f"the disk has room for {max(0, room) / plan.page_bytes:,.0f} pages only (beside store.min_free)"
        )
    for host in plan.hosts:
        if host.crawl_delay and host.crawl_delay > 10 * max(1.0, fetch.delay):
            daily = 86_400 / host.crawl_delay
            said.append(f"{host.origin} asks for {host.crawl_delay:g} s a request: {daily:,.0f} pages a day")
    return said
