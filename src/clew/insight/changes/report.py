"""What is new in a collection since a date."""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from clew.insight.changes.passages import Passage, changed_passages
from clew.store.refreshes import (
    EarlierVersion,
    PageState,
    VisitedPage,
    last_refresh,
    read_new_pages,
    read_new_rows,
    read_visited,
)
from clew.types import Change

ChangeWord = Literal["new", "changed", "gone", "back", "moved"]
WORDS: tuple[ChangeWord, ...] = ("new", "changed", "back", "moved", "gone")
"""The kinds of change, in the order in which they are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPage:
    """A page that is new, has changed, is gone, is back or has moved.

    `verdict_before` is None for new pages, and where it was not judged. `passages` are what has changed in
    its text, `added_rows` and `removed_rows` what has changed among the rows extracted from it.
    """

    change: ChangeWord
    url: str
    title: str
    at: float
    verdict: float | None
    relevant: bool
    why: str
    text: str
    verdict_before: float | None = None
    moved_to: str = ""
    found_on: str = ""
    passages: tuple[Passage, ...] = ()
    added_rows: tuple[dict[str, str], ...] = ()
    removed_rows: tuple[dict[str, str], ...] = ()
    bytes_before: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeReport:
    """Everything that is new since a date, the best first; `rows` are new rows of a growing table."""

    since: float
    until: float
    pages: tuple[ChangedPage, ...]
    rows: tuple[dict[str, Any], ...] = ()

    def of(self, change: str) -> list[ChangedPage]:
        """Return the pages with one kind of change."""
        return [page for page in self.pages if page.change == change]

    def sentence(self) -> str:
        """Return the numbers in one line."""
        counts = [(word, len(self.of(word))) for word in WORDS]
        parts = [f"{count:,} {word}" for word, count in counts if count]
        rows = [f"{len(self.rows):,} new rows"] if self.rows else []
        return ", ".join(parts + rows) or "nothing new"


def read_changes(folder: Path, since: float, *, only_relevant: bool = True) -> ChangeReport:
    """Return what is new in a collection since a date; all pages, or those that are or were relevant."""
    pages = [_new(each) for each in read_new_pages(folder, since) if each.relevant or not only_relevant]
    for visited in read_visited(folder, since):
        was_relevant = visited.before.relevant if visited.before else visited.now.relevant
        page = _changed(visited)
        if page and (visited.now.relevant or was_relevant or not only_relevant):
            pages.append(page)
    order = {word: place for place, word in enumerate(WORDS)}
    pages.sort(key=lambda page: (order[page.change], -(page.verdict or 0.0), page.url))
    names, rows = read_new_rows(folder, since)
    columns = json.loads(names)
    table = tuple(
        {**dict(zip(columns, json.loads(cells), strict=False)), "confidence": sure, "found_at": at}
        for cells, sure, at in rows
    )
    return ChangeReport(since=since, until=time.time(), pages=tuple(pages), rows=table)


def describe_refresh(folder: Path) -> list[str]:
    """Say in a few lines what the last refresh has found."""
    last = last_refresh(folder)
    if last is None:
        return []
    new = list(read_new_pages(folder, last.started_at))
    told = [f"{last.changes[word]:,} {word}" for word in Change if last.changes.get(word)]
    visited = sum(last.changes.values())
    unfinished = "" if last.ended_at else " so far"
    good = sum(page.relevant for page in new)
    known = f"{visited:,} known page{'s' * (visited != 1)} visited ({', '.join(told) or 'none'})"
    found = f"{len(new):,} new page{'s' * (len(new) != 1)}, {good:,} of them relevant"
    return [f"refresh {last.id}{unfinished}: {known}, {found}"]


def _new(page: PageState) -> ChangedPage:
    return ChangedPage(
        change="new", url=page.url, title=page.title, at=page.at, verdict=page.verdict,
        relevant=page.relevant, why=page.why, text=page.text, found_on=page.parent or "",
    )  # fmt: skip


def _changed(visited: VisitedPage) -> ChangedPage | None:
    """Return what has become of a page in all its visits since the date; None if it is as it was."""
    now, before = visited.now, visited.before
    word = _word(visited)
    if word is None:
        return None
    added, removed = _rows(visited, before)
    return ChangedPage(
        change=word, url=now.url, title=now.title, at=now.at, verdict=now.verdict, relevant=now.relevant,
        why=now.why, text=now.text, verdict_before=before.verdict if before else now.verdict,
        moved_to=(visited.redirect or "") if word == "moved" else "",
        passages=tuple(changed_passages(before.text, now.text)) if before else (),
        added_rows=added, removed_rows=removed, bytes_before=before.bytes if before else visited.bytes,
        bytes=visited.bytes,
    )  # fmt: skip


def _word(visited: VisitedPage) -> ChangeWord | None:
    last = visited.changes[-1]
    if last in (Change.GONE, Change.MOVED):
        lost: ChangeWord = "gone" if last is Change.GONE else "moved"
        return None if visited.was_lost else lost
    if visited.was_lost:
        return "back"
    before, now = visited.before, visited.now
    if before is None or before.digest == visited.digest:
        return None
    same = before.text.split() == now.text.split() and before.title == now.title
    return None if same and (now.text or Change.CHANGED not in visited.changes) else "changed"


def _rows(
    visited: VisitedPage, before: EarlierVersion | None
) -> tuple[tuple[dict[str, str], ...], tuple[dict[str, str], ...]]:
    """Return the extracted rows that came and those that went."""
    if before is None:
        return (), ()
    old = [
        dict(zip(row["columns"], row["cells"], strict=False)) for row in json.loads(before.records or "[]")
    ]
    new = [dict(zip(json.loads(names), json.loads(cells), strict=False)) for names, cells in visited.records]
    return _without(new, old), _without(old, new)


def _without(rows: Iterable[dict[str, str]], others: Iterable[dict[str, str]]) -> tuple[dict[str, str], ...]:
    known = {tuple(sorted(row.items())) for row in others}
    return tuple(row for row in rows if tuple(sorted(row.items())) not in known)
