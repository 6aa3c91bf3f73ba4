"""`clew serve`: look at crawls, teach and control them in a browser."""

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from clew.cli import screen
from clew.cli.arguments import crawl_folder, folders
from clew.config.folder_hints import no_crawl
from clew.domain.installation import install_command
from clew.errors import ConfigError

Port = Annotated[
    int, typer.Option(min=0, max=65_535, help="The port; 0 takes the first free one from 8400 on.")
]
Token = Annotated[str, typer.Option(metavar="TEXT", help="The token; made by itself where one is needed.")]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust", help="Let the pages change settings that reach private addresses, files and code."
    ),
]


def serve(
    crawls: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[DIR …]", help="Crawls, or folders of crawls; this folder if none is given.",
                       autocompletion=folders),
    ] = None,
    port: Port = 0,
    host: Annotated[str, typer.Option(help="The address to listen on; anything but loopback needs a token.")]
    = "127.0.0.1",
    token: Token = "",
    name: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A host name by which a proxy calls this server.")
    ] = None,
    hook: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Sent a note (JSON) when a crawl ends, hints, or disk is low."),
    ] = None,
    trust: Trust = False,
    browser: Annotated[bool, typer.Option("--browser", help="Open it in the browser.")] = False,
) -> None:  # fmt: skip
    """Serve pages for looking at crawls, teaching them, and starting and stopping them.

    Finds the crawls in each DIR and shows them at http://localhost:8400: overview, pages with full-text
    search, why, labels, queue and hosts, table, map, sites, searches, settings, exports, and a form for a new
    crawl. It works beside clew run in a terminal, and starts crawls itself; these are processes of their
    own and go on when the server ends.

    The same is there for programs: /api/v1 (described in /api/v1/openapi.json) and /metrics for Prometheus.

    It listens on this computer only. With --host 0.0.0.0 it can be reached from others, with the token that
    it prints. Settings that reach private addresses, files outside the crawl or your own code cannot be
    changed there without --trust. Needs the extra web.

    Example: clew serve ~/crawls
    """  # fmt: skip
    places = [crawl_folder(path) for path in crawls or [Path()]]
    for place in places:
        if not place.is_dir():
            raise no_crawl(place)
    for url in hook or []:
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
            msg = f"--hook {url}: give an address that begins with http:// or https://"
            raise ConfigError(msg)
    start_server(places, host=host, port=port, token=token, names=tuple(name or ()), hooks=tuple(hook or
    ()), trust=trust,
                 browser=browser)  # fmt: skip


def start_server(places: list[Path], **options: Any) -> None:  # noqa: ANN401 - fields of ServeOptions
    """Serve some folders until interrupted."""
    try:
        from clew.web.server import ServeOptions, serve  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = f"{error.name} is not installed; get it with: {install_command('web')}"
        raise ConfigError(msg) from None
    serve(places, ServeOptions(**options), screen.echo)
