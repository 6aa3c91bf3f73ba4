"""What a search engine takes and returns, and its Protocol."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What a search engine is asked: a person's words, more words that must stand on the page, a site.

    `also` is what re-seeding adds to the topic (`K AND word`); each engine writes it in its own syntax.
    """

    text: str
    also: tuple[str, ...] = ()
    site: str = ""

    def __str__(self) -> str:
        words = [f'"{word}"' if " " in word else word for word in self.also]
        said = " AND ".join([self.text, *words] if self.text else words)
        return f"{said} site:{self.site}".strip() if self.site else said


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """One address that an engine named, canonical; `rank` 1 is its best."""

    url: str
    title: str = ""
    snippet: str = ""
    rank: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What an engine said. `total` is how many results it claims to know, None when it does not say.

    `error` says in words why there are no (or no more) results, and what to do; it is empty when all is
    well. Results that came before the fault are kept. `notes` tell what was left out.
    """

    results: tuple[SearchResult, ...] = ()
    total: int | None = None
    error: str = ""
    notes: tuple[str, ...] = ()


@runtime_checkable
class SearchEngine(Protocol):
    """Name addresses for words. The faults of an engine are values: `SearchAnswer.error`.

    `name` is how a person calls it in `seek.search`; it is safe to show and to store, and carries no key.
    """

    @property
    def name(self) -> str: ...

    async def search(self, query: SearchQuery | str, count: int, lang: str = "") -> SearchAnswer: ...

    async def aclose(self) -> None: ...
