"""Read and write the decision tree of `layout` as a text file that people can edit."""

import math
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clew.domain.text import printable
from clew.errors import ConfigError, StoreError
from clew.rank.layout.decision_tree import LEAF, Tree
from clew.rank.layout.link_attributes import ATTRIBUTES, NUMBER, HostCounts

FILE = "tree.tsv"
MAX_HOSTS = 5_000
"""Hosts that are written, those with most pages first."""

_HEAD = """\
# A decision tree over links. A link goes to "then" if its attribute is at most the limit, otherwise to
# "else"; a node without attribute is a leaf. "good" of its "links" led to a relevant page.
#   use auto  the tree is learned again while the crawl runs
#   use keep  it is used as written here
"""
_NODES = ("node", "asks", "at most", "then", "else", "good", "links")
_HOSTS = ("host", "good", "pages")
_ANSWER = "-"


@dataclass(frozen=True, slots=True)
class SavedTree:
    """A tree, the counts of hosts, and whether the user wants to keep the tree unchanged."""

    tree: Tree
    hosts: HostCounts
    keep: bool = False


def write_tree(folder: Path, saved: SavedTree) -> None:
    """Write a tree atomically: to a temporary file, then renamed."""
    tree, hosts, path = saved.tree, saved.hosts, folder / FILE
    lines = [f"use\t{'keep' if saved.keep else 'auto'}", "\t".join(_NODES)]
    for node in range(len(tree)):
        asks = int(tree.attribute[node])
        question = (_ANSWER,) * 4
        if asks != LEAF:
            at, then, other = tree.limit[node], tree.below[node] + 1, tree.above[node] + 1
            question = (ATTRIBUTES[asks].name, f"{at:.6g}", str(then), str(other))
        lines.append(
            "\t".join((str(node + 1), *question, f"{tree.relevant[node]:g}", f"{tree.seen[node]:g}"))
        )
    lines.append("\t".join(_HOSTS))
    for name in sorted(hosts.names, key=lambda name: (-hosts.seen[hosts.names[name]], name))[:MAX_HOSTS]:
        if hosts.seen[hosts.names[name]]:
            number = hosts.names[name]
            lines.append(f"{name}\t{hosts.relevant[number]:g}\t{hosts.seen[number]:g}")
    temporary = path.with_name(f".{FILE}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(_HEAD + "\n".join(lines) + "\n", "utf-8")
        temporary.replace(path)
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; free some space, or give yourself access to it"
        raise StoreError(msg) from None


def read_tree(folder: Path) -> SavedTree | None:
    """Read a tree; return None if there is no file, raise a `ConfigError` with the line if it is invalid."""
    path = folder / FILE
    try:
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; give yourself access to it"
        raise ConfigError(msg) from None
    except UnicodeDecodeError:
        raise _wrong(path, 1, "it is not UTF-8") from None
    nodes: list[tuple[int, list[str]]] = []
    hosts, keep, reading = HostCounts(), False, ""
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip() or line.startswith("#"):
            continue
        if cells[0] == "use" and cells[1:] in (["auto"], ["keep"]):
            keep = cells[1] == "keep"
        elif cells in (list(_NODES), list(_HOSTS)):
            reading = cells[0]
        elif reading == "node" and len(cells) == len(_NODES):
            nodes.append((number, cells))
        elif reading == "host" and len(cells) == len(_HOSTS) and _counts(*cells[1:]):
            hosts.count(cells[0], float(cells[1]), float(cells[2]))
        else:
            raise _wrong(path, number, "a cell is missing, or one too many")
    return SavedTree(_tree(path, nodes), hosts, keep)


def _tree(path: Path, nodes: list[tuple[int, list[str]]]) -> Tree:
    if not nodes:
        raise _wrong(path, 1, "it has no nodes")
    size = len(nodes)
    tree = Tree(
        np.full(size, LEAF, np.int16), np.zeros(size), np.zeros(size, np.int32), np.zeros(size, np.int32),
        np.zeros(size), np.zeros(size),
    )  # fmt: skip
    pointed: set[int] = set()
    for at, (line, (name, asks, limit, then, other, good, seen)) in enumerate(nodes):
        if name != str(at + 1):
            raise _wrong(path, line, f"nodes are numbered from 1 on; this one is number {at + 1}")
        if not _counts(good, seen):
            raise _wrong(path, line, "good and links are counts, and good is at most links")
        tree.relevant[at], tree.seen[at] = float(good), float(seen)
        if asks in ("", _ANSWER):
            continue
        if asks not in NUMBER:
            raise _wrong(
                path, line, f'there is no attribute "{printable(asks, 30)}"; known: {", ".join(NUMBER)}'
            )
        low, high = _node(then, at, size), _node(other, at, size)
        if not low or not high or low == high or {low, high} & pointed:
            raise _wrong(path, line, "then and else name two nodes further down, each named once")
        if not math.isfinite(_number(limit)):
            raise _wrong(path, line, f'the limit "{printable(limit, 30)}" is not a number')
        pointed |= {low, high}
        tree.attribute[at], tree.limit[at] = NUMBER[asks], float(limit)
        tree.below[at], tree.above[at] = low, high
    if len(pointed) != size - 1:
        raise _wrong(path, nodes[-1][0], "there are nodes that no other node leads to")
    return tree


def _node(cell: str, above: int, size: int) -> int:
    """Return the index of a node further down than `above`; 0 if the cell names none."""
    return int(cell) - 1 if cell.isdecimal() and above + 1 < int(cell) <= size else 0


def _counts(good: str, seen: str) -> bool:
    return 0 <= _number(good) <= _number(seen) < math.inf


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _wrong(path: Path, line: int, why: str) -> ConfigError:
    return ConfigError(f"{path}, line {line}: {why}; correct it, or delete the file to learn a new tree")


def format_tree(tree: Tree, sign: str) -> list[str]:
    """Return a tree as lines of text, each branch below its condition."""
    lines: list[str] = []

    def draw(node: int, indent: str) -> None:
        count = f"{tree.relevant[node]:,.0f} of {tree.seen[node]:,.0f}"
        if tree.attribute[node] == LEAF:
            alone = f"all links: {count}; no split improves on this"
            lines[-1:] = [f"{lines[-1]}: {count}"] if lines else [alone]
            return
        attribute = ATTRIBUTES[int(tree.attribute[node])]
        for above, after in ((False, tree.below[node]), (True, tree.above[node])):
            condition = attribute.describe(above=above, limit=float(tree.limit[node]), sign=sign)
            lines.append(f"{indent}{condition}")
            draw(int(after), f"{indent}    ")

    draw(0, "")
    return lines
