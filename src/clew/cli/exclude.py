"""`clew exclude`: exclude hosts or URLs from a crawl, also while it runs, or include them again."""

import shlex
import time
from pathlib import Path
from typing import Annotated

import typer

from clew import urls
from clew.cli import screen
from clew.cli.arguments import ShardedFolder
from clew.cli.shard_feedback import add_shared_rule, begun_shards, shared_rules
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.frontier import Exclusions, is_url_pattern, read_rule
from clew.insight.explain import exclusions
from clew.insight.rule_counts import RuleCounts, count_rules
from clew.store import add_rule
from clew.types import Rule


def exclude(
    folder: ShardedFolder,
    pattern: Annotated[
        str,
        typer.Argument(
            metavar="[PATTERN]",
            help="A host (news.example, *.example), the beginning of a URL (https://news.example/archive/),"
            ' a pattern for whole URLs ("*/login*") or a regular expression ("re:page=[0-9]+").',
            show_default=False,
        ),
    ] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Include again what was excluded.")] = False,
) -> None:
    """Exclude hosts or URLs from the crawl, or include them again.

    Without a pattern it lists what is excluded, with the number of links and pages that each rule concerns.
    A running crawl applies a rule within a second, and later runs keep it. Queued links stay in the
    database, and --undo releases them. If several patterns match a URL, the latest decides. Fetched pages
    stay; clew forget deletes those of a host.

    Example: clew exclude wind "*/calendar/*"
    """
    if not pattern:
        if undo:
            msg = f"name what to include again; clew exclude {folder} lists what is excluded"
            raise ConfigError(msg)
        for line in listing(folder):
            screen.echo(line)
        return
    rule = read_rule(pattern)
    if undo:
        _check_undo(folder, rule, _exclusions(folder))
    (counts,) = _count(folder, [rule])
    verb = "include" if undo else "exclude"
    if begun_shards(folder):
        add_shared_rule(folder, rule, verb)
    else:
        add_rule(folder, Rule(rule, verb, time.time()))
    screen.echo(printable(describe(rule, counts.open, undo=undo)))
    if undo:
        return
    if not counts.known:
        thing = "matches" if is_url_pattern(rule) else "belongs to it"
        screen.echo(f"  no URL of the crawl {thing} yet: is it spelt correctly?")
        if "*" in rule and is_url_pattern(rule) and not rule.endswith("*"):
            screen.echo(f"  a pattern must match the whole URL; perhaps: {printable(rule)}*")
    again = shlex.join(["clew", "exclude", str(folder), rule, "--undo"])
    screen.echo(f"  undo: {printable(again)}")


def _exclusions(folder: Path) -> Exclusions:
    """Return what was excluded or included by hand, in a crawl or in all its shards."""
    if not begun_shards(folder):
        return exclusions(folder)
    found = Exclusions()
    for rule in shared_rules(folder):
        found.add(rule)
    return found


def _count(folder: Path, rules: list[str]) -> list[RuleCounts]:
    """Count the links that rules concern, in a crawl or in all its shards."""
    parts = [count_rules(part, rules) for part in begun_shards(folder) or [folder]]
    return [
        RuleCounts(
            *(sum(values) for values in zip(*((c.open, c.read, c.known) for c in counts), strict=True))
        )
        for counts in zip(*parts, strict=True)
    ]


def describe(rule: str, links: int, *, undo: bool) -> str:
    """Return what a rule does, with the number of queued links it concerns."""
    what = f"URLs like {rule} are" if is_url_pattern(rule) else f"{rule} is"
    outcome = "crawled again" if undo else "excluded from now on"
    return f"{what} {outcome}: {screen.many(links, 'queued link')}"


def _check_undo(folder: Path, rule: str, rules: Exclusions) -> None:
    """Refuse to include what was forgotten, or what another rule keeps excluded."""
    name = rule.removeprefix("*.")
    if not is_url_pattern(rule):
        if rules.is_forgotten(f"http://{name}"):
            msg = f"{name} was deleted with clew forget; to fetch it again, create a new crawl: clew new"
            raise ConfigError(msg)
        return
    if "*" not in rule and not rule.startswith("re:") and (reason := rules.reason(f"http://{rule}/")):
        host = urls.host(f"http://{rule}")
        msg = f"its host is excluded ({reason}); include the host first: clew exclude {folder} {host} --undo"
        raise ConfigError(msg)


def listing(folder: Path) -> list[str]:
    """Return a table of what is excluded, and of what is crawled in spite of that, with counts."""
    exclusions = _exclusions(folder)
    if not (rules := exclusions.active()):
        return ["nothing is excluded; scope.exclude in clew.toml is listed by clew plan"]
    rows = [(printable(rule.host), rule) for rule in rules]
    rows += [(f"  but not {printable(rule.host)}", rule) for rule in exclusions.exceptions()]
    counted = _count(folder, [rule.host for _, rule in rows])
    width = max(len("excluded"), *(len(name) for name, _ in rows))
    lines = [f"{'excluded':{width}}  {'since':16}  queued links  pages read"]
    for (name, rule), counts in zip(rows, counted, strict=True):
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(rule.at))
        lines.append(f"{name:{width}}  {since}  {counts.open:>12,}  {counts.read:>10,}")
    again = shlex.join(["clew", "exclude", str(folder), rules[-1].host, "--undo"])
    return [*lines, f"include again, e.g.: {printable(again)}"]
