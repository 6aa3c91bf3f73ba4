"""Explore recorded sites whose truth is known, and crawl them; write part of the data of docs/lab/sites.md.

    python -m bench.sites --worlds FOLDER [--splits 6] [--only explore|crawl]        (or with CLEW_WORLDS=FOLDER)

The world stat-sites has 42 sites, 12 of which link to data files. First all ways to explore are given the same pages in the
same order within each site, and the chances of a reader that was trained on other sites than those it reads (six folds over
sites, drawn anew for each split). A page holds it if one of its own links ends like a data file. Then the product itself
crawls the world in the lab with the judge `data`, dead sites among them. About three minutes of one core.
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
"""What a person would type; it orders the pages within a site."""

FOLDS = 6
LEARNED = 15
"""Pages of a site that the reader learns from."""

TIMES = (1, 1.5, 2, 3, 4, 5, 7, 10)
"""Pages a site, on average."""

CALLED = 15
"""Sites called positive when all ways must call the same number."""

RESAMPLED = 1_000
NAMES = ("random", "epsilon", "ucb", "thompson", "delta", "delta-sample", "gain")


class Ground:
    """The sites of a world, the pages of each in the order they are read, what they say and whether they hold it."""

    def __init__(self, world: World, order: str) -> None:
        assert world.page_store is not None
        self.world, self.shelf = world, world.page_store
        task = next(task for task in world.tasks if task.kind == "sites")
        self.sites = sorted(task.sites)
        self.truth = np.array([task.sites[site] for site in self.sites])
        self.pages: dict[int, Page] = {}
        seeds = [self._moved(self.shelf.resolve(url)) for url in task.starts["seeds"]]
        walk = self._breadth if order == "breadth" else self._keyword
        self.order = [walk([row for row in seeds if self._is_on(row, site)], site) for site in self.sites]
        self.counts: dict[int, TermCounts] = {
            row: count_page_terms(self.pages[row]) for rows in self.order for row in rows
        }
        self.holds = {row: _holds(self.pages[row]) for rows in self.order for row in rows}

    def _page(self, row: int) -> Page:
        if row not in self.pages:
            url, found = self.shelf.url(row), self.world.recorded(row)
            link = Link(id=1, url=url, origin=urls.origin(url))
            visit = Response(
                link=link, started=0, ended=0, status=found.status, head=found.head, body=found.body
            )
            self.pages[row] = ipc.page_of(found.page, visit)
        return self.pages[row]

    def _moved(self, row: int) -> int:
        for _ in range(5):
            if row < 0 or self.shelf.status[row] == 200:
                break
            row = int(self.shelf.moved[row])
        return row

    def _is_on(self, row: int, site: str) -> bool:
        return (
            row >= 0
            and urls.host(self.shelf.url(row)) == site
            and self._page(row).mime.startswith("text/html")
        )

    def _ways(self, row: int) -> list[int]:
        return [
            self._moved(way)
            for way in self.shelf.ways[self.shelf.starts[row] : self.shelf.starts[row + 1]].tolist()
        ]

    def _breadth(self, seeds: list[int], site: str) -> list[int]:
        queue, seen, order = deque(dict.fromkeys(seeds)), set(seeds), []
        while queue:
            order.append(row := queue.popleft())
            for way in self._ways(row):
                if way not in seen and self._is_on(way, site):
                    seen.add(way)
                    queue.append(way)
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
            for way, score in zip(self._ways(row), scores, strict=True):
                if score > best.get(way, -1.0) and self._is_on(way, site):
                    best[way], number = score, number + 1
                    heappush(heap, (-score, number, way))
        return order

    def chances(self, seed: int) -> dict[int, float]:
        """Return what a reader says of each page that has seen no page of its site."""
        rng = np.random.default_rng(seed)
        good, bad = np.flatnonzero(self.truth), np.flatnonzero(~self.truth)
        shuffled = [*rng.permutation(good).tolist(), *rng.permutation(bad).tolist()]
        fold = {site: number % FOLDS for number, site in enumerate(shuffled)}
        said = {}
        for out in range(FOLDS):
            examples = [
                SiteExample(self.sites[site], bool(self.truth[site]), self.counts[row])
                for site in range(len(self.sites)) if fold[site] != out for row in self.order[site][:LEARNED]
            ]  # fmt: skip
            reader = train_classifier(examples)
            assert reader is not None
            for site in (site for site, at in fold.items() if at == out):
                said.update((row, reader.chance(self.counts[row])) for row in self.order[site])
        return said


def _holds(page: Page) -> bool:
    links = page.links
    return any(kind_of(url, kind).chance >= 0.5 for url, kind in zip(links.urls, links.types, strict=True))


def explored(
    ground: Ground, explorer: Explorer, chances: dict[int, float], looks: list[int], seed: int
) -> np.ndarray:
    """Return for each look: the estimate of every site, and whether it is proven (looks, 2, sites)."""
    left = np.array([len(rows) for rows in ground.order])
    choice, made = SiteChoice(explorer, sites=len(left), page_limits=left, seed=seed), {}
    while choice.pages_read < looks[-1] and (site := choice.next_site()) >= 0:
        row = ground.order[site][int(choice.stats.pages[site])]
        choice.update(site, chances[row], found=ground.holds[row])
        if choice.pages_read in looks:
            made[choice.pages_read] = np.array(
                (explorer.estimate(choice.stats, choice.pool), choice.stats.hits > 0)
            )
    last = np.array((explorer.estimate(choice.stats, choice.pool), choice.stats.hits > 0))
    return np.array([made.get(look, last) for look in looks])


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


def table(made: dict[str, np.ndarray], truth: np.ndarray, looks: list[int], measure: str) -> list[str]:
    """Return rows of one measure, with 95 % intervals from resampling sites at the last but two looks."""
    rng, ones = np.random.default_rng(1), np.ones(len(truth))
    lines = [
        "| explorer | " + " | ".join(f"{look:,}" for look in looks) + " |",
        "|---|" + "---|" * len(looks),
    ]
    draws = [
        np.bincount(rng.integers(len(truth), size=len(truth)), minlength=len(truth)).astype(float)
        for _ in range(200)
    ]
    for name, runs in made.items():
        cells = []
        for at in range(len(looks)):
            mean = measured(runs[:, at], truth, ones)[measure]
            spread = [measured(runs[:, at], truth, keep)[measure] for keep in draws if (keep * truth).sum()]
            low, high = np.percentile(spread, [2.5, 97.5])
            cells.append(f"{mean:.2f} ({low:.2f}–{high:.2f})")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return lines


def against(made: dict[str, np.ndarray], truth: np.ndarray, looks: list[int]) -> Table:
    """Compare ours with δ and random on the same resampled sites."""
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
            for at in range(len(looks)):
                gaps = [
                    measured(made["gain"][:, at], truth, keep)[measure] - measured(made[other][:, at], truth, keep)[measure]
                    for keep in draws if (keep * truth).sum()
                ]  # fmt: skip
                low, high = np.percentile(gaps, [2.5, 97.5])
                cells += [f"{np.mean(gaps):+.2f}", f"{low:+.2f}", f"{high:+.2f}"]
            rows.append((title, f"gain − {other}", *cells))
    columns = [name for look in looks for name in (f"{look}", f"{look} low", f"{look} high")]
    return Table(("measure", "explorers", *columns), tuple(rows))


def with_finds(runs: np.ndarray) -> np.ndarray:
    """Let a page that holds it decide its site for the verdict, too, as ours does; the choice of pages stays."""
    counted_too = runs.copy()
    counted_too[:, :, 0] = np.maximum(runs[:, :, 0], runs[:, :, 1])
    return counted_too


def exploring(world: World, splits: int, *, dry: bool = False) -> dict[str, Table]:
    """Run all ways to explore over all splits, in two orders of pages; return the tables.

    With `dry`, its pictures are not written.
    """
    parts, gaps = [], []
    for order in ("keyword", "breadth"):
        began, ground = time.process_time(), Ground(world, order)
        looks = [round(each * len(ground.sites)) for each in TIMES]
        said = [ground.chances(seed) for seed in range(splits)]
        made = {
            name: np.array([
                explored(ground, ErrorReduction() if name == "gain" else make_explorer(name), chances, looks, seed)
                for seed, chances in enumerate(said)
            ]) for name in NAMES
        }  # fmt: skip
        made |= {f"{name} + finds": with_finds(made[name]) for name in ("delta", "random", "thompson")}
        everything = np.array(
            [
                [chances[row] for row in rows] and np.mean([chances[row] for row in rows])
                for chances in said
                for rows in ground.order
            ]
        )
        right = ((everything.reshape(splits, -1) >= 0.5) == ground.truth).mean()
        print(f"{order}: the mean chance of all pages of a site is right about {right:.2f} of the sites")
        for measure, words in (
            ("recall", "recall"), ("even", f"recall with {CALLED} sites called"), ("precision", "precision"), ("accuracy", "accuracy"), ("proven", "proven"),
        ):  # fmt: skip
            shown = "\n".join(table(made, ground.truth, looks, measure))
            parts.append(with_keys(shown, links=order, measure=words))
        gaps.append(with_keys(against(made, ground.truth, looks), links=order))
        if order == "keyword":
            ones = np.ones(len(ground.truth))
            for measure, words in (("even", f"recall with {CALLED} sites called"), ("accuracy", "accuracy")):
                curves = {
                    name: np.array([[measured(run[None, at], ground.truth, ones)[measure] for at in range(len(looks))] for run in runs])
                    for name, runs in made.items()
                }  # fmt: skip
                picture(
                    f"sites-real-{measure}.svg", title=f"{words}, 42 recorded sites; bands: splits of the reader's folds",
                    y_label=words, x_label="pages read, of all sites together", xs=looks, curves=curves,
                    dry=dry,
                )  # fmt: skip
        print(f"{order}: {time.process_time() - began:.0f} CPU-s", flush=True)
    return {"sites-recorded": stacked(parts), "sites-recorded-differences": stacked(gaps)}


def crawling(world: World) -> str:
    """Let the product crawl the world with the judge data; count sites proven and pages that hold it."""
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
        terms = TrialSettings(
            pages=600,
            judge="data",
            examples="none",
            delay=1.0,
            concurrency=16,
            settings={"scope.hosts": ["seeds"]},
            network=NetworkModel(latency=0.3, failures=0.05),
        )
        trace = run_on(world, task, policy, terms)
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
    parser.add_argument("--only", choices=("explore", "crawl"))
    parser.add_argument("--dry", action="store_true", help="print the tables and write no file")
    options = parser.parse_args(arguments)
    world = open_world(Path(options.worlds) / WORLD)
    truth = world.tasks[0].sites
    if options.only != "crawl":
        header = {"sites": len(truth), "good": sum(truth.values()), "splits": options.splits, "folds": FOLDS}
        publish(
            exploring(world, options.splits, dry=options.dry),
            "python -m bench.sites --worlds FOLDER",
            dry=options.dry,
            **header,
            resamples=200,
        )
    if options.only != "explore":
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
