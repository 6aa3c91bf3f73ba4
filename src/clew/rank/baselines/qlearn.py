"""Q-learning: a link is worth the verdict on its page plus the discounted value of the best link there."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.contracts.option_types import Count, Probability
from clew.domain.model_files import Model, ModelTable, damaged_model, read_model, write_model
from clew.rank.shared.link_index import grown
from clew.rank.shared.token_bags import BINS, TokenBags
from clew.types import Features, Hashes, Links, Outcome, Scores

RATE = 0.5
"""Share of the mean error of a word that is corrected at each page; deep-deep makes 300 steps of 0.1."""

RESCORED_PER_PAGE = 1_000
"""Open links per page read that may be scored again: with many links the intervals grow."""


MODEL_FILE = "qlearn.tsv"
NAME, VERSION = "qlearn", 1

PART = "learned value of its words"

MIN_SHOWN = 0.005
"""Words that add less to a value are not named."""


class ReplayBuffer:
    """The latest transitions: link followed, reward, links found on its page, and their best value."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.added = 0
        self.rows = np.empty(0, np.int64)  # of the links that were followed
        self.rewards = np.empty(0, np.float32)
        self.best_next = np.empty(0, np.float32)
        self._found: list[NDArray[np.uint32]] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, row: int, reward: float) -> int:
        """Store a transition; the oldest makes room. Return its slot."""
        slot = self.added % self.capacity
        self.added += 1
        if slot == len(self._found):
            self._found.append(np.empty(0, np.uint32))
            self.rows = grown(self.rows, slot + 1)
            self.rewards, self.best_next = grown(self.rewards, slot + 1), grown(self.best_next, slot + 1)
        self._found[slot] = np.empty(0, np.uint32)
        self.rows[slot], self.rewards[slot], self.best_next[slot] = row, reward, 0
        return slot

    def set_found(self, slot: int, rows: NDArray[np.int64], best: float) -> None:
        """Store the links found on the page of a transition, and the value of the best of them."""
        self._found[slot] = rows.astype(np.uint32)
        self.best_next[slot] = best

    def revalue(self, values: Scores) -> None:
        """Set the value of the best link found by new values of all links."""
        lengths = np.array([len(rows) for rows in self._found], np.int64)
        full = np.flatnonzero(lengths)
        if len(full):
            starts = (np.cumsum(lengths) - lengths)[full]
            self.best_next[full] = np.maximum.reduceat(values[np.concatenate(self._found)], starts)


class QLearn:
    """Learn the value of links some steps ahead: an irrelevant page may link to all relevant ones.

    The value of a link is the verdict on its page plus `discount` times the value of the best link on
    that page. It is estimated by a linear function of the words of the link's text and URL and of whether
    it stays on its host. Each page read becomes a transition: link followed, verdict, links found. At
    each page a sample of all transitions is learned from again (experience replay), against a target
    function that is fixed meanwhile; every `every` pages the target is updated, and all open links are
    scored again. One page in five, `epsilon`, is taken at random from the known links.

    `discount` 0.4 looks about four steps ahead; `sample` transitions are learned from at each page out
    of the last `memory` ones; `seed` is the random seed. The numbers are those of deep-deep.

    >>> from clew.testing import sample_outcome, sample_links
    >>> QLearn().score(sample_outcome(), sample_links(2)).tolist()  # nothing learned: the oldest first
    [0.375, 0.375]

    Reference: deep-deep, TeamHG-Memex, 2016; V. Mnih and others, "Human-level control through deep
    reinforcement learning", Nature 518 (2015), for replay and the target function.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        discount: Probability = 0.4,
        epsilon: Probability = 0.2,
        every: Count = 100,
        sample: Count = 300,
        memory: Count = 100_000,
    ) -> None:
        self.seed = seed
        self.discount = discount
        self.epsilon = epsilon
        self.every = every
        self.sample = sample
        self.memory = memory
        self.replay = ReplayBuffer(memory)
        self._rng = np.random.default_rng(seed)
        self._bags = TokenBags(fields=("address", "text", "host"))
        self._weights = np.zeros(BINS, np.float32)  # learned at each page
        self._target = np.zeros(BINS, np.float32)  # fixed meanwhile; gives the scores
        self._drawn: dict[int, None] = {}  # hashes of links that were taken at random
        self._latest = 0, -1  # the hash of the last page read, and the slot of its transition
        self._pages = 0
        self._next = every

    def score(self, source: Outcome, links: Links) -> Scores:
        rows = self._bags.add(links, source.page.link.origin)
        values = self._bags.values(self._target, rows)
        key, slot = self._latest
        if slot >= 0 and len(rows) and key == urls.fingerprint(source.page.url):
            self.replay.set_found(slot, rows, values.max())
        return self._scores(values)

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {PART: self.score(source, links)}

    def explain_terms(
        self, source: Outcome, links: Links, features: Features | None = None
    ) -> list[dict[str, list[tuple[str, float]]]]:
        """Return for each link its words with what each adds to the learned value, strongest first."""
        del features  # scores depend on words alone
        found = []
        for names in self._bags.named_words(links, source.page.link.origin):
            share = 1 / np.sqrt(len(names))
            terms = [(name, float(self._target[number] * share)) for number, name in names.items()]
            known = [term for term in terms if abs(term[1]) >= MIN_SHOWN]
            found.append({PART: sorted(known, key=lambda term: -abs(term[1]))})
        return found

    def describe_links(self, source: Outcome, links: Links, siblings: Sequence[str] = ()) -> list[str]:
        """Return which links were taken at random."""
        del source, siblings
        drawn = f"taken at random, as {self.epsilon:.0%} of all pages are (epsilon)"
        return [drawn if int(key) in self._drawn else "" for key in links.hashes.tolist()]

    def learn(self, outcome: Outcome) -> None:
        """Learn from a sample of transitions, then add that of this page."""
        self._learn_from_replay()
        key = urls.fingerprint(outcome.page.url)
        row = self._bags.index.mark_fetched(key)
        self._latest = key, self.replay.add(row, outcome.verdict.value) if row >= 0 else -1
        self._pages += 1

    def rerank(self) -> tuple[Hashes, Scores] | None:
        index = self._bags.index
        if self._pages >= self._next:
            rows = index.unfetched_rows()
            self._next = self._pages + max(self.every, len(rows) // RESCORED_PER_PAGE)
            self._target = self._weights.copy()
            values = self._bags.all_values(self._target)
            self.replay.revalue(values)
            return index.hashes[rows], self._scores(values[rows])
        if len(index) and self._rng.random() < self.epsilon:
            row = int(self._rng.integers(len(index)))
            if not index.fetched[row]:
                self._drawn[int(index.hashes[row])] = None
                return index.hashes[row : row + 1], np.ones(1, np.float32)
        return None

    @property
    def learned(self) -> int:
        """Changes with every page."""
        return self._pages

    def save(self, folder: Path) -> None:
        """Write the weights, and which links were taken at random."""
        bins = np.flatnonzero(self._weights)
        columns = (bins.tolist(), self._weights[bins].tolist(), self._target[bins].tolist())
        rows = list(zip(*columns, strict=True))
        tables = {
            "weights": ModelTable(("bin", "learned", "in use"), rows),
            "drawn": ModelTable(("hash",), [(key,) for key in self._drawn]),
        }
        write_model(folder / MODEL_FILE, Model(name=NAME, version=VERSION, tables=tables))

    def load(self, folder: Path) -> None:
        """Continue with saved weights; the transitions to learn from are collected anew."""
        model = read_model(folder / MODEL_FILE, NAME, VERSION)
        if model is None:
            return
        try:
            for number, learned, used in model.tables["weights"].rows:
                self._weights[int(number)], self._target[int(number)] = float(learned), float(used)
            self._drawn = {int(key): None for (key,) in model.tables["drawn"].rows}
        except (KeyError, ValueError, IndexError) as error:
            raise damaged_model(folder / MODEL_FILE, str(error)) from None

    def _learn_from_replay(self) -> None:
        """Move the weights towards a sample of transitions, each word by the mean error of its links."""
        size = len(self.replay)
        if not size:
            return
        picked = self._rng.integers(size, size=min(self.sample, size))
        rows = self.replay.rows[picked]
        wanted = self.replay.rewards[picked] + self.discount * self.replay.best_next[picked]
        errors = wanted - self._bags.values(self._weights, rows)
        words, starts = self._bags.words(rows)
        lengths = np.diff(starts, append=len(words))
        distinct, which, times = np.unique(words, return_inverse=True, return_counts=True)
        gradients = np.bincount(which, np.repeat(errors / np.sqrt(lengths), lengths))
        self._weights[distinct] += (RATE * gradients / times).astype(np.float32)

    def _scores(self, values: Scores) -> Scores:
        """Map values to 0…1: they reach from a little below 0 to 1 + discount + discount² and so on."""
        shares: Scores = (values + 1) / np.float32(1 / (1 - self.discount) + 1)
        return shares.clip(0, 1)
