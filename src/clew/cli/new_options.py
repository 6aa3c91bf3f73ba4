"""The options of `clew new`, each with its line of help."""

from pathlib import Path
from typing import Annotated

import typer

from clew.cli.arguments import folders, settings

Texts = list[str] | None

About = Annotated[str | None, typer.Option(help="What you are looking for, in words.")]
Goal = Annotated[
    str, typer.Option(metavar="GOAL", help="What pages hold: place=jp, data, files=pdf, schema=Recipe.")
]
Rows = Annotated[
    str, typer.Option(metavar="FILE", help="A table of rows like those you want; - to type them.")
]
Good = Annotated[Texts, typer.Option(help="A page like what you want: file, folder, URL or crawl.")]
Bad = Annotated[Texts, typer.Option(help="A page unlike what you want: file, folder, URL or crawl.")]
Seed = Annotated[
    Texts, typer.Option(help="Where to begin: a URL, a file of URLs, or a folder of saved pages.")
]
Sites = Annotated[Path | None, typer.Option(metavar="FILE", help="Sites to look at: one host or URL a line.")]
Search = Annotated[
    Texts,
    typer.Option(metavar="ENGINE", help='Find seeds by searching: "searxng=URL", "brave", "local=DIR" …'),
]
Contact = Annotated[str | None, typer.Option(help="Where site owners reach you: a URL or e-mail address.")]
Setting = Annotated[
    Texts,
    typer.Option(
        "--set", metavar="TABLE.KEY=VALUE", help="Write a key into clew.toml.", autocompletion=settings
    ),
]
Like = Annotated[
    Path | None,
    typer.Option(metavar="CRAWL", help="Begin with what another crawl has learned.", autocompletion=folders),
]
NoCheck = Annotated[bool, typer.Option("--no-check", help="Do not ask the seeds' hosts.")]
