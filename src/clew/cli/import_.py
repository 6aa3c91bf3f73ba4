"""`clew import`: start a crawl from web archives of other programs."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.builder import open_crawl
from clew.cli import screen
from clew.cli.new_settings import parse_settings
from clew.config import Config, template
from clew.config.contact import checked_contact
from clew.errors import ConfigError
from clew.lab.archives import archived_responses, check_archives
from clew.lab.warc_reader import ReadCounts
from clew.services.archive_import import ImportCounts, import_responses
from clew.urls import Canon

Files = Annotated[list[Path], typer.Argument(metavar="FILE…", help="Archives: .warc, .warc.gz, .wacz.")]
Into = Annotated[Path, typer.Option(metavar="DIR", help="The crawl; created if it does not exist.")]
About = Annotated[str, typer.Option(help="The topic of a new crawl, in words.")]
Contact = Annotated[
    str, typer.Option(metavar="URL|EMAIL", help="How site owners reach you; required for a new crawl.")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="TABLE.KEY=VALUE", help="A setting of a new crawl.")
]


def import_(files: Files, into: Into, about: About = "", contact: Contact = "", set: Settings = None) -> None:
    """Take the pages of web archives into a crawl: stored, judged, their links open; nothing is fetched.

    Reads WARC files of Heritrix, Browsertrix, wget, ArchiveBox and others, and WACZ files. `clew run` goes on
    from there: the policy has learned from every page of the archive, and follows the best of their links.

    Images, styles, scripts, robots.txt and server errors are left out; of a URL that occurs more than once
    the first response counts. Damaged records are skipped and counted. An import can be repeated.

    Example: clew import old.warc.gz --into wind --about "offshore wind permits" --contact me@uni-x.org
    """
    check_archives(files)
    if (into / "clew.toml").exists():
        if about or contact or set:
            msg = f"{into} is a crawl already; --about, --contact and --set are for a new one"
            raise ConfigError(msg)
    else:
        _create(files, into, about, contact, parse_settings(set or []))
    config = configuration.load(into / "clew.toml")
    damage = ReadCounts()
    counts = asyncio.run(_import(files, into, config, damage))
    for line in _report(into, counts, damage):
        screen.echo(line)


def _create(files: list[Path], into: Path, about: str, contact: str, settings: dict[str, object]) -> None:
    try:
        checked = checked_contact(contact)
    except ValueError as error:
        msg = f"--contact: {error}"
        raise ConfigError(msg) from None
    seed = _first_page(files)
    if not seed:
        msg = f"{', '.join(path.name for path in files)}: no page was found; nothing is imported"
        raise ConfigError(msg)
    template.write_new(into, contact=checked, seeds=[seed], about=about, settings=settings)


def _first_page(files: list[Path]) -> str:
    """Return the URL of the first page: a crawl needs a seed."""
    canon = Canon()
    for response in archived_responses(files, ReadCounts()):
        is_page = 200 <= response.status < 300 and "html" in response.header("content-type")  # noqa: PLR2004
        if is_page and (url := canon(response.link.url)):
            return url
    return ""


async def _import(files: list[Path], into: Path, config: Config, damage: ReadCounts) -> ImportCounts:
    fetch = config.fetch.model_copy(update={"delay": 0.0})  # nothing is requested
    scope = config.scope.model_copy(update={"per_host": 0})
    offline = config.model_copy(update={"fetch": fetch, "scope": scope})
    async with open_crawl(into, offline, parts={"services": []}) as run:
        responses = archived_responses(files, damage)
        counts = await import_responses(run, responses, Canon(config.scope.drop_params))
        run.ended = f"{counts.pages:,} pages were imported"
    return counts


def _report(into: Path, counts: ImportCounts, damage: ReadCounts) -> list[str]:
    topic = f", {counts.relevant:,} of them relevant" if counts.pages else ""
    lines = [f"imported {screen.many(counts.pages, 'page')} into {into}{topic}"]
    if counts.redirects:
        lines.append(f"  {screen.many(counts.redirects, 'redirect')}")
    lines += [f"  left out: {number:,} {reason}" for reason, number in counts.left_out.most_common()]
    if damage.bad:
        lines.append(f"  {screen.many(damage.bad, 'damaged record')} skipped")
    return [*lines, f"next: clew run {into}"]
