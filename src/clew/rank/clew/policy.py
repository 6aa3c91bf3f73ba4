"""Clew, the default policy: six feature groups, weighted by the outcomes of links in this crawl."""

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from clew import urls
from clew.contracts import FeatureChange, FeatureLookup
from clew.domain.learned_state import State, Stateful, StateRead, packed, unpacked
from clew.domain.records.record_table import RecordTable
from clew.rank.baselines.ariadne import GROUPS as ARIADNE_GROUPS
from clew.rank.baselines.ariadne import PRIOR_SHARE, TERM_LOG_ODDS, Ariadne
from clew.rank.clew.crawl_path import (
    MAX_SINCE,
    VERDICT_STEPS,
    display_name,
    inlinks_token,
    previous_page_token,
    since_relevant_token,
)
from clew.rank.clew.file_features import FileFeatures
from clew.rank.clew.goal_features import goal_features, with_group
from clew.rank.clew.goal_similarity import GoalSimilarity
from clew.rank.clew.table_features import TableFeatures
from clew.rank.clew.tag_path_tokens import TAG_PATH, TagPathTokens
from clew.rank.shared.inlinks import LEVELS as INLINK_LEVELS
from clew.rank.shared.inlinks import Inlinks
from clew.rank.shared.link_index import grown, value_at
from clew.rank.shared.link_tokens import (
    COSINE_LEVEL,
    FIRST_HASHED,
    LEVELS,
    NO_TOKEN,
    PAGE,
    TEXT,
    URL,
    token_id,
)
from clew.rank.shared.token_model_file import read_counts
from clew.types import FeatureGroup, Features, Link, Links, Outcome, Weights

CRAWL_PATH = 3
"""Columns of the crawl path; with tag path and similarity 31 in all, 124 bytes a link."""

STEEPNESS = 12.0
"""Steepness of the logistic around `keep`: a verdict a tenth above or below it is three to one."""

BLANK_VERDICT = 0.05
"""A judge that has given no page more than this has no information yet."""

STAND_IN = 0.5
"""Weight of topic terms on a page until then: a cosine of one half is half of a relevant page."""

GOAL_TERMS = "links with terms of the goal"
"""The table of the model file with the frequencies of terms."""

HOST = "host"
"""The family of tokens that count the relevant pages of hosts."""

_ARIADNE_COLUMNS = PAGE + TEXT + URL
_TOPIC_COLUMNS = _ARIADNE_COLUMNS + TAG_PATH + CRAWL_PATH
_TOPIC_OF_LINK = [0, 2, *range(PAGE, PAGE + TEXT)]  # verdict and goal's words of the source page, link text
_HOST_COLUMNS = (PAGE - 1, PAGE + TEXT - 1, _ARIADNE_COLUMNS - 1)
_RECENT_PAGES = 1_000  # after a label, the links of a page may be asked for again


class Clew(Ariadne):
    """Estimate with six feature groups how likely a link leads to a relevant page; learn their weights.

    The classifier is [`ariadne`](#ariadne)'s: each group gives a probability by naive Bayes over the
    outcomes of its tokens, rare tokens are smoothed towards their parent, the score is the weighted sum,
    and the weights are refitted by least squares to past verdicts. Beside source page, link text and URL
    there are three more groups:

    **Tag path**: the tags around the link on its page, without their classes, with them, and on this host
    alone; each is smoothed towards the one before.

    **Crawl path**: the number of inlinks and their mean verdict, the number of pages since the last relevant
    one, and the verdict on the previous page. So it learns where irrelevant pages between relevant ones are
    worth their cost.

    **Surroundings**: how similar the words in and around the link are to the goal (`GoalSimilarity`), in
    twelve levels whose outcomes are counted. It knows from the first page on which of the goal's words
    tell links apart. A goal without words has no such group.

    It explores no links at random, which found nothing more, and refits sooner and more often than
    `ariadne`: first after five links, then whenever the error adds up to a fiftieth of all before.

    A link that brings no page (404, time-out) teaches only the columns of URL, place and source page.

    Verdicts are sharpened around `keep`, so that a site of near misses does not look like a relevant one.

    When the judge would judge earlier pages otherwise, they are learned again with the later verdicts, and
    the number and verdicts of a link's inlinks are those of all pages found so far.

    Until the judge has given any page a verdict above 0.05, topic terms on a page stand in for its verdict:
    otherwise all words that were tried would look irrelevant, the goal's own first.

    Goals that are not topics add a group: `TableFeatures` for rows of a table, `FileFeatures` for files;
    a page counts for more the more new ones it has.

    `about`, `good`, `bad`, `keep`, `judge` and `seed` come from the goal. `diversity` above 0 down-weights
    hosts that already yielded relevant pages: with 1 the odds of a host's links are halved by its first
    relevant page and divided by n + 1 after n of them.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Clew(about="lighthouse page")
    >>> ranker.score(sample_outcome(0.5), sample_links(2)).astype(float).round(3).tolist()
    [0.363, 0.363]
    """

    groups: tuple[FeatureGroup, ...] = (
        FeatureGroup("source page", PAGE, 0.3),
        FeatureGroup("link text", TEXT, 0.35),
        FeatureGroup("URL", URL, 0.15),
        FeatureGroup("tag path", TAG_PATH, 0.1),
        FeatureGroup("crawl path", CRAWL_PATH, 0.1),
    )
    first_fit: ClassVar[int] = 5
    refit_share: ClassVar[float] = 0.02
    model_file: ClassVar[str] = "clew.tsv"
    link_columns: ClassVar[tuple[int, ...]] = (_ARIADNE_COLUMNS + TAG_PATH,)
    """The column of a link's inlinks: not of the place where it scored best, but of all that are known."""

    def __init__(
        self,
        *,
        about: str = "",
        good: tuple[str, ...] = (),
        bad: tuple[str, ...] = (),
        seed: int = 0,
        keep: float = 0.5,
        diversity: float = 0.0,
        judge: str = "",
    ) -> None:
        self.judge = judge
        self._similarity = GoalSimilarity(about)
        self._goal_features = goal_features(judge)
        if self._similarity.terms:
            self.groups = with_group(self.groups, self._similarity.group)
        if self._goal_features:
            self.groups = with_group(self.groups, self._goal_features.group)
        super().__init__(about=about, good=good, bad=bad, seed=seed, bad_links=0.0)
        self._similarity.prepare(self.stats)
        self.keep = keep
        self.diversity = diversity
        self._stored_features: FeatureLookup = lambda _: None
        self._link_failed = False  # whether the link that is learned from brought no page
        self._judge_informed = False  # whether any verdict was above BLANK_VERDICT
        self._inlinks = Inlinks()
        self._inlinks_counted: dict[str, None] = {}  # the latest pages whose links were counted
        self._since_relevant = np.zeros(0, np.uint8)  # 1 + pages since a relevant one, by page id
        self._verdict_steps = np.zeros(0, np.uint8)  # 1 + the verdict on a page in steps, by page id
        self._tag_paths = TagPathTokens(self.stats)
        self._way_ids: dict[tuple[Callable[[int], str], int], int] = {}
        self.yielding_hosts: list[int] = []  # token ids of hosts that have yielded relevant pages

    # ---- score links -------------------------------------------------------------------------------

    def features(self, source: Outcome, links: Links) -> Features:
        """Return the token ids of links; count inlinks and words of the goal, once for each page."""
        if source.page.url not in self._inlinks_counted:
            self._inlinks_counted[source.page.url] = None
            self._inlinks.add_page(links.hashes, source.verdict.value)
            if self._similarity.terms and len(links):
                self._similarity.count(self._tokens.compare(links, self._similarity.term_ids))
            if len(self._inlinks_counted) > _RECENT_PAGES:
                del self._inlinks_counted[next(iter(self._inlinks_counted))]
        return super().features(source, links)

    def _rows(self, source: Outcome, links: Links) -> Features:
        rows = super()._rows(source, links)
        path_end = _ARIADNE_COLUMNS + TAG_PATH
        rows[:, _ARIADNE_COLUMNS:path_end] = self._tag_paths.rows(
            _host_name(source.page.link.origin), links.paths
        )
        rows[:, path_end:_TOPIC_COLUMNS] = self._crawl_path_rows(source, links)
        if self._similarity.terms and len(links):
            compared = self._tokens.compare(links, self._similarity.term_ids)
            rows[:, _TOPIC_COLUMNS] = self._similarity.column(compared)
        if self._goal_features:
            more = self._goal_features.columns(source, links, self.stats)
            rows[:, self.columns - more.shape[1] :] = more
        if self.diversity:
            self._set_host_columns(rows, links.origins)
        return rows

    def _token_names(self, row: Features, links: Links, at: int) -> tuple[list[str], ...]:
        names = [display_name(self.stats.names.get(int(id), ("", ""))[1]) for id in row]
        begin, ours = _ARIADNE_COLUMNS, []
        for group in self.groups[len(ARIADNE_GROUPS) :]:
            ours.append(names[begin : begin + group.columns])
            begin += group.columns
        return *super()._token_names(row, links, at), *ours

    def _crawl_path_rows(self, source: Outcome, links: Links) -> Features:
        """Return the columns of crawl paths: inlinks, pages since a relevant one, the previous page."""
        link = source.page.link
        rows = np.zeros((len(links), CRAWL_PATH), np.uint32)
        rows[:, 0] = self._inlink_ids.take(self._inlinks.levels(links.hashes))
        # Of a page of an earlier run only its verdict is known.
        since = value_at(self._since_relevant, link.id) or (1 if source.verdict.value >= self.keep else 2)
        rows[:, 1] = self._way_id(since_relevant_token, min(since - 1, MAX_SINCE + 1))
        if step := value_at(self._verdict_steps, link.parent):
            rows[:, 2] = self._way_id(previous_page_token, step - 1)
        return rows

    def _way_id(self, token_of: Callable[[int], str], level: int) -> int:
        """Return the id of a token of the crawl path; each is registered once."""
        if (token_of, level) not in self._way_ids:
            self._way_ids[token_of, level] = self.stats.register("way", token_of(level))
        return self._way_ids[token_of, level]

    @cached_property
    def _inlink_ids(self) -> Features:
        """The token id of every level of inlinks, as `Inlinks.levels` numbers them."""
        levels = range(INLINK_LEVELS)
        ids = [self.stats.register("way", inlinks_token(many, level)) for many in levels for level in levels]
        return np.array(ids, np.uint32)

    def _set_host_columns(self, rows: Features, origins: list[str]) -> None:
        """Add the token of its host to every group of a link, in the column left for exploration."""
        hosts = [token_id(HOST, _host_name(origin)) for origin in origins]
        rows[:, _HOST_COLUMNS] = np.array(hosts, np.uint32).reshape(-1, 1)

    # ---- learn from pages --------------------------------------------------------------------------

    def learn(self, outcome: Outcome) -> None:
        """Update the crawl path and the host of a page, then learn from its link."""
        link, verdict = outcome.page.link, outcome.verdict.value
        self._since_relevant, self._verdict_steps = (
            grown(column, link.id + 1) for column in (self._since_relevant, self._verdict_steps)
        )
        self._note_verdict(link, verdict)
        if verdict >= self.keep and self.diversity:
            self._count_yield(link.origin)
        if self._goal_features:
            self._goal_features.learn(outcome)
        if verdict >= BLANK_VERDICT and not self._judge_informed:
            self._take_back_stand_in()
        self._link_failed = not 200 <= outcome.page.response.status < 300  # noqa: PLR2004
        super().learn(outcome)
        self._link_failed = False

    def _note_verdict(self, link: Link, verdict: float) -> None:
        """Remember the verdict on a page for the crawl paths of links behind it."""
        since = (value_at(self._since_relevant, link.parent) or 1) + 1
        self._since_relevant[link.id] = 1 if verdict >= self.keep else min(255, since)
        self._verdict_steps[link.id] = 1 + min(VERDICT_STEPS - 1, int(verdict * VERDICT_STEPS))

    def revise_outcome(self, outcome: Outcome, features: Features) -> Features:
        """Learn that a page is judged differently now; return the features of its links with that verdict."""
        link, verdict = outcome.page.link, outcome.verdict.value
        if self._goal_features or link.id >= len(self._since_relevant):
            return features
        if link.parent:
            self.training.revise(urls.fingerprint(link.url), self._sharpened(verdict))
        self._note_verdict(link, verdict)
        revised = features.copy()
        revised[:, 0] = self._pages.revise(link.id, verdict)
        since = since_relevant_token(int(self._since_relevant[link.id]) - 1)
        revised[:, _ARIADNE_COLUMNS + TAG_PATH + 1] = self.stats.register("way", since)
        self._schedule.stale = True
        return revised

    def learn_revisions(self, verdicts: Mapping[str, float]) -> FeatureChange:
        """Learn from the verdicts that pages would get now; return what changes features accordingly."""
        revised = {} if self._goal_features else verdicts
        for url, verdict in revised.items():
            self.training.revise(urls.fingerprint(url), self._sharpened(verdict))
        change = self._tokens.verdict_change(revised)
        self.training.change(change)
        self._schedule.stale |= bool(revised)
        return change

    def take_outcomes(self) -> bytes:
        """Return the links that were followed since the last call, for engines that crawl with this one."""
        return self.training.log.take()

    def learn_outcomes(self, packed: bytes) -> None:
        """Learn from links that other engines have followed."""
        keys, rows, verdicts = self.training.log.unpack(packed)
        blank = self._sharpened(BLANK_VERDICT)
        if not self._judge_informed and any(verdict > blank for verdict in verdicts):
            self._take_back_stand_in()
        self._learn_rows(keys, rows, verdicts)
        if self._refit_due():
            self.refit()

    def _take_back_stand_in(self) -> None:
        """Learn from verdicts from now on; what topic terms said in their place no longer counts."""
        self._judge_informed = True
        self.training.relabel(self._sharpened(0.0))

    def _count_yield(self, origin: str) -> None:
        """Count a relevant page for its host; the counts are saved with all others."""
        at = self.stats.register(HOST, _host_name(origin))
        if not self.stats.relevant[at]:
            self.yielding_hosts.append(at)
        self.stats.relevant[at] += 1
        self.stats.seen[at] += 1

    def model_tables(self) -> dict[str, dict[str, float]]:
        """Return how many links have each term of the goal."""
        return {GOAL_TERMS: self._similarity.counts()} if self._similarity.terms else {}

    def load(self, folder: Path) -> None:
        """Start with the model of another crawl, or of this one, and with the yield of hosts in it."""
        super().load(folder)
        counts = read_counts(folder / self.model_file)
        self._similarity.restore(counts.get(GOAL_TERMS, {}))
        self.yielding_hosts = [at for at, (family, _) in self.stats.names.items() if family == HOST]
        self._judge_informed = self._model.loaded is not None

    def learned_state(self) -> State:
        """Return all that was learned: with it a crawl goes on as if it had not stopped."""
        return super().learned_state() | {
            "since": self._since_relevant.copy(), "steps": self._verdict_steps.copy(),
            "counted": packed(list(self._inlinks_counted)), "informed": np.array([self._judge_informed]),
            "hosts": np.array(self.yielding_hosts, np.int64),
        }  # fmt: skip

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        super().restore_state(state)
        self._since_relevant, self._verdict_steps = state["since"], state["steps"]
        self._inlinks_counted = dict.fromkeys(unpacked(state["counted"]))
        self._judge_informed, self.yielding_hosts = bool(state["informed"][0]), state["hosts"].tolist()

    def _resumable(self) -> dict[str, Stateful]:
        more: dict[str, Stateful] = {"inlinks": self._inlinks, "similarity": self._similarity}
        if isinstance(self._goal_features, FileFeatures):  # those of tables are made anew from the table
            more["goal"] = self._goal_features
        return super()._resumable() | more

    def _target(self, outcome: Outcome) -> float:
        """Return the verdict sharpened around `keep`, so that a near miss is a miss."""
        near = [at - COSINE_LEVEL for at in self._page_columns(outcome) if COSINE_LEVEL <= at < FIRST_HASHED]
        if near and not self._judge_informed:
            return STAND_IN * near[0] / LEVELS
        sharpened = self._sharpened(outcome.verdict.value)
        return sharpened * self._goal_features.novelty(outcome) if self._goal_features else sharpened

    def _sharpened(self, verdict: float) -> float:
        return 1 / (1 + math.exp(-STEEPNESS * (verdict - self.keep)))

    def use_features(self, lookup: FeatureLookup) -> None:
        """Learn from the features that links were stored with."""
        self._stored_features = lookup

    def use_table(self, book: RecordTable) -> None:
        """Use the rows of this table from now on, if the judge does; their words become topic terms."""
        if isinstance(self._goal_features, TableFeatures):
            self._goal_features.use_table(book)
            for word in " ".join(" ".join(book.values(row)) for row in range(book.example_count)).split():
                self._priors.add(word, TERM_LOG_ODDS)

    def _prepare(self) -> None:
        super()._prepare()
        if self._goal_features:
            self._goal_features.prepare(self.stats, PRIOR_SHARE)

    def _row(self, link: Link, anchor: str) -> Features:
        """Return the features of a followed link: as they were stored, if they were."""
        stored = self._stored_features(link.id)
        if stored is not None:
            if not self.stats.are_named(stored[PAGE : PAGE + TEXT]):
                self._text_row(anchor)
            if not self.stats.are_named(stored[PAGE + TEXT : _ARIADNE_COLUMNS]):
                self._url_row(link.url)
            row = stored.copy()
            if self.diversity:
                row[list(_HOST_COLUMNS)] = NO_TOKEN  # the yield of hosts is counted separately
        else:
            made = super()._row(link, anchor)
            row = np.concatenate((made, np.zeros(self.columns - _ARIADNE_COLUMNS, np.uint32)))
        if self._link_failed and not self._goal_features:
            row[_TOPIC_OF_LINK] = NO_TOKEN
            row[_TOPIC_COLUMNS:] = NO_TOKEN
        return row

    def _fit(self) -> Weights:
        weights, hosts = super()._fit(), self.yielding_hosts
        if hosts:
            weights.table[hosts] = -self.diversity * np.log1p(self.stats.relevant[hosts])
        return weights

    def _last_column_name(self, token: int) -> str:
        if self.stats.names.get(token, ("", ""))[0] == HOST:
            return f"its host already yielded {self.stats.relevant[token]:,.0f} relevant pages"
        return super()._last_column_name(token)


def _host_name(origin: str) -> str:
    return origin.partition("://")[2]
