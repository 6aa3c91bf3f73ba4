"""A small ranker that weighs features, learns and lasts: an example, and what the tests of ranking anew use."""

import json

import numpy as np

from clew import urls
from clew.types import FeatureGroup, Weights

BINS = 4_096


def number(word: str) -> int:
    return 1 + urls.fingerprint(word) % (BINS - 1)


class Hints:
    """Weigh the words of link texts by the verdicts they led to, and tell so every few pages."""

    def __init__(self, *, about: str = "", every: int = 3) -> None:
        self.about = about
        self.every = every
        self.learned = 0
        self._words = dict.fromkeys(about.split(), 2.0)
        self._held = dict(self._words)  # as they were when weights were last told: these hold after a restart
        self._told = -1

    def features(self, source, links):
        rows = np.zeros((len(links), 7), np.uint32)
        rows[:, 0] = number(f"level {round(10 * source.verdict.value)}")
        for row, (anchor, url) in enumerate(zip(links.anchors, links.urls, strict=True)):
            words = anchor.lower().split()[:4]
            rows[row, 1 : 1 + len(words)] = [number(word) for word in words]
            rows[row, 5] = number(url.rpartition("/")[2])
            rows[row, 6] = number(f"place {int(10 * links.positions[row])}")
        return rows

    def weights(self):
        if self._told == self.learned // self.every:
            return None
        if self._told >= 0:
            self._held = dict(self._words)
        self._told = self.learned // self.every
        table = np.zeros(BINS, np.float32)
        for word, value in self._held.items():
            table[number(word)] = value
        for level in range(11):
            table[number(f"level {level}")] = level / 3
        return Weights(
            table=table,
            groups=(
                FeatureGroup("the page", 1, 0.3, -1),
                FeatureGroup("link text", 4, 0.5, -1),
                FeatureGroup("address", 2, 0.2),
            ),
        )

    def explain_terms(self, source, links, features=None):
        return [
            {"link text": [(word, self._held.get(word, 0.0)) for word in anchor.lower().split()[:4]]}
            for anchor in links.anchors
        ]

    def score(self, source, links):
        return np.full(len(links), source.verdict.value, np.float32)

    def learn(self, outcome):
        self.learned += 1
        for word in outcome.page.link.anchor.lower().split():
            self._words[word] = self._words.get(word, 0.0) + outcome.verdict.value - 0.25

    def save(self, folder):
        folder.mkdir(exist_ok=True)
        (folder / "hints.json").write_text(json.dumps([self.learned, self._words, self._held]))

    def load(self, folder):
        if (folder / "hints.json").exists():
            self.learned, self._words, self._held = json.loads((folder / "hints.json").read_text())
