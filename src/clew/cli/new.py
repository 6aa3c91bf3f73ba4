"""`clew new`: create a crawl; on a terminal, ask for missing options."""

import asyncio
import re
import shlex
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import typer

from clew import config as configuration
from clew.cli import inherit, screen, site_file
from clew.cli import new_options as options
from clew.cli.arguments import Folder, crawl_folder
from clew.cli.example_rows import check_no_rows, is_table, read_example_rows, write_rows
from clew.cli.new_settings import parse_settings
from clew.cli.seed_search import find_seeds
from clew.config import Config, template
from clew.config.contact import checked_contact
from clew.config.seeds import read_seeds
from clew.config.tables import SeekTable
from clew.domain.records.example_table import EXAMPLES_FILE, ExampleTable
from clew.domain.sites.site_list import SiteList
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.preflight import Finding, check_example, check_seeds, saved_page_urls
from clew.insight.preflight.goal_choice import judge_of
from clew.judge.words import goal_terms
from clew.search import open_engine
from clew.urls import Canon

T = TypeVar("T")

_SHOWN = 8
"""Maximum number of problem seeds listed one by one."""

RECORDS_POLICY = "objectrank"
"""The policy proposed for example rows: over all record worlds of docs/lab/budget.md it gains most rows."""

_PAGES = (".html", ".htm", ".xhtml", ".mhtml")


@dataclass(slots=True)
class NewCrawl:
    """The values of clew.toml collected so far."""

    about: str = ""
    seeds: list[str] = field(default_factory=list)
    good: list[str] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)
    contact: str = ""


@dataclass(frozen=True, slots=True)
class GivenOptions:
    """The options of the command line; None or empty where one was not given."""

    about: str | None
    goal: str
    records: str
    good: list[str] | None
    bad: list[str] | None
    seed: list[str] | None
    sites: Path | None
    search: list[str] | None
    contact: str | None
    setting: list[str] | None
    like: Path | None
    no_check: bool


def new(
    folder: Folder,
    about: options.About = None,
    goal: options.Goal = "",
    records: options.Rows = "",
    good: options.Good = None,
    bad: options.Bad = None,
    seed: options.Seed = None,
    sites: options.Sites = None,
    search: options.Search = None,
    contact: options.Contact = None,
    setting: options.Setting = None,
    like: options.Like = None,
    no_check: options.NoCheck = False,
) -> None:
    """Create a crawl: write DIR/clew.toml, with comments.

    On a terminal it asks for missing options: the topic, the seeds, the contact. Elsewhere a missing
    --seed or --contact is an error.

    Seeds are URLs, files with one URL per line, or folders of saved pages, which are used as relevant
    examples too. A URL given with --good is also a seed; the folder of a crawl stands for its relevant
    pages. The contact is sent with every request; placeholders such as example.com are rejected.

    --search ENGINE finds the seeds: the topic is searched for now, as a preview, and by the first run; the
    crawl searches again when it finds few relevant pages (seek.reseed). See clew search and
    docs/guides/search.md.

    --goal place=jp looks for pages with a postal address and extracts each as a row (clew export
    --records); with --about, for pages on the topic that contain one. --goal data looks for links to data
    files and extracts each as a row; --goal files=pdf and schema=Recipe look for other file types and for
    schema.org types.

    --records FILE starts with example rows (.csv, .tsv or .jsonl, at least two columns, their names in the
    first line), looks for pages with similar rows, and extracts them during the crawl. The file is copied
    into the folder. See clew records and docs/guides/records.md.

    --sites FILE lists sites to explore, in order to collect from the relevant ones (the policy sites,
    restricted to these hosts). Invalid lines are reported and skipped; the others are saved as
    DIR/sites.txt.

    --like CRAWL copies the models of another crawl (its folder models/) and, unless given here, its goal,
    policy, fetch settings and contact; its seeds only if there are no others, and with --sites none of its
    URLs. It reports what it copied.

    Before writing, it requests robots.txt of each seed's host and then, if allowed, the seed: at most 25
    seeds, 15 seconds, one request per second and host. Seeds that fail are reported with the cause, and
    stay in the file. Ctrl-C writes nothing.

    Example: clew new wind --about "offshore wind permits"
    --seed https://www.wind-authority.org/ --contact https://www.uni-x.org/bot
    """
    _create(
        folder,
        GivenOptions(about, goal, records, good, bad, seed, sites, search, contact, setting, like, no_check),
    )


def _create(folder: Path, given: GivenOptions) -> None:
    """Collect and check the settings, then write the folder and print what comes next."""
    template.check_free(folder)
    draft = NewCrawl(good=[*map(check_example, given.good or [])], bad=[*map(check_example, given.bad or [])])
    listing = site_file.read_sites(given.sites)
    more = site_file.settings(listing) | parse_settings(given.setting or [])
    other = inherit.read_inherited(crawl_folder(given.like)) if given.like else None
    if other:
        given = _inherit(given, draft, other.without_urls() if given.sites else other)
        more = {**other.settings, **more}
    try:
        values, text, table = _complete(folder, draft, listing, more, given)
    except (KeyboardInterrupt, EOFError):
        screen.echo("\nstopped; nothing was written")
        raise typer.Exit(3) from None
    path = template.write_new(folder, **values, settings=more)
    if table:
        write_rows(folder, table)
    site_file.write_sites(folder, listing)
    yours = sum(bool(value) for value in values.values()) + len(more)
    screen.echo(f"✓ wrote {path} ({template.count_keys(text)} keys, {yours} yours), with comments")
    if other:
        other.copy_models(folder)
        for line in other.report(values, more):
            screen.echo(line)
        if given.sites and not given.good and (left := other.count_example_urls()):
            examples = "example page is" if left == 1 else "example pages are"
            screen.echo(f"  its {left:,} {examples} not copied: only your sites are crawled (else: --good)")
    _next(folder, policy=RECORDS_POLICY if table and "rank.policy" not in more else "")


def _inherit(given: GivenOptions, draft: NewCrawl, other: inherit.InheritedSettings) -> GivenOptions:
    """Fill missing options, and missing examples of the draft, from another crawl."""
    begins = given.sites or given.search or any("://" in example for example in draft.good)
    seed = given.seed or ([] if begins else other.seeds)
    draft.good, draft.bad = draft.good or other.good, draft.bad or other.bad
    return replace(
        given,
        about=other.about if given.about is None else given.about,
        contact=given.contact or other.contact,
        records=given.records or other.records,
        seed=seed,
    )


def _complete(
    folder: Path, draft: NewCrawl, listing: SiteList, more: dict[str, Any], given: GivenOptions
) -> tuple[dict[str, Any], str, ExampleTable | None]:
    """Ask for missing values and check all of them; settings that follow from them are added to `more`.

    Return the values for clew.toml, its text, and the table of example rows, if there is one.
    """
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    table = _goal(folder, draft, more, given, interactive)
    if given.search:
        engines = _engines(folder, draft.about or str(more.get("goal.records", "")), given.search)
        more |= {"seek.reseed": True, **more, "seek.search": engines}
    if given.seed or not (listing.urls or more.get("seek.search")):
        _seeds(folder, draft, given.seed, interactive)
    draft.contact = _contact(given.contact, interactive)
    values: dict[str, Any] = {name: getattr(draft, name) for name in NewCrawl.__slots__}
    values["seeds"] = site_file.names(listing) + draft.seeds
    text = template.written(**values, settings=more)
    config = configuration.build(tomllib.loads(text), str(folder / "clew.toml"))
    urls = listing.urls + read_seeds(folder, draft.seeds, Canon(config.scope.drop_params))
    if config.seek.search and not given.no_check:
        urls += find_seeds(folder, config, table)
    if urls and not given.no_check:
        _check(config, urls)
    return values, text, table


def _next(folder: Path, *, policy: str = "") -> None:
    """Print the next commands."""
    name = shlex.quote(str(folder))
    chosen = f" --policy {policy}" if policy else ""
    screen.echo(f"  clew plan {name}   preview the crawl, without fetching pages")
    screen.echo(f"  clew run {name}{chosen}    start it (Ctrl-C stops, the same command resumes)")


# ---- options and questions ---------------------------------------------------------------------


def _prompt(question: str, check: Callable[[str], T]) -> T:
    """Ask until the answer passes its check, printing what is wrong with it."""
    with suppress(ImportError):
        import readline  # noqa: F401, PLC0415 - lets the answer be edited as in a shell
    screen.echo(question)
    while True:
        try:
            return check(input("> ").strip())
        except (ConfigError, ValueError) as error:
            screen.echo(f"  ! {printable(str(error))}")


def _goal(
    folder: Path, draft: NewCrawl, more: dict[str, Any], given: GivenOptions, interactive: bool
) -> ExampleTable | None:
    """Put the topic into the draft, and the judge and example rows into the settings."""
    records = given.records
    draft.about = _about(given.about, draft, interactive and not given.goal and not records)
    if interactive and given.about is None and not records and is_table(draft.about):
        records, draft.about = draft.about, ""
    if given.goal:
        more["goal.judge"] = judge_of(given.goal, draft.about)
    if not records:
        return None
    check_no_rows(folder)
    more["goal.records"] = EXAMPLES_FILE
    return read_example_rows(records, interactive=interactive)


def _about(given: str | None, draft: NewCrawl, interactive: bool) -> str:
    if given is None and interactive and not draft.good:
        question = (
            "What are you looking for? (a few words; Enter alone means every page)\n"
            "  or example rows of a table: a file such as books.csv, or - to type some"
        )
        return _prompt(question, _check_topic)
    about = (given or "").strip()
    try:
        _check_topic(about)
    except ValueError as error:
        screen.echo(f"! --about: {error}; without other words, every page is relevant")
    return about


def _check_topic(about: str) -> str:
    if about and not goal_terms(about) and not is_table(about):
        msg = f"{about!r} has only stop words; use nouns, such as: offshore wind permits"
        raise ValueError(msg)
    return about


def _seeds(folder: Path, draft: NewCrawl, given: list[str] | None, interactive: bool) -> None:
    """Add the seeds and example pages of the command line, or of the answer, to the draft."""
    if given is None and interactive and not any("://" in example for example in draft.good):
        question = "Where should the crawl start? (URLs, a file of them, or a folder of saved pages)"
        _prompt(question, lambda answer: _add_seeds(folder, draft, split_urls(answer)))
    else:
        _add_seeds(folder, draft, given or [])


def _engines(folder: Path, wanted: str, names: list[str]) -> list[str]:
    """Check each engine and return its name for clew.toml, with absolute paths."""
    if not wanted:
        msg = "--search needs a query: give the topic with --about, or example rows with --records"
        raise ConfigError(msg)
    engines = []
    for name in names:
        kind, equals, where = name.partition("=")
        if kind in ("file", "local") and Path(where).expanduser().exists():
            where = str(Path(where).expanduser().resolve())
        engines.append(f"{kind}{equals}{where}")
    for name in engines:
        asyncio.run(open_engine(name, SeekTable(), folder).aclose())
    return engines


def split_urls(answer: str) -> list[str]:
    """Split an answer at blanks and commas, except in existing paths and in URLs.

    >>> split_urls("https://a.org/x,y, https://b.org c.org,d.org")
    ['https://a.org/x,y', 'https://b.org', 'c.org', 'd.org']
    """
    if answer and Path(answer).expanduser().exists():
        return [answer]
    parts = re.split(r",?\s+|,(?=https?://)", answer)
    pieces = [[part.rstrip(",")] if "://" in part else part.split(",") for part in parts]
    return [piece.strip("\"'") for some in pieces for piece in some if piece]


def _add_seeds(folder: Path, draft: NewCrawl, entries: list[str]) -> None:
    """Sort entries into seeds and saved example pages; raise if there is no seed."""
    seeds: list[str] = []
    saved: list[str] = []
    for entry in entries:
        path = Path(entry).expanduser()
        if "://" in entry or not path.exists():
            seeds.append(entry)
        elif path.is_dir() or path.suffix.lower() in _PAGES:
            saved.append(str(path.resolve()))
        else:  # relative to the working directory, not to the crawl folder
            seeds.append(str(path.resolve()))
    for example in saved:
        seeds += saved_page_urls(Path(example), Canon())
    if not read_seeds(folder, seeds, Canon()) and saved:
        if Path(saved[0]).is_dir() and not any(Path(saved[0]).iterdir()):
            msg = f"{saved[0]} is an empty folder; name a folder of saved pages, or a URL"
            raise ConfigError(msg)
        msg = f"the pages in {saved[0]} do not contain their URLs; give a seed URL too (--seed)"
        raise ConfigError(msg)
    if not seeds and not any("://" in example for example in draft.good):
        msg = "no seeds: give a start URL with --seed URL (may be repeated, or name a file)"
        raise ConfigError(msg)
    draft.seeds, draft.good = seeds, draft.good + saved


def _contact(given: str | None, interactive: bool) -> str:
    if given is None and interactive:
        question = "How can site owners reach you? (URL or e-mail address, sent with every request)"
        return _prompt(question, checked_contact)
    try:
        return checked_contact(given)
    except ValueError as error:
        msg = f"--contact: {error}"
        raise ConfigError(msg) from None


# ---- checking the seeds ------------------------------------------------------------------------


def _check(config: Config, urls: list[str]) -> None:
    """Request the seeds, and print which respond."""
    live = sys.stdout.isatty()

    def progress(done: int, total: int) -> None:
        if live:
            sys.stdout.write(f"\r  checking the seeds: {done} of {total}\x1b[K")
            sys.stdout.flush()

    try:
        findings = asyncio.run(check_seeds(config, urls, progress))
    finally:
        if live:
            sys.stdout.write("\r\x1b[K")
    good = sum(finding.usable for finding in findings)
    unchecked = [finding for finding in findings if finding.state == "unchecked"]
    bad = [finding for finding in findings if not finding.usable and finding.state != "unchecked"]
    parts = [f"{len(findings):,} seed{'s' * (len(findings) != 1)}", f"{good} respond{'s' * (good == 1)}"]
    for state, words in (
        ("refused", "refused by robots.txt"), ("failed", "cannot be used"), ("odd", "not a web page"),
    ):  # fmt: skip
        if number := sum(finding.state == state for finding in bad):
            parts.append(f"{number} {words}")
    if unchecked:
        parts.append(f"{len(unchecked):,} not checked")
    screen.echo(f"{'!' if bad else '✓'} {', '.join(parts)}")
    causes = {(finding.words, finding.cure) for finding in findings}
    together = len(bad) == len(findings) > 1 and len(causes) == 1
    _list_problems(bad, [finding for finding in findings if finding.state == "moved"], together=together)


def _list_problems(bad: list[Finding], moved: list[Finding], *, together: bool) -> None:
    """List the seeds that failed or moved, once if all fail for one cause; they stay in the file."""
    for finding in bad[: 1 if together else _SHOWN]:
        cure = f"; {finding.cure}" if finding.cure else ""
        which = f"all {len(bad):,}" if together else printable(finding.url, 100)
        screen.echo(f"  ! {which}: {printable(finding.words)}{cure}")
    for finding in moved[: _SHOWN // 2]:
        screen.echo(f"  ✓ {printable(finding.url, 100)} {printable(finding.words)}")
    if (more := len(bad) - _SHOWN) > 0 and not together:
        screen.echo(f"  ! and {more} more; clew run reports each")
    if bad:
        what, whom = ("they stay", "them") if len(bad) > 1 else ("it stays", "it")
        screen.echo(f"  {what} in clew.toml; correct {whom} there")
