"""The file of a decision tree over links: for people to read and to change, and for other crawls."""

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
MOST = 5_000
"""Hosts that are written, those with most pages first."""

_HEAD = """\
# Where links to good pages stand: a tree of questions. A link goes to "then" if its number is at most the
# limit, else to "else"; a node that asks nothing answers: so many of so many links led to a good page.
#   use auto  the tree is learned again while the crawl goes on
#   use keep  it stays as it is written here
"""
_NODES = ("node", "asks", "at most", "then", "else", "good", "links")
_HOSTS = ("host", "good", "pages")
_ANSWER = "-"


@dataclass(frozen=True, slots=True)
class SavedTree:
    """A tree, what hosts gave, and whether the person wants to keep it as it is."""

    tree: Tree
    hosts: HostCounts
    keep: bool = False


def write_tree(folder: Path, learned: SavedTree) -> None:
    """Write a tree beside its place and move it there when it is whole."""
    tree, hosts, path = learned.tree, learned.hosts, folder / FILE
    lines = [f"use\t{'keep' if learned.keep else 'auto'}", "\t".join(_NODES)]
    for node in range(len(tree)):
        asks = int(tree.attribute[node])
        question = (_ANSWER,) * 4
        if asks != LEAF:
            at, then, other = tree.limit[node], tree.below[node] + 1, tree.above[node] + 1
            question = (ATTRIBUTES[asks].name, f"{at:.6g}", str(then), str(other))
        lines.append("\t".join((str(node + 1), *question, f"{tree.good[node]:g}", f"{tree.seen[node]:g}")))
    lines.append("\t".join(_HOSTS))
    for name in sorted(hosts.names, key=lambda name: (-hosts.seen[hosts.names[name]], name))[:MOST]:
        if hosts.seen[hosts.names[name]]:
            number = hosts.names[name]
            lines.append(f"{name}\t{hosts.good[number]:g}\t{hosts.seen[number]:g}")
    half = path.with_name(f".{FILE}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(_HEAD + "\n".join(lines) + "\n", "utf-8")
        half.replace(path)
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; free some space, or give yourself access to it"
        raise StoreError(msg) from None


def read_tree(folder: Path) -> SavedTree | None:
    """Read a tree; None when there is no file, a `ConfigError` that names the line if it makes no sense."""
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
            raise _wrong(path, line, "good and links are counts, and no more are good than there are links")
        tree.good[at], tree.seen[at] = float(good), float(seen)
        if asks in ("", _ANSWER):
            continue
        if asks not in NUMBER:
            raise _wrong(
                path, line, f'nothing is known as "{printable(asks, 30)}"; known: {", ".join(NUMBER)}'
            )
        low, high = _node(then, at, size), _node(other, at, size)
        if not low or not high or low == high or {low, high} & pointed:
            raise _wrong(path, line, "then and else name two nodes further down, each named once")
        if not math.isfinite(_number(limit)):
            raise _wrong(path, line, f'the limit "{printable(limit, 30)}" is no number')
        pointed |= {low, high}
        tree.attribute[at], tree.limit[at] = NUMBER[asks], float(limit)
        tree.below[at], tree.above[at] = low, high
    if len(pointed) != size - 1:
        raise _wrong(path, nodes[-1][0], "there are nodes that no question leads to")
    return tree


def _node(cell: str, above: int, size: int) -> int:
    """Return the number of a node that stands behind another; 0 if there is none."""
    return int(cell) - 1 if cell.isdecimal() and above + 1 < int(cell) <= size else 0


def _counts(good: str, seen: str) -> bool:
    return 0 <= _number(good) <= _number(seen) < math.inf


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _wrong(path: Path, line: int, why: str) -> ConfigError:
    return ConfigError(f"{path}, line {line}: {why}; mend it, or delete the file to learn anew")


def drawn(tree: Tree, sign: str) -> list[str]:
    """Return a tree as lines of text, answers below their questions."""
    lines: list[str] = []

    def draw(node: int, indent: str) -> None:
        count = f"{tree.good[node]:,.0f} of {tree.seen[node]:,.0f}"
        if tree.attribute[node] == LEAF:
            alone = f"any link: {count}; no question tells more"
            lines[-1:] = [f"{lines[-1]}: {count}"] if lines else [alone]
            return
        attribute = ATTRIBUTES[int(tree.attribute[node])]
        for above, after in ((False, tree.below[node]), (True, tree.above[node])):
            said = attribute.said(above=above, limit=float(tree.limit[node]), sign=sign)
            lines.append(f"{indent}{said}")
            draw(int(after), f"{indent}    ")

    draw(0, "")
    return lines
