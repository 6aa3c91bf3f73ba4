"""Learn from each page what its address gave away: logistic regression on pairs of characters."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.types import Scores

RATE = 1.0
"""Step of learning: an address is a vector of length about one, so its own log-odds move by the error."""

_ASCII = 128


class UrlClassifier:
    """Tell from the characters of an address whether a page worth having stands there.

    Pairs of neighbouring characters need no words and no language; in the runs SB-CLASSIFIER's authors
    published they told data files from pages with 97 of 100 right. One step of gradient descent for each
    page, so nothing is kept. The first pair, a line's end and an "h", is in every address and stands for
    what they have in common.

    >>> addresses = UrlClassifier()
    >>> for number in range(30):
    ...     addresses.learn(f"https://a.test/report/{number}", 1.0)
    ...     addresses.learn(f"https://a.test/login?next={number}", 0.0)
    >>> chances = addresses.chances(["https://a.test/report/99", "https://a.test/login?next=99"])
    >>> chances.astype(float).round(1).tolist()
    [0.9, 0.1]
    """

    def __init__(self) -> None:
        self._weights = np.zeros(_ASCII * _ASCII, np.float32)

    def chances(self, urls: Sequence[str]) -> Scores:
        """Return for each address the chance that its page is good."""
        if not urls:
            return np.empty(0, np.float32)
        pairs = _pairs("\n".join(urls))
        lengths = np.array([len(url) + 1 for url in urls], np.int64)  # with a line's end before and after
        sums = np.add.reduceat(self._weights[pairs], np.cumsum(lengths) - lengths)
        odds = sums / np.sqrt(lengths)
        return (1 / (1 + np.exp(-np.clip(odds, -30, 30)))).astype(np.float32)

    def learn(self, url: str, worth: float) -> None:
        """Move towards what a page was worth, 0 to 1."""
        step = RATE * (worth - float(self.chances([url])[0]))
        pairs = _pairs(url)
        np.add.at(self._weights, pairs, np.float32(step / np.sqrt(len(pairs))))


def _pairs(text: str) -> NDArray[np.intp]:
    """Return pairs of neighbouring characters as numbers; a line's end stands before and after."""
    codes = np.frombuffer(f"\n{text}\n".encode("ascii", "replace"), np.uint8).astype(np.intp) % _ASCII
    return codes[:-1] * _ASCII + codes[1:]
