"""Thompson sampling over hosts: prefer hosts with relevant pages, and sometimes try new ones."""

import numpy as np

from clew import urls
from clew.contracts.option_types import Count
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Hashes, Links, Outcome, Scores

TIE = 0.001
"""Weight of the source page: it decides within a host, never between two draws."""


class ThompsonHosts:
    """Sample the relevance of each host from its posterior, and give all its links that score.

    The posterior of a host is a Beta distribution. It starts with one relevant and one irrelevant page; each
    page then adds its verdict to one parameter and the rest to the other. A sample is the score of the host
    until its next page. Samples of well-known hosts are near their mean; those of new hosts vary widely, so
    that they are tried. Among the links of a host those on more relevant pages come first.

    Among many untried hosts there is always a high sample: with thousands of hosts this policy keeps trying
    new ones, which is good for variety and bad for harvest rate.

    `seed` is the random seed. `allowance` is how many links may be scored again per page read: a host with
    more links waits until enough pages were read for its next sample.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = ThompsonHosts(seed=1)
    >>> before = float(ranker.score(sample_outcome(), sample_links(1))[0])
    >>> for _ in range(20):
    ...     ranker.learn(sample_outcome(1.0))
    >>> hashes, scores = ranker.rerank()
    >>> round(before, 2), round(float(scores[0]), 2)
    (0.42, 0.97)

    Reference: R. Meusel, P. Mika, R. Blanco, "Focused crawling for structured data", CIKM 2014
    (Anthelion); W. Thompson, "On the likelihood that one unknown probability exceeds another", 1933.
    """

    def __init__(self, *, seed: int = 0, allowance: Count = 1_000) -> None:
        self.seed = seed
        self.allowance = allowance
        self._rng = np.random.default_rng(seed)
        self._numbers: dict[str, int] = {}
        self._alpha = np.empty(0, np.float64)
        self._beta = np.empty(0, np.float64)
        self._draws = np.empty(0, np.float32)
        self._open = np.empty(0, np.int64)
        self._index = LinkIndex()
        self._hosts = np.empty(0, np.uint32)
        self._source_verdicts = np.empty(0, np.float32)
        self._waiting: dict[int, None] = {}
        self._credit = 0

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        hosts = np.array([self._number(origin) for origin in links.origins], np.int64)
        before = len(self._index)
        rows = self._index.add(links.hashes)
        self._hosts = grown(self._hosts, len(self._index))
        self._source_verdicts = grown(self._source_verdicts, len(self._index))
        self._hosts[rows] = hosts
        self._source_verdicts[rows] = np.maximum(self._source_verdicts[rows], source.verdict.value)
        new = self._hosts[before : len(self._index)]
        np.add.at(self._open, new, 1)
        return {
            "sample of its host": (1 - TIE) * self._draws[hosts],
            "source page (breaks ties)": np.full(len(links), TIE * source.verdict.value, np.float32),
        }

    def learn(self, outcome: Outcome) -> None:
        """Add the verdict on a page to the posterior of its host."""
        page = outcome.page
        host, row = self._number(page.link.origin), self._index.row(urls.fingerprint(page.url))
        if row >= 0 and not self._index.fetched[row]:
            self._index.mark_fetched(urls.fingerprint(page.url))
            self._open[self._hosts[row]] -= 1
        self._alpha[host] += outcome.verdict.value
        self._beta[host] += 1 - outcome.verdict.value
        self._waiting[host] = None
        self._credit += self.allowance

    def rerank(self) -> tuple[Hashes, Scores] | None:
        drawn = np.zeros(len(self._numbers), bool)
        for host in list(self._waiting):
            if (cost := int(self._open[host])) <= self._credit:
                self._credit -= cost
                self._draw(host)
                del self._waiting[host]
                drawn[host] = True
        size = len(self._index)
        rows = np.flatnonzero(drawn[self._hosts[:size]] & ~self._index.fetched)
        if not len(rows):
            return None
        scores = (1 - TIE) * self._draws[self._hosts[rows]] + TIE * self._source_verdicts[rows]
        return self._index.hashes[rows], scores

    def _number(self, origin: str) -> int:
        """Return the number of a host, http and https alike; draw a sample for a new one."""
        name = urls.clock_key(origin)
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._numbers)
            size = number + 1
            self._alpha, self._beta = grown(self._alpha, size, 1), grown(self._beta, size, 1)
            self._draws, self._open = grown(self._draws, size), grown(self._open, size)
            self._draw(number)
        return number

    def _draw(self, host: int) -> None:
        self._draws[host] = self._rng.beta(self._alpha[host], self._beta[host])
