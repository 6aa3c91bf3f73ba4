"""What is new: pages that are new, changed, moved or gone since a date; a feed of them; start a refresh."""

from typing import Any, Literal

from pydantic import Field
from starlette.responses import Response

from clew.insight.changes import ChangedPage, ChangeReport, describe_refresh, parse_date, read_changes, render
from clew.insight.preflight.folder_check import lock_holder
from clew.store.crawl_stats import has_links
from clew.store.refreshes import has_history, last_refresh_at
from clew.web.operations import Call, Changes, Operation, Paging, WebPage
from clew.web.pages import Params

MOST_PASSAGES = 20
"""Changed passages of a page that are shown."""

HEAD = 280
"""Characters of a new page that are shown."""

SECONDS = 10.0
"""Seconds to wait for the changes of a large crawl."""

FEED_TYPES = {"atom": "application/atom+xml", "json": "application/feed+json"}


class ChangesQuery(Paging):
    """Since when, and which changes."""

    since: str = Field(
        default="", max_length=40, description="2026-11-01, or an interval like 7d; else the last refresh."
    )
    change: Literal["", "new", "changed", "back", "moved", "gone"] = Field(
        default="", description="One kind of change only."
    )
    irrelevant: bool = Field(default=False, description="Also pages that are and were not relevant.")


class FeedQuery(ChangesQuery):
    """The same as a feed."""

    format: Literal["atom", "json"] = Field(default="atom", description="Atom or JSON Feed.")


class RefreshBody(Changes):
    """How much to visit."""

    pages: int = Field(
        default=0, ge=0, le=10**9, description="Pages to read, those not modified are free; 0: as set."
    )


def report_of(call: Call) -> ChangeReport:
    """Return what is new since the date that is asked for, else since the last refresh began."""
    query: ChangesQuery = call.query
    folder, only_relevant = call.folder, not query.irrelevant
    if query.since.strip():
        return read_changes(folder, parse_date(query.since), only_relevant=only_relevant)

    def read() -> ChangeReport:
        since = last_refresh_at(folder) or parse_date("7d")
        return read_changes(folder, since, only_relevant=only_relevant)

    kind = "relevant" if only_relevant else "all"
    return call.server.cached(f"{kind} changes", folder, read).value(SECONDS)


def list_changes(call: Call) -> dict[str, Any]:
    """Return the pages that are new, changed, moved or gone, those of one kind together."""
    query: ChangesQuery = call.query
    if not has_links(call.folder) or not has_history(call.folder):
        return {"since": 0.0, "counts": {}, "total": 0, "sentence": "nothing new", "pages": [], "rows": []}
    report = report_of(call)
    counts = {
        word: len(report.of(word)) for word in ("new", "changed", "back", "moved", "gone") if report.of(word)
    }
    pages = report.of(query.change) if query.change else list(report.pages)
    shown = pages[query.offset : query.offset + query.limit]
    return {
        "since": report.since,
        "counts": counts,
        "total": len(pages),
        "sentence": report.sentence(),
        "pages": [_described(page) for page in shown],
        "rows": list(report.rows[: query.limit]),
    }


def _described(page: ChangedPage) -> dict[str, Any]:
    """Return a change as plain values; a passage is a list of pieces, each with what became of it."""
    return {
        "change": page.change,
        "url": page.url,
        "title": page.title,
        "at": page.at,
        "verdict": page.verdict,
        "verdict_before": page.verdict_before,
        "relevant": page.relevant,
        "moved_to": page.moved_to,
        "found_on": page.found_on,
        "excerpt": page.text[:HEAD] if page.change == "new" else "",
        "passages": [list(passage.words()) for passage in page.passages[:MOST_PASSAGES]],
        "more_passages": max(0, len(page.passages) - MOST_PASSAGES),
        "added_rows": list(page.added_rows),
        "removed_rows": list(page.removed_rows),
    }


def feed(call: Call) -> Response:
    """Return what is new as a feed."""
    query: FeedQuery = call.query
    text = render(report_of(call), query.format, call.name)
    return Response(text, media_type=FEED_TYPES[query.format])


def start_refresh(call: Call) -> dict[str, Any]:
    """Start a refresh, or let the one that was interrupted go on."""
    process = call.server.processes.start(call.folder, call.body.pages, command="refresh")
    return {"process": process, "message": "the refresh has begun"}


def changes_page(call: Call) -> dict[str, Any]:
    """Return the page with the first changes."""
    folder = call.folder
    began = has_links(folder)
    return {
        **list_changes(call),
        "query": call.query,
        "refreshes": describe_refresh(folder) if began else [],
        "can_refresh": began and not lock_holder(folder),
        "running": bool(lock_holder(folder)),
        "params": Params(call.query.model_dump(exclude_defaults=True)),
    }


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/changes",
        summary="Pages that are new, changed, moved or gone since a date.",
        run=list_changes,
        query=ChangesQuery,
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/changes/feed",
        summary="The same as an Atom or JSON feed.",
        run=feed,
        query=FeedQuery,
        returns="application/atom+xml",
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/refresh",
        summary="Visit known pages again that are worth it.",
        run=start_refresh,
        body=RefreshBody,
        whole=True,
    ),
)
PAGES = (
    WebPage(
        path="/crawls/{name}/changes",
        template="changes.html",
        title="What is new",
        run=changes_page,
        query=ChangesQuery,
        of_shards=True,
    ),
)
