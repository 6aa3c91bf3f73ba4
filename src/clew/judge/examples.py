"""The `examples` judge: how much does a page speak like the pages the person showed."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from clew.errors import ConfigError
from clew.judge.example_pages import MOST, is_url, read_examples
from clew.judge.model_io import SavedJudge, Taught, read_kept, write_kept
from clew.judge.reasons import reasons
from clew.judge.similarity import ENOUGH, NO_EDITS, Edits, fit
from clew.judge.term_bags import Bag, TermIndex, counted, distinct
from clew.judge.term_list import TERM_LIST_FILE, Term, about_terms, edits, read_terms, telling
from clew.types import Label, Page, Verdict

OTHERS = 200
"""Pages of the crawl that are compared with; more made no difference on six recorded webs."""

LOOKS = (ENOUGH, 30, 100, OTHERS)
"""Other pages seen at which the judge thinks again; after the last its mind is made up, but for labels."""

GUESS = 0.9
"""The highest verdict as long as there are too few other pages to compare with."""

SHORT = 10
"""Distinct terms below which a page says too little to be compared with."""


class ExamplesJudge:
    """Compare a page with examples: the words they share, against those that pages of this crawl say anyway.

    Every page is a vector of its terms, rare ones weighing more. What the examples have in common, minus
    what the first 200 pages of the crawl have in common, gives each term a weight; the `terms` strongest
    count. The verdict is the probability that a page so near to the examples is on topic: 0.5 was right in
    three of four cases on recorded webs (docs/lab/judges.md). Three examples are a beginning, ten are good.

    `about` are the person's words, worth as much as two examples. `good` and `bad` are files, folders or
    finished crawls; addresses are learned when they arrive (`learn`). After the first pages the judge
    changes its mind only by labels. A label on a page that was labelled before replaces the older one.

    >>> from dataclasses import replace
    >>> from clew.testing import sample_page
    >>> def page(text, url="https://a.test/"):
    ...     return replace(sample_page(url, text=text), lang="en")
    >>> judge = ExamplesJudge(about="lighthouse keepers")
    >>> for n, text in enumerate(["Lighthouse keepers trim lamps.", "The lamp of a lighthouse."]):
    ...     judge.learn(Label(f"https://a.test/{n}", True, 0.0), page(text))
    >>> judge.judge(page("A keeper trims the lamp of the lighthouse.")).value > 0.5
    True
    >>> judge.judge(page("A recipe for onion soup.")).value < 0.05
    True

    Reference: J. J. Rocchio, "Relevance feedback in information retrieval", 1971, for the direction from
    other pages to the examples; the scale of the probabilities is our own.
    """

    name = "examples"

    def __init__(
        self, *, about: str = "", good: tuple[str, ...] = (), bad: tuple[str, ...] = (), terms: int = 500
    ) -> None:
        self.about = about
        self.good = good
        self.bad = bad
        self.terms = terms
        self._book = TermIndex()
        self._taught: dict[str, Taught] = {}
        self._others: dict[str, Bag] = {}
        self._looked = 0
        self._likeness: SavedJudge | None = None
        self._langs: Counter[str] = Counter()
        self._read = False
        self._learned = 0
        self._list: Path | None = None
        self._list_at = 0
        self._edits: Edits = NO_EDITS
        self._trouble = ""

    @property
    def learned(self) -> int:
        return self._learned

    @property
    def shown(self) -> bool:
        """Whether there is a page on the topic to compare with."""
        return any(word.good for word in self._taught.values())

    def see(self, page: Page) -> None:
        """Count a page among the others without judging it."""
        self._look(page, counted(page))

    def prepare(self) -> None:
        """Read the examples that lie on this computer."""
        if self._read:
            return
        self._read = True
        for names, liked in ((self.good, True), (self.bad, False)):
            for example in read_examples(names):
                bag = self._book.bag(counted(example.page), example.page.lang)
                if example.good:
                    self._taught[example.name] = Taught(liked, 0.0, bag, here=True)
                elif liked and len(self._others) < OTHERS:
                    self._others[example.name] = bag
        self._likeness = None

    def judge(self, page: Page) -> Verdict:
        self.prepare()
        counts = counted(page)
        self._look(page, counts)
        likeness = self._likeness or self._think()
        if not self._taught and not self.about:
            waiting = any(map(is_url, self.good))
            return Verdict(0.0, ("no example has arrived yet",)) if waiting else Verdict(1.0, (NO_TOPIC,))
        raw, parts = likeness.weigh(counts)
        value = likeness.probability(raw) if parts else 0.0
        why = reasons(page, counts, parts, "your examples" if self._taught else "your words")
        if value < 0.5 and page.lang and self._langs and page.lang not in self._langs:  # noqa: PLR2004
            why += (f"it is in {page.lang}, your examples are in {', '.join(sorted(self._langs))}",)
        if len(self._others) < ENOUGH and not self.bad:
            value = min(value, GUESS)
            why += ("a first guess: too few other pages to compare with",)
        return Verdict(value, (*why, self._trouble) if self._trouble else why)

    def learn(self, label: Label, page: Page) -> None:
        """Take a person's word on a page; the last word counts, the same word twice counts once."""
        self.prepare()
        known = self._taught.get(label.url)
        if known is not None and known.at > label.at:
            return
        self._taught[label.url] = Taught(label.relevant, label.at, self._book.bag(counted(page), page.lang))
        self._others.pop(label.url, None)
        self._likeness = None
        self._learned += 1

    def forget_label(self, url: str) -> None:
        """Take back what was learned from a page."""
        if self._taught.pop(url, None) is not None:
            self._likeness = None
            self._learned += 1

    def propose_terms(self) -> list[Term]:
        """Return the terms that count, strongest first."""
        self.prepare()
        return telling(self._likeness or self._think())

    def save(self, folder: Path) -> None:
        """Keep examples and other pages, as counted terms, in `judge.tsv`."""
        likeness = self._likeness or self._think()
        write_kept(
            folder, self.name, self.about,
            book=self._book, learned=likeness, taught=self._taught, others=self._others,
        )  # fmt: skip

    def load(self, folder: Path) -> None:
        """Know again what was kept, and heed the list of terms in the same folder from now on.

        Files that the goal names itself are read instead of those that were kept.
        """
        self._list, self._list_at = folder / TERM_LIST_FILE, 0
        self._heed(strict=True)
        kept = read_kept(folder, self.name, self._book)
        if kept is None:
            return
        own = any(not is_url(name) for name in self.good)
        taught, self._others = kept
        old = {url: word for url, word in taught.items() if not (word.here and own)}
        self._taught = {**old, **self._taught}
        self._likeness = None
        self._looked = max((look for look in LOOKS if look <= len(self._others)), default=0)

    def _look(self, page: Page, counts: Mapping[str, int]) -> None:
        """Count a page among the others; think again when there are enough new ones."""
        self._heed()
        seen = len(self._others)
        if self._looked >= OTHERS or page.url in self._others or page.url in self._taught:
            return
        if seen in LOOKS and seen > self._looked:
            self._looked, self._likeness = seen, None
            self._learned += 1
        if seen < OTHERS and len(counts) >= SHORT:
            self._others[page.url] = self._book.bag(counts, page.lang)

    def _heed(self, *, strict: bool = False) -> None:
        """Read the person's list of terms when it has changed; a slip while the crawl runs only gets told."""
        if self._list is None:
            return
        try:
            changed = os.stat(self._list).st_mtime_ns  # noqa: PTH116 - asked for every page
        except OSError:
            changed = 0
        if changed == self._list_at:
            return
        self._list_at, self._trouble = changed, ""
        try:
            lang = max(self._langs, key=lambda name: self._langs[name], default="")
            self._edits = edits(read_terms(self._list), lang)
        except ConfigError as error:
            if strict:
                raise
            self._trouble = str(error)
        self._likeness = None

    def _think(self) -> SavedJudge:
        """Learn from all that is known by now."""
        good, bad = (self._bags(liked) for liked in (True, False))
        self._langs = Counter(bag.lang for bag in good if bag.lang)
        self._likeness = self._fit(good, bad, list(self._others.values()))
        return self._likeness

    def _fit(self, good: list[Bag], bad: list[Bag], others: list[Bag]) -> SavedJudge:
        words = about_terms(self.about, [bag.lang for bag in good or others])
        return fit(
            self._book, good, bad, others, about=[self._book.number(word) for word in words],
            most=self.terms, edits=self._edits,
        )  # fmt: skip

    def _bags(self, liked: bool) -> list[Bag]:
        """Return the examples of one kind, each only once, those with words in them."""
        return distinct(
            _latest(word for word in self._taught.values() if word.good is liked and len(word.bag))
        )


NO_TOPIC = "no topic was given, every page is wanted"


def _latest(words: Iterable[Taught]) -> list[Bag]:
    """Return the bags of the last words a person said, as many as make a difference."""
    return [word.bag for word in sorted(words, key=lambda word: word.at)[-2 * MOST :]]
