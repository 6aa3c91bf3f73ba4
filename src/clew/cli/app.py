"""The commands: `new`, `run`, `export`, `try`."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew import config_file, store
from clew.cli import running, screen
from clew.contact import checked_contact
from clew.errors import ConfigError
from clew.house import read_seeds
from clew.urls import Canon
from clew.version import __version__

app = typer.Typer(
    help="A focused web crawler: say what you are looking for; it follows the links that lead there.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the crawl.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"clew {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Hold the options of the program itself."""


@app.command()
def new(
    folder: Folder,
    about: Annotated[str, typer.Option(help="What you are looking for, in words.")] = "",
    good: Annotated[
        list[str] | None, typer.Option(help="A page like what you want: file, folder or URL.")
    ] = None,
    bad: Annotated[
        list[str] | None, typer.Option(help="A page unlike what you want: file, folder or URL.")
    ] = None,
    seed: Annotated[list[str] | None, typer.Option(help="Where to begin: a URL, or a file of URLs.")] = None,
    contact: Annotated[str, typer.Option(help="Where site owners reach you: a URL or e-mail address.")] = "",
) -> None:
    """Make a new crawl: write DIR/clew.toml, commented, ready to run."""
    try:
        contact = checked_contact(contact)
    except ValueError as error:
        msg = f"--contact: {error}"
        raise ConfigError(msg) from None
    # Files named on the command line are meant from here, not from the crawl's folder.
    seeds = [str(Path(s).resolve()) if "://" not in s and Path(s).is_file() else s for s in seed or []]
    examples = [
        [str(Path(e).resolve()) if Path(e).exists() else e for e in some or []] for some in (good, bad)
    ]
    for example in examples[0] + examples[1]:
        if "://" not in example and not Path(example).exists():
            msg = f"example {example} does not exist; --good and --bad take files, folders or URLs"
            raise ConfigError(msg)
    if not seeds and not any("://" in e for e in examples[0]):
        msg = "no seeds: say where to begin with --seed URL (it may be given several times, or name a file)"
        raise ConfigError(msg)
    addresses = read_seeds(folder, seeds, Canon())
    path = config_file.write_new(
        folder, contact=contact, seeds=seeds, about=about, good=examples[0], bad=examples[1]
    )
    screen.say(f"wrote {path} with {len(addresses)} seed{'s' * (len(addresses) != 1)}; it explains itself")
    screen.say(f"  clew run {folder}    begin (Ctrl-C stops, the same command goes on)")


@app.command()
def run(
    folder: Folder,
    pages: Annotated[int, typer.Option(min=0, help="Stop when this many pages are read in all.")] = 0,
    policy: Annotated[
        str, typer.Option(help="Which links come first: best-first, breadth, module:Class.")
    ] = "",
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="TABLE.KEY=VALUE", help="Change a key for this run.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines, no colours.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a page.")] = False,
) -> None:
    """Crawl, from the beginning or from where it stopped; there is no other mode."""
    if plain and json:
        msg = "--plain and --json exclude each other; choose one"
        raise ConfigError(msg)
    settings = [*(setting or [])]
    if policy:
        settings.append(f'rank.policy="{policy}"')
    if pages:
        settings.append(f"crawl.pages={pages}")
    config = configuration.load(folder / "clew.toml", settings)
    view = screen.Json() if json else screen.Lines(folder, config)
    raise typer.Exit(asyncio.run(running.run(folder, config, view)))


@app.command()
def export(
    folder: Folder,
    target: Annotated[Path, typer.Argument(metavar="FILE", help="Where to: .jsonl .csv .parquet .warc.gz")],
    only: Annotated[str, typer.Option(help='"relevant" leaves everything else out.')] = "",
) -> None:
    """Hand over what was found, in the format of FILE's suffix."""
    if only not in ("", "relevant"):
        msg = f'--only {only}: the only choice is "relevant"'
        raise ConfigError(msg)
    rows = store.export(folder, target, only_relevant=bool(only))
    screen.say(f"wrote {rows:,} row{'s' * (rows != 1)} to {target}")


@app.command("try")
def try_(
    pages: Annotated[int, typer.Option(min=10, max=2000, help="How many pages to read.")] = 120,
) -> None:
    """See it work on a small web inside this computer; nothing leaves it."""
    from clew.cli import trying  # noqa: PLC0415 - a web server is not wanted at every start

    raise typer.Exit(trying.show(pages))
