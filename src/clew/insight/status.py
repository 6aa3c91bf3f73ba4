"""The state of a crawl at a glance, read from its folder; a crawl may be running in it."""

import json
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from clew import config as configuration
from clew.config import Config
from clew.domain.forecast import WINDOW, YieldForecast, forecast
from clew.errors import ClewError
from clew.insight.explain import exclusions
from clew.insight.notebook import as_pre
from clew.insight.preflight.folder_check import lock_holder
from clew.insight.status_text import RECENT, status_lines
from clew.insight.teacher_view import TeacherStatus, read_teacher_status
from clew.store import crawl_stats, inspection
from clew.store.database import open_reader
from clew.store.inspection import RunRecord
from clew.store.outbox import shard_folders

BINS = 20
"""Bars of the histogram of verdicts: usual values of goal.keep are between two."""

_HOSTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PageStatus:
    """What was read.

    `verdicts` counts pages by verdict, from low to high; `recent` is the share of relevant ones among the
    last pages; `hosts` are those with most relevant pages: origin, pages, relevant pages.
    """

    pages: int = 0
    relevant: int = 0
    failed: int = 0
    recent: float = 0.0
    verdicts: tuple[int, ...] = (0,) * BINS
    hosts: tuple[tuple[str, int, int], ...] = ()
    host_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlStatus:
    """The state of the crawl in a folder. `process` runs it now, if any; `problem` says why it has no state.

    `seconds` and `new_pages` belong to the last run, `labels` are how many pages were labelled relevant and
    not relevant, `teacher` what a language model did if there was one, `excluded` how many rules exclude
    something.
    """

    folder: str
    topic: str = ""
    process: str = ""
    problem: str = ""
    read: PageStatus = field(default_factory=PageStatus)
    keep: float = 0.5
    budget: int = 0
    open: int = 0
    rows: int | None = None
    labels: tuple[int, int] = (0, 0)
    teacher: TeacherStatus | None = None
    excluded: int = 0
    bytes: int = 0
    last_run: RunRecord | None = None
    seconds: float = 0.0
    new_pages: int = 0

    @property
    def ahead(self) -> YieldForecast | None:
        """What the next pages would bring; None while too few were read, or nothing is left."""
        known = min(self.read.pages, WINDOW)
        return forecast(round(self.read.recent * known), known) if self.open else None

    @property
    def state(self) -> str:
        """One word for the state: running, new, killed, stopped or done."""
        if self.process:
            return "running"
        if self.problem:
            return "broken"
        if self.last_run is None:
            return "new"
        if self.last_run.ended_at is None:
            return "killed"
        return "stopped" if self.last_run.ended == "stopped" else "done"

    def next_step(self) -> str:
        """Return the command that helps most now."""
        name = self.folder
        if self.process:
            return f"clew label {name} --ask" if self.read.pages else f"clew status {name}"
        if self.problem:
            return f"clew doctor {name}"
        if self.state in ("new", "killed", "stopped"):
            return f"clew run {name}"
        if not self.read.relevant:
            return f"clew why {name} URL"
        if self.open and (self.last_run and (self.last_run.ended or "").startswith("the budget")):
            return f"clew run {name} --pages {2 * self.read.pages}"
        return f"clew export {name} pages.csv --only relevant"

    def lines(self) -> list[str]:
        """Return it as lines of text."""
        return status_lines(self)

    def _repr_html_(self) -> str:
        return as_pre(self.lines())

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        ahead = asdict(self.ahead) if self.ahead else None
        return asdict(self) | {"state": self.state, "next": self.next_step(), "forecast": ahead}


def read_status(folder: Path) -> CrawlStatus:
    """Read the state of a crawl; an unreadable one is returned with its problem."""
    try:
        config = configuration.load_folder(folder)
        if shards := [path for path in shard_folders(folder) if crawl_stats.has_links(path)]:
            return _merged(folder, [_status(path, config) for path in shards])
        if not crawl_stats.has_links(folder):
            return CrawlStatus(
                folder=str(folder),
                topic=topic(config),
                process=lock_holder(folder),
                budget=config.crawl.pages,
            )
        return _status(folder, config)
    except ClewError as error:
        return CrawlStatus(folder=str(folder), problem=str(error).splitlines()[0])


def topic(config: Config) -> str:
    """Return the goal of a crawl in a few words."""
    goal = config.goal
    parts = [goal.about] if goal.about else []
    parts += [f"rows like {goal.records}"] if goal.records else []
    examples = len(goal.good)
    parts += [f"{examples} example{'s' * (examples != 1)}"] if examples and not parts else []
    return " · ".join(parts) or ("every page" if goal.judge == "auto" else goal.judge)


def _status(folder: Path, config: Config) -> CrawlStatus:
    with closing(open_reader(folder)) as db:
        run = inspection.last_run(db)
    process = lock_holder(folder)
    counts = crawl_stats.count_pages(folder)
    hosts, open_links = crawl_stats.count_hosts_and_open(folder)
    new, newest = crawl_stats.count_pages_since(folder, run.started_at if run else 0.0)
    ended = time.time() if process else (run.ended_at if run else None) or newest
    return CrawlStatus(
        folder=str(folder), topic=topic(config), process=process, keep=config.goal.keep,
        read=PageStatus(
            pages=counts.pages, relevant=counts.relevant, failed=counts.failed,
            recent=crawl_stats.recent_share(folder, RECENT), host_count=hosts,
            verdicts=tuple(crawl_stats.count_verdicts(folder, BINS)),
            hosts=tuple(crawl_stats.best_hosts(folder, _HOSTS)),
        ),
        budget=config.crawl.pages if run is None else _budget(folder, config), open=open_links,
        rows=crawl_stats.count_new_rows(folder), labels=crawl_stats.count_labels(folder),
        teacher=read_teacher_status(folder),
        excluded=len(exclusions(folder).active()), bytes=crawl_stats.size_on_disk(folder),
        last_run=run, seconds=max(0.0, ended - run.started_at) if run else 0.0, new_pages=new,
    )  # fmt: skip


def _merged(folder: Path, parts: Sequence[CrawlStatus]) -> CrawlStatus:
    """Return the state of a crawl in shards: sums over all of them."""
    reads = [part.read for part in parts]
    last = sorted(page for part in parts for page in crawl_stats.last_judged(Path(part.folder), RECENT))
    recent = [relevant for _, relevant in last[-RECENT:]]
    runs = [part.last_run for part in parts if part.last_run]
    hosts = sorted((host for read in reads for host in read.hosts), key=lambda host: (-host[2], host[1]))
    return replace(
        parts[0], folder=str(folder), process=lock_holder(folder),
        read=PageStatus(
            pages=sum(read.pages for read in reads), relevant=sum(read.relevant for read in reads),
            failed=sum(read.failed for read in reads), host_count=sum(read.host_count for read in reads),
            recent=sum(recent) / len(recent) if recent else 0.0, hosts=tuple(hosts[:_HOSTS]),
            verdicts=tuple(map(sum, zip(*(read.verdicts for read in reads), strict=True))),
        ),
        open=sum(part.open for part in parts), labels=max(part.labels for part in parts),
        excluded=max(part.excluded for part in parts), bytes=sum(part.bytes for part in parts),
        last_run=max(runs, key=lambda run: (run.ended_at is None, run.ended_at or 0.0), default=None),
        seconds=max(part.seconds for part in parts), new_pages=sum(part.new_pages for part in parts),
    )  # fmt: skip


def _budget(folder: Path, config: Config) -> int:
    """Return the page budget of the last run, which --pages may have changed."""
    settings = json.loads(crawl_stats.last_settings(folder) or "{}")
    return int(settings.get("crawl", {}).get("pages", config.crawl.pages) or 0)
