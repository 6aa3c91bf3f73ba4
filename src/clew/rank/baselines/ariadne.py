"""Ariadne: a link classifier that learns, while it crawls, from what its links have led to."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from clew import urls
from clew.errors import ConfigError
from clew.rank.shared.link_tokens import (
    ADDRESS,
    LEVEL,
    LEVELS,
    LOT,
    NEAR,
    NOTHING,
    PAGE,
    TEXT,
    WORDS,
    LinkTokens,
)
from clew.rank.shared.priors import Priors
from clew.rank.shared.token_model_file import read_links, write_links
from clew.rank.shared.token_stats import Floats, TokenStats, counted, logistic, logit
from clew.rank.shared.training_set import TrainingSet
from clew.types import FeatureGroup, Features, Label, Link, Links, Outcome, Page, Scores, Weights

WITNESSES = (
    FeatureGroup("the page it stands on", PAGE, 0.4),
    FeatureGroup("its link text", TEXT, 0.4),
    FeatureGroup("its address", ADDRESS, 0.2),
)
"""The three witnesses, and what they count at first: an address says less, in fewer words."""

SHARE = 0.15
"""The share of good pages that is expected before any was read."""

TOLD = 2.0
"""Log-odds of a word that the person typed: seven times the odds."""

LEAST = 2.0
"""Whole surprises since the last adaptation before there is another, at least."""

BACKGROUND = 200
"""Links met before what they have in common is held against the examples, and again at each fourfold."""

PAGES = 100_000
"""Pages whose columns are remembered for links without features, the latest: some 20 MB."""

DRAWN = 12.0
"""Log-odds of a link that was drawn by lot, as long as lots count."""

_ADAPT = ("never", "once", "often")


class Ariadne:
    """Let three witnesses say how likely a link leads to a good page, and learn which words to trust.

    The page a link stands on, its text and its address each give a chance; the score is their weighted sum.
    Nothing is excluded, all is only ordered.

    **At first** the words of the goal speak, the verdict on the page, and the addresses and titles of
    example pages: what they say more often than links in general do. Now and then a page gives one
    of its links by lot a place at the front, so that there is something to learn from bad ones.

    **Then** naive Bayes learns from every link that was followed: words of texts and addresses, folders and
    hosts, the verdict on the page, and what else that page led to (a page that led to good ones is a good
    source even if it is none itself). Rarely seen tokens lean on what is known above them. Easy and hard
    cases both teach; verdicts count as they are, 0.3 as three tenths of a good page; a person's word counts
    twice. The weights of the witnesses move to where they would have come nearest to the verdicts.
    All open links are scored anew.

    **Again** whenever enough was learned: when the differences between score and verdict since the last
    time add up to a tenth of all before. A classifier that is right is left alone.

    `about`, `good` and `bad` are the goal, `seed` draws the lots. `adapt` is `never`, `once` or `often`,
    `lots` the share of pages that draw one before the first adaptation, `between` what cases that are neither
    easy nor hard count (the paper leaves them out: 0; on three webs that found no more, or less).

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Ariadne(about="lighthouse page")
    >>> ranker.score(sample_outcome(0.5), sample_links(2)).astype(float).round(3).tolist()
    [0.432, 0.432]
    >>> for family, words in ranker.explain_terms(sample_outcome(0.5), sample_links(1))[0].items():
    ...     print(f"{family}:", ", ".join(f"{word} {odds:+.2f}" for word, odds in words))
    the page it stands on: any link -1.73, the verdict on it +0.56, your words on it +0.94
    its link text: any link -1.73, page +2.00
    its address: any link -1.73

    Reference: M. Ester, M. Groß, "Ariadne: ein fokussierter Web-Crawler mit adaptiver Klassifikation der
    Hyperlinks", extended abstract, Universität München, about 2000. Folders that lean on each other,
    the page's other links and the measure of surprise are ours.
    """

    families: tuple[FeatureGroup, ...] = WITNESSES
    first: ClassVar[int] = 30
    """Followed links before the first adaptation."""
    step: ClassVar[float] = 0.1
    """Think again when surprises since the last time are so large a share of all before."""
    file: ClassVar[str] = "links.tsv"
    """Where knowledge is kept."""

    def __init__(
        self,
        *,
        about: str = "",
        good: tuple[str, ...] = (),
        bad: tuple[str, ...] = (),
        seed: int = 0,
        adapt: str = "often",
        lots: float = 0.05,
        between: float = 1.0,
    ) -> None:
        self.about = about
        self.good = good
        self.bad = bad
        self.seed = seed
        self.adapt = adapt
        self.lots = lots
        self.between = between
        self.learned = 0
        self._columns = sum(family.columns for family in self.families)
        self._tokens = LinkTokens(about)
        self._evidence = TokenStats()
        self._words = Priors(self._evidence, self._tokens)
        self._experience = TrainingSet(columns=self._columns, witnesses=len(self.families), between=between)
        self._pages: dict[int, list[int]] = {}  # the columns of every page that was read
        self._latest: tuple[Page | None, float, list[int]] = None, 0.0, []
        self._given: list[list[int]] = []
        self._liked: list[bool] = []
        self._met, self._held = 0, 0
        self._background = np.zeros_like(self._evidence.seen)
        self._weights: Weights | None = None
        self._loaded: Weights | None = None
        self._begin_with: tuple[float, tuple[float, ...]] = (
            SHARE,
            tuple(family.weight for family in self.families),
        )
        self._adaptations = 0
        self._surprise, self._surprises = 0.0, 0.0
        self._stale = True

    # ---- what a link is worth ----------------------------------------------------------------------

    def features(self, source: Outcome, links: Links) -> Features:
        """Return the tokens of links as numbers; beside examples, count what links in general say."""
        rows = self._rows(source, links)
        if self._given or self.good or self.bad:
            tokens, times = np.unique(rows, return_counts=True)
            self._background[tokens] += times
            self._met += len(links)
        return rows

    def _rows(self, source: Outcome, links: Links) -> Features:
        """Return the tokens of links; they depend on the page, the links and the seed alone."""
        return self._tokens.rows(self._page(source), links, self._lot(source.page.url, len(links)))

    def score(self, source: Outcome, links: Links) -> Scores:
        return self._scores(self.witnesses(self.features(source, links)))

    def weights(self) -> Weights | None:
        """Return new weights when there is a reason to."""
        if self._weights is None:
            self._stale = False
            return self._now()
        if not self._stale:
            return None
        self._stale = False
        self._weights = self._weighed()
        return self._weights

    def witnesses(self, rows: Features) -> Floats:
        """Return the chance that each witness gives to each row of features."""
        weights = self._now()
        begin = np.cumsum([0, *(family.columns for family in weights.groups[:-1])])
        offsets = np.array([family.offset for family in weights.groups], np.float32)
        return logistic(np.add.reduceat(weights.table[rows], begin, axis=1) + offsets)

    def explain_terms(
        self, source: Outcome, links: Links, features: Features | None = None
    ) -> list[dict[str, list[tuple[str, float]]]]:
        """Say for each link and witness which words change the odds by how much.

        What a witness says adds up to its log-odds; `any link` is where all begin. `rows` are the features
        the links were kept with; without them they are read again.
        """
        weights = self._now()
        features = self._rows(source, links) if features is None else features
        said = []
        for link, row in enumerate(features):
            story, at = {}, 0
            for family, words in zip(weights.groups, self._spelled(row, links, link), strict=True):
                odds = weights.table[row[at : at + family.columns]].tolist()
                named = list(zip(words, odds, strict=False))
                if len(words) < family.columns:
                    named.append((self._remark(int(row[at + family.columns - 1])), odds[-1]))
                story[family.name] = [("any link", family.offset), *(pair for pair in named if all(pair))]
                at += family.columns
            said.append(story)
        return said

    def _remark(self, token: int) -> str:
        """Return what the last column of a family says, where words do not fill it; empty for nothing."""
        return "drawn by lot, to learn" if token == LOT else ""

    def _spelled(self, row: Features, links: Links, at: int) -> tuple[list[str], ...]:  # noqa: ARG002
        """Return for each family what its columns stand for, in their order."""
        return (
            ["the verdict on it", "where its other links led", "your words on it"],
            self._tokens.of_text(links.anchors[at], whole=True),
            self._tokens.of_address(links.urls[at], whole=True),
        )

    # ---- what it led to ----------------------------------------------------------------------------

    def learn(self, outcome: Outcome) -> None:
        """Compare what a link promised with what came; think again when that was surprising enough."""
        page, verdict = outcome.page, self._worth(outcome)
        link = page.link
        if link.parent:
            row = self._row(link, link.anchor)
            chances = self.witnesses(row[np.newaxis])
            score = float(self._scores(chances)[0])
            if self._learning():
                self._experience.add(urls.fingerprint(link.url), row, chances[0], score, verdict)
                self._surprise += abs(score - verdict)
        elif page.url in self.good or page.url in self.bad:
            self._show(page, page.url in self.good)
        self.learned += 1
        self._pages[link.id] = self._page(outcome)
        if len(self._pages) > PAGES:
            del self._pages[next(iter(self._pages))]
        if self._given and self._met >= max(BACKGROUND, 4 * self._held):
            self._held, self._stale = self._met, True
        if self._enough():
            self._adapt()

    def _worth(self, outcome: Outcome) -> float:
        """Return what is learned from a page: as much good as the judge saw."""
        return outcome.verdict.value

    def learn_label(self, label: Label, page: Page) -> None:
        """Take a person's word on a page, and think again at once."""
        link = page.link
        if link.parent:
            row = self._row(link, link.anchor or page.title)
            self._experience.say(urls.fingerprint(link.url), row, label.relevant)
            self._adapt()
        else:
            self._show(page, label.relevant)
            self._stale = True

    def set_priors(self, terms: Mapping[str, float], source: str = "judge") -> None:
        """Take words that tell the topic from others, each with its weight; see `Told.prime`."""
        self._words.prime(terms, TOLD, source)
        self._stale = True

    # ---- what outlives the run ---------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Write what tokens have led to, and the weights that hold, into a file that people can read."""
        write_links(folder / self.file, self._evidence, self._counts(), self._now(), self._learned()[0])

    def load(self, folder: Path) -> None:
        """Begin with what another crawl, or this one before, has learned; its weights hold at first."""
        known = read_links(folder / self.file, self._evidence, self.families)
        if known is not None:
            self._loaded, share = known
            self._begin_with = share, tuple(family.weight for family in self._loaded.groups)
            self._weights = None
            self._adaptations += 1

    # ---- within ------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Turn what the person gave into what is known before anything was read."""
        if self.adapt not in _ADAPT:
            msg = f'ariadne: adapt = "{self.adapt}" is not known; choose one of {", ".join(_ADAPT)}'
            raise ConfigError(msg)
        for word in self.about.split():
            self._words.tell(word, TOLD)
        # A link on a page of verdict 1 leads to a good one three times in five, on one of verdict 0 hardly.
        steps = (np.arange(LEVELS) + 0.5) / LEVELS
        expected = logit(0.03 + 0.6 * steps) - logit(SHARE)
        self._evidence.prior[LEVEL:NEAR] = expected / 2 if self.about else expected
        self._evidence.prior[NEAR:WORDS] = (logit(0.05 + 0.5 * steps) - logit(SHARE)) / 2
        for names, liked in ((self.good, True), (self.bad, False)):
            for url in names:
                if "://" in url:
                    self._give([NOTHING] * TEXT + self._address(url), liked)

    def _show(self, page: Page, liked: bool) -> None:
        """Take the title of an example page as if it were the text of a link that led there."""
        self._give(self._text(page.title) + [NOTHING] * ADDRESS, liked)

    def _give(self, row: list[int], liked: bool) -> None:
        self._given.append(([NOTHING] * PAGE + row + [NOTHING] * self._columns)[: self._columns])
        self._liked.append(liked)

    def _row(self, link: Link, anchor: str) -> Features:
        """Return the features of a link that is learned from, and remember how its tokens are spelled."""
        page = self._pages.get(link.parent, [NOTHING] * PAGE)
        return np.array([*page, *self._text(anchor), *self._address(link.url)], np.uint32)

    def _page(self, source: Outcome) -> list[int]:
        """Return the columns of a page; it is read once, though learned from and asked for its links."""
        if self._latest[0] is not source.page or self._latest[1] != source.verdict.value:
            tokens = self._tokens.of_page(source.page, source.verdict.value)
            for token in tokens:
                self._evidence.meet("page", token, upper=tokens[0])
            self._latest = source.page, source.verdict.value, self._tokens.page_row(tokens)
        return self._latest[2]

    def _text(self, anchor: str) -> list[int]:
        for token in self._tokens.of_text(anchor):
            self._evidence.meet("text", token)
        return self._tokens.text_row(anchor)

    def _address(self, url: str) -> list[int]:
        for token in self._tokens.of_address(url):
            self._evidence.meet("address", token)
        return self._tokens.address_row(url)

    def _lot(self, url: str, links: int) -> int:
        """Draw for a page: the number of one of its links, or -1 for none."""
        if not links or not self.lots or self.adapt == "never":
            return -1
        dice = np.random.default_rng((self.seed, urls.fingerprint(url)))
        return int(dice.integers(links)) if dice.random() < self.lots else -1

    def _learning(self) -> bool:
        return self.adapt == "often" or (self.adapt == "once" and not self._adaptations)

    def _enough(self) -> bool:
        """Tell whether there is enough to think again."""
        if not self._learning():
            return False
        if not self._adaptations:
            return len(self._experience) >= self.first
        return self._surprise >= max(LEAST, self.step * self._surprises)

    def _adapt(self) -> None:
        self._adaptations += 1
        self._surprises += self._surprise
        self._surprise = 0.0
        self._stale = True

    def _now(self) -> Weights:
        if self._weights is None:
            self._prepare()
            self._weights = self._loaded or self._weighed()
        return self._weights

    def _scores(self, chances: Floats) -> Scores:
        weights = np.array([family.weight for family in self._now().groups], np.float32)
        scores: Scores = np.minimum(chances @ weights, np.float32(1))
        return scores

    def _weighed(self) -> Weights:
        share, weights = self._learned()
        good, seen = self._counts()
        given_good, given_seen = self._told(share)
        table = self._evidence.table(share, good + given_good, seen + given_seen)
        table[LOT] = 0.0 if self._adaptations else DRAWN
        offset = float(logit(share))
        families = tuple(
            replace(family, weight=weight, offset=offset)
            for family, weight in zip(self.families, weights, strict=True)
        )
        return Weights(table=table, groups=families)

    def _learned(self) -> tuple[float, tuple[float, ...]]:
        """Return the share of good pages among those that links led to, and the weights of the witnesses."""
        share, weights = self._begin_with
        if self._adaptations:
            share = self._experience.share(share)
            weights = self._experience.fitted(weights)
        return min(max(share, 0.02), 0.7), weights

    def _counts(self) -> tuple[Floats, Floats]:
        """Return what links that were followed tell of each token; older ones are kept as sums."""
        if (gone := self._experience.overflow()) is not None:
            self._evidence.count(*gone)
        return self._experience.counts()

    def _told(self, share: float) -> tuple[Floats, Floats]:
        """Return what examples tell of each token: what they say more often than links in general do.

        Examples are nearly always good ones, so that all their words would look good. As many bad pages as
        belong to them are thought to say the same words as often as links in general.
        """
        if not self._given:
            return self._evidence.none, self._evidence.none
        liked = np.array(self._liked, np.float32)
        rows = np.array(self._given, np.uint32).reshape(-1, self._columns)
        good, seen = counted(rows, liked, np.ones_like(liked))
        if self._held:
            bad = liked.sum() * (1 - share) / share / self._met
            seen += np.where(seen > 0, self._background * np.float32(bad), 0)
        return good, seen
