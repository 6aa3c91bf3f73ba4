"""What a new link is worth in a refresh: the share of relevant pages where it was found and where it leads.

A policy orders the links of a crawl; its scores are no probabilities, and cannot be compared with what a
visit to a known page is expected to bring. These can: both are expected numbers of new relevant pages.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from clew.contracts import PageHistory
from clew.types import Kind, Scores

POLICY = 0.02
"""Part of the score that comes from the policy: it decides between links that are worth the same."""

_EVEN = 0.5
"""Expected numbers above this are squeezed below one."""


def worth_score(expected: NDArray[np.float64]) -> Scores:
    """Return an expected number of new relevant pages as a score from 0 to 1, in the same order.

    >>> worth_score(np.array([0.0, 0.2, 0.5, 1.0, 10.0])).round(3).tolist()
    [0.0, 0.20000000298023224, 0.5, 0.75, 0.9750000238418579]
    """
    squeezed = 1 - _EVEN**2 / np.maximum(expected, _EVEN)
    return np.where(expected < _EVEN, expected, squeezed).astype(np.float32)


@dataclass(slots=True)
class RelevantShare:
    """How many pages were read, and how many of them were relevant."""

    read: int = 0
    relevant: int = 0

    def drawn(self, prior: float) -> float:
        """Return the share, drawn towards a prior that counts for one page."""
        return (prior + self.relevant) / (1 + self.read)


@dataclass(slots=True)
class LinkWorth:
    """Count relevant pages by host, by folder and by the page that links to them; value new links by that.

    It learns from every page that is read, so what a refresh finds first decides what it follows next. A
    change of a relevant page is worth `changed` new ones.

    >>> worth = LinkWorth()
    >>> for number in range(8):
    ...     worth.learn(f"http://a/good/{number}", 1, relevant=True)
    ...     worth.learn(f"http://a/poor/{number}", 2, relevant=False)
    >>> worth.value("http://a/good/9", 1) > 0.9, worth.value("http://a/poor/9", 2) < 0.1
    (True, True)
    """

    changed: float = 0.1
    everywhere: RelevantShare = field(default_factory=lambda: RelevantShare(2, 1))
    _groups: defaultdict[str, RelevantShare] = field(default_factory=lambda: defaultdict(RelevantShare))
    _children: defaultdict[int, RelevantShare] = field(default_factory=lambda: defaultdict(RelevantShare))

    def restore(self, history: PageHistory) -> None:
        """Count what is stored."""
        for url, kind, relevant in zip(
            history.urls, history.kinds.tolist(), history.relevant.tolist(), strict=True
        ):
            if kind == Kind.PAGE:
                self._count(url, 1, int(relevant))
        counts = zip(history.ids.tolist(), history.read.tolist(), history.hits.tolist(), strict=True)
        self._children.update({id: RelevantShare(read, hits) for id, read, hits in counts if read})

    def learn(self, url: str, parent: int, *, relevant: bool, before: bool | None = None) -> None:
        """Count a page that was read, or read again: `before` says whether it was relevant then."""
        new, hits = int(before is None), int(relevant) - int(before or False)
        self._count(url, new, hits)
        if parent:
            _add(self._children[parent], new, hits)

    def value(self, url: str, parent: int) -> float:
        """Return the chance that a new link leads to a relevant page; `parent` is 0 for feeds, sitemaps."""
        share = self.everywhere.relevant / self.everywhere.read
        for name in _groups(url):
            share = self._groups[name].drawn(share) if name in self._groups else share
        return self._children[parent].drawn(share) if parent in self._children else share

    def scores(self, urls: Sequence[str], parent: int, policy: Scores) -> Scores:
        """Return the scores of the links of a page; the policy decides between equals."""
        chances = np.array([self.value(url, parent) for url in urls], np.float64)
        return worth_score((1 - POLICY) * chances + POLICY * policy)

    def change_score(self, id: int, verdict: float) -> float:
        """Return the score of a visit to a page that has changed; `verdict` is 0 if it is not relevant.

        A list that has changed is expected to have one new link.
        """
        links = self._children[id].drawn(0.0) if id in self._children else 0.0
        return float(worth_score(np.array([links + self.changed * verdict]))[0])

    def _count(self, url: str, read: int, relevant: int) -> None:
        for share in (self.everywhere, *(self._groups[name] for name in _groups(url))):
            _add(share, read, relevant)


def _add(share: RelevantShare, read: int, relevant: int) -> None:
    share.read += read
    share.relevant += relevant


def _groups(url: str) -> Iterator[str]:
    """Yield the host of a URL and its folder."""
    parts = urlsplit(url)
    yield parts.netloc
    yield f"{parts.netloc}{parts.path.rpartition('/')[0]}/"
