"""The terminal: paint a picture in place, read single keys, and give everything back as it was.

Whatever ends a run, `close` restores modes and cursor; it is also called when Python leaves, and before
the process is suspended with Ctrl-Z.
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
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"  # a width we guessed wrong must not become a second line
SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?<]*[ -/]*[@-~]|O.)")  # arrows, function keys, the mouse
_TYPED = 1024


def can_paint() -> bool:
    """Tell whether standard output is a terminal that can move its cursor, and is ours to paint on."""
    try:
        fd = sys.stdout.fileno()
        return os.isatty(fd) and os.environ.get("TERM", "dumb") != "dumb" and _is_ours(fd)
    except (OSError, ValueError, AttributeError):
        return False


def _is_ours(fd: int) -> bool:
    """Tell whether we stand in the foreground: a job in the background may not touch the modes."""
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:  # not our controlling terminal: then nobody else's either
        return True


class Terminal:
    """Paint on standard output and listen to standard input, if they are terminals.

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
        self._on = False

    @property
    def has_keys(self) -> bool:
        """Whether keys can be pressed."""
        return self._in >= 0

    def open(self) -> None:
        """Hide the cursor and listen to single keys; Ctrl-C and Ctrl-Z stay what they are."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_signal_handler(signal.SIGTSTP, self._suspend)
        self._take()
        atexit.register(self.close)

    def _take(self) -> None:
        self._on, self._rows = True, 0
        self._listen()
        self._write(_HIDE)

    def _listen(self) -> None:
        try:
            fd = sys.stdin.fileno()
            if not (os.isatty(fd) and _is_ours(fd)):
                return
            self._modes = termios.tcgetattr(fd)
            tty.setcbreak(fd, termios.TCSANOW)
        except (OSError, ValueError, AttributeError, termios.error):
            return
        self._in = fd
        if self._loop:
            self._loop.add_reader(fd, self._read)

    def close(self) -> None:
        """Give cursor and modes back; the last picture stays."""
        atexit.unregister(self.close)
        if self._loop and not self._loop.is_closed():
            self._loop.remove_signal_handler(signal.SIGTSTP)
        self._leave()

    def _leave(self) -> None:
        if not self._on:
            return
        self._on = False
        self._deafen()
        self._write(("\r\n" if self._rows else "") + _WRAP + _SHOW)

    def _deafen(self) -> None:
        if self._in < 0:
            return
        fd, self._in = self._in, -1
        if self._loop and not self._loop.is_closed():
            self._loop.remove_reader(fd)
        if self._modes and _is_ours(fd):
            with suppress(termios.error):
                termios.tcsetattr(fd, termios.TCSANOW, self._modes)  # type: ignore[arg-type]

    def _suspend(self) -> None:
        """Stop as Ctrl-Z asks, with the terminal as the shell wants it; go on when called back."""
        self._leave()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        # To this very thread: the process then stops here, and not after the next lines were run.
        signal.pthread_kill(threading.get_ident(), signal.SIGTSTP)
        assert self._loop is not None, "a signal is handled only while the terminal is open"
        self._loop.add_signal_handler(signal.SIGTSTP, self._suspend)
        if _is_ours(self._out.fileno()):
            self._take()

    def size(self) -> tuple[int, int]:
        """Return columns and rows, as they are now."""
        with suppress(OSError):
            columns, rows = os.get_terminal_size(self._out.fileno())
            if columns and rows:
                return columns, rows
        columns, rows = shutil.get_terminal_size()
        return columns, rows

    def is_free(self) -> bool:
        """Tell whether painting would not wait: we are in the foreground, and Ctrl-S holds nothing back."""
        if not _is_ours(self._out.fileno()):
            return False
        if not self._on:  # called back into the foreground
            self._take()
        return bool(select.select([], [self._out], [], 0)[1])

    def paint(self, lines: list[str]) -> None:
        """Paint lines over the picture before; nothing may be wider than the terminal."""
        size = self.size()
        home = f"\x1b[{self._rows - 1}A\r" if self._rows > 1 else "\r"
        if self._size != size and self._rows:
            home = "\x1b[H\x1b[2J"  # lines were wrapped anew: nobody knows where the old picture is
        elif len(lines) < self._rows:
            home += "\x1b[J"
        self._size, self._rows = size, len(lines)
        # Each line is cleared before it is written: cleared after, it would lose its last cell.
        body = "\r\n".join(f"\x1b[K{line}" for line in lines)
        self._write(f"{_NO_WRAP}{home}{body}{_WRAP}")

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # the terminal is gone; the run is not
            self._out.write(encodable(text, self._out.encoding))
            self._out.flush()

    def _read(self) -> None:
        try:
            typed = os.read(self._in, _TYPED).decode("utf-8", "ignore")
        except OSError:
            typed = ""
        if not typed:  # the terminal was closed
            self._deafen()
        names = {"\r": "enter", "\n": "enter", "\x1b": "escape", "\x7f": "backspace", "\b": "backspace"}
        for key in SEQUENCE.sub("", typed):
            name = names.get(key, key)
            if len(name) > 1 or name.isprintable():
                self.press(name)
