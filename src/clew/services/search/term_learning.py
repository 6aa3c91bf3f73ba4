"""Learn the words of a topic: in how many of its pages does each noun stand?"""

from collections import Counter
from collections.abc import Collection

from clew.domain.text import language, nouns, stop_words
from clew.domain.topic_terms import TopicTerms
from clew.types import Page

READ = 16_000
"""Characters read of one page: enough for its subject, and no page costs more than a few milliseconds."""

COMMON = 0.3
"""Share of pages off the topic that say a word which tells nothing: the paper's figure for stop words."""

ENOUGH = 20
"""Pages off the topic to be read before their words count against a word; five times as many at most."""

WEB = "web"
"""The group of stop words that every site says of itself."""

SHORTEST = 2
"""Letters of a word that can point the way; one sign is enough only where it is a word of its own (川)."""


class TermLearning:
    """Count document frequency over pages that are on the topic.

    `array` gives the `most` frequent nouns, each with the share of pages that say it. Among equals the one
    met first comes first, so that the better search result decides. Stop words never count, nor do
    `beside`: the paper's stop words, made from searches for other subjects. Pages that turned out to be off
    the topic (`leave`) tell what the pages of these sites say in any case, by the same rule.

    >>> from clew.testing import sample_page
    >>> learning = TermLearning()
    >>> for text in ("A bishop and a crosier.", "The bishop of Laon."):
    ...     learning.take(sample_page(text=text))
    >>> learning.array(1).format_best()
    'bishop 1.00'

    Reference: H. Ohmura, H. Chen, K. Furuse, "Focused Crawling Mechanism Exploiting Search Engine
    Results" (in Japanese), section 3.1.
    """

    def __init__(self, *, beside: Collection[str] = ()) -> None:
        self.beside = frozenset(beside)
        self.pages = 0
        self.others = 0
        self._counts: Counter[str] = Counter()
        self._elsewhere: Counter[str] = Counter()
        self._langs: dict[str, Counter[str]] = {}

    def take(self, page: Page) -> None:
        """Count the nouns of one page, each once."""
        lang, said = self._said(page)
        self.pages += 1
        self._counts.update(said)
        for word in said:
            self._langs.setdefault(word, Counter())[lang] += 1

    def leave(self, page: Page) -> bool:
        """Count the nouns of a page off the topic; say whether they have something new to say."""
        if self.others >= 5 * ENOUGH:
            return False
        self.others += 1
        self._elsewhere.update(self._said(page)[1])
        return self.others in (ENOUGH, 2 * ENOUGH, 5 * ENOUGH)

    def _said(self, page: Page) -> tuple[str, list[str]]:
        """Return the language of a page and its nouns, each once."""
        text = f"{page.title}\n{page.text[:READ]}"
        lang = language(text[:2_000], page.lang)
        silent = self.beside | stop_words(lang) | stop_words(WEB)
        found = dict.fromkeys(nouns(text, lang))
        return lang, [word for word in found if _tells(word) and word not in silent]

    def array(self, most: int) -> TopicTerms:
        """Return the most frequent words, as far as they were learned."""
        floor = COMMON * self.others if self.others >= ENOUGH else self.others + 1
        common = {word for word, count in self._elsewhere.items() if count >= floor} | self.beside
        chosen = [pair for pair in self._counts.most_common() if pair[0] not in common][:most]
        return TopicTerms(
            values={word: count / self.pages for word, count in chosen},
            langs={word: self._langs[word].most_common(1)[0][0] for word, _ in chosen},
            pages=self.pages,
            common=tuple(sorted(common)),
        )


def _tells(word: str) -> bool:
    return (len(word) >= SHORTEST or not word.isascii()) and not word.isdigit()
