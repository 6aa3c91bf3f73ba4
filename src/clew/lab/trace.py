"""A trace: what one trial fetched, in order, as columns, with all that is needed to measure it."""

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import ConfigError
from clew.types import Hashes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trace:
    """The pages of a trial in the order in which they were read; failures and redirects are not pages.

    Args:
        hashes: 64-bit hashes of the URLs.
        rows: their rows in the world, -1 for URLs outside it.
        grades: true grades, 0 to 1; examples have 0, and so has a page that was read before under
            another address.
        relevant: whether that makes them relevant.
        examples: pages that were given as examples: neither found nor missed.
        verdicts: verdicts of the judge; NaN where there was nothing to judge.
        scores: scores with which their links were taken.
        hosts: their origins, numbered in the order in which they appear.
        bytes: lengths of their bodies.
        status: status codes.
        seconds: CPU seconds of the trial when each was requested. The only column that differs between
            two trials with the same settings.
        gained: in trials with a table, rows found up to each page that are right, without the examples.
        table: rows that were accepted then; both are 0 where there is no table.
        facts: settings and counts. `failed` counts the links to pages that brought none, `requests` all
            requests. `relevant` and `pages` count the world, `reachable` and
            `relevant_reachable` what links lead to from this start (-1 where unknown).
    """

    hashes: Hashes
    rows: NDArray[np.int32]
    grades: NDArray[np.float32]
    relevant: NDArray[np.bool_]
    examples: NDArray[np.bool_]
    verdicts: NDArray[np.float32]
    scores: NDArray[np.float32]
    hosts: NDArray[np.int32]
    bytes: NDArray[np.int32]
    status: NDArray[np.int16]
    seconds: NDArray[np.float64]
    gained: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    table: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    facts: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.hashes)

    def same(self, other: "Trace") -> bool:
        """Tell whether two trials fetched the same, whatever time they took."""
        names = [each.name for each in fields(self) if each.name not in {"seconds", "facts"}]
        return self.facts == other.facts and all(
            np.array_equal(getattr(self, name), getattr(other, name), equal_nan=name == "verdicts")
            for name in names
        )

    def save(self, path: Path) -> None:
        """Write the trace to a file that numpy reads."""
        columns = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "facts"}
        with path.open("wb") as file:
            np.savez_compressed(file, facts=np.array(json.dumps(self.facts, ensure_ascii=False)), **columns)

    @classmethod
    def load(cls, path: Path) -> "Trace":
        """Read a trace back."""
        try:
            with np.load(path) as archive:
                columns = {name: archive[name] for name in archive.files}
            facts = json.loads(str(columns.pop("facts")))
            return cls(facts=facts, **columns)
        except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
            msg = f"{path} holds no trace: {error}; run the trial again"
            raise ConfigError(msg) from None
