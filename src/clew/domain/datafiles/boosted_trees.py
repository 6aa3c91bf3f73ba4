"""Boosted trees in a readable file, and their evaluation.

They were grown with scikit-learn (`python -m bench.data_classifier`); to ask them takes no library. A tree is
a chain of questions "is this feature at most so much?" that ends in a number; the sum of all those numbers,
squeezed into 0 to 1, is the answer.
"""

from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path

from clew.domain.model_files import Model, ModelTable, damaged_model, read_model, write_model

FILE = Path(__file__).parent / "statistics.model"
NAME, VERSION = "statistical-files", 1
_NODES = ("tree", "node", "asks", "at most", "then", "else", "adds")
_LEAF = "-"


@dataclass(frozen=True, slots=True)
class Node:
    """A split, or a leaf (`feature` is -1) with the value that the tree adds."""

    feature: int = -1
    limit: float = 0.0
    then: int = 0
    other: int = 0
    adds: float = 0.0


@dataclass(frozen=True, slots=True)
class BoostedTrees:
    """Trees over named features, and the initial value of the sum."""

    features: tuple[str, ...]
    trees: tuple[tuple[Node, ...], ...]
    start: float = 0.0

    def chance(self, values: list[float]) -> float:
        """Return the probability for one row of features."""
        total = self.start
        for tree in self.trees:
            node = tree[0]
            while node.feature >= 0:
                node = tree[node.then if values[node.feature] <= node.limit else node.other]
            total += node.adds
        return 1 / (1 + exp(-max(-50.0, min(50.0, total))))


@cache
def shipped() -> BoostedTrees:
    """Return the trees that are part of the package."""
    trees = read_trees(FILE)
    assert trees is not None, "the file is part of the package"
    return trees


def read_trees(path: Path) -> BoostedTrees | None:
    """Read trees; None if there is no such file, a `ConfigError` if it is invalid."""
    model = read_model(path, NAME, VERSION)
    if model is None:
        return None
    try:
        features = tuple(row[0] for row in model.tables["features"].rows)
        trees: dict[int, list[Node]] = {}
        for row in model.tables["nodes"].rows:
            trees.setdefault(int(row[0]), []).append(_node([str(cell) for cell in row], features))
        ensemble = BoostedTrees(
            tuple(map(str, features)), tuple(map(tuple, trees.values())), float(model.facts["start"])
        )
    except (KeyError, ValueError, IndexError) as fault:
        raise damaged_model(path, f"{type(fault).__name__} in its tables") from None
    for tree in ensemble.trees:
        for at, node in enumerate(tree):
            if node.feature >= 0 and not at < min(node.then, node.other) <= max(node.then, node.other) < len(
                tree
            ):
                raise damaged_model(path, "a split leads backwards or out of the tree")
    return ensemble


def _node(cells: list[str], features: tuple[str | int | float, ...]) -> Node:
    if cells[2] == _LEAF:
        return Node(adds=float(cells[6]))
    return Node(features.index(cells[2]), float(cells[3]), int(cells[4]), int(cells[5]))


def write_trees(path: Path, trees: BoostedTrees, facts: dict[str, str]) -> None:
    """Write trees so that reading them gives the same values."""
    rows: list[tuple[str | int | float, ...]] = []
    for number, tree in enumerate(trees.trees):
        for at, node in enumerate(tree):
            if node.feature < 0:
                rows.append((number, at, *(_LEAF,) * 4, node.adds))
            else:
                asks = (trees.features[node.feature], node.limit, node.then, node.other)
                rows.append((number, at, *asks, _LEAF))
    tables = {
        "features": ModelTable(("name",), [(name,) for name in trees.features]),
        "nodes": ModelTable(_NODES, rows),
    }
    write_model(
        path, Model(name=NAME, version=VERSION, facts={**facts, "start": repr(trees.start)}, tables=tables)
    )
