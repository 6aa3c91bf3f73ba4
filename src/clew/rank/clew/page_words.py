"""What the words of pages say about the same words in link texts that no link was followed for yet."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from clew.domain.text.language import language
from clew.domain.text.link_words import link_term
from clew.domain.text.page_terms import count_terms, term_id
from clew.domain.text.stemming import stem_of
from clew.rank.shared.link_tokens import BINS, FIRST_HASHED
from clew.rank.shared.token_rows import TokenBins
from clew.rank.shared.token_stats import Floats, TokenStats
from clew.types import Page, TokenColumns

BACKGROUND = 2.0
"""Pages, relevant and not, that every word is assumed to have been looked for in before, at its frequency."""

SMOOTHING = 4.0
"""Pages with a word before its log-odds count by half."""

RAMP = 10.0
"""Relevant pages before all log-odds count by half: the first verdicts are often wrong."""

MOST = 2.0
"""Log-odds of a word are at most this, as those of a word that the user typed."""

PAGES, RELEVANT, WORDS = "pages by terms", "relevant pages by terms", "terms of link words"
"""The tables of the model file: terms by number, and the number of the term that each link word is."""

MAX_TERMS = 100_000
"""Terms that are saved, those on most pages first."""

LEAST = 0.05
"""Smaller log-odds count as none: links that nothing tells apart stay in the order they were found."""

_TOTAL = 0  # the place where all pages are counted; no term has it


class PageWords:
    """Count on how many relevant and other pages each word is; return prior log-odds of link words.

        p(word | relevant) = (relevant pages with it + 2 · frequency) / (relevant pages + 2), others alike
        log-odds           = ln(p(word | relevant) / p(word | other)) · pages with it / (pages with it + 4)
                             · relevant pages / (relevant pages + 10), between -2 and 2

    A link text is often new where a page's words are not: on an encyclopedia hardly two links have the same.
    So a word of a link is smoothed towards what pages with that word were, until enough links with it were
    followed. Before the first relevant page nothing is known, and log-odds below 0.05 are none.

    >>> from clew.domain.text.link_words import LinkTokenizer
    >>> from clew.rank.shared.link_tokens import token_id
    >>> from clew.testing import sample_page
    >>> words, stats = PageWords(), TokenStats()
    >>> page = sample_page(text="The fugue and the organ.")
    >>> words.match(LinkTokenizer().columns(["Organ fugues, tea"], ["https://a.test/"]), page, stats)
    >>> for text, target in (("Fugues for the organ", 1), ("The price of tea", 0), ("A trade in tea", 0)):
    ...     words.add(sample_page(text=text), target)
    ...     words.add(sample_page(text=text), target)
    >>> prior = words.with_priors(stats.prior)
    >>> [round(float(prior[token_id("text", word)]), 2) for word in ("fugu", "tea", "soup")]
    [0.1, -0.08, 0.0]
    """

    def __init__(self) -> None:
        self._seen = np.zeros(BINS, np.float32)
        self._relevant = np.zeros(BINS, np.float32)
        self._term_of = np.zeros(BINS, np.uint32)  # the term of each link word, 0 for none
        self._looked_up = TokenBins(size=BINS, first=FIRST_HASHED)

    def match(self, columns: TokenColumns, page: Page, stats: TokenStats) -> None:
        """Find the terms of the words in the links of a page; each word is looked up once, and registered."""
        new = self._looked_up.unchecked(columns.word_ids)
        if not new:
            return
        found = columns.words.split(" ")
        lang = page.lang or language(f"{page.title}\n{page.title}\n{page.text}")
        for each in new:
            term, token = stem_of(found[each], lang), link_term(found[each])
            if term and token and not self._term_of[at := stats.register("text", token)]:
                self._term_of[at] = 1 + term_id(term) % (BINS - 1)

    def add(self, page: Page, target: float) -> None:
        """Count the words of a page that is relevant to this degree."""
        bag = page.terms
        if bag is None:
            bag = count_terms(page.title, page.text, page.lang, page.margin)
        at = 1 + bag.ids[(bag.text > 0) | (bag.title > 0)] % np.uint32(BINS - 1)
        for counts, more in ((self._seen, 1.0), (self._relevant, target)):
            counts[at] += np.float32(more)
            counts[_TOTAL] += np.float32(more)

    def with_priors(self, prior: Floats) -> Floats:
        """Return prior log-odds of tokens with those of link words that have none yet."""
        pages, relevant = self._seen[_TOTAL], self._relevant[_TOTAL]
        if relevant < 1:
            return prior
        at = np.flatnonzero((self._term_of > 0) & (prior == 0))
        terms = self._term_of[at]
        at, terms = at[self._seen[terms] > 0], terms[self._seen[terms] > 0]
        seen, good = self._seen[terms], self._relevant[terms]
        expected = BACKGROUND * seen / pages
        odds = np.log((good + expected) / (relevant + BACKGROUND))
        odds -= np.log((np.maximum(seen - good, 0) + expected) / (pages - relevant + BACKGROUND))
        odds *= seen / (seen + SMOOTHING) * (relevant / (relevant + RAMP))
        made = prior.copy()
        made[at] = np.where(np.abs(odds) < LEAST, 0, np.clip(odds, -MOST, MOST))
        return made

    def tables(self) -> dict[str, dict[str, float]]:
        """Return all counts, for the model file."""
        known = np.flatnonzero(self._seen)
        known = np.sort(known[np.argsort(-self._seen[known], kind="stable")][:MAX_TERMS])
        words = np.flatnonzero(self._term_of)
        return {
            PAGES: _table(known, self._seen[known]),
            RELEVANT: _table(known, self._relevant[known]),
            WORDS: _table(words, self._term_of[words]),
        }

    def restore(self, tables: Mapping[str, Mapping[str, float]]) -> None:
        """Continue with the counts of an earlier run."""
        for name, counts in ((PAGES, self._seen), (RELEVANT, self._relevant), (WORDS, self._term_of)):
            for at, number in tables.get(name, {}).items():
                if at.isdecimal() and int(at) < BINS:
                    counts[int(at)] = min(number, BINS - 1) if counts is self._term_of else number


def _table(keys: NDArray[np.intp], values: NDArray[np.float32] | NDArray[np.uint32]) -> dict[str, float]:
    return dict(zip(map(str, keys.tolist()), values.tolist(), strict=True))
