"""A decision tree in the manner of C4.5: questions with two answers, chosen by gain ratio, then pruned."""

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
"""The attribute of a node that asks nothing."""

SLACK = 1e-3
"""As in C4.5: an attribute competes by its ratio if its gain is the average one, or so little less."""

_CHANCE = 0.5 / math.log(2)  # bits that a question saves on average if it has nothing to do with the answer
_LOOKED_AT = 16  # best limits of an attribute that are asked for their support, before it is passed over


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a tree is grown.

    `leaf` is how many rows must stand on either side of a limit, `support` how many groups they must come
    from. `prune` is `errors` (C4.5: a subtree falls if a leaf is expected to make no more mistakes, both
    seen pessimistically at `confidence`), `bits` (a subtree falls if saying its questions takes more bits
    than they save) or `never`. `apart` are attributes whose questions must save their bits within
    hosts: those that merely tell hosts from each other are not asked.
    """

    leaf: int = 2
    support: int = 1
    prune: str = "errors"
    confidence: float = 0.25
    deepest: int = 20
    apart: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Tree:
    """Nodes as columns; node 0 is asked first, and the nodes below one stand behind it.

    A row goes to `below` if its value of `attribute` is at most `limit`, else to `above`; one without a
    value goes where more went. `good` and `seen` count the rows that came by.
    """

    attribute: NDArray[np.int16]
    limit: Floats
    below: NDArray[np.int32]
    above: NDArray[np.int32]
    good: Floats
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
        """Return the nodes that each row comes by, the first of all and its leaf included."""
        found = []
        for leaf in self.leaves(columns).tolist():
            way = [leaf]
            while way[-1]:
                way.append(int(self.parent[way[-1]]))
            found.append(way[::-1])
        return found

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """The node above each; that of the first is 0."""
        parent = np.zeros(len(self), np.int32)
        asks = np.flatnonzero(self.attribute != LEAF)
        parent[self.below[asks]] = asks
        parent[self.above[asks]] = asks
        return parent

    @cached_property
    def chances(self) -> Floats:
        """The share of good rows at each node, leaning on the node above as if that were two rows more.

        The first node leans on one half: Laplace's rule. With leaves leaning on one half a place hardly
        ever tried would beat one known to be good, wherever good pages are rare.
        """
        chances = np.full(len(self), 0.5)
        for node in range(len(self)):  # a node stands behind the one above it
            above = chances[self.parent[node]] if node else 0.5
            chances[node] = (self.good[node] + 2 * above) / (self.seen[node] + 2)
        return chances

    def counted(self, columns: Columns, good: NDArray[np.bool_]) -> "Tree":
        """Return the same questions, with more rows counted."""
        more_good, more_seen = self.good.copy(), self.seen.copy()
        at = self.leaves(columns)
        np.add.at(more_good, at, good)
        np.add.at(more_seen, at, 1)
        for node in range(len(self) - 1, -1, -1):
            if self.attribute[node] != LEAF:
                sides = [self.below[node], self.above[node]]
                more_good[node] = more_good[sides].sum()
                more_seen[node] = more_seen[sides].sum()
        return replace(self, good=more_good, seen=more_seen)


@dataclass(frozen=True, slots=True)
class Split:
    """A question: rows with `attribute` at most `limit` go one way, the rest the other."""

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
    rules: Rules | None = None,
    hosts: Rows | None = None,
) -> Tree:
    """Learn which values tell good rows from others; the same rows always give the same tree.

    `groups` and `hosts` are where rows come from and where they lead to, as numbers.

    >>> humidity = np.array([[85], [90], [95], [70], [70]], np.float32)
    >>> tree = grow(humidity, np.array([False, False, False, True, True]))
    >>> tree.limit[0].item(), tree.good.tolist(), tree.seen.tolist()
    (70.0, [2.0, 2.0, 0.0], [5.0, 2.0, 3.0])

    Reference: J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, and "Improved use of continuous
    attributes in C4.5", 1996 (a limit costs its bits). Other than there, a row without a value goes whole
    where more rows went, not in parts, and subtrees are replaced by leaves, never raised.
    """
    rules = rules or Rules()
    groups = np.arange(len(good)) if groups is None else groups
    hosts = np.zeros(len(good), np.int64) if hosts is None else hosts
    values = [np.unique(column[~np.isnan(column)]) for column in columns.T]
    root = _Node(int(good.sum()), len(good))
    waiting = [(root, np.arange(len(good)), 0)]
    while waiting:
        node, rows, depth = waiting.pop()
        if not 0 < node.good < node.seen or depth >= rules.deepest:
            continue
        split = best_split(columns[rows], good[rows], groups[rows], rules, hosts[rows])
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
    if rules.prune != "never" and root.split:
        _prune(root, rules, columns.shape[1])
    return _laid_out(root)


def best_split(
    columns: Columns, good: NDArray[np.bool_], groups: Rows, rules: Rules, hosts: Rows | None = None
) -> Split | None:
    """Return the question with the best gain ratio among those with at least the average gain."""
    found = [
        split
        for attribute in range(columns.shape[1])
        if (split := _best_limit(attribute, columns[:, attribute], good, groups, rules))
    ]
    if hosts is not None and rules.apart:
        price = math.log2(len(good)) + math.log2(columns.shape[1])
        found = [
            split
            for split in found
            if split.attribute not in rules.apart
            or within(columns[:, split.attribute] <= split.limit, good, hosts) > price
        ]
    if not found:
        return None
    average = sum(split.gain for split in found) / len(found)
    return max((split for split in found if split.gain >= average - SLACK), key=lambda split: split.ratio)


def _best_limit(
    attribute: int, column: Columns, good: NDArray[np.bool_], groups: Rows, rules: Rules
) -> Split | None:
    """Return the limit of one attribute with the best gain; None if no limit gains anything."""
    known = np.flatnonzero(~np.isnan(column))
    order = known[np.argsort(column[known], kind="stable")]
    values, liked, many = column[order], good[order], len(order)
    if many < 2 * rules.leaf or values[0] == values[-1]:
        return None
    cuts = np.flatnonzero(values[1:] > values[:-1]) + 1  # rows before the limit
    limits = len(cuts)
    cuts = cuts[(cuts >= rules.leaf) & (cuts <= many - rules.leaf)]
    if not len(cuts):
        return None
    before = np.cumsum(liked)[cuts - 1]
    total = int(liked.sum())
    kept = (cuts * entropy(before / cuts) + (many - cuts) * entropy((total - before) / (many - cuts))) / many
    share = many / len(column)
    gains = share * (entropy(total / many) - kept - math.log2(limits) / many)
    for at in np.argsort(-gains, kind="stable")[:_LOOKED_AT].tolist():
        cut = int(cuts[at])
        if gains[at] <= 0:
            return None
        if _supported(groups[order[:cut]], rules.support) and _supported(groups[order[cut:]], rules.support):
            parts = np.array([cut, many - cut, len(column) - many]) / len(column)
            told = -float(sum(part * math.log2(part) for part in parts.tolist() if part))
            middle = (float(values[cut - 1]) + float(values[cut])) / 2
            return Split(attribute, middle, float(gains[at]), float(gains[at]) / told)
    return None


def within(low: NDArray[np.bool_], good: NDArray[np.bool_], hosts: Rows) -> float:
    """Return how many bits a question saves within hosts, less what it would save by chance.

    A question that only tells one host from another saves none, however well it seems to tell pages apart.

    >>> hosts, low = np.array([1, 1, 1, 1, 2, 2, 2, 2]), np.array([True, True, True, True] + [False] * 4)
    >>> within(low, low, hosts), within(hosts % 2 == 0, np.arange(8) % 2 == 0, hosts)
    (0.0, 0.0)
    >>> round(within(np.arange(8) % 2 == 0, np.arange(8) % 2 == 0, hosts), 2)
    6.56
    """
    _, host = np.unique(hosts, return_inverse=True)
    seen = np.bincount(2 * host + low, minlength=2 * (int(host.max()) + 1)).reshape(-1, 2).astype(np.float64)
    liked = np.bincount(2 * host + low, good, minlength=seen.size).reshape(-1, 2)
    both = (seen > 0).all(axis=1)  # elsewhere it has only one answer
    seen, liked = seen[both], liked[both]
    whole = seen.sum(axis=1)
    before = whole * entropy(liked.sum(axis=1) / whole)
    after = (seen * entropy(liked / seen)).sum(axis=1)
    return float((before - after - _CHANCE * (before > 0)).sum())


def _supported(groups: Rows, least: int) -> bool:
    return least <= 1 or len(np.unique(groups)) >= least


def entropy(share: Floats | float) -> Floats:
    """Return the bits that one answer of yes or no takes, if that share of them is yes.

    >>> entropy(9 / 14).round(3).item()
    0.94
    """
    within = np.clip(np.asarray(share, np.float64), 1e-12, 1 - 1e-12)
    bits: Floats = -(within * np.log2(within) + (1 - within) * np.log2(1 - within))
    return np.where((np.asarray(share) <= 0) | (np.asarray(share) >= 1), 0.0, bits)


def more_errors(seen: float, errors: float, confidence: float) -> float:
    """Return how many errors more than those counted must be feared: the upper end of what chance allows.

    The binomial limit for no error, the normal one for more, in between a line: as C4.5 has it.

    >>> round(more_errors(6, 0, 0.25), 3), round(more_errors(9, 0, 0.25), 3)
    (1.238, 1.285)
    """
    if errors < 1:
        none: float = seen * (1 - confidence ** (1 / seen))
        return none if not errors else none + errors * (more_errors(seen, 1.0, confidence) - none)
    if errors + 0.5 >= seen:
        return max(0.0, seen - errors)
    z = NormalDist().inv_cdf(1 - confidence)
    share = (errors + 0.5) / seen
    spread = z * math.sqrt(share * (1 - share) / seen + z * z / (4 * seen * seen))
    most: float = (share + z * z / (2 * seen) + spread) / (1 + z * z / seen)
    return most * seen - errors


def _prune(node: _Node, rules: Rules, attributes: int) -> float:
    """Turn subtrees that are not worth their questions into leaves; return what is left to fear or to say."""
    if rules.prune == "errors":
        wrong = min(node.good, node.seen - node.good)
        alone, asking = wrong + more_errors(node.seen, wrong, rules.confidence), 0.0
    else:
        alone = node.seen * float(entropy(node.good / node.seen))
        asking = math.log2(node.seen) + math.log2(attributes)
    if node.below is None or node.above is None:
        return alone
    asked = asking + _prune(node.below, rules, attributes) + _prune(node.above, rules, attributes)
    if alone <= asked + (0.1 if rules.prune == "errors" else 0.0):  # C4.5 gives the leaf a tenth of an error
        node.split = node.below = node.above = None
        return alone
    return asked


def _laid_out(root: _Node) -> Tree:
    """Write nodes one behind the other, those below a node directly behind it."""
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
        good=np.array([node.good for node in nodes], np.float64),
        seen=np.array([node.seen for node in nodes], np.float64),
    )
