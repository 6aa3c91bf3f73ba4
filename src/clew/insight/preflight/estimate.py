"""Estimate how long a run takes: hosts are crawled in parallel, each at its own delay."""

from collections import Counter

from clew import urls
from clew.config import Config
from clew.insight.preflight.crawl_plan import CrawlPlan


def estimate_time(plan: CrawlPlan, config: Config) -> None:
    """Set the lower and upper bound of the time from the hosts of the plan, in place."""
    time = plan.time
    pace: dict[str, float] = {}
    waiting: Counter[str] = Counter()
    for host in plan.hosts:
        if host.in_scope:
            clock = urls.clock_key(host.origin)
            each = host.delay + time.page_seconds / config.fetch.per_host
            pace[clock] = max(pace.get(clock, 0.0), each)
            waiting[clock] += host.in_scope
    if not pace or not plan.to_fetch:
        return
    parallel = plan.to_fetch * time.page_seconds / config.fetch.concurrency
    longest = max(waiting[clock] * each for clock, each in pace.items())
    if not plan.budget_pages:
        time.at_least = max(parallel, longest)
    elif plan.to_fetch > plan.in_scope:  # the rest is still to be found, most likely at the same hosts
        time.at_least = max(parallel, plan.to_fetch / sum(1 / each for each in pace.values()))
    else:
        hosts = [(waiting[clock], pace[clock]) for clock in pace]
        time.at_least = max(parallel, _seconds_for(plan.to_fetch, longest, hosts))
    if plan.budget_pages:
        time.at_most = plan.to_fetch * max(pace.values())


def _seconds_for(pages: int, longest: float, hosts: list[tuple[int, float]]) -> float:
    """Return when so many pages are fetched, if each host gives its pages at its own pace."""
    early, late = 0.0, longest
    for _ in range(40):  # bisection: the error is then less than a millisecond in a year
        middle = (early + late) / 2
        if sum(min(count, middle / each) for count, each in hosts) < pages:
            early = middle
        else:
            late = middle
    return late
