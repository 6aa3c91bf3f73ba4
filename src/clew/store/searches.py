"""The log of search queries and their results, also a cache: no query is sent twice within a day."""

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from clew.contracts import LoggedSearch, SearchAnswer, SearchQuery, SearchResult
from clew.store.database import open_for_labels, open_reader, store_errors
from clew.store.folder import DATABASE
from clew.store.reading import read_sql

DAY = 86_400.0
"""Seconds for which a cached answer is used."""


_COLUMNS = ("id", "at", "engine", "query", "lang", "why", "asked", "count", "new", "relevant", "error")
_RESULTS = "SELECT search, url, ifnull(link, 0) FROM search_results ORDER BY search, rank"
_FETCHED = "SELECT id, relevant FROM pages JOIN search_results ON link = id WHERE redirect IS NULL"
_REDIRECTED = """SELECT links.parent, pages.relevant FROM links JOIN pages USING (id)
WHERE links.depth = 0 AND links.hops > 0 AND pages.redirect IS NULL"""


@dataclass(frozen=True, slots=True)
class SqliteSearches:
    """The searches of a crawl; every method opens a connection of its own, so any thread may call it."""

    folder: Path

    def cached_answer(
        self, engine: str, query: SearchQuery | str, lang: str, *, asked: int
    ) -> tuple[int, SearchAnswer] | None:
        """Return the id and answer of the same query, if it was sent within a day."""
        return cached_answer(self.folder, engine, query, lang, asked=asked)

    def save_search(
        self, *, engine: str, query: SearchQuery | str, answer: SearchAnswer, asked: int, lang: str, why: str
    ) -> int:
        """Write a query and its answer to the disk; return its id."""
        return save_search(
            self.folder, engine=engine, query=query, answer=answer, asked=asked, lang=lang, why=why
        )

    def update_search(
        self,
        id: int,
        *,
        new: int | None = None,
        relevant: int | None = None,
        links: Mapping[str, int] | None = None,
    ) -> None:
        """Record what a query yielded; `links` maps its URLs to the ids of the links they became."""
        update_search(self.folder, id, new=new, relevant=relevant, links=links)

    def searches(self) -> list[LoggedSearch]:
        """Return every query that was sent, oldest first."""
        return read_searches(self.folder)

    def fetched_results(self) -> dict[int, bool]:
        """Return which results were fetched, by the ids of their links, and whether they are relevant."""
        return {
            link: bool(relevant)
            for sql in (_FETCHED, _REDIRECTED)
            for link, relevant in read_sql(self.folder, sql)
        }


def save_search(
    folder: Path,
    *,
    engine: str,
    query: SearchQuery | str,
    answer: SearchAnswer,
    asked: int,
    lang: str = "",
    why: str = "",
    at: float | None = None,
) -> int:
    """Write a query and its answer to the disk, also beside a running crawl; return its id."""
    row = (
        time.time() if at is None else at, engine, str(query), lang, why, asked, len(answer.results),
        answer.error,
    )  # fmt: skip
    with closing(open_for_labels(folder)) as db, store_errors(folder / DATABASE):
        db.execute("BEGIN IMMEDIATE")
        cursor = db.execute(
            "INSERT INTO searches (at, engine, query, lang, why, asked, count, error)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        id = int(cursor.lastrowid or 0)
        db.executemany(
            "INSERT INTO search_results (search, rank, url, title) VALUES (?, ?, ?, ?)",
            [(id, rank, each.url, each.title) for rank, each in enumerate(answer.results, 1)],
        )
        db.execute("COMMIT")
    return id


def cached_answer(
    folder: Path,
    engine: str,
    query: SearchQuery | str,
    lang: str = "",
    *,
    asked: int = 1,
    age: float = DAY,
    now: float | None = None,
) -> tuple[int, SearchAnswer] | None:
    """Return the id and answer of the same query, if it was sent lately for at least as many results.

    Answers with an error do not count: a failed query may be sent again.
    """
    since = (time.time() if now is None else now) - age
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        row = db.execute(
            "SELECT id FROM searches WHERE engine = ? AND query = ? AND lang = ? AND at >= ?"
            " AND error = '' AND (asked >= ? OR count < asked) ORDER BY id DESC LIMIT 1",
            (engine, str(query), lang, since, asked),
        ).fetchone()
        if row is None:
            return None
        rows = db.execute(
            "SELECT url, title, rank FROM search_results WHERE search = ? ORDER BY rank LIMIT ?",
            (row[0], asked),
        )
        results = tuple(SearchResult(url=url, title=title, rank=rank) for url, title, rank in rows)
    return int(row[0]), SearchAnswer(results=results)


def update_search(
    folder: Path,
    id: int,
    *,
    new: int | None = None,
    relevant: int | None = None,
    links: Mapping[str, int] | None = None,
) -> None:
    """Record what a query yielded; `links` maps its URLs to the ids of the links they became."""
    with closing(open_for_labels(folder)) as db, store_errors(folder / DATABASE):
        db.execute("BEGIN IMMEDIATE")
        db.execute(
            "UPDATE searches SET new = ifnull(?, new), relevant = ifnull(?, relevant) WHERE id = ?",
            (new, relevant, id),
        )
        db.executemany(
            "UPDATE search_results SET link = ? WHERE search = ? AND url = ?",
            [(link, id, url) for url, link in (links or {}).items()],
        )
        db.execute("COMMIT")


def read_searches(folder: Path) -> list[LoggedSearch]:
    """Return every query that was sent, oldest first."""
    results: dict[int, list[tuple[str, int]]] = {}
    for id, url, link in read_sql(folder, _RESULTS):
        results.setdefault(id, []).append((url, link))
    rows = read_sql(folder, f"SELECT {', '.join(_COLUMNS)} FROM searches ORDER BY id")  # noqa: S608
    return [
        LoggedSearch(**dict(zip(_COLUMNS, row, strict=True)), results=tuple(results.get(row[0], ())))
        for row in rows
    ]
