"""The terminal: draw frames in place and read single keys.

`close` restores modes and cursor however a run ends; it is also called when Python exits, and before the
process is suspended with Ctrl-Z.
"""

import asyncio
import atexit
import os
import re
import select
import shutil
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable
from contextlib import suppress

from clew.cli.text_cells import encodable

_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"  # a wrong width must not wrap into a second line
SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?<]*[ -/]*[@-~]|O.)")  # arrows, function keys, the mouse
_READ_BYTES = 1024


def can_paint() -> bool:
    """Return whether standard output is a terminal with a movable cursor, and we are in its foreground."""
    try:
        fd = sys.stdout.fileno()
        return os.isatty(fd) and os.environ.get("TERM", "dumb") != "dumb" and _in_foreground(fd)
    except (OSError, ValueError, AttributeError):
        return False


def _in_foreground(fd: int) -> bool:
    """Return whether we are the foreground job: background jobs may not change terminal modes."""
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:  # not our controlling terminal, so there is no job control
        return True


class Terminal:
    """Draw on standard output and read keys from standard input, if they are terminals.

    `press` is called with each key: a character, `"enter"`, `"escape"` or `"backspace"`.
    """

    def __init__(self, press: Callable[[str], None]) -> None:
        self.press = press
        self._out = sys.stdout
        self._in = -1
        self._modes: list[object] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rows = 0
        self._size = (0, 0)
        self._active = False

    @property
    def has_keys(self) -> bool:
        """Whether keys are read."""
        return self._in >= 0

    def open(self) -> None:
        """Hide the cursor and read single keys; Ctrl-C and Ctrl-Z keep their meaning."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_signal_handler(signal.SIGTSTP, self._suspend)
        self._acquire()
        atexit.register(self.close)

    def _acquire(self) -> None:
        self._active, self._rows = True, 0
        self._start_reading()
        self._write(_HIDE)

    def _start_reading(self) -> None:
        try:
            fd = sys.stdin.fileno()
            if not (os.isatty(fd) and _in_foreground(fd)):
                return
            self._modes = termios.tcgetattr(fd)
            tty.setcbreak(fd, termios.TCSANOW)
        except (OSError, ValueError, AttributeError, termios.error):
            return
        self._in = fd
        if self._loop:
            self._loop.add_reader(fd, self._read)

    def close(self) -> None:
        """Restore cursor and modes; the last frame stays on the screen."""
        atexit.unregister(self.close)
        if self._loop and not self._loop.is_closed():
            self._loop.remove_signal_handler(signal.SIGTSTP)
        self._release()

    def _release(self) -> None:
        if not self._active:
            return
        self._active = False
        self._stop_reading()
        self._write(("\r\n" if self._rows else "") + _WRAP + _SHOW)

    def _stop_reading(self) -> None:
        if self._in < 0:
            return
        fd, self._in = self._in, -1
        if self._loop and not self._loop.is_closed():
            self._loop.remove_reader(fd)
        if self._modes and _in_foreground(fd):
            with suppress(termios.error):
                termios.tcsetattr(fd, termios.TCSANOW, self._modes)  # type: ignore[arg-type]

    def _suspend(self) -> None:
        """Restore the terminal and suspend the process; draw again when it is resumed."""
        self._release()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        # Sent to this thread, so that the process stops here and not some lines later.
        signal.pthread_kill(threading.get_ident(), signal.SIGTSTP)
        assert self._loop is not None, "a signal is handled only while the terminal is open"
        self._loop.add_signal_handler(signal.SIGTSTP, self._suspend)
        if _in_foreground(self._out.fileno()):
            self._acquire()

    def size(self) -> tuple[int, int]:
        """Return the current columns and rows."""
        with suppress(OSError):
            columns, rows = os.get_terminal_size(self._out.fileno())
            if columns and rows:
                return columns, rows
        columns, rows = shutil.get_terminal_size()
        return columns, rows

    def is_free(self) -> bool:
        """Return whether drawing would not block: we are in the foreground, and Ctrl-S is not active."""
        if not _in_foreground(self._out.fileno()):
            return False
        if not self._active:  # resumed in the foreground
            self._acquire()
        return bool(select.select([], [self._out], [], 0)[1])

    def paint(self, lines: list[str]) -> None:
        """Draw lines over the last frame; none may be wider than the terminal."""
        size = self.size()
        home = f"\x1b[{self._rows - 1}A\r" if self._rows > 1 else "\r"
        if self._size != size and self._rows:
            home = "\x1b[H\x1b[2J"  # lines were rewrapped: the position of the last frame is unknown
        elif len(lines) < self._rows:
            home += "\x1b[J"
        self._size, self._rows = size, len(lines)
        # Clear each line before writing: clearing afterwards would delete its last cell.
        body = "\r\n".join(f"\x1b[K{line}" for line in lines)
        self._write(f"{_NO_WRAP}{home}{body}{_WRAP}")

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # the terminal is gone; the run continues
            self._out.write(encodable(text, self._out.encoding))
            self._out.flush()

    def _read(self) -> None:
        try:
            typed = os.read(self._in, _READ_BYTES).decode("utf-8", "ignore")
        except OSError:
            typed = ""
        if not typed:  # the terminal was closed
            self._stop_reading()
        names = {"\r": "enter", "\n": "enter", "\x1b": "escape", "\x7f": "backspace", "\b": "backspace"}
        for key in SEQUENCE.sub("", typed):
            name = names.get(key, key)
            if len(name) > 1 or name.isprintable():
                self.press(name)
