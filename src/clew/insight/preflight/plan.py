"""Plan a run without fetching a page: which hosts allow it, which rules drop which links, what it costs."""

import asyncio
import shutil
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from clew import urls
from clew.config import Config
from clew.frontier import Scope
from clew.insight.preflight.crawl_plan import (
    PAGE_BYTES,
    PAGE_SECONDS,
    CrawlPlan,
    DiskEstimate,
    HostPlan,
    Ruling,
    TimeEstimate,
)
from clew.insight.preflight.estimate import estimate_time
from clew.insight.preflight.findings import describe_error
from clew.insight.preflight.probe import MAX_HOPS, NO_TIME, Probe, open_probe
from clew.insight.preflight.recorded_state import RecordedState, read_state
from clew.store.crawl_stats import has_links, read_open_urls, read_url_hashes
from clew.store.link_history import read_link_state
from clew.types import Kind, Page, State

SECONDS = 30.0
PATIENCE = 10.0
SITEMAPS = 5
"""Sitemap files read per host: enough for an overview, without crawling them all."""

UNKNOWN = "robots: rules not read yet"


@dataclass(slots=True, kw_only=True)
class Planner:
    """Apply the rules of a crawl (scope, exclusions, robots.txt) to known URLs, and count the results."""

    config: Config
    state: RecordedState
    scope: Scope
    probe: Probe
    seeds: dict[str, Kind]
    hosts: dict[str, HostPlan] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def rule(self, url: str, depth: int, kind: Kind = Kind.PAGE) -> str:
        """Return the rule against a URL, or an empty string; the scope does not apply to seeds."""
        if excluded := self.state.exclusions.refusal(url):
            return excluded
        if url not in self.seeds and (rule := self.scope.refusal(url, depth, kind)):
            return rule
        return self.probe.robots.refusal(url) if self.config.fetch.robots else ""

    def host(self, origin: str) -> HostPlan:
        """Return the plan of an origin, created on first use."""
        return self.hosts.setdefault(origin, HostPlan(origin=origin))

    def count(self, url: str, depth: int, kind: Kind = Kind.PAGE) -> None:
        """Count a URL that would be fetched, or the rule that drops it."""
        host = self.host(urls.origin(url))
        rule = self.rule(url, depth, kind)
        if rule and rule != UNKNOWN:
            _add(host.dropped, _rule_name(rule))
        else:
            host.in_scope += 1

    async def read_sitemaps(self, origin: str) -> None:
        """Read some of the sitemaps named in the robots.txt of an origin, and count their URLs."""
        host = self.host(origin)
        sitemaps = [(url, 1) for url in self.probe.sitemaps.get(origin, ())]
        sitemaps += [
            (u, 0) for u, kind in self.seeds.items() if kind is Kind.SITEMAP and urls.origin(u) == origin
        ]
        queue = deque(sitemaps)
        while queue:
            url, depth = queue.popleft()
            if url in self.state.read_sitemaps or self.rule(url, depth, Kind.SITEMAP) not in ("", UNKNOWN):
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
            if await self.probe.read_robots(urls.origin(url)) or self.probe.robots.refusal(url):
                return None
            page = await self.probe.fetch(url, Kind.SITEMAP)
            if page is None or not page.redirect:
                return page
            url = page.redirect
        return None


async def make_plan(
    folder: Path, config: Config, seeds: dict[str, Kind], *, offline: bool = False
) -> CrawlPlan:
    """Read robots.txt, sitemaps and the state of the crawl; return what a run would fetch and cost."""
    canon = urls.Canon(config.scope.drop_params)
    async with open_probe(
        config, folder=folder, seconds=0 if offline else SECONDS, patience=PATIENCE
    ) as probe:
        planner = _make_planner(folder, config, seeds, probe, canon)
        origins = list(dict.fromkeys(map(urls.origin, seeds)))
        await asyncio.gather(*map(probe.read_robots, origins))
        started = has_links(folder)
        planner.seen = read_url_hashes(folder) if started else set()
        for url, kind in seeds.items():
            planner.host(urls.origin(url))
            if kind is Kind.PAGE and (name := urls.fingerprint(url)) not in planner.seen:
                planner.seen.add(name)
                planner.count(url, 0)
        if config.scope.sitemaps and config.fetch.robots:
            await asyncio.gather(*map(planner.read_sitemaps, origins))
        for url, depth in read_open_urls(folder) if started else ():
            planner.count(url, depth)
        plan = _totals(folder, planner)
    plan.warnings = _warnings(config, plan)
    return plan


async def rulings(
    folder: Path, config: Config, seeds: dict[str, Kind], targets: list[str], *, offline: bool = False
) -> list[Ruling]:
    """Return for each URL the rule that refuses it, if there is one."""
    canon = urls.Canon(config.scope.drop_params)
    async with open_probe(
        config, folder=folder, seconds=0 if offline else SECONDS, patience=PATIENCE
    ) as probe:
        planner = _make_planner(folder, config, seeds, probe, canon)
        await asyncio.gather(*(probe.read_robots(urls.origin(url)) for url in dict.fromkeys(targets)))
        started = has_links(folder)
        return [_ruling(folder if started else None, planner, url) for url in targets]


def _ruling(folder: Path | None, planner: Planner, url: str) -> Ruling:
    known, depth = "", 1
    if folder is not None and (stored := read_link_state(folder, url)):
        state, depth, reason = stored
        known = State(state).name.lower() + (f": {reason}" if reason else "")
    rule = planner.rule(url, depth)
    origin = urls.origin(url)
    if rule == "robots unreachable":
        rule = (
            f"{origin}/robots.txt cannot be read ({planner.probe.robots_errors.get(origin) or 'last time'})"
        )
    elif rule.startswith("robots: ") and rule != UNKNOWN:
        rule = f"{origin}/robots.txt: {rule.removeprefix('robots: ')}"
    return Ruling(url=url, rule=rule, known=known)


def _make_planner(
    folder: Path, config: Config, seeds: dict[str, Kind], probe: Probe, canon: urls.Canon
) -> Planner:
    state = read_state(folder, canon)
    for rules in state.rules:
        probe.restore_robots(rules.origin, rules.status, rules.text, rules.at, rules.sitemaps)
    scope = config.scope
    return Planner(
        config=config,
        state=state,
        scope=Scope(
            hosts=scope.hosts, exclude=scope.exclude, depth=scope.depth, seeds=list(seeds),
            sitemaps=scope.sitemaps, feeds=scope.feeds,
        ),
        probe=probe,
        seeds=seeds,
    )  # fmt: skip


def _rule_name(rule: str) -> str:
    """Return the name under which a rule is counted: without the URL in it."""
    if rule.startswith(("scope.hosts", "scope.depth")):
        return rule.partition(":")[0]
    return rule.partition(" on ")[0].replace("robots: ", "robots ", 1)


def _add(counts: dict[str, int], rule: str, number: int = 1) -> None:
    counts[rule] = counts.get(rule, 0) + number


def _totals(folder: Path, planner: Planner) -> CrawlPlan:
    """Complete the plans of all hosts and add them up."""
    config, state, probe = planner.config, planner.state, planner.probe
    for host in planner.hosts.values():
        _complete_host(host, planner)
    measured = state.page_seconds or (sum(probe.seconds) / len(probe.seconds) if probe.seconds else 0.0)
    plan = CrawlPlan(
        folder=str(folder),
        pages=state.pages,
        relevant=state.relevant,
        budget_pages=config.crawl.pages,
        budget_hours=config.crawl.hours,
        time=TimeEstimate(page_seconds=measured or PAGE_SECONDS, measured_seconds=bool(measured)),
        disk=DiskEstimate(
            page_bytes=state.page_bytes or PAGE_BYTES, disk_free=shutil.disk_usage(folder).free
        ),
        seeds={url: _skipped(planner, url, kind) for url, kind in planner.seeds.items()},
        hosts=sorted(planner.hosts.values(), key=lambda host: -host.in_scope),
    )
    for host in plan.hosts:
        plan.in_scope += host.in_scope
        for rule, number in host.dropped.items():
            _add(plan.dropped, rule, number)
    plan.to_fetch = max(0, plan.budget_pages - plan.pages) if plan.budget_pages else plan.in_scope
    plan.disk.disk_bytes = plan.to_fetch * plan.disk.page_bytes
    estimate_time(plan, config)
    return plan


def _complete_host(host: HostPlan, planner: Planner) -> None:
    config, probe, origin = planner.config, planner.probe, host.origin
    host.crawl_delay = probe.robots.delay(origin) if config.fetch.robots else None
    host.delay = max(config.fetch.delay, host.crawl_delay or 0.0)
    if config.scope.per_host:
        room = max(0, config.scope.per_host - planner.state.by_origin.get(origin, 0))
        if host.in_scope > room:
            _add(host.dropped, "scope.per_host", host.in_scope - room)
            host.in_scope = room
    why = probe.robots_errors.get(origin, NO_TIME)
    forbidden = {n: rule for rule, n in host.dropped.items() if not rule.startswith("scope.")}
    if not config.fetch.robots:
        host.why = "robots.txt is not obeyed"
    elif why and why != NO_TIME:
        words, _ = describe_error(why, origin, config)
        host.may, host.why = "no", f"robots.txt returns {why}" if why.startswith("status") else words
    elif forbidden:
        host.may = "in part" if host.in_scope else "no"
        host.why = "" if host.in_scope else forbidden[max(forbidden)]
    elif why and probe.robots.refusal(f"{origin}/") == UNKNOWN:
        host.may, host.why = "unknown", "robots.txt not read yet"


def _skipped(planner: Planner, url: str, kind: Kind) -> str:
    rule = planner.rule(url, 0, kind)
    if rule == "robots unreachable":
        return planner.host(urls.origin(url)).why
    return "" if rule == UNKNOWN else rule


def _warnings(config: Config, plan: CrawlPlan) -> list[str]:
    """Return warnings about risky settings, a missing budget, disk space and slow hosts."""
    fetch, warnings = config.fetch, []
    if not fetch.robots:
        warnings.append("fetch.robots = false: robots.txt is ignored; ask the site owners for permission")
    if fetch.delay < 1:
        warnings.append(f"fetch.delay = {fetch.delay:g}: less than a second; only for your own hosts")
    if fetch.per_host > 1:
        warnings.append(f"fetch.per_host = {fetch.per_host}: several concurrent requests to one host")
    if not (config.crawl.pages or config.crawl.hours):
        end = (
            "it runs until you stop it" if "any" in config.scope.hosts else "it runs until no links are left"
        )
        warnings.append(f"no budget: {end}; set crawl.pages, or clew run {plan.folder} --pages 500")
    space = plan.disk.disk_free - (config.store.min_free << 20)
    if plan.disk.disk_bytes > space:
        warnings.append(
            f"the disk has space for {max(0, space) / plan.disk.page_bytes:,.0f} pages only (store.min_free)"
        )
    for host in plan.hosts:
        if host.crawl_delay and host.crawl_delay > 10 * max(1.0, fetch.delay):
            daily = 86_400 / host.crawl_delay
            warnings.append(f"{host.origin} has Crawl-delay {host.crawl_delay:g}: {daily:,.0f} pages a day")
    return warnings
