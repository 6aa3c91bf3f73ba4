"""Clew: all witnesses of a link at one table, weighed by where their words have led in this crawl."""

import math
import re
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from clew.contracts import FeatureLookup
from clew.domain.records.record_table import RecordTable
from clew.rank.baselines.ariadne import SHARE, TOLD, Ariadne
from clew.rank.clew.goal_features import witness_of
from clew.rank.clew.table_features import TableFeatures
from clew.rank.shared.inlinks import LEVELS, Inlinks
from clew.rank.shared.link_index import grown
from clew.rank.shared.link_tokens import ADDRESS, NEAR, NOTHING, PAGE, TEXT, WORDS, number
from clew.rank.shared.link_tokens import LEVELS as STEPS
from clew.types import FeatureGroup, Features, Link, Links, Outcome, Weights

PLACE, WAY = 3, 3
"""Columns of the two witnesses that Ariadne has not: 30 together, 120 bytes a link."""

STEEP = 12.0
"""How sharply verdicts are told apart around `keep`: a tenth above or below it is three to one."""

SHADE = 0.05
"""A judge who has given no page more than this has taught nothing yet."""

STAND_IN = 0.5
"""What the goal's words on a page count until then: a cosine of one half is half of a good page."""

DRIEST = 5
"""Pages since a good one that are told apart."""

ABOVE = 5
"""Steps in which the verdict on the page before is told."""

PLACES = 50_000
"""Places on pages that are named and lean on each other; further ones only count."""

HOST = "host"
"""The family of tokens that say what hosts have given."""

_BEFORE = PAGE + TEXT + ADDRESS
_FIVE = _BEFORE + PLACE + WAY
_DAMPED = (PAGE - 1, PAGE + TEXT - 1, _BEFORE - 1)
_CLASSES = re.compile(r"\.[^/]*")
_REMEMBERED = 20_000
_ASKED_AGAIN = 1_000  # pages: a person's word on one lets it be asked for its links again


class Clew(Ariadne):
    """Let five witnesses say how likely a link leads to a good page, and learn which to trust.

    The machine is [`ariadne`](#ariadne)'s: each witness gives a chance by naive Bayes over what its words
    have led to, rarely seen ones lean on what is known above them, the score is the weighted sum, and
    the weights move to where they would have come nearest to the verdicts. Beside the page a link stands
    on, its text and its address two more are heard:

    **Where on the page it stands**: the tags around it, without their classes, with them, and on this host
    alone; each leans on the one before.

    **The way that led there**: how many pages point to it and how good they were, how many pages since a good
    one, and how good the page before was. So dry pages between good ones are learned to be worth it.

    It draws no lots, which found nothing more, and thinks again sooner and more often than `ariadne`:
    first after ten links, then whenever surprises add up to a twentieth of all before.

    What it learns from a page is whether it counts: verdicts are sharpened around `keep`, so that a site full
    of near misses does not look like a good one.

    Until the judge has seen anything in any page, the goal's words on a page stand in for its verdict:
    otherwise all words that were tried would look bad, the person's own first. What was learned from them
    is taken back when the first page counts for something.

    Goals that are not topics bring a sixth witness: `TableFeatures` where the judge wants rows of a table,
    `FileFeatures` where it wants files. There, a page counts for more the more it brings that is new.

    `about`, `good`, `bad`, `keep`, `judge` and `seed` come from the goal. `diversity` above 0 lets hosts
    give way the more good pages they have given: with 1 the odds of a host's links are halved by its first
    good page and divided by n + 1 after n of them.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Clew(about="lighthouse page")
    >>> ranker.score(sample_outcome(0.5), sample_links(2)).astype(float).round(3).tolist()
    [0.382, 0.382]
    """

    families: tuple[FeatureGroup, ...] = (
        FeatureGroup("the page it stands on", PAGE, 0.3),
        FeatureGroup("its link text", TEXT, 0.35),
        FeatureGroup("its address", ADDRESS, 0.15),
        FeatureGroup("where on the page it stands", PLACE, 0.1),
        FeatureGroup("the way that led there", WAY, 0.1),
    )
    first: ClassVar[int] = 10
    step: ClassVar[float] = 0.05
    file: ClassVar[str] = "clew.tsv"

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
        self._sixth = witness_of(judge)
        if self._sixth:
            self.families = _joined(self.families, self._sixth.family)
        super().__init__(about=about, good=good, bad=bad, seed=seed, lots=0.0)
        self.keep = keep
        self.diversity = diversity
        self._stored_features: FeatureLookup = lambda _: None
        self._taught = False  # whether the judge has seen anything yet
        self._pointers = Inlinks()
        self._counted: dict[str, None] = {}  # the latest pages whose links were counted
        self._dry = np.zeros(0, np.uint8)  # 1 + pages since a good one, by the id of a page that was read
        self._steps = np.zeros(0, np.uint8)  # 1 + the verdict on it, in steps
        self._met_places = 0
        self._places: dict[tuple[str, str], list[int]] = {}
        self._giving: list[int] = []  # hosts that have given good pages, by the numbers of their tokens

    # ---- what a link is worth ----------------------------------------------------------------------

    def features(self, source: Outcome, links: Links) -> Features:
        """Return the tokens of links as numbers, and count who points to whom: a page once, asked twice."""
        if source.page.url not in self._counted:
            self._counted[source.page.url] = None
            self._pointers.count(links.hashes, source.verdict.value)
            if len(self._counted) > _ASKED_AGAIN:
                del self._counted[next(iter(self._counted))]
        return super().features(source, links)

    def _rows(self, source: Outcome, links: Links) -> Features:
        rows = np.zeros((len(links), self._columns), np.uint32)
        rows[:, :_BEFORE] = super()._rows(source, links)
        rows[:, _BEFORE : _BEFORE + PLACE] = self._where(source.page.link.origin, links.paths)
        rows[:, _BEFORE + PLACE : _FIVE] = self._way(source, links)
        if self._sixth:
            rows[:, _FIVE:] = self._sixth.columns(source, links, self._evidence)
        if self.diversity:
            self._damp(rows, links.origins)
        return rows

    def _spelled(self, row: Features, links: Links, at: int) -> tuple[list[str], ...]:
        named = [self._evidence.names.get(int(one), ("", ""))[1] for one in row[_BEFORE:]]
        ours = named[:PLACE], named[PLACE : PLACE + WAY], named[PLACE + WAY :]
        return *super()._spelled(row, links, at), *ours[: 3 if self._sixth else 2]

    def _where(self, host: str, paths: list[str]) -> Features:
        """Return the columns of places on a page: the tags around a link, with classes, on this host."""
        rows = []
        for path in paths:
            row = self._places.get((host, path))
            if row is None:
                row = self._place(host, path)
                if len(self._places) >= _REMEMBERED:
                    self._places.clear()
                self._places[host, path] = row
            rows.append(row)
        return np.array(rows, np.uint32).reshape(len(paths), PLACE)

    def _place(self, host: str, path: str) -> list[int]:
        plain, here = _CLASSES.sub("", path), f"{path} on {_name(host)}"
        if self._met_places >= PLACES:
            return [
                number("place", plain),
                number("place", path) if path != plain else NOTHING,
                number("place", here),
            ]
        self._met_places += 1
        meet = self._evidence.meet
        whole = meet("place", path, plain) if path != plain else NOTHING
        return [meet("place", plain), whole, meet("place", here, path)]

    def _way(self, source: Outcome, links: Links) -> Features:
        """Return the columns of ways: who points there, how dry the way was, how good the page before."""
        meet, link = self._evidence.meet, source.page.link
        rows = np.zeros((len(links), WAY), np.uint32)
        rows[:, 0] = self._pointers_named[tuple(self._pointers.levels(links.hashes).T)]
        # Of a page of an earlier run only its verdict is known.
        dry = _at(self._dry, link.id) or (1 if source.verdict.value >= self.keep else 2)
        rows[:, 1] = meet("way", _since(dry - 1))
        if step := _at(self._steps, link.parent):
            rows[:, 2] = meet("way", f"the page before judged {(step - 1) / ABOVE:.1f}")
        return rows

    @cached_property
    def _pointers_named(self) -> Features:
        """The number of every level of pointers: a row for how many they are, a column for how good."""
        meet = self._evidence.meet
        named = [[meet("way", _pointing(many, level)) for level in range(LEVELS)] for many in range(LEVELS)]
        return np.array(named, np.uint32)

    def _damp(self, rows: Features, origins: list[str]) -> None:
        """Let every witness hear how much a host has given, in the column that is left for lots."""
        hosts = [number(HOST, _name(origin)) for origin in origins]
        rows[:, _DAMPED] = np.array(hosts, np.uint32).reshape(-1, 1)

    # ---- what it led to ----------------------------------------------------------------------------

    def learn(self, outcome: Outcome) -> None:
        """Remember how dry the way was, then compare what the link promised with what came."""
        link, verdict = outcome.page.link, outcome.verdict.value
        good = verdict >= self.keep
        self._dry, self._steps = (grown(column, link.id + 1) for column in (self._dry, self._steps))
        self._dry[link.id] = 1 if good else min(255, (_at(self._dry, link.parent) or 1) + 1)
        self._steps[link.id] = 1 + min(ABOVE - 1, int(verdict * ABOVE))
        if good and self.diversity:
            self._thank(link.origin)
        if self._sixth:
            self._sixth.learn(outcome)
        if verdict >= SHADE and not self._taught:
            self._taught = True
            self._experience.amend(self._counts_for(0.0))
        super().learn(outcome)

    def _thank(self, origin: str) -> None:
        """Count a good page for its host; how many a host has given is kept with everything else."""
        at = self._evidence.meet(HOST, _name(origin))
        if not self._evidence.good[at]:
            self._giving.append(at)
        self._evidence.good[at] += 1
        self._evidence.seen[at] += 1

    def load(self, folder: Path) -> None:
        """Begin with what another crawl, or this one before, has learned, and with what hosts have given."""
        super().load(folder)
        self._giving = [at for at, (family, _) in self._evidence.names.items() if family == HOST]
        self._taught = self._loaded is not None

    def _worth(self, outcome: Outcome) -> float:
        """Return how sure it is that a page counts: it does from `keep` on, and a near miss is a miss."""
        near = [at - NEAR for at in self._page(outcome) if NEAR <= at < WORDS]
        if near and not self._taught:
            return STAND_IN * near[0] / STEPS
        counts = self._counts_for(outcome.verdict.value)
        return counts * self._sixth.news(outcome) if self._sixth else counts

    def _counts_for(self, verdict: float) -> float:
        return 1 / (1 + math.exp(-STEEP * (verdict - self.keep)))

    def use_features(self, lookup: FeatureLookup) -> None:
        """Learn from the features that links were stored with."""
        self._stored_features = lookup

    def use_table(self, book: RecordTable) -> None:
        """Go by the rows of this table from now on, where the judge does; their words are told."""
        if isinstance(self._sixth, TableFeatures):
            self._sixth.use_table(book)
            for word in " ".join(" ".join(book.values(row)) for row in range(book.example_count)).split():
                self._words.tell(word, TOLD)

    def _prepare(self) -> None:
        super()._prepare()
        if self._sixth:
            self._sixth.prepare(self._evidence, SHARE)

    def _row(self, link: Link, anchor: str) -> Features:
        """Return the features of a link that is learned from: as they were kept, if they were."""
        made = super()._row(link, anchor)
        kept = self._stored_features(link.id)
        if kept is not None:
            row = kept.copy()
            if self.diversity:
                row[list(_DAMPED)] = NOTHING  # what a host has given is counted by itself
            return row
        return np.concatenate((made, np.zeros(self._columns - _BEFORE, np.uint32)))

    def _weighed(self) -> Weights:
        weights = super()._weighed()
        if self._giving:
            weights.table[self._giving] = -self.diversity * np.log1p(self._evidence.good[self._giving])
        return weights

    def _remark(self, token: int) -> str:
        if self._evidence.names.get(token, ("", ""))[0] == HOST:
            return f"its host has given {self._evidence.good[token]:,.0f} good pages"
        return super()._remark(token)


def _name(origin: str) -> str:
    return origin.partition("://")[2]


def _at(column: NDArray[np.uint8], id: int) -> int:
    """Return what is kept for an id, 0 for nothing."""
    return int(column[id]) if id < len(column) else 0


def _since(dry: int) -> str:
    if not dry:
        return "on a good page"
    return (
        f"{min(dry, DRIEST)}{'+' * (dry > DRIEST)} pages since a good one"
        if dry > 1
        else "1 page since a good one"
    )


def _pointing(many: int, level: int) -> str:
    pages = "1 page points" if not many else f"{1 << many} or more pages point"
    return f"{pages} to it, judged {level / LEVELS:.1f}"


def _joined(families: tuple[FeatureGroup, ...], more: FeatureGroup) -> tuple[FeatureGroup, ...]:
    """Return the families with one more; the others give way, so that all add up to what they did."""
    return *(replace(each, weight=(1 - more.weight) * each.weight) for each in families), more
