"""Pack what a judge or ranker has learned into named arrays, and take it apart again."""

import json
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

State: TypeAlias = dict[str, NDArray[Any]]
StateRead: TypeAlias = Mapping[str, NDArray[Any]]


class Stateful(Protocol):
    """A part that can be taken apart and put together again."""

    def learned_state(self) -> State: ...

    def restore_state(self, state: StateRead) -> None: ...


def states_of(parts: Mapping[str, Stateful]) -> State:
    """Return the states of several parts as one."""
    return nested(**{name: each.learned_state() for name, each in parts.items()})


def restore_parts(parts: Mapping[str, Stateful], state: StateRead) -> None:
    """Let each part continue with its own."""
    for name, each in parts.items():
        each.restore_state(part(state, name))


def nested(**states: StateRead) -> State:
    """Return the arrays of several parts as one state; `part` takes them apart.

    >>> sorted(nested(stats={"seen": np.zeros(1)}, pages={"ids": np.zeros(2)}))
    ['pages.ids', 'stats.seen']
    """
    return {f"{name}.{key}": column for name, state in states.items() for key, column in state.items()}


def part(state: StateRead, name: str) -> State:
    """Return the arrays of one part."""
    return {key[len(name) + 1 :]: column for key, column in state.items() if key.startswith(f"{name}.")}


def packed(value: object) -> NDArray[np.uint8]:
    """Return plain values (what JSON can hold) as an array of bytes.

    >>> unpacked(packed({"step": 2, "pages": ["a", "b"]}))
    {'step': 2, 'pages': ['a', 'b']}
    """
    return np.frombuffer(json.dumps(value, separators=(",", ":")).encode(), np.uint8)


def unpacked(array: NDArray[Any]) -> Any:  # noqa: ANN401 - whatever was packed
    """Return the values that were packed."""
    return json.loads(array.tobytes())


def sparse(column: NDArray[Any]) -> State:
    """Return a column that is mostly zero by the places and values of the rest.

    >>> dense(sparse(np.array([0, 3, 0], np.uint8)), np.zeros(3, np.uint8)).tolist()
    [0, 3, 0]
    """
    at = np.flatnonzero(column)
    return {"at": at.astype(np.uint32), "value": column[at]}


def dense(state: StateRead, column: NDArray[Any]) -> NDArray[Any]:
    """Write such a column into the place of another one, which is returned."""
    column[:] = 0
    column[state["at"]] = state["value"]
    return column
