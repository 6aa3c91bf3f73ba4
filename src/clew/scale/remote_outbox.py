"""Read the outbox of a shard on another machine: the same positions as in a folder, over HTTP."""

import http.client
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

from clew.scale.coordinator import Coordinator
from clew.scale.link_server import PATH
from clew.scale.outbox_format import unpack_rows
from clew.store.outbox import SentLinks, to_sent

TIMEOUT = 3.0
"""Seconds that another machine may take to answer."""

REST = 2.0
"""Seconds for which a shard that did not answer is left alone."""


class LinkOutbox(Protocol):
    """What a shard has found for another one. All calls come from one thread.

    `read` returns some links after a position, and up to which position there are no more. One that cannot
    be reached at the moment has nothing new.
    """

    def read(self, after: int) -> tuple[list[SentLinks], int]: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class ShardAddresses:
    """Where shards let others read their links, as the coordinator knows it; one without a lease is away."""

    coordinator: Coordinator
    seconds: float = 1.0
    clock: Callable[[], float] = time.monotonic
    _known: dict[int, str] = field(default_factory=dict)
    _asked: float = float("-inf")

    def find(self, shard: int) -> str:
        """Return the address of a shard, empty if it has none; at most `seconds` old."""
        if self.clock() >= self._asked + self.seconds:
            self._known = {state.shard: state.address for state in self.coordinator.states() if state.left}
            self._asked = self.clock()
        return self._known.get(shard, "")


@dataclass(slots=True, kw_only=True)
class RemoteOutbox:
    """Ask the owner of shard `sender` for the links that it has found for shard `receiver`."""

    sender: int
    receiver: int
    addresses: ShardAddresses
    token: str
    clock: Callable[[], float] = time.monotonic
    _connection: http.client.HTTPConnection | None = None
    _rests_until: float = float("-inf")

    def read(self, after: int) -> tuple[list[SentLinks], int]:
        """Return some links after a position, none while the other shard does not answer."""
        if self.clock() < self._rests_until:
            return [], after
        try:
            status, body = self._ask(after)
        except (OSError, http.client.HTTPException):
            self._rest()
            return [], after
        if status != HTTPStatus.OK:
            self._rest()
            return [], after
        rows = unpack_rows(body)
        return to_sent(rows), rows.upto

    def _ask(self, after: int) -> tuple[int, bytes]:
        if self._connection is None:
            if not (address := self.addresses.find(self.sender)):
                return HTTPStatus.NOT_FOUND, b""
            self._connection = http.client.HTTPConnection(address, timeout=TIMEOUT)
        headers = {"Authorization": f"Bearer {self.token}"}
        self._connection.request("GET", f"{PATH}?shard={self.receiver}&after={after}", headers=headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def _rest(self) -> None:
        """Ask for the address again after a while: a shard may have moved."""
        self.close()
        self._rests_until = self.clock() + REST

    def close(self) -> None:
        """Close the connection."""
        if self._connection:
            self._connection.close()
            self._connection = None
