"""Sites: find out which sites hold what is looked for with a few pages each, then collect from those."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew import capabilities, registry
from clew.contracts import HostPriorities, Ranker
from clew.domain.sites import site_report
from clew.domain.sites.explorers import ErrorReduction, Explorer, make_explorer
from clew.domain.sites.information_value import NEGLIGIBLE, belief
from clew.domain.sites.normal import Floats
from clew.domain.sites.site_classifier import load_classifier
from clew.domain.sites.site_table import THRESHOLD, SiteTable
from clew.domain.sites.site_training import SiteTraining
from clew.errors import ConfigError
from clew.types import Links, Notice, Outcome, Rule, Scores

NEWS = 0.1
"""All sites are valued anew when a tenth more pages were read: what they have in common has changed."""

WORTH = 0.01
"""A page that is expected to set right less than one verdict in a hundred is better spent on collecting."""

LEAN = (0.35, 0.3)
"""What a page without a find says of its site, as long as no words were learned: from 0.35 for a verdict of 0
to 0.65 for one that just falls short. It may only be the wrong page."""

DEAD = 3
"""Requests in vain after which a site that never answered is looked at no more."""

ENOUGH = 5
"""Pages without a find after which a site serves as an example of those that do not hold it."""

MOVED = 0.05
"""Change of a site's value, as a share of it, that is worth telling the frontier."""

STRIDE = 1_000
"""Values that are drawn are drawn anew so often that each page pays for so many draws."""

FEWER = 500
"""Sites for which a page more is waited for before all are written again: the store knows the rest."""

EXPLORING = "explore"
RESERVED = "waits: the pages left are kept for sites not looked at yet"
DRY = "nothing is left to look at"
LATE = 0.01
"""Turn of sites that may still answer while others are collected from."""

TOP = 0.95
"""Highest turn of a site that was looked at; those that were not come before all of them."""

DRAWN = 0.97
"""Turn of a site that was drawn by lot."""


class Sites:
    """Look at a few pages of each site to find out which hold it; then collect from those that do.

    One page of every site first. Then always a page of the site where it is expected to set most right
    (`explorer`; the default `gain` is ours, `delta` the paper's). A page that holds what is looked for
    decides its site at once; pages that do not speak against it; what all sites have in common, and the words
    of pages of sites already decided, speak for the rest. When `explore` pages are spent, or nothing more is
    expected of them, collecting begins: sites that hold it compete by their links, others are left alone.

    `within` names the policy that orders the links of one site. `explore` 0 means as long as it pays. `keep`
    is the verdict from which a page holds it; `site` is what counts as one: a `host`, or a `domain`.

    >>> from clew.testing import sample_outcome
    >>> ranker = Sites(explore=1, within="breadth")
    >>> ranker.meet(["https://a.test", "https://b.test"])
    >>> ranker.steer(sample_outcome(1.0))  # the page is spent
    >>> dict(ranker.turns())
    {'https://a.test': None, 'https://b.test': 'was not looked at: exploring was over (rank.explore)'}

    Reference: "A focused crawler for collecting statistical data" (in Japanese), University of Tsukuba:
    the idea, and `delta`.
    """

    def __init__(
        self,
        *,
        about: str = "",
        good: tuple[str, ...] = (),
        bad: tuple[str, ...] = (),
        judge: str = "",
        seed: int = 0,
        explore: int = 0,
        explorer: str = "gain",
        within: str = "keyword",
        keep: float = 0.5,
        site: str = "host",
    ) -> None:
        self.about = about
        self.good = good
        self.bad = bad
        self.judge = judge
        self.seed = seed
        self.explore = explore
        self.explorer = explorer
        self.within = within
        self.keep = keep
        self.site = site
        self.explored = 0
        self.collecting = ""  # why exploring is over; empty as long as it is not
        self._notices: list[Notice] = []
        self.lessons = SiteTraining()
        self.board = SiteTable(by=site)
        self._dice = np.random.default_rng(seed)
        self._values = np.empty(0)
        self._read = self._pooled = 0
        self._changed: set[int] = set()
        self._drawn = -1
        self._reserved = False

    @cached_property
    def inner(self) -> Ranker:
        """The policy that orders the links of one site."""
        if self.within.partition(":")[0] in ("sites", __name__):
            msg = 'rank.within names the policy for the links of one site; choose another than "sites"'
            raise ConfigError(msg)
        made: Ranker = registry.make(
            "ranker",
            self.within,
            about=self.about,
            good=self.good,
            bad=self.bad,
            judge=self.judge,
            seed=self.seed,
        )
        return made

    @property
    def needs_layout(self) -> bool:
        """Whether the policy within wants to know where links stand on their pages."""
        return capabilities.of_ranker(self.inner).needs_layout

    @property
    def _lean(self) -> tuple[float, float]:
        """What a verdict alone says of a site, as a line; explorers of others take it as it is."""
        return (LEAN[0], LEAN[1] / max(self.keep, LEAN[1])) if self.explorer == "gain" else (0.0, 1.0)

    @cached_property
    def _how(self) -> Explorer:
        how = make_explorer(self.explorer)
        # Pages that a person has set aside for exploring are spent on it as long as they can gain anything.
        return replace(how, worth=0.0 if self.explore else WORTH) if isinstance(how, ErrorReduction) else how

    # ---- as any ranker -------------------------------------------------------------------------

    def score(self, source: Outcome, links: Links) -> Scores:
        self.add_hosts(links.origins)
        return self.inner.score(source, links)

    def learn(self, outcome: Outcome) -> None:
        """Let both learn: the policy within, and the choice between sites."""
        self.inner.learn(outcome)
        self.learn_page(outcome)

    # ---- between sites -------------------------------------------------------------------------

    def add_hosts(self, origins: Sequence[str]) -> None:
        self._changed.update(self.board.add_origins(origins))

    def learn_page(self, outcome: Outcome) -> None:
        """Take a page: what it says of its site, and what that means for whose turn it is."""
        page = outcome.page
        self.add_hosts([page.link.origin])
        row = self.board.row(self.board.name(page.link.origin))
        self._read += 1
        self.explored += not self.collecting
        if 200 <= page.response.status < 300:  # noqa: PLR2004
            found = outcome.relevant
            heard = self.lessons.add_page(self.board.names[row], page)
            base, slope = self._lean
            said = base + slope * min(outcome.verdict.value, 1.0) if heard is None else heard
            self.board.add_page(row, min(said, 1.0), found=found)
        else:
            self.board.failed[row] += 1
        self._changed.add(row)
        self._revalue(row)
        self._reserve()
        if not self.collecting and (why := self._over(row)):
            self._collect(why)

    def apply_rule(self, rule: Rule) -> None:
        """Let a person's word on a site count before all that was read; `open` takes it back."""
        for row in self._named(rule.host):
            if rule.verb in ("yes", "no"):
                self.board.labels[row] = rule.verb == "yes"
            elif rule.verb == "open":
                self.board.labels.pop(row, None)
            self._changed.add(row)

    def on_exhausted(self) -> bool:
        """Begin to collect when there is nothing left to look at."""
        if self.collecting or not self.board.stats.pages.any():
            return False
        self._collect(DRY)
        return True

    def host_priorities(self) -> HostPriorities:
        """Return the hosts whose turn has changed since this was asked last."""
        if not self._changed:
            return {}
        rows = np.array(sorted(self._changed))
        self._changed.clear()
        evidence = self.board.stats.at(rows)
        chances = belief(evidence, self.board.pool).chance.tolist()
        columns = zip(rows.tolist(), evidence.pages.tolist(), evidence.hits.tolist(), chances, strict=True)
        made: dict[str, float | str | None] = {}
        for row, pages, hits, chance in columns:
            made.update(
                dict.fromkeys(self.board.origins[row], self._turn(row, int(pages), int(hits), chance))
            )
        return made

    def _turn(self, row: int, pages: int, hits: int, chance: float) -> float | str | None:
        said = self.board.labels.get(row)
        if not pages and said is None:
            return self._unseen(row)
        yes = chance >= THRESHOLD if said is None else said
        words = site_report.describe_site(said, pages, hits, chance)
        if self.collecting:
            return None if yes else words
        if row == self._drawn:
            return DRAWN
        value = float(self._values[row]) if row < len(self._values) else 1.0
        if said is not None or hits or value <= self._how.worth:
            return f"{words}; its turn comes with collecting" if yes else words
        return RESERVED if self._reserved else TOP * value / (1 + value)

    def _reserve(self) -> None:
        """Keep the last pages of the budget for sites not looked at yet: they may only be slow to answer."""
        left = self.explore - self.explored
        reserved = bool(self.explore) and not self.collecting and left <= int(self._unlooked().sum())
        if reserved != self._reserved:
            self._reserved = reserved
            self._changed.update(range(len(self.board)))

    def _unlooked(self) -> NDArray[np.bool_]:
        """Say of which sites nothing was read that may still answer."""
        waiting: NDArray[np.bool_] = (self.board.stats.pages == 0) & (self.board.failed < DEAD)
        waiting[list(self.board.labels)] = False
        return waiting

    def _unseen(self, row: int) -> float | str:
        """Return the turn of a site of which nothing was read."""
        if self.board.failed[row] >= DEAD:
            return "answers nothing"
        if not self.collecting:
            return 1.0
        return LATE if self.collecting == DRY else "was not looked at: exploring was over (rank.explore)"

    def _revalue(self, row: int) -> None:
        """Value one more page of a site that was just read; from time to time, of all sites."""
        board, how, dice = self.board, self._how, self._dice
        stale = how.restless and self._read % max(1, len(board) // STRIDE) == 0
        news = self._read > (1 + NEWS) * self._pooled
        if news:
            self._pooled = self._read
            self._study()
            board.refresh_pool()
        if news or stale or len(self._values) < len(board):
            before = np.zeros(len(board))
            before[: len(self._values)] = self._values
            self._values = how.values(board.stats, board.pool, dice)
            moved = np.abs(self._values - before) > MOVED * np.maximum(before, NEGLIGIBLE)
            self._changed.update(np.flatnonzero(moved).tolist())
        else:
            self._values[row] = how.values(board.stats.at(np.array([row])), board.pool, dice)[0]
        if how.lots and dice.random() < how.lots:
            last, self._drawn = self._drawn, int(dice.integers(len(board)))
            self._changed |= {last, self._drawn} - {-1}

    def _over(self, row: int) -> str:
        """Say why exploring is over; empty as long as it is not."""
        if self.explore and self.explored >= self.explore:
            unlooked = int(self._unlooked().sum())
            looked = len(self.board) - unlooked
            # Pages that were under way when the rest was reserved are no reason to leave slow sites out.
            return f"its {self.explore:,} pages are spent" if not unlooked or looked >= self.explore else ""
        worth = self._how.worth
        if worth < 0 or self._values[row] > worth:
            return ""
        evidence = self.board.stats
        unsure = (self._values > worth) & (evidence.pages > 0) & (evidence.hits == 0)
        unsure[list(self.board.labels)] = False
        return "" if (self._unlooked() | unsure).any() else "no more gain is expected of it"

    def _collect(self, why: str) -> None:
        self.collecting = why
        self.board.refresh_pool()
        self._changed.update(range(len(self.board)))
        self._notices.append(self.status())

    # ---- what was learned ----------------------------------------------------------------------

    def _study(self) -> None:
        """Learn what words tell of a site, from sites that are decided; read again what was kept by it."""
        board, evidence = self.board, self.board.stats
        found, without = evidence.hits > 0, (evidence.hits == 0) & (evidence.pages >= ENOUGH)
        decided = {board.names[row]: bool(found[row]) for row in np.flatnonzero(found | without).tolist()}
        decided |= {board.names[row]: good for row, good in board.labels.items()}
        if not self.lessons.retrain(decided):
            return
        for name in self.lessons.pages:
            row, chances = board.row(name), np.array(self.lessons.chances(name))
            pages = evidence.pages[row]
            evidence.total[row] = chances.mean() * pages
            evidence.squares[row] = np.square(chances).mean() * pages

    def restore_hosts(self, rows: Iterable[tuple[str, int, float, float, float]]) -> None:
        """Take what the store knows: origin, pages judged, sums of verdicts and squares, pages that hold it.

        What the words of pages said is in the model; where a kill came between, its mean goes for the rest.
        """
        board, totals = self.board, defaultdict[int, Floats](lambda: np.zeros(4))
        for origin, *numbers in rows:
            self.add_hosts([origin])
            totals[board.row(board.name(origin))] += np.array(numbers, np.float64)
        evidence = board.stats
        for row, stored in totals.items():
            pages, total, squares, _ = stored
            if self.lessons.classifier is not None and (had := evidence.pages[row]):
                stored[1:3] = np.array((evidence.total[row], evidence.squares[row])) / had * pages
            else:
                base, slope = self._lean
                stored[1] = base * pages + slope * total
                stored[2] = base * base * pages + 2 * base * slope * total + slope * slope * squares
            board.set_stats(row, stored)
        self._read = int(evidence.pages.sum())
        self.explored = self.explored or self._read
        board.refresh_pool()
        if len(board):
            self._values = self._how.values(evidence, board.pool, self._dice)
        self._changed.update(range(len(board)))

    @property
    def learned(self) -> int:
        """Changes with every page; among many sites less often, for all of them are written each time."""
        return self._read // max(1, len(self.board) // FEWER) + bool(self.collecting)

    def save(self, folder: Path) -> None:
        """Write sites and reader as files that people can read."""
        facts = {"phase": self.collecting or EXPLORING, "explored": str(self.explored),
                 "explorer": self.explorer}  # fmt: skip
        self.board.save(folder, facts)
        if self.lessons.classifier is not None:
            self.lessons.classifier.save(folder)

    def load(self, folder: Path) -> None:
        """Go on with what was known; with a larger `explore` exploring goes on, too."""
        facts = self.board.load(folder)
        self.lessons.classifier = load_classifier(folder)
        self.explored = int(facts.get("explored", "0"))
        phase = facts.get("phase", EXPLORING)
        spent = bool(self.explore) and self.explored >= self.explore
        self.collecting = phase if phase != EXPLORING and (spent or not self.explore) else ""

    # ---- in words ------------------------------------------------------------------------------

    def status(self) -> Notice:
        """Say where exploring and collecting stand."""
        return Notice(
            site_report.describe_phase(self.board, self.explored, self.explore, self.collecting),
            site_report.phase_facts(self.board, self.explored, self.collecting),
        )

    def notices(self) -> list[Notice]:
        """Return what is new since the last call: that collecting has begun."""
        notices, self._notices = self._notices, []
        return notices

    def _named(self, name: str) -> list[int]:
        """Return the rows of the sites that a rule means: a name, or `*.name` for all below it."""
        name = name.lower()
        if name.startswith("*."):
            return [row for row, site in enumerate(self.board.names) if f".{site}".endswith(name[1:])]
        return [self.board.row(self.board.name(f"http://{name}"))]
