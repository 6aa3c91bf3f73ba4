"""Every occurrence of a link with what it led to: the training rows of the paper's decision trees."""

import numpy as np

from clew import urls
from clew.rank.layout.anchor_signals import AnchorSignals
from clew.rank.layout.followed_links import TrainingRows
from clew.rank.layout.link_attributes import ATTRIBUTES, HostCounts, LinkAttributes
from clew.types import Hashes, Links, Outcome, Scores

RELEVANT = 0.5
"""The verdict from which a page counts as relevant."""


class LinkOccurrences:
    """Crawl breadth-first, and store the attributes of every link on every page.

    A link that occurs on ten pages gives ten rows, if its target was read: that is what the paper's trees
    learn from. The policy `layout` learns from each followed link once, with the attributes that let it be
    chosen.

    >>> from clew.testing import sample_outcome, sample_links
    >>> occurrences, source = LinkOccurrences(about="page"), sample_outcome()
    >>> occurrences.score(source, sample_links(2)).tolist()
    [0.5, 0.5]
    >>> len(occurrences.training_rows().relevant)
    0

    Reference: H. Tanaka, T. Suzuki, see `Layout`.
    """

    needs_layout = True
    """Positions x and y are used: pages must be rendered."""

    def __init__(self, *, about: str = "", judge: str = "") -> None:
        self.about = about
        self.judge = judge
        self._signals = AnchorSignals(about=about, judge=judge)
        self._links = LinkAttributes()
        self._rows: list[np.ndarray[tuple[int, int], np.dtype[np.float32]]] = []
        self._targets: list[Hashes] = []
        self._sources: list[int] = []
        self._hosts: list[int] = []
        self._relevant: dict[int, bool] = {}

    def score(self, source: Outcome, links: Links) -> Scores:
        """Store the links of a page; return the same score for each, so that the oldest comes first."""
        if len(links):
            signals = self._signals.match(links.anchors)
            self._rows.append(self._links.describe(source, links, signals, bool(signals.any())))
            self._targets.append(links.hashes.copy())
            self._sources += [source.page.link.id] * len(links)
            self._hosts += [self._links.hosts.of_origin(origin) for origin in links.origins]
        return np.full(len(links), 0.5, np.float32)

    def learn(self, outcome: Outcome) -> None:
        """Store whether a page was relevant, under its own URL and that of the link that led to it."""
        relevant = outcome.verdict.value >= RELEVANT
        for url in (outcome.page.url, outcome.page.link.url):
            self._relevant[urls.fingerprint(url)] = relevant
        self.hosts.count(urls.host(outcome.page.url), float(relevant))

    @property
    def hosts(self) -> HostCounts:
        """The pages of each host, and how many were relevant."""
        return self._links.hosts

    def training_rows(self) -> TrainingRows:
        """Return the occurrences whose targets were read."""
        if not self._rows:
            return TrainingRows.empty()
        rows, targets = np.concatenate(self._rows), np.concatenate(self._targets)
        known = np.array([target in self._relevant for target in targets.tolist()], bool)
        relevant = np.array([self._relevant.get(target, False) for target in targets.tolist()], bool)
        sources, hosts = np.array(self._sources, np.int64), np.array(self._hosts, np.int64)
        return TrainingRows(rows[known], relevant[known], sources[known], hosts[known])

    def correlation(self, first: str, second: str, *, right: bool = False) -> tuple[float, int]:
        """Return the correlation of two attributes over all occurrences, and their number.

        With `right` only links that are shown in the right fifth of the page count. NaN where one of the
        attributes has the same value everywhere.
        """
        names = [attribute.name for attribute in ATTRIBUTES]
        rows = np.concatenate(self._rows) if self._rows else np.empty((0, len(names)), np.float32)
        if right:
            rows = rows[rows[:, names.index("x")] >= 0.8]  # noqa: PLR2004 - as in the paper
        one, two = (rows[:, names.index(name)].astype(np.float64) for name in (first, second))
        if len(rows) < 2 or not one.std() or not two.std():  # noqa: PLR2004
            return float("nan"), len(rows)
        return float(np.corrcoef(one, two)[0, 1]), len(rows)
