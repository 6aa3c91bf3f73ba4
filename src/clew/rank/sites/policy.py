"""Sites: find out with a few pages each which sites hold what is wanted, then collect from those."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew import registry
from clew.contracts import HostPriorities, Ranker
from clew.domain.sites import site_report
from clew.domain.sites.explorers import ErrorReduction, Explorer, make_explorer
from clew.domain.sites.normal import Floats
from clew.domain.sites.site_classifier import SiteModel, load_classifier
from clew.domain.sites.site_table import THRESHOLD, SiteTable
from clew.domain.sites.site_training import SiteTraining
from clew.errors import ConfigError
from clew.rank.sites.goal_words import goal_words
from clew.rank.sites.link_order import SiteKeyword
from clew.rank.sites.site_values import ExplorationPhase, SiteValues
from clew.registry import capabilities
from clew.types import Links, Notice, Outcome, Rule, Scores

MIN_GAIN = 0.01
"""If a page is expected to correct less than one verdict in a hundred, collecting is the better use of it."""

VERDICT_LINE = (0.35, 0.3)
"""How an irrelevant page counts for its site until a site classifier is trained: from 0.35 for a verdict of
0 to 0.65 for one just below the threshold. It may only be the wrong page."""

DEAD = 3
"""Failed requests after which a site that never answered is not tried again."""

NO_CLASSIFIER = (
    "{explorer} has no classifier of sites yet: the verdicts on pages stand for it; "
    "clew sites DIR --labels FILE trains one, clew new --like copies one"
)
"""What is said once to the user of the published rule, which needs a classifier."""

MIN_PAGES = 5
"""Pages without a relevant one after which a site serves as a negative training example."""

SITES_PER_SAVE = 500
"""Sites for each page between two saves of all of them: the store has the rest."""

EXPLORING = "explore"
RESERVED = "waits: the pages left are reserved for sites of which none was read yet"
EXHAUSTED = "nothing is left to look at"
LATE = 0.01
"""Priority of sites that may still answer while others are collected from."""

MAX_READ = 0.95
"""Highest priority of a site of which a page was read; sites without any come before all of them."""

DRAWN = 0.97
"""Priority of a site that was chosen at random."""


class Sites:
    """Read a few pages of each site to find out which hold what is wanted; then collect from those.

    It reads one page of every site first. Then always one of the site where a page is expected to reduce
    the error most (`explorer`; the default `gain` is ours, `delta` the paper's). With `gain` one relevant
    page decides its site at once, also one that may not be indexed, and irrelevant pages lower its
    probability; the other sites are estimated from the statistics of all sites and by a classifier trained
    on the words of decided ones. With any other explorer the verdict on a site is the mean of its pages, as
    in the paper. When `explore` pages are spent, or no further gain is expected, collecting begins: positive
    sites compete by their links, the others are left alone.

    `within` names the policy that orders the links of one site, `options` are that policy's; a goal without
    words has those of its judge there (`goal_words`). `explore` 0
    means as long as it pays. `classifier` is `logistic`, or `svm` as in the paper. `keep` is the verdict
    from which a page is relevant; `site` is the unit: a `host`, or a `domain`.

    >>> from clew.testing import sample_outcome
    >>> ranker = Sites(explore=1, within="breadth")
    >>> ranker.add_hosts(["https://a.test", "https://b.test"])
    >>> ranker.learn_page(sample_outcome(1.0))  # the page is spent
    >>> ranker.host_priorities()
    {'https://a.test': None, 'https://b.test': 'not read: exploration was over (rank.explore)'}

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
        classifier: SiteModel = "logistic",
        within: str = "keyword",
        keep: float = 0.5,
        site: str = "host",
        options: Mapping[str, object] | None = None,
    ) -> None:
        self.goal: dict[str, object] = {"about": about, "good": good, "bad": bad, "judge": judge}
        self.seed = seed
        self.explore = explore
        self.explorer = explorer
        self.within = within
        self.keep = keep
        self.site = site
        self.options = options or {}
        self.classifier = classifier
        self.training = SiteTraining(classifier)
        self.table = SiteTable(by=site, by_mean=explorer != "gain")
        self._phase = ExplorationPhase()
        self._values = SiteValues(seed)
        self._changed: set[int] = set()
        self._notices: list[Notice] = []

    @property
    def explored(self) -> int:
        """How many pages exploration has taken."""
        return self._phase.explored

    @property
    def collecting(self) -> str:
        """Why exploration is over; empty as long as it is not."""
        return self._phase.ended

    @cached_property
    def inner(self) -> Ranker:
        """The policy that orders the links of one site."""
        if self.within.partition(":")[0] in ("sites", __name__):
            msg = 'rank.within names the policy for the links of one site; choose another than "sites"'
            raise ConfigError(msg)
        about = str(self.goal["about"] or goal_words(str(self.goal["judge"])))
        if self.within == "keyword" and not self.options:
            return SiteKeyword(about=about)
        goal = {**self.goal, "about": about}
        inner: Ranker = registry.make("ranker", self.within, self.options, **goal, seed=self.seed)
        return inner

    @property
    def needs_tokens(self) -> bool:
        """Whether the ranker within needs the tokens of links."""
        return capabilities.of_ranker(self.inner).needs_tokens

    @property
    def needs_layout(self) -> bool:
        """Whether the inner policy needs the positions of links on their pages."""
        return capabilities.of_ranker(self.inner).needs_layout

    @property
    def _verdict_line(self) -> tuple[float, float]:
        """How a verdict counts for its site, as base and slope; the paper's explorers take it as it is."""
        base, slope = VERDICT_LINE
        return (base, slope / max(self.keep, slope)) if self.explorer == "gain" else (0.0, 1.0)

    @cached_property
    def _explorer(self) -> Explorer:
        explorer = make_explorer(self.explorer)
        if not isinstance(explorer, ErrorReduction):
            return explorer
        # A budget that the user has set is spent on exploration as long as it can gain anything.
        return replace(explorer, min_value=0.0 if self.explore else MIN_GAIN)

    # ---- links ---------------------------------------------------------------------------------

    def score(self, source: Outcome, links: Links) -> Scores:
        self.add_hosts(links.origins)
        return self.inner.score(source, links)

    def learn(self, outcome: Outcome) -> None:
        """Pass a page to the inner policy and to the statistics of sites."""
        self.inner.learn(outcome)
        self.learn_page(outcome)

    # ---- sites ---------------------------------------------------------------------------------

    def add_hosts(self, origins: Sequence[str]) -> None:
        self._changed.update(self.table.add_origins(origins))

    def learn_page(self, outcome: Outcome) -> None:
        """Add a page to the statistics of its site, and update the priorities of sites."""
        page = outcome.page
        self.add_hosts([page.link.origin])
        row = self.table.row(self.table.name(page.link.origin))
        self._values.pages += 1
        self._phase.explored += not self.collecting
        if self.explored == 1 and self.explorer.startswith("delta") and self.training.classifier is None:
            self._notices.append(Notice(NO_CLASSIFIER.format(explorer=self.explorer)))
        if 200 <= page.response.status < 300:  # noqa: PLR2004
            chance = self.training.add_page(self.table.names[row], page)
            if chance is None:
                base, slope = self._verdict_line
                chance = base + slope * min(outcome.verdict.value, 1.0)
            self.table.add_page(row, min(chance, 1.0), found=outcome.verdict.value >= self.keep)
        else:
            self.table.failed[row] += 1
        self._changed.add(row)
        self._revalue(row)
        self._reserve()
        if not self.collecting and (reason := self._end_reason(row)):
            self._collect(reason)

    def pages_left(self) -> int | None:
        """Return the pages that exploration may still request; None when it is over or has no limit."""
        left = self.explore - self.explored
        # Past its limit, exploration goes on only for sites of which nothing was read (`_end_reason`).
        return left if self.explore and left > 0 and not self.collecting else None

    def apply_rule(self, rule: Rule) -> None:
        """Let the user's label of a site override all pages; `open` removes it."""
        if rule.verb not in ("yes", "no", "open"):
            return
        for row in self._named(rule.host):
            if rule.verb == "open":
                self.table.labels.pop(row, None)
            else:
                self.table.labels[row] = rule.verb == "yes"
            self._changed.add(row)

    def on_exhausted(self) -> bool:
        """Begin to collect when there is nothing left to explore."""
        if self.collecting or not self.table.stats.pages.any():
            return False
        self._collect(EXHAUSTED)
        return True

    def host_priorities(self) -> HostPriorities:
        """Return the hosts whose priority has changed since the last call."""
        if not self._changed:
            return {}
        rows = np.array(sorted(self._changed))
        self._changed.clear()
        stats = self.table.stats.at(rows)
        chances = self.table.chances(stats).tolist()
        columns = zip(rows.tolist(), stats.pages.tolist(), stats.hits.tolist(), chances, strict=True)
        priorities: dict[str, float | str | None] = {}
        for row, pages, hits, chance in columns:
            priority = self._priority(row, int(pages), int(hits), chance)
            priorities.update(dict.fromkeys(self.table.origins[row], priority))
        return priorities

    def _priority(self, row: int, pages: int, hits: int, chance: float) -> float | str | None:
        label = self.table.labels.get(row)
        if not pages and label is None:
            return self._unread_priority(row)
        positive = chance >= THRESHOLD if label is None else label
        description = site_report.describe_site(label, pages, hits, chance)
        if self.table.by_mean and hits and not positive and label is None:
            description = f"does not hold it by the mean of its {pages:,} pages ({chance:.2f})"
        if self.collecting:
            return None if positive else description
        if row == self._values.drawn:
            return DRAWN
        value = self._values.value(row)
        if label is not None or (hits and not self.table.by_mean) or value <= self._explorer.min_value:
            return f"{description}; collected from after exploration" if positive else description
        return RESERVED if self._phase.reserved else MAX_READ * value / (1 + value)

    def _reserve(self) -> None:
        """Reserve the last pages of the budget for sites of which none was read: they may only be slow."""
        left = self.explore - self.explored
        reserved = bool(self.explore) and not self.collecting and left <= int(self._unread().sum())
        if reserved != self._phase.reserved:
            self._phase.reserved = reserved
            self._changed.update(range(len(self.table)))

    def _unread(self) -> NDArray[np.bool_]:
        """Return which sites had no page read yet and may still answer."""
        waiting: NDArray[np.bool_] = (self.table.stats.pages == 0) & (self.table.failed < DEAD)
        waiting[list(self.table.labels)] = False
        return waiting

    def _unread_priority(self, row: int) -> float | str:
        """Return the priority of a site of which no page was read."""
        if self.table.failed[row] >= DEAD:
            return "does not respond"
        if not self.collecting:
            return 1.0
        return LATE if self.collecting == EXHAUSTED else "not read: exploration was over (rank.explore)"

    def _revalue(self, row: int) -> None:
        """Update the value of a site of which a page was just read; from time to time, of all sites."""
        due = self._values.pool_due()
        if due:
            self._retrain()
            self.table.refresh_pool()
        self._changed |= self._values.update(row, self.table, self._explorer, everything=due)

    def _end_reason(self, row: int) -> str:
        """Return why exploration should end; empty as long as it should not."""
        if self.explore and self.explored >= self.explore:
            unread = int(self._unread().sum())
            read = len(self.table) - unread
            # Pages that were in flight when the rest was reserved are no reason to leave slow sites out.
            return f"its {self.explore:,} pages are spent" if not unread or read >= self.explore else ""
        min_value, values = self._explorer.min_value, self._values.values
        if min_value < 0 or values[row] > min_value:
            return ""
        stats = self.table.stats
        unsure = (values > min_value) & (stats.pages > 0) & (stats.hits == 0)
        unsure[list(self.table.labels)] = False
        return "" if (self._unread() | unsure).any() else "no more gain is expected of it"

    def _collect(self, reason: str) -> None:
        self._phase.ended = reason
        self.table.refresh_pool()
        self._changed.update(range(len(self.table)))
        self._notices.append(self.status())

    # ---- training and persistence --------------------------------------------------------------

    def _retrain(self) -> None:
        """Train the site classifier on decided sites; classify the stored pages again with it."""
        table, stats = self.table, self.table.stats
        found, without = stats.hits > 0, (stats.hits == 0) & (stats.pages >= MIN_PAGES)
        decided = {table.names[row]: bool(found[row]) for row in np.flatnonzero(found | without).tolist()}
        decided |= {table.names[row]: label for row, label in table.labels.items()}
        if not self.training.retrain(decided):
            return
        for name in self.training.pages:
            row, chances = table.row(name), np.array(self.training.chances(name))
            pages = stats.pages[row]
            stats.total[row] = chances.mean() * pages
            stats.squares[row] = np.square(chances).mean() * pages

    def restore_hosts(self, rows: Iterable[tuple[str, int, float, float, float]]) -> None:
        """Set the statistics of sites from the store: origin, judged pages, sums of verdicts and squares.

        The last number counts verdicts that reach `keep`. Probabilities by the site classifier are in the
        model. If a crawl was killed before it was saved, their mean is used for the pages it lacks.
        """
        table, totals = self.table, defaultdict[int, Floats](lambda: np.zeros(4))
        for origin, *numbers in rows:
            self.add_hosts([origin])
            totals[table.row(table.name(origin))] += np.array(numbers, np.float64)
        stats = table.stats
        for row, stored in totals.items():
            pages, total, squares, _ = stored
            if self.training.classifier is not None and (had := stats.pages[row]):
                stored[1:3] = np.array((stats.total[row], stats.squares[row])) / had * pages
            else:
                base, slope = self._verdict_line
                stored[1] = base * pages + slope * total
                stored[2] = base * base * pages + 2 * base * slope * total + slope * slope * squares
            table.set_stats(row, stored)
        self._values.pages = int(stats.pages.sum())
        self._phase.explored = self.explored or self._values.pages
        table.refresh_pool()
        if len(table):
            self._values.compute_all(table, self._explorer)
        self._changed.update(range(len(table)))

    @property
    def learned(self) -> int:
        """Changes with every page; with many sites less often, because all of them are written each time."""
        return self._values.pages // max(1, len(self.table) // SITES_PER_SAVE) + bool(self.collecting)

    def save(self, folder: Path) -> None:
        """Write the sites and their classifier as files that people can read."""
        facts = {"phase": self.collecting or EXPLORING, "explored": str(self.explored),
                 "explorer": self.explorer}  # fmt: skip
        self.table.save(folder, facts)
        if self.training.classifier is not None:
            self.training.classifier.save(folder)

    def load(self, folder: Path) -> None:
        """Continue from saved files; with a larger `explore` exploration continues, too."""
        facts = self.table.load(folder)
        self.training.classifier = load_classifier(folder)
        self._phase.explored = int(facts.get("explored", "0"))
        phase = facts.get("phase", EXPLORING)
        spent = bool(self.explore) and self.explored >= self.explore
        self._phase.ended = phase if phase != EXPLORING and (spent or not self.explore) else ""

    # ---- status --------------------------------------------------------------------------------

    def status(self) -> Notice:
        """Return the progress of exploration and collection."""
        counts = site_report.count_verdicts(self.table)
        return Notice(
            site_report.describe_phase(counts, self.explored, self.explore, self.collecting),
            site_report.phase_facts(counts, self.explored, self.collecting),
        )

    def notices(self) -> list[Notice]:
        """Return what is new since the last call: that collecting has begun."""
        notices, self._notices = self._notices, []
        return notices

    def _named(self, name: str) -> list[int]:
        """Return the rows of the sites that a rule means: a name, or `*.name` for all below it."""
        name = name.lower()
        if name.startswith("*."):
            return [row for row, site in enumerate(self.table.names) if f".{site}".endswith(name[1:])]
        return [self.table.row(self.table.name(f"http://{name}"))]
