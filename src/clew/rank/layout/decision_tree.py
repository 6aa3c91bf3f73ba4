"""A decision tree in the manner of C4.5: binary splits, chosen by gain ratio, then pruned."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Columns = NDArray[np.float32]
Rows = NDArray[np.int64]

LEAF = -1
"""The attribute of a node without a split."""

SLACK = 1e-3
"""As in C4.5: an attribute competes by its ratio if its gain is the average one, or so little less."""

_CHANCE = 0.5 / math.log(2)  # bits that a split by an independent attribute saves on average
_MAX_TRIED = 16  # best limits of an attribute whose support is checked before it is given up


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeParams:
    """Parameters of growing a tree.

    `leaf` is the minimum number of rows on either side of a split, `support` the minimum number of groups
    they come from. `prune` is `errors` (C4.5: a subtree is replaced if a leaf is expected to make no more
    errors, both estimated pessimistically at `confidence`), `bits` (a subtree is replaced if its splits take
    more bits to encode than they save) or `never`. `apart` are attributes whose splits must save their bits
    within hosts: splits that merely separate hosts are not used.
    """

    leaf: int = 2
    support: int = 1
    prune: str = "errors"
    confidence: float = 0.25
    max_depth: int = 20
    apart: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Tree:
    """Nodes as columns; node 0 is the root, and children come after their parent.

    A row goes to `below` if its value of `attribute` is at most `limit`, otherwise to `above`; a row without
    a value goes where more rows went. `relevant` and `seen` count the rows of each node.
    """

    attribute: NDArray[np.int16]
    limit: Floats
    below: NDArray[np.int32]
    above: NDArray[np.int32]
    relevant: Floats
    seen: Floats

    def __len__(self) -> int:
        return len(self.attribute)

    def leaves(self, columns: Columns) -> Rows:
        """Return the leaf in which each row ends."""
        at = np.zeros(len(columns), np.int64)
        going = np.flatnonzero(self.attribute[at] != LEAF)
        while len(going):
            here = at[going]
            values = columns[going, self.attribute[here]]
            down = np.where(self.seen[self.below[here]] >= self.seen[self.above[here]], -np.inf, np.inf)
            values = np.where(np.isnan(values), down, values)
            at[going] = np.where(values <= self.limit[here], self.below[here], self.above[here])
            going = going[self.attribute[at[going]] != LEAF]
        return at

    def paths(self, columns: Columns) -> list[list[int]]:
        """Return the nodes on the path of each row, from the root to its leaf."""
        found = []
        for leaf in self.leaves(columns).tolist():
            path = [leaf]
            while path[-1]:
                path.append(int(self.parent[path[-1]]))
            found.append(path[::-1])
        return found

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """The parent of each node; that of the root is 0."""
        parent = np.zeros(len(self), np.int32)
        asks = np.flatnonzero(self.attribute != LEAF)
        parent[self.below[asks]] = asks
        parent[self.above[asks]] = asks
        return parent

    @cached_property
    def chances(self) -> Floats:
        """The share of relevant rows at each node, smoothed towards its parent, which counts as two rows.

        The root is smoothed towards one half: Laplace's rule. If leaves were, too, a position hardly ever
        tried would beat one known to be relevant wherever relevant pages are rare.
        """
        chances = np.full(len(self), 0.5)
        for node in range(len(self)):  # parents come first
            above = chances[self.parent[node]] if node else 0.5
            chances[node] = (self.relevant[node] + 2 * above) / (self.seen[node] + 2)
        return chances

    def counted(self, columns: Columns, relevant: NDArray[np.bool_]) -> "Tree":
        """Return the same splits, with more rows counted."""
        more_relevant, more_seen = self.relevant.copy(), self.seen.copy()
        at = self.leaves(columns)
        np.add.at(more_relevant, at, relevant)
        np.add.at(more_seen, at, 1)
        for node in range(len(self) - 1, -1, -1):
            if self.attribute[node] != LEAF:
                sides = [self.below[node], self.above[node]]
                more_relevant[node] = more_relevant[sides].sum()
                more_seen[node] = more_seen[sides].sum()
        return replace(self, relevant=more_relevant, seen=more_seen)


@dataclass(frozen=True, slots=True)
class Split:
    """A split: rows with `attribute` at most `limit` go one way, the rest the other."""

    attribute: int
    limit: float
    gain: float
    ratio: float


@dataclass(slots=True)
class _Node:
    good: int
    seen: int
    split: Split | None = None
    below: "_Node | None" = None
    above: "_Node | None" = None


def grow(
    columns: Columns,
    good: NDArray[np.bool_],
    groups: Rows | None = None,
    params: TreeParams | None = None,
    hosts: Rows | None = None,
) -> Tree:
    """Learn which values separate relevant rows from others; the same rows always give the same tree.

    `groups` are the pages that rows come from and `hosts` the hosts they lead to, as numbers.

    >>> humidity = np.array([[85], [90], [95], [70], [70]], np.float32)
    >>> tree = grow(humidity, np.array([False, False, False, True, True]))
    >>> tree.limit[0].item(), tree.relevant.tolist(), tree.seen.tolist()
    (70.0, [2.0, 2.0, 0.0], [5.0, 2.0, 3.0])

    Reference: J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, and "Improved use of continuous
    attributes in C4.5", 1996 (a limit costs its bits). Unlike there, a row without a value goes as a
    whole where more rows went, and subtrees are replaced by leaves, never raised.
    """
    params = params or TreeParams()
    groups = np.arange(len(good)) if groups is None else groups
    hosts = np.zeros(len(good), np.int64) if hosts is None else hosts
    values = [np.unique(column[~np.isnan(column)]) for column in columns.T]
    root = _Node(int(good.sum()), len(good))
    waiting = [(root, np.arange(len(good)), 0)]
    while waiting:
        node, rows, depth = waiting.pop()
        if not 0 < node.good < node.seen or depth >= params.max_depth:
            continue
        split = best_split(columns[rows], good[rows], groups[rows], params, hosts[rows])
        if split is None:
            continue
        known = values[split.attribute]  # as in C4.5, a limit is a value that occurs
        limit = float(known[np.searchsorted(known, np.float32(split.limit), side="right") - 1])
        column = columns[rows, split.attribute]
        down, none = column <= limit, np.isnan(column)
        if 2 * down.sum() >= (~none).sum():
            down |= none
        node.split = replace(split, limit=limit)
        low, high = rows[down], rows[~down]
        node.below, node.above = (_Node(int(good[some].sum()), len(some)) for some in (low, high))
        waiting += [(node.above, high, depth + 1), (node.below, low, depth + 1)]
    if params.prune != "never" and root.split:
        _prune(root, params, columns.shape[1])
    return _flatten(root)


def best_split(
    columns: Columns, good: NDArray[np.bool_], groups: Rows, params: TreeParams, hosts: Rows | None = None
) -> Split | None:
    """Return the split with the best gain ratio among those with at least the average gain."""
    found = [
        split
        for attribute in range(columns.shape[1])
        if (split := _best_limit(attribute, columns[:, attribute], good, groups, params))
    ]
    if hosts is not None and params.apart:
        price = math.log2(len(good)) + math.log2(columns.shape[1])
        found = [
            split
            for split in found
            if split.attribute not in params.apart
            or bits_within_hosts(columns[:, split.attribute] <= split.limit, good, hosts) > price
        ]
    if not found:
        return None
    average = sum(split.gain for split in found) / len(found)
    return max((split for split in found if split.gain >= average - SLACK), key=lambda split: split.ratio)


def _best_limit(
    attribute: int, column: Columns, good: NDArray[np.bool_], groups: Rows, params: TreeParams
) -> Split | None:
    """Return the limit of one attribute with the best gain; None if no limit gains anything."""
    known = np.flatnonzero(~np.isnan(column))
    order = known[np.argsort(column[known], kind="stable")]
    values, relevant, many = column[order], good[order], len(order)
    if many < 2 * params.leaf or values[0] == values[-1]:
        return None
    cuts = np.flatnonzero(values[1:] > values[:-1]) + 1  # rows before the limit
    limits = len(cuts)
    cuts = cuts[(cuts >= params.leaf) & (cuts <= many - params.leaf)]
    if not len(cuts):
        return None
    before = np.cumsum(relevant)[cuts - 1]
    total = int(relevant.sum())
    remaining = (
        cuts * entropy(before / cuts) + (many - cuts) * entropy((total - before) / (many - cuts))
    ) / many
    share = many / len(column)
    gains = share * (entropy(total / many) - remaining - math.log2(limits) / many)
    for at in np.argsort(-gains, kind="stable")[:_MAX_TRIED].tolist():
        cut = int(cuts[at])
        if gains[at] <= 0:
            return None
        if _supported(groups[order[:cut]], params.support) and _supported(
            groups[order[cut:]], params.support
        ):
            parts = np.array([cut, many - cut, len(column) - many]) / len(column)
            split_info = -float(sum(part * math.log2(part) for part in parts.tolist() if part))
            middle = (float(values[cut - 1]) + float(values[cut])) / 2
            return Split(attribute, middle, float(gains[at]), float(gains[at]) / split_info)
    return None


def bits_within_hosts(low: NDArray[np.bool_], good: NDArray[np.bool_], hosts: Rows) -> float:
    """Return how many bits a split saves within hosts, less what it would save by chance.

    A split that only separates hosts saves none, however well it seems to separate pages.

    >>> hosts, low = np.array([1, 1, 1, 1, 2, 2, 2, 2]), np.array([True, True, True, True] + [False] * 4)
    >>> bits_within_hosts(low, low, hosts), bits_within_hosts(hosts % 2 == 0, np.arange(8) % 2 == 0, hosts)
    (0.0, 0.0)
    >>> round(bits_within_hosts(np.arange(8) % 2 == 0, np.arange(8) % 2 == 0, hosts), 2)
    6.56
    """
    _, host = np.unique(hosts, return_inverse=True)
    seen = np.bincount(2 * host + low, minlength=2 * (int(host.max()) + 1)).reshape(-1, 2).astype(np.float64)
    relevant = np.bincount(2 * host + low, good, minlength=seen.size).reshape(-1, 2)
    both = (seen > 0).all(axis=1)  # elsewhere all rows are on one side
    seen, relevant = seen[both], relevant[both]
    whole = seen.sum(axis=1)
    before = whole * entropy(relevant.sum(axis=1) / whole)
    after = (seen * entropy(relevant / seen)).sum(axis=1)
    return float((before - after - _CHANCE * (before > 0)).sum())


def _supported(groups: Rows, least: int) -> bool:
    return least <= 1 or len(np.unique(groups)) >= least


def entropy(share: Floats | float) -> Floats:
    """Return the entropy in bits of a binary variable with this share of ones.

    >>> entropy(9 / 14).round(3).item()
    0.94
    """
    within = np.clip(np.asarray(share, np.float64), 1e-12, 1 - 1e-12)
    bits: Floats = -(within * np.log2(within) + (1 - within) * np.log2(1 - within))
    return np.where((np.asarray(share) <= 0) | (np.asarray(share) >= 1), 0.0, bits)


def extra_errors(seen: float, errors: float, confidence: float) -> float:
    """Return how many more errors than those counted to expect: the upper confidence limit.

    The binomial limit for no error, the normal one for more, interpolated in between: as in C4.5.

    >>> round(extra_errors(6, 0, 0.25), 3), round(extra_errors(9, 0, 0.25), 3)
    (1.238, 1.285)
    """
    if errors < 1:
        none: float = seen * (1 - confidence ** (1 / seen))
        return none if not errors else none + errors * (extra_errors(seen, 1.0, confidence) - none)
    if errors + 0.5 >= seen:
        return max(0.0, seen - errors)
    z = NormalDist().inv_cdf(1 - confidence)
    share = (errors + 0.5) / seen
    spread = z * math.sqrt(share * (1 - share) / seen + z * z / (4 * seen * seen))
    most: float = (share + z * z / (2 * seen) + spread) / (1 + z * z / seen)
    return most * seen - errors


def _prune(node: _Node, params: TreeParams, attributes: int) -> float:
    """Replace subtrees that are not worth their splits by leaves; return the errors or bits that are left."""
    if params.prune == "errors":
        wrong = min(node.good, node.seen - node.good)
        alone, asking = wrong + extra_errors(node.seen, wrong, params.confidence), 0.0
    else:
        alone = node.seen * float(entropy(node.good / node.seen))
        asking = math.log2(node.seen) + math.log2(attributes)
    if node.below is None or node.above is None:
        return alone
    asked = asking + _prune(node.below, params, attributes) + _prune(node.above, params, attributes)
    if alone <= asked + (0.1 if params.prune == "errors" else 0.0):  # C4.5 gives the leaf a tenth of an error
        node.split = node.below = node.above = None
        return alone
    return asked


def _flatten(root: _Node) -> Tree:
    """Return the nodes as columns, in depth-first order."""
    nodes, waiting = list[_Node](), [root]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if node.below is not None and node.above is not None:
            waiting += [node.above, node.below]
    number = {id(node): at for at, node in enumerate(nodes)}
    return Tree(
        attribute=np.array([node.split.attribute if node.split else LEAF for node in nodes], np.int16),
        limit=np.array([node.split.limit if node.split else 0.0 for node in nodes], np.float64),
        below=np.array([number.get(id(node.below), 0) for node in nodes], np.int32),
        above=np.array([number.get(id(node.above), 0) for node in nodes], np.int32),
        relevant=np.array([node.good for node in nodes], np.float64),
        seen=np.array([node.seen for node in nodes], np.float64),
    )
