"""`clew forget`: take everything that a site gave out of a crawl, for good."""

import sys
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew import urls
from clew.cli import screen
from clew.cli.arguments import Folder
from clew.config.seeds import read_seeds
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.store.forget import Eraser, SiteShare, open_eraser, parse_host

_LISTED = 5
_MB = 1_000_000
_YES = ("y", "yes")


def forget(
    folder: Folder,
    host: Annotated[
        str, typer.Argument(metavar="HOST", help="A host name, *.name for its subdomains, or a URL.")
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete all data of a host permanently.

    Pages, texts, verdicts, records, links that lead there, its robots.txt, its requests and responses in
    the WARC files, which are rewritten without them. The host is not fetched again in this crawl.
    www.HOST is a different host; it is mentioned if the crawl has it too.

    Shows what would be deleted and asks for confirmation; --yes skips the question and is required
    without a terminal. If it is killed, the old or the new state remains, and the next command finishes.
    """
    name = parse_host(host)
    with open_eraser(folder, name) as eraser:
        known = eraser.hosts()
        share = eraser.measure()
        if not share and eraser.was_forgotten():
            screen.say(f"nothing is left of {printable(name)} in {printable(str(folder))}")
            return
        if not share:
            raise _unknown(folder, name, known)
        for line in _preview(printable(str(folder)), name, share, known):
            screen.say(line)
        if not (yes or _agreed(folder, name)):
            screen.say("nothing was changed")
            raise typer.Exit(3)
        try:
            eraser.erase(share)
        except KeyboardInterrupt:
            screen.complain("stopped; nothing is half done: the same command goes on")
            raise typer.Exit(3) from None
    screen.say(
        f"forgotten: {printable(name)} is gone from {printable(str(folder))}, and is not fetched again here"
    )
    for line in _still_to_do(folder, eraser, share):
        screen.say(f"  {printable(line)}")


def _agreed(folder: Path, name: str) -> bool:
    """Ask; without a terminal there is nobody to ask."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        msg = f"there is no terminal to ask on; if you are sure: clew forget {folder} {name} --yes"
        raise ConfigError(msg)
    try:
        return input("forget them for good? [y/N] ").strip().lower() in _YES
    except (EOFError, KeyboardInterrupt):
        screen.say("")
        return False


def _preview(folder: str, name: str, share: SiteShare, known: dict[str, int]) -> Iterator[str]:
    """Say what would go."""
    hosts = sorted(share.hosts, key=lambda host: -share.hosts[host])
    if hosts not in ([], [name]):
        more = f" and {len(hosts) - _LISTED:,} more" if len(hosts) > _LISTED else ""
        yield f"{name} means {_many(len(hosts), 'host')}: {', '.join(hosts[:_LISTED])}{more}"
    counts = [_many(share.pages, "page"), _many(share.links, "link"), _many(share.records, "record")]
    if share.labels:
        counts.append(_many(share.labels, "label"))
    yield f"{name} has in {folder}: {', '.join(counts)}"
    if share.cuts:
        anew = sum(bool(found.rest) for found in share.cuts)
        gone = len(share.cuts) - anew
        what = [f"{_many(anew, 'WARC file')} to be written anew"] if anew else []
        what += [f"{_many(gone, 'WARC file')} to be removed whole"] if gone else []
        size = f"{share.bytes / 1e6:,.1f} MB" if share.bytes >= _MB else f"{share.bytes / 1e3:,.1f} kB"
        yield f"  {size} of WARC records: {', '.join(what)}"
    twin = name.removeprefix("www.") if name.startswith("www.") else f"www.{name}"
    if twin in known and twin not in share.hosts:
        yield f"  also there: {twin} ({_many(known[twin], 'page')}): clew forget {folder} {twin}"


def _still_to_do(folder: Path, eraser: Eraser, share: SiteShare) -> Iterator[str]:
    """Say what we do not reach, so that a person can."""
    for where, url in _named_by(folder):
        if eraser.is_on_site(url):
            yield f"{where} still names {url}: it is not fetched any more, but take it out there"
    for name in share.missing[:_LISTED]:
        yield f"pages/{name} is not in the folder: a copy kept elsewhere may hold pages of {eraser.name}"
    for name in share.strange[:_LISTED]:
        yield f"pages/{name} is not of this crawl, and was not looked at"
    if (folder / "models").is_dir():
        yield "judge and policy have forgotten what they learned; they learn again, from labels and new pages"
    yield "exports, backups and copies made earlier are files of your own: look there too"


def _named_by(folder: Path) -> Iterator[tuple[str, str]]:
    """Return the addresses that a person wrote into clew.toml or a file it names."""
    try:
        config = configuration.load(folder / "clew.toml")
        canon = urls.Canon(config.scope.drop_params)
        for name in [*config.crawl.seeds, *config.goal.good, *config.goal.bad]:
            if name in config.crawl.seeds or "://" in name:
                where = "clew.toml" if "://" in name else name
                yield from ((where, url) for url in read_seeds(folder, [name], canon))
    except ConfigError:
        return  # a file that cannot be read is the next run's business


def _unknown(folder: Path, name: str, known: dict[str, int]) -> ConfigError:
    near = get_close_matches(name, known, n=3)
    most = sorted(known, key=lambda host: -known[host])[:_LISTED]
    hint = f"did you mean {' or '.join(near)}?" if near else f"its hosts are {', '.join(most) or 'none yet'}"
    if not near and len(known) > _LISTED:
        hint += f" and {len(known) - _LISTED:,} more"
    return ConfigError(f"{name} is not in {folder}; {hint}")


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
