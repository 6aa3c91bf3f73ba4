"""Look at a kept connection before it is used again.

libcurl looks at most once a second whether an idle connection is still fit for use (since 8.22). In that
second a server may have closed it, or sent bytes nobody asked for, which would be taken for the next
answer. So we look ourselves, each time: 2 µs.
"""

import os
import select
import socket
from collections import OrderedDict
from typing import TypeAlias

Route: TypeAlias = tuple[str, int, int]
"""Address and port of the other side, and our port: names one connection."""


class ConnectionCheck:
    """The descriptors of connections, by their route; the `limit` used last are remembered."""

    def __init__(self, *, limit: int) -> None:
        self.limit = limit
        self._descriptors: OrderedDict[Route, int] = OrderedDict()

    def note(self, route: Route, descriptors: list[int]) -> None:
        """Remember which of the freshly opened `descriptors` the connection uses."""
        for descriptor in descriptors:
            if _port(descriptor) == route[2]:
                self._descriptors[route] = descriptor
                self._descriptors.move_to_end(route)
        while len(self._descriptors) > self.limit:
            self._descriptors.popitem(last=False)

    def quiet(self, route: Route) -> bool:
        """Tell whether a kept connection is open and silent, as it has to be between two requests."""
        descriptor = self._descriptors.get(route)
        if descriptor is None:
            return False
        self._descriptors.move_to_end(route)
        look = select.poll()
        look.register(descriptor, select.POLLIN)
        return not look.poll(0)


def _port(descriptor: int) -> int:
    """Return our port of a socket; 0 when it was closed meanwhile, having lost the race to connect."""
    try:
        with socket.socket(fileno=os.dup(descriptor)) as twin:
            return int(twin.getsockname()[1])
    except OSError:
        return 0
