"""A local search engine: full-text search over the pages of a crawl, without the network."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from clew.config.folder_hints import no_crawl
from clew.contracts import SearchAnswer, SearchQuery
from clew.errors import ConfigError
from clew.search.http_engine import ResultCollector
from clew.search.index import Index, IndexEntry
from clew.search.queries import parse_query

_BATCH = 500
_IDS = """SELECT page FROM texts JOIN pages ON pages.id = page JOIN links ON links.id = page
    WHERE kind = 0 AND status BETWEEN 200 AND 299 AND duplicate_of IS NULL"""
_ROWS = """SELECT links.url, coalesce(pages.title, ''), texts.text, pages.lang, pages.id
    FROM pages JOIN links ON links.id = pages.id JOIN texts ON texts.page = pages.id
    WHERE pages.id IN ({placeholders})"""


class LocalEngine:
    """Answer queries from a local index; nothing leaves this computer."""

    def __init__(self, name: str, index: Index) -> None:
        self.name = name
        self.index = index

    async def search(self, query: SearchQuery | str, count: int, lang: str = "") -> SearchAnswer:
        """Return the best pages that contain all the words."""
        parsed, notes = parse_query(query)
        rows, total, note = self.index.find(parsed, count, lang)
        collector = ResultCollector(count)
        collector.add(rows)
        return SearchAnswer(
            results=tuple(collector.results), total=total, notes=(*notes, note) if note else notes
        )

    async def aclose(self) -> None:
        """Close the index."""
        self.index.close()


def open_local(name: str, path: Path) -> LocalEngine:
    """Open the updated index of a crawl (its folder or its database), or an index file."""
    path = path.expanduser()
    if path.is_file() and path.name != "crawl.db":
        return LocalEngine(name, _open_now(Index(path)))
    folder = path.parent if path.name == "crawl.db" else path
    if not (folder / "crawl.db").exists():
        raise no_crawl(folder, "crawl.db")
    return LocalEngine(name, index_of_crawl(folder))


def index_of_crawl(folder: Path) -> Index:
    """Return the index of a crawl, with all its current pages and without forgotten ones.

    It is stored as derived/search.db; where nothing can be written, it is built in memory.
    """
    with closing(_connect(folder / "crawl.db")) as crawl:
        try:
            wanted = {id for (id,) in crawl.execute(_IDS)}
            index = _open_now(Index(folder / "derived" / "search.db"))
        except sqlite3.Error as error:
            msg = f"{folder / 'crawl.db'} cannot be searched: {error}; see whether clew doctor {folder} helps"
            raise ConfigError(msg) from None
        except ConfigError:
            index = Index()
        known = index.keys()
        if known - wanted:  # pages were forgotten: their words must not stay
            index.clear()
            known = set()
        index.add(_entries(crawl, sorted(wanted - known)))
    return index


def _entries(crawl: sqlite3.Connection, ids: list[int]) -> Iterator[IndexEntry]:
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        placeholders = ", ".join("?" * len(batch))
        yield from (IndexEntry(*row) for row in crawl.execute(_ROWS.format(placeholders=placeholders), batch))


def _open_now(index: Index) -> Index:
    """Open an index now, so that errors are raised at once."""
    len(index)
    return index


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=30.0)
