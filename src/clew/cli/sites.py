"""`clew sites`: list the estimated relevance of each site, and mark sites by hand."""

import json as json_
import shlex
import time
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from clew import config as configuration
from clew import urls
from clew.cli import screen
from clew.cli.arguments import Folder
from clew.domain.sites.site_classifier import SiteExample, TermCounts, train_classifier
from clew.domain.sites.site_classifier import count_text_terms as counted
from clew.domain.sites.site_list import read_site_list
from clew.domain.sites.site_table import SiteStatus
from clew.domain.text import printable
from clew.engine.checkpoint import MODELS
from clew.errors import ConfigError
from clew.rank.sites.policy import Sites
from clew.store import add_rules, read_host_stats, read_sql
from clew.types import Rule

_SHOWN = 40
"""Sites shown unless --all is said: what fits on a screen or two."""

_PAGES = 15
"""Pages of a site that are learned from."""

_FOUND = """SELECT origin, count(*) FILTER (WHERE links.kind = 0 AND state = 0),
    max(CASE WHEN state = 2 OR (state = 0 AND tries > 0) THEN reason END),
    max(redirect) FILTER (WHERE links.kind = 0)
FROM hosts JOIN links ON links.host = hosts.id LEFT JOIN pages ON pages.id = links.id
WHERE links.kind < 2 GROUP BY hosts.id"""
_RECORDS = """SELECT origin, count(*) FROM records JOIN links ON links.id = page
JOIN hosts ON hosts.id = links.host GROUP BY hosts.id"""
_TEXTS = """SELECT coalesce(title, ''), text, lang FROM hosts JOIN links ON links.host = hosts.id
JOIN pages ON pages.id = links.id JOIN texts ON page = pages.id WHERE origin = ? AND links.kind = 0 LIMIT ?"""

Said = Annotated[list[str] | None, typer.Option(metavar="HOST", help="Mark a site as relevant.")]


def sites(
    folder: Folder,
    yes: Said = None,
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
    text classifier trained on decided sites, and a prior from all sites. One relevant page decides a site.

    --yes, --no and --undo override the estimate for a host (or *.name for its subdomains), and may be
    repeated. --labels FILE does so for many hosts, and trains the classifier on their fetched pages. A
    running crawl applies the marks within a second, and later runs keep them.

    --json: phase (explore or collect), explored (pages), and in list for each site: site, pages, found
    (relevant pages), records (extracted rows), open (links), chance, low, high, verdict (yes, no, unknown),
    said (your mark, or null), state.
    """
    config = configuration.load(folder / "clew.toml")
    guide = Sites(
        explore=config.rank.explore,
        explorer=config.rank.explorer,
        keep=config.goal.keep,
        site=config.scope.site,
    )
    guide.load(folder / MODELS)
    guide.restore_hosts(read_host_stats(folder))
    _hear(guide, folder)
    said = {
        **dict.fromkeys(yes or [], "yes"),
        **dict.fromkeys(no or [], "no"),
        **dict.fromkeys(undo or [], "open"),
    }
    if said or labels:
        _overrule(
            guide, folder, {_known(guide, folder, name): verb for name, verb in said.items()}, quiet=json
        )
        if labels:
            _label(guide, folder, labels, quiet=json)
        if not json:
            return
    shown_ = _rows(guide, folder)
    if json:
        screen.say(
            json_.dumps(
                {**guide.status().facts, "explore": guide.explore, "list": shown_}, ensure_ascii=False
            )
        )
    else:
        _show(guide, folder, shown_, everything)


def _hear(guide: Sites, folder: Path) -> None:
    for rule in read_sql(folder, "SELECT host, kind, at, id FROM rules ORDER BY id"):
        guide.apply_rule(Rule(*rule))


# ---- a person's word ---------------------------------------------------------------------------


def _known(guide: Sites, folder: Path, name: str) -> str:
    """Return the site that a person named, in our spelling; say which was meant if there is none."""
    host = urls.clock_key(urls.origin(name)) if "://" in name else name.strip().strip("/").lower()
    if host.startswith("*.") or guide.table.find(guide.table.name(f"http://{host}")) >= 0:
        return host
    near = get_close_matches(host, guide.table.names, n=1)
    cure = f"did you mean {printable(near[0])}?" if near else f"clew sites {folder} --all lists them"
    msg = f"{printable(host, 80)} is no site of this crawl; {cure}"
    raise ConfigError(msg)


def _overrule(guide: Sites, folder: Path, said: dict[str, str], *, quiet: bool) -> None:
    """Write what a person says of sites to the disk; a crawl that runs obeys within a second."""
    rules = [Rule(host, verb, time.time()) for host, verb in said.items()]
    add_rules(folder, rules)
    for rule in rules:
        guide.apply_rule(rule)
    if quiet:
        return
    words = {
        "yes": "holds it, you say",
        "no": "does not hold it, you say",
        "open": "is judged by its pages again",
    }
    for rule in rules[:_SHOWN]:
        screen.say(f"{printable(rule.host)} {words[rule.verb]}")
    for rule in rules[:1]:
        if rule.verb != "open":
            again = shlex.join(["clew", "sites", str(folder), "--undo", rule.host])
            screen.say(f"  take it back: {printable(again)}")


def _label(guide: Sites, folder: Path, path: Path, *, quiet: bool) -> None:
    """Take sites that are known from a file; learn from the pages that were read of them."""
    listing = read_site_list(path, truth=True)
    met = {host: good for host, good in listing.labels.items() if guide.table.find(_site(guide, host)) >= 0}
    rules = {host: "yes" if good else "no" for host, good in met.items()}
    _overrule(guide, folder, rules, quiet=True)
    examples = list(_examples(guide, folder, met))
    reader = train_classifier(examples)
    if reader is not None:
        reader.save(folder / MODELS)
    if quiet:
        return
    good = sum(met.values())
    screen.say(f"{len(met):,} sites are known now: {good:,} hold it, {len(met) - good:,} do not")
    for number, entry in listing.invalid[:5]:
        screen.say(
            f"  ! {printable(str(path))}, line {number}: {printable(entry, 60)} is no site with yes or "
            "no; left out"
        )
    if unmet := len(listing.labels) - len(met):
        screen.say(f"  {unmet:,} other{'s were' if unmet != 1 else ' was'} never met in this crawl")
    if reader is None:
        screen.say("  nothing was learned from their pages: that takes pages of three sites of either side")
    else:
        screen.say(f"  learned from {reader.pages:,} pages of {reader.sites:,} sites what words tell:")
        order = sorted(reader.weights, key=lambda term: -reader.weights[term])
        screen.say(
            f"  for: {printable(' '.join(order[:8]), 90)}   against: {printable(' '.join(order[:-9:-1]), 90)}"
        )


def _site(guide: Sites, host: str) -> str:
    return guide.table.name(f"http://{host}")


def _examples(guide: Sites, folder: Path, met: dict[str, bool]) -> Iterable[SiteExample]:
    for host, good in met.items():
        site = _site(guide, host)
        for origin in guide.table.origins[guide.table.find(site)]:
            for title, text, lang in read_sql(folder, _TEXTS, origin, _PAGES):
                counts: TermCounts = counted(f"{title}\n{text}", lang)
                yield SiteExample(site, good, counts)


# ---- what is shown -----------------------------------------------------------------------------


def _rows(guide: Sites, folder: Path) -> list[dict[str, Any]]:
    """Return every site with what is known of it, those that hold it first."""
    more: dict[str, dict[str, Any]] = {}
    for origin, open, trouble, target in read_sql(folder, _FOUND):
        empty = {"open": 0, "records": 0, "trouble": "", "moved": ""}
        row = more.setdefault(guide.table.name(origin), empty)
        row["open"] += open
        row["trouble"] = row["trouble"] or trouble or ""
        if target and guide.table.name(urls.origin(target)) != guide.table.name(origin):
            row["moved"] = guide.table.name(urls.origin(target))
    for origin, count in read_sql(folder, _RECORDS):
        more[guide.table.name(origin)]["records"] += count
    rows = []
    for number in range(len(guide.table)):
        standing = guide.table.status(number)
        rest = more.get(standing.site, {"open": 0, "records": 0, "trouble": "", "moved": ""})
        rows.append({
            "site": standing.site, "pages": standing.pages, "found": standing.hits,
            "records": rest["records"], "open": rest["open"], "chance": round(standing.chance, 4),
            "low": round(standing.low, 4), "high": round(standing.high, 4),
            "verdict": standing.verdict, "said": standing.label,
            "state": _state(guide, standing, rest),
        })  # fmt: skip
    order = {"yes": 0, "unknown": 1, "no": 2}
    return sorted(rows, key=lambda row: (order[row["verdict"]], -row["found"], -row["chance"], row["site"]))


def _state(guide: Sites, standing: SiteStatus, rest: dict[str, Any]) -> str:
    """Say in a word or two what happens to a site."""
    if not standing.pages:
        return _silence(guide, standing, rest)
    if not rest["open"]:
        return "read to its end"
    if not guide.collecting:
        return "exploring"
    return "collecting" if standing.verdict == "yes" else "left"


def _silence(guide: Sites, standing: SiteStatus, rest: dict[str, Any]) -> str:
    """Say why nothing was read of a site."""
    if rest["moved"]:
        return f"moved to {rest['moved']}"
    if rest["trouble"]:
        return f"no answer: {rest['trouble']}"
    if standing.failed:
        return "no page came"
    if not rest["open"]:
        return "no link to it is open"
    return "not looked at" if guide.collecting else "waits for its first page"


def _show(guide: Sites, folder: Path, rows: list[dict[str, Any]], everything: bool) -> None:
    screen.say(guide.status().text)
    if not rows:
        screen.say(f"  nothing was read so far; begin with: clew run {folder}")
        return
    some = rows if everything else rows[:_SHOWN]
    width = min(44, max(len(row["site"]) for row in some))
    screen.say(f"{'site':{width}}  pages  found   rows  estimate            verdict  ")
    for row in some:
        estimate = f"{row['chance']:.2f} ({row['low']:.2f}–{row['high']:.2f})"
        verdict = f"{row['verdict']}{', you say' if row['said'] is not None else ''}"
        screen.say(
            f"{printable(row['site'], width):{width}}  {row['pages']:5,}  {row['found']:5,}  "
            f"{row['records']:5,}  {estimate:18}  {verdict:12}  {printable(row['state'], 50)}".rstrip()
        )
    if len(some) < len(rows):
        screen.say(f"and {len(rows) - len(some):,} more: --all shows them")
    screen.say(f"  overrule one: clew sites {printable(str(folder))} --yes HOST, or --no HOST")
