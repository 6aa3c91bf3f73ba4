"""`clew plan`: preview a run without fetching pages."""

import asyncio
import json as jsons
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew import urls
from clew.cli import screen
from clew.cli.arguments import Folder, Settings
from clew.cli.plan_settings import echo_line as _line
from clew.cli.plan_settings import show_settings
from clew.cli.screen import many
from clew.cli.search_plan import show_search_plan
from clew.config import Config
from clew.config.seeds import read_seeds
from clew.domain.text import printable
from clew.errors import NothingFetched
from clew.insight.preflight import CrawlPlan, HostPlan, make_plan, rulings
from clew.insight.preflight.planned_seeds import planned_seeds
from clew.store.crawl_stats import has_links
from clew.types import Kind
from clew.urls import Canon

_HOSTS = 20
"""Maximum number of hosts listed one by one; the others are added up."""

_SKIPPED = 8
"""Maximum number of skipped seeds listed with the reason."""

_RULES = 4
"""Maximum number of rules listed for one host."""


def plan(
    folder: Folder,
    url: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="Check only this URL, and name the rule.")
    ] = None,
    setting: Settings = None,
    offline: Annotated[bool, typer.Option("--offline", help="Send no requests; use stored data.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Preview a run without fetching any page.

    Reads robots.txt of the seeds' hosts and the sitemaps listed there (five files per host, half a minute
    in all) and the queued links of an existing crawl, and counts how many URLs each rule excludes. Then it
    estimates budget, time and disk, and describes policy and judge. The time is a lower bound: all known
    hosts in parallel, each at its own delay.

    With --url it reports for single URLs whether they would be fetched, and if not, which rule forbids it.
    Exit code 4 if every seed is refused. Of a crawl that begins with a search it says what would be asked,
    and asks nothing.

    Example: clew plan wind
    """
    config = configuration.load(folder / "clew.toml", [*(setting or [])])
    canon = Canon(config.scope.drop_params)
    seeds = planned_seeds(folder, config, canon)
    if url:
        _check_urls(folder, config, seeds, read_seeds(folder, url, canon), offline=offline, json=json)
        return
    if not seeds and not has_links(folder):
        show_search_plan(folder, config, json=json)
        return
    _progress(offline or json, f"reading robots.txt of {len({urls.host(seed) for seed in seeds})} hosts")
    try:
        preview = asyncio.run(make_plan(folder, config, seeds, offline=offline))
    finally:
        _progress(offline or json, "")
    if json:
        screen.echo(jsons.dumps(preview.as_dict(), ensure_ascii=False))
    else:
        _show(folder, config, preview, offline=offline)
    if preview.nothing_to_fetch:
        reasons = [f"{seed}: {why}" for seed, why in list(preview.seeds.items())[:5]]
        raise NothingFetched(
            "\n".join(["no seed can be fetched; use other seeds, or try again later", *reasons])
        )


def _progress(quiet: bool, text: str) -> None:
    """Show a progress message on a terminal; empty text clears it."""
    if not quiet and sys.stdout.isatty():
        sys.stdout.write(f"\r{text}\x1b[K")
        sys.stdout.flush()


# ---- single URLs -------------------------------------------------------------------------------


def _check_urls(
    folder: Path, config: Config, seeds: dict[str, Kind], targets: list[str], *, offline: bool, json: bool
) -> None:
    """Print for each URL whether it would be fetched, or the rule against it."""
    found = asyncio.run(rulings(folder, config, seeds, targets, offline=offline))
    if json:
        rows = [asdict(ruling) for ruling in found]
        screen.echo(jsons.dumps({"folder": str(folder), "urls": rows}, ensure_ascii=False))
        return
    for ruling in found:
        mark, outcome = ("✗", f"not fetched: {ruling.rule}") if ruling.rule else ("✓", "would be fetched")
        if ruling.rule.endswith("rules not read yet"):
            mark, outcome = "?", "in scope; its robots.txt has not been read"
        seed = ", a seed" if ruling.url in seeds else ""
        known = f" (in this crawl: {printable(ruling.known)})" if ruling.known else ""
        screen.echo(f"{mark} {printable(ruling.url)}{seed}: {printable(outcome)}{known}")


# ---- the whole plan ----------------------------------------------------------------------------


def _show(folder: Path, config: Config, preview: CrawlPlan, *, offline: bool) -> None:
    allowed = sum(host.may in ("yes", "in part") for host in preview.hosts)
    fetched = f", {preview.pages:,} pages fetched" if preview.pages else ""
    offered = sum(host.offered for host in preview.hosts)
    sitemaps = f"; sitemaps list {offered:,} URLs" if offered else ""
    counts = f"{many(len(preview.seeds), 'seed')}, {many(len(preview.hosts), 'host')} known"
    sent = " (offline: no requests were sent)" if offline else ""
    screen.echo(f"{printable(str(folder))}: {counts}, {allowed:,} may be crawled{sitemaps}{fetched}{sent}\n")
    _show_hosts(preview.hosts)
    skipped = {seed: why for seed, why in preview.seeds.items() if why}
    for seed in list(skipped)[:_SKIPPED]:
        screen.echo(f"! seed {printable(seed, 100)} is skipped: {printable(skipped[seed])}")
    if len(skipped) > _SKIPPED:
        screen.echo(f"! and {many(len(skipped) - _SKIPPED, 'more seed')} skipped; --json lists them all")
    screen.echo("")
    if preview.dropped:
        _line("dropped", _rules(preview.dropped, 12))
    _line("budget", _budget(preview))
    _line("time", _time(config, preview))
    basis = "mean of this crawl" if preview.pages else "typical"
    each = f"{_bytes(preview.disk.page_bytes)} a page, {basis}"
    _line("disk", f"about {_bytes(preview.disk.disk_bytes)} ({each}); {_bytes(preview.disk.disk_free)} free")
    show_settings(config)
    for warning in preview.warnings:
        screen.echo_folded(f"! {printable(warning)}", 2)
    if not preview.nothing_to_fetch:
        command = f"clew run {shlex.quote(printable(str(folder)))}"
        screen.echo(f"\nnext:  {command}    Ctrl-C stops, the same command resumes")


def _show_hosts(hosts: list[HostPlan]) -> None:
    first, rest = hosts[:_HOSTS], hosts[_HOSTS:]
    names = [printable(host.origin, 44) for host in first]
    width = max(map(len, ["host", *names]))
    screen.echo(f"{'host':<{width}}  allowed  delay  known URLs")
    for host, name in zip(first, names, strict=True):
        delay = f"{host.delay:g} s"
        screen.echo(
            f"{name:<{width}}  {host.may:<7}  {delay:<5}  {host.in_scope:,} in scope{printable(_notes(host))}"
        )
    if rest:
        screen.echo(f"and {many(len(rest), 'more host')}: {sum(host.in_scope for host in rest):,} in scope")


def _notes(host: HostPlan) -> str:
    """Return the notes on a host: dropped URLs, delay, sitemaps, reason."""
    notes = []
    if host.crawl_delay:
        notes.append(f"Crawl-delay {host.crawl_delay:g}")
    if host.sitemaps_read:
        notes.append(
            f"{many(host.sitemaps_read, 'sitemap')} list{'s' * (host.sitemaps_read == 1)} {host.offered:,}"
        )
    if host.sitemaps_left:
        notes.append(f"{many(host.sitemaps_left, 'sitemap')} not read")
    if host.why:
        notes.append(host.why)
    dropped = (
        f", {sum(host.dropped.values()):,} dropped ({_rules(host.dropped, _RULES)})" if host.dropped else ""
    )
    return dropped + "".join(f"; {note}" for note in notes)


def _rules(dropped: dict[str, int], most: int) -> str:
    ordered = sorted(dropped.items(), key=lambda item: -item[1])
    more = f", {len(ordered) - most} more rules" if len(ordered) > most else ""
    return ", ".join(f"{rule}: {number:,}" for rule, number in ordered[:most]) + more


def _budget(preview: CrawlPlan) -> str:
    parts = []
    if preview.budget_pages:
        parts.append(f"{many(preview.budget_pages, 'page')} in all, {preview.to_fetch:,} to fetch")
    if preview.budget_hours:
        parts.append(f"{preview.budget_hours:g} h per run")
    return " or ".join(parts) or f"none; {many(preview.in_scope, 'URL')} known so far"


def _time(config: Config, preview: CrawlPlan) -> str:
    """Explain the estimate: hosts are crawled in parallel, the slowest one decides."""
    if preview.time.at_least is None:
        return "nothing to fetch"
    hosts = len({urls.clock_key(host.origin) for host in preview.hosts if host.in_scope})
    latency = (
        f"{max(0.1, preview.time.page_seconds):.1f} s per response"
        if preview.time.measured_seconds
        else "assuming 0.5 s per response"
    )
    pages = f"{many(preview.to_fetch, 'page')} from {many(hosts, 'known host')} in parallel"
    limit = f"{config.fetch.concurrency} concurrent requests"
    text = f"at least {_seconds(preview.time.at_least)}: {pages} ({limit}, {latency})"
    if preview.time.at_most is None:
        return f"{text}; links found during the crawl are not counted"
    return f"{text}; {_seconds(preview.time.at_most)} if one host has them all" if hosts > 1 else text


def _seconds(seconds: float) -> str:
    if seconds < 90:  # noqa: PLR2004
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:  # noqa: PLR2004
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours < 48 else f"{hours / 24:.0f} days"  # noqa: PLR2004


def _bytes(number: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1000:  # noqa: PLR2004
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"
