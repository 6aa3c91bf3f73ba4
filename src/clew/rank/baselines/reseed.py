"""Reseed: the best word of the link text, by an array learned from what a search engine found."""

from pathlib import Path

import numpy as np

from clew.domain.text import language, nouns
from clew.domain.topic_terms import TERMS_FILE, TopicTerms, read_topic_terms
from clew.types import Features, Links, Outcome, Scores

PART = "the best word of its link text"
CLIP = 200
"""Characters of a link text that are looked at: as many as the store keeps, so that scores stay the same."""


class Reseed:
    """Score a link by the highest value among the nouns of its text; leave closed what says none of them.

    The values are the priority array: the share of the pages a search engine found for the topic that say
    a word. The crawl learns it and tells (`hear`); until then the goal's own nouns stand in it with 1.
    A link without a known noun scores 0 and stays closed, with the words of `closed` as the reason: it is
    kept, and opens when the array changes or another policy comes.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Reseed(about="lighthouse")
    >>> ranker.set_topic_terms(TopicTerms(values={"lighthouse": 0.9, "page": 0.25}))
    >>> ranker.score(sample_outcome(), sample_links(1)).tolist()
    [0.25]

    Reference: H. Ohmura, H. Chen, K. Furuse, "Focused Crawling Mechanism Exploiting Search Engine
    Results" (in Japanese), section 3.2.
    """

    deferral_reason = "no word of the array in its link text"

    def __init__(self, *, about: str = "") -> None:
        self.about = about
        self.terms = TopicTerms(values=dict.fromkeys(nouns(about, language(about)), 1.0))

    def set_topic_terms(self, array: TopicTerms) -> None:
        """Go by these words from now on; the goal's own nouns count 1 unless a person says otherwise."""
        own = {} if array.edited else dict.fromkeys(nouns(self.about, language(self.about)), 1.0)
        self.terms = TopicTerms(values={**own, **array.values}, langs=array.langs, pages=array.pages)

    def score(self, source: Outcome, links: Links) -> Scores:
        return self.rescore_texts(links.anchors, [source.page.lang] * len(links))

    def rescore_texts(self, anchors: list[str], langs: list[str]) -> Scores:
        """Score link texts, each with the language of the page it stands on."""
        values = self.terms.values
        found = [
            max((values.get(word, 0.0) for word in self._nouns(anchor, lang)), default=0.0)
            for anchor, lang in zip(anchors, langs, strict=True)
        ]
        return np.array(found, np.float32)

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {PART: self.score(source, links)}

    def explain_terms(
        self, source: Outcome, links: Links, features: Features | None = None
    ) -> list[dict[str, list[tuple[str, float]]]]:
        """Name for each link the words of its text that are in the array, the one that decided first."""
        del features  # scores are made of texts alone
        found = []
        for anchor in links.anchors:
            words = {word: self.terms.values.get(word, 0.0) for word in self._nouns(anchor, source.page.lang)}
            known = [(word, value) for word, value in words.items() if value]
            found.append({PART: sorted(known, key=lambda each: -each[1])})
        return found

    @property
    def learned(self) -> int:
        """Always the same: the crawl writes the array itself, and a person may."""
        return 0

    def save(self, folder: Path) -> None:
        """Write nothing: see `learned`."""

    def load(self, folder: Path) -> None:
        """Go by the array of a crawl, if it has one."""
        if (array := read_topic_terms(folder / TERMS_FILE)) is not None:
            self.set_topic_terms(array)

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: the array is learned by the crawl, from what was searched for."""

    @staticmethod
    def _nouns(anchor: str, lang: str) -> list[str]:
        text = anchor[:CLIP]
        return nouns(text, language(text, near=lang)) if text else []
