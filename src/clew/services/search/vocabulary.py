"""The topic terms of a crawl: learned from pages, saved to a file that users may edit, used by the policy."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from clew.domain.topic_terms import TERMS_FILE, TopicTerms, read_topic_terms, write_topic_terms
from clew.errors import ConfigError
from clew.registry.capabilities import RankerCapabilities
from clew.services.search.term_learning import TermLearning
from clew.types import Page

STOPWORDS = "stopwords.txt"
"""Stop words learned from searches for other topics, in addition to those of each language."""

FIRST_PAGES = 10
"""Relevant pages before the terms are learned for the first time."""

GROWTH = 1.5
"""The terms are learned again when the number of relevant pages has grown by this factor."""

MAX_PAGES = 300
"""Maximum pages counted: by then the order of the terms no longer changes."""


@dataclass(slots=True, kw_only=True)
class TopicVocabulary:
    """Hold the topic terms, and pass them to the policy whenever they change.

    `folder` is `models/` of the crawl, None if nothing is saved. `due` is the number of pages after which
    the terms are learned again. A file that was edited by hand is never overwritten.
    """

    abilities: RankerCapabilities
    folder: Path | None = None
    most_terms: int = 1000
    terms: TopicTerms = field(default_factory=TopicTerms)
    learning: TermLearning = field(default_factory=TermLearning)
    due: float = FIRST_PAGES
    published_pages: int = 0
    stamp: tuple[int, int] = (0, 0)

    @property
    def required(self) -> bool:
        """Whether the policy ranks by the topic terms."""
        return self.abilities.topic_terms is not None

    @property
    def useful(self) -> bool:
        """Whether the policy ranks by the topic terms, or takes them as priors."""
        return self.required or self.abilities.priors is not None

    def learn(self, page: Page) -> bool:
        """Learn from a relevant page; return whether it is time to publish."""
        if self.learning.pages < MAX_PAGES:
            self.learning.add_relevant(page)
        return self.learning.pages >= self.due

    def defer_terms(self) -> None:
        """Give the policy no terms until all are learned, not even those of the goal: no link is followed."""
        self.due = inf
        if self.required and not len(self.terms):
            self._set_terms(TopicTerms(edited=True))
            self.terms = TopicTerms()

    def learn_irrelevant(self, page: Page) -> bool:
        """Learn stop words from an irrelevant page; return whether it is time to publish."""
        return self.learning.add_irrelevant(page) and self.learning.pages > 0

    def publish(self) -> bool:
        """Replace the terms by those learned, unless the user has edited them; return if they changed."""
        self.due, self.published_pages = max(FIRST_PAGES, self.learning.pages * GROWTH), self.learning.pages
        found = self.learning.topic_terms(self.most_terms)
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
        """Whether pages were counted since the terms were published."""
        return not self.terms.edited and self.learning.pages > self.published_pages

    def load(self) -> bool:
        """Read the files, if there are any; return whether there were terms."""
        if self.folder is not None and (stops := self.folder / STOPWORDS).exists():
            lines = stops.read_text("utf-8", errors="replace").splitlines()
            words = (word for line in lines if not line.startswith("#") for word in line.split())
            self.learning.extra_stop_words |= frozenset(words)
        if self.folder is None or (found := read_topic_terms(self.folder / TERMS_FILE)) is None:
            return False
        self.stamp = self._stamp()
        self.learning.extra_stop_words |= frozenset(found.common)
        self._set_terms(found)
        return True

    def reload(self, notify: Callable[[str], None]) -> bool:
        """Read the file again if it was changed; return whether the terms changed."""
        stamp = self._stamp()
        if stamp in (self.stamp, (0, 0)):
            return False
        self.stamp = stamp
        try:
            found = read_topic_terms(self.folder / TERMS_FILE) if self.folder else None
        except ConfigError as error:
            notify(f"{error}; until then the previous terms are used")
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
                status = (self.folder / TERMS_FILE).stat()
                return status.st_mtime_ns, status.st_size
        return 0, 0
