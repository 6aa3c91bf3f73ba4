"""The list of crawls, and the overview of one: counts, curve, frontier, hosts, hints, what remains."""

import json
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import Field

from clew import config as configuration
from clew.domain.forecast import AHEAD, WINDOW, forecast
from clew.errors import ClewError
from clew.insight.live_state import STALE, read_live, read_notes
from clew.insight.preflight.folder_check import lock_holder
from clew.insight.status import CrawlStatus, read_status, topic
from clew.store.crawl_stats import has_links, last_settings
from clew.store.page_columns import PageColumns
from clew.web.cached import StillReading
from clew.web.charts import WAIT, charts_of, columns_of, harvest_curve, newest_pages, queued_by_score
from clew.web.next_steps import next_steps
from clew.web.operations import Call, Changes, Operation, WebPage
from clew.web.server_state import ServerState
from clew.web.shards import shard_rows

LIST_WAIT = 2.0
"""Seconds the list of crawls waits for all of them together."""


class StartBody(Changes):
    """How far to crawl."""

    pages: int = Field(
        default=0, ge=0, le=10**9, description="Stop when so many pages are read in all; 0: as set."
    )


def status_of(server: ServerState, folder: Path, wait: float = WAIT) -> CrawlStatus | None:
    """Return the status of a crawl, or None if it takes longer."""
    try:
        return server.cached("status", folder, lambda: read_status(folder)).value(wait)
    except StillReading:
        return None


def brief_state(server: ServerState, folder: Path) -> dict[str, Any]:
    """Return the numbers of a crawl: those of the running process, or of its folder."""
    holder, live = lock_holder(folder), read_live(folder)
    current = bool(holder) and str(live.get("pid")) == holder
    state = "running" if holder else "stopped"
    if current:
        state = "stopping" if live["stopping"] else "paused" if live["paused"] else "running"
    elif holder:
        state = "starting"
    names = ("pages", "relevant", "failed", "open", "hosts", "budget")
    if live and (current or live.get("ended")):
        values = {name: live.get(name) or 0 for name in names}
    else:
        status = status_of(server, folder)
        read = status.read if status else None
        values = {
            "pages": read.pages if read else 0,
            "relevant": read.relevant if read else 0,
            "failed": read.failed if read else 0,
            "open": status.open if status else 0,
            "hosts": read.host_count if read else 0,
            "budget": status.budget if status else 0,
        }
    return {
        **values,
        "running": bool(holder),
        "state": state,
        "process": holder,
        "in_flight": live.get("in_flight", 0) if current else 0,
        "pages_per_second": live.get("pages_per_second", 0.0) if current else 0.0,
        "bytes_per_second": live.get("bytes_per_second", 0.0) if current else 0.0,
        "memory": live.get("memory", 0) if current else 0,
        "recent": live.get("recent") if live else None,
        "seconds": time.time() - live["began"] if current else 0.0,
        "stale": current and live["age"] > STALE,
    }


def live_values(server: ServerState, folder: Path) -> dict[str, Any]:
    """Return what changes on the overview while a crawl runs."""
    state, live = brief_state(server, folder), read_live(folder)
    shown = live if state["running"] else {}
    state |= {name: shown.get(name, []) for name in ("scores", "resting", "last", "next")}
    state["host_states"], state["suspended"] = shown.get("host_states", {}), shown.get("suspended", {})
    try:
        state |= server.cached("charts", folder, lambda: charts_of(server, folder)).value(WAIT)
    except (StillReading, ClewError):
        state |= {"curve": [], "verdicts": [], "best": []}
    state["queued"] = queued_by_score(server, folder, state["scores"], WAIT)
    state["left_seconds"] = _time_left(state)
    return state


def _time_left(state: dict[str, Any]) -> float | None:
    """Estimate the seconds until the budget is spent, or the queue is empty."""
    speed, budget = state["pages_per_second"], state["budget"]
    if not state["running"] or not speed:
        return None
    left = min(budget - state["pages"], state["open"]) if budget else state["open"]
    return float(max(0.0, left / speed))


def list_crawls(call: Call) -> dict[str, Any]:
    """Return all crawls with their state."""
    rows = []
    until = time.monotonic() + LIST_WAIT
    for name, folder in call.server.crawls.all().items():
        status = status_of(call.server, folder, max(0.0, until - time.monotonic()))
        rows.append(
            {
                "name": name,
                "folder": str(folder),
                "topic": status.topic if status else "",
                "problem": status.problem if status else "",
                "last": _last_run(status),
                **brief_state(call.server, folder),
                "ended": _end(status),
                "has_run": bool(status and status.last_run),
                "being_read": status is None,
            }
        )
    return {"crawls": rows, "home": str(call.server.crawls.home().absolute())}


def _last_run(status: CrawlStatus | None) -> float | None:
    return status.last_run.started_at if status and status.last_run else None


def _end(status: CrawlStatus | None) -> str:
    return (status.last_run.ended or "") if status and status.last_run else ""


def overview(call: Call) -> dict[str, Any]:
    """Return everything the overview shows of a crawl."""
    server, folder = call.server, call.folder
    state = live_values(server, folder)
    status = status_of(server, folder)
    values: dict[str, Any] = {
        "live": state,
        "notes": hints(folder),
        "topic": _topic(folder),
        "folder": str(folder.absolute()),
        "steps": next_steps(state, _end(status), status.labels if status else (0, 0)),
        "keep": status.keep if status else 0.5,
        "rows": status.rows if status else None,
        "labels": list(status.labels) if status else [0, 0],
        "excluded": status.excluded if status else 0,
        "bytes": status.bytes if status else 0,
        "problem": status.problem if status else "",
        "ended": _end(status),
        "has_run": bool(status.last_run if status else state["pages"]),
        "being_read": status is None and not state["running"] and not state["pages"],
        "last_run": _last_run(status),
        "last_seconds": status.seconds if status else None,
        "last_words": "" if state["running"] else server.processes.last_words(folder),
        "baseline": _baseline(server, folder),
        "newest": [],
        "shards": shard_rows(folder),
    }
    try:
        values["newest"] = newest_pages(server, folder, call.name)
        if has_links(folder) and state["open"]:
            values["ahead"] = _ahead(columns_of(server, folder, WAIT))
    except StillReading:
        pass
    return values


def _topic(folder: Path) -> str:
    try:
        return topic(configuration.load_folder(folder))
    except ClewError:
        return ""


def hints(folder: Path, most: int = 12) -> list[dict[str, Any]]:
    """Return the last notes of the runs, newest first; each hint that names a setting has its cure."""
    return [
        {**note, "cures": cures_in(str(note["note"]))} for note in reversed(read_notes(folder, most=most))
    ]


def cures_in(text: str) -> list[dict[str, str]]:
    """Return what a hint proposes that can be done with one click: settings, more pages, exclusions.

    >>> cures_in("the yield is low; try: clew run wind --set fetch.delay=10")
    [{'do': 'set', 'key': 'fetch.delay', 'value': '10'}]
    >>> cures_in("more: clew run wind --pages 3000")
    [{'do': 'start', 'key': 'pages', 'value': '3000'}]
    """
    words = text.replace("'", " ").replace('"', " ").replace(";", " ").split()
    found = []
    for option, value in pairwise(words):
        if option == "--set" and "=" in value:
            key, _, setting = value.partition("=")
            if setting and "…" not in setting:
                found.append({"do": "set", "key": key, "value": setting.rstrip(".,)")})
        elif option == "--pages" and value.rstrip(".,)").isdecimal():
            found.append({"do": "start", "key": "pages", "value": value.rstrip(".,)")})
        elif option == "exclude":
            continue
    return found


def _ahead(columns: PageColumns) -> dict[str, Any] | None:
    """Return what the next pages will bring, as the summary of a run says it; None after too few pages."""
    last = columns.relevant[columns.by_time[-WINDOW:]]
    ahead = forecast(int(last.sum()), len(last))
    if ahead is None:
        return None
    return {"pages": AHEAD, "expected": ahead.expected, "low": ahead.low, "high": ahead.high}


def _baseline(server: ServerState, folder: Path) -> dict[str, Any] | None:
    """Return the curve of a breadth-first crawl with the same seeds beside this one, if there is one."""
    own = _seeds_and_policy(folder)
    if own is None or own[1] == "breadth":
        return None
    for name, other in server.crawls.all().items():
        if other == folder or not has_links(other):
            continue
        theirs = _seeds_and_policy(other)
        if theirs and theirs[1] == "breadth" and theirs[0] == own[0]:
            try:
                return {"name": name, "curve": harvest_curve(columns_of(server, other, WAIT))}
            except (StillReading, ClewError):
                return None
    return None


def _seeds_and_policy(folder: Path) -> tuple[Sequence[str], str] | None:
    try:
        settings = json.loads(last_settings(folder)) if has_links(folder) else {}
        config = configuration.load_folder(folder)
    except (ClewError, ValueError):
        return None
    policy = settings.get("rank", {}).get("policy", config.rank.policy)
    return sorted(config.crawl.seeds), str(policy)


def start(call: Call) -> dict[str, Any]:
    """Start the crawl, or let it go on."""
    return {"process": call.server.processes.start(call.folder, call.body.pages)}


def send(verb: str) -> Any:  # noqa: ANN401 - an operation
    """Return the operation that pauses, resumes or stops a crawl."""

    def run(call: Call) -> dict[str, Any]:
        call.server.processes.send(call.folder, verb)
        return {"sent": verb}

    return run


OPERATIONS = (
    Operation(method="GET", path="/crawls", summary="All crawls with their state.", run=list_crawls),
    Operation(method="GET", path="/crawls/{name}", summary="The overview of a crawl.", run=overview),
    Operation(
        method="POST",
        path="/crawls/{name}/start",
        summary="Start the crawl, or let it go on.",
        run=start,
        body=StartBody,
        whole=True,
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/pause",
        summary="Take no more links.",
        run=send("pause"),
        body=Changes,
        whole=True,
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/resume",
        summary="Go on after a pause.",
        run=send("resume"),
        body=Changes,
        whole=True,
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/stop",
        summary="Stop; nothing is lost.",
        run=send("stop"),
        body=Changes,
        whole=True,
    ),
)
PAGES = (
    WebPage(path="/", template="crawls.html", title="Crawls", run=list_crawls),
    WebPage(path="/crawls/{name}", template="overview.html", title="Overview", run=overview),
)
