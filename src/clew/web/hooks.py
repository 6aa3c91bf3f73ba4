"""Web hooks: tell other programs when a crawl ends, gives a hint, or its disk runs low.

The addresses come from the command line of the server. They are sent JSON by POST; an address that does not
answer is tried once, and nothing waits for it.
"""

import json
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clew import config as configuration
from clew.errors import ClewError
from clew.insight.live_state import read_notes
from clew.insight.preflight.folder_check import lock_holder
from clew.store.folder import free_space
from clew.web.server_state import ServerState

EVERY = 2.0
TIMEOUT = 5.0
MEBIBYTE = 1 << 20
LOW = 2
"""Times `store.min_free` below which a disk is called low: at `min_free` itself the crawl stops."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - as in the library
        return None


@dataclass(slots=True)
class HookWatcher:
    """Look at all crawls every two seconds, in a thread, if there are hooks; reap processes in any case."""

    server: ServerState
    _stop: threading.Event = field(default_factory=threading.Event)
    _running: dict[Path, bool] = field(default_factory=dict)
    _noted: dict[Path, float] = field(default_factory=dict)
    _low: set[Path] = field(default_factory=set)

    def start(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._watch, daemon=True, name="hooks").start()

    def stop(self) -> None:
        """Stop watching."""
        self._stop.set()

    def _watch(self) -> None:
        began = time.time()
        while not self._stop.wait(EVERY):
            self.server.processes.reap()
            for name, folder in self.server.crawls.all().items() if self.server.hooks else ():
                for event in self.look(name, folder, began):
                    for url in self.server.hooks:
                        send(url, event)

    def look(self, name: str, folder: Path, began: float) -> list[dict[str, Any]]:
        """Return what has happened in a crawl since the last look."""
        events: list[dict[str, Any]] = []
        running, before = bool(lock_holder(folder)), self._running.get(folder)
        self._running[folder] = running
        for note in read_notes(folder, self._noted.get(folder, began)):
            self._noted[folder] = note["at"]
            kind = "end" if "ended" in note else "hint" if set(note) == {"at", "note"} else ""
            if kind:
                events.append({"event": kind, "crawl": name, **note})
        if before and not running and not any(event["event"] == "end" for event in events):
            events.append({"event": "end", "crawl": name, "at": time.time(), "note": "the process has ended"})
        if low := self._disk(name, folder):
            events.append(low)
        return events

    def _disk(self, name: str, folder: Path) -> dict[str, Any] | None:
        try:
            least = configuration.load_folder(folder).store.min_free * MEBIBYTE
            free = free_space(folder)
        except ClewError:
            return None
        if free >= LOW * least:
            self._low.discard(folder)
            return None
        if folder in self._low:
            return None
        self._low.add(folder)
        return {"event": "disk low", "crawl": name, "at": time.time(), "free": free, "stops_at": least}


def send(url: str, event: dict[str, Any]) -> bool:
    """Send an event to an address; return whether it was accepted."""
    data = json.dumps(event, default=str).encode()
    opener = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}))
    try:
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked at the start
            url, data, {"Content-Type": "application/json", "User-Agent": "clew"}, method="POST"
        )
        with opener.open(request, timeout=TIMEOUT) as answer:
            return bool(200 <= answer.status < 300)  # noqa: PLR2004
    except (OSError, ValueError):
        return False
