"""A pool of worker processes that share the runs of a race."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from clew.lab.race_runs import RaceRun


@dataclass(frozen=True, slots=True)
class Done:
    """A run that ended: how many pages it found, or why it failed."""

    entry: RaceRun
    found: int = 0
    error: str = ""


class WorkerPool:
    """Run entries in `jobs` processes; `with` ends them in any case, and leaves no partial files.

    Processes are started anew by `python -m`: that works from scripts, notebooks and the terminal alike.
    """

    def __init__(self, folder: Path, jobs: int) -> None:
        self.folder = folder
        self.jobs = jobs
        self._waiting: queue.SimpleQueue[RaceRun | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Done] = queue.SimpleQueue()
        self._processes: list[subprocess.Popen[str]] = []
        self._stopping = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait()

    def run(self, entries: Sequence[RaceRun]) -> Iterator[Done]:
        """Yield runs as they end."""
        for entry in entries:
            self._waiting.put(entry)
        workers = min(self.jobs, len(entries))
        for _ in range(workers):
            self._waiting.put(None)
            threading.Thread(target=self._serve, daemon=True).start()
        for _ in entries:
            yield self._done.get()

    def _serve(self) -> None:
        """Feed one worker; when it dies, its run fails and a new worker replaces it."""
        worker: subprocess.Popen[str] | None = None
        while (entry := self._waiting.get()) is not None and not self._stopping:
            if worker is None or worker.poll() is not None:
                worker = self._start()
            result = _request(worker, entry)
            if result is None:
                code = worker.wait()
                self._done.put(Done(entry, error=f"its process died ({_exit_text(code)})"))
                worker = None
            else:
                self._done.put(Done(entry, result.get("found", 0), result.get("error", "")))
        if worker is not None and worker.stdin is not None:
            worker.stdin.close()

    def _start(self) -> subprocess.Popen[str]:
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "clew.lab.worker", str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"},
            encoding="utf-8",
        )
        self._processes.append(process)
        return process


def _request(worker: subprocess.Popen[str], entry: RaceRun) -> dict[str, Any] | None:
    """Send a run to a worker and wait for its result; None when the worker died."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    into: IO[str] = worker.stdin
    try:
        into.write(json.dumps(entry.as_dict()) + "\n")
        into.flush()
        line = worker.stdout.readline()
    except OSError:
        return None
    result: dict[str, Any] | None = json.loads(line) if line.endswith("\n") else None
    return result


def _exit_text(code: int) -> str:
    return f"signal {-code}, out of memory?" if code < 0 else f"exit code {code}"
