"""`clew` with its functions timed: `bench.crawl_stages` runs this instead of it.

    python -m bench.timed_crawl run FOLDER …

Each function of a stage counts the CPU time of its thread without that of stages within it. The figures are left in the
folder that the environment variable CLEW_BENCH_STAGES names, one file for each process. Nothing is imported here but what
Python has loaded anyway, so that the start of the program costs what it always costs.
"""

import asyncio
import atexit
import json
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = "CLEW_BENCH_STAGES"
"""Environment variable: the folder where timed processes leave their figures."""

TIMING = "timing"
"""The name of what the timing itself took; it is no stage."""

MAIN_STAGES = (
    ("engine: judge", "clew.engine.evaluation:Evaluation", "evaluate"),
    ("engine: features and scores", "clew.engine.scoring:Scoring", "scores"),
    ("engine: learn", "clew.engine.scoring:Scoring", "learn"),
    ("engine: rerank", "clew.engine.scoring:Scoring", "refresh_weights"),
    ("engine: traps", "clew.frontier:TrapGuard", "learn"),
    ("engine: traps", "clew.frontier:TrapGuard", "refusal"),
    ("engine: intake", "clew.engine.intake:Intake", "found"),
    ("engine: frontier", "clew.frontier:Frontier", "add"),
    ("engine: frontier", "clew.frontier:Frontier", "take"),
    ("engine: frontier", "clew.frontier:Frontier", "find_ids"),
    ("engine: frontier", "clew.frontier:Frontier", "raise_scores"),
    ("engine: rest", "clew.engine.engine:Engine", "process_page"),
    ("engine: next link", "clew.engine.engine:Engine", "next_link"),
    ("commit: collect", "clew.engine.engine:Engine", "commit"),
    ("commit: collect", "clew.store.sqlite:SqliteStore", "commit"),
    ("fetch: libcurl", "clew.fetch.curl_loop:CurlLoop", "_ready"),
    ("fetch: libcurl", "clew.fetch.curl_loop:CurlLoop", "_run"),
    ("fetch: request, response", "clew.fetch.curl:CurlFetcher", "fetch"),
    ("IPC: send", "clew.parse.worker_handle:WorkerHandle", "take"),
    ("IPC: receive", "clew.parse.worker_handle:WorkerHandle", "_readable"),
    ("IPC: unpack", "clew.parse.ipc", "page_of"),
    ("IPC: jobs", "clew.parse.pool:ParsePool", "__call__"),
    ("screen, hints", "clew.cli.shared_view:SharedView", "step"),
    ("screen, hints", "clew.cli.shared_view:SharedView", "_write"),
    ("screen, hints", "clew.insight.diagnostics:Advisor", "observe"),
    ("models saved", "clew.engine.checkpoint:Checkpoint", "before_commit"),
    ("models saved", "clew.engine.checkpoint:Checkpoint", "_settle"),
    ("store: collect", "clew.store.sqlite:SqliteStore", "add"),
    ("store: collect", "clew.store.sqlite:SqliteStore", "raise_scores"),
    ("store: find links", "clew.store.sqlite:SqliteStore", "link"),
    ("WARC: pack", "clew.store.archive", "pack"),
    ("WARC: write, sync", "clew.store.archive:Archive", "append"),
    ("WARC: write, sync", "clew.store.archive:Archive", "sync"),
    ("store: rows of links", "clew.store.write_batch", "_link_rows"),
    ("store: rows of pages", "clew.store.write_batch", "result_rows"),
    ("store: insert", "clew.store.sqlite", "write"),
    ("store: commit", "clew.store.sqlite:SqliteStore", "_transact"),
    ("store: rest", "clew.store.sqlite:SqliteStore", "_make_durable"),
)
"""Of the main process: stage, owner of a function that does it, name of the function."""

WORKER_STAGES = (
    ("decode", "clew.parse.page_reader", "_decoded"),
    ("decode", "clew.parse.page_reader", "encoding_of"),
    ("DOM", "clew.parse.html", "LexborHTMLParser"),
    ("DOM", "clew.parse.html", "walk_over"),
    ("links", "clew.urls:Canon", "__call__"),
    ("links", "clew.parse.anchors:Collector", "add_walked"),
    ("links", "clew.parse.anchors", "each"),
    ("links", "clew.parse.anchors:Collector", "links"),
    ("text", "clew.parse.maintext", "readable_blocks"),
    ("text", "clew.parse.maintext", "features"),
    ("text", "clew.parse.maintext", "choose"),
    ("text", "clew.parse.html", "language"),
    ("simhash", "clew.parse.page_reader", "simhash"),
    ("bag", "clew.parse.page_builder", "count_terms"),
    ("tokens of links", "clew.domain.text.link_words:LinkTokenizer", "columns"),
    ("head and metadata", "clew.parse.page_reader", "read_html"),
    ("response, page", "clew.parse.page_reader", "read"),
    ("IPC: pack", "clew.parse.ipc", "reply"),
    ("IPC: receive", "clew.parse.worker:_Inbox", "read"),
    ("IPC: send", "clew.parse.worker", "_send"),
)
"""The same of a parse worker."""

BOOT = (
    "import json, sys; number, parent, sys.path[:] = json.loads(sys.argv[1]); "
    "from bench.timed_crawl import timed_server; timed_server(number, parent)"
)


_CALLS, _TRIES = 1_000, 5


class ThreadClock:
    """CPU ns by thread and stage, without the stages within a stage, and without what the timing itself takes.

    `inside` is what a timed call would charge to its own stage for nothing, `outside` to the one around it.
    """

    def __init__(self) -> None:
        self.spent: dict[str, dict[str, int]] = {}
        self.frames: dict[str, list[int]] = {}
        self.inside = self.outside = 0
        self._local = threading.local()
        began = time.thread_time_ns()
        self.inside, self.outside = min((self._calibrated() for _ in range(_TRIES)), key=sum)
        self.restart()
        self.calibrating = time.thread_time_ns() - began

    def restart(self) -> None:
        """Forget what was spent."""
        self.spent.clear()
        self.frames.clear()
        self._local = threading.local()

    def _calibrated(self) -> tuple[int, int]:
        timed, spent = self.timed("nothing", _nothing), self.frame()[0]
        before, began = spent.get("nothing", 0), time.thread_time_ns()
        for _ in range(_CALLS):
            _nothing()
        middle = time.thread_time_ns()
        for _ in range(_CALLS):
            timed()
        plain, whole = middle - began, time.thread_time_ns() - middle
        inside = spent["nothing"] - before - plain
        return max(0, inside // _CALLS), max(0, (whole - plain - inside) // _CALLS)

    def frame(self) -> tuple[dict[str, int], list[int]]:
        """Return what this thread has spent, the ns of stages within the current one, and of the timing."""
        try:
            found: tuple[dict[str, int], list[int]] = self._local.frame
        except AttributeError:
            name = threading.current_thread().name.partition("_")[0]
            found = self._local.frame = self.spent.setdefault(name, {}), self.frames.setdefault(name, [0, 0])
        return found

    def taken(self) -> int:
        """Return the CPU ns of this thread without the timing."""
        return time.thread_time_ns() - self.frame()[1][1]

    def timed(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same and is charged to a stage."""
        clock, frame = time.thread_time_ns, self.frame

        def charged(*args: Any, **named: Any) -> Any:
            spent, inner = frame()
            outer, inner[0] = inner[0], 0
            began = clock()
            try:
                return work(*args, **named)
            finally:
                took = clock() - began
                spent[name] = spent.get(name, 0) + took - inner[0] - self.inside
                inner[0] = outer + took + self.outside
                inner[1] += self.inside + self.outside

        return charged

    def timed_steps(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same for a coroutine: each of its steps is charged, not the waiting between them."""

        def start(*args: Any, **named: Any) -> _Steps:
            return _Steps(work(*args, **named), self, name)

        return start


class _Steps:
    """Await a coroutine step by step."""

    def __init__(self, steps: Any, clock: ThreadClock, name: str) -> None:
        self.send = clock.timed(name, steps.send)
        self.throw = clock.timed(name, steps.throw)
        self.close = steps.close

    def __await__(self) -> Generator[Any, Any, Any]:
        sent, step = None, self.send
        while True:
            try:
                waited = step(sent)
            except StopIteration as ended:
                return ended.value
            try:
                sent, step = (yield waited), self.send
            except GeneratorExit:
                self.close()
                raise
            except BaseException as error:  # noqa: BLE001 - a cancellation, passed on
                sent, step = error, self.throw


def _nothing() -> None:
    """Be called."""


def install(clock: ThreadClock, stages: Iterable[tuple[str, str, str]]) -> None:
    """Let the functions of stages be timed."""
    for name, place, attribute in stages:
        module, _, owned = place.partition(":")
        owner = getattr(import_module(module), owned) if owned else import_module(module)
        work = getattr(owner, attribute)
        make = clock.timed_steps if asyncio.iscoroutinefunction(work) else clock.timed
        setattr(owner, attribute, make(name, work))


def _write(name: str, spent: dict[str, Any]) -> None:
    Path(os.environ[FOLDER], f"{name}.json").write_text(json.dumps(spent))


def timed_server(number: int, parent: int) -> None:
    """Do what the fork server of the parser does; its workers are killed in the end, so they write on the way."""
    worker = import_module("clew.parse.worker")
    clock, sent, loading = ThreadClock(), 0, time.process_time_ns()
    install(clock, WORKER_STAGES)
    work, send = worker._work, worker._send  # noqa: SLF001

    def timed_work(*args: Any) -> None:
        clock.restart()
        work(*args)

    def send_and_write(*args: Any) -> None:
        nonlocal sent
        send(*args)
        sent += 1
        if sent % 20 == 0:
            spent = dict(clock.spent["MainThread"])
            spent["releasing memory, rest"] = clock.taken() - sum(spent.values())
            spent[TIMING] = clock.frame()[1][1]
            _write(f"worker-{os.getpid()}", spent)

    worker._work, worker._send = timed_work, send_and_write  # noqa: SLF001
    _write("worker-server", {"start": loading - clock.calibrating, TIMING: clock.calibrating})
    worker.serve(number, parent)


def timed_program() -> None:
    """Do what `clew` does."""
    cli, signals = import_module("clew.cli"), import_module("clew.cli.signals")
    import_module("clew.parse.fork_server")._BOOT = BOOT  # noqa: SLF001
    clock, marks, show = ThreadClock(), {"start": 0, "end": 0}, signals.show

    async def shown(*args: Any) -> str:
        marks["start"] = time.thread_time_ns()
        install(clock, MAIN_STAGES)
        try:
            ended: str = await show(*args)
            return ended
        finally:
            marks["end"] = time.thread_time_ns()

    def leave() -> None:
        spent: dict[str, dict[str, int]] = {thread: dict(stages) for thread, stages in clock.spent.items()}
        main = spent.setdefault("MainThread", {})
        main["start"] = marks["start"] - clock.calibrating
        main["end"] = time.thread_time_ns() - marks["end"]
        main["event loop, generators"] = clock.taken() - clock.calibrating - sum(main.values())
        counted = sum(sum(stages.values()) for stages in spent.values())
        timing = clock.calibrating + sum(frame[1] for frame in clock.frames.values())
        spent["other threads"] = {"all": time.process_time_ns() - timing - counted}
        main[TIMING] = timing
        _write("main", spent)

    signals.show = shown
    atexit.register(leave)
    cli.main()


if __name__ == "__main__":
    timed_program()
