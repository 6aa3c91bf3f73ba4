"""`clew sites`: list the estimated relevance of each site, and mark sites by hand."""

import json as json_
import shlex
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from clew.cli import screen
from clew.cli.arguments import Folder
from clew.domain.sites.site_classifier import (
    SiteExample,
    TermCounts,
    count_text_terms,
    has_both_classes,
    train_classifier,
)
from clew.domain.sites.site_list import read_site_list
from clew.domain.sites.site_report import describe_phase, phase_facts
from clew.domain.text import printable
from clew.engine.checkpoint import MODELS
from clew.errors import ConfigError
from clew.insight.site_listing import count_sites, known_site, load_sites_policy, site_rows
from clew.rank.sites.policy import Sites
from clew.services.labels.training_pages import words_of
from clew.store import add_rules, read_sql
from clew.types import Rule

_SHOWN = 40
"""Maximum number of sites shown without --all: one or two screens."""

_PAGES = 15
"""Maximum number of training pages per site."""

_WORDS = {"yes": "holds it", "no": "does not", "unknown": "not known yet"}

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
    ones. Crawls with another policy are counted without estimates: what such a policy has not read of a
    site says little about it. The estimate is the probability that a site has
    relevant pages, with a 95 % interval. It is based on the relevant and irrelevant pages of the site, a
    text classifier trained on decided sites, and what is known of all sites. A site holds it if a page was
    relevant, or with a probability of 0.95; it does not if all its pages were read, or if its interval ends
    below 0.1; the others are not known yet.

    --yes, --no and --undo override the estimate for a host (or *.name for its subdomains), and may be
    repeated. --labels FILE does so for many hosts, and trains the classifier on their fetched pages. A
    running crawl applies the marks within a second, and later runs keep them.

    --json: phase (explore, collect; none with another policy), explored (pages), expected_unknown (how many
    of the unknown sites should hold it), fewest and most (95 % interval of all that do), and in list for
    each site: site, pages, found (relevant pages), records (extracted rows), open (links), chance, low, high
    (null where there is no estimate), verdict (yes, no, unknown), said (your mark, or null), theta (mean of
    its pages), delta (expected fall of the error by one more page, as published), value (the same by
    rank.explorer), turn (1: read next; null: not due), state.

    Example: clew sites wind
    """
    policy = load_sites_policy(folder)
    marks = (
        dict.fromkeys(yes or [], "yes") | dict.fromkeys(no or [], "no") | dict.fromkeys(undo or [], "open")
    )
    if marks or labels:
        _mark_sites(policy, folder, marks, labels, quiet=json)
    if json:
        _print_json(policy, folder)
    elif not (marks or labels):
        _show(policy, folder, site_rows(policy, folder), everything)


def _print_json(policy: Sites, folder: Path) -> None:
    rows = site_rows(policy, folder)
    facts = phase_facts(count_sites(policy, rows, folder), policy.explored, policy.collecting)
    report = {**facts, "explore": policy.explore, "list": rows}
    screen.echo(json_.dumps(report, ensure_ascii=False))


# ---- marks -------------------------------------------------------------------------------------


def _mark_sites(
    policy: Sites, folder: Path, marks: dict[str, str], labels: Path | None, *, quiet: bool
) -> None:
    """Apply the marks of the command line, and those of a file."""
    _store_marks(
        policy, folder, {known_site(policy, folder, name): verb for name, verb in marks.items()}, quiet=quiet
    )
    if labels:
        _label(policy, folder, labels, quiet=quiet)


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
    classifier = train_classifier(examples, policy.classifier, policy.training.classifier)
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
        why = "it needs pages of three relevant and three other sites"
        if has_both_classes(examples):
            why = "the words of these pages do not tell relevant sites from others"
        screen.echo(f"  the classifier was not trained: {why}")
    else:
        sample = f"{classifier.pages:,} pages of {len(classifier.sites):,} sites"
        screen.echo(f"  trained the classifier on {sample}")
        if classifier.held_out is not None:
            screen.echo(f"  {classifier.held_out.sentence()}")
        order = sorted(classifier.weights, key=lambda term: -classifier.weights[term])
        words = words_of(folder, order[:8] + order[-8:])
        highest, lowest = (
            " ".join(words.get(term, term) for term in ends) for ends in (order[:8], order[:-9:-1])
        )
        screen.echo(f"  strongest terms: {printable(highest, 90)}   not relevant: {printable(lowest, 90)}")


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


def _show(policy: Sites, folder: Path, rows: list[dict[str, Any]], everything: bool) -> None:
    counts = count_sites(policy, rows, folder)
    screen.echo_folded(describe_phase(counts, policy.explored, policy.explore, policy.collecting), 2)
    if not rows:
        screen.echo(f"  nothing was fetched yet; start with: clew run {folder}")
        return
    listed = rows if everything else rows[:_SHOWN]
    width = min(44, max(len(row["site"]) for row in listed))
    screen.echo(f"{'site':{width}}  pages  found   rows  {'verdict':16}  estimate")
    for row in listed:
        sure = row["verdict"] != "unknown" or row["chance"] is None
        estimate = "" if sure else f"{row['chance']:.2f} ({row['low']:.2f}–{row['high']:.2f})"
        verdict = f"{_WORDS[row['verdict']]}{', marked' if row['said'] is not None else ''}"
        screen.echo(
            f"{printable(row['site'], width):{width}}  {row['pages']:5,}  {row['found']:5,}  "
            f"{row['records']:5,}  {verdict:16}  {estimate:18}  {printable(row['state'], 50)}".rstrip()
        )
    if len(listed) < len(rows):
        screen.echo(f"and {len(rows) - len(listed):,} more: --all shows them")
    screen.echo(f"  mark a site: clew sites {printable(str(folder))} --yes HOST, or --no HOST")
