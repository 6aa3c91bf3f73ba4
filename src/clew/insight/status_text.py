"""The lines of `clew status`: a crawl at a glance, as text."""

import time
from typing import TYPE_CHECKING

from clew.domain.text import printable
from clew.insight import sparklines

if TYPE_CHECKING:
    from clew.insight.status import CrawlStatus

RECENT = 200
"""Pages of which the recent share of relevant ones is computed, as on the live screen."""


def status_lines(crawl: "CrawlStatus") -> list[str]:
    """Return the lines about one crawl."""
    lines = [printable(f"{crawl.folder}: {_state(crawl)}")]
    rows = [("topic", printable(crawl.topic))]
    if crawl.problem:
        rows = [("problem", printable(crawl.problem))]
    elif crawl.last_run:
        rows += _numbers(crawl)
    rows.append(("next", printable(crawl.next_step())))
    return lines + [f"  {name:<9} {text}" for name, text in rows if text]


def _state(crawl: "CrawlStatus") -> str:
    words = {
        "running": f"running as process {crawl.process}",
        "broken": "cannot be read",
        "new": "not started yet",
        "killed": "the last run was killed or lost power; nothing stored is lost",
    }
    ended = (crawl.last_run.ended if crawl.last_run else "") or ""
    return words.get(crawl.state, "stopped" if ended == "stopped" else f"ended, {ended}")


def _numbers(crawl: "CrawlStatus") -> list[tuple[str, str]]:
    read = crawl.read
    share = f" ({read.relevant / read.pages:.0%})" if read.pages else ""
    budget = f" of {crawl.budget:,}" if crawl.budget else ""
    failed = f" · {many(read.failed, 'failed request')}" if read.failed else ""
    last = f"; {read.recent:.0%} of the last {RECENT}" if read.pages > RECENT else ""
    yes, no = crawl.labels
    excluded = f" · {many(crawl.excluded, 'exclusion')} (clew exclude {crawl.folder})"
    rows = [
        ("pages", f"{read.pages:,}{budget} read{failed}"),
        ("relevant", f"{read.relevant:,}{share}{last}"),
        ("forecast", f"{crawl.ahead} relevant" if crawl.ahead else ""),
        ("verdicts", verdict_histogram(crawl) if any(read.verdicts) else ""),
        ("frontier", many(crawl.open, "queued link") + excluded * bool(crawl.excluded)),
        ("hosts", _hosts(crawl)),
        ("table", many(crawl.rows, "new row") if crawl.rows is not None else ""),
        ("labels", f"{yes:,} yes, {no:,} no" if yes or no else ""),
        ("teacher", f"{crawl.teacher} (clew teach {crawl.folder})" if crawl.teacher else ""),
        ("disk", sparklines.size(crawl.bytes)),
        ("last run", _last_run(crawl)),
    ]
    return [(name, text) for name, text in rows if text]


def verdict_histogram(crawl: "CrawlStatus") -> str:
    """Draw the verdicts from low to high, with a line at goal.keep."""
    counts = crawl.read.verdicts
    place = round(crawl.keep * len(counts))
    drawn = sparklines.histogram(counts)
    return f"0 {drawn[:place]}┃{drawn[place:]} 1   relevant right of the line, from {crawl.keep:g} up"


def _hosts(crawl: "CrawlStatus") -> str:
    best = [
        f"{printable(origin.partition('://')[2])} ({relevant:,} of {pages:,})"
        for origin, pages, relevant in crawl.read.hosts
        if relevant
    ]
    return f"{crawl.read.host_count:,}" + (f"; most relevant pages: {', '.join(best)}" if best else "")


def _last_run(crawl: "CrawlStatus") -> str:
    run = crawl.last_run
    if run is None:
        return ""
    started = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started_at))
    speed = crawl.new_pages / crawl.seconds if crawl.seconds else 0.0
    pages = f"{many(crawl.new_pages, 'page')}, {sparklines.rate(speed)} per second"
    return f"{started}, {sparklines.duration(crawl.seconds)}, {pages}, policy {run.policy}"


def many(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
