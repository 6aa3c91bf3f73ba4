"""`clew new`: make a crawl."""

from pathlib import Path
from typing import Annotated

import typer

from clew import config_file
from clew.cli import screen
from clew.cli.arguments import Folder
from clew.contact import checked_contact
from clew.errors import ConfigError
from clew.house import read_seeds
from clew.urls import Canon


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
