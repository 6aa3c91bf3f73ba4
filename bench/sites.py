"""Explore recorded sites whose truth is known, and crawl them; write part of the data of docs/lab/sites.md.

    python -m bench.sites --worlds FOLDER [--splits 6] [--only explore|few|crawl]        (or with CLEW_WORLDS=FOLDER)

The world stat-sites has 42 sites, 12 of which link to data files. First all explorers get the same pages in the
same order within each site, and the probabilities of a classifier that was trained on other sites (six folds over sites,
drawn again for each split). A page is positive if one of its links looks like a data file. Then the product itself
explores the world in the lab with the judge `data` and a few pages a site, and crawls it, dead sites among them.
About three minutes of one core.
"""

import argparse
import os
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush
from pathlib import Path

import numpy as np

from bench.figures import publish, stacked, with_header, with_keys
from bench.sites_report import picture
from clew import urls
from clew.domain.datafiles import kind_of
from clew.domain.sites.explorers import ErrorReduction, Explorer, make_explorer
from clew.domain.sites.site_choice import SiteChoice
from clew.domain.sites.site_classifier import SiteExample, TermCounts, count_page_terms, train_classifier
from clew.lab.replay import NetworkModel
from clew.lab.trial import TrialSettings, run_on
from clew.lab.world import World, open_world
from clew.parse import ipc
from clew.rank.baselines.keyword import Keyword
from clew.rank.sites.policy import Sites
from clew.types import Link, Outcome, Page, Response, Verdict
from docs.figures import Table

WORLD = "stat-sites"
ABOUT = "statistical data, datasets to download as csv or excel files"
"""The query of the task; it orders the pages within a site."""

FOLDS = 6
LEARNED = 15
"""Pages of a site that the classifier is trained on."""

TIMES = (1, 1.5, 2, 3, 4, 5, 7, 10)
"""Pages a site, on average."""

CALLED = 15
"""Sites classified as positive when all explorers must classify the same number."""

FEW = (1, 2, 3, 5, 10)
"""Pages a site when only a few are read and none is labelled."""

RESAMPLED = 1_000
NAMES = ("random", "epsilon", "ucb", "thompson", "delta", "delta-sample", "gain")


class SiteWorld:
    """The sites of a world, the pages of each in reading order, their terms and labels."""

    def __init__(self, world: World, order: str) -> None:
        assert world.page_store is not None
        self.world, self.store = world, world.page_store
        task = next(task for task in world.tasks if task.kind == "sites")
        self.sites = sorted(task.sites)
        self.truth = np.array([task.sites[site] for site in self.sites])
        self.pages: dict[int, Page] = {}
        seeds = [self._follow_redirects(self.store.resolve(url)) for url in task.starts["seeds"]]
        walk = self._breadth if order == "breadth" else self._keyword
        self.order = [walk([row for row in seeds if self._is_on(row, site)], site) for site in self.sites]
        self.counts: dict[int, TermCounts] = {
            row: count_page_terms(self.pages[row]) for rows in self.order for row in rows
        }
        self.holds = {row: _holds(self.pages[row]) for rows in self.order for row in rows}

    def _page(self, row: int) -> Page:
        if row not in self.pages:
            url, found = self.store.url(row), self.world.recorded(row)
            link = Link(id=1, url=url, origin=urls.origin(url))
            response = Response(
                link=link, started=0, ended=0, status=found.status, head=found.head, body=found.body
            )
            self.pages[row] = ipc.page_of(found.page, response)
        return self.pages[row]

    def _follow_redirects(self, row: int) -> int:
        for _ in range(5):
            if row < 0 or self.store.status[row] == 200:
                break
            row = int(self.store.moved[row])
        return row

    def _is_on(self, row: int, site: str) -> bool:
        return (
            row >= 0
            and urls.host(self.store.url(row)) == site
            and self._page(row).mime.startswith("text/html")
        )

    def _targets(self, row: int) -> list[int]:
        return [
            self._follow_redirects(target)
            for target in self.store.ways[self.store.starts[row] : self.store.starts[row + 1]].tolist()
        ]

    def _breadth(self, seeds: list[int], site: str) -> list[int]:
        queue, seen, order = deque(dict.fromkeys(seeds)), set(seeds), []
        while queue:
            order.append(row := queue.popleft())
            for target in self._targets(row):
                if target not in seen and self._is_on(target, site):
                    seen.add(target)
                    queue.append(target)
        return order

    def _keyword(self, seeds: list[int], site: str) -> list[int]:
        """Order pages as the policy keyword would take them."""
        ranker, best, heap, order = Keyword(about=ABOUT), dict.fromkeys(seeds, 1.0), [], []
        for number, row in enumerate(best):
            heappush(heap, (-1.0, number, row))
        number = len(heap)
        while heap:
            _, _, row = heappop(heap)
            if row in order:
                continue
            order.append(row)
            page = self._page(row)
            scores = ranker.score(Outcome(page, Verdict(0.0)), page.links).tolist()
            for target, score in zip(self._targets(row), scores, strict=True):
                if score > best.get(target, -1.0) and self._is_on(target, site):
                    best[target], number = score, number + 1
                    heappush(heap, (-score, number, target))
        return order

    def chances(self, seed: int) -> dict[int, float]:
        """Return the probability of each page by a classifier that was not trained on its site."""
        rng = np.random.default_rng(seed)
        good, bad = np.flatnonzero(self.truth), np.flatnonzero(~self.truth)
        shuffled = [*rng.permutation(good).tolist(), *rng.permutation(bad).tolist()]
        fold = {site: number % FOLDS for number, site in enumerate(shuffled)}
        chances = {}
        for out in range(FOLDS):
            examples = [
                SiteExample(self.sites[site], bool(self.truth[site]), self.counts[row])
                for site in range(len(self.sites)) if fold[site] != out for row in self.order[site][:LEARNED]
            ]  # fmt: skip
            classifier = train_classifier(examples)
            assert classifier is not None
            for site in (site for site, at in fold.items() if at == out):
                chances.update((row, classifier.chance(self.counts[row])) for row in self.order[site])
        return chances


def _holds(page: Page) -> bool:
    links = page.links
    return any(kind_of(url, kind).chance >= 0.5 for url, kind in zip(links.urls, links.types, strict=True))


def explored(
    site_world: SiteWorld, explorer: Explorer, chances: dict[int, float], checkpoints: list[int], seed: int
) -> np.ndarray:
    """Return for each checkpoint the estimate of every site, and whether it is proven (checkpoints, 2, sites)."""
    page_counts = np.array([len(rows) for rows in site_world.order])
    choice, at_checkpoint = (
        SiteChoice(explorer, sites=len(page_counts), page_limits=page_counts, seed=seed),
        {},
    )
    while choice.pages_read < checkpoints[-1] and (site := choice.next_site()) >= 0:
        row = site_world.order[site][int(choice.stats.pages[site])]
        choice.update(site, chances[row], found=site_world.holds[row])
        if choice.pages_read in checkpoints:
            at_checkpoint[choice.pages_read] = np.array(
                (explorer.estimate(choice.stats, choice.pool), choice.stats.hits > 0)
            )
    last = np.array((explorer.estimate(choice.stats, choice.pool), choice.stats.hits > 0))
    return np.array([at_checkpoint.get(checkpoint, last) for checkpoint in checkpoints])


def measured(runs: np.ndarray, truth: np.ndarray, keep: np.ndarray) -> dict[str, float]:
    """Return the measures of runs (runs, 2, sites) over some sites, each counted as often as `keep` says."""
    yes, proven = runs[:, 0] >= 0.5, runs[:, 1] > 0
    good, all_ = (keep * truth).sum(), keep.sum()
    right = (yes & truth) @ keep
    ranked = np.argsort(-runs[:, 0], axis=1, kind="stable")
    weight = keep[ranked]
    before = np.cumsum(weight, axis=1) - weight
    some = np.clip(CALLED / len(truth) * all_ - before, 0, weight)
    return {
        "recall": float((right / good).mean()), "precision": float((right / np.maximum(yes @ keep, 1)).mean()),
        "accuracy": float(((yes == truth) @ keep / all_).mean()), "proven": float(((proven & truth) @ keep / good).mean()),
        "even": float(((some * truth[ranked]).sum(axis=1) / good).mean()),
    }  # fmt: skip


def table(made: dict[str, np.ndarray], truth: np.ndarray, checkpoints: list[int], measure: str) -> list[str]:
    """Return rows of one measure, with 95 % intervals from resampling sites at each checkpoint."""
    rng, ones = np.random.default_rng(1), np.ones(len(truth))
    lines = [
        "| explorer | " + " | ".join(f"{checkpoint:,}" for checkpoint in checkpoints) + " |",
        "|---|" + "---|" * len(checkpoints),
    ]
    draws = [
        np.bincount(rng.integers(len(truth), size=len(truth)), minlength=len(truth)).astype(float)
        for _ in range(200)
    ]
    for name, runs in made.items():
        cells = []
        for at in range(len(checkpoints)):
            mean = measured(runs[:, at], truth, ones)[measure]
            spread = [measured(runs[:, at], truth, keep)[measure] for keep in draws if (keep * truth).sum()]
            low, high = np.percentile(spread, [2.5, 97.5])
            cells.append(f"{mean:.2f} ({low:.2f}–{high:.2f})")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return lines


def against(made: dict[str, np.ndarray], truth: np.ndarray, checkpoints: list[int]) -> Table:
    """Compare `gain` with `delta` and `random` on the same resampled sites."""
    rng = np.random.default_rng(2)
    draws = [
        np.bincount(rng.integers(len(truth), size=len(truth)), minlength=len(truth)).astype(float)
        for _ in range(RESAMPLED // 2)
    ]
    rows = []
    for other in ("delta", "random"):
        for measure, title in (
            ("recall", "recall at its own line"),
            ("even", f"recall with {CALLED} sites called"),
        ):
            cells = []
            for at in range(len(checkpoints)):
                gaps = [
                    measured(made["gain"][:, at], truth, keep)[measure] - measured(made[other][:, at], truth, keep)[measure]
                    for keep in draws if (keep * truth).sum()
                ]  # fmt: skip
                low, high = np.percentile(gaps, [2.5, 97.5])
                cells += [f"{np.mean(gaps):+.2f}", f"{low:+.2f}", f"{high:+.2f}"]
            rows.append((title, f"gain − {other}", *cells))
    columns = [
        name
        for checkpoint in checkpoints
        for name in (f"{checkpoint}", f"{checkpoint} low", f"{checkpoint} high")
    ]
    return Table(("measure", "explorers", *columns), tuple(rows))


def with_finds(runs: np.ndarray) -> np.ndarray:
    """Let a positive page decide its site, as in `gain`; the choice of pages is unchanged."""
    counted_too = runs.copy()
    counted_too[:, :, 0] = np.maximum(runs[:, :, 0], runs[:, :, 1])
    return counted_too


def exploring(world: World, splits: int, *, dry: bool = False) -> dict[str, Table]:
    """Run all explorers over all splits, in two orders of pages; return the tables.

    With `dry`, its pictures are not written.
    """
    parts, gaps = [], []
    for order in ("keyword", "breadth"):
        began, site_world = time.process_time(), SiteWorld(world, order)
        checkpoints = [round(each * len(site_world.sites)) for each in TIMES]
        chances_by_split = [site_world.chances(seed) for seed in range(splits)]
        made = {
            name: np.array([
                explored(site_world, ErrorReduction() if name == "gain" else make_explorer(name), chances, checkpoints, seed)
                for seed, chances in enumerate(chances_by_split)
            ]) for name in NAMES
        }  # fmt: skip
        made |= {f"{name} + finds": with_finds(made[name]) for name in ("delta", "random", "thompson")}
        everything = np.array(
            [
                [chances[row] for row in rows] and np.mean([chances[row] for row in rows])
                for chances in chances_by_split
                for rows in site_world.order
            ]
        )
        right = ((everything.reshape(splits, -1) >= 0.5) == site_world.truth).mean()
        print(f"{order}: the mean probability of all pages of a site is right for {right:.2f} of the sites")
        for measure, words in (
            ("recall", "recall"), ("even", f"recall with {CALLED} sites called"), ("precision", "precision"), ("accuracy", "accuracy"), ("proven", "proven"),
        ):  # fmt: skip
            shown = "\n".join(table(made, site_world.truth, checkpoints, measure))
            parts.append(with_keys(shown, links=order, measure=words))
        gaps.append(with_keys(against(made, site_world.truth, checkpoints), links=order))
        if order == "keyword":
            ones = np.ones(len(site_world.truth))
            for measure, words in (("even", f"recall with {CALLED} sites called"), ("accuracy", "accuracy")):
                curves = {
                    name: np.array([[measured(run[None, at], site_world.truth, ones)[measure] for at in range(len(checkpoints))] for run in runs])
                    for name, runs in made.items()
                }  # fmt: skip
                picture(
                    f"sites-real-{measure}.svg", title=f"{words}, 42 recorded sites; bands: splits of the classifier's folds",
                    y_label=words, x_label="pages read, of all sites together", xs=checkpoints, curves=curves,
                    dry=dry,
                )  # fmt: skip
        print(f"{order}: {time.process_time() - began:.0f} CPU-s", flush=True)
    return {"sites-recorded": stacked(parts), "sites-recorded-differences": stacked(gaps)}


def few_pages(world: World) -> Table:
    """Explore with a few pages a site, without labels or words of a topic; count the verdicts on sites.

    A site is called relevant from a chance of one half; links lead within a site by the words of the judge,
    or in the order in which they stand.
    """
    task = next(task for task in world.tasks if task.kind == "sites")
    truth = {
        urls.clock_key(f"http://{host}").removeprefix("www.") for host, good in task.sites.items() if good
    }
    rows = []
    for within, title in (("keyword", "words of the judge"), ("breadth", "order of the page")):
        for pages in FEW:
            ranker = Sites(explore=pages * len(task.sites), judge="data", within=within)
            settings = TrialSettings(
                pages=pages * len(task.sites), judge="data", examples="none", delay=1.0, concurrency=16,
                settings={"scope.hosts": ["seeds"]},
            )  # fmt: skip
            run_on(world, task, ranker, settings)
            called = {each.site for each in ranker.table.statuses() if each.chance >= 0.5}
            right = len(called & truth)
            precision, recall = right / max(1, len(called)), right / len(truth)
            f1 = 2 * right / (len(called) + len(truth))
            rows.append(
                (title, f"{pages}", f"{len(called)}", f"{precision:.2f}", f"{recall:.2f}", f"{f1:.2f}")
            )
            print(*rows[-1], flush=True)
    heads = ("links within a site by", "pages a site", "sites called relevant", "precision", "recall", "F1")
    return Table(heads, tuple(rows))


def crawling(world: World) -> str:
    """Crawl the world with the judge `data`; count proven sites and positive pages."""
    task = next(task for task in world.tasks if task.kind == "sites")
    dead = tuple(f"http://dead{number}.invalid/" for number in range(10))
    task = replace(task, starts={"seeds": task.starts["seeds"] + dead})
    truth = {host for host, good in task.sites.items() if good}
    lines = [
        "| policy | good sites found after 150 | 300 | 600 | pages with data files after 150 | 300 | 600 |",
        "|---|---|---|---|---|---|---|",
    ]
    policies: dict[str, object] = {
        "breadth": "breadth",
        "keyword": "keyword",
        "ext-first": "ext-first",
        "tagpath": "tagpath",
    }
    policies |= {
        f"sites, {name}": Sites(about=ABOUT, explore=150, explorer=name, within="keyword")
        for name in ("gain", "delta", "random", "thompson")
    }
    policies["sites, gain, 300 pages explored"] = Sites(about=ABOUT, explore=300)
    policies["sites, gain, ext-first within"] = Sites(about=ABOUT, explore=150, within="ext-first")
    for name, policy in policies.items():
        began = time.process_time()
        settings = TrialSettings(
            pages=600,
            judge="data",
            examples="none",
            delay=1.0,
            concurrency=16,
            settings={"scope.hosts": ["seeds"]},
            network=NetworkModel(latency=0.3, failures=0.05),
        )
        trace = run_on(world, task, policy, settings)
        found, cells = trace.verdicts >= 0.5, []
        hosts = [urls.host(world.pages.url(row)) if row >= 0 else "" for row in trace.rows.tolist()]
        for upto in (150, 300, 600):
            proven = {hosts[at] for at in np.flatnonzero(found[:upto])}
            cells.append(f"{len(proven & truth)}")
        cells += [f"{int(found[:upto].sum())}" for upto in (150, 300, 600)]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
        print(
            f"{name}: {time.process_time() - began:.0f} CPU-s, {len(trace.rows)} pages, {trace.facts['ended']}",
            flush=True,
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", default=os.environ.get("CLEW_WORLDS", ""))
    parser.add_argument("--splits", type=int, default=6)
    parser.add_argument("--only", choices=("explore", "few", "crawl"))
    parser.add_argument("--dry", action="store_true", help="print the tables and write no file")
    options = parser.parse_args(arguments)
    world = open_world(Path(options.worlds) / WORLD)
    truth = world.tasks[0].sites
    if options.only in (None, "explore"):
        header = {"sites": len(truth), "good": sum(truth.values()), "splits": options.splits, "folds": FOLDS}
        publish(
            exploring(world, options.splits, dry=options.dry),
            "python -m bench.sites --worlds FOLDER",
            dry=options.dry,
            **header,
            resamples=200,
        )
    if options.only in (None, "few"):
        command = "python -m bench.sites --worlds FOLDER --only few"
        publish({"sites-few": few_pages(world)}, command, dry=options.dry)
    if options.only in (None, "crawl"):
        names = [f"{what} after {upto}" for what in ("sites", "pages") for upto in (150, 300, 600)]
        table = with_header(("policy", *names), crawling(world).splitlines())
        publish(
            {"sites-crawls": table},
            "python -m bench.sites --worlds FOLDER --only crawl",
            dry=options.dry,
            explored=150,
        )


if __name__ == "__main__":
    main()
