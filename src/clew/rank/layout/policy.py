"""Layout: a decision tree over where links stand, learned from what such links have led to."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.errors import ConfigError
from clew.rank.layout.anchor_signals import AnchorSignals
from clew.rank.layout.decision_tree import LEAF, Rules, Tree, grow
from clew.rank.layout.link_attributes import (
    ATTRIBUTES,
    NUMBER,
    OF_HOSTS,
    PAGE,
    PARTS,
    SETS,
    TEXT,
    Columns,
    LinkAttributes,
)
from clew.rank.layout.tree_file import SavedTree, read_tree, write_tree
from clew.rank.shared.link_index import grown
from clew.types import Hashes, Ids, Links, Outcome, Scores

GOOD = 0.5
"""The verdict from which a page counts as good."""

FEWEST = 3
"""Good pages before a tree is grown: from fewer nothing can be told."""

MOST = 50_000
"""Followed links that are learned from, the latest: half a second."""

STEP, LEAST = 0.1, 25
"""Learn again after a tenth more links were followed, and at least so many."""

UNKNOWN = 0.5
"""Score of every link before there is a tree: the oldest comes first."""

SIGN = 0.5
"""What a sign in the link text, and one in any of its page, add as long as no tree can be learned."""

ANY = "any link"
_CHUNK = 100_000


class Layout:
    """Ask where a link stands: menus, lists and footers of a web lead to the same things again and again.

    The first `start` links are followed breadth-first. From what they led to a decision tree in the manner
    of C4.5 is learned (see `tree`): does the link text name a place, or say a word of the goal (a1); does
    any link text of the page (a2); how far right and down does the link stand, counted from tables and tags
    (a3, a4); where would a browser show it, and in which part of the page; does it leave the host, and
    which share of its host's pages was good so far; what was its page judged. A link's score is
    p / (p + q), p the share of good pages behind such links and q that behind all: one half is a link like
    any other. The tree is learned again with every tenth page more, and all open links are scored anew.

    As long as fewer than three good pages were found, links whose text holds a sign come first (`Yokoji`).

    `attributes` is a set of them: `a1a2`, `+a3`, `+a4` and
    `all` are the paper's, `+css`, `+host` and `wide` add what it left for the future, `wider` the verdict
    on the page a link stands on. `binary` gives the paper's scores: 1 or 0, as most such links were, from a
    tree pruned as C4.5 does. `leaf` is how many links must stand on either side of a question, `support`
    from how many pages. `guarded` asks of link texts and places only what tells pages of one host from each
    other: else they stand for hosts, and those are learned by heart. With `learning=False` a tree that was
    loaded stays as it is.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Layout(about="page")
    >>> ranker.score(sample_outcome(), sample_links(2)).tolist()
    [0.5, 0.5]

    Reference: H. Tanaka, T. Suzuki, "A collection method of location-oriented Web documents that considers
    where hyperlinks are displayed" (in Japanese), Shibaura Institute of Technology, about 2007;
    J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993.
    """

    needs_layout = True
    """x and y are worth their price here: pages are laid out."""

    def __init__(
        self,
        *,
        about: str = "",
        judge: str = "",
        attributes: str = "wider",
        start: int = 100,
        binary: bool = False,
        leaf: int = 5,
        support: int = 3,
        guarded: bool = True,
        learning: bool = True,
    ) -> None:
        self.about = about
        self.judge = judge
        self.attributes = attributes
        self.start = start
        self.binary = binary
        self.leaf = leaf
        self.support = support
        self.guarded = guarded
        self.learning = learning
        self.learned = 0
        self._signs = AnchorSignals(about=about, judge=judge)
        self._links = LinkAttributes()
        self._rows = np.empty((0, len(ATTRIBUTES)), np.float32)  # links that were followed
        self._good = np.empty(0, bool)
        self._groups = np.empty(0, np.int64)
        self._hosts = np.empty(0, np.int64)
        self._followed, self._thought = 0, 0
        self._inherited: Tree | None = None
        self._tree: Tree | None = None
        self._shares: Columns = np.empty((0, 0), np.float32)

    # ---- what a link is worth ----------------------------------------------------------------------

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = self._scored(source, links).sum(axis=1, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return dict(zip((ANY, *PARTS), self._scored(source, links).T, strict=True))

    def _scored(self, source: Outcome, links: Links) -> Columns:
        """Remember the links of a page, and return what each part adds to their scores."""
        signs = self._signs.held(links.anchors)
        columns = self._links.described(source, links, signs, bool(signs.any()))
        parts = self._parts(columns)
        self._links.enter(source.page.link.id, links, columns, parts.sum(axis=1, dtype=np.float32))
        return parts

    def _parts(self, columns: Columns) -> Columns:
        if self._tree is None:
            parts = np.zeros((len(columns), 1 + len(PARTS)), np.float32)
            if self._followed < self.start:
                parts[:, 0] = UNKNOWN
            else:
                for name, part in (("a1", TEXT), ("a2", PAGE)):
                    parts[:, 1 + PARTS.index(part)] = SIGN * columns[:, NUMBER[name]]
            return parts
        return self._shares[self._tree.leaves(columns)]

    @property
    def tree(self) -> Tree | None:
        """The tree that holds now."""
        return self._tree

    def describe_links(self, source: Outcome, links: Links, siblings: Sequence[str] = ()) -> list[str]:
        """Say for each link which way it takes through the tree; `beside` are link texts of the same page."""
        tree = self._tree
        if tree is None:
            told = "too few good pages to learn from: first comes a link whose text"
            early = "no tree yet: the oldest link comes first"
            return [early if self._followed < self.start else f"{told} {self._signs.words}"] * len(links)
        signs = self._signs.held(links.anchors)
        columns = self._links.described(source, links, signs, bool(self._signs.held(siblings).any()))
        said = []
        for way in tree.paths(columns):
            steps = [self._step(tree, node, after) for node, after in pairwise(way)]
            good, seen = (f"{count[way[-1]]:,.0f}" for count in (tree.good, tree.seen))
            said.append(" → ".join([*steps, f"{good} of {seen} such links led to a good page"]))
        return said

    def _step(self, tree: Tree, node: int, after: int) -> str:
        attribute = ATTRIBUTES[int(tree.attribute[node])]
        above = after == tree.above[node]
        return attribute.said(above=above, limit=float(tree.limit[node]), sign=self._signs.words)

    # ---- what it led to ----------------------------------------------------------------------------

    def learn(self, outcome: Outcome) -> None:
        """Remember what a link led to, with what was known of it before."""
        page, good = outcome.page, outcome.verdict.value >= GOOD
        row = self._links.met.row(urls.fingerprint(page.url))
        if row >= 0 and not self._links.met.fetched[row]:
            self._follow(row, good)
        self._links.met.mark_fetched(urls.fingerprint(page.url))
        self._links.hosts.count(urls.host(page.url), float(good))

    def _follow(self, row: int, good: bool) -> None:
        at = self._followed
        if at == MOST:
            at = MOST // 2
            for column in (self._rows, self._good, self._groups, self._hosts):
                column[:at] = column[at:MOST].copy()
            self._thought = min(self._thought, at)
        self._followed = at + 1
        self._good, self._groups = grown(self._good, at + 1), grown(self._groups, at + 1)
        self._hosts = grown(self._hosts, at + 1)
        if len(self._rows) < len(self._good):
            more = np.zeros((len(self._good) - len(self._rows), len(ATTRIBUTES)), np.float32)
            self._rows = np.concatenate((self._rows, more))
        self._rows[at] = self._links.matrix(np.array([row]))[0]
        self._good[at], self._groups[at] = good, self._links.sources[row]
        self._hosts[at] = self._links.owners[row]

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if not self._due():
            return None
        self._thought = self._followed
        self.think()
        rows = self._links.met.unfetched_rows()
        for begin in range(0, len(rows), _CHUNK):
            some = rows[begin : begin + _CHUNK]
            self._links.told[some] = self._parts(self._links.matrix(some)).sum(axis=1, dtype=np.float32)
        return self._links.met.hashes[rows], self._links.told[rows]

    def _due(self) -> bool:
        """Tell whether there is enough to think again."""
        if not self.learning:
            return False
        if self._tree is None and self._followed < self.start:
            return False
        return self._followed - self._thought >= max(LEAST, STEP * self._thought) or (
            self._tree is None and self._followed == self.start
        )

    def think(self) -> None:
        """Grow a tree from the links that were followed, or count them in the one that was inherited."""
        rows, good = self._rows[: self._followed], self._good[: self._followed]
        if self._inherited is not None and self._followed < self._inherited.seen[0]:
            self._take(self._inherited.counted(rows, good))
        elif good.sum() >= FEWEST:
            self._take(self._grown(rows, good))

    def _grown(self, rows: Columns, good: NDArray[np.bool_]) -> Tree:
        used = self._used()
        prune = "errors" if self.binary else "bits"
        apart = [at for at, number in enumerate(used) if ATTRIBUTES[number].name not in OF_HOSTS]
        rules = Rules(
            leaf=self.leaf, support=self.support, prune=prune, apart=frozenset(apart if self.guarded else ())
        )
        tree = grow(
            rows[:, used], good, self._groups[: self._followed], rules, self._hosts[: self._followed]
        )  # fmt: skip
        asks = tree.attribute != LEAF
        tree.attribute[asks] = used[tree.attribute[asks]]
        return tree

    def _used(self) -> Ids:
        if self.attributes not in SETS:
            msg = (
                f'layout: there is no set of attributes "{self.attributes}"; choose one of {", ".join(SETS)}'
            )
            raise ConfigError(msg)
        return np.array([NUMBER[name] for name in SETS[self.attributes]], np.int64)

    def _take(self, tree: Tree) -> None:
        """Let a tree hold from now on; what each question on a way changes belongs to the part it asks of."""
        usual = tree.chances / (tree.chances + tree.chances[0])
        worth = (2 * tree.good > tree.seen).astype(float) if self.binary else usual
        shares = np.zeros((len(tree), 1 + len(PARTS)))
        shares[0, 0] = worth[0]
        for node in range(1, len(tree)):
            above = int(tree.parent[node])
            shares[node] = shares[above]
            part = 1 + PARTS.index(ATTRIBUTES[int(tree.attribute[above])].part)
            shares[node, part] += worth[node] - worth[above]
        self._tree, self._shares = tree, shares.astype(np.float32)
        self.learned += 1

    # ---- what outlives the run ---------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Write the tree into `tree.tsv`."""
        if self._tree is not None:
            write_tree(folder, SavedTree(self._tree, self._links.hosts, keep=not self.learning))

    def load(self, folder: Path) -> None:
        """Begin with the tree of another crawl, of this one before, or of a person."""
        known = read_tree(folder)
        if known is not None:
            self._inherited = known.tree
            self._links.hosts = known.hosts
            self.learning &= not known.keep
            self._take(known.tree)
            self.learned = 0
