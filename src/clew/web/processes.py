"""Start, pause and stop the processes of `clew run` and `clew refresh`; they outlive the server."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from clew.errors import ConfigError
from clew.insight.live_state import DERIVED, read_live
from clew.insight.preflight.folder_check import lock_holder

LOG_FILE = f"{DERIVED}/run.log"
START_SECONDS = 10.0
"""Seconds to wait until a process that was started holds the folder, or has failed."""

SIGNALS = {"pause": signal.SIGUSR1, "resume": signal.SIGUSR2, "stop": signal.SIGTERM}


@dataclass(slots=True)
class CrawlProcesses:
    """The processes started here. Those started in a terminal are found by the lock of their folder."""

    _children: dict[Path, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, folder: Path, pages: int = 0, *, command: Literal["run", "refresh"] = "run") -> int:
        """Run a crawl in a process of its own; return its id. What it prints goes to derived/run.log."""
        with self._lock:
            if holder := lock_holder(folder):
                msg = f"it is running already, as process {holder}"
                raise ConfigError(msg)
            log = folder / LOG_FILE
            log.parent.mkdir(exist_ok=True)
            words = [sys.executable, "-m", "clew", command, str(folder.absolute()), "--plain"]
            words += ["--pages", str(pages)] if pages else []
            with log.open("wb") as output:
                child = subprocess.Popen(  # noqa: S603 - our own program, no shell
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    cwd=folder.absolute().parent,
                )
            self._children[folder] = child
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and child.poll() is None and not lock_holder(folder):
            time.sleep(0.02)
        if child.poll() not in (None, 0):
            raise ConfigError(self.last_words(folder) or f"it ended at once, with code {child.returncode}")
        return child.pid

    def send(self, folder: Path, verb: str) -> None:
        """Pause, resume or stop the process that crawls in a folder."""
        holder = lock_holder(folder)
        if not holder.isdecimal():
            msg = "it is not running"
            raise ConfigError(msg)
        if verb != "stop" and read_live(folder).get("pid") != int(holder):
            msg = "it is still starting, or was started by an older clew; try again in a moment"
            raise ConfigError(msg)
        try:
            os.kill(int(holder), SIGNALS[verb])
        except (ProcessLookupError, PermissionError) as error:
            msg = f"process {holder} cannot be reached: {error.strerror}"
            raise ConfigError(msg) from None

    def reap(self) -> None:
        """Take note of processes that ended."""
        with self._lock:
            for folder, child in list(self._children.items()):
                if child.poll() is not None:
                    del self._children[folder]

    def last_words(self, folder: Path, most: int = 5) -> str:
        """Return the last lines that a process printed."""
        try:
            with (folder / LOG_FILE).open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - 4_000))
                lines = file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            return ""
        return "\n".join(line.removeprefix("clew: ") for line in lines[-most:] if line.strip())
