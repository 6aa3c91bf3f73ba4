"""Thompson sampling over hosts: go where pages were good, and now and then where nobody has looked."""

import numpy as np

from clew import urls
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Hashes, Links, Outcome, Scores

TIE = 0.001
"""Weight of the page a link stands on: it decides within a host, never between two draws."""


class ThompsonHosts:
    """Draw each host's promise from what is believed of it, and give all its links that number.

    The verdicts on a host's pages make a Beta distribution of how good the next one will be: one good
    and one bad page are assumed to begin with, then each page adds its verdict to one side and the rest
    to the other. A number drawn from it is the host's score until its next page comes. Hosts known well
    are drawn near their mean; new ones are drawn anywhere, and so get their chance. Among the links of a
    host those on better pages come first.

    Many hosts that were never tried will always hold a high draw among them: with thousands of hosts this
    policy keeps looking at new ones, which may be what one wants (variety) or not (harvest).

    `seed` chooses the draws. `allowance` is how many links each page read pays for to be scored anew: a
    host with more links than that waits until enough pages have paid for its next draw.

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

    def __init__(self, *, seed: int = 0, allowance: int = 1_000) -> None:
        self.seed = seed
        self.allowance = allowance
        self._dice = np.random.default_rng(seed)
        self._numbers: dict[str, int] = {}
        self._good = np.empty(0, np.float64)
        self._bad = np.empty(0, np.float64)
        self._draws = np.empty(0, np.float32)
        self._open = np.empty(0, np.int64)
        self._met = LinkIndex()
        self._hosts = np.empty(0, np.uint32)
        self._worth = np.empty(0, np.float32)
        self._waiting: dict[int, None] = {}
        self._credit = 0

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        hosts = np.array([self._number(origin) for origin in links.origins], np.int64)
        before = len(self._met)
        rows = self._met.add(links.hashes)
        self._hosts = grown(self._hosts, len(self._met))
        self._worth = grown(self._worth, len(self._met))
        self._hosts[rows] = hosts
        self._worth[rows] = np.maximum(self._worth[rows], source.verdict.value)
        new = self._hosts[before : len(self._met)]
        np.add.at(self._open, new, 1)
        return {
            "drawn for its host": (1 - TIE) * self._draws[hosts],
            "the page it stands on, where draws are equal": np.full(
                len(links), TIE * source.verdict.value, np.float32
            ),
        }

    def learn(self, outcome: Outcome) -> None:
        """Add a page's verdict to what is believed of its host."""
        page = outcome.page
        host, row = self._number(page.link.origin), self._met.row(urls.fingerprint(page.url))
        if row >= 0 and not self._met.fetched[row]:
            self._met.mark_fetched(urls.fingerprint(page.url))
            self._open[self._hosts[row]] -= 1
        self._good[host] += outcome.verdict.value
        self._bad[host] += 1 - outcome.verdict.value
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
        size = len(self._met)
        rows = np.flatnonzero(drawn[self._hosts[:size]] & ~self._met.fetched)
        if not len(rows):
            return None
        scores = (1 - TIE) * self._draws[self._hosts[rows]] + TIE * self._worth[rows]
        return self._met.hashes[rows], scores

    def _number(self, origin: str) -> int:
        """Return the number of a host, http and https alike; draw for it when it is met first."""
        name = urls.clock_key(origin)
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._numbers)
            size = number + 1
            self._good, self._bad = grown(self._good, size, 1), grown(self._bad, size, 1)
            self._draws, self._open = grown(self._draws, size), grown(self._open, size)
            self._draw(number)
        return number

    def _draw(self, host: int) -> None:
        self._draws[host] = self._dice.beta(self._good[host], self._bad[host])
