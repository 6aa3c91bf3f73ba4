"""The file with all that judge and ranker have learned: arrays in `derived/learned.npz`.

The models in `models/` are for people and for other crawls: their numbers are rounded, and what is rare is
left out. With this file a crawl that was stopped goes on exactly as if it had not been. It is derived data:
if the crawl was killed, or if somebody else has changed `models/` since, the models are used instead.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from clew.domain.atomic_file import write_atomically
from clew.domain.learned_state import State, nested, packed, part, unpacked
from clew.domain.model_files import model_name

FILE = "learned.npz"
FACT = "learned"
"""The fact in the database that names the state with which its last commit agrees."""

_ABOUT = "about"


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedStates:
    """What the parts of an engine have learned up to one commit, by their names.

    `labels` are the labels that they were taught, `name` is that of the commit.
    """

    name: str
    states: Mapping[str, State]
    labels: Mapping[str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedFile:
    """Write and read that file; `made_by` names policy, judge and goal, `models` is the folder of models."""

    path: Path
    models: Path
    made_by: str

    def write(self, learned: LearnedStates) -> None:
        """Write a state, which holds as long as the models are as they are now."""
        about = {
            "made by": self.made_by, "name": learned.name, "labels": dict(learned.labels),
            "models": self._digests(), "parts": list(learned.states),
        }  # fmt: skip
        buffer = BytesIO()
        np.savez(buffer, allow_pickle=False, **nested(**learned.states), **{_ABOUT: packed(about)})
        write_atomically(self.path, buffer.getvalue())

    def read(self, name: str) -> LearnedStates | None:
        """Return the state of this name; None if there is none, or it does not hold any more."""
        try:
            with np.load(BytesIO(self.path.read_bytes()), allow_pickle=False) as file:
                arrays: dict[str, NDArray[Any]] = dict(file)
            about = unpacked(arrays.pop(_ABOUT))
            holds = about["made by"] == self.made_by and about["name"] == name
            if not holds or about["models"] != self._digests():
                return None
            states = {each: part(arrays, each) for each in about["parts"]}
            return LearnedStates(name=name, states=states, labels=about["labels"])
        except (OSError, ValueError, EOFError, KeyError, TypeError, BadZipFile):
            return None

    def _digests(self) -> dict[str, str]:
        files = [file for file in sorted(self.models.glob("*.tsv")) if model_name(file)]
        return {file.name: hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest() for file in files}
