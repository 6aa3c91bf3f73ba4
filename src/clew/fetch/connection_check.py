"""Check a persistent connection before it is reused.

libcurl checks at most once a second whether an idle connection is still usable (since 8.22). In that
second a server may have closed it, or sent unrequested bytes, which would be taken for the next
response. So we check it ourselves, each time: 2 µs.
"""

import os
import select
import socket
from collections import OrderedDict
from typing import TypeAlias

Route: TypeAlias = tuple[str, int, int]
"""Address and port of the other side, and our port: names one connection."""


class ConnectionCheck:
    """The descriptors of connections, by their route; the `limit` most recently used are remembered."""

    def __init__(self, *, limit: int) -> None:
        self.limit = limit
        self._descriptors: OrderedDict[Route, int] = OrderedDict()

    def add(self, route: Route, descriptors: list[int]) -> None:
        """Remember which of the newly opened `descriptors` the connection uses."""
        for descriptor in descriptors:
            if _port(descriptor) == route[2]:
                self._descriptors[route] = descriptor
                self._descriptors.move_to_end(route)
        while len(self._descriptors) > self.limit:
            self._descriptors.popitem(last=False)

    def is_idle(self, route: Route) -> bool:
        """Return whether a connection is open and has no bytes to read, as it has to be between requests."""
        descriptor = self._descriptors.get(route)
        if descriptor is None:
            return False
        self._descriptors.move_to_end(route)
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        return not poller.poll(0)


def _port(descriptor: int) -> int:
    """Return our port of a socket; 0 when it was closed meanwhile, having lost the race to connect."""
    try:
        with socket.socket(fileno=os.dup(descriptor)) as twin:
            return int(twin.getsockname()[1])
    except OSError:
        return 0
