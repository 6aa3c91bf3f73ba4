"""The sites of a crawl: the estimated relevance of each, what was found there, and its state."""

import json
from collections import Counter
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from clew import config as configuration
from clew import urls
from clew.domain.sites.explorers import make_explorer
from clew.domain.sites.paper_numbers import paper_numbers
from clew.domain.sites.site_report import SiteCounts
from clew.domain.sites.site_table import SiteStatus
from clew.domain.text import printable
from clew.engine.checkpoint import MODELS
from clew.errors import ConfigError
from clew.rank.sites.policy import Sites
from clew.store import read_host_stats, read_sql
from clew.store.crawl_stats import last_settings
from clew.store.folder import DATABASE
from clew.types import Rule

_MOVED = "moved to "
_FOUND = """SELECT origin, count(*) FILTER (WHERE links.kind = 0 AND state = 0),
    max(CASE WHEN state = 2 OR (state = 0 AND tries > 0) THEN reason END),
    max(redirect) FILTER (WHERE links.kind = 0), count(*) FILTER (WHERE links.kind = 0 AND noindex)
FROM hosts JOIN links ON links.host = hosts.id LEFT JOIN pages ON pages.id = links.id
WHERE links.kind < 2 GROUP BY hosts.id"""
_RECORDS = """SELECT origin, count(*) FROM records JOIN links ON links.id = page
JOIN hosts ON hosts.id = links.host GROUP BY hosts.id"""
_NOTHING: dict[str, Any] = {"open": 0, "records": 0, "trouble": "", "moved": "", "noindex": 0}


def load_sites_policy(folder: Path) -> Sites:
    """Return the policy with its saved model, the statistics of hosts and the marks of the crawl."""
    config = configuration.load_folder(folder)
    policy = Sites(
        explore=config.rank.explore,
        explorer=config.rank.explorer,
        classifier=config.rank.classifier,
        keep=config.goal.keep,
        site=config.scope.site,
    )
    policy.load(folder / MODELS)
    policy.restore_hosts(read_host_stats(folder, config.goal.keep))
    for rule in read_sql(folder, "SELECT host, kind, at, id FROM rules ORDER BY id"):
        policy.apply_rule(Rule(*rule))
    return policy


def explores_sites(folder: Path) -> bool:
    """Return whether the crawl ran with the policy `sites`, so that what it did not find tells something."""
    settings = json.loads(last_settings(folder) or "{}")
    policy = settings.get("rank", {}).get("policy") or configuration.load_folder(folder).rank.policy
    return bool(policy == "sites")


def site_of_url(folder: Path, url: str) -> dict[str, Any] | None:
    """Return what the policy `sites` knows of the site of a URL; None for other policies and unknown sites.

    `turns` is the number of sites of which a page is due.
    """
    if not (folder / DATABASE).exists() or not explores_sites(folder):
        return None
    policy = load_sites_policy(folder)
    name = policy.table.name(urls.origin(url))
    row = policy.table.find(name)
    if row < 0:
        return None
    numbers = paper_numbers(policy.table, make_explorer(policy.explorer))
    turns = sum(each["turn"] is not None for each in numbers.values())
    pages = int(policy.table.stats.pages[row])
    phase = policy.collecting or "exploring"
    return {
        "site": name, "pages": pages, **numbers[name], "turns": turns, "explorer": policy.explorer,
        "phase": phase,
    }  # fmt: skip


def describe_site_of_url(known: dict[str, Any]) -> str:
    """Describe it in one line.

    >>> describe_site_of_url({"site": "a.org", "pages": 2, "theta": 0.4, "delta": 0.05, "value": 0.03,
    ...                       "turn": 3, "turns": 9, "explorer": "gain", "phase": "exploring"})
    'a.org: theta 0.40 of 2 pages, delta 0.0500, value of one more 0.0300 (gain); its turn is 3 of 9'
    """
    if not known["pages"]:
        return f"{printable(known['site'])}: no page was read yet"
    value = f"value of one more {known['value']:.4f} ({known['explorer']})"
    due = f"its turn is {known['turn']} of {known['turns']}" if known["turn"] else "no page of it is due"
    if known["phase"] != "exploring":
        due = f"exploring is over: {known['phase']}"
    read = f"theta {known['theta']:.2f} of {known['pages']:,} page{'s' * (known['pages'] != 1)}"
    return f"{printable(known['site'])}: {read}, delta {known['delta']:.4f}, {value}; {due}"


def known_site(policy: Sites, folder: Path, name: str) -> str:
    """Return the normalised name of a site; raise with the nearest name if the crawl has no such site."""
    host = urls.clock_key(urls.origin(name)) if "://" in name else name.strip().strip("/").lower()
    if host.startswith("*.") or policy.table.find(policy.table.name(f"http://{host}")) >= 0:
        return host
    near = get_close_matches(host, policy.table.names, n=1)
    hint = f"did you mean {printable(near[0])}?" if near else f"clew sites {folder} --all lists them"
    msg = f"{printable(host, 80)} is not a site of this crawl; {hint}"
    raise ConfigError(msg)


def site_rows(policy: Sites, folder: Path) -> list[dict[str, Any]]:
    """Return a row for every site, the relevant ones first.

    The chance of a site that is not known yet is None unless the policy `sites` has explored it.
    """
    more: dict[str, dict[str, Any]] = {}
    for origin, open, trouble, target, hidden in read_sql(folder, _FOUND):
        row = more.setdefault(policy.table.name(origin), _NOTHING.copy())
        row["open"] += open
        row["noindex"] += hidden
        row["trouble"] = row["trouble"] or trouble or ""
        if target and policy.table.name(urls.origin(target)) != policy.table.name(origin):
            row["moved"] = policy.table.name(urls.origin(target))
    for origin, count in read_sql(folder, _RECORDS):
        more[policy.table.name(origin)]["records"] += count
    rows = []
    explored = explores_sites(folder)
    numbers = paper_numbers(policy.table, make_explorer(policy.explorer))
    for status in policy.table.statuses():
        rest = more.get(status.site, _NOTHING)
        if (
            not rest["open"]
            and not rest["noindex"]
            and status.pages
            and not status.hits
            and status.label is None
        ):
            status = replace(status, verdict="no", chance=0.0, low=0.0, high=0.0)  # noqa: PLW2901 - all was read
        known = explored or status.verdict != "unknown"
        rows.append({
            "site": status.site, "pages": status.pages, "found": status.hits,
            "records": rest["records"], "open": rest["open"],
            "chance": round(status.chance, 4) if known else None,
            "low": round(status.low, 4) if known else None,
            "high": round(status.high, 4) if known else None,
            "verdict": status.verdict, "said": status.label, **numbers[status.site],
            "state": _state(policy, status, rest, explored=explored),
        })  # fmt: skip
    order = {"yes": 0, "unknown": 1, "no": 2}
    return sorted(
        rows,
        key=lambda row: (
            order[row["verdict"]], -row["found"], -(row["chance"] or 0), -row["pages"], row["site"]
        ),
    )  # fmt: skip


def count_sites(policy: Sites, rows: list[dict[str, Any]], folder: Path) -> SiteCounts:
    """Count the sites of the table by their verdicts; one that has moved is counted where it is now."""
    rows = [row for row in rows if not row["state"].startswith(_MOVED)]
    number = Counter(row["verdict"] for row in rows)
    if not explores_sites(folder):
        return SiteCounts(len(rows), number["yes"], number["no"], number["unknown"])
    missed = sum(row["chance"] for row in rows if row["verdict"] == "unknown")
    estimates = policy.table.estimates()
    yes, unknown = number["yes"], number["unknown"]
    fewest = max(estimates.fewest, yes)
    most = max(min(estimates.most, yes + unknown), fewest)
    return SiteCounts(len(rows), yes, number["no"], unknown, missed, fewest, most)


def _state(policy: Sites, status: SiteStatus, rest: dict[str, Any], *, explored: bool) -> str:
    """Return the state of a site in a word or two."""
    if not status.pages:
        return _why_empty(policy, status, rest)
    if not rest["open"] and rest["noindex"] >= status.pages:
        return f"{rest['noindex']:,} page{'s' * (rest['noindex'] != 1)} not to be indexed (robots directives)"
    if not rest["open"]:
        return "finished"
    if not explored:
        return "links queued"
    if not policy.collecting:
        return "exploring"
    return "collecting" if status.verdict == "yes" else "dropped"


def _why_empty(policy: Sites, status: SiteStatus, rest: dict[str, Any]) -> str:
    """Return why no page of a site was fetched."""
    if rest["moved"]:
        return f"{_MOVED}{rest['moved']}"
    if rest["trouble"]:
        return f"no response: {rest['trouble']}"
    if status.failed:
        return "all requests failed"
    if not rest["open"]:
        return "no queued link"
    return "not explored" if policy.collecting else "queued"
