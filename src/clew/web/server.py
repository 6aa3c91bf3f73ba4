"""Serve the application on a port, and print how to open it."""

import asyncio
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import uvicorn

from clew.errors import ConfigError
from clew.web.app import make_app
from clew.web.charts import columns_of, links_of
from clew.web.connections import LimitedConnection, raise_file_limit
from clew.web.crawls import CrawlFolders
from clew.web.guard import LOOPBACK, is_loopback
from clew.web.server_state import ServerState

PORT = 8400
TRIED = 20
"""Ports tried one after another when the usual one is taken."""

MAX_REQUESTS = 1_000
"""Connections served at once; requests on more of them get 503 at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Where to listen, who may call, and what may be changed."""

    host: str = "127.0.0.1"
    port: int = 0
    token: str = ""
    names: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    trust: bool = False
    path: str = "/"
    browser: bool = False


def serve(places: Sequence[Path], options: ServeOptions, echo: Callable[[str], None]) -> None:
    """Serve until interrupted."""
    server = ServerState(
        crawls=CrawlFolders(list(places)),
        trust=options.trust,
        token=chosen_token(options),
        hooks=options.hooks,
    )
    listener = listen(options)
    port = listener.getsockname()[1]
    shown = "localhost" if is_loopback(options.host) else options.host
    shown = f"[{shown}]" if ":" in shown else shown
    url = f"http://{shown}:{port}{quote(options.path)}"
    if server.token:
        url += f"?token={server.token}"
    for line in first_lines(server, options, url):
        echo(line)
    raise_file_limit()
    runner = make_runner(server, allowed_names(options))
    for folder in server.crawls.all().values():  # a large crawl takes some seconds to read
        if (folder / "crawl.db").exists():
            server.cached("warm", folder, lambda folder=folder: _warm(server, folder)).start()  # type: ignore[misc]
    if options.browser:
        webbrowser.open(url)
    try:
        asyncio.run(runner.serve(sockets=[listener]))
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()


class HttpServer(uvicorn.Server):
    """Serve HTTP; live streams end by themselves when it is shut down."""

    def __init__(self, config: uvicorn.Config, closing: threading.Event) -> None:
        super().__init__(config)
        self.closing = closing

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.closing.set()
        await super().shutdown(sockets)


def make_runner(server: ServerState, names: Sequence[str] = LOOPBACK) -> HttpServer:
    """Return the HTTP server for some crawls, with limits for slow and for many clients."""
    config = uvicorn.Config(
        make_app(server, names),
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        ws="none",
        lifespan="on",
        limit_concurrency=MAX_REQUESTS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=64 << 10,
        http=LimitedConnection,
    )
    return HttpServer(config, server.closing)


def _warm(server: ServerState, folder: Path) -> None:
    columns_of(server, folder, 0)
    links_of(server, folder, 0)


def chosen_token(options: ServeOptions) -> str:
    """Return the token: as given, none on loopback, a new one elsewhere."""
    if options.token:
        if len(options.token) < 16:  # noqa: PLR2004
            msg = "--token: use at least 16 characters, or leave it out: clew serve makes one"
            raise ConfigError(msg)
        return options.token
    return "" if is_loopback(options.host) else secrets.token_urlsafe(24)


def allowed_names(options: ServeOptions) -> tuple[str, ...]:
    """Return the names by which the server may be called."""
    own = (f"[{options.host}]" if ":" in options.host else options.host).lower()
    every = () if is_loopback(options.host) else (socket.gethostname().lower(), own)
    return (*LOOPBACK, *every, *(name.lower() for name in options.names))


def first_lines(server: ServerState, options: ServeOptions, url: str) -> list[str]:
    """Return what is printed at the start."""
    count = len(server.crawls.all())
    lines = [f"{count} crawl{'s' * (count != 1)}; open {url}"]
    if not is_loopback(options.host):
        lines.append(
            "  reachable from other computers; everyone who has the token can read and control all crawls,"
        )
        lines.append(
            "  and requests are not encrypted: use it in a network you trust, or behind a proxy with TLS"
        )
    if server.trust:
        lines.append(
            "  --trust: settings that reach private addresses, files and your own code can be changed there"
        )
    return [*lines, "  Ctrl-C ends the server; crawls that it has started go on"]


def listen(options: ServeOptions) -> socket.socket:
    """Return a listening socket: at the port asked for, or at the first free one from the usual port on."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    ports = [options.port] if options.port else range(PORT, PORT + TRIED)
    for port in ports:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((options.host, port))
        except OSError as error:
            listener.close()
            reason = error.strerror
            continue
        listener.listen(2_048)
        listener.set_inheritable(False)
        return listener
    msg = f"{options.host}:{options.port or PORT} cannot be used: {reason}; choose another with --port"
    raise ConfigError(msg)
