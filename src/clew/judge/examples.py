"""The `examples` judge: how similar is a page to the user's example pages?"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from clew.domain.learned_state import State, StateRead, nested, packed, part, unpacked
from clew.judge.example_pages import MAX_EXAMPLES, is_url, read_examples
from clew.judge.model_io import LabelledPage, TermModel, read_judge, write_judge
from clew.judge.reasons import reasons
from clew.judge.similarity import MIN_OTHERS, fit
from clew.judge.term_list import TERM_LIST_FILE, EditedTerms, Term, about_terms, ranked_terms
from clew.judge.term_vectors import (
    TermIndex,
    TermVector,
    bag_of,
    distinct,
    vectors_of,
    vectors_state,
)
from clew.types import Label, Page, TermBag, Verdict

MAX_OTHERS = 200
"""Background pages of the crawl; more made no difference on six recorded webs."""

REFIT_AT = (MIN_OTHERS, 30, 100, MAX_OTHERS)
"""Numbers of background pages at which the model is refitted; after the last only labels change it."""

MAX_FIRST_GUESS = 0.9
"""The highest verdict as long as there are too few background pages to compare with."""

MIN_TERMS = 10
"""Minimum distinct terms of a background page."""


class ExamplesJudge:
    """Compare a page with examples: words they share, against words common on all pages of this crawl.

    Every page is a vector of its terms, weighted by rarity. What the examples have in common, minus
    what the first 200 pages of the crawl have in common, gives each term a weight; the `terms` strongest
    count. The verdict is the probability that a page with this similarity is on topic: 0.5 was right in
    three of four cases on recorded webs (docs/lab/judges.md). Three examples are a start, ten are good.

    `about` are the user's words, worth as much as two examples. `good` and `bad` are files, folders or
    finished crawls; URLs are learned when they are fetched (`learn`). After the first pages only labels
    change the model. A label on a page that was labelled before replaces the older one.

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
    other pages to the examples; the calibration of the probabilities is our own.
    """

    name = "examples"
    needs_terms = True

    def __init__(
        self, *, about: str = "", good: tuple[str, ...] = (), bad: tuple[str, ...] = (), terms: int = 500
    ) -> None:
        self.about = about
        self.good = good
        self.bad = bad
        self.terms = terms
        self._index = TermIndex()
        self._labelled: dict[str, LabelledPage] = {}
        self._others: dict[str, TermVector] = {}
        self._fitted_others = -1
        self._model: TermModel | None = None
        self._langs: Counter[str] = Counter()
        self._examples_read = False
        self._learned = 0
        self._revision = 0
        self._edited = EditedTerms()
        self._saved: tuple[object, ...] = ()

    @property
    def learned(self) -> int:
        return self._learned

    @property
    def has_examples(self) -> bool:
        """Whether there is a relevant page to compare with."""
        return any(page.relevant for page in self._labelled.values())

    @property
    def revision(self) -> int:
        """A number that changes with every label and every change of the term list."""
        return self._revision

    @property
    def removed_terms(self) -> Collection[str]:
        """The terms that the user has struck off the list."""
        return self._edited.edits.removed

    @property
    def term_names(self) -> list[str]:
        """The terms of examples and background pages."""
        return self._index.names

    def is_labelled(self, url: str) -> bool:
        """Tell whether the user has labelled this page."""
        return url in self._labelled

    def labelled_bags(self) -> tuple[list[TermBag], list[TermBag]]:
        """Return the terms of the relevant and of the irrelevant examples."""
        good, bad = (self._examples_of(relevant) for relevant in (True, False))
        return [self._index.bag(page) for page in good], [self._index.bag(page) for page in bad]

    def add_other(self, page: Page) -> None:
        """Use a page as background without judging it."""
        self._add_other(page)

    def value_of(self, bag: TermBag) -> float:
        """Return the verdict on a page of which only the terms are known."""
        model = self._model or self._refit()
        scored = model.score(bag)
        value = model.probability(scored.raw) if len(scored) else 0.0
        return value if len(self._others) >= MIN_OTHERS or self.bad else min(value, MAX_FIRST_GUESS)

    def prepare(self) -> None:
        """Read the examples that are local files."""
        if self._examples_read:
            return
        self._examples_read = True
        for names, relevant in ((self.good, True), (self.bad, False)):
            for example in read_examples(names):
                counts = self._index.encode_page(example.page)
                if example.good:
                    self._labelled[example.name] = LabelledPage(relevant, 0.0, counts, local=True)
                elif relevant and len(self._others) < MAX_OTHERS:
                    self._others[example.name] = counts
        if self.good or self.bad:
            self._model, self._fitted_others = None, -1

    def judge(self, page: Page) -> Verdict:
        self.prepare()
        self._add_other(page)
        model = self._model or self._refit()
        if not self._labelled and not self.about:
            waiting = any(map(is_url, self.good))
            return Verdict(0.0, ("no example has arrived yet",)) if waiting else Verdict(1.0, (NO_TOPIC,))
        scored = model.score(bag_of(page))
        value = model.probability(scored.raw) if len(scored) else 0.0
        why = reasons(page, scored, "your examples" if self._labelled else "your words")
        if value < 0.5 and page.lang and self._langs and page.lang not in self._langs:  # noqa: PLR2004
            why += (f"it is in {page.lang}, your examples are in {', '.join(sorted(self._langs))}",)
        if len(self._others) < MIN_OTHERS and not self.bad:
            value = min(value, MAX_FIRST_GUESS)
            why += ("a first guess: too few other pages to compare with",)
        return Verdict(value, (*why, self._edited.error) if self._edited.error else why)

    def learn(self, label: Label, page: Page) -> None:
        """Learn the label of a page; the latest label counts, and a repeated one counts once."""
        self.prepare()
        known = self._labelled.get(label.url)
        if known is not None and known.at > label.at:
            return
        self._labelled[label.url] = LabelledPage(label.relevant, label.at, self._index.encode_page(page))
        self._others.pop(label.url, None)
        self._forget_model()

    def forget_label(self, url: str) -> None:
        """Undo what was learned from a page."""
        if self._labelled.pop(url, None) is not None:
            self._forget_model()

    def propose_terms(self) -> list[Term]:
        """Return the terms with a weight, strongest first."""
        self.prepare()
        return ranked_terms(self._model or self._refit())

    def save(self, folder: Path) -> None:
        """Write the term counts of examples and background pages to `judge.tsv`, if they have changed."""
        model = self._model or self._refit()
        state = (folder, self._learned, self._revision, self._fitted_others)
        if state == self._saved:
            return
        write_judge(
            folder, self.name, self.about,
            index=self._index, learned=model, labelled=self._labelled, others=self._others,
            fitted=self._fitted_others,
        )  # fmt: skip
        self._saved = state

    def load(self, folder: Path) -> None:
        """Restore the saved model, and follow the list of terms in the same folder from now on.

        Local files that the goal names are read again instead of their saved counts.
        """
        self._edited = EditedTerms(folder / TERM_LIST_FILE)
        self._reload_terms(strict=True)
        saved = read_judge(folder, self.name, self._index)
        if saved is None:
            return
        has_local_examples = any(not is_url(name) for name in self.good)
        labelled, self._others, self._fitted_others = saved
        restored = {url: page for url, page in labelled.items() if not (page.local and has_local_examples)}
        self._labelled = {**restored, **self._labelled}
        self._model = None

    def learned_state(self) -> State:
        """Return examples and background pages, with the terms that the saved model leaves out."""
        labelled = list(self._labelled.values())
        facts = {
            "names": self._index.names, "edits": self._edited.as_values(), "others": list(self._others),
            "labelled": [(url, page.relevant, page.at, page.local) for url, page in self._labelled.items()],
            "fitted": self._fitted_others, "learned": self._learned, "revision": self._revision,
        }  # fmt: skip
        pages = vectors_state([page.counts for page in labelled])
        others = vectors_state(list(self._others.values()))
        return {"facts": packed(facts)} | nested(labelled=pages, others=others)

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned, with local files and the term list as they are now."""
        facts = unpacked(state["facts"])
        local = {url: self._terms_of(page) for url, page in self._labelled.items() if page.local}
        self._index.restore_state(facts["names"])
        self._labelled = {
            url: LabelledPage(relevant, at, counts, is_file)
            for (url, relevant, at, is_file), counts in zip(
                facts["labelled"], vectors_of(part(state, "labelled")), strict=True
            )
        }
        self._others = dict(zip(facts["others"], vectors_of(part(state, "others")), strict=True))
        self._fitted_others, self._learned = facts["fitted"], facts["learned"]
        self._revision, self._model = facts["revision"], None
        saved = {url: self._terms_of(page) for url, page in self._labelled.items() if page.local}
        if saved != local or facts["edits"] != self._edited.as_values():
            self._take_local(local)

    def _take_local(self, pages: Mapping[str, tuple[bool, str, dict[str, float]]]) -> None:
        """Use these local files in the place of those that were known."""
        self._labelled = {url: page for url, page in self._labelled.items() if not page.local}
        for url, (relevant, lang, counts) in pages.items():
            self._labelled[url] = LabelledPage(relevant, 0.0, self._index.encode(counts, lang), local=True)
        self._forget_model()

    def _terms_of(self, page: LabelledPage) -> tuple[bool, str, dict[str, float]]:
        """Return whether an example is relevant, its language, and its terms with their counts."""
        names = (self._index.names[id] for id in page.counts.ids.tolist())
        return page.relevant, page.counts.lang, dict(zip(names, page.counts.counts.tolist(), strict=True))

    def _add_other(self, page: Page) -> None:
        """Use a page as background; mark the model for a refit when there are enough new ones."""
        self._reload_terms()
        seen = len(self._others)
        if self._fitted_others >= MAX_OTHERS or page.url in self._others or page.url in self._labelled:
            return
        if seen in REFIT_AT and seen > self._fitted_others:
            self._fitted_others, self._model = seen, None
        if seen < MAX_OTHERS and len(bag_of(page)) >= MIN_TERMS:
            self._others[page.url] = self._index.encode_page(page)
            self._learned += 1

    def _reload_terms(self, *, strict: bool = False) -> None:
        """Reload the user's list of terms if it has changed; an error is raised only if `strict`."""
        if self._edited.reload(self._langs, strict=strict):
            self._model = None
            self._revision += 1

    def _forget_model(self) -> None:
        """Mark the model for a refit with all labels and background pages."""
        self._model, self._fitted_others = None, -1
        self._learned += 1
        self._revision += 1

    def _refit(self) -> TermModel:
        """Fit the model to all current examples and background pages."""
        good, bad = (self._examples_of(relevant) for relevant in (True, False))
        self._langs = Counter(page.lang for page in good if page.lang)
        if self._fitted_others < 0:
            self._fitted_others = len(self._others)
        others = list(self._others.values())[: self._fitted_others]
        self._model = self._fit(good, bad, others)
        return self._model

    def _fit(self, good: list[TermVector], bad: list[TermVector], others: list[TermVector]) -> TermModel:
        words = about_terms(self.about, [page.lang for page in good or others])
        return fit(
            self._index, good, bad, others, about=[self._index.id_of(word) for word in words],
            most=self.terms, edits=self._edited.edits,
        )  # fmt: skip

    def _examples_of(self, relevant: bool) -> list[TermVector]:
        """Return the distinct examples of one kind that contain terms."""
        return distinct(
            _latest(
                page for page in self._labelled.values() if page.relevant is relevant and len(page.counts)
            )
        )


NO_TOPIC = "no topic was given, every page is wanted"


def _latest(pages: Iterable[LabelledPage]) -> list[TermVector]:
    """Return the term counts of the latest labelled pages, at most twice the maximum of examples."""
    return [page.counts for page in sorted(pages, key=lambda page: page.at)[-2 * MAX_EXAMPLES :]]
