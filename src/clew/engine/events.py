"""The channel between a crawl run, its services and its watchers: notices, wake-ups, a request to stop."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from clew.types import Notice

Listener = Callable[..., None]
"""Called with a text and the same as keyword facts."""


@dataclass(slots=True)
class Events:
    """Deliver notices to a listener, keep them until there is one, and wake the loop.

    >>> events = Events()
    >>> events.notify("3 pages", pages=3)
    >>> events.backlog()
    ['3 pages']
    """

    changed: asyncio.Event = field(default_factory=asyncio.Event)
    stopping: bool = False
    ending: str = ""
    _listener: Listener | None = None
    _backlog: list[str] = field(default_factory=list)

    def notify(self, text: str, **facts: object) -> None:
        """Tell the listener; without one, keep the text for the backlog."""
        if self._listener is None:
            self._backlog.append(text)
        else:
            self._listener(text, **facts)

    def publish(self, notice: Notice) -> None:
        """Tell the listener what a notice says."""
        self.notify(notice.text, **notice.facts)

    def subscribe(self, listener: Listener) -> None:
        """Deliver notices to this listener from now on; the backlog stays where it is."""
        self._listener = listener

    def backlog(self) -> list[str]:
        """Return what was said before anybody listened."""
        return list(self._backlog)

    def wake(self) -> None:
        """Let the loop look again for something to do."""
        self.changed.set()

    def stop(self, why: str = "") -> None:
        """Ask the run to end, for a reason in words; pages that are under way are finished first."""
        self.stopping, self.ending = True, self.ending or why
        self.changed.set()
