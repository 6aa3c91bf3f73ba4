"""Train a judge by searching: what is found for the topic is right, what for other subjects is not."""

from dataclasses import dataclass, field
from typing import Any

from clew.contracts import Judge
from clew.engine.engine import Engine
from clew.registry import capabilities
from clew.types import Page

OTHERS = "to learn what the topic is not"
TIMES = 10
"""So many times as many irrelevant pages as relevant ones: the paper's 50 and 500."""

MIN_GOOD = 5
"""Relevant pages that are used in any case, however few irrelevant ones there are."""

ALMOST_ALL = 0.8
"""Share of the training pages from which on a judge that calls them relevant is doubted."""

ALL_BUT = 0.1
"""Share of the pages to learn from that need not have come before what was learned counts."""


@dataclass(slots=True, kw_only=True)
class JudgeTraining:
    """Collect pages for a judge with the verb `train(good, bad)`; others need none of this.

    With `has_examples` the user has given pages of both kinds, and none are searched for.
    `good` and `bad` are links still to be read; `pages` those that were, whether they are right, and whether
    they were thought to be.
    """

    judge: Judge
    has_examples: bool = False
    good: set[int] = field(default_factory=set)
    bad: set[int] = field(default_factory=set)
    pages: dict[str, tuple[Page, bool, bool]] = field(default_factory=dict)
    size: int = 0

    @property
    def wanted(self) -> bool:
        """Whether the judge needs pages to be trained on."""
        return not self.has_examples and capabilities.of_judge(self.judge).trainable is not None

    def expect(self, links: set[int], good: bool) -> None:
        """Wait for these pages."""
        (self.good if good else self.bad).update(links)
        self.size = len(self.good) + len(self.bad)

    def see(self, link: int, target: int, page: Page, relevant: bool) -> None:
        """Take a page that came, or what it redirects to."""
        for waiting, liked in ((self.good, True), (self.bad, False)):
            if link in waiting:
                waiting.discard(link)
                waiting.update([target] if target else ())
                if page.text and not page.redirect:
                    self.pages[page.url] = page, liked, relevant

    @property
    def home(self) -> bool:
        """Whether nearly all pages have come."""
        return len(self.good) + len(self.bad) <= ALL_BUT * self.size

    @property
    def due(self) -> bool:
        """Whether enough has come to teach the judge."""
        return self.size > 0 and self.home

    def teach(self) -> str:
        """Let the judge learn, and say from what; empty when there was nothing."""
        good, bad = (
            [page for page, liked, _ in self.pages.values() if liked is kind] for kind in (True, False)
        )
        self.size = 0
        if not good or not bad:
            return ""
        good = good[: max(MIN_GOOD, len(bad) // TIMES)]
        judge: Any = self.judge
        judge.train(good, bad)
        self.pages.clear()
        return (
            f"the judge learned from {len(good)} pages found for the topic and {len(bad)} for other subjects"
        )


def train_judge(training: JudgeTraining, engine: Engine) -> list[str]:
    """Train the judge, and rejudge the pages it was trained on; return what to tell the user."""
    pages = list(training.pages.values())
    if not (answers := training.teach()):
        return []
    kept = 0
    for page, _, relevant in pages:
        verdict, fits = engine.evaluation.rejudge(page)
        engine.store.revise(page.link.id, verdict, fits)
        engine.totals.relevant += fits - relevant
        kept += fits
    if kept > ALMOST_ALL * len(pages):
        answers += (
            f"; it now calls {kept:,} of them relevant, nearly all: give example pages (goal.good, goal.bad)"
        )
    return [answers]
