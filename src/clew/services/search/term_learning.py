"""Learn topic terms: the document frequency of nouns on relevant pages."""

from collections import Counter
from collections.abc import Collection

from clew.domain.text import language, nouns, stop_words
from clew.domain.topic_terms import TopicTerms
from clew.types import Page

MAX_CHARS = 16_000
"""Characters used of one page: enough for its topic, and a few milliseconds at most."""

COMMON_SHARE = 0.3
"""A word on at least this share of irrelevant pages is a stop word: the value of the paper."""

MIN_IRRELEVANT = 20
"""Irrelevant pages needed before their words are used; at most five times as many are counted."""

WEB = "web"
"""The group of stop words that sites use for themselves, such as login."""

MIN_LETTERS = 2
"""Minimum letters of a term; a single character is enough outside ASCII, where it may be a word (川)."""


class TermLearning:
    """Count the document frequency of nouns on relevant pages.

    `topic_terms` returns the most frequent nouns, each with the share of pages that contain it. Ties keep
    the order of discovery, so that the better search result decides. Stop words are left out, and so are
    `extra_stop_words`: those of the paper, learned from searches for other topics. Irrelevant pages
    (`add_irrelevant`) give more stop words by the same rule.

    >>> from clew.testing import sample_page
    >>> learning = TermLearning()
    >>> for text in ("A bishop and a crosier.", "The bishop of Laon."):
    ...     learning.add_relevant(sample_page(text=text))
    >>> learning.topic_terms(1).format_best()
    'bishop 1.00'

    Reference: H. Ohmura, H. Chen, K. Furuse, "Focused Crawling Mechanism Exploiting Search Engine
    Results" (in Japanese), section 3.1.
    """

    def __init__(self, *, extra_stop_words: Collection[str] = ()) -> None:
        self.extra_stop_words = frozenset(extra_stop_words)
        self.pages = 0
        self.others = 0
        self._counts: Counter[str] = Counter()
        self._irrelevant_counts: Counter[str] = Counter()
        self._langs: dict[str, Counter[str]] = {}

    def add_relevant(self, page: Page) -> None:
        """Count the nouns of a relevant page, each once."""
        lang, terms = self._terms(page)
        self.pages += 1
        self._counts.update(terms)
        for word in terms:
            self._langs.setdefault(word, Counter())[lang] += 1

    def add_irrelevant(self, page: Page) -> bool:
        """Count the nouns of an irrelevant page; return whether the stop words should be updated now."""
        if self.others >= 5 * MIN_IRRELEVANT:
            return False
        self.others += 1
        self._irrelevant_counts.update(self._terms(page)[1])
        return self.others in (MIN_IRRELEVANT, 2 * MIN_IRRELEVANT, 5 * MIN_IRRELEVANT)

    def _terms(self, page: Page) -> tuple[str, list[str]]:
        """Return the language of a page and its nouns, each once."""
        text = f"{page.title}\n{page.text[:MAX_CHARS]}"
        lang = language(text[:2_000], page.lang)
        ignored = self.extra_stop_words | stop_words(lang) | stop_words(WEB)
        found = dict.fromkeys(nouns(text, lang))
        return lang, [word for word in found if _is_informative(word) and word not in ignored]

    def topic_terms(self, most: int) -> TopicTerms:
        """Return the most frequent terms learned so far."""
        floor = COMMON_SHARE * self.others if self.others >= MIN_IRRELEVANT else self.others + 1
        common = {
            word for word, count in self._irrelevant_counts.items() if count >= floor
        } | self.extra_stop_words
        chosen = [pair for pair in self._counts.most_common() if pair[0] not in common][:most]
        return TopicTerms(
            values={word: count / self.pages for word, count in chosen},
            langs={word: self._langs[word].most_common(1)[0][0] for word, _ in chosen},
            pages=self.pages,
            common=tuple(sorted(common)),
        )


def _is_informative(word: str) -> bool:
    return (len(word) >= MIN_LETTERS or not word.isascii()) and not word.isdigit()
