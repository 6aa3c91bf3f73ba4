"""The options of `clew new`."""

from pathlib import Path
from typing import Annotated

import typer

from clew.cli.arguments import folders, settings

Texts = list[str] | None

About = Annotated[str | None, typer.Option(help="The topic, in words.")]
Goal = Annotated[
    str,
    typer.Option(metavar="GOAL", help="Relevant pages contain: place=jp, data, files=pdf, schema=Recipe."),
]
Rows = Annotated[str, typer.Option(metavar="FILE", help="A table of example rows; - to type them.")]
Good = Annotated[Texts, typer.Option(help="A relevant example page: file, folder, URL or crawl.")]
Bad = Annotated[Texts, typer.Option(help="An irrelevant example page: file, folder, URL or crawl.")]
Seed = Annotated[Texts, typer.Option(help="A start URL, a file of URLs, or a folder of saved pages.")]
Sites = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Sites to explore: one host or URL per line.")
]
Search = Annotated[
    Texts,
    typer.Option(metavar="ENGINE", help='Search engine for seeds: "searxng=URL", "brave", "local=DIR" …'),
]
Contact = Annotated[str | None, typer.Option(help="How site owners reach you: a URL or e-mail address.")]
Setting = Annotated[
    Texts,
    typer.Option("--set", metavar="TABLE.KEY=VALUE", help="Set a key in clew.toml.", autocompletion=settings),
]
Like = Annotated[
    Path | None,
    typer.Option(
        metavar="CRAWL", help="Start with the models and settings of another crawl.", autocompletion=folders
    ),
]
NoCheck = Annotated[bool, typer.Option("--no-check", help="Do not request the seeds before writing.")]
