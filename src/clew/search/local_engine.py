"""A search engine of one's own: pages of a crawl, found by their words, without the network."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from clew.config.folder_hints import no_crawl
from clew.contracts import SearchAnswer, SearchQuery
from clew.errors import ConfigError
from clew.search.http_engine import Gathering
from clew.search.index import Index, IndexEntry
from clew.search.queries import understood

_BATCH = 500
_IDS = """SELECT page FROM texts JOIN pages ON pages.id = page JOIN links ON links.id = page
    WHERE kind = 0 AND status BETWEEN 200 AND 299 AND duplicate_of IS NULL"""
_ROWS = """SELECT links.url, coalesce(pages.title, ''), texts.text, pages.lang, pages.id
    FROM pages JOIN links ON links.id = pages.id JOIN texts ON texts.page = pages.id
    WHERE pages.id IN ({marks})"""


class LocalEngine:
    """Answer from an index; nothing leaves this computer."""

    def __init__(self, name: str, index: Index) -> None:
        self.name = name
        self.index = index

    async def search(self, query: SearchQuery | str, count: int, lang: str = "") -> SearchAnswer:
        """Return the best pages that have all the words."""
        asked, notes = understood(query)
        rows, total, note = self.index.find(asked, count, lang)
        got = Gathering(count)
        got.take(rows)
        return SearchAnswer(results=tuple(got.results), total=total, notes=(*notes, note) if note else notes)

    async def aclose(self) -> None:
        """Close the index."""
        self.index.close()


def open_local(name: str, path: Path) -> LocalEngine:
    """Open the index of a crawl (its folder or its database), brought up to date; or an index by itself."""
    path = path.expanduser()
    if path.is_file() and path.name != "crawl.db":
        return LocalEngine(name, _checked(Index(path)))
    folder = path.parent if path.name == "crawl.db" else path
    if not (folder / "crawl.db").exists():
        raise no_crawl(folder, "crawl.db")
    return LocalEngine(name, index_of_crawl(folder))


def index_of_crawl(folder: Path) -> Index:
    """Return the index of a crawl, with every page that it has read by now and none that it forgot.

    It is kept as derived/search.db; where nothing can be written, it is made in memory.
    """
    with closing(_reader(folder / "crawl.db")) as crawl:
        try:
            wanted = {id for (id,) in crawl.execute(_IDS)}
            index = _checked(Index(folder / "derived" / "search.db"))
        except sqlite3.Error as error:
            msg = f"{folder / 'crawl.db'} cannot be searched: {error}; see whether clew doctor {folder} helps"
            raise ConfigError(msg) from None
        except ConfigError:
            index = Index()
        known = index.keys()
        if known - wanted:  # something was forgotten: its words must not stay
            index.clear()
            known = set()
        index.add(_entries(crawl, sorted(wanted - known)))
    return index


def _entries(crawl: sqlite3.Connection, ids: list[int]) -> Iterator[IndexEntry]:
    for start in range(0, len(ids), _BATCH):
        some = ids[start : start + _BATCH]
        marks = ", ".join("?" * len(some))
        yield from (IndexEntry(*row) for row in crawl.execute(_ROWS.format(marks=marks), some))


def _checked(index: Index) -> Index:
    """Open an index now, so that what is wrong with it is said at once."""
    len(index)
    return index


def _reader(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=30.0)
