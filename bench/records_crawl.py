"""Race the rankers that use rows of a table; write docs/lab/records-crawl.md and its curves.

    python -m bench.records_crawl --worlds FOLDER [--pages 300] [--webs 11,12] [--only books]   (or CLEW_WORLDS=FOLDER)

Every crawl begins with five rows and grows its table with the product's own extractor; policies that learn
from labels run without any and with 20: at even intervals one accepted row, drawn at random, gets its true label: right,
off topic or noise. Read: `rows` is the mean over the crawl of the share of right rows gained
(of all there are, or of the most that any crawl here gained), `pages` the same for relevant pages. 1 would be all
of them with the first fetch.  --only takes books, madeup or recorded.
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from bench.figures import publish, stacked, with_keys
from clew.domain.records.values import row_key
from clew.lab.labels import read_rows
from clew.lab.plots import Line, colours, drawing
from clew.lab.standings import Band
from clew.lab.statistics import interval
from clew.lab.synthetic import WebTruth
from clew.lab.synthetic.books import COLUMNS, GAZETTE, HOSTS, BookWeb, example_rows
from clew.lab.synthetic_world import COLUMNS as MADEUP_COLUMNS
from clew.lab.synthetic_world import SyntheticPages
from clew.lab.task import Task
from clew.lab.trace import Trace
from clew.lab.trial import run_trial
from clew.lab.world import World, open_world
from docs.figures import Table

FOLDER = Path("docs/lab")
HEADS = (
    "rows", "rows with answers", "pages", "pages with answers",
    "right rows at the end / right rows at the end with answers",
    "right among believed / right among believed with answers", "CPU s",
)  # fmt: skip
PLAIN = ("breadth", "keyword")
"""Policies that labels of rows do not affect: they use neither the table nor the verdict."""

LEARNS_FROM_LABELS = ("best-first", "records-text", "records-jaccard", "objectrank", "ariadne", "clew")
ANSWERS = 20
MADEUP, TOPICS = "madeup:300000:{}", ("railways", "tea")
SAMPLE = 60_000
POINTS = 41


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCase:
    """One table in one world, from one start."""

    group: str
    name: str
    world: World
    task: Task
    pages: int


@dataclass(frozen=True, slots=True)
class Run:
    """What a crawl gained: curves of right rows and of relevant pages, and how much of the table was right."""

    rows: np.ndarray
    pages: np.ndarray
    right: float
    labels: dict[str, int]
    seconds: float


# ---- courses ---------------------------------------------------------------------------------------


class BookTruth:
    """Ground truth of a book web: books on databases, and pages that name one with its author."""

    def __init__(self, web: BookWeb) -> None:
        self.web = web
        self.subjects = {row_key((book.author, book.title)): book.subject for book in web.books}

    @cached_property
    def row_count(self) -> int:
        shown = {book.number for host in HOSTS for book in self.web.books_on(host, "databases")}
        return len(shown - set(range(len(example_rows()))))

    def label_of(self, values: Sequence[str], urls: Iterable[str]) -> str:
        del urls
        about = self.subjects.get(row_key(tuple(values)))
        return "noise" if about is None else "right" if about == "databases" else "off-topic"

    @property
    def relevant(self) -> int:
        return -1

    def grade(self, url: str) -> float:
        return float(any(self.label_of(row, ()) == "right" for row in self.web.rows(url)))


class BookPages(SyntheticPages):
    """The pages of a book web, as a world has them."""

    def __len__(self) -> int:
        return len(self.page_urls)


def book_cases(seeds: Sequence[int], pages: int) -> list[RecordCase]:
    """Make book webs; crawls begin at a list of links and at a piece of news."""
    found = []
    for seed in seeds:
        web = BookWeb(seed)
        truth = BookTruth(web)
        starts = {"links": tuple(web.seeds()), "news": (f"http://{GAZETTE}/news/{seed}",)}
        rows = tuple(dict(zip(COLUMNS, row, strict=True)) for row in example_rows())
        about = "; ".join(", ".join(row) for row in example_rows())
        for start, urls in starts.items():
            task = Task(
                name="databases", kind="records", about=about, truth=truth, starts={"seeds": urls}, records=rows, rows=truth
            )  # fmt: skip
            world = World(f"books:{seed}", BookPages(web))  # type: ignore[arg-type]
            found.append(
                RecordCase(group="books", name=f"{seed} {start}", world=world, task=task, pages=pages)
            )
    return found


def synthetic_cases(seeds: Sequence[int], pages: int) -> list[RecordCase]:
    """Make large synthetic webs, in which few pages in a thousand hold rows of a topic.

    Five rows are known and the two pages they are on; the usual seeds are used as well.
    """
    found = []
    for seed in seeds:
        world = open_world(MADEUP.format(seed))
        truth = WebTruth(world.pages.web)  # type: ignore[attr-defined] - a synthetic world
        sample = truth.sample(SAMPLE, seed=seed)
        for topic in TOPICS:
            known = [url for url in sample if lists_rows(truth, url, topic)][:2]
            if len(known) < 2:
                continue
            rows = [row for url in known for row in truth.records(url)[:3]][:5]
            records = tuple({name: getattr(row, name) for name in MADEUP_COLUMNS} for row in rows)
            task = world.task(topic)
            starts = {"seeds": (*known, *task.starts["seeds"])}
            task = only_rows(replace(task, records=records, starts=starts))
            found.append(
                RecordCase(group="madeup", name=f"{seed} {topic}", world=world, task=task, pages=pages)
            )
    return found


def lists_rows(truth: WebTruth, url: str, topic: str) -> bool:
    about = truth.page_truth(url)
    fits = about is not None and (about.topic, about.lang, about.kind) == (topic, "en", "list")
    return fits and len(truth.records(url)) >= 5


def recorded_cases(home: Path, pages: int) -> list[RecordCase]:
    """Open rec-ith; crawls begin at the indexes of authors and titles, or at two lists that hold example rows."""
    world = open_world(home / "rec-ith")
    listed = read_rows(home / "rec-ith" / "records.tsv")
    found = []
    for name in ("ith-boot5", "ith-boot5b"):
        task = only_rows(world.task(name))
        wanted = {(row["author"], row["title"]) for row in task.records}
        holding = Counter(row["page_url"] for row in listed if (row["author"], row["title"]) in wanted)
        starts = {
            "indexes": task.starts["seeds"],
            "known": tuple(url for url, _ in holding.most_common(2)),
        }
        found += [
            RecordCase(
                group="recorded", name=f"{name} {start}", world=world, pages=pages,
                task=replace(task, starts={"seeds": urls}),
            )
            for start, urls in starts.items()
        ]  # fmt: skip
    return found


def only_rows(task: Task) -> Task:
    """Return a task whose goal is given by its rows only."""
    about = "; ".join(", ".join(row.values()) for row in task.records)
    return replace(task, about=about, good=(), bad=())


# ---- runs ------------------------------------------------------------------------------------------


def run_case(case: RecordCase, policy: str, answers: int) -> Run:
    trace: Trace = run_trial(
        case.world, case.task, policy, pages=case.pages, judge="records", extractor="records",
        answers=answers, examples="none",
    )  # fmt: skip
    rows, pages = stretched(trace.gained, case.pages), stretched(np.cumsum(trace.relevant), case.pages)
    right = float(trace.gained[-1] / max(1, trace.table[-1]))
    return Run(rows, pages, right, dict(trace.facts.get("marked", {})), float(trace.seconds[-1]))


def stretched(curve: np.ndarray, upto: int) -> np.ndarray:
    """Return a curve from 0 up to so many fetches; a crawl that ended before stays where it ended."""
    full = np.full(upto + 1, curve[-1] if len(curve) else 0, np.float64)
    full[0], full[1 : len(curve) + 1] = 0, curve
    return full


@dataclass(frozen=True, slots=True)
class Race:
    """All runs, by case, policy and number of labels; they are cached in `file`, so that a stopped bench can resume."""

    file: Path | None
    runs: dict[str, Run] = field(default_factory=dict)

    def load(self) -> None:
        if self.file and self.file.exists():
            for key, run in json.loads(self.file.read_text("utf-8")).items():
                self.runs[key] = Run(
                    **{**run, "rows": np.array(run["rows"]), "pages": np.array(run["pages"])}
                )

    def save(self) -> None:
        if self.file:
            stored = {
                key: {**asdict(run), "rows": run.rows.tolist(), "pages": run.pages.tolist()}
                for key, run in self.runs.items()
            }
            self.file.write_text(json.dumps(stored), "utf-8")

    def run(self, case: RecordCase, policy: str, answers: int) -> Run:
        """Return a run, from the file if it is there."""
        key = f"{case.group} | {case.name} | {case.pages} | {policy} | {answers}"
        if key not in self.runs:
            self.runs[key] = run = run_case(case, policy, answers)
            self.save()
            print(
                f"{case.group:<9}{case.name:<20}{policy:<23}{answers:>3}  rows {run.rows[-1]:>6.0f}  pages "
                f"{run.pages[-1]:>5.0f}  right {run.right:.2f}  {run.seconds:.1f} s  {run.labels}",
                flush=True,
            )
        return self.runs[key]

    def all(self, case: RecordCase) -> dict[tuple[str, int], Run]:
        """Return all runs of a case."""
        runs = [(policy, 0) for policy in (*PLAIN, *LEARNS_FROM_LABELS)] + [
            (policy, ANSWERS) for policy in LEARNS_FROM_LABELS
        ]
        return {each: self.run(case, *each) for each in runs}

    def shares(self, case: RecordCase, policy: str, answers: int, kind: str) -> np.ndarray:
        """Return a curve as shares of all true rows, or of the most that any crawl found."""
        runs, truth = self.all(case), case.task.rows
        curve = getattr(runs[policy, answers], kind)[1:]
        there = truth.row_count if truth is not None and kind == "rows" else -1
        most = there if there > 0 else max(getattr(run, kind).max() for run in runs.values())
        return curve / max(1.0, most)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--worlds", default=os.environ.get("CLEW_WORLDS", ""), help="folder with rec-ith")
    parser.add_argument("--pages", type=int, default=300, help="pages of each crawl (300)")
    parser.add_argument("--webs", default="11,12", help="seeds of the synthetic webs (11,12)")
    parser.add_argument("--only", default="books,madeup,recorded", help="which cases")
    parser.add_argument("--write", action="store_true", help="write the data and the curves of the page")
    parser.add_argument("--json", type=Path, help="cache the runs in this file, and resume from it")
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.webs.split(",")]
    cases: list[RecordCase] = []
    if "books" in options.only:
        cases += book_cases(seeds, options.pages)
    if "madeup" in options.only:
        cases += synthetic_cases(seeds, options.pages)
    if "recorded" in options.only and options.worlds:
        cases += recorded_cases(Path(options.worlds), options.pages)
    race = Race(options.json)
    race.load()
    for case in cases:
        race.all(case)
    if options.write:
        command = f"python -m bench.records_crawl --worlds FOLDER --pages {options.pages} --write"
        crawls = len(cases) // len({case.group for case in cases})
        header = {"pages": options.pages, "crawls": crawls, "answers": ANSWERS}
        publish({"records-crawl": written(race, cases)}, command, **header)


# ---- report ---------------------------------------------------------------------------------------

TITLES = {
    "books": "book webs",
    "madeup": "synthetic webs",
    "recorded": "recorded archive",
}


def written(race: Race, cases: Sequence[RecordCase]) -> Table:
    """Return the tables of all groups in one; draw their curves beside the page."""
    parts = []
    for group in dict.fromkeys(case.group for case in cases):
        some = [case for case in cases if case.group == group]
        parts.append(with_keys("\n".join(table(race, some)), webs=TITLES[group]))
        for kind in ("rows", "pages"):
            (FOLDER / f"records-crawl-{group}-{kind}.svg").write_text(curves(race, some, kind), "utf-8")
    return stacked(parts)


def table(race: Race, cases: Sequence[RecordCase]) -> list[str]:
    """Return one group's table: means over its cases with 95 % intervals."""
    out = [f"| policy | {' | '.join(HEADS)} |", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for policy in (*PLAIN, *LEARNS_FROM_LABELS):
        cells = []
        label_counts = (0, ANSWERS) if policy in LEARNS_FROM_LABELS else (0,)
        for kind in ("rows", "pages"):
            for answers in label_counts:
                means = [float(race.shares(case, policy, answers, kind).mean()) for case in cases]
                found = interval(means)
                cells.append(f"{found.mean:.2f} ± {found.half:.2f}")
            cells += ["" for _ in range(2 - len(label_counts))]
        runs = [[race.run(case, policy, answers) for case in cases] for answers in label_counts]
        cells.append(" / ".join(f"{np.mean([run.rows[-1] for run in some]):,.0f}" for some in runs))
        cells.append(" / ".join(f"{np.mean([run.right for run in some]):.2f}" for some in runs))
        cells.append(f"{np.mean([run.seconds for run in runs[0]]):.1f}")
        out.append(f"| `{policy}` | {' | '.join(cells)} |")
    return [*out, ""]


def curves(race: Race, cases: Sequence[RecordCase], kind: str) -> str:
    """Draw mean curves with 95 % intervals; policies that learn from labels with them."""
    shown = {(policy, 0): policy for policy in (*PLAIN, *LEARNS_FROM_LABELS)}
    shown |= {
        (policy, ANSWERS): f"{policy.removeprefix('records-')} +{ANSWERS}"
        for policy in LEARNS_FROM_LABELS[1:]
    }
    palette = colours(list(shown.values()))
    lines = []
    for (policy, answers), name in shown.items():
        each = np.array([race.shares(case, policy, answers, kind) for case in cases])
        at = np.unique(np.linspace(0, each.shape[1] - 1, POINTS).astype(int))
        spread = [interval([float(value) for value in column]) for column in each[:, at].T]
        mean = np.array([one.mean for one in spread])
        half = np.nan_to_num(np.array([one.half for one in spread]))
        band = Band(at + 1.0, mean, np.clip(mean - half, 0, 1), np.clip(mean + half, 0, 1))
        lines.append(Line(name, band, palette[name]))
    measure = "right rows gained" if kind == "rows" else "relevant pages, share of the most found"
    title = f"{measure}: {TITLES[cases[0].group]}"
    return drawing(lines, x_label="pages fetched", y_label=measure, alone=True, title=title)


if __name__ == "__main__":
    main()
