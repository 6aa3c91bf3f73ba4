"""An engine behind HTTP: page after page until there is enough, politely, with faults as values."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from clew import urls
from clew.contracts import SearchAnswer, SearchQuery, SearchResult
from clew.domain.text import printable
from clew.search.dialect import Dialect, EngineRequest, RawResult, ResultPage
from clew.search.http import HttpClient, Reply
from clew.search.queries import understood

MOST_ROWS = 1_000
"""Rows read of one page of an answer: no honest engine sends more."""

PATIENCE = 30.0
"""Seconds to wait when an engine asks for a rest; for longer it is left alone."""

TRIES = 3
"""Requests for one page of results, when the engine is busy."""

_BUSY = (429, 503)


class Gathering:
    """Results as they come: canonical, each address once, not too many of one site.

    A site is a registered domain: names below it cost nothing. `per_site` is 0 where one may fill the answer.
    """

    def __init__(self, count: int, per_site: int = 0) -> None:
        self.count = count
        self.per_site = per_site
        self.results: list[SearchResult] = []
        self.rows = 0
        self.strange = 0
        self.crowded: Counter[str] = Counter()
        self._known: set[int] = set()
        self._sites: Counter[str] = Counter()
        self._canon = urls.Canon()

    @property
    def full(self) -> bool:
        """Whether there is enough."""
        return len(self.results) >= self.count

    def take(self, rows: Iterable[RawResult]) -> int:
        """Take rows in; return how many addresses were not known before."""
        fresh = 0
        for row in rows:
            self.rows += 1
            url = self._canon(row.url.strip())
            if not url:
                self.strange += 1
                continue
            name = urls.fingerprint(url)
            if name in self._known:
                continue
            self._known.add(name)
            fresh += 1
            site = urls.site(urls.host(url))
            if self.per_site and self._sites[site] >= self.per_site:
                self.crowded[site] += 1
            elif not self.full:
                self._sites[site] += 1
                self.results.append(
                    SearchResult(url=url, title=row.title, snippet=row.snippet, rank=len(self.results) + 1)
                )
        return fresh

    def notes(self) -> tuple[str, ...]:
        """Say what was left out."""
        said = []
        if self.crowded:
            ((site, _),) = self.crowded.most_common(1)
            rest = len(self.crowded) - 1
            others = f" and {rest} other site{'s' * (rest != 1)}" if rest else ""
            said.append(
                f"left out {sum(self.crowded.values()):,} more results of {printable(site, 60)}{others}: "
                f"at most {self.per_site} of one site are taken"
            )
        if self.strange:
            said.append(f"left out {self.strange:,} that are no web addresses")
        return tuple(said)


@dataclass(slots=True, kw_only=True)
class HttpEngine:
    """Speak with one engine in its dialect; between two questions there is always `delay`.

    `secrets` are keys that must never be shown, whatever the engine says.
    """

    name: str
    dialect: Dialect
    wire: HttpClient
    delay: float = 1.0
    patience: float = PATIENCE
    login: str = field(default="", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _next_at: float = 0.0
    _learned: bool = False
    _refused: int = 429

    async def search(self, query: SearchQuery | str, count: int, lang: str = "") -> SearchAnswer:
        """Ask until there are `count` results, or no more; never raises for what the engine did."""
        asked, notes = understood(query)
        if not (asked.text or asked.also or asked.site):
            return SearchAnswer(
                error=f"{self.dialect.kind}: there is nothing to search for; give at least a word"
            )
        if refusal := self.dialect.refusal(asked):
            return SearchAnswer(error=f"{self.dialect.kind}: {refusal}", notes=notes)
        spread = self.dialect.spread and not asked.site
        got = Gathering(count, max(3, count // 5) if spread else 0)
        total, error = None, ""
        async with self._turn:
            for page in range(self.dialect.pages):
                ask = EngineRequest(query=asked, lang=lang, count=count, page=page, seen=got.rows)
                sheet = await self._sheet(ask)
                total, error = sheet.total if total is None else total, sheet.error
                rows = sheet.rows[:MOST_ROWS]
                if len(rows) < len(sheet.rows):
                    notes += (f"of {len(sheet.rows):,} rows at once the first {MOST_ROWS:,} were read",)
                notes += (sheet.note,) if sheet.note else ()
                if not got.take(rows) or got.full or error or not sheet.more:
                    break
        said = self._clean(f"{self.dialect.kind}: {error}") if error else ""
        return SearchAnswer(results=tuple(got.results), total=total, error=said, notes=notes + got.notes())

    async def aclose(self) -> None:
        """Close the connection."""
        await self.wire.aclose()

    async def _sheet(self, ask: EngineRequest) -> ResultPage:
        """Fetch one page of results, and before the first whatever the dialect must learn."""
        if not self._learned and (first := self.dialect.first()):
            reply, error = await self._get(first, {})
            if error := error or self.dialect.learn(reply):
                return ResultPage(error=error)
            if refusal := self.dialect.refusal(ask.query):
                return ResultPage(error=refusal)
        self._learned = True
        reply, error = await self._get(*self.dialect.request(ask))
        return ResultPage(error=error) if error else self.dialect.read(reply)

    async def _get(self, url: str, headers: dict[str, str]) -> tuple[Reply, str]:
        """Fetch an address in our turn; a busy engine is asked again after the rest it wants."""
        for attempt in range(TRIES):
            wait = self._next_at - time.monotonic()
            if wait > max(self.patience, self.delay):
                return Reply(url=url), self._tired(wait)
            await asyncio.sleep(max(0.0, wait))
            reply = await self.wire.get(url, headers, self.login)
            self._next_at = time.monotonic() + self.delay
            if reply.error:
                return reply, reply.error
            if reply.status not in _BUSY:
                bad = reply.status >= 400 and not self.dialect.nothing(reply)  # noqa: PLR2004
                return reply, self.dialect.fault(reply) if bad else ""
            self._refused = reply.status
            rest = self.dialect.rest(reply) or max(self.delay, 0.1) * 2 ** (attempt + 1)
            self._next_at = max(self._next_at, time.monotonic() + rest)
        return reply, self._tired(self._next_at - time.monotonic())

    def _tired(self, seconds: float) -> str:
        span = f"{seconds:,.0f} s" if seconds < 7_200 else f"{seconds / 3_600:,.0f} h"  # noqa: PLR2004
        why = "too many questions" if self._refused == _BUSY[0] else "it is busy"
        return (
            f"{why} ({self._refused}): it wants a rest of {span}; "
            "ask later, raise seek.delay, or name another engine in seek.search"
        )

    def _clean(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, "***") if secret else text
        return text
