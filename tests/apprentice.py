"""A judge that learns the words of good pages, and nothing else: simple enough to know what it must say."""

from clew.domain.text import words
from clew.types import Verdict


class Apprentice:
    """Want pages that share at least half of the words of one that a person called good."""

    def __init__(self):
        self.known = {}

    def judge(self, page):
        said = set(words(page.text))
        shares = [len(said & known) / len(known) for known in self.known.values() if known]
        return Verdict(max(shares, default=0.0), (f"{len(self.known)} pages known",))

    def learn(self, label, page):
        if label.relevant:
            self.known[label.url] = {word for word in words(page.text) if word.isalpha()}
