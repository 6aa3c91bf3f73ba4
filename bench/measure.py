"""Measure programs from outside: CPU of a whole process tree, medians, machine facts, small tables."""

import ctypes
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

TICK = 1 / os.sysconf("SC_CLK_TCK")
ORPHAN_SECONDS = 10
"""How long children of an ended program may take to end too; afterwards their time would be lost."""

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run of a program cost: CPU seconds of its own process and of its children, wall seconds."""

    own: float
    children: float
    wall: float
    code: int

    @property
    def cpu(self) -> float:
        return self.own + self.children


def run(
    command: Sequence[str], *, log: Path, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Cost:
    """Run a program to its end and return what it cost, children and orphans included.

    The main process is read as a zombie (`/proc/PID/stat` still knows its own time then); the total is
    what the kernel adds to our waited-for children, and orphans are adopted so that none escapes.
    Long-lived helpers of the bench itself (a web server) are not counted: they are not waited for here.
    """
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    helpers = _children()
    before, began = _waited(), time.perf_counter()
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=env, cwd=cwd)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - began
        own = process_seconds(process.pid)
        code = process.wait()
    _reap(helpers)
    return Cost(own=own, children=max(0.0, _waited() - before - own), wall=wall, code=code)


def _waited() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def process_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def _children() -> set[int]:
    return {
        int(pid)
        for task in Path("/proc/self/task").iterdir()
        for pid in (task / "children").read_text().split()
    }


def _reap(helpers: set[int]) -> None:
    """Wait for adopted orphans, so that their time is counted."""
    end = time.monotonic() + ORPHAN_SECONDS
    while (left := _children() - helpers) and time.monotonic() < end:
        for pid in left:
            os.waitpid(pid, os.WNOHANG)
        time.sleep(0.02)
    if left:
        print(f"warning: {len(left)} child processes did not end; their CPU time is missing", file=sys.stderr)


def median(values: Iterable[float]) -> float:
    """Return the middle value."""
    return statistics.median(list(values))


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lay out a small table: first column left, the others right."""
    cells = [[str(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    lines = [
        "  ".join(
            c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("─" * w for w in widths), *lines[1:]])


def facts(*packages: str) -> dict[str, object]:
    """Return what a figure depends on: date, machine, load, versions."""
    found = {}
    for name in ("clew", *packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "commit": _commit(),
        **found,
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _commit() -> str:
    here = Path(__file__).parent
    process = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=here, capture_output=True, text=True, check=False
    )
    return process.stdout.strip() or "unknown"


def print_facts(known: Mapping[str, object]) -> None:
    """Print the facts on one line, and a warning when the machine is busy with something else."""
    print(", ".join(f"{key} {value}" for key, value in known.items()))
    if os.getloadavg()[0] > 0.5 * (os.cpu_count() or 1):
        print(
            "warning: the machine is busy; ratios in one run still compare, absolute figures do not",
            file=sys.stderr,
        )
    print()


def write_json(path: Path | None, data: object) -> None:
    """Write raw numbers for later, when asked to."""
    if path:
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


def cache_folder() -> Path:
    """Return the folder where benches keep what is slow to make: generated sites, private environments."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(base) / "clew-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def clew() -> str:
    """Return the `clew` program that belongs to the Python running this bench."""
    program = Path(sys.executable).parent / "clew"
    if not program.exists():
        sys.exit(f"{program} does not exist; install the package first: {sys.executable} -m pip install -e .")
    return str(program)
