"""What `clew serve` costs a crawl beside it: pages per CPU-second with and without a server that is looked at.

    python -m bench.serve_beside [--pages 3000] [--repeat 3] [--write]

The site, the crawl and the way of measuring are those of `bench.throughput`. Runs alternate: alone, then with a
server and a person's browser, which keeps the live overview open and asks for another page every three
seconds. The cost is that of the crawl's processes; what the server itself uses is a row of its own, beside the CPU
time of the crawl. The ratio is the median of neighbouring runs.
"""

import argparse
import re
import subprocess
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench import measure, site
from bench.figures import publish
from bench.throughput import compile_clew, per_second, plain_environment, run_clew
from docs.figures import Table

LOOKED_AT = ("", "/pages", "/pages?q=research", "/links", "/teach", "/why?id=7", "/export", "/settings")
EVERY = 3.0


class Viewer:
    """A browser: one live stream, and a page every few seconds."""

    def __init__(self, url: str) -> None:
        self.base = f"{url}/crawls/clew"
        self.events = f"{url}/api/v1/crawls/clew/events"
        self.answers = 0
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=each, daemon=True) for each in (self.watch, self.look)]
        for thread in self.threads:
            thread.start()

    def watch(self) -> None:
        """Read the live stream, again and again until the end."""
        while not self.ended.wait(0.2):
            with suppress(OSError), urllib.request.urlopen(self.events, timeout=5) as stream:
                while not self.ended.is_set() and stream.readline():
                    pass

    def look(self) -> None:
        """Ask for one page after the other."""
        while not self.ended.wait(EVERY):
            with suppress(OSError):
                path = self.base + LOOKED_AT[self.answers % len(LOOKED_AT)]
                urllib.request.urlopen(path, timeout=30).read()
                self.answers += 1


@contextmanager
def looked_at(folder: Path, used: list[tuple[float, int]]) -> Iterator[None]:
    """Serve a folder, look at its crawl, and add the CPU seconds of the server and the pages it sent."""
    command = [measure.clew(), "serve", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=plain_environment()) as process:
        assert process.stdout
        found = re.search(r"http://[^/\s]+", process.stdout.readline())
        assert found
        began = measure.process_seconds(process.pid)
        viewer = Viewer(found[0])
        try:
            yield
            used.append((measure.process_seconds(process.pid) - began, viewer.answers))
        finally:
            viewer.ended.set()
            process.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=3000, help="page budget of each run")
    parser.add_argument("--repeat", type=int, default=3, help="pairs of runs")
    parser.add_argument("--port", type=int, default=8470, help="port of the local nginx")
    parser.add_argument("--write", action="store_true", help="publish in docs/lab/speed.md")
    options = parser.parse_args()
    known = measure.facts()
    measure.print_facts(known)
    bases = site.bases(options.port)
    seeds = [f"{base}/" for base in bases]
    compile_clew()
    alone: list[dict[str, float]] = []
    beside: list[dict[str, float]] = []
    used: list[tuple[float, int]] = []
    web, folder = site.made("new", 2 * options.pages, bases)
    with site.served(web, folder, options.port), tempfile.TemporaryDirectory(prefix="clew-bench-") as place:
        work = Path(place)
        for _ in range(options.repeat):
            alone.append(run_clew(work, seeds, options.pages, "clew", []))
            with looked_at(work, used):
                beside.append(run_clew(work, seeds, options.pages, "clew", []))
            print(
                f"alone {per_second(alone[-1]):.0f}, looked at {per_second(beside[-1]):.0f} pages per CPU-second"
            )
    ratios = [per_second(b) / per_second(a) for a, b in zip(alone, beside, strict=True)]
    shares = [seconds / run["cpu"] for (seconds, _), run in zip(used, beside, strict=True)]
    rows = (
        ("crawl alone", f"{measure.median(map(per_second, alone)):.0f}", ""),
        ("crawl with a server that is looked at", f"{measure.median(map(per_second, beside)):.0f}",
         f"{measure.median(ratios):.3f} ({', '.join(f'{each:.3f}' for each in ratios)})"),
        ("the server itself, CPU seconds of the crawl's", f"{measure.median(shares):.3f}", ""),
    )  # fmt: skip
    publish(
        {"serve-beside": Table(("what", "pages per CPU-second", "ratio (each pair)"), rows)},
        f"python -m bench.serve_beside --pages {options.pages} --repeat {options.repeat} --write",
        dry=not options.write, load=known["load"], viewed=sum(count for _, count in used),
    )  # fmt: skip


if __name__ == "__main__":
    main()
