"""Words of pages in SQLite's full-text search: any language, ranked, and questions are never its syntax.

Scripts without blanks are cut into pairs of characters, with the last character of a run alone behind them:
so a word of two is one pair, a longer one pairs in a row, and a single character the beginning of some pair.
"""

import re
import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from clew import urls
from clew.contracts import SearchQuery
from clew.domain.text import folded, printable, stem
from clew.errors import ConfigError
from clew.search.dialect import RawResult
from clew.search.queries import host_of

VERSION = 1
"""Kept in `PRAGMA user_version`; an index of another version is made anew."""

KEPT = 2_000
"""Characters of a page kept to show a passage of."""

_UNSPACED = re.compile(
    r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)"
)
_WORD = re.compile(r"[^\W_]+")
_SCHEMA = """
CREATE TABLE entries (id INTEGER PRIMARY KEY, key INTEGER UNIQUE, url TEXT NOT NULL UNIQUE,
    host TEXT NOT NULL, title TEXT NOT NULL, lang TEXT NOT NULL, head TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (title, text, content='', detail=full,
    tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M*'");
"""
_INSERT = "INSERT OR IGNORE INTO entries (key, url, host, title, lang, head) VALUES (?, ?, ?, ?, ?, ?)"
_FOUND = """SELECT url, entries.title, head FROM words JOIN entries ON entries.id = words.rowid
    WHERE words MATCH ? {more} ORDER BY bm25(words, 4.0, 1.0), entries.id LIMIT ?"""
_COUNTED = "SELECT count(*) FROM words JOIN entries ON entries.id = words.rowid WHERE words MATCH ? {more}"


class IndexEntry(NamedTuple):
    """A page to be found: `key` is its number elsewhere, if it has one."""

    url: str
    title: str
    text: str
    lang: str = ""
    key: int | None = None


def segmented(text: str) -> list[str]:
    """Cut text into what is searched for: folded stems, and pairs of characters.

    >>> segmented("Lighthouses of 東京湾 A")
    ['lighthou', 'of', '東京', '京湾', '湾', 'a']
    """
    found: list[str] = []
    for place, piece in enumerate(_UNSPACED.split(folded(text))):
        if place % 2 == 0:
            found += map(_root, _WORD.findall(piece))
        else:
            found += (piece[i : i + 2] for i in range(len(piece) - 1))
            found.append(piece[-1])
    return found


@lru_cache(maxsize=65_536)
def _root(word: str) -> str:
    """Cut endings off again and again: "keepers", "keeper" and "keep" are one word here."""
    for _ in range(4):
        word = stem(word)
    return word


class Index:
    """An index in a file, or in memory when `path` is None."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None

    @property
    def db(self) -> sqlite3.Connection:
        """The database, opened when it is first needed."""
        if self._db is None:
            self._db = _opened(self.path)
        return self._db

    def __len__(self) -> int:
        (count,) = self.db.execute("SELECT count(*) FROM entries").fetchone()
        return int(count)

    def __bool__(self) -> bool:
        return True

    def keys(self) -> set[int]:
        """Return the numbers of the pages that are in it."""
        return {key for (key,) in self.db.execute("SELECT key FROM entries WHERE key IS NOT NULL")}

    def add(self, entries: Iterable[IndexEntry]) -> int:
        """Add pages; an address that is known already stays as it was. Return how many were new."""
        added = 0
        db = self.db
        db.execute("BEGIN IMMEDIATE")
        try:
            for entry in entries:
                row = (entry.key, entry.url, urls.host(entry.url), entry.title, entry.lang, entry.text[:KEPT])
                cursor = db.execute(_INSERT, row)
                if cursor.rowcount:
                    words = (" ".join(segmented(entry.title)), " ".join(segmented(entry.text)))
                    db.execute(
                        "INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", (cursor.lastrowid, *words)
                    )
                    added += 1
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise
        return added

    def clear(self) -> None:
        """Throw everything out."""
        self.db.executescript("DROP TABLE entries; DROP TABLE words;" + _SCHEMA)

    def find(self, query: SearchQuery, count: int, lang: str = "") -> tuple[list[RawResult], int, str]:
        """Return the best pages that have all the words, how many there are, and a note.

        When none has them all and nobody insisted (`also`), pages with some of them are returned.
        """
        terms, must = _terms(query.text), [term for each in query.also for term in _terms(each)]
        more, given = _conditions(query.site, lang)
        if not terms and not must:
            return self._listed(more, given, count) if query.site else ([], 0, "there is no word to look for")
        wanted = " AND ".join([*terms, *must])
        (total,) = self.db.execute(_COUNTED.format(more=more), (wanted, *given)).fetchone()
        note = ""
        if not total and not must and len(terms) > 1:
            wanted = " OR ".join(terms)
            (total,) = self.db.execute(_COUNTED.format(more=more), (wanted, *given)).fetchone()
            note = "no page has all of the words; these have some of them" if total else ""
        rows = self.db.execute(_FOUND.format(more=more), (wanted, *given, count))
        sought = [term.strip('"*').split(" ")[0].strip('"') for term in [*terms, *must]]
        return [RawResult(url, title, _passage(head, sought)) for url, title, head in rows], int(total), note

    def _listed(self, more: str, given: list[str], count: int) -> tuple[list[RawResult], int, str]:
        where = f"FROM entries WHERE true {more}"
        (total,) = self.db.execute(f"SELECT count(*) {where}", given).fetchone()
        rows = self.db.execute(f"SELECT url, title, head {where} ORDER BY id LIMIT ?", (*given, count))
        return [RawResult(url, title, _passage(head, [])) for url, title, head in rows], int(total), ""

    def close(self) -> None:
        """Close the database."""
        if self._db is not None:
            self._db.close()
            self._db = None


def _opened(path: Path | None) -> sqlite3.Connection:
    """Open an index or make one; what is no index of ours is made anew only where we made it."""
    try:
        if path is not None:
            path.parent.mkdir(exist_ok=True)
        db = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=30.0, check_same_thread=False)
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if tables and version != VERSION:
            db.close()
            if path is None or path.name != "search.db":
                msg = f"{path} is no search index of this clew; name a crawl instead: local=DIR"
                raise ConfigError(msg)
            path.unlink()
            return _opened(path)
        if not tables:
            db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {VERSION}; COMMIT")
    except sqlite3.DatabaseError as error:
        if "fts5" in str(error):
            msg = "this Python's SQLite has no full-text search (FTS5); install one that has"
        else:
            msg = f"{path} cannot be used as a search index ({error}); delete it, and it is made anew"
        raise ConfigError(msg) from None
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; give yourself access to it"
        raise ConfigError(msg) from None
    return db


def _terms(text: str) -> list[str]:
    """Return what must be found, each in quotation marks: a phrase of the person's is one term."""
    found = []
    for place, piece in enumerate(text.split('"')):
        if place % 2:
            if words := segmented(piece):
                found.append(_phrase(words, piece))
            continue
        for word in piece.split():
            for part in _UNSPACED.split(folded(word)):
                found += [_phrase(words, part)] if (words := segmented(part)) else []
    return list(dict.fromkeys(found))


def _phrase(words: list[str], said: str) -> str:
    """Write words in a row as one term; the last character of an unspaced run stands for what follows it."""
    ends_unspaced = bool(_UNSPACED.fullmatch(folded(said).rstrip()[-1:]))
    if ends_unspaced and len(words) == 1:
        return f'"{words[0]}"*'
    return '"' + " ".join(words[:-1] if ends_unspaced else words) + '"'


def _conditions(site: str, lang: str) -> tuple[str, list[str]]:
    more, given = "", []
    if site and (host := host_of(site)):
        more += " AND (host = ? OR substr(host, -length(?)) = ?)"
        given += [host, f".{host}", f".{host}"]
    if lang:
        more += " AND lang IN (?, '')"
        given.append(lang.partition("-")[0].lower())
    return more, given


def _passage(head: str, sought: list[str], width: int = 200) -> str:
    """Return the words around the first that was sought."""
    low = head.lower()
    at = min((place for each in sought if (place := low.find(each)) >= 0), default=0)
    start = max(0, at - width // 3)
    return ("…" if start else "") + printable(head[start : start + 3 * width], width)
