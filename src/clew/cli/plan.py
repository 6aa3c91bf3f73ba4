"""`clew plan`: what a run would do, without fetching pages."""

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
from clew.builder import looks_like_sitemap
from clew.cli import screen
from clew.cli.arguments import Folder, Settings, first_line
from clew.config import Config
from clew.config.contact import user_agent
from clew.config.judge_spec import JudgeSpec
from clew.config.seeds import read_seeds
from clew.domain.text import printable
from clew.errors import ConfigError, NothingFetched
from clew.insight.preflight import CrawlPlan, HostPlan, make_plan, rulings
from clew.judge.words import goal_terms
from clew.types import Kind
from clew.urls import Canon
from clew.version import __version__

_HOSTS = 20
"""Hosts shown one by one; the others are added up."""

_SKIPPED = 8
"""Seeds that are skipped, with the reason."""

_RULES = 4
"""Rules named for one host."""


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

    With --url it says for single URLs whether they would be fetched, and if not, which rule forbids it.
    Exit code 4 if every seed is refused.
    """
    config = configuration.load(folder / "clew.toml", [*(setting or [])])
    canon = Canon(config.scope.drop_params)
    seeds = _seeds(folder, config, canon)
    if url:
        _rule(folder, config, seeds, read_seeds(folder, url, canon), offline=offline, json=json)
        return
    _wait(offline or json, f"asking {len({urls.host(seed) for seed in seeds})} hosts for their rules")
    try:
        made = asyncio.run(make_plan(folder, config, seeds, offline=offline))
    finally:
        _wait(offline or json, "")
    if json:
        screen.say(jsons.dumps(made.as_dict(), ensure_ascii=False))
    else:
        _show(folder, config, made, offline=offline)
    if made.nothing_to_fetch:
        reasons = [f"{seed}: {why}" for seed, why in list(made.seeds.items())[:5]]
        raise NothingFetched(
            "\n".join(["no seed can be fetched; begin elsewhere, or try again later", *reasons])
        )


def _seeds(folder: Path, config: Config, canon: Canon) -> dict[str, Kind]:
    """Return every address the crawl begins with, and what it is expected to be."""
    found = read_seeds(folder, config.crawl.seeds, canon)
    found += [made for name in config.goal.good if "://" in name and (made := canon(name))]
    if not found:
        msg = f"{folder}: no seeds; name at least one under crawl.seeds in clew.toml"
        raise ConfigError(msg)
    return {seed: Kind.SITEMAP if looks_like_sitemap(seed) else Kind.PAGE for seed in found}


def _wait(quiet: bool, text: str) -> None:
    """Say what takes so long, where somebody may be looking, and wipe it away again."""
    if not quiet and sys.stdout.isatty():
        sys.stdout.write(f"\r{text}\x1b[K")
        sys.stdout.flush()


# ---- single addresses --------------------------------------------------------------------------


def _rule(
    folder: Path, config: Config, seeds: dict[str, Kind], addresses: list[str], *, offline: bool, json: bool
) -> None:
    """Show the rule for each address."""
    found = asyncio.run(rulings(folder, config, seeds, addresses, offline=offline))
    if json:
        rows = [asdict(ruling) for ruling in found]
        screen.say(jsons.dumps({"folder": str(folder), "urls": rows}, ensure_ascii=False))
        return
    for ruling in found:
        mark, words = ("✗", f"not fetched: {ruling.rule}") if ruling.rule else ("✓", "would be fetched")
        if ruling.rule.endswith("rules not read yet"):
            mark, words = "?", "in scope; its robots.txt has not been read"
        seed = ", a seed" if ruling.url in seeds else ""
        known = f" (in this crawl: {printable(ruling.known)})" if ruling.known else ""
        screen.say(f"{mark} {printable(ruling.url)}{seed}: {printable(words)}{known}")


# ---- the whole plan ----------------------------------------------------------------------------


def _show(folder: Path, config: Config, made: CrawlPlan, *, offline: bool) -> None:
    asked = sum(host.may in ("yes", "in part") for host in made.hosts)
    begun = f", {made.pages:,} pages read" if made.pages else ""
    offered = sum(host.offered for host in made.hosts)
    sitemaps = f"; sitemaps offer {offered:,} addresses" if offered else ""
    screen.say(
        f"{printable(str(folder))}: {_many(len(made.seeds), 'seed')}, {_many(len(made.hosts), 'host')} known,"
        f" {asked:,} may be asked{sitemaps}{begun}{' (offline: nobody was asked)' if offline else ''}\n"
    )
    _show_hosts(made.hosts)
    skipped = {seed: why for seed, why in made.seeds.items() if why}
    for seed in list(skipped)[:_SKIPPED]:
        screen.say(f"! seed {printable(seed, 100)} is skipped: {printable(skipped[seed])}")
    if len(skipped) > _SKIPPED:
        screen.say(f"! and {_many(len(skipped) - _SKIPPED, 'more seed')} skipped; --json names them all")
    screen.say("")
    if made.dropped:
        _line("dropped", _rules(made.dropped, 12))
    _line("budget", _budget(made))
    _line("time", _time(config, made))
    known = "of this crawl so far" if made.pages else "typical"
    each = f"{_bytes(made.disk.page_bytes)} a page, {known}"
    _line("disk", f"about {_bytes(made.disk.disk_bytes)} ({each}); {_bytes(made.disk.disk_free)} free")
    _meaning(config)
    for warning in made.warnings:
        screen.say(f"! {printable(warning)}")
    if not made.nothing_to_fetch:
        screen.say(
            f"\nnext:  clew run {shlex.quote(printable(str(folder)))}    Ctrl-C stops, the same command "
            "goes on"
        )


def _line(name: str, words: str) -> None:
    screen.say(f"{name:<8} {printable(words)}")


def _show_hosts(hosts: list[HostPlan]) -> None:
    first, rest = hosts[:_HOSTS], hosts[_HOSTS:]
    names = [printable(host.origin, 44) for host in first]
    width = max(map(len, ["host", *names]))
    screen.say(f"{'host':<{width}}  may we?  delay  known addresses")
    for host, name in zip(first, names, strict=True):
        pace = f"{host.delay:g} s"
        screen.say(
            f"{name:<{width}}  {host.may:<7}  {pace:<5}  {host.in_scope:,} in scope{printable(_notes(host))}"
        )
    if rest:
        screen.say(f"and {_many(len(rest), 'more host')}: {sum(host.in_scope for host in rest):,} in scope")


def _notes(host: HostPlan) -> str:
    """Return what there is to say about a host besides its number of addresses."""
    notes = []
    if host.crawl_delay:
        notes.append(f"Crawl-delay {host.crawl_delay:g}")
    if host.sitemaps_read:
        notes.append(
            f"{_many(host.sitemaps_read, 'sitemap')} offer{'s' * (host.sitemaps_read == 1)} {host.offered:,}"
        )
    if host.sitemaps_left:
        notes.append(f"{_many(host.sitemaps_left, 'sitemap')} not read")
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


def _budget(made: CrawlPlan) -> str:
    parts = []
    if made.budget_pages:
        parts.append(f"{_many(made.budget_pages, 'page')} in all, {made.to_fetch:,} to go")
    if made.budget_hours:
        parts.append(f"{made.budget_hours:g} h a run")
    return " or ".join(parts) or f"none; {_many(made.in_scope, 'address', 'addresses')} known so far"


def _time(config: Config, made: CrawlPlan) -> str:
    """Explain the estimate: hosts work side by side, the slowest one decides."""
    if made.time.at_least is None:
        return "nothing to fetch"
    hosts = len({urls.clock_key(host.origin) for host in made.hosts if host.in_scope})
    answer = (
        f"{max(0.1, made.time.page_seconds):.1f} s per response"
        if made.time.measured_seconds
        else "half a second each"
    )
    pages = f"{_many(made.to_fetch, 'page')} from {_many(hosts, 'known host')} in parallel"
    limit = f"{config.fetch.concurrency} concurrent requests"
    words = f"at least {_seconds(made.time.at_least)}: {pages} ({limit}, {answer})"
    if made.time.at_most is None:
        return f"{words}; links found during the crawl are not counted"
    return f"{words}; {_seconds(made.time.at_most)} if one host has them all" if hosts > 1 else words


def _meaning(config: Config) -> None:
    """Say in a line each what policy, judge and threshold mean here."""
    goal, spec = config.goal, JudgeSpec.parse(config.goal.judge)
    _line("policy", f"{config.rank.policy}: {first_line('ranker', config.rank.policy)}")
    words = list(goal_terms(goal.about).values())
    examples = (
        f"{_many(len(goal.good), 'good example')}, {len(goal.bad)} bad" if goal.good or goal.bad else ""
    )
    if spec.is_topical and not (words or goal.good):
        _line("judge", "words: no topic is given, so every page is relevant")
    elif spec.is_topical and spec.has("auto") and goal.good:
        _line("judge", f"examples: compares with {examples}{' and your words' if words else ''}")
    elif spec.is_topical:
        looks = ", ".join(words[:12]) + (", …" if len(words) > 12 else "")  # noqa: PLR2004
        _line("judge", f"words: looks for {looks}")
    else:
        _line("judge", f"{goal.judge}: {first_line('judge', goal.judge)}")
    _line("keep", f"pages with a verdict of {goal.keep:g} or more count as relevant")
    _line("you", f"{user_agent(config.fetch.agent, __version__, config.crawl.contact)}, in every request")


def _many(number: int, noun: str, several: str = "") -> str:
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


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
