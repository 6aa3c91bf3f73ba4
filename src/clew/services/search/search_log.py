"""The log of search queries: stored with a crawl, or in memory for runs that leave no folder."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from clew.contracts import LoggedSearch, SearchAnswer, SearchEngine, SearchQuery, SearchStore


class SearchLog(Protocol):
    """Send queries to engines, and record each with its results."""

    async def ask(
        self, engine: SearchEngine, query: SearchQuery, count: int, lang: str, why: str
    ) -> tuple[int, SearchAnswer]: ...

    async def record_links(self, id: int, *, new: int, links: Mapping[str, int]) -> None: ...

    async def record_relevant(self, relevant: Mapping[int, int]) -> None: ...

    def searches(self) -> Sequence[LoggedSearch]: ...

    def fetched_results(self) -> Mapping[int, bool]: ...


@dataclass(frozen=True, slots=True)
class StoredSearchLog:
    """Record queries in the store of a crawl.

    An answer is stored before it is used: after a kill its URLs become links, and the engine is not asked
    again.
    """

    store: SearchStore

    async def ask(
        self, engine: SearchEngine, query: SearchQuery, count: int, lang: str, why: str
    ) -> tuple[int, SearchAnswer]:
        """Send a query, or return the stored answer if it was sent within a day."""
        cached = await asyncio.to_thread(self.store.cached_answer, engine.name, query, lang, asked=count)
        if cached is not None:
            return cached
        answer = await engine.search(query, count, lang)
        id = await asyncio.to_thread(
            self.store.save_search, engine=engine.name, query=query, answer=answer, asked=count, lang=lang,
            why=why,
        )  # fmt: skip
        return id, answer

    async def record_links(self, id: int, *, new: int, links: Mapping[str, int]) -> None:
        """Record which links the URLs of a query have become."""
        await asyncio.to_thread(self.store.update_search, id, new=new, links=links)

    async def record_relevant(self, relevant: Mapping[int, int]) -> None:
        """Record how many relevant pages each query has yielded so far."""
        for id, number in relevant.items():
            await asyncio.to_thread(self.store.update_search, id, relevant=number)

    def searches(self) -> Sequence[LoggedSearch]:
        """Return the queries of earlier runs, oldest first."""
        return self.store.searches()

    def fetched_results(self) -> Mapping[int, bool]:
        """Return which results were fetched, by their links, and whether they are relevant."""
        return self.store.fetched_results()


@dataclass(slots=True)
class MemorySearchLog:
    """Record queries as long as the run lasts, for the lab."""

    asked: list[str] = field(default_factory=list)

    async def ask(
        self,
        engine: SearchEngine,
        query: SearchQuery,
        count: int,
        lang: str,
        why: str,  # noqa: ARG002
    ) -> tuple[int, SearchAnswer]:
        """Send a query, and count it."""
        self.asked.append(str(query))
        return len(self.asked), await engine.search(query, count, lang)

    async def record_links(self, id: int, *, new: int, links: Mapping[str, int]) -> None:
        """Record nothing: the service knows."""

    async def record_relevant(self, relevant: Mapping[int, int]) -> None:
        """Record nothing: the service knows."""

    def searches(self) -> Sequence[LoggedSearch]:
        """Return nothing: there was no earlier run."""
        return []

    def fetched_results(self) -> Mapping[int, bool]:
        """Return nothing: there was no earlier run."""
        return {}
