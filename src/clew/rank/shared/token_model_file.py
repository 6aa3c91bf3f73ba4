"""The file of a link classifier: what each token has led to, for people to read and for other crawls."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from clew.domain.model_files import Model, ModelTable, damaged_model, read_model, write_model
from clew.rank.shared.link_tokens import BINS
from clew.rank.shared.token_stats import Floats, TokenStats
from clew.types import FeatureGroup, Weights

VERSION = 1
MOST = 200_000
"""Tokens that are written, those seen most often first: 10 MB at most."""

_COLUMNS = ("token", "family", "log-odds", "good", "seen", "leans on")
_ROUNDED = 0.01
_FAMILIES = frozenset({"page", "text", "address", "place", "way", "host", "table", "file"})


def write_links(
    path: Path, evidence: TokenStats, counts: tuple[Floats, Floats], weights: Weights, share: float
) -> None:
    """Write every token with its log-odds as they hold now, and its counts; `share` is of good pages."""
    good, seen = evidence.good + counts[0], evidence.seen + counts[1]
    table = weights.table
    met = np.array([at for at in evidence.names if seen[at] > 0 or table[at]], np.int64)
    rows = []
    for at in met[np.argsort(-seen[met], kind="stable")][:MOST].tolist():
        family, token = evidence.names[at]
        rows.append((token, family, str(table[at]), f"{good[at]:.3f}", f"{seen[at]:.3f}", evidence.upper(at)))
    first = weights.groups[0]
    facts = {"good pages": f"{share:.4f}", "any link": repr(first.offset)}
    facts |= {family.name: repr(family.weight) for family in weights.groups}
    model = Model(name="links", version=VERSION, facts=facts, tables={"tokens": ModelTable(_COLUMNS, rows)})
    write_model(path, model)


def read_links(
    path: Path, evidence: TokenStats, families: Sequence[FeatureGroup]
) -> tuple[Weights, float] | None:
    """Add the counts of a file to the evidence; return the weights that held and the share of good pages.

    A file may come from a crawl with another goal: families it does not know begin with their own weights,
    those that are not asked for are left out, and all add up to one again. None when there is no file.
    """
    model = read_model(path, "links", VERSION)
    if model is None:
        return None
    said = {name: _number(text) for name, text in model.facts.items()}
    share, offset = said.pop("good pages", math.nan), said.pop("any link", math.nan)
    if not said or not all(0 <= value <= 1 for value in (share, *said.values())) or not math.isfinite(offset):
        raise damaged_model(path, "a share or a weight is missing")
    table = np.zeros(BINS, np.float32)
    for family, token, upper, odds, liked, met in _tokens(path, model):
        at = evidence.meet(family, token, upper)
        evidence.good[at] += liked
        evidence.seen[at] += met
        table[at] = odds
    weights = [said.get(family.name, family.weight) for family in families]
    whole = 1.0 if said.keys() == {family.name for family in families} else sum(weights)
    made = (
        replace(family, weight=weight / whole, offset=offset)
        for family, weight in zip(families, weights, strict=True)
    )
    return Weights(table=table, groups=tuple(made)), share


def _tokens(path: Path, model: Model) -> list[tuple[str, str, str, float, float, float]]:
    """Return the rows of the table, all of them sound."""
    tokens = model.tables.get("tokens")
    if tokens is None or tuple(tokens.columns) != _COLUMNS:
        raise damaged_model(path, "it has no table of tokens")
    found = []
    for line, row in enumerate(tokens.rows, 1):
        token, family, odds, good, seen, upper = (str(cell) for cell in row)
        numbers = _number(odds), _number(good), _number(seen)
        sound = all(map(math.isfinite, numbers)) and 0 <= numbers[1] <= numbers[2] + _ROUNDED
        if family not in _FAMILIES or not sound:
            raise damaged_model(path, f"token {line:,} makes no sense")
        found.append((family, token, upper, *numbers))
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
