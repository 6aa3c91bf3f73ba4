"""Values for some of the links, stored in chunks, so that a commit writes only what has changed."""

import json
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar, cast

V = TypeVar("V", bound=tuple[object, ...])

CHUNK = 256
"""Ids that share a stored row: links found together change together."""


class LinkStates(Generic[V]):
    """A value for each of some links by id; `changed` and `restore` carry them over a restart.

    >>> states: LinkStates[tuple[int, int]] = LinkStates("example")
    >>> states.put(7, (1, 2))
    >>> rows = states.changed(); rows, states.changed()
    ({' example 0': '{"7": [1, 2]}'}, {})
    >>> again: LinkStates[tuple[int, int]] = LinkStates("example")
    >>> again.restore({**rows, "other": ""}), again.find(7)
    ({'other': ''}, (1, 2))
    """

    __slots__ = ("_changed", "_key", "_values")

    def __init__(self, name: str) -> None:
        self._key = f" {name} "
        self._values: dict[int, V] = {}
        self._changed: set[int] = set()

    def __len__(self) -> int:
        return len(self._values)

    def items(self) -> Iterator[tuple[int, V]]:
        """Yield the links and their values; they may be dropped meanwhile."""
        yield from list(self._values.items())

    def find(self, id: int) -> V | None:
        """Return the value of a link, if it has one."""
        return self._values.get(id)

    def put(self, id: int, value: V) -> None:
        """Set the value of a link."""
        self._values[id] = value
        self._changed.add(id // CHUNK)

    def drop(self, id: int) -> None:
        """Forget a link."""
        if self._values.pop(id, None) is not None:
            self._changed.add(id // CHUNK)

    def changed(self) -> dict[str, str]:
        """Return what changed since the last call, packed, by key."""
        chunks, self._changed = self._changed, set()
        rows = {}
        for chunk in chunks:
            ids = range(chunk * CHUNK, (chunk + 1) * CHUNK)
            rows[f"{self._key}{chunk}"] = json.dumps(
                {id: self._values[id] for id in ids if id in self._values}
            )
        return rows

    def restore(self, states: Mapping[str, str]) -> dict[str, str]:
        """Restore what `changed` returned; return the other states."""
        rest = {}
        for key, state in states.items():
            if key.startswith(self._key):
                values: dict[str, list[object]] = json.loads(state)
                self._values.update((int(id), cast("V", tuple(value))) for id, value in values.items())
            else:
                rest[key] = state
        return rest
