"""What was searched for, kept: on disk beside a crawl, or in memory for runs that leave no folder."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from clew.contracts import SearchAnswer, SearchEngine, SearchQuery
from clew.store import read_sql
from clew.store.searches import cached_answer, read_searches, save_search, update_search

_RESULTS = "SELECT search, url, ifnull(link, 0) FROM search_results ORDER BY search, rank"
_READ = "SELECT id, relevant FROM pages JOIN search_results ON link = id WHERE redirect IS NULL"
_MOVED = """SELECT links.parent, pages.relevant FROM links JOIN pages USING (id)
WHERE links.depth = 0 AND links.hops > 0 AND pages.redirect IS NULL"""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAnswer:
    """A query of an earlier run: its words, its addresses with their links (0: never planted), its errand."""

    id: int
    query: str
    lang: str
    why: str
    new: int | None
    error: str
    results: tuple[tuple[str, int], ...] = ()


class SearchLog(Protocol):
    """Ask engines, remembering every question and what it brought."""

    async def ask(
        self, engine: SearchEngine, query: SearchQuery, count: int, lang: str, why: str
    ) -> tuple[int, SearchAnswer]: ...

    async def settle(self, id: int, *, new: int, links: Mapping[str, int]) -> None: ...

    async def count(self, relevant: Mapping[int, int]) -> None: ...

    def known(self) -> list[KnownAnswer]: ...

    def read(self) -> dict[int, bool]: ...


@dataclass(frozen=True, slots=True)
class StoredSearchLog:
    """Keep questions in the database of a crawl.

    An answer is on disk before anything is done with it: after a kill its addresses are planted, and the
    engine is not asked again.
    """

    folder: Path

    async def ask(
        self, engine: SearchEngine, query: SearchQuery, count: int, lang: str, why: str
    ) -> tuple[int, SearchAnswer]:
        """Ask, or take the answer of the last day to the same question."""
        said = await asyncio.to_thread(cached_answer, self.folder, engine.name, query, lang, asked=count)
        if said is not None:
            return said
        answer = await engine.search(query, count, lang)
        id = await asyncio.to_thread(
            save_search, self.folder, engine=engine.name, query=query, answer=answer, asked=count, lang=lang,
            why=why,
        )  # fmt: skip
        return id, answer

    async def settle(self, id: int, *, new: int, links: Mapping[str, int]) -> None:
        """Write down which links the addresses have become."""
        await asyncio.to_thread(update_search, self.folder, id, new=new, links=links)

    async def count(self, relevant: Mapping[int, int]) -> None:
        """Write down how many relevant pages each question has brought so far."""
        for id, number in relevant.items():
            await asyncio.to_thread(update_search, self.folder, id, relevant=number)

    def known(self) -> list[KnownAnswer]:
        """Return the questions of earlier runs, oldest first."""
        results: dict[int, list[tuple[str, int]]] = {}
        for id, url, link in read_sql(self.folder, _RESULTS):
            results.setdefault(id, []).append((url, link))
        return [
            KnownAnswer(
                id=each.id, query=each.query, lang=each.lang, why=each.why, new=each.new, error=each.error,
                results=tuple(results.get(each.id, ())),
            )
            for each in read_searches(self.folder)
        ]  # fmt: skip

    def read(self) -> dict[int, bool]:
        """Return which results were read, by their links, and whether they were relevant."""
        return {
            link: bool(relevant)
            for sql in (_READ, _MOVED)
            for link, relevant in read_sql(self.folder, sql)
        }  # fmt: skip


@dataclass(slots=True)
class MemorySearchLog:
    """Remember questions as long as the run lasts: for the lab."""

    asked: list[str] = field(default_factory=list)

    async def ask(
        self,
        engine: SearchEngine,
        query: SearchQuery,
        count: int,
        lang: str,
        why: str,  # noqa: ARG002
    ) -> tuple[int, SearchAnswer]:
        """Ask, and count."""
        self.asked.append(str(query))
        return len(self.asked), await engine.search(query, count, lang)

    async def settle(self, id: int, *, new: int, links: Mapping[str, int]) -> None:
        """Keep nothing: the service knows."""

    async def count(self, relevant: Mapping[int, int]) -> None:
        """Keep nothing: the service knows."""

    def known(self) -> list[KnownAnswer]:
        """Return nothing: there was no earlier run."""
        return []

    def read(self) -> dict[int, bool]:
        """Return nothing: there was no earlier run."""
        return {}
