"""Revise what is stored: verdicts when the goal has changed, refusals when the scope has."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from clew import urls
from clew.contracts import RevisionCounts
from clew.types import Kind, Link, Page, Response, State, Verdict

_BATCH = 1_000
_PAGES = """
SELECT pages.id, url, status, mime, coalesce(title, ''), lang, coalesce(text, ''), coalesce(margin, '')
FROM pages JOIN links USING (id) LEFT JOIN texts ON texts.page = pages.id
WHERE pages.id > ? AND verdict NOT NULL AND NOT noindex{} ORDER BY pages.id LIMIT ?"""
_ONLY = " AND url IN (SELECT value FROM json_each(?))"
_VERDICT = "UPDATE pages SET verdict = ?, relevant = ?, why = ? WHERE id = ?"
_KEPT = "UPDATE pages SET relevant = is_relevant(verdict, noindex) WHERE verdict NOT NULL"
_LINKS = """
SELECT id, url, depth, kind, state FROM links
WHERE id > ? AND parent NOT NULL AND kind != 1 AND (state = 0 OR (state = 3 AND reason LIKE 'scope.%'))
ORDER BY id LIMIT ?"""
DEFERRED = "SELECT id FROM links WHERE state = 3 AND reason LIKE 'policy:%' ORDER BY id"
"""Links that a policy deferred."""

_REOPENED = """UPDATE links SET state = 0, reason = NULL, score = ifnull(
    (SELECT verdict FROM pages WHERE pages.id = links.parent), score)
WHERE state = 3 AND reason LIKE 'policy:%'"""
_SUSPECTS = "UPDATE links SET state = 0, reason = NULL WHERE state = 3 AND reason LIKE 'suspect:%'"
_STATE = "UPDATE links SET state = ?, reason = ? WHERE id = ?"


def read_judged(db: sqlite3.Connection, only: Sequence[str] | None = None) -> Iterator[list[Page]]:
    """Yield judged pages, all or those of some URLs, in batches: title, text and language."""
    last, which = 0, "" if only is None else _ONLY
    given = [] if only is None else [json.dumps(only)]
    while rows := db.execute(_PAGES.format(which), (last, *given, _BATCH)).fetchall():
        last = rows[-1][0]
        yield [_page(row) for row in rows]


def _page(row: tuple[Any, ...]) -> Page:
    id, url, status, mime, title, lang, text, margin = row
    link = Link(id=id, url=url, origin=urls.origin(url))
    response = Response(link=link, started=0.0, ended=0.0, status=status)
    return Page(response=response, mime=mime, title=title, lang=lang, text=text, margin=margin)


def rejudge(db: sqlite3.Connection, judge: Callable[[Page], tuple[Verdict, bool]]) -> RevisionCounts:
    """Judge every stored page again, inside the open transaction."""
    (before,) = db.execute("SELECT total(relevant) FROM pages").fetchone()
    seen = 0
    for pages in read_judged(db):
        seen += len(pages)
        verdicts = [(page.link.id, *judge(page)) for page in pages]
        db.executemany(_VERDICT, ((v.value, int(fits), "; ".join(v.why), id) for id, v, fits in verdicts))
    (after,) = db.execute("SELECT total(relevant) FROM pages").fetchone()
    return RevisionCounts(seen, int(after), int(before))


def rekeep(db: sqlite3.Connection, is_relevant: Callable[[float, bool], bool]) -> RevisionCounts:
    """Decide again which pages are relevant, by the verdicts they have, inside the open transaction."""
    (before,) = db.execute("SELECT total(relevant) FROM pages").fetchone()
    db.create_function("is_relevant", 2, lambda value, noindex: int(is_relevant(value, bool(noindex))))
    seen = db.execute(_KEPT).rowcount
    (after,) = db.execute("SELECT total(relevant) FROM pages").fetchone()
    return RevisionCounts(seen, int(after), int(before))


def rescope(db: sqlite3.Connection, rule: Callable[[str, int, Kind], str]) -> RevisionCounts:
    """Apply the scope again to links that are open or that it refused, inside the open transaction."""
    last = seen = opened = shut = 0
    while rows := db.execute(_LINKS, (last, _BATCH)).fetchall():
        last, seen = rows[-1][0], seen + len(rows)
        changes = []
        for id, url, depth, kind, state in rows:
            refusal = rule(url, depth, Kind(kind))
            wanted = State.REFUSED if refusal else State.OPEN
            if wanted != state:
                changes.append((int(wanted), refusal or None, id))
                opened, shut = opened + (not refusal), shut + bool(refusal)
        db.executemany(_STATE, changes)
    return RevisionCounts(seen, opened, shut)


def reopen_suspects(db: sqlite3.Connection) -> int:
    """Open the links to suspect places, inside the open transaction; return how many there were."""
    return db.execute(_SUSPECTS).rowcount


def reopen_deferred(db: sqlite3.Connection) -> int:
    """Open the links that a policy deferred, inside the open transaction; return how many there were.

    The next policy has not scored them; until it does, their score is the verdict on their page.
    """
    return db.execute(_REOPENED).rowcount
