"""A worker process: it reads runs as lines of JSON, executes them, and writes results as lines of JSON.

Started as `python -m clew.lab.worker FOLDER`. It ends when its input is closed.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from clew import urls
from clew.errors import ClewError
from clew.lab.oracle import oracle
from clew.lab.race_runs import RaceRun
from clew.lab.search_trial import SearchTrials
from clew.lab.site_verdicts import score_sites, wanted_rows
from clew.lab.standings import CEILING
from clew.lab.task import Task
from clew.lab.trace import Trace
from clew.lab.trial import TrialSettings, run_on, start_of
from clew.lab.world import World, open_world
from clew.lab.world_graph import WorldGraph, world_graph_of


class Worker:
    """Execute runs one after another; the world of the last one stays open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._where = ""
        self._world: World | None = None
        self._graph: WorldGraph | None = None
        self._trials = SearchTrials()

    def run(self, entry: RaceRun) -> int:
        """Execute one run, save its trace under its name, and return how many pages or sites it found."""
        if self._where != entry.where or self._world is None:
            self._world, self._where, self._graph = open_world(entry.where), entry.where, None
        task = next(task for task in self._world.tasks if task.name == entry.case.task)
        settings = TrialSettings(seed=entry.seed, **entry.settings)
        trace = (
            self._oracle(self._world, task, settings)
            if entry.policy == CEILING
            else self._trials.run(self._world, task, entry.policy, settings)
            if settings.search
            else run_on(self._world, task, entry.policy, settings)
        )
        if task.kind == "sites":
            trace = score_sites(trace)
        temporary = self.folder / f".{entry.file}.{os.getpid()}.part"
        try:
            trace.save(temporary)
            temporary.replace(self.folder / entry.file)
        finally:
            temporary.unlink(missing_ok=True)
        return int(trace.relevant.sum())

    def _oracle(self, world: World, task: Task, settings: TrialSettings) -> Trace:
        """Return the trace of the oracle; in a world without a graph, its upper bound."""
        graph = self._graph = self._graph or world_graph_of(world)
        if graph is None:
            count = max(0, min(settings.pages, task.truth.relevant))
            return _trace(np.arange(count), np.ones(count, bool), np.arange(count), np.zeros(count), [])
        wanted = wanted_rows(graph, task)
        seeds = graph.rows(start_of(world, task, settings))
        order = oracle(graph.graph, wanted, seeds, cap=settings.cap_per_host, upto=settings.pages)[
            : settings.pages
        ]
        found_urls = [graph.page_urls[row] for row in order.tolist()]
        sizes = np.zeros(len(order)) if world.page_store is None else world.page_store.sizes[order]
        return _trace(order, wanted[order], graph.graph.hosts[order], sizes, found_urls)


def _trace(rows: Any, relevant: Any, hosts: Any, sizes: Any, page_urls: list[str]) -> Trace:  # noqa: ANN401
    count = len(rows)
    return Trace(
        hashes=np.array([urls.fingerprint(url) for url in page_urls] or np.zeros(count), np.uint64),
        rows=np.asarray(rows, np.int32),
        grades=np.asarray(relevant, np.float32),
        relevant=np.asarray(relevant, np.bool_),
        examples=np.zeros(count, np.bool_),
        verdicts=np.full(count, np.nan, np.float32),
        scores=np.zeros(count, np.float32),
        hosts=np.asarray(hosts, np.int32),
        bytes=np.asarray(sizes, np.int32),
        status=np.full(count, 200, np.int16),
        seconds=np.zeros(count, np.float64),
    )


def main() -> None:
    """Execute a run for every line of input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent process
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a policy that prints must not write into our results
    worker = Worker(Path(sys.argv[1]))
    for line in sys.stdin:
        entry = RaceRun.of(json.loads(line))
        result: dict[str, Any] = {"file": entry.file}
        try:
            result["found"] = worker.run(entry)
        except ClewError as error:
            result["error"] = str(error)
        except Exception as error:  # noqa: BLE001 - an error in a policy fails its run, not the race
            last = traceback.extract_tb(error.__traceback__)[-1]
            result["error"] = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
        results.write(json.dumps(result) + "\n")
        results.flush()


if __name__ == "__main__":
    main()
