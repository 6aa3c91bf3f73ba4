"""The model file of a link classifier: counts and log-odds of tokens, for people to read and other crawls."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from clew.domain.model_files import Model, ModelTable, damaged_model, read_model, write_model
from clew.rank.shared.link_tokens import BINS
from clew.rank.shared.token_stats import Floats, TokenStats
from clew.types import FeatureGroup, Weights

VERSION = 1
MAX_TOKENS = 200_000
"""Tokens that are written, those seen most often first: 10 MB at most."""

GROUP_KEYS = {
    "source page": "the page it stands on",
    "link text": "its link text",
    "URL": "its address",
    "tag path": "where on the page it stands",
    "crawl path": "the way that led there",
    "surroundings": "the words around it",
    "record table": "what the table says",
    "file type": "what kind of file it is",
}
"""The key of each feature group in model files, by its name: keys stay when a name changes."""

_COLUMNS = ("token", "family", "log-odds", "good", "seen", "leans on")
_COUNTED = ("term", "links")
_TOKENS = "tokens"
_SHARE, _BASE_RATE = "good pages", "any link"
DISPLAY_NAMES = {key: name for name, key in GROUP_KEYS.items()} | {
    _SHARE: "relevant pages", _BASE_RATE: "base rate", "good": "relevant", "leans on": "parent",
}  # fmt: skip
"""What keys and columns of the file are called on screen, in the words of `clew why`."""

_ROUNDED = 0.01
_FAMILIES = frozenset({"page", "text", "address", "place", "way", "host", "table", "file", "goal"})


def write_token_model(
    path: Path, stats: TokenStats, counts: tuple[Floats, Floats], weights: Weights, *, share: float,
    more: Mapping[str, Mapping[str, float]],
) -> None:  # fmt: skip
    """Write every token with its current log-odds and its counts; `share` is of relevant pages.

    `more` are further tables of counts, by their names.
    """
    relevant, seen = stats.relevant + counts[0], stats.seen + counts[1]
    table = weights.table
    ids = np.fromiter(stats.names, np.int64, len(stats.names))
    ids = ids[(seen[ids] > 0) | (table[ids] != 0)]
    ids = ids[np.argsort(-seen[ids], kind="stable")][:MAX_TOKENS]
    columns = map(str, table[ids]), relevant[ids].tolist(), seen[ids].tolist()
    rows = []
    for at, odds, relevant_pages, pages in zip(ids.tolist(), *columns, strict=True):
        family, token = stats.names[at]
        rows.append((token, family, odds, f"{relevant_pages:.3f}", f"{pages:.3f}", stats.parent(at)))
    facts = {_SHARE: f"{share:.4f}", _BASE_RATE: repr(weights.groups[0].offset)}
    facts |= {_key(group): repr(group.weight) for group in weights.groups}
    tables = {_TOKENS: ModelTable(_COLUMNS, rows)}
    tables |= {name: ModelTable(_COUNTED, list(counts.items())) for name, counts in more.items()}
    write_model(path, Model(name="links", version=VERSION, facts=facts, tables=tables))


def read_counts(path: Path) -> dict[str, dict[str, float]]:
    """Return the further tables of counts by their names; empty if there are none."""
    model = read_model(path, "links", VERSION)
    found = {}
    for name, table in model.tables.items() if model else ():
        if name != _TOKENS:
            numbers = {str(row[0]): _number(str(row[-1])) for row in table.rows}
            valid = all(0 <= number < math.inf for number in numbers.values())
            if tuple(table.columns) != _COUNTED or not valid:
                raise damaged_model(path, f"the table {name} makes no sense")
            found[name] = numbers
    return found


def read_token_model(
    path: Path, stats: TokenStats, groups: Sequence[FeatureGroup]
) -> tuple[Weights, float] | None:
    """Add the counts of a file to the statistics; return its weights and its share of relevant pages.

    A file may come from a crawl with another goal: groups missing in it start with their own weights,
    groups that are not asked for are left out, and all add up to one again. None when there is no file.
    """
    model = read_model(path, "links", VERSION)
    if model is None:
        return None
    facts = {name: _number(text) for name, text in model.facts.items()}
    share, offset = facts.pop(_SHARE, math.nan), facts.pop(_BASE_RATE, math.nan)
    in_range = all(0 <= value <= 1 for value in (share, *facts.values()))
    if not facts or not in_range or not math.isfinite(offset):
        raise damaged_model(path, "a share or a weight is missing")
    table = np.zeros(BINS, np.float32)
    for family, token, parent, odds, relevant, seen in _tokens(path, model):
        at = stats.register(family, token, parent)
        stats.relevant[at] += relevant
        stats.seen[at] += seen
        table[at] = odds
    weights = [facts.get(_key(group), group.weight) for group in groups]
    total = 1.0 if facts.keys() == {_key(group) for group in groups} else sum(weights)
    weighted = (
        replace(group, weight=weight / total, offset=offset)
        for group, weight in zip(groups, weights, strict=True)
    )
    return Weights(table=table, groups=tuple(weighted)), share


def _key(group: FeatureGroup) -> str:
    return GROUP_KEYS.get(group.name, group.name)


def _tokens(path: Path, model: Model) -> list[tuple[str, str, str, float, float, float]]:
    """Return the rows of the table, all of them valid."""
    tokens = model.tables.get(_TOKENS)
    if tokens is None or tuple(tokens.columns) != _COLUMNS:
        raise damaged_model(path, "it has no table of tokens")
    found = []
    for line, row in enumerate(tokens.rows, 1):
        token, family, odds, relevant, seen, parent = (str(cell) for cell in row)
        numbers = _number(odds), _number(relevant), _number(seen)
        valid = all(map(math.isfinite, numbers)) and 0 <= numbers[1] <= numbers[2] + _ROUNDED
        if family not in _FAMILIES or not valid:
            raise damaged_model(path, f"token {line:,} makes no sense")
        found.append((family, token, parent, *numbers))
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
