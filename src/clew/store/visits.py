"""Visits to known pages: what was found is written, and the version before it is kept."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from clew.store.result_rows import COLUMNS, RECORD, TEXT, Revisit, Row
from clew.types import Change, State

_KEPT = frozenset({"id", "score", "parts", "duplicate_of"})  # as on the first visit
_PAGE = (
    "UPDATE pages SET "  # noqa: S608 - ours
    + ", ".join(f"{name} = ?{at}" for at, name in enumerate(COLUMNS, 1) if name not in _KEPT)
    + " WHERE id = ?1"
)
_TRIES = "UPDATE links SET tries = ? WHERE id = ?"
_PLAN = "INSERT INTO revisits (link, score) VALUES (?, ?)"
_PLANNED = "DELETE FROM revisits WHERE link = ?"
_VISIT = """INSERT INTO visits (page, round, at, change, status, reason, redirect, digest, bytes, first_link,
    links, warc_file, warc_offset, warc_length)
VALUES (?, (SELECT max(id) FROM rounds), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_VERSION = """INSERT INTO versions (page, fetched_at, replaced_at, title, text, lang, verdict, relevant, why,
    bytes, digest, etag, modified, records, warc_file, warc_offset, warc_length)
SELECT id, fetched_at, ?2, title, iif(?3, (SELECT text FROM texts WHERE page = pages.id), NULL), lang,
    verdict, relevant, why, bytes, digest, etag, modified,
    nullif((SELECT json_group_array(json_object('columns', json(columns), 'cells', json(cells)))
        FROM records WHERE page = pages.id), '[]'),
    warc_file, warc_offset, warc_length
FROM pages WHERE id = ?1"""
_OLD_CONTENT = ("DELETE FROM texts WHERE page = ?", "DELETE FROM records WHERE page = ?")
_HEADERS = "UPDATE pages SET etag = ?, modified = ? WHERE id = ?"


@dataclass(slots=True)
class PlanUpdates:
    """What has changed in the plan of a refresh: pages that may not be visited, and pages with other scores.

    `skipped` are ids, times and reasons, `replanned` ids and scores, None for those taken out.
    """

    skipped: list[tuple[int, float, str]] = field(default_factory=list)
    replanned: list[tuple[int, float | None]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.skipped or self.replanned)


def write_revisits(
    put: Callable[[str, Iterable[Row]], Any],
    revisits: Sequence[Revisit],
    plan: PlanUpdates,
) -> None:
    """Write visits inside the open transaction, in their order; the plan changes before they shorten it."""
    for id, score in plan.replanned:
        put(_PLANNED, [(id,)])
        put(_PLAN, [] if score is None else [(id, score)])
    for visit in revisits:
        link = visit.result.page.link
        put(_TRIES, [(link.total_tries + visit.result.was_requested, link.id)])
        if visit.result.state is not State.OPEN:
            put(_VISIT, [_visit_row(visit)])
            put(_PLANNED, [(link.id,)])
            if visit.result.replaces:
                _replace(put, visit)
            elif visit.result.change is Change.UNCHANGED:
                _renew_headers(put, visit)
    for id, at, reason in plan.skipped:
        put(_VISIT, [(id, at, Change.REFUSED, 0, reason, None, None, 0, 0, 0, None, None, None)])
        put(_PLANNED, [(id,)])


def _replace(put: Callable[[str, Iterable[Row]], Any], visit: Revisit) -> None:
    """Keep the version that is stored, and store the new one in its place."""
    response = visit.result.page.response
    id, differs = response.link.id, visit.result.change is not Change.UNCHANGED
    put(_VERSION, [(id, response.started, differs)])
    for statement in _OLD_CONTENT:
        put(statement, [(id,)])
    put(_PAGE, [visit.page_row])
    put(TEXT, [row] if (row := visit.text_row) else [])
    put(RECORD, visit.record_rows)


def _renew_headers(put: Callable[[str, Iterable[Row]], Any], visit: Revisit) -> None:
    """Keep the newest validators of a page that is the same; a 304 need not repeat them."""
    *_, etag, modified = visit.page_row
    if etag or modified:
        put(_HEADERS, [(etag, modified, visit.result.page.link.id)])


def _visit_row(visit: Revisit) -> Row:
    result, response, offset = visit.result, visit.result.page.response, visit.offset
    found = result.new_links
    return (
        response.link.id,
        response.started,
        result.change or Change.FAILED,
        response.status,
        result.reason,
        result.page.redirect or None,
        offset.digest if offset else None,
        len(response.body),
        found.first if found else 0,
        len(found.links) if found else 0,
        offset.file if offset else None,
        offset.offset if offset else None,
        offset.length if offset else None,
    )
