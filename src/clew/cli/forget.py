"""`clew forget`: delete all data of a host from a crawl, permanently."""

import sys
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew import urls
from clew.cli import screen
from clew.cli.arguments import ShardedFolder
from clew.config.seeds import read_seeds
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.scale.forgetting import ShardsEraser, open_shards_eraser
from clew.store.forget import Eraser, SiteShare, open_eraser, parse_host
from clew.store.outbox import shard_folders

_LISTED = 5
_MB = 1_000_000
_YES = ("y", "yes")


def forget(
    folder: ShardedFolder,
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

    Example: clew forget wind news.example
    """
    name = parse_host(host)
    with open_shards_eraser(folder, name) if shard_folders(folder) else open_eraser(folder, name) as eraser:
        known = eraser.hosts()
        share = eraser.measure()
        if not share and eraser.was_forgotten():
            screen.echo(f"nothing is left of {printable(name)} in {printable(str(folder))}")
            return
        if not share:
            raise _unknown(folder, name, known)
        for line in _preview(printable(str(folder)), name, share, known):
            screen.echo(line)
        if not (yes or _confirmed(folder, name)):
            screen.echo("nothing was changed")
            raise typer.Exit(3)
        try:
            eraser.erase(share)
        except KeyboardInterrupt:
            screen.print_error("stopped; no data is damaged: the same command continues")
            raise typer.Exit(3) from None
    screen.echo(
        f"deleted: {printable(name)} from {printable(str(folder))}; it is not fetched again in this crawl"
    )
    for line in _remaining(folder, eraser, share):
        screen.echo(f"  {printable(line)}")


def _confirmed(folder: Path, name: str) -> bool:
    """Ask for confirmation; raise without a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        msg = f"no terminal to ask for confirmation; if you are sure: clew forget {folder} {name} --yes"
        raise ConfigError(msg)
    try:
        return input("delete permanently? [y/N] ").strip().lower() in _YES
    except (EOFError, KeyboardInterrupt):
        screen.echo("")
        return False


def _preview(folder: str, name: str, share: SiteShare, known: dict[str, int]) -> Iterator[str]:
    """Yield lines with what would be deleted."""
    hosts = sorted(share.hosts, key=lambda host: -share.hosts[host])
    if hosts not in ([], [name]):
        more = f" and {len(hosts) - _LISTED:,} more" if len(hosts) > _LISTED else ""
        yield f"{name} means {_many(len(hosts), 'host')}: {', '.join(hosts[:_LISTED])}{more}"
    counts = [_many(share.pages, "page"), _many(share.links, "link"), _many(share.records, "record")]
    if share.labels:
        counts.append(_many(share.labels, "label"))
    yield f"{name} has in {folder}: {', '.join(counts)}"
    if share.cuts:
        rewritten = sum(bool(cut.rest) for cut in share.cuts)
        removed = len(share.cuts) - rewritten
        files = [f"{_many(rewritten, 'WARC file')} to rewrite"] if rewritten else []
        files += [f"{_many(removed, 'WARC file')} to delete"] if removed else []
        size = f"{share.bytes / 1e6:,.1f} MB" if share.bytes >= _MB else f"{share.bytes / 1e3:,.1f} kB"
        yield f"  {size} of WARC records: {', '.join(files)}"
    twin = name.removeprefix("www.") if name.startswith("www.") else f"www.{name}"
    if twin in known and twin not in share.hosts:
        yield f"  the crawl also has {twin} ({_many(known[twin], 'page')}): clew forget {folder} {twin}"


def _remaining(folder: Path, eraser: Eraser | ShardsEraser, share: SiteShare) -> Iterator[str]:
    """Yield lines about data that this command cannot delete."""
    for where, url in _configured_urls(folder):
        if eraser.is_on_site(url):
            yield f"{where} still contains {url}: it is not fetched any more; remove it there"
    for name in share.missing[:_LISTED]:
        yield f"pages/{name} is not in the folder: a copy elsewhere may contain pages of {eraser.name}"
    for name in share.strange[:_LISTED]:
        yield f"pages/{name} does not belong to this crawl and was not checked"
    if any((place / "models").is_dir() for place in (folder, *shard_folders(folder))):
        yield "the models of judge and policy were reset; they learn again from labels and new pages"
    yield "earlier exports, backups and copies are not changed: check them too"


def _configured_urls(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the URLs in clew.toml and in the files it lists, each with the name of its file."""
    try:
        config = configuration.load(folder / "clew.toml")
        canon = urls.Canon(config.scope.drop_params)
        for name in [*config.crawl.seeds, *config.goal.good, *config.goal.bad]:
            if name in config.crawl.seeds or "://" in name:
                where = "clew.toml" if "://" in name else name
                yield from ((where, url) for url in read_seeds(folder, [name], canon))
    except ConfigError:
        return  # the next run reports a file that cannot be read


def _unknown(folder: Path, name: str, known: dict[str, int]) -> ConfigError:
    near = get_close_matches(name, known, n=3)
    most = sorted(known, key=lambda host: -known[host])[:_LISTED]
    hint = f"did you mean {' or '.join(near)}?" if near else f"its hosts are {', '.join(most) or 'none yet'}"
    if not near and len(known) > _LISTED:
        hint += f" and {len(known) - _LISTED:,} more"
    return ConfigError(f"{name} is not in {folder}; {hint}")


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
