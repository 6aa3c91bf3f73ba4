"""`python -m clew.lab.synthetic`: serve a synthetic web for anything that can use a proxy."""

import argparse
import asyncio
import signal
import sys

from clew.errors import ClewError
from clew.lab.synthetic.books import COLUMNS, HOSTS, BookWeb, example_rows
from clew.lab.synthetic.server import ServerBehaviour, proxy_url, serve
from clew.lab.synthetic.web import Web


def main() -> int:
    """Serve until interrupted; the first line printed is the proxy's URL."""
    parser = argparse.ArgumentParser(prog="python -m clew.lab.synthetic", description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000, help="pages of the web, about (20000)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the web (1)")
    parser.add_argument(
        "--port", type=int, default=8900, help="port of the proxy on loopback, 0 for any (8900)"
    )
    parser.add_argument(
        "--books", action="store_true", help="serve the small web of books, with example rows"
    )
    parser.add_argument(
        "--topic", default="lighthouses", help="topic for which seeds are printed (lighthouses)"
    )
    parser.add_argument("--latency", type=float, default=0.0, help="seconds a response takes, on average (0)")
    parser.add_argument(
        "--failures", type=float, default=0.0, help="share of URLs that fail on the first request (0)"
    )
    parser.add_argument("--lively", action="store_true", help="some hosts are slow, some return 429 at first")
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
    task, seeds = web.task(options.topic), web.seeds(options.topic, 4)
    server = await serve(
        web, ServerBehaviour(options.latency, options.failures, options.lively), options.port
    )
    proxy = proxy_url(server)
    lines = [
        proxy,
        f"{web.pages:,} pages on {len(web.graph.names):,} hosts; nothing leaves this computer",
        f"query {task.words!r}, seeds:",
        *(f"  {seed}" for seed in seeds),
        f"try: curl -x {proxy} {seeds[0]}        Ctrl-C stops",
    ]
    await _until_stopped(server, lines)


async def _serve_books(options: argparse.Namespace) -> None:
    web = BookWeb(options.seed)
    server = await serve(
        web, ServerBehaviour(options.latency, options.failures, options.lively), options.port
    )
    lines = [
        proxy_url(server),
        f"{len(web.books):,} books on {len(HOSTS)} hosts; nothing leaves this computer",
        "example rows:",
        *(
            f"  {line}"
            for line in (",".join(COLUMNS), *(f"{author},{title}" for author, title in example_rows()))
        ),
        "seeds:",
        *(f"  {seed}" for seed in web.seeds()),
    ]
    await _until_stopped(server, lines)


async def _until_stopped(server: asyncio.Server, lines: list[str]) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
    server.close()


if __name__ == "__main__":
    sys.exit(main())
