"""Run the program on a pseudo-terminal and answer its prompts."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CTRL_C, CTRL_D = "\x03", "\x04"
PATIENCE = 240
"""Seconds until a program that does not end is taken to hang: far more than a busy machine needs."""


def run_on_terminal(folder, *words, answers=(), **env) -> tuple[str, int]:
    """Run `clew` with these words; return what it showed, and its exit code.

    `answers` are pairs: text that a prompt ends with or has in it, and the keys to type at the prompt. A
    prompt ends with a blank and waits for input. Keys are typed when the program sleeps, so that it reads:
    Python notices a Ctrl-C between the prompt and the read only when the read has ended.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        command = [sys.executable, "-m", "clew", *map(str, words)]
        os.execve(sys.executable, command, {**os.environ, "TERM": "xterm", "COLUMNS": "100", **env})
    shown, at, left = b"", 0, list(answers)
    until = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < until:
            try:
                if select.select([terminal], [], [], 0.02)[0]:
                    shown += os.read(terminal, 65_536)
                    continue
            except OSError:  # the program has closed its end
                break
            if left and left[0][0].encode() in shown[at:] and shown.endswith(b" ") and is_sleeping(pid):
                at = len(shown)
                os.write(terminal, left.pop(0)[1].encode())
        else:
            os.kill(pid, signal.SIGKILL)
            pytest.fail(f"no end after {PATIENCE} s; it showed:\n{shown.decode('utf-8', 'replace')}")
    finally:
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
    return shown.decode("utf-8", "replace").replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)


def is_sleeping(pid: int) -> bool:
    """Return whether a process is blocked in a system call."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists():
        return stat.read_text().rpartition(")")[2].split()[0] == "S"
    state = subprocess.run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return state.stdout.startswith("S")
