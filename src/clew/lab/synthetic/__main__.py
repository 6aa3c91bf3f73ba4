"""`python -m clew.lab.synthetic`: serve a made-up web for anything that can use a proxy."""

import argparse
import asyncio
import signal
import sys

from clew.errors import ClewError
from clew.lab.synthetic.books import COLUMNS, HOSTS, KNOWN, BookWeb
from clew.lab.synthetic.server import ServerBehaviour, address_of, serve
from clew.lab.synthetic.web import Web


def main() -> int:
    """Serve until interrupted; the first line printed is the proxy's address."""
    parser = argparse.ArgumentParser(prog="python -m clew.lab.synthetic", description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000, help="pages of the web, about (20000)")
    parser.add_argument("--seed", type=int, default=1, help="another number, another web (1)")
    parser.add_argument(
        "--port", type=int, default=8900, help="port of the proxy on loopback, 0 for any (8900)"
    )
    parser.add_argument("--books", action="store_true", help="a small web of books, with rows to begin with")
    parser.add_argument("--topic", default="lighthouses", help="the topic to name seeds for (lighthouses)")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds an answer takes, on average (0)")
    parser.add_argument(
        "--failures", type=float, default=0.0, help="share of addresses that fail at first (0)"
    )
    parser.add_argument("--lively", action="store_true", help="some hosts are slow, some busy at first")
    options = parser.parse_args()
    try:
        asyncio.run(_serve(options))
    except ClewError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"port {options.port} cannot be used: {error.strerror}; take another with --port\n")
        return 1
    return 0


async def _serve(options: argparse.Namespace) -> None:
    if options.books:
        await _serve_books(options)
        return
    web = Web(options.pages, options.seed)
    asked, seeds = web.question(options.topic), web.seeds(options.topic, 4)
    server = await serve(
        web, ServerBehaviour(options.latency, options.failures, options.lively), options.port
    )
    proxy = address_of(server)
    said = [
        proxy,
        f"{web.pages:,} pages on {len(web.graph.names):,} hosts; nothing leaves this computer",
        f"look for {asked.words!r}, beginning for example at",
        *(f"  {seed}" for seed in seeds),
        f"try: curl -x {proxy} {seeds[0]}        Ctrl-C stops",
    ]
    await _until_stopped(server, said)


async def _serve_books(options: argparse.Namespace) -> None:
    web = BookWeb(options.seed)
    server = await serve(
        web, ServerBehaviour(options.latency, options.failures, options.lively), options.port
    )
    said = [
        address_of(server),
        f"{len(web.books):,} books on {len(HOSTS)} hosts; nothing leaves this computer",
        "rows to begin with:",
        *(f"  {line}" for line in (",".join(COLUMNS), *(f"{author},{title}" for author, title in KNOWN))),
        "beginning for example at",
        *(f"  {seed}" for seed in web.seeds()),
    ]
    await _until_stopped(server, said)


async def _until_stopped(server: asyncio.Server, said: list[str]) -> None:
    sys.stdout.write("\n".join(said) + "\n")
    sys.stdout.flush()
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
    server.close()


if __name__ == "__main__":
    sys.exit(main())
