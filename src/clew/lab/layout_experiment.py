"""The experiment of the paper behind `layout`: eight trees from two starts, all crawlers on each start.

A breadth-first crawl from either start gives every occurrence of a link whose target was read. From these
grow four trees a start, over four sets of attributes, as J48 does (two links a leaf, pruned by expected
errors). Then breadth-first, the method of Yokoji and the eight trees crawl from either start. Yokoji's method
runs in three versions: by addresses in link texts, as in the paper, by place names, and by landmarks too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from clew.errors import ConfigError
from clew.lab.synthetic import WebTruth
from clew.lab.synthetic_world import SyntheticPages
from clew.lab.task import Task
from clew.lab.trace import Trace
from clew.lab.trial import TrialSettings, run_on
from clew.lab.world import World
from clew.rank.layout.decision_tree import LEAF
from clew.rank.layout.link_attributes import AttributeSet
from clew.rank.layout.link_occurrences import LinkOccurrences
from clew.rank.layout.policy import Layout
from clew.rank.layout.yokoji import Yokoji

STARTS = ("A", "B")
PAPER_SETS: tuple[AttributeSet, ...] = get_args(AttributeSet)[:4]
"""The sets of attributes of the paper's trees A1 to A4 and B1 to B4."""

PARTS = (0.25, 0.5, 0.75, 1.0)
"""Parts of the budget at which efficiency is given, as after 5,000 to 20,000 pages in the paper."""

SYNTHETIC_TOPICS = (("lighthouses", "tea", "trams", "clocks"), ("railways", "gardens", "fossils", "chess"))
"""Topics whose portals are start A and start B in a synthetic web."""

PLACES, SYNTHETIC_PLACES = "place:jp", "any:place:gb,place:de,place:jp"


@dataclass(frozen=True, slots=True)
class AddressTruth:
    """Truth of a synthetic web: pages that show the address of their host."""

    truth: WebTruth
    relevant: int = -1

    def grade(self, url: str) -> float:
        """Return 1 for a page with an address, else 0."""
        return float(self.truth.address(url) is not None)


@dataclass(frozen=True, slots=True)
class GrownTree:
    """A tree of the experiment: its number in the paper, its size, and its accuracy on its own links."""

    name: str
    attributes: str
    links: int
    splits: int
    accuracy: float
    ranker: Callable[[], Layout] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Correlation:
    """How the counted position of links agrees with the shown one: all links, or the right fifth."""

    start: str
    axis: str
    links: int
    value: float


@dataclass(frozen=True, slots=True)
class Efficiency:
    """The share of fetched pages that are relevant, after each page of a crawl."""

    start: str
    crawler: str
    shares: NDArray[np.float64]

    def at(self, pages: int) -> float:
        """Return the share after so many pages; a crawl that ended earlier keeps its last one."""
        return float(self.shares[min(pages, len(self.shares)) - 1]) if len(self.shares) else 0.0


@dataclass(slots=True)
class LayoutExperiment:
    """Run the experiment on one world; `say` receives progress."""

    world: World
    task: Task
    judge: str
    pages: int
    training_pages: int
    say: Callable[[str], None] = lambda _: None
    trees: list[GrownTree] = field(default_factory=list)
    correlations: list[Correlation] = field(default_factory=list)
    curves: list[Efficiency] = field(default_factory=list)

    def run(self) -> None:
        """Grow the trees, then run all crawlers."""
        for start in STARTS:
            self._learn(start)
        crawlers: list[tuple[str, Callable[[], object]]] = [
            ("breadth-first", lambda: "breadth"),
            ("yokoji, addresses", lambda: self._yokoji(strict=True)),
            ("yokoji, place names", lambda: self._yokoji(strict=False)),
            ("yokoji, landmarks too", lambda: self._yokoji(strict=False, landmarks=True)),
            *((tree.name, tree.ranker) for tree in self.trees),
        ]
        for start in STARTS:
            for name, ranker in crawlers:
                trace = self._crawl(ranker(), start, self.pages)
                found = np.cumsum(trace.relevant) / np.arange(1, len(trace) + 1)
                self.curves.append(Efficiency(start, name, found))
                self.say(f"start {start}, {name}: {int(trace.relevant.sum()):,} of {len(trace):,} pages")

    def _learn(self, start: str) -> None:
        """Crawl breadth-first, grow the four trees of a start, and correlate its positions."""
        occurrences = LinkOccurrences(about=self.task.about, judge=self.judge)
        self._crawl(occurrences, start, self.training_pages)
        rows = occurrences.training_rows()
        self.say(f"start {start}: {len(rows.relevant):,} links on {len(np.unique(rows.sources)):,} pages")
        for number, attributes in enumerate(PAPER_SETS, 1):
            grown = self._ranker(attributes)
            grown.fit(rows)
            if grown.tree is None:
                msg = (
                    f"start {start}: fewer than three links led to a relevant page in "
                    f"{self.training_pages:,} pages; learn from more pages, or choose another task"
                )
                raise ConfigError(msg)
            tree = grown.tree
            leaves = tree.leaves(rows.attributes)
            right = (2 * tree.relevant[leaves] > tree.seen[leaves]) == rows.relevant

            def ranker(attributes: AttributeSet = attributes) -> Layout:
                made = self._ranker(attributes)
                made.fit(rows)
                return made

            splits = int((tree.attribute != LEAF).sum())
            self.trees.append(
                GrownTree(f"{start}{number}", attributes, len(right), splits, float(right.mean()), ranker)
            )
        for axis, pair, right_only in (
            ("x", ("a3", "x"), False), ("x, right fifth", ("a3", "x"), True), ("y", ("a4", "y"), False),
        ):  # fmt: skip
            value, links = occurrences.correlation(*pair, right=right_only)
            self.correlations.append(Correlation(start, axis, links, value))

    def _yokoji(self, *, strict: bool, landmarks: bool = False) -> Yokoji:
        """Return the method of Yokoji: addresses in link texts are the paper's version of it."""
        return Yokoji(about=self.task.about, judge=self.judge, strict=strict, landmarks=landmarks)

    def _ranker(self, attributes: AttributeSet) -> Layout:
        """Return a crawler of the paper: priority 1 or 0 by a tree that does not change."""
        return Layout(
            about=self.task.about, judge=self.judge, attributes=attributes, binary=True, leaf=2, support=1,
            guarded=False, learning=False,
        )  # fmt: skip

    def _crawl(self, policy: object, start: str, pages: int) -> Trace:
        settings = TrialSettings(pages=pages, judge=self.judge, start=start)
        return run_on(self.world, self.task, policy, settings)


def paper_task(world: World, name: str) -> Task:
    """Return a task of a world with two starts, A and B.

    A synthetic web has the task of finding postal addresses. Of a recorded world it is the task `name`, or
    the first; where it does not define the starts, its seeds are divided between them.
    """
    if isinstance(world.pages, SyntheticPages) and not name:
        web = world.pages.web
        starts = {
            start: tuple(dict.fromkeys(url for topic in topics for url in web.seeds(topic, 3)))
            for start, topics in zip(STARTS, SYNTHETIC_TOPICS, strict=True)
        }
        return Task(
            name="addresses", about="", truth=AddressTruth(WebTruth(web)), kind="pages", starts=starts
        )
    task = world.task(name or 0)
    if all(task.starts.get(start) for start in STARTS):
        return task
    seeds = task.starts.get("seeds", ())
    if len(seeds) < len(STARTS):
        msg = f'the task "{task.name}" has {len(seeds)} seeds; two starts need two at least'
        raise ConfigError(msg)
    return replace(task, starts={start: seeds[at :: len(STARTS)] for at, start in enumerate(STARTS)})


def usual_judge(world: World) -> str:
    """Return the judge that looks for the addresses of a world."""
    return SYNTHETIC_PLACES if isinstance(world.pages, SyntheticPages) else PLACES


def efficiency_rows(curves: Sequence[Efficiency], pages: int) -> list[tuple[str, ...]]:
    """Return the efficiency of each crawler at four points of the budget: Tables 2.1 and 2.2."""
    return [
        (each.start, each.crawler, *(f"{each.at(round(pages * part)):.3f}" for part in PARTS))
        for each in curves
    ]
