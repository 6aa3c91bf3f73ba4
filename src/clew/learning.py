"""Learn the words of a topic: in how many of its pages does each noun stand?"""

from collections import Counter
from collections.abc import Collection

from clew.priorities import Priorities
from clew.text import language, nouns, stop_words
from clew.types import Page

READ = 16_000
"""Characters read of one page: enough for its subject, and no page costs more than a few milliseconds."""

SHORTEST = 2
"""Letters of a word that can point the way; one sign is enough only where it is a word of its own (川)."""


class Learning:
    """Count document frequency over pages that are on the topic.

    `array` gives the `most` frequent nouns, each with the share of pages that say it. Among equals the one
    met first comes first, so that the better search result decides. Stop words never count, nor do
    `beside`: the paper's stop words, made from searches for other subjects.

    >>> from clew.testing import sample_page
    >>> learning = Learning()
    >>> for text in ("A bishop and a crosier.", "The bishop of Laon."):
    ...     learning.take(sample_page(text=text))
    >>> learning.array(1).best()
    'bishop 1.00'

    Reference: H. Ohmura, H. Chen, K. Furuse, "Focused Crawling Mechanism Exploiting Search Engine
    Results" (in Japanese), section 3.1.
    """

    def __init__(self, *, beside: Collection[str] = ()) -> None:
        self.beside = frozenset(beside)
        self.pages = 0
        self._counts: Counter[str] = Counter()
        self._langs: dict[str, Counter[str]] = {}

    def take(self, page: Page) -> None:
        """Count the nouns of one page, each once."""
        text = f"{page.title}\n{page.text[:READ]}"
        lang = language(text[:2_000], page.lang)
        said = [word for word in dict.fromkeys(nouns(text, lang)) if self._tells(word, lang)]
        self.pages += 1
        self._counts.update(said)
        for word in said:
            self._langs.setdefault(word, Counter())[lang] += 1

    def _tells(self, word: str, lang: str) -> bool:
        long = len(word) >= SHORTEST or not word.isascii()
        return long and not word.isdigit() and word not in self.beside and word not in stop_words(lang)

    def array(self, most: int) -> Priorities:
        """Return the most frequent words, as far as they were learned."""
        chosen = self._counts.most_common(most)
        return Priorities(
            values={word: count / self.pages for word, count in chosen},
            langs={word: self._langs[word].most_common(1)[0][0] for word, _ in chosen},
            pages=self.pages,
        )
