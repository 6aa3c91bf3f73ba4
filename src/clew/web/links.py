"""Links and hosts: what comes next, which hosts there are, and rules for them with the links they concern."""

import time
from typing import Any, Literal
from urllib.parse import urlencode

import numpy as np
from pydantic import Field

from clew.cli.shard_feedback import add_shared_rule
from clew.errors import ConfigError
from clew.frontier import is_url_pattern, limit_verb, parse_limit, read_rule
from clew.insight.explain import exclusions
from clew.insight.live_state import add_note, read_live
from clew.insight.preflight.folder_check import lock_holder
from clew.insight.rule_counts import count_rules
from clew.store import add_rule
from clew.store.crawl_stats import has_links, read_all_rules
from clew.store.folder import DATABASE
from clew.types import Rule
from clew.web.charts import columns_of, links_of
from clew.web.operations import Call, Changes, Operation, Paging, WebPage
from clew.web.overview import brief_state
from clew.web.pages import Params

NEXT = 40
NO_PAGES = "nothing was found yet; start the crawl first"


class HostQuery(Paging):
    """Which hosts to list."""

    find: str = Field(default="", description="Part of the name.")
    sort: Literal["open", "read", "relevant", "failed", "refused"] = "open"
    pattern: str = Field(default="", description="A pattern to begin with in the form.")


class RuleBody(Changes):
    """A rule for hosts or URLs: exclude, include again, or limit. `value` is seconds of delay or pages."""

    pattern: str = Field(min_length=1, max_length=2_000)
    verb: Literal["exclude", "include", "delay", "pages"] = "exclude"
    value: float = Field(default=0.0, ge=0)


class PatternBody(Changes):
    """A pattern whose links are to be counted."""

    pattern: str = Field(min_length=1, max_length=2_000)


def list_links(call: Call) -> dict[str, Any]:
    """Return the links that come next, and why they would."""
    folder = call.folder
    live = read_live(folder)
    if lock_holder(folder) and live.get("next"):
        return {"links": live["next"], "ranked": "now", "open": live["open"]}
    counts = links_of(call.server, folder, 3.0) if has_links(folder) else None
    found = list(counts.best[:NEXT]) if counts else []
    return {"links": found, "ranked": "found", "open": brief_state(call.server, folder)["open"]}


def list_hosts(call: Call) -> dict[str, Any]:
    """Return the hosts with their links by state, relevant pages and limits."""
    query: HostQuery = call.query
    folder = call.folder
    params = Params(query.model_dump(exclude_defaults=True))
    if not has_links(folder):
        return {"hosts": [], "total": 0, "params": params, "complete": True}
    counts = links_of(call.server, folder, 3.0)
    columns = columns_of(call.server, folder, 1.0)
    size = len(columns.host_names)
    read = dict(zip(columns.host_names, np.bincount(columns.hosts, minlength=size).tolist(), strict=True))
    found = np.bincount(columns.hosts[columns.relevant], minlength=size).tolist()
    relevant = dict(zip(columns.host_names, found, strict=True))
    live = read_live(folder) if lock_holder(folder) else {}
    resting = {each["host"]: each for each in live.get("resting", [])}
    states = live.get("suspended", {})
    rows = [
        {
            **row,
            "read": read.get(row["host"], 0),
            "relevant": relevant.get(row["host"], 0),
            "why": _why(row["host"], resting, states),
        }
        for row in (counts.hosts if counts else ())
        if query.find.lower() in row["host"].lower()
    ]
    rows.sort(key=lambda row: (-row[query.sort], row["host"]))
    return {
        "hosts": rows[query.offset : query.offset + query.limit],
        "total": len(rows),
        "params": params,
        "complete": counts is not None,
    }


def _why(origin: str, resting: dict[str, Any], suspended: dict[str, str]) -> str:
    if reason := suspended.get(origin):
        return reason
    rest = resting.get(origin.partition("://")[2])
    return f"rests {rest['seconds']:.0f} s {rest['reason']}".strip() if rest else ""


def list_rules(call: Call) -> dict[str, Any]:
    """Return the rules in force, oldest first."""
    folder = call.folder
    if not (folder / DATABASE).exists() or not has_links(folder):
        return {"rules": []}
    limits: dict[tuple[str, str], dict[str, Any]] = {}
    for rule in read_all_rules(folder):
        if limit := parse_limit(rule.verb):
            kind, value = limit
            limits[rule.host, kind] = {"pattern": rule.host, "verb": kind, "value": value, "at": rule.at}
    excluded = [
        {"pattern": rule.host, "verb": "exclude", "value": 0.0, "at": rule.at}
        for rule in exclusions(folder).active()
    ]
    return {"rules": [*excluded, *(each for each in limits.values() if each["value"])]}


def count_pattern(call: Call) -> dict[str, Any]:
    """Count the links that a pattern concerns, without changing anything."""
    rule = read_rule(call.body.pattern.strip())
    if not has_links(call.folder):
        raise ConfigError(NO_PAGES)
    (counts,) = count_rules(call.folder, [rule])
    return {
        "pattern": rule,
        "open": counts.open,
        "read": counts.read,
        "known": counts.known,
        "is_host": not is_url_pattern(rule),
    }


def set_rule(call: Call) -> dict[str, Any]:
    """Add a rule; a running crawl applies it within a second, and later runs keep it."""
    body: RuleBody = call.body
    folder = call.folder
    rule = read_rule(body.pattern.strip())
    if not has_links(folder):
        raise ConfigError(NO_PAGES)
    if body.verb in ("delay", "pages") and is_url_pattern(rule):
        msg = f"{rule}: delays and page limits are for hosts, not for single URLs"
        raise ConfigError(msg)
    verb = body.verb if body.verb in ("exclude", "include") else limit_verb(body.verb, body.value)
    (counts,) = count_rules(folder, [rule])
    if call.divided:
        add_shared_rule(call.divided, rule, verb)
    else:
        add_rule(folder, Rule(rule, verb, time.time()))
    said = {
        "exclude": f"{rule} is excluded",
        "include": f"{rule} is crawled again",
        "delay": f"{rule}: at least {body.value:g} s between requests"
        if body.value
        else f"{rule}: usual delay",
        "pages": f"{rule}: at most {body.value:,.0f} pages" if body.value else f"{rule}: no page limit",
    }[body.verb]
    message = f"{said}: {counts.open:,} queued links"
    add_note(folder, message, {"rule": rule, "verb": verb})
    return {"pattern": rule, "verb": verb, "open": counts.open, "message": message}


def links_page(call: Call) -> dict[str, Any]:
    """Return all of the page."""
    upcoming = list_links(call)
    params = urlencode({"pattern": call.query.pattern}) if call.query.pattern else ""
    return {
        **list_hosts(call),
        **list_rules(call),
        "next": upcoming,
        "link_params": params,
        "running": bool(lock_holder(call.folder)),
    }


OPERATIONS = (
    Operation(method="GET", path="/crawls/{name}/links", summary="The links that come next.", run=list_links),
    Operation(
        method="GET",
        path="/crawls/{name}/hosts",
        summary="Hosts with links by state.",
        run=list_hosts,
        query=HostQuery,
    ),
    Operation(
        method="GET", path="/crawls/{name}/rules", summary="Exclusions and limits in force.", run=list_rules
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/rules/count",
        summary="Count the links of a pattern.",
        run=count_pattern,
        body=PatternBody,
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/rules",
        summary="Exclude, include, slow down or cap.",
        run=set_rule,
        body=RuleBody,
    ),
)
PAGES = (
    WebPage(
        path="/crawls/{name}/links",
        template="links.html",
        title="Links and hosts",
        run=links_page,
        query=HostQuery,
        of_shards=True,
    ),
)
