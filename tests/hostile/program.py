"""The real program, started as a user would, with an eye on its memory and its sockets."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

CLEW = str(Path(sys.executable).with_name("clew"))
CONTACT = "https://crawler.test-lab.org/bot"
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


def clew(*words: str, timeout: float = 60, **more: object) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    return subprocess.run(
        [CLEW, *words],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
        env=environment(),
        **more,
    )  # type: ignore[call-overload]


def environment(**more: str) -> dict[str, str]:
    """Return a plain environment: no proxies, no colours, the terminal's width fixed."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if "proxy" not in k.lower() and k not in ("FORCE_COLOR", "NO_COLOR")
    }
    return {**kept, "COLUMNS": "200", **more}


def new(folder: Path, *seeds: str, about: str = "rivers, gardens and bridges") -> None:
    """Make a crawl folder."""
    words = [part for seed in seeds for part in ("--seed", seed)]
    made = clew("new", str(folder), "--about", about, *words, "--contact", CONTACT, "--no-check")
    assert made.returncode == 0, made.stderr or made.stdout


def settings(*pairs: str) -> list[str]:
    return [part for pair in pairs for part in ("--set", pair)]


@dataclass
class Watch:
    """What was seen of a running program: the highest memory and the strangest connections."""

    peak_mib: float = 0.0
    foreign: set[str] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def watched(pid: int, *, allowed: Iterable[str] = (), every: float = 0.1) -> Iterator[Watch]:
    """Look at a process and all its children ten times a second."""
    watch = Watch()
    prefixes = tuple(allowed)

    def look() -> None:
        while not watch.over.wait(every):
            tree = list(family(pid))
            watch.peak_mib = max(watch.peak_mib, sum(map(_resident, tree)) / 2**20)
            watch.foreign |= {peer for peer in _peers(tree) if not peer.startswith(prefixes)}

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        watch.over.set()
        thread.join(5)


def family(pid: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        children = " ".join(map(str, _children_by_parent(pid)))
    for child in children.split():
        yield from family(int(child))


def _children_by_parent(pid: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            if int(stat.rpartition(")")[2].split()[1]) == pid:
                yield int(entry.name)


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_SIZE
    except (OSError, IndexError):
        return 0


def _peers(tree: list[int]) -> set[str]:
    """Return the far ends of the family's TCP and UDP sockets."""
    inodes = set()
    for pid in tree:
        try:
            links = [str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()]
        except OSError:
            continue
        inodes |= {link[8:-1] for link in links if link.startswith("socket:[")}
    found = set()
    for table in ("tcp", "udp"):
        try:
            lines = Path(f"/proc/{tree[0]}/net/{table}").read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            parts = line.split()
            address, port = parts[2].split(":")
            if parts[9] in inodes and int(port, 16):
                dotted = ".".join(str(b) for b in bytes.fromhex(address)[::-1])
                found.add(f"{dotted}:{int(port, 16)}/{table}")
    return found


def start(
    *words: str, env: dict[str, str] | None = None, output: Path | None = None
) -> subprocess.Popen[str]:
    """Start the program in a session of its own, so that its whole family can be killed."""
    out = output.open("a", encoding="utf-8") if output else subprocess.PIPE
    try:
        return subprocess.Popen(
            [CLEW, *words], stdout=out, stderr=subprocess.STDOUT, text=True, errors="replace",
            env=env or environment(), start_new_session=True,
        )  # fmt: skip
    finally:
        if output:
            out.close()  # type: ignore[union-attr]


def kill_group(process: subprocess.Popen[str]) -> None:
    """Kill the program and all its children at once, as a power cut would."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


def wait_until(condition, seconds: float = 20, every: float = 0.02) -> bool:
    """Wait for a condition to come true; tell whether it did."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(every)
    return bool(condition())
