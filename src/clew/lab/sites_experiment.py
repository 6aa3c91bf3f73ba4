"""The experiment of the paper behind `sites` on real pages: train on some sites, explore others.

The pages of a site are read breadth-first from its start, at most three links deep. A classifier, trained on
the words of pages of labelled sites, gives each page the probability that its site is positive; explorers
choose whose page is next, and their verdicts are compared with the truth.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.domain.datafiles import kind_of
from clew.domain.sites.explorers import make_explorer
from clew.domain.sites.site_choice import SiteChoice
from clew.domain.sites.site_classifier import (
    SiteClassifier,
    SiteExample,
    SiteModel,
    TermCounts,
    count_page_terms,
    train_classifier,
)
from clew.errors import ConfigError
from clew.lab.sites_simulation import Floats, measured
from clew.lab.synthetic.hosts import SectionContent
from clew.lab.synthetic_world import SyntheticPages
from clew.lab.world import World
from clew.parse import ipc
from clew.types import Link, Page, Response

MAX_DEPTH = 3
"""Links from the start of a site to its pages, at most: as in the paper."""

MAX_TRAINING_PAGES = 15
"""Pages of a site that are learned from; more of the same site add little."""

FOLDS = 5
"""Parts of a world with few sites: each is explored by a classifier that learned from the others."""

THRESHOLD = 0.5


@dataclass(slots=True)
class SitePages:
    """The pages of one site, breadth-first, read as far as they are asked for."""

    world: World
    name: str
    starts: Sequence[str]
    _terms: list[TermCounts] = field(default_factory=list)
    _found: list[bool] = field(default_factory=list)
    _reading: Iterator[Page] | None = None

    def page(self, number: int) -> tuple[TermCounts, bool] | None:
        """Return the terms of a page and whether it links to data files; None if there are not so many."""
        if self._reading is None:
            self._reading = self._read()
        while len(self._terms) <= number:
            page = next(self._reading, None)
            if page is None:
                return None
            self._terms.append(count_page_terms(page))
            links = zip(page.links.urls, page.links.types, strict=True)
            self._found.append(any(kind_of(url, kind).chance >= THRESHOLD for url, kind in links))
        return self._terms[number], self._found[number]

    def first(self, count: int) -> list[TermCounts]:
        """Return the terms of the first pages."""
        self.page(count - 1)
        return self._terms[:count]

    def _read(self) -> Iterator[Page]:
        waiting = deque((url, 0) for url in self.starts)
        seen = set(self.starts)
        while waiting:
            url, depth = waiting.popleft()
            page = self._fetch(url)
            if page is None:
                continue
            if page.redirect:
                targets, deeper = [page.redirect], depth
            else:
                yield page
                targets, deeper = list(page.links.urls), depth + 1
            for target in targets if deeper <= MAX_DEPTH else ():
                if target not in seen and urls.host(target) == self.name:
                    seen.add(target)
                    waiting.append((target, deeper))

    def _fetch(self, url: str) -> Page | None:
        row = self.world.pages.find(url)
        if row < 0:
            return None
        recorded = self.world.recorded(row)
        link = Link(id=0, url=url, origin=urls.origin(url))
        response = Response(
            link=link, started=0.0, ended=0.0, status=recorded.status, head=recorded.head, body=recorded.body
        )
        page = ipc.page_of(recorded.page, response)
        whole = recorded.status == 200 and page.mime.startswith("text/html")  # noqa: PLR2004
        return page if whole or page.redirect else None


@dataclass(frozen=True, slots=True)
class LabelledSites:
    """Sites with their pages and the truth."""

    sites: list[SitePages]
    truth: NDArray[np.bool_]

    def part(self, rows: Sequence[int]) -> "LabelledSites":
        """Return some of the sites."""
        return LabelledSites([self.sites[row] for row in rows], self.truth[list(rows)])


@dataclass(frozen=True, slots=True)
class SiteEvaluation:
    """Verdicts of a classifier on sites it did not learn from, by all their pages that were read."""

    model: str
    sites: int
    accuracy: float
    precision: float
    recall: float


def labelled_sites(world: World, seed: int = 0) -> LabelledSites:
    """Return the sites of a world with their truth, in random order.

    On a synthetic web a site is positive if one of its sections offers data files; sites that refuse all
    requests are left out. A recorded world needs a task of the kind `sites`.
    """
    rng = np.random.default_rng(seed)
    if isinstance(world.pages, SyntheticPages):
        web = world.pages.web
        names, sections = web.graph.names, web.plan.sections
        positive = np.zeros(len(names), bool)
        positive[sections.host[sections.content == SectionContent.DATA]] = True
        rows = [row for row in rng.permutation(len(names)).tolist() if not web.graph.site(row).is_closed]
        sites = [SitePages(world, names[row], (f"http://{names[row]}/",)) for row in rows]
        return LabelledSites(sites, positive[rows])
    task = next((task for task in world.tasks if task.kind == "sites"), None)
    if task is None:
        msg = f"{world.name} has no task about sites; choose a world with sites.tsv, or madeup:200000:1"
        raise ConfigError(msg)
    starts: dict[str, list[str]] = {}
    for url in task.starts["seeds"]:
        starts.setdefault(urls.host(url), []).append(url)
    order = [name for at in rng.permutation(len(task.sites)).tolist() for name in [sorted(task.sites)[at]]]
    known = [name for name in order if name in starts]
    return LabelledSites(
        [SitePages(world, name, starts[name]) for name in known],
        np.array([task.sites[name] for name in known]),
    )


def train_on(labelled: LabelledSites, model: SiteModel) -> SiteClassifier:
    """Train a classifier on the first pages of sites."""
    examples = [
        SiteExample(site.name, bool(good), counts)
        for site, good in zip(labelled.sites, labelled.truth.tolist(), strict=True)
        for counts in site.first(MAX_TRAINING_PAGES)
    ]
    classifier = train_classifier(examples, model)
    if classifier is None:
        msg = (
            f"the words of {len(labelled.sites)} sites ({int(labelled.truth.sum())} positive) do not tell "
            "them apart; take more sites"
        )
        raise ConfigError(msg)
    return classifier


def evaluate(classifier: SiteClassifier, labelled: LabelledSites, model: str) -> SiteEvaluation:
    """Measure the verdicts by the mean of a site's pages."""
    means = [
        np.mean([classifier.chance(counts) for counts in site.first(MAX_TRAINING_PAGES)] or [0.5])
        for site in labelled.sites
    ]
    found = measured(np.array(means) >= THRESHOLD, labelled.truth)
    return SiteEvaluation(model, len(means), *map(float, found))


@dataclass(slots=True)
class PageChances:
    """The probability that each page gives its site, computed once for all explorers."""

    labelled: LabelledSites
    classifiers: Sequence[SiteClassifier]
    _known: dict[tuple[int, int], float] = field(default_factory=dict)

    def get(self, site: int, number: int) -> tuple[float, bool] | None:
        """Return the probability of a page, and whether it links to data files; None behind the last."""
        page = self.labelled.sites[site].page(number)
        if page is None:
            return None
        counts, found = page
        if (site, number) not in self._known:
            classifier = self.classifiers[site % len(self.classifiers)]
            self._known[site, number] = classifier.chance(counts)
        return self._known[site, number], found


def explore_sites(chances: PageChances, explorer: str, checkpoints: Collection[int], seed: int) -> Floats:
    """Explore by one rule; return accuracy, precision and recall at each checkpoint."""
    rule, truth = make_explorer(explorer), chances.labelled.truth
    choice = SiteChoice(rule, sites=len(truth), seed=seed)
    found: dict[int, Floats] = {}

    def verdicts() -> Floats:
        return measured(rule.estimate(choice.stats, choice.pool) >= THRESHOLD, truth)

    while choice.pages_read < max(checkpoints) and (site := choice.next_site()) >= 0:
        page = chances.get(site, int(choice.stats.pages[site]))
        if page is None:
            choice.drop(site)
            continue
        choice.update(site, page[0], found=page[1])
        if choice.pages_read in checkpoints:
            found[choice.pages_read] = verdicts()
    last = verdicts()
    return np.array([found.get(at, last) for at in sorted(checkpoints)])


@dataclass(frozen=True, slots=True)
class SitesResult:
    """Evaluations of the classifiers, and measures by explorer (repetitions, checkpoints, measures)."""

    evaluations: list[SiteEvaluation]
    measures: Mapping[str, Floats]
    positive: int
    sites: int


def large_experiment(
    labelled: LabelledSites,
    sizes: tuple[int, int, int],
    explorers: Sequence[str],
    checkpoints: Collection[int],
    say: Callable[[str], None],
) -> SitesResult:
    """Train on some sites, evaluate on others, explore the rest: 800, 200 and 1,000 in the paper.

    The explorers use the support vector machine, as there. Random choice is repeated three times.
    """
    train, check, test = sizes
    if len(labelled.sites) < sum(sizes):
        msg = f"there are {len(labelled.sites):,} sites, {sum(sizes):,} are needed; choose a larger web"
        raise ConfigError(msg)
    parts = [labelled.part(range(start, start + size)) for start, size in
             ((0, train), (train, check), (train + check, test))]  # fmt: skip
    evaluations, classifier = [], None
    for model in ("logistic", "svm"):
        classifier = train_on(parts[0], model)
        evaluations.append(evaluate(classifier, parts[1], model))
        say(f"{model}: trained on {classifier.pages:,} pages of {len(classifier.sites):,} sites")
    assert classifier is not None
    chances = PageChances(parts[2], [classifier])
    measures = {}
    for name in explorers:
        runs = 3 if name == "random" else 1
        measures[name] = np.array([explore_sites(chances, name, checkpoints, seed) for seed in range(runs)])
        say(f"{name}: recall {measures[name][:, -1, 2].mean():.3f} after {max(checkpoints):,} pages")
    return SitesResult(evaluations, measures, int(parts[2].truth.sum()), test)


def small_experiment(
    labelled: LabelledSites,
    explorers: Sequence[str],
    checkpoints: Collection[int],
    say: Callable[[str], None],
) -> SitesResult:
    """Explore each fifth of a few sites by a classifier that learned from the others."""
    order = np.argsort(~labelled.truth, kind="stable")  # positive sites are spread evenly over the parts
    labelled = labelled.part(order.tolist())
    rows = range(len(labelled.sites))
    evaluations = []
    for model in ("logistic", "svm"):
        classifiers = [
            train_on(labelled.part([row for row in rows if row % FOLDS != fold]), model)
            for fold in range(FOLDS)
        ]
        found = [
            evaluate(classifiers[fold], labelled.part([row for row in rows if row % FOLDS == fold]), model)
            for fold in range(FOLDS)
        ]
        mean = np.mean([(each.accuracy, each.precision, each.recall) for each in found], axis=0)
        evaluations.append(SiteEvaluation(model, len(rows), *map(float, mean)))
        say(f"{model}: trained on four fifths of {len(rows)} sites, five times")
    chances = PageChances(labelled, classifiers)
    measures = {
        name: np.array([explore_sites(chances, name, checkpoints, seed)
                        for seed in range(3 if name == "random" else 1)])
        for name in explorers
    }  # fmt: skip
    return SitesResult(evaluations, measures, int(labelled.truth.sum()), len(rows))
