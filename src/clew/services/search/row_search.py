"""Search for rows of a table: example rows at the start, found rows when few pages are relevant."""

from dataclasses import dataclass

from clew.contracts import LoggedSearch, SearchQuery
from clew.domain.records import RecordTable
from clew.domain.records.row_queries import distinctive_columns, row_query
from clew.services.search.initial_queries import BEGINNING, InitialQuery
from clew.services.search.query_choice import DEEP, MAX_FRUITLESS, AskedQuery
from clew.services.search.service import SearchService

FIRST = 5
"""Example rows that are searched for before the first page."""

MIN_CONFIDENCE = 0.8
"""Minimum confidence of a row to search for it."""

_SAMPLE = 2_000  # rows from which distinctive columns are chosen


@dataclass(slots=True, kw_only=True)
class RowSearch(SearchService):
    """Search for rows instead of a topic: their distinctive values, as phrases.

    Each row is searched for once: example rows first, then found ones by falling confidence. A topic in
    words is searched for before them, once.
    """

    table: RecordTable
    about: str = ""

    async def start(self) -> None:
        """Load the queries of earlier runs, and plan the first ones."""
        await super(RowSearch, self).start()  # slots make the class anew: no bare super
        if not self.engines:
            return
        columns = self._columns()
        examples = [
            row_query(self.table.values(row), columns) for row in range(min(FIRST, self.table.example_count))
        ]
        asked = {each.word for each in self.queries.asked}
        self._initial = [
            InitialQuery(text, lang, self.seek.results, BEGINNING)
            for text in dict.fromkeys([self.about, *examples])
            for lang in self.seek.languages or [""]
            if text and text not in asked
        ]

    async def _restore_query(self, known: LoggedSearch) -> dict[str, int]:
        """Restore one query of an earlier run."""
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
        initial = self._initial[0]
        if await self._search(initial.text, initial.lang, initial.count, initial.why):
            self._initial.pop(0)

    async def _ask_next(self, why: str) -> None:
        """Search for one more row; or stop, if that no longer pays."""
        if self.queries.used >= self.seek.queries:
            self._stop(f"{self.queries.used} queries were sent in this run (seek.queries)")
        elif self.queries.by_yield and self.queries.fruitless:
            self._stop(f"the last {MAX_FRUITLESS} queries found no new URL")
        elif not (question := self._next()):
            self._stop("every confident row was searched for")
        else:
            lang = (self.seek.languages or [""])[len(self.queries.asked) % max(1, len(self.seek.languages))]
            await self._search(question, lang, DEEP * self.seek.results, why)

    def _next(self) -> str:
        """Return the query for the most confident row not yet searched for; empty if there is none."""
        table, asked = self.table, {each.word for each in self.queries.asked}
        confidences = {row: table.confidence(row) for row in range(len(table)) if not table.is_off_topic(row)}
        columns = self._columns()
        for row in sorted(confidences, key=lambda row: (-confidences[row], row)):
            if confidences[row] < MIN_CONFIDENCE:
                break
            if (question := row_query(table.values(row), columns)) and question not in asked:
                return question
        return ""

    def _columns(self) -> list[int]:
        return distinctive_columns([self.table.values(row) for row in range(min(len(self.table), _SAMPLE))])
