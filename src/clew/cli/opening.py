"""Say that a crawl is being opened, where that takes long: it is large, or its settings have changed."""

import sys
import threading
import time
from pathlib import Path
from typing import Self

from clew.cli.screen import many
from clew.domain.text import printable
from clew.store.crawl_stats import count_pages, has_links

PATIENCE = 2.0
"""Seconds of silence before the first line."""

EVERY = {True: 1.0, False: 10.0}
"""Seconds between two lines, on a terminal and elsewhere."""


class OpeningProgress:
    """Write to standard error how long the opening of a crawl has taken; nothing if it is quick.

    Opening blocks the event loop, so that a thread does the writing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._write, name="opening", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """The crawl is open, or will not be."""
        self._ended.set()
        self._thread.join()

    def _write(self) -> None:
        began, on_terminal = time.monotonic(), sys.stderr.isatty()
        if self._ended.wait(PATIENCE):
            return
        pages = count_pages(self._folder).pages if has_links(self._folder) else 0
        what = f"opening {printable(str(self._folder))}, {many(pages, 'page')}"
        begin, end = ("\r", "\x1b[K") if on_terminal else ("", "\n")
        hint = " (longer after a change of the goal)" if pages else ""
        while True:
            passed = f": {time.monotonic() - began:.0f} s{hint}"
            sys.stderr.write(f"{begin}{what}{passed}{end}")
            sys.stderr.flush()
            if self._ended.wait(EVERY[on_terminal]):
                break
        if on_terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
