"""CPU of a page in the parse workers by stage, on generated and recorded pages.

    python -m bench.parse_stages [WORLDS] [--pages 40] [--tries 25] [--write]

WORLDS is a folder of recorded webs (or CLEW_WORLDS); without one only generated pages are read.
Every stage is a function; the functions are replaced by timed ones, and a stage is charged the time between
entering and leaving it without the stages within. What the timing itself costs is measured and subtracted.
How to read it: µs are the least of many tries; "of the loop" is the ratio to a fixed pure-Python loop
(`bench/reference.py`) measured in the same process, which holds on any machine. "sum" are the stages added up,
"measured" is the same work without any timing: they should agree within five percent. `--write` publishes the
table in docs/lab/parse.md.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from bench import reference
from bench.figures import publish
from bench.site import Site, bases
from clew.domain.text.link_words import LinkTokenizer
from clew.lab.warc_reader import ReadCounts, read_responses
from clew.parse import anchors, html, ipc, maintext, page_builder, page_reader
from clew.parse.options import ParseOptions
from clew.types import Link, Response
from clew.urls import Canon

WORLDS = ("stat-sites", "geo-ja", "wikispeedia", "webkb")
OPTIONS = ParseOptions(layout=False, new_words=True)  # as in a crawl with the default policy
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
STAGES: tuple[tuple[str, Any, str], ...] = (
    ("decode", page_reader, "_decoded"),
    ("charset", page_reader, "encoding_of"),
    ("DOM", html, "LexborHTMLParser"),
    ("walk", html, "walk_over"),
    ("links: URL join", Canon, "__call__"),
    ("links: attributes, text, path, context", anchors.Collector, "add_walked"),
    ("links: clean text", anchors, "each"),
    ("links: hashes, columns", anchors.Collector, "links"),
    ("main text: blocks", maintext, "readable_blocks"),
    ("main text: features", maintext, "features"),
    ("main text: model, text", maintext, "choose"),
    ("language", html, "language"),
    ("simhash", page_reader, "simhash"),
    ("terms of the text", page_builder, "count_terms"),
    ("tokens of links", LinkTokenizer, "columns"),
    ("schema.org", html.schema, "is_stated"),
    ("head and metadata", page_reader, "read_html"),
    ("response, page", page_reader, "read"),
    ("IPC: pack", ipc, "reply"),
    ("IPC: unpack, in the engine", ipc, "page_of"),
)
"""Stage, owner of the function that does it, name of the function."""

NAMES = (*(stage for stage, _, _ in STAGES), "releasing memory, the rest")


class StageClock:
    """Time in ns spent in each stage by its number, without the stages within it.

    `calls` are those of a stage, `inner` those it makes to others: what timing them costs is subtracted.
    """

    def __init__(self, count: int) -> None:
        self.spent = [0] * count
        self.calls = [0] * count
        self.inner = [0] * (count + 1)  # the last one for calls from outside
        self._state = [0, count]  # time spent in inner stages, number of the stage

    def timed(self, number: int, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same and is charged to a stage."""
        state, spent, calls, inner, clock = (
            self._state, self.spent, self.calls, self.inner, time.perf_counter_ns
        )  # fmt: skip

        def charged(*arguments: Any, **named: Any) -> Any:
            before, outer = state
            state[0], state[1] = 0, number
            began = clock()
            result = function(*arguments, **named)
            took = clock() - began
            spent[number] += took - state[0]
            calls[number] += 1
            inner[outer] += 1
            state[0], state[1] = before + took, outer
            return result

        return charged


@contextmanager
def replaced(clock: StageClock) -> Iterator[None]:
    """Let the functions of all stages be timed."""
    originals = [(owner, name, getattr(owner, name)) for _, owner, name in STAGES]
    for number, (owner, name, function) in enumerate(originals):
        setattr(owner, name, clock.timed(number, function))
    try:
        yield
    finally:
        for owner, name, function in originals:
            setattr(owner, name, function)


class _Sample:
    """A method to calibrate the clock with."""

    def method(self, first: object, second: object) -> None:
        """Do nothing."""

    def calls(self) -> None:
        """Call the method a thousand times."""
        for number in range(_CALLS):
            self.method(number, None)

    def loop(self) -> None:
        """Call nothing."""
        for _ in range(_CALLS):
            pass


_CALLS = 1_000


@cache
def overhead() -> tuple[float, float]:
    """Return what timing one call costs, in ns: charged to the stage, and to the stage around it."""
    sample, least, inner, outer = _Sample(), [float("inf")] * 2, float("inf"), float("inf")
    for _ in range(1_000):
        for at, function in enumerate((sample.loop, sample.calls)):
            began = time.perf_counter_ns()
            function()
            least[at] = min(least[at], time.perf_counter_ns() - began)
        clock = StageClock(2)
        timed = clock.timed(1, sample.method)
        copy = _Sample()
        copy.method = timed  # type: ignore[method-assign]
        clock.timed(0, copy.calls)()
        inner, outer = min(inner, clock.spent[1]), min(outer, clock.spent[0])
    # An interruption may be in any of the four: their least times are subtracted, not times of one round.
    loop, calls = least
    return max(0.0, inner - (calls - loop)) / _CALLS, max(0.0, outer - loop) / _CALLS


def work(response: Response, canon: Canon) -> None:
    """Do to a page what a worker and the receiving end of its socket do."""
    page = page_reader.read(response, canon=canon, max_bytes=8_000_000, options=OPTIONS)
    packed = b"".join(ipc.reply(page))
    ipc.page_of(memoryview(packed)[ipc.HEADER.size :], response)


def stages(responses: list[Response], tries: int) -> dict[str, tuple[float, float]]:
    """Return µs a page and the ratio to the loop for all stages, their sum, and the same work untimed.

    The least time of each page counts, because one page is rarely interrupted and many are always.
    """
    canon, count = Canon(), len(responses)
    inside, outside = overhead()
    least: list[list[float]] = [[float("inf")] * len(NAMES) for _ in responses]
    plain, loop = [float("inf")] * count, float("inf")
    for _ in range(tries):
        loop = min(loop, reference.loop_seconds())
        for row, response in enumerate(responses):
            began = time.process_time_ns()
            work(response, canon)
            plain[row] = min(plain[row], (time.process_time_ns() - began) / 1e3)
            clock = StageClock(len(NAMES))
            with replaced(clock):
                clock.timed(len(STAGES), work)(response, canon)
            own = [
                (spent - inside * calls - outside * inner) / 1e3
                for spent, calls, inner in zip(clock.spent, clock.calls, clock.inner, strict=False)
            ]
            least[row] = min(least[row], own, key=sum)
    found = {stage: sum(row[number] for row in least) / count for number, stage in enumerate(NAMES)}
    found |= {"sum": sum(found.values()), "measured": sum(plain) / count}
    return {stage: (own, own / loop / 1e6) for stage, own in found.items()}


def generated(count: int) -> list[Response]:
    """Return generated pages of 28 KB with 50 links."""
    site = Site("new", 3_000, bases(8460))
    return [
        _response(site.bases[site.host(number)] + site.path(number), HEAD, site.html(number).encode())
        for number in range(1_000, 1_000 + count)
    ]


def recorded(file: Path, count: int) -> list[Response]:
    """Return neighbouring pages from the middle of a recorded web."""
    found = [
        _response(one.url, one.head, one.body)
        for one in read_responses(file, ReadCounts())
        if one.status == 200 and b"<a" in one.body
    ]
    middle = len(found) // 2
    return found[middle : middle + count]


def _response(url: str, head: bytes, body: bytes) -> Response:
    link = Link(id=0, url=url, origin="")
    return Response(link=link, started=0.0, ended=0.0, status=200, head=head, body=body)


def main() -> None:
    """Measure and print, or publish."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("worlds", nargs="?", default=os.environ.get("CLEW_WORLDS"), metavar="WORLDS")
    parser.add_argument("--pages", type=int, default=40, help="pages of each kind")
    parser.add_argument("--tries", type=int, default=25, help="tries; the least time of each stage counts")
    parser.add_argument("--write", action="store_true", help="publish in docs/lab/parse.md")
    options = parser.parse_args()
    sets = {"generated": generated(options.pages)}
    for world in WORLDS if options.worlds else ():
        file = Path(options.worlds) / world / "pages.warc.xz"
        if file.exists():
            sets[world] = recorded(file, options.pages)
    measured = {name: stages(responses, options.tries) for name, responses in sets.items()}
    rows = [
        "| stage | " + " | ".join(f"{name}, µs | {name}, of the loop" for name in measured) + " |",
        "|---|",
    ]
    for stage in (*NAMES, "sum", "measured"):
        cells = [found[stage] for found in measured.values()]
        rows.append(f"| {stage} | " + " | ".join(f"{own:.1f} | {part:.4f}" for own, part in cells) + " |")
    publish(
        {"parse-stages": "\n".join(rows)}, "python -m bench.parse_stages WORLDS --write", dry=not options.write,
        pages=options.pages,
    )  # fmt: skip


if __name__ == "__main__":
    main()
