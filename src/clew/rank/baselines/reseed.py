"""Reseed: the best word of the link text, by topic terms learned from the results of a search engine."""

from pathlib import Path

import numpy as np

from clew.domain.text import language, nouns
from clew.domain.topic_terms import TERMS_FILE, TopicTerms, read_topic_terms
from clew.types import Features, Links, Outcome, Scores

PART = "the best word of its link text"
MAX_CHARACTERS = 200
"""Characters of a link text that are read: as many as the store keeps, so that scores stay the same."""


class Reseed:
    """Score a link by the highest topic term among the nouns of its text; defer links without any.

    The value of a term is the share of the search results for the topic that contain it. The crawl learns
    the terms and passes them on (`set_topic_terms`); until then the goal's own nouns count 1. A link without
    a known noun scores 0 and is deferred with `deferral_reason`: it stays in the store, and is opened when
    the terms change or another policy is chosen.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Reseed(about="lighthouse")
    >>> ranker.set_topic_terms(TopicTerms(values={"lighthouse": 0.9, "page": 0.25}))
    >>> ranker.score(sample_outcome(), sample_links(1)).tolist()
    [0.25]

    Reference: H. Ohmura, H. Chen, K. Furuse, "Focused Crawling Mechanism Exploiting Search Engine
    Results" (in Japanese), section 3.2.
    """

    deferral_reason = "no topic term in its link text"

    def __init__(self, *, about: str = "") -> None:
        self.about = about
        self.terms = TopicTerms(values=dict.fromkeys(nouns(about, language(about)), 1.0))

    def set_topic_terms(self, terms: TopicTerms) -> None:
        """Use these terms from now on; the goal's own nouns count 1 unless a user has edited the terms."""
        own = {} if terms.edited else dict.fromkeys(nouns(self.about, language(self.about)), 1.0)
        self.terms = TopicTerms(values={**own, **terms.values}, langs=terms.langs, pages=terms.pages)

    def score(self, source: Outcome, links: Links) -> Scores:
        return self.rescore_texts(links.anchors, [source.page.lang] * len(links))

    def rescore_texts(self, anchors: list[str], langs: list[str]) -> Scores:
        """Score link texts, each with the language of its source page."""
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
        """Return for each link the topic terms in its text, the decisive one first."""
        del features  # scores depend on texts alone
        found = []
        for anchor in links.anchors:
            words = {word: self.terms.values.get(word, 0.0) for word in self._nouns(anchor, source.page.lang)}
            known = [(word, value) for word, value in words.items() if value]
            found.append({PART: sorted(known, key=lambda each: -each[1])})
        return found

    @property
    def learned(self) -> int:
        """Constant: the crawl writes the terms itself, and users may edit them."""
        return 0

    def save(self, folder: Path) -> None:
        """Write nothing: see `learned`."""

    def load(self, folder: Path) -> None:
        """Use the topic terms of a crawl, if it has any."""
        if (terms := read_topic_terms(folder / TERMS_FILE)) is not None:
            self.set_topic_terms(terms)

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: the crawl learns the terms, from search results."""

    @staticmethod
    def _nouns(anchor: str, lang: str) -> list[str]:
        text = anchor[:MAX_CHARACTERS]
        return nouns(text, language(text, near=lang)) if text else []
