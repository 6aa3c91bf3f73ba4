"""Search for the rows of a table: the person's own at the beginning, what was found when a crawl runs dry."""

from dataclasses import dataclass

from clew.contracts import SearchQuery
from clew.domain.records import RecordTable
from clew.domain.records.row_queries import distinctive_columns, row_query
from clew.services.search.initial_queries import BEGINNING, InitialQuery
from clew.services.search.query_choice import DEEP, DRY, AskedQuery
from clew.services.search.search_log import KnownAnswer
from clew.services.search.service import SearchService

FIRST = 5
"""Rows that are asked for before the first page."""

SURE = 0.8
"""Rows less sure than this are not asked for."""

_LOOKED_AT = 2_000  # rows that tell which columns are rare


@dataclass(slots=True, kw_only=True)
class RowSearch(SearchService):
    """Ask engines for rows instead of a topic: the values that tell one from all others, as phrases.

    Each row is asked for once: the person's own first, then what the crawl has found, the surest first. A
    topic in words is asked for before them, once.
    """

    table: RecordTable
    about: str = ""

    async def start(self) -> None:
        """Load what earlier runs have asked, and plan the first queries."""
        await super(RowSearch, self).start()  # slots make the class anew: no bare super
        if not self.engines:
            return
        columns = self._columns()
        own = [
            row_query(self.table.values(row), columns) for row in range(min(FIRST, self.table.example_count))
        ]
        gone = {each.word for each in self.queries.asked}
        self._initial = [
            InitialQuery(text, lang, self.seek.results, BEGINNING)
            for text in dict.fromkeys([self.about, *own])
            for lang in self.seek.languages or [""]
            if text and text not in gone
        ]

    async def _restore_query(self, known: KnownAnswer) -> dict[str, int]:
        """Take up one question of an earlier run."""
        links = await super(RowSearch, self)._restore_query(known)
        if links or not known.error:
            asked = AskedQuery(known.query, known.lang, len(links), known.new or 0)
            self.queries.asked.append(asked)
            new = {link for link in links.values() if link and link not in self._yield.owners}
            self._yield.enter([known.id], asked, new, set(links.values()) - new)
        return links

    def _query(self, word: str = "") -> SearchQuery:
        return SearchQuery(text=word)

    @property
    def _may_search(self) -> bool:
        return bool(self.seek.reseed and self.engines)

    async def _ask_initial(self) -> None:
        errand = self._initial[0]
        if await self._search(errand.text, errand.lang, errand.count, errand.why):
            self._initial.pop(0)

    async def _ask_next(self, why: str) -> None:
        """Ask for one more row; or say that it no longer pays."""
        if self.queries.used >= self.seek.queries:
            self._stop(f"{self.queries.used} queries were asked in this run (seek.queries)")
        elif self.queries.by_yield and self.queries.dry:
            self._stop(f"the last {DRY} queries brought no new address")
        elif not (question := self._next()):
            self._stop("every row that is sure was asked for")
        else:
            lang = (self.seek.languages or [""])[len(self.queries.asked) % max(1, len(self.seek.languages))]
            await self._search(question, lang, DEEP * self.seek.results, why)

    def _next(self) -> str:
        """Return the question for the surest row that was not asked for, empty when there is none."""
        book, gone = self.table, {each.word for each in self.queries.asked}
        sure = {row: book.confidence(row) for row in range(len(book)) if not book.is_off_topic(row)}
        columns = self._columns()
        for row in sorted(sure, key=lambda row: (-sure[row], row)):
            if sure[row] < SURE:
                break
            if (question := row_query(book.values(row), columns)) and question not in gone:
                return question
        return ""

    def _columns(self) -> list[int]:
        return distinctive_columns(
            [self.table.values(row) for row in range(min(len(self.table), _LOOKED_AT))]
        )
