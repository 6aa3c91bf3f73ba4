"""Ariadne: a link classifier that learns, while it crawls, from the pages its links have led to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from clew import urls
from clew.contracts.option_types import NonNegative, Probability
from clew.domain.learned_state import State, Stateful, StateRead, restore_parts, states_of
from clew.errors import ConfigError
from clew.rank.shared.example_pages import ExamplePages
from clew.rank.shared.fitted_weights import FittedWeights
from clew.rank.shared.link_tokens import (
    EXPLORATION,
    EXPLORE_LOG_ODDS,
    EXPLORED,
    NO_TOKEN,
    PAGE,
    TEXT,
    URL,
    LinkTokens,
    NamedToken,
    mark_explored,
)
from clew.rank.shared.priors import Priors
from clew.rank.shared.refit_schedule import RefitSchedule
from clew.rank.shared.source_pages import SourcePages
from clew.rank.shared.token_model_file import read_token_model, write_token_model
from clew.rank.shared.token_stats import Floats, TokenStats, logistic, logit
from clew.rank.shared.training_set import TrainingSet
from clew.types import FeatureGroup, Features, Label, Link, Links, Outcome, Page, Scores, Weights

GROUPS = (
    FeatureGroup("source page", PAGE, 0.4),
    FeatureGroup("link text", TEXT, 0.4),
    FeatureGroup("URL", URL, 0.2),
)
"""The three feature groups with their initial weights: a URL tells less, in fewer words."""

BASE_RATE = "base rate"
"""The term that all explanations begin with: the log-odds of a link of which nothing else is known."""

PRIOR_SHARE = 0.15
"""The share of relevant pages that is expected before any was read."""

TERM_LOG_ODDS = 2.0
"""Prior log-odds of a word that the user typed: seven times the odds."""

_ADAPT = ("never", "once", "often")


class Ariadne:
    """Estimate by naive Bayes how likely a link leads to a relevant page, and learn while crawling.

    Three feature groups (source page, link text, URL) each give a probability; the score is their weighted
    sum. It reorders links; it never discards one.

    **At first** the probabilities come from the words of the goal, the verdict on the source page, and the
    URLs and titles of example pages: tokens more frequent there than in links in general. On one page in
    five the link that looks worst gets a score near the top, so that enough bad links are followed, too.

    **Then** it learns from every link that was followed: words of link texts and URLs, directories and
    hosts, the verdict on the source page, and the outcomes of that page's other links (a page that led to
    relevant pages is a good source even if it is not relevant itself). Rare tokens are smoothed towards
    their parent. Verdicts count softly, 0.3 as three tenths of a relevant page; a label counts twice. The
    weights of groups are refitted by least squares to past verdicts, and all open links are scored again.

    **It refits** when the differences between score and verdict since the last time add up to a tenth of
    all before. A classifier that predicts well is left alone.

    `about`, `good` and `bad` are the goal, `seed` the random seed. `adapt` is `never`, `once` or `often`,
    `bad_links` the share of pages whose worst link is followed before the first refit, `between` the weight
    of cases that are neither easy nor hard (the paper leaves them out: 0).

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Ariadne(about="lighthouse page")
    >>> ranker.score(sample_outcome(0.5), sample_links(2)).astype(float).round(3).tolist()
    [0.432, 0.432]
    >>> for group, terms in ranker.explain_terms(sample_outcome(0.5), sample_links(1))[0].items():
    ...     print(f"{group}:", ", ".join(f"{term} {odds:+.2f}" for term, odds in terms))
    source page: base rate -1.73, its verdict +0.56, topic terms on it +0.94
    link text: base rate -1.73, page +2.00
    URL: base rate -1.73

    Reference: M. Ester, M. Groß, "Ariadne: ein fokussierter Web-Crawler mit adaptiver Klassifikation der
    Hyperlinks", extended abstract, Universität München, about 2000. Smoothing directories towards their
    parents, the outcomes of a page's other links and refitting by prediction error are ours.
    """

    needs_tokens: ClassVar[bool] = True
    groups: tuple[FeatureGroup, ...] = GROUPS
    first_fit: ClassVar[int] = 30
    """Followed links before the first refit."""
    refit_share: ClassVar[float] = 0.1
    """Refit when the error since the last time is so large a share of all error before."""
    model_file: ClassVar[str] = "links.tsv"
    """The file that the model is saved in."""

    def __init__(
        self,
        *,
        about: str = "",
        good: tuple[str, ...] = (),
        bad: tuple[str, ...] = (),
        seed: int = 0,
        adapt: Literal["never", "once", "often"] = "often",
        bad_links: Probability = 0.2,
        between: NonNegative = 1.0,
    ) -> None:
        self.about = about
        self.good = good
        self.bad = bad
        self.seed = seed
        self.adapt = adapt
        self.bad_links = bad_links
        self.between = between
        self.learned = 0
        self.stats = TokenStats()
        self.training = TrainingSet(columns=self.columns, groups=len(self.groups), between=between)
        self._tokens = LinkTokens(about)
        self._priors = Priors(self.stats, self._tokens)
        self._pages = SourcePages(self._tokens, self.stats)
        self._examples = ExamplePages(self.columns)
        self._schedule = RefitSchedule()
        start = PRIOR_SHARE, tuple(group.weight for group in self.groups)
        self._model = FittedWeights(weights=None, loaded=None, start=start)

    @property
    def columns(self) -> int:
        """The number of feature columns of all groups."""
        return sum(group.columns for group in self.groups)

    @property
    def refits(self) -> int:
        """How often the classifier was refitted."""
        return self._schedule.refits

    # ---- score links -------------------------------------------------------------------------------

    def features(self, source: Outcome, links: Links) -> Features:
        """Return the token ids of links; if there are examples, count them as background."""
        rows = self._rows(source, links)
        self._tokens.release()
        if len(self._examples) or self.good or self.bad:
            self._examples.count_links(rows)
        return rows

    def _rows(self, source: Outcome, links: Links) -> Features:
        """Return the token ids of links; they depend on the page, the links and the seed alone."""
        rows = self._tokens.rows(self._page_columns(source), links, self.columns)
        if self.bad_links and self.adapt != "never" and len(links):
            self._mark_bad_link(source.page.url, rows)
        return rows

    def score(self, source: Outcome, links: Links) -> Scores:
        return self._scores(self.group_chances(self.features(source, links)))

    def weights(self) -> Weights | None:
        """Return new weights if they have changed."""
        if self._model.weights is None:
            self._schedule.stale = False
            return self.current_weights()
        if not self._schedule.stale:
            restored, self._model.restored = self._model.restored, False
            return self._model.weights if restored else None
        self._schedule.stale = False
        self._model.weights = self._fit()
        return self._model.weights

    def group_chances(self, rows: Features) -> Floats:
        """Return the probability that each feature group gives to each row of features."""
        weights = self.current_weights()
        begin, offsets, _ = self._model.group_columns(weights)
        return logistic(np.add.reduceat(weights.table[rows], begin, axis=1) + offsets)

    def explain_terms(
        self, source: Outcome, links: Links, features: Features | None = None
    ) -> list[dict[str, list[tuple[str, float]]]]:
        """Return for each link and feature group the terms with their log-odds.

        The terms of a group add up to its log-odds, the base rate included. `features` are those
        stored with the links; without them they are computed again.
        """
        weights = self.current_weights()
        features = self._rows(source, links) if features is None else features
        explained = []
        for link, row in enumerate(features):
            terms, at = {}, 0
            for group, names in zip(weights.groups, self._token_names(row, links, link), strict=True):
                odds = weights.table[row[at : at + group.columns]].tolist()
                named = list(zip(names, odds, strict=False))
                if len(names) < group.columns:
                    named.append((self._last_column_name(int(row[at + group.columns - 1])), odds[-1]))
                terms[group.name] = [(BASE_RATE, group.offset), *(pair for pair in named if all(pair))]
                at += group.columns
                if row[at - 1] == EXPLORED and not odds[-1]:
                    terms[group.name].append((f"{EXPLORATION} until the first fit", EXPLORE_LOG_ODDS))
            explained.append(terms)
        return explained

    def _last_column_name(self, token: int) -> str:
        """Return what the last column of a group means where words do not fill it; empty for nothing."""
        return EXPLORATION if token == EXPLORED else ""

    def _token_names(self, row: Features, links: Links, at: int) -> tuple[list[str], ...]:  # noqa: ARG002
        """Return for each feature group the names of its columns, in their order."""
        return (
            ["its verdict", "its other links", "topic terms on it"],
            [word for _, word in self._tokens.text_tokens(links.anchors[at]).values()],
            [word for _, word in self._tokens.url_tokens(links.urls[at]).values()],
        )

    def learn(self, outcome: Outcome) -> None:
        """Compare the score of a link with its verdict; refit when the error is large enough."""
        page, verdict = outcome.page, self._target(outcome)
        link = page.link
        if link.parent:
            row, key = self._row(link, link.anchor), urls.fingerprint(link.url)
            self._learn_rows([key], row[np.newaxis], [verdict])
            self.training.log.add(key, row, verdict)
        elif page.url in self.good or page.url in self.bad:
            self._add_example(page, page.url in self.good)
        self.learned += 1
        self._pages.cache(link.id, self._page_columns(outcome))
        if self._examples.background_due():
            self._schedule.stale = True
        if self._refit_due():
            self.refit()

    def _learn_rows(self, keys: Sequence[int], rows: Features, verdicts: Sequence[float]) -> None:
        """Learn what some links led to, with the weights in use."""
        if not self._learning() or not len(rows):
            return
        chances = self.group_chances(rows)
        scores = self._scores(chances).tolist()
        for at, (key, score, verdict) in enumerate(zip(keys, scores, verdicts, strict=True)):
            self.training.add(key, rows[at], chances[at], score, verdict)
            self._schedule.add_error(abs(score - verdict))

    def _target(self, outcome: Outcome) -> float:
        """Return the value that is learned from a page: its verdict."""
        return outcome.verdict.value

    def learn_label(self, label: Label, page: Page) -> None:
        """Learn from the label of a page, and refit at once."""
        link = page.link
        if link.parent:
            row = self._row(link, link.anchor or page.title)
            self.training.add_label(urls.fingerprint(link.url), row, label.relevant)
            self.refit()
        else:
            self._add_example(page, label.relevant)
            self._schedule.stale = True

    def set_priors(self, terms: Mapping[str, float], source: str = "judge") -> None:
        """Take weighted topic terms as priors; see `Priors.replace`."""
        self._priors.replace(terms, TERM_LOG_ODDS, source)
        self._schedule.stale = True

    def refit(self) -> None:
        """Compute new weights when they are asked for next."""
        self._schedule.refit()

    def save(self, folder: Path) -> None:
        """Write the counts of all tokens, and the weights in use, into a file that people can read."""
        counts, weights = self.training_counts(), self.current_weights()
        share = self._fitted_parameters()[0]
        path, more = folder / self.model_file, self.model_tables()
        write_token_model(path, self.stats, counts, weights, share=share, more=more)

    def model_tables(self) -> dict[str, dict[str, float]]:
        """Return further tables of counts that are saved with the model."""
        return {}

    def load(self, folder: Path) -> None:
        """Start with the model of another crawl, or of this one; its weights hold until the next refit."""
        known = read_token_model(folder / self.model_file, self.stats, self.groups)
        if known is not None:
            loaded, share = known
            start = share, tuple(group.weight for group in loaded.groups)
            self._model = FittedWeights(weights=None, loaded=loaded, start=start)
            self._schedule.refits += 1

    def learned_state(self) -> State:
        """Return all that was learned: with it a crawl goes on as if it had not stopped."""
        return {"learned": np.array([self.learned])} | states_of(self._resumable())

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        self.learned = int(state["learned"][0])
        restore_parts(self._resumable(), state)

    def _resumable(self) -> dict[str, Stateful]:
        """Return the parts of the classifier that learn, by their names in a state."""
        return {
            "stats": self.stats, "training": self.training, "priors": self._priors, "pages": self._pages,
            "examples": self._examples, "schedule": self._schedule, "model": self._model,
        }  # fmt: skip

    def _prepare(self) -> None:
        """Turn the goal into priors and example rows."""
        if self.adapt not in _ADAPT:
            msg = f'ariadne: adapt = "{self.adapt}" is not known; choose one of {", ".join(_ADAPT)}'
            raise ConfigError(msg)
        for word in self.about.split():
            self._priors.add(word, TERM_LOG_ODDS)
        self._priors.set_levels(PRIOR_SHARE)
        for names, relevant in ((self.good, True), (self.bad, False)):
            for url in names:
                if "://" in url:
                    self._examples.add([NO_TOKEN] * TEXT + self._url_row(url), relevant)

    def _add_example(self, page: Page, relevant: bool) -> None:
        """Use the title of an example page like the text of a link that led there."""
        self._examples.add(self._text_row(page.title) + [NO_TOKEN] * URL, relevant)

    def _row(self, link: Link, anchor: str) -> Features:
        """Return the features of a followed link, and register the names of its tokens."""
        page = self._pages.cached(link.parent)
        return np.array([*page, *self._text_row(anchor), *self._url_row(link.url)], np.uint32)

    def _page_columns(self, source: Outcome) -> list[int]:
        return self._pages.columns(source)

    def _text_row(self, anchor: str) -> list[int]:
        return self._registered("text", self._tokens.text_tokens(anchor), TEXT)

    def _url_row(self, url: str) -> list[int]:
        return self._registered("address", self._tokens.url_tokens(url), URL)

    def _registered(self, family: str, tokens: dict[int, NamedToken], columns: int) -> list[int]:
        for at, (token, _) in tokens.items():
            self.stats.add_name(at, family, token)
        return [*tokens, *[NO_TOKEN] * (columns - len(tokens))]

    def _mark_bad_link(self, url: str, rows: Features) -> None:
        """Mark the link that the static classifier rates lowest, on some pages: it is followed to learn."""
        rng = np.random.default_rng((self.seed, urls.fingerprint(url)))
        if rng.random() < self.bad_links:
            self.current_weights()  # prepares the priors
            mark_explored(rows, self.stats.prior[rows].sum(axis=1), rng)

    def _learning(self) -> bool:
        return self.adapt == "often" or (self.adapt == "once" and not self.refits)

    def _refit_due(self) -> bool:
        if not self._learning():
            return False
        if not self.refits:
            return len(self.training) >= self.first_fit
        return self._schedule.due(self.refit_share)

    def current_weights(self) -> Weights:
        """Return the weights in use; the first call prepares them."""
        if self._model.weights is None:
            self._prepare()
            self._model.weights = self._model.loaded or self._fit()
        return self._model.weights

    def _scores(self, chances: Floats) -> Scores:
        weights = self._model.group_columns(self.current_weights())[2]
        scores: Scores = np.minimum(chances @ weights, np.float32(1))
        return scores

    def _fit(self) -> Weights:
        share, weights = self._fitted_parameters()
        relevant, seen = self.training_counts()
        example_relevant, example_seen = self._example_counts(share)
        table = self.stats.table(share, relevant + example_relevant, seen + example_seen)
        table[EXPLORED] = 0.0 if self.refits else EXPLORE_LOG_ODDS
        offset = float(logit(share))
        groups = tuple(
            replace(group, weight=weight, offset=offset)
            for group, weight in zip(self.groups, weights, strict=True)
        )
        return Weights(table=table, groups=groups)

    def _fitted_parameters(self) -> tuple[float, tuple[float, ...]]:
        """Return the share of relevant pages among those that links led to, and the weights of the groups."""
        share, weights = self._model.start
        if self.refits:
            share = self.training.share(share)
            weights = self.training.fit_weights(weights)
        return min(max(share, 0.02), 0.7), weights

    def training_counts(self) -> tuple[Floats, Floats]:
        """Return the token counts of followed links; those of older links move into `stats`."""
        if (oldest := self.training.pop_oldest()) is not None:
            self.stats.count(*oldest)
        return self.training.counts()

    def _example_counts(self, share: float) -> tuple[Floats, Floats]:
        if not len(self._examples):
            return self.stats.zeros, self.stats.zeros
        return self._examples.counts(share)
