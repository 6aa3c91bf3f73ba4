"""The file of a link classifier: what each token has led to, for people to read and for other crawls."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from clew.models import Model, Table, damaged, read_model, write_model
from clew.rank.evidence import Evidence, Floats

FILE = "links.tsv"
VERSION = 1
MOST = 50_000
"""Tokens that are written, those seen most often first: 2 MB."""

_COLUMNS = ("token", "family", "log-odds", "good", "seen", "leans on")
_ROUNDED = 0.01
_FAMILIES = frozenset({"page", "text", "address"})


def write_links(
    folder: Path,
    evidence: Evidence,
    counts: tuple[Floats, Floats],
    table: Floats,
    facts: Mapping[str, float],
) -> None:
    """Write tokens with their log-odds and counts into `folder`; facts are shares and weights by name."""
    good, seen = evidence.good + counts[0], evidence.seen + counts[1]
    met = np.array([at for at in evidence.names if seen[at] > 0], np.int64)
    rows = []
    for at in met[np.argsort(-seen[met], kind="stable")][:MOST].tolist():
        family, token = evidence.names[at]
        counted = f"{table[at]:.3f}", f"{good[at]:.3f}", f"{seen[at]:.3f}"
        rows.append((token, family, *counted, evidence.upper(at)))
    model = Model(
        name="links",
        version=VERSION,
        facts={name: f"{value:.4f}" for name, value in facts.items()},
        tables={"tokens": Table(_COLUMNS, rows)},
    )
    write_model(folder / FILE, model)


def read_links(folder: Path, evidence: Evidence, facts: Sequence[str]) -> list[float] | None:
    """Add the counts of a file to the evidence; return the facts asked for, None when there is no file."""
    path = folder / FILE
    model = read_model(path, "links", VERSION)
    if model is None:
        return None
    tokens = model.tables.get("tokens")
    if tokens is None or tuple(tokens.columns) != _COLUMNS:
        raise damaged(path, "it has no table of tokens")
    found = [_number(model.facts.get(name, "")) for name in facts]
    if not all(0 <= value <= 1 for value in found):
        raise damaged(path, "a share or a weight is missing")
    known = []
    for line, row in enumerate(tokens.rows, 1):
        token, family, _, good, seen, upper = (str(cell) for cell in row)
        liked, met = _number(good), _number(seen)
        if family not in _FAMILIES or not 0 <= liked <= met + _ROUNDED or not math.isfinite(met):
            raise damaged(path, f"token {line:,} makes no sense")
        known.append((family, token, upper, liked, met))
    for family, token, upper, liked, met in known:  # all or nothing
        at = evidence.meet(family, token, upper)
        evidence.good[at] += liked
        evidence.seen[at] += met
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
