"""Q-learning: a link is worth what it leads to, and what the best link found there leads to."""

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.rank.shared.link_index import grown
from clew.rank.shared.token_bags import BINS, TokenBags
from clew.types import Hashes, Links, Outcome, Scores

RATE = 0.5
"""Share of the mean error of a word that is taken back at each page; deep-deep makes 300 steps of 0.1."""

ALLOWANCE = 1_000
"""Links each page read pays for to be scored anew: with many links the intervals grow."""


class QLearn:
    """Learn the worth of links some steps ahead: a page of no worth may hold the list of all that is wanted.

    The worth of a link is the verdict on its page plus `discount` times the worth of the best link on
    that page. It is guessed from the words of the link's text and address and from whether it stays at its
    host, by a linear sum. Each page read becomes an experience: link followed, verdict, links found. At
    each page a sample of all experiences is learned from again (experience replay), against a guess that
    stands still meanwhile; every `every` pages the new guess takes its place, and all open links are
    scored anew. One page in five, `epsilon`, is taken at random from the links known.

    `discount` 0.4 looks about four steps ahead; `sample` experiences are learned from at each page out
    of the last `memory` ones; `seed` throws the dice. The numbers are those of deep-deep.

    >>> from clew.testing import sample_outcome, sample_links
    >>> QLearn().score(sample_outcome(), sample_links(2)).tolist()  # nothing learned: the oldest first
    [0.375, 0.375]

    Reference: deep-deep, TeamHG-Memex, 2016; V. Mnih and others, "Human-level control through deep
    reinforcement learning", Nature 518 (2015), for replay and the guess that stands still.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        discount: float = 0.4,
        epsilon: float = 0.2,
        every: int = 100,
        sample: int = 300,
        memory: int = 100_000,
    ) -> None:
        self.seed = seed
        self.discount = discount
        self.epsilon = epsilon
        self.every = every
        self.sample = sample
        self.memory = memory
        self._dice = np.random.default_rng(seed)
        self._bags = TokenBags(fields=("address", "text", "host"))
        self._guess = np.zeros(BINS, np.float32)  # learned at each page
        self._still = np.zeros(BINS, np.float32)  # stands still meanwhile, and gives the scores
        self._followed = np.empty(0, np.int64)
        self._rewards = np.empty(0, np.float32)
        self._ahead = np.empty(0, np.float32)
        self._found: list[NDArray[np.uint32]] = []
        self._count = 0
        self._newest = 0, -1  # the name of the last page read, and its experience
        self._pages = 0
        self._next = every

    def score(self, source: Outcome, links: Links) -> Scores:
        rows = self._bags.enter(links, source.page.link.origin)
        values = self._bags.values(self._still, rows)
        name, slot = self._newest
        if slot >= 0 and len(rows) and name == urls.fingerprint(source.page.url):
            self._found[slot] = rows.astype(np.uint32)
            self._ahead[slot] = values.max()
        return self._scores(values)

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {"where words like its own have led, and what was found there": self.score(source, links)}

    def learn(self, outcome: Outcome) -> None:
        """Learn from a sample of what was experienced, then add what this page was worth."""
        self._replay()
        name = urls.fingerprint(outcome.page.url)
        row = self._bags.met.close(name)
        self._newest = name, self._experience(row, outcome.verdict.value) if row >= 0 else -1
        self._pages += 1

    def rerank(self) -> tuple[Hashes, Scores] | None:
        met = self._bags.met
        if self._pages >= self._next:
            rows = met.open_rows()
            self._next = self._pages + max(self.every, len(rows) // ALLOWANCE)
            self._still = self._guess.copy()
            values = self._bags.all_values(self._still)
            self._look_ahead(values)
            return met.names[rows], self._scores(values[rows])
        if len(met) and self._dice.random() < self.epsilon:
            row = int(self._dice.integers(len(met)))
            if not met.done[row]:
                return met.names[row : row + 1], np.ones(1, np.float32)
        return None

    def _replay(self) -> None:
        """Move the guess towards a sample of experiences, each word by the mean error of its links."""
        size = len(self._found)
        if not size:
            return
        picked = self._dice.integers(size, size=min(self.sample, size))
        rows = self._followed[picked]
        wanted = self._rewards[picked] + self.discount * self._ahead[picked]
        errors = wanted - self._bags.values(self._guess, rows)
        words, starts = self._bags.take(rows)
        lengths = np.diff(starts, append=len(words))
        said, which, times = np.unique(words, return_inverse=True, return_counts=True)
        pulls = np.bincount(which, np.repeat(errors / np.sqrt(lengths), lengths))
        self._guess[said] += (RATE * pulls / times).astype(np.float32)

    def _experience(self, row: int, reward: float) -> int:
        """Remember a link that was followed; the oldest experience makes room. Return its place."""
        slot = self._count % self.memory
        self._count += 1
        if slot == len(self._found):
            self._found.append(np.empty(0, np.uint32))
            self._followed = grown(self._followed, slot + 1)
            self._rewards, self._ahead = grown(self._rewards, slot + 1), grown(self._ahead, slot + 1)
        self._found[slot] = np.empty(0, np.uint32)
        self._followed[slot], self._rewards[slot], self._ahead[slot] = row, reward, 0
        return slot

    def _look_ahead(self, values: Scores) -> None:
        """Value anew, for all experiences, the best link that was found."""
        lengths = np.array([len(rows) for rows in self._found], np.int64)
        full = np.flatnonzero(lengths)
        if len(full):
            starts = (np.cumsum(lengths) - lengths)[full]
            self._ahead[full] = np.maximum.reduceat(values[np.concatenate(self._found)], starts)

    def _scores(self, values: Scores) -> Scores:
        """Map worth to 0…1: guesses reach from a little below 0 to 1 + discount + discount² and so on."""
        shares: Scores = (values + 1) / np.float32(1 / (1 - self.discount) + 1)
        return shares.clip(0, 1)
