"""`clew sites`: list the estimated relevance of each site, and mark sites by hand."""

import json as json_
import shlex
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from clew import config as configuration
from clew import urls
from clew.cli import screen
from clew.cli.arguments import Folder
from clew.domain.sites.explorers import make_explorer
from clew.domain.sites.paper_numbers import paper_numbers
from clew.domain.sites.site_classifier import SiteExample, TermCounts, count_text_terms, train_classifier
from clew.domain.sites.site_list import read_site_list
from clew.domain.sites.site_report import SiteCounts, describe_phase, phase_facts
from clew.domain.sites.site_table import SiteStatus
from clew.domain.text import printable
from clew.engine.checkpoint import MODELS
from clew.errors import ConfigError
from clew.rank.sites.policy import Sites
from clew.store import add_rules, read_host_stats, read_sql
from clew.types import Rule

_SHOWN = 40
"""Maximum number of sites shown without --all: one or two screens."""

_PAGES = 15
"""Maximum number of training pages per site."""

_MOVED = "moved to "
_WORDS = {"yes": "holds it", "no": "does not", "unknown": "not known yet"}

_FOUND = """SELECT origin, count(*) FILTER (WHERE links.kind = 0 AND state = 0),
    max(CASE WHEN state = 2 OR (state = 0 AND tries > 0) THEN reason END),
    max(redirect) FILTER (WHERE links.kind = 0), count(*) FILTER (WHERE links.kind = 0 AND noindex)
FROM hosts JOIN links ON links.host = hosts.id LEFT JOIN pages ON pages.id = links.id
WHERE links.kind < 2 GROUP BY hosts.id"""
_RECORDS = """SELECT origin, count(*) FROM records JOIN links ON links.id = page
JOIN hosts ON hosts.id = links.host GROUP BY hosts.id"""
_TEXTS = """SELECT coalesce(title, ''), text, lang FROM hosts JOIN links ON links.host = hosts.id
JOIN pages ON pages.id = links.id JOIN texts ON page = pages.id WHERE origin = ? AND links.kind = 0 LIMIT ?"""

Hosts = Annotated[list[str] | None, typer.Option(metavar="HOST", help="Mark a site as relevant.")]


def sites(
    folder: Folder,
    yes: Hosts = None,
    no: Annotated[list[str] | None, typer.Option(metavar="HOST", help="Mark a site as not relevant.")] = None,
    undo: Annotated[
        list[str] | None, typer.Option(metavar="HOST", help="Remove your mark from a site.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Marks from a file: host, tab, yes or no on each line."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all sites.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object: phase, counts, every site.")
    ] = False,
) -> None:
    """List the sites with the estimated probability that each is relevant, and what was found there.

    Meant for the policy sites, which explores a few pages of each site and then collects from the relevant
    ones; other crawls are summarised in the same way. The estimate is the probability that a site has
    relevant pages, with a 95 % interval. It is based on the relevant and irrelevant pages of the site, a
    text classifier trained on decided sites, and what is known of all sites. A site holds it if a page was
    relevant, or with a probability of 0.95; it does not if all its pages were read, or if its interval ends
    below 0.1; the others are not known yet.

    --yes, --no and --undo override the estimate for a host (or *.name for its subdomains), and may be
    repeated. --labels FILE does so for many hosts, and trains the classifier on their fetched pages. A
    running crawl applies the marks within a second, and later runs keep them.

    --json: phase (explore or collect), explored (pages), expected_unknown (how many of the unknown sites
    should hold it), fewest and most (95 % interval of all that do), and in list for each site: site, pages,
    found (relevant pages), records (extracted rows), open (links), chance, low, high, verdict (yes, no,
    unknown), said (your mark, or null), theta (mean of its pages), delta (expected fall of the error by one
    more page, as published), value (the same by rank.explorer), turn (1: read next; null: not due), state.

    Example: clew sites wind
    """
    policy = _load_policy(folder)
    marks = (
        dict.fromkeys(yes or [], "yes") | dict.fromkeys(no or [], "no") | dict.fromkeys(undo or [], "open")
    )
    if marks or labels:
        _mark_sites(policy, folder, marks, labels, quiet=json)
    if json:
        _print_json(policy, folder)
    elif not (marks or labels):
        _show(policy, folder, _rows(policy, folder), everything)


def _load_policy(folder: Path) -> Sites:
    """Return the policy with its saved model, the statistics of hosts and the marks of the crawl."""
    config = configuration.load(folder / "clew.toml")
    policy = Sites(
        explore=config.rank.explore,
        explorer=config.rank.explorer,
        keep=config.goal.keep,
        site=config.scope.site,
    )
    policy.load(folder / MODELS)
    policy.restore_hosts(read_host_stats(folder))
    for rule in read_sql(folder, "SELECT host, kind, at, id FROM rules ORDER BY id"):
        policy.apply_rule(Rule(*rule))
    return policy


def _print_json(policy: Sites, folder: Path) -> None:
    rows = _rows(policy, folder)
    facts = phase_facts(_counts(policy, rows), policy.explored, policy.collecting)
    report = {**facts, "explore": policy.explore, "list": rows}
    screen.echo(json_.dumps(report, ensure_ascii=False))


# ---- marks -------------------------------------------------------------------------------------


def _mark_sites(
    policy: Sites, folder: Path, marks: dict[str, str], labels: Path | None, *, quiet: bool
) -> None:
    """Apply the marks of the command line, and those of a file."""
    _store_marks(
        policy, folder, {_known(policy, folder, name): verb for name, verb in marks.items()}, quiet=quiet
    )
    if labels:
        _label(policy, folder, labels, quiet=quiet)


def _known(policy: Sites, folder: Path, name: str) -> str:
    """Return the normalised name of a site; raise with the nearest name if the crawl has no such site."""
    host = urls.clock_key(urls.origin(name)) if "://" in name else name.strip().strip("/").lower()
    if host.startswith("*.") or policy.table.find(policy.table.name(f"http://{host}")) >= 0:
        return host
    near = get_close_matches(host, policy.table.names, n=1)
    hint = f"did you mean {printable(near[0])}?" if near else f"clew sites {folder} --all lists them"
    msg = f"{printable(host, 80)} is not a site of this crawl; {hint}"
    raise ConfigError(msg)


def _store_marks(policy: Sites, folder: Path, marks: dict[str, str], *, quiet: bool) -> None:
    """Store marks on sites; a running crawl applies them within a second."""
    rules = [Rule(host, verb, time.time()) for host, verb in marks.items()]
    add_rules(folder, rules)
    for rule in rules:
        policy.apply_rule(rule)
    if quiet:
        return
    outcomes = {
        "yes": "is marked as relevant",
        "no": "is marked as not relevant",
        "open": "is estimated from its pages again",
    }
    for rule in rules[:_SHOWN]:
        screen.echo(f"{printable(rule.host)} {outcomes[rule.verb]}")
    for rule in rules[:1]:
        if rule.verb != "open":
            again = shlex.join(["clew", "sites", str(folder), "--undo", rule.host])
            screen.echo(f"  undo: {printable(again)}")


def _label(policy: Sites, folder: Path, path: Path, *, quiet: bool) -> None:
    """Apply the marks of a file, and train the classifier on the fetched pages of its sites."""
    listing = read_site_list(path, truth=True)
    known = {
        host: good for host, good in listing.labels.items() if policy.table.find(_site(policy, host)) >= 0
    }
    if not known:
        first = printable(next(iter(listing.labels), ""), 60)
        msg = (
            f"none of the {len(listing.labels):,} hosts in {printable(str(path))} is a site of this crawl "
            f"({first}, …); clew sites {printable(str(folder))} --all lists them"
        )
        raise ConfigError(msg)
    rules = {host: "yes" if good else "no" for host, good in known.items()}
    _store_marks(policy, folder, rules, quiet=True)
    examples = list(_examples(policy, folder, known))
    classifier = train_classifier(examples)
    if classifier is not None:
        classifier.save(folder / MODELS)
    if quiet:
        return
    good = sum(known.values())
    screen.echo(f"{len(known):,} sites are marked: {good:,} relevant, {len(known) - good:,} not relevant")
    for number, entry in listing.invalid[:5]:
        screen.echo(
            f"  ! {printable(str(path))}, line {number}: {printable(entry, 60)} is not a site with yes "
            "or no; skipped"
        )
    if unknown := len(listing.labels) - len(known):
        screen.echo(f"  {unknown:,} other{'s are' if unknown != 1 else ' is'} not in this crawl")
    if classifier is None:
        screen.echo(
            "  the classifier was not trained: it needs pages of three relevant and three other sites"
        )
    else:
        sample = f"{classifier.pages:,} pages of {classifier.sites:,} sites"
        screen.echo(f"  trained the classifier on {sample}; strongest terms:")
        order = sorted(classifier.weights, key=lambda term: -classifier.weights[term])
        highest, lowest = " ".join(order[:8]), " ".join(order[:-9:-1])
        screen.echo(f"  relevant: {printable(highest, 90)}   not relevant: {printable(lowest, 90)}")


def _site(policy: Sites, host: str) -> str:
    return policy.table.name(f"http://{host}")


def _examples(policy: Sites, folder: Path, labels: dict[str, bool]) -> Iterable[SiteExample]:
    for host, good in labels.items():
        site = _site(policy, host)
        for origin in policy.table.origins[policy.table.find(site)]:
            for title, text, lang in read_sql(folder, _TEXTS, origin, _PAGES):
                counts: TermCounts = count_text_terms(f"{title}\n{text}", lang)
                yield SiteExample(site, good, counts)


# ---- the table of sites ------------------------------------------------------------------------


_NOTHING: dict[str, Any] = {"open": 0, "records": 0, "trouble": "", "moved": "", "noindex": 0}


def _rows(policy: Sites, folder: Path) -> list[dict[str, Any]]:
    """Return a row for every site, the relevant ones first."""
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
        rows.append({
            "site": status.site, "pages": status.pages, "found": status.hits,
            "records": rest["records"], "open": rest["open"], "chance": round(status.chance, 4),
            "low": round(status.low, 4), "high": round(status.high, 4),
            "verdict": status.verdict, "said": status.label, **numbers[status.site],
            "state": _state(policy, status, rest),
        })  # fmt: skip
    order = {"yes": 0, "unknown": 1, "no": 2}
    return sorted(rows, key=lambda row: (order[row["verdict"]], -row["found"], -row["chance"], row["site"]))


def _counts(policy: Sites, rows: list[dict[str, Any]]) -> SiteCounts:
    """Count the sites of the table by their verdicts; one that has moved is counted where it is now."""
    rows = [row for row in rows if not row["state"].startswith(_MOVED)]
    number = Counter(row["verdict"] for row in rows)
    missed = sum(row["chance"] for row in rows if row["verdict"] == "unknown")
    estimates = policy.table.estimates()
    yes, unknown = number["yes"], number["unknown"]
    fewest = max(estimates.fewest, yes)
    most = max(min(estimates.most, yes + unknown), fewest)
    return SiteCounts(len(rows), yes, number["no"], unknown, missed, fewest, most)


def _state(policy: Sites, status: SiteStatus, rest: dict[str, Any]) -> str:
    """Return the state of a site in a word or two."""
    if not status.pages:
        return _why_empty(policy, status, rest)
    if not rest["open"] and rest["noindex"] and not status.hits:
        return f"{rest['noindex']:,} page{'s' * (rest['noindex'] != 1)} not to be indexed (robots directives)"
    if not rest["open"]:
        return "finished"
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


def _show(policy: Sites, folder: Path, rows: list[dict[str, Any]], everything: bool) -> None:
    counts = _counts(policy, rows)
    screen.echo(describe_phase(counts, policy.explored, policy.explore, policy.collecting))
    if not rows:
        screen.echo(f"  nothing was fetched yet; start with: clew run {folder}")
        return
    listed = rows if everything else rows[:_SHOWN]
    width = min(44, max(len(row["site"]) for row in listed))
    screen.echo(f"{'site':{width}}  pages  found   rows  {'verdict':16}  estimate")
    for row in listed:
        sure = row["verdict"] != "unknown"
        estimate = "" if sure else f"{row['chance']:.2f} ({row['low']:.2f}–{row['high']:.2f})"
        verdict = f"{_WORDS[row['verdict']]}{', marked' if row['said'] is not None else ''}"
        screen.echo(
            f"{printable(row['site'], width):{width}}  {row['pages']:5,}  {row['found']:5,}  "
            f"{row['records']:5,}  {verdict:16}  {estimate:18}  {printable(row['state'], 50)}".rstrip()
        )
    if len(listed) < len(rows):
        screen.echo(f"and {len(rows) - len(listed):,} more: --all shows them")
    screen.echo(f"  mark a site: clew sites {printable(str(folder))} --yes HOST, or --no HOST")
