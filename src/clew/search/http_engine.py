"""A search engine behind HTTP: fetches result pages until there are enough; errors are values."""

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
from clew.search.queries import parse_query

MAX_ROWS = 1_000
"""Maximum rows read of one page of results: no real engine sends more."""

MAX_WAIT = 30.0
"""Maximum seconds to wait for a busy engine; with longer waits the query fails."""

MAX_TRIES = 3
"""Maximum requests for one page of results while the engine is busy."""

_BUSY_STATUSES = (429, 503)


class ResultCollector:
    """Collect results: canonical URLs, each once, with a limit per site.

    A site is a registered domain: subdomains are free to create. `per_site` is 0 for no limit.
    """

    def __init__(self, count: int, per_site: int = 0) -> None:
        self.count = count
        self.per_site = per_site
        self.results: list[SearchResult] = []
        self.rows = 0
        self.invalid = 0
        self.over_limit: Counter[str] = Counter()
        self._seen: set[int] = set()
        self._sites: Counter[str] = Counter()
        self._canon = urls.Canon()

    @property
    def is_full(self) -> bool:
        """Whether there are enough results."""
        return len(self.results) >= self.count

    def add(self, rows: Iterable[RawResult]) -> int:
        """Add rows; return the number of new URLs."""
        new_urls = 0
        for row in rows:
            self.rows += 1
            url = self._canon(row.url.strip())
            if not url:
                self.invalid += 1
                continue
            name = urls.fingerprint(url)
            if name in self._seen:
                continue
            self._seen.add(name)
            new_urls += 1
            site = urls.site(urls.host(url))
            if self.per_site and self._sites[site] >= self.per_site:
                self.over_limit[site] += 1
            elif not self.is_full:
                self._sites[site] += 1
                self.results.append(
                    SearchResult(url=url, title=row.title, snippet=row.snippet, rank=len(self.results) + 1)
                )
        return new_urls

    def notes(self) -> tuple[str, ...]:
        """Describe what was left out."""
        notes = []
        if self.over_limit:
            ((site, _),) = self.over_limit.most_common(1)
            retry_after = len(self.over_limit) - 1
            others = f" and {retry_after} other site{'s' * (retry_after != 1)}" if retry_after else ""
            notes.append(
                f"left out {sum(self.over_limit.values()):,} more results of {printable(site, 60)}{others}: "
                f"at most {self.per_site} of one site are taken"
            )
        if self.invalid:
            notes.append(f"left out {self.invalid:,} that are not web addresses")
        return tuple(notes)


@dataclass(slots=True, kw_only=True)
class HttpEngine:
    """Query one engine in its dialect, with `delay` seconds between two requests.

    `secrets` are keys that must never appear in messages.
    """

    name: str
    dialect: Dialect
    client: HttpClient
    delay: float = 1.0
    max_wait: float = MAX_WAIT
    login: str = field(default="", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _next_at: float = 0.0
    _ready: bool = False
    _busy_status: int = 429

    async def search(self, query: SearchQuery | str, count: int, lang: str = "") -> SearchAnswer:
        """Request pages until there are `count` results; errors of the engine are returned, not raised."""
        parsed, notes = parse_query(query)
        if not (parsed.text or parsed.also or parsed.site):
            return SearchAnswer(
                error=f"{self.dialect.kind}: there is nothing to search for; give at least a word"
            )
        if refusal := self.dialect.refusal(parsed):
            return SearchAnswer(error=f"{self.dialect.kind}: {refusal}", notes=notes)
        limit_per_site = self.dialect.limit_per_site and not parsed.site
        collector = ResultCollector(count, max(3, count // 5) if limit_per_site else 0)
        total, error = None, ""
        async with self._lock:
            for page in range(self.dialect.pages):
                ask = EngineRequest(query=parsed, lang=lang, count=count, page=page, seen=collector.rows)
                result_page = await self._fetch_page(ask)
                total, error = result_page.total if total is None else total, result_page.error
                rows = result_page.rows[:MAX_ROWS]
                if len(rows) < len(result_page.rows):
                    notes += (f"of {len(result_page.rows):,} rows at once the first {MAX_ROWS:,} were read",)
                notes += (result_page.note,) if result_page.note else ()
                if not collector.add(rows) or collector.is_full or error or not result_page.more:
                    break
        message = self._redact(f"{self.dialect.kind}: {error}") if error else ""
        return SearchAnswer(
            results=tuple(collector.results), total=total, error=message, notes=notes + collector.notes()
        )

    async def aclose(self) -> None:
        """Close the connection."""
        await self.client.aclose()

    async def _fetch_page(self, ask: EngineRequest) -> ResultPage:
        """Fetch one page of results, and before the first one the setup URL of the dialect."""
        if not self._ready and (first := self.dialect.setup_url()):
            reply, error = await self._get(first, {})
            if error := error or self.dialect.load_setup(reply):
                return ResultPage(error=error)
            if refusal := self.dialect.refusal(ask.query):
                return ResultPage(error=refusal)
        self._ready = True
        reply, error = await self._get(*self.dialect.request(ask))
        return ResultPage(error=error) if error else self.dialect.read(reply)

    async def _get(self, url: str, headers: dict[str, str]) -> tuple[Reply, str]:
        """Fetch a URL after the delay; retry a busy engine after the wait it asks for."""
        for attempt in range(MAX_TRIES):
            wait = self._next_at - time.monotonic()
            if wait > max(self.max_wait, self.delay):
                return Reply(url=url), self._busy_message(wait)
            await asyncio.sleep(max(0.0, wait))
            reply = await self.client.get(url, headers, self.login)
            self._next_at = time.monotonic() + self.delay
            if reply.error:
                return reply, reply.error
            if reply.status not in _BUSY_STATUSES:
                bad = reply.status >= 400 and not self.dialect.is_empty_result(reply)  # noqa: PLR2004
                return reply, self.dialect.describe_error(reply) if bad else ""
            self._busy_status = reply.status
            retry_after = self.dialect.retry_after(reply) or max(self.delay, 0.1) * 2 ** (attempt + 1)
            self._next_at = max(self._next_at, time.monotonic() + retry_after)
        return reply, self._busy_message(self._next_at - time.monotonic())

    def _busy_message(self, seconds: float) -> str:
        span = f"{seconds:,.0f} s" if seconds < 7_200 else f"{seconds / 3_600:,.0f} h"  # noqa: PLR2004
        why = "too many questions" if self._busy_status == _BUSY_STATUSES[0] else "it is busy"
        return (
            f"{why} ({self._busy_status}): it wants a rest of {span}; "
            "ask later, raise seek.delay, or name another engine in seek.search"
        )

    def _redact(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, "***") if secret else text
        return text
