"""The priority array of a crawl: learned from pages, kept in a file, heard by the policy, open to edits."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from clew.capabilities import RankerCapabilities
from clew.domain.topic_terms import TERMS_FILE, TopicTerms, read_topic_terms, write_topic_terms
from clew.errors import ConfigError
from clew.services.search.term_learning import TermLearning
from clew.types import Page

STOPWORDS = "stopwords.txt"
"""Words of no topic, made by searching for other subjects; beside those that come with each language."""

FIRST = 10
"""Pages that must be read before the array is learned for the first time."""

GROWTH = 1.5
"""It is learned again when so many times as many pages were read."""

MOST = 300
"""Pages counted in all: by then the order of the words no longer moves."""


@dataclass(slots=True, kw_only=True)
class TopicVocabulary:
    """Hold the array; let the policy hear it whenever it has changed.

    `folder` is `models/` of the crawl, None when nothing is kept. `due` is the number of pages after which
    the array is learned again. A file that a person has changed is never written over.
    """

    abilities: RankerCapabilities
    folder: Path | None = None
    most_terms: int = 1000
    terms: TopicTerms = field(default_factory=TopicTerms)
    learning: TermLearning = field(default_factory=TermLearning)
    due: float = FIRST
    published_pages: int = 0
    stamp: tuple[int, int] = (0, 0)

    @property
    def required(self) -> bool:
        """Whether the policy goes by the array."""
        return self.abilities.topic_terms is not None

    @property
    def useful(self) -> bool:
        """Whether the policy takes the array as a hint, or goes by it."""
        return self.required or self.abilities.priors is not None

    def learn(self, page: Page) -> bool:
        """Learn from a page of the topic; say whether it is time to publish."""
        if self.learning.pages < MOST:
            self.learning.take(page)
        return self.learning.pages >= self.due

    def hold_back(self) -> None:
        """Let the policy hear nothing before all is learned, not even the goal's own words: no link opens."""
        self.due = inf
        if self.required and not len(self.terms):
            self._set_terms(TopicTerms(edited=True))
            self.terms = TopicTerms()

    def learn_irrelevant(self, page: Page) -> bool:
        """Learn from a page off the topic what says nothing; say whether it is time to publish."""
        return self.learning.leave(page) and self.learning.pages > 0

    def publish(self) -> bool:
        """Make what was learned the array, unless a person has edited it; say whether it changed."""
        self.due, self.published_pages = max(FIRST, self.learning.pages * GROWTH), self.learning.pages
        found = self.learning.array(self.most_terms)
        if self.terms.edited or not len(found) or found.values == self.terms.values:
            return False
        if found.pages < self.terms.pages:  # of an earlier run, which had read more
            return False
        if self.folder is not None:
            write_topic_terms(self.folder / TERMS_FILE, found)
            self.stamp = self._stamp()
        self._set_terms(found)
        return True

    @property
    def fresh(self) -> bool:
        """Whether pages were counted that the array does not know yet."""
        return not self.terms.edited and self.learning.pages > self.published_pages

    def load(self) -> bool:
        """Read the files, if there are any; say whether there were words."""
        if self.folder is not None and (stops := self.folder / STOPWORDS).exists():
            lines = stops.read_text("utf-8", errors="replace").splitlines()
            said = (word for line in lines if not line.startswith("#") for word in line.split())
            self.learning.beside |= frozenset(said)
        if self.folder is None or (found := read_topic_terms(self.folder / TERMS_FILE)) is None:
            return False
        self.stamp = self._stamp()
        self.learning.beside |= frozenset(found.common)
        self._set_terms(found)
        return True

    def reload(self, tell: Callable[[str], None]) -> bool:
        """Read the file again if somebody has written to it; say whether the array changed."""
        stamp = self._stamp()
        if stamp in (self.stamp, (0, 0)):
            return False
        self.stamp = stamp
        try:
            found = read_topic_terms(self.folder / TERMS_FILE) if self.folder else None
        except ConfigError as error:
            tell(f"{error}; until then the words stay as they were")
            return False
        if found is None or found.values == self.terms.values:
            return False
        self._set_terms(found)
        return True

    def _set_terms(self, found: TopicTerms) -> None:
        self.terms = found
        if self.abilities.topic_terms:
            self.abilities.topic_terms.set_topic_terms(found)
        elif self.abilities.priors:
            self.abilities.priors.set_priors(found.values, source="search")

    def _stamp(self) -> tuple[int, int]:
        with suppress(OSError):
            if self.folder is not None:
                seen = (self.folder / TERMS_FILE).stat()
                return seen.st_mtime_ns, seen.st_size
        return 0, 0
