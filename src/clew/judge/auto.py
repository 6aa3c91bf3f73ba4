"""The `auto` judge: the goal's words, its examples, and the words of pages read so far that go with them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from clew.domain.learned_state import State, StateRead, nested, part
from clew.domain.text.page_terms import term_id
from clew.judge.examples import ExamplesJudge
from clew.judge.model_io import TermModel
from clew.judge.page_sample import PageSample, SampledPage
from clew.judge.reasons import shared_words
from clew.judge.self_training import WordModel, train
from clew.judge.shared_pages import SharedPages, unpack
from clew.judge.term_list import Term
from clew.judge.term_vectors import Column, TermVector, bag_of
from clew.judge.words import WordsJudge
from clew.types import Label, Page, TermBag, Verdict

Floats = TypeVar("Floats", float, Column)

REFIT_AT = (10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480)
"""Numbers of sampled pages at which the words of the crawl are learned anew."""

LEAST_WITH_EXAMPLES = 30
"""Sampled pages before that begins for a goal of words and relevant examples, without irrelevant ones."""

SHARE, HALF_SHARE = 0.65, 40.0
"""Share of what the crawl has taught in the log-odds of a verdict, after many pages; half of it after 40."""

TAUGHT_SHARE = 0.25
"""What is added to that share when the user has labelled many pages as relevant and many as not."""

MIN_BASE = 0.03
"""Verdicts by words and examples below this one are all the same: certainty needs more evidence."""

ENOUGH_PAGES = 60
"""Pages that are read before the mean of words and examples is raised in full: with 40 it was as good."""

MIN_TERMS = 10
"""Minimum distinct terms of a page to learn from."""

MIN_CHANGE = 0.05
"""A smaller difference that the crawl's words make is not named among the reasons."""


class AutoJudge:
    """Judge by words and examples, and by the words that occur with them on the pages of this crawl.

    1. `words` judges until there is an example or a label; then the verdict is the mean of `words` and
       `examples`, and its square root when 60 pages were read: peculiarities of the examples' site may pass
       for the topic, at first most of all, and a list of links to relevant pages need not be similar to them.
    2. A linear model of all words of a page, menus and breadcrumbs too, learns these verdicts on a sample of
       the pages read so far (`self_training`); the log-odds of both are averaged. Labels of both kinds raise
       its share and outweigh those verdicts. With each fit the sampled pages are judged again, for the policy
       (`take_revisions`): it learned its first lessons from guesses.

    Without words only the examples are used. Labels count most: they change both.

    >>> from clew.testing import sample_page
    >>> judge, page = AutoJudge(about="fog signal"), sample_page(text="The fog signal of the lighthouse.")
    >>> judge.judge(page).why
    ('"signal" 1×', '"fog" 1×')
    >>> judge.learn(Label("https://a.test/", True, 0.0), page)
    >>> judge.judge(page).why[0].partition(":")[0]
    'like your examples'
    """

    needs_terms = True

    def __init__(self, *, about: str = "", good: tuple[str, ...] = (), bad: tuple[str, ...] = ()) -> None:
        self.about = about
        self.good = good
        self.bad = bad
        self._words = WordsJudge(about=about)
        self._examples = _Examples(about=about, good=good, bad=bad)
        self._sample = PageSample()
        self._shared = SharedPages()
        self._added = 0
        self._model: WordModel | None = None
        self._taught = 0.0  # how much labels have taught, from 0 to 1
        self._levels = _Levels.of(np.empty(0), np.empty(0))
        self._revision = 0
        self._revised: dict[str, float] = {}
        self._names_seen = 0
        self._name_of: dict[int, str] = {}

    @property
    def learned(self) -> int:
        return self._examples.learned + self._added

    def prepare(self) -> None:
        """Read the examples that are local files."""
        self._examples.prepare()

    def judge(self, page: Page) -> Verdict:
        by_words = self._words.judge(page) if self.about else None
        first = self._first_verdict(page, by_words)
        if not (self._words.has_terms or self._examples.has_examples):
            return first
        bag = bag_of(page)
        is_new = self._sample.takes(page.url)
        self._refresh(is_new=is_new)
        verdict = self._combined(first, bag, page)
        if is_new and len(bag) >= MIN_TERMS:
            sampled = SampledPage(bag, by_words.value if by_words else None)
            self._sample.add(page.url, sampled)
            self._added += 1
            if self._sample.fitted < REFIT_AT[-1]:
                self._shared.add(page.url, sampled)
        return verdict

    def learn(self, label: Label, page: Page) -> None:
        self._examples.learn(label, page)

    def forget_label(self, url: str) -> None:
        """Undo what was learned from a page."""
        self._examples.forget_label(url)

    def take_pages(self) -> bytes:
        """Return the pages that were sampled since the last call, as long as further ones are learned."""
        return self._shared.take()

    def take_revisions(self) -> Mapping[str, float]:
        """Return the verdicts that sampled pages would get now, if a fit to new pages has changed them."""
        revised, self._revised = self._revised, {}
        return revised

    def learn_pages(self, packed: bytes) -> None:
        """Add pages that another engine of this crawl has read to the sample."""
        for url, page in unpack(packed):
            if self._sample.takes(url):
                self._sample.add(url, page)
                self._added += 1

    def propose_terms(self) -> list[Term]:
        """Return the terms with a weight, strongest first."""
        return self._examples.propose_terms()

    def save(self, folder: Path) -> None:
        """Write examples and background pages to `judge.tsv`, the sample of pages to `pages.tsv`."""
        self._examples.save(folder)
        self._sample.save(folder)

    def load(self, folder: Path) -> None:
        """Restore both, and with them the model that was in use."""
        self._examples.load(folder)
        self._sample.load(folder)
        self._revision = self._examples.revision
        self._model = self._train() if self._sample.fitted else None
        self._revised = {}

    def learned_state(self) -> State:
        """Return all that was learned: with it a crawl goes on as if it had not stopped."""
        model = {} if self._model is None else self._model.learned_state()
        levels = {"averaged": self._levels.averaged, "first": self._levels.first}
        counts = np.array([self._added, self._taught, self._revision])
        return {"counts": counts} | nested(
            examples=self._examples.learned_state(), sample=self._sample.learned_state(),
            model=model, levels=levels,
        )  # fmt: skip

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        self._examples.restore_state(part(state, "examples"))
        self._sample.restore_state(part(state, "sample"))
        model, levels = part(state, "model"), part(state, "levels")
        added, self._taught, revision = state["counts"].tolist()
        self._added, self._revision = int(added), int(revision)
        self._model = WordModel.of(model) if model else None
        self._levels = _Levels.of(levels["averaged"], levels["first"])
        self._names_seen, self._name_of = 0, {}

    def _first_verdict(self, page: Page, by_words: Verdict | None) -> Verdict:
        """Judge by words and examples alone."""
        if by_words is not None and not self._examples.has_examples:
            self._examples.add_other(page)
            return by_words
        by_examples = self._examples.judge(page)
        if not self._examples.has_examples:
            return by_examples
        named = tuple(why for why in by_words.why if why.startswith('"')) if by_words else ()
        pages = len(self._sample) - (page.url in self._sample.pages)
        value = _mean(by_words.value if by_words else None, by_examples.value, pages)
        return Verdict(value, by_examples.why + named)

    def _refresh(self, *, is_new: bool) -> None:
        """Learn the words of the crawl anew after labels, and at a new page when enough have come since."""
        sample, relabelled = self._sample, self._revision != self._examples.revision
        if relabelled or (is_new and any(sample.fitted < size <= len(sample) for size in REFIT_AT)):
            self._revision, sample.fitted = self._examples.revision, len(sample)
            self._model = self._train()

    def _train(self) -> WordModel | None:
        """Fit the model to the labelled pages, and to the first verdicts on the sampled ones."""
        sampled = {
            url: page
            for url, page in list(self._sample.pages.items())[: self._sample.fitted]
            if not self._examples.is_labelled(url)
        }
        first_values = list(map(self._first_value, sampled.values()))
        good, bad = self._examples.labelled_bags()
        known = len(good) + len(bad)
        if len(sampled) < (LEAST_WITH_EXAMPLES if self.about and good and not bad else REFIT_AT[0]):
            self._taught, self._revised = 0.0, dict(zip(sampled, first_values, strict=True))
            return None
        labels = np.full(known + len(sampled), np.nan)
        labels[:known] = [1.0] * len(good) + [0.0] * len(bad)
        guesses = list(map(_log_odds, first_values))
        bags = [*good, *bad, *(page.bag for page in sampled.values())]
        removed = np.array([term_id(term) for term in self._examples.removed_terms], np.uint32)
        first = np.array([0.0] * known + guesses)
        model = train(bags, first, labels, removed)
        self._taught = model.taught
        self._levels = _Levels.of(self._averaged(first[known:], model.unseen[known:]), first[known:])
        values = map(self._probability, guesses, model.fitted[known:].tolist())
        self._revised = dict(zip(sampled, values, strict=True))
        return model

    def _first_value(self, page: SampledPage) -> float:
        if page.by_words is None or self._examples.has_examples:
            return _mean(page.by_words, self._examples.value_of(page.bag), self._sample.fitted)
        return page.by_words

    def _combined(self, first: Verdict, bag: TermBag, page: Page) -> Verdict:
        """Return the first verdict, corrected by the model; say what made a difference."""
        if self._model is None:
            return first
        learned, ids, parts = self._model.score(bag)
        value, alone = self._probability(_log_odds(first.value), learned), first.value
        if abs(value - alone) < MIN_CHANGE:
            return Verdict(value, first.why)
        words = shared_words(page, bag, ids, parts if value > alone else -parts, self._names())
        change = f"{'raised' if value > alone else 'lowered'} from {alone:.2f} by words of this crawl's pages"
        return Verdict(value, (*first.why, f"{change}: {words}" if words else change))

    def _probability(self, first: float, learned: float) -> float:
        """Return the verdict for the log-odds of the first verdict and of the model."""
        odds = self._levels.raised(float(self._averaged(first, learned)))
        return 1 / (1 + math.exp(-odds))

    def _averaged(self, first: Floats, learned: Floats) -> Floats:
        """Average log-odds: the more pages and labels the model was fitted to, the more it counts."""
        share = SHARE + TAUGHT_SHARE * self._taught
        share *= self._sample.fitted / (self._sample.fitted + HALF_SHARE * (1 - self._taught))
        return first + share * (learned - first)

    def _names(self) -> dict[int, str]:
        """Return the terms whose hashed ids are known by name."""
        names = self._examples.term_names
        for name in names[self._names_seen :]:
            self._name_of[term_id(name)] = name
        self._names_seen = len(names)
        return self._name_of


class _Examples(ExamplesJudge):
    """Examples among which irrelevant ones are background pages like any other.

    The word model learns from them what makes a page irrelevant. Here a dozen pages near the topic that were
    labelled as irrelevant would lower the verdicts on relevant pages, too.
    """

    def _fit(self, good: list[TermVector], bad: list[TermVector], others: list[TermVector]) -> TermModel:
        return super()._fit(good, [], [*others, *bad])


@dataclass(frozen=True, slots=True)
class _Levels:
    """Keep averaged log-odds at the level of first verdicts, by rank among the sampled pages.

    The model is fitted to a few relevant pages among many, so its log-odds are low: the best pages
    would sink below the line. As many pages of the sample stay above any level as by first verdicts;
    a page that the average raises further keeps that.
    """

    averaged: Column
    first: Column

    @classmethod
    def of(cls, averaged: Column, first: Column) -> "_Levels":
        """Make the map from the same pages by both."""
        return cls(np.sort(averaged), np.sort(first))

    def raised(self, odds: float) -> float:
        """Return averaged log-odds, or the first verdict's at the same rank if that is higher."""
        if not len(self.averaged):
            return odds
        ranked = float(np.interp(odds, self.averaged, self.first))
        if ranked <= self.first[0]:
            return odds  # first verdicts do not tell the pages at the bottom apart
        return max(odds, ranked + max(0.0, odds - float(self.averaged[-1])))


def _mean(by_words: float | None, by_examples: float, pages: int) -> float:
    """Combine the verdicts of words and examples, or of examples alone, with so many pages read before.

    Compared with many pages, those on the topic start at a mean of a quarter: its square root is the verdict.
    Compared with few, every page of the examples' site is similar to them: at first the mean itself counts.

    >>> [round(_mean(0.4, 0.2, pages), 2) for pages in (0, 30, 60, 200)]
    [0.3, 0.41, 0.55, 0.55]
    """
    mean = by_examples if by_words is None else (by_words + by_examples) / 2
    return math.pow(mean, 1 - 0.5 * min(1.0, pages / ENOUGH_PAGES))


def _log_odds(value: float) -> float:
    value = min(max(value, MIN_BASE), 1 - MIN_BASE)
    return math.log(value / (1 - value))
