"""Layout: a decision tree over the positions of links, learned from the pages that links have led to."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from clew import urls
from clew.contracts.option_types import Count
from clew.errors import ConfigError
from clew.rank.layout.anchor_signals import AnchorSignals
from clew.rank.layout.decision_tree import LEAF, Tree, TreeParams, grow
from clew.rank.layout.followed_links import FollowedLinks, TrainingRows
from clew.rank.layout.link_attributes import (
    ATTRIBUTES,
    NUMBER,
    OF_HOSTS,
    PAGE,
    PARTS,
    SETS,
    TEXT,
    AttributeSet,
    Columns,
    LinkAttributes,
)
from clew.rank.layout.tree_file import SavedTree, read_tree, write_tree
from clew.types import Hashes, Ids, Links, Outcome, Scores

RELEVANT = 0.5
"""The verdict from which a page counts as relevant."""

MIN_RELEVANT = 3
"""Relevant pages before a tree is grown: fewer are too few to learn from."""

UNKNOWN = 0.5
"""Score of every link before there is a tree: the oldest comes first."""

SIGNAL = 0.5
"""What a signal in the link text, and one in any link text of its page, add until a tree can be learned."""

BASE = "base score"
_CHUNK = 100_000


class Layout:
    """Score links by their position on the page: menus, lists and footers of a site lead to similar pages.

    The first `start` links are followed breadth-first. From the results a decision tree in the manner of
    C4.5 is learned. Its attributes: whether the link text names a place or contains a word of the goal (a1);
    whether any link text of the page does (a2); how far right and down the link is, counted from tables and
    tags (a3, a4); where a browser would show it, and in which part of the page; whether it leaves the host,
    and which share of its host's pages was relevant so far; the verdict on its source page. The score of a
    link is p / (p + q), p the share of relevant pages among such links and q that among all: an average link
    scores one half. The tree is learned again with every tenth page more, and all open links are scored
    again.

    Until three relevant pages were found, links whose text has a signal come first (`Yokoji`).

    `attributes` names a set of attributes: `a1a2`, `+a3`, `+a4` and `all` are the paper's, `+css`, `+host`,
    `+names` (words of host names) and `wide` add what it left for future work, `wider` the verdict on the
    source page. `binary` gives the paper's scores: 1 or 0, the majority of such links, from a tree pruned
    as in C4.5. `leaf` is the minimum number of links on either side of a split, `support` the minimum
    number of pages they come from. `guarded` splits by link text and position only where that separates
    pages of the same host: otherwise these attributes stand for single hosts and the tree overfits. Without
    `learning` a loaded tree is not changed.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Layout(about="page")
    >>> ranker.score(sample_outcome(), sample_links(2)).tolist()
    [0.5, 0.5]

    Reference: H. Tanaka, T. Suzuki, "A collection method of location-oriented Web documents that considers
    where hyperlinks are displayed" (in Japanese), Shibaura Institute of Technology, about 2007;
    J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993.
    """

    needs_layout = True
    """Positions x and y are used: pages must be rendered."""

    def __init__(
        self,
        *,
        about: str = "",
        judge: str = "",
        attributes: AttributeSet = "wider",
        start: Count = 100,
        binary: bool = False,
        leaf: Count = 5,
        support: Count = 3,
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
        self._signals = AnchorSignals(about=about, judge=judge)
        self._links = LinkAttributes()
        self._followed = FollowedLinks()
        self._loaded: Tree | None = None
        self._tree: Tree | None = None
        self._shares: Columns = np.empty((0, 0), np.float32)

    # ---- scoring -----------------------------------------------------------------------------------

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = self._score_parts(source, links).sum(axis=1, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return dict(zip((BASE, *PARTS), self._score_parts(source, links).T, strict=True))

    def _score_parts(self, source: Outcome, links: Links) -> Columns:
        """Store the links of a page, and return what each part adds to their scores."""
        signals = self._signals.match(links.anchors)
        columns = self._links.describe(source, links, signals, bool(signals.any()))
        parts = self._parts(columns)
        self._links.add(source.page.link.id, links, columns, parts.sum(axis=1, dtype=np.float32))
        return parts

    def _parts(self, columns: Columns) -> Columns:
        if self._tree is None:
            parts = np.zeros((len(columns), 1 + len(PARTS)), np.float32)
            if len(self._followed) < self.start:
                parts[:, 0] = UNKNOWN
            else:
                for name, part in (("a1", TEXT), ("a2", PAGE)):
                    parts[:, 1 + PARTS.index(part)] = SIGNAL * columns[:, NUMBER[name]]
            return parts
        return self._shares[self._tree.leaves(columns)]

    @property
    def tree(self) -> Tree | None:
        """The tree in use; None before the first fit."""
        return self._tree

    @property
    def description(self) -> str:
        """What a link text with a signal does, in words."""
        return self._signals.description

    def describe_links(self, source: Outcome, links: Links, siblings: Sequence[str] = ()) -> list[str]:
        """Return for each link its path through the tree; `siblings` are link texts of the same page."""
        tree = self._tree
        if tree is None:
            early = "no tree yet: the oldest link comes first"
            few = f"too few relevant pages to learn from: first a link whose text {self._signals.description}"
            return [early if len(self._followed) < self.start else few] * len(links)
        signals = self._signals.match(links.anchors)
        columns = self._links.describe(source, links, signals, bool(self._signals.match(siblings).any()))
        descriptions = []
        for path in tree.paths(columns):
            steps = [self._describe_step(tree, node, after) for node, after in pairwise(path)]
            good, seen = (f"{count[path[-1]]:,.0f}" for count in (tree.relevant, tree.seen))
            descriptions.append(" → ".join([*steps, f"{good} of {seen} such links led to a relevant page"]))
        return descriptions

    def _describe_step(self, tree: Tree, node: int, after: int) -> str:
        attribute = ATTRIBUTES[int(tree.attribute[node])]
        above = after == tree.above[node]
        return attribute.describe(above=above, limit=float(tree.limit[node]), sign=self._signals.description)

    # ---- learning ----------------------------------------------------------------------------------

    def learn(self, outcome: Outcome) -> None:
        """Store whether a link led to a relevant page, with the attributes it had before."""
        page, relevant = outcome.page, outcome.verdict.value >= RELEVANT
        row = self._links.index.row(urls.fingerprint(page.url))
        if row >= 0 and not self._links.index.fetched[row]:
            self._followed.append(
                self._links.matrix(np.array([row]))[0],
                relevant=relevant,
                source=int(self._links.sources[row]),
                host=int(self._links.host_ids[row]),
            )
        self._links.index.mark_fetched(urls.fingerprint(page.url))
        self._links.hosts.count(urls.host(page.url), float(relevant))

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if not self._due():
            return None
        self._followed.mark_fitted()
        self.fit()
        rows = self._links.index.unfetched_rows()
        for begin in range(0, len(rows), _CHUNK):
            some = rows[begin : begin + _CHUNK]
            self._links.scores[some] = self._parts(self._links.matrix(some)).sum(axis=1, dtype=np.float32)
        return self._links.index.hashes[rows], self._links.scores[rows]

    def _due(self) -> bool:
        """Return whether there is enough new data to fit again."""
        if not self.learning:
            return False
        if self._tree is None and len(self._followed) < self.start:
            return False
        return self._followed.enough_new or (self._tree is None and len(self._followed) == self.start)

    def fit(self, occurrences: TrainingRows | None = None) -> None:
        """Grow a tree from the followed links, or add them to the counts of the tree that was loaded.

        `occurrences` are other links to grow it from: all those of a finished crawl (`LinkOccurrences`).
        """
        rows = self._followed.training_rows if occurrences is None else occurrences
        if occurrences is None and self._loaded is not None and len(self._followed) < self._loaded.seen[0]:
            self._use_tree(self._loaded.counted(rows.attributes, rows.relevant))
        elif rows.relevant.sum() >= MIN_RELEVANT:
            self._use_tree(self._grow(rows))

    def _grow(self, rows: TrainingRows) -> Tree:
        used = self._used()
        prune = "errors" if self.binary else "bits"
        apart = [at for at, number in enumerate(used) if ATTRIBUTES[number].name not in OF_HOSTS]
        params = TreeParams(
            leaf=self.leaf, support=self.support, prune=prune, apart=frozenset(apart if self.guarded else ())
        )
        tree = grow(rows.attributes[:, used], rows.relevant, rows.sources, params, rows.hosts)
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

    def _use_tree(self, tree: Tree) -> None:
        """Use a tree from now on; the change of score at each split belongs to the part of its attribute."""
        usual = tree.chances / (tree.chances + tree.chances[0])
        scores = (2 * tree.relevant > tree.seen).astype(float) if self.binary else usual
        shares = np.zeros((len(tree), 1 + len(PARTS)))
        shares[0, 0] = scores[0]
        for node in range(1, len(tree)):
            above = int(tree.parent[node])
            shares[node] = shares[above]
            part = 1 + PARTS.index(ATTRIBUTES[int(tree.attribute[above])].part)
            shares[node, part] += scores[node] - scores[above]
        self._tree, self._shares = tree, shares.astype(np.float32)
        self.learned += 1

    # ---- persistence -------------------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Write the tree into `tree.tsv`."""
        if self._tree is not None:
            write_tree(folder, SavedTree(self._tree, self._links.hosts, keep=not self.learning))

    def load(self, folder: Path) -> None:
        """Start with the tree of another crawl, of this one, or one written by hand."""
        saved = read_tree(folder)
        if saved is not None:
            self._loaded = saved.tree
            self._links.hosts = saved.hosts
            self.learning &= not saved.keep
            self._use_tree(saved.tree)
            self.learned = 0
