"""Full-text index of pages in SQLite FTS5: any language, ranked, with query syntax escaped.

Scripts without spaces are split into pairs of characters, followed by the last character of a run alone: so a
word of two characters is one pair, a longer one is a phrase of pairs, and a single character is a prefix of a
pair.
"""

import re
import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.contracts import SearchQuery
from clew.domain.text import folded, printable, stem
from clew.errors import ConfigError
from clew.search.dialect import RawResult
from clew.search.queries import host_of

VERSION = 1
"""Stored in `PRAGMA user_version`; an index of another version is rebuilt."""

HEAD_CHARACTERS = 2_000
"""Characters of a page stored for snippets."""

MOST_RANKED = 2_000
"""Pages ordered by how well they match; to order all pages with a common word takes too long."""

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
_SELECT = """SELECT url, entries.title, head FROM words JOIN entries ON entries.id = words.rowid
    WHERE words MATCH ? {condition} ORDER BY bm25(words, 4.0, 1.0), entries.id LIMIT ?"""
_ROWS = "SELECT rowid FROM words WHERE words MATCH ?"
_ALL_ROWS = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"  # a third of the time of so many rows
_RANKED = f"{_ROWS} ORDER BY bm25(words, 4.0, 1.0), rowid LIMIT {MOST_RANKED}"
_COUNT = "SELECT count(*) FROM words JOIN entries ON entries.id = words.rowid WHERE words MATCH ? {condition}"


class IndexEntry(NamedTuple):
    """A page of the index: `key` is its id elsewhere, if it has one."""

    url: str
    title: str
    text: str
    lang: str = ""
    key: int | None = None


def segment(text: str) -> list[str]:
    """Split text into search terms: folded stems, and pairs of characters.

    >>> segment("Lighthouses of 東京湾 A")
    ['lighthou', 'of', '東京', '京湾', '湾', 'a']
    """
    found: list[str] = []
    for position, piece in enumerate(_UNSPACED.split(folded(text))):
        if position % 2 == 0:
            found += map(_full_stem, _WORD.findall(piece))
        else:
            found += (piece[i : i + 2] for i in range(len(piece) - 1))
            found.append(piece[-1])
    return found


@lru_cache(maxsize=65_536)
def _full_stem(word: str) -> str:
    """Stem repeatedly: "keepers", "keeper" and "keep" are one word here."""
    for _ in range(4):
        word = stem(word)
    return word


class Index:
    """An index in a file, or in memory when `path` is None."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None
        self._row_keys: NDArray[np.int64] = np.empty(0, np.int64)

    @property
    def db(self) -> sqlite3.Connection:
        """The database, opened on first use."""
        if self._db is None:
            self._db = _open_database(self.path)
        return self._db

    def __len__(self) -> int:
        (count,) = self.db.execute("SELECT count(*) FROM entries").fetchone()
        return int(count)

    def __bool__(self) -> bool:
        return True

    def keys(self) -> set[int]:
        """Return the keys of its pages."""
        return {key for (key,) in self.db.execute("SELECT key FROM entries WHERE key IS NOT NULL")}

    def add(self, entries: Iterable[IndexEntry]) -> int:
        """Add pages; a known URL is left unchanged. Return the number of new pages."""
        added = 0
        db = self.db
        db.execute("BEGIN IMMEDIATE")
        try:
            for entry in entries:
                row = (
                    entry.key,
                    entry.url,
                    urls.host(entry.url),
                    entry.title,
                    entry.lang,
                    entry.text[:HEAD_CHARACTERS],
                )
                cursor = db.execute(_INSERT, row)
                if cursor.rowcount:
                    words = (" ".join(segment(entry.title)), " ".join(segment(entry.text)))
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
        """Delete all entries."""
        self.db.executescript("DROP TABLE entries; DROP TABLE words;" + _SCHEMA)

    def matching_keys(self, text: str, *, ranked: bool = False) -> NDArray[np.int64]:
        """Return the keys of all pages that contain the words; with `ranked` the best of them, best first."""
        terms = _parse_terms(text)
        if not terms:
            return np.empty(0, np.int64)
        wanted = " AND ".join(terms)
        if ranked:
            rows = np.fromiter(chain.from_iterable(self.db.execute(_RANKED, (wanted,))), np.int64)
        else:
            (listed,) = self.db.execute(_ALL_ROWS, (wanted,)).fetchone()
            rows = np.fromstring(listed or "", np.int64, sep=",")
        (last,) = self.db.execute("SELECT ifnull(max(id), 0) FROM entries").fetchone()
        if len(self._row_keys) != last + 1:
            self._row_keys = np.zeros(last + 1, np.int64)
            for id, key in self.db.execute("SELECT id, key FROM entries WHERE key NOT NULL"):
                self._row_keys[id] = key
        return self._row_keys[rows]

    def find(self, query: SearchQuery, count: int, lang: str = "") -> tuple[list[RawResult], int, str]:
        """Return the best pages that contain all the words, their total number, and a note.

        If none contains them all and none is required (`also`), pages with some of them are returned.
        """
        terms, required = (
            _parse_terms(query.text),
            [term for each in query.also for term in _parse_terms(each)],
        )
        condition, parameters = _conditions(query.site, lang)
        if not terms and not required:
            return (
                self._list_site(condition, parameters, count)
                if query.site
                else ([], 0, "there is no word to look for")
            )
        wanted = " AND ".join([*terms, *required])
        (total,) = self.db.execute(_COUNT.format(condition=condition), (wanted, *parameters)).fetchone()
        note = ""
        if not total and not required and len(terms) > 1:
            wanted = " OR ".join(terms)
            (total,) = self.db.execute(_COUNT.format(condition=condition), (wanted, *parameters)).fetchone()
            note = "no page has all of the words; these have some of them" if total else ""
        rows = self.db.execute(_SELECT.format(condition=condition), (wanted, *parameters, count))
        terms_sought = [term.strip('"*').split(" ")[0].strip('"') for term in [*terms, *required]]
        return (
            [RawResult(url, title, _passage(head, terms_sought)) for url, title, head in rows],
            int(total),
            note,
        )

    def _list_site(
        self, condition: str, parameters: list[str], count: int
    ) -> tuple[list[RawResult], int, str]:
        where = f"FROM entries WHERE true {condition}"
        (total,) = self.db.execute(f"SELECT count(*) {where}", parameters).fetchone()
        rows = self.db.execute(f"SELECT url, title, head {where} ORDER BY id LIMIT ?", (*parameters, count))
        return [RawResult(url, title, _passage(head, [])) for url, title, head in rows], int(total), ""

    def close(self) -> None:
        """Close the database."""
        if self._db is not None:
            self._db.close()
            self._db = None


def _open_database(path: Path | None) -> sqlite3.Connection:
    """Open or create an index; an invalid file is replaced only if it is named search.db."""
    try:
        if path is not None:
            path.parent.mkdir(exist_ok=True)
        db = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=30.0, check_same_thread=False)
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if tables and version != VERSION:
            db.close()
            if path is None or path.name != "search.db":
                msg = f"{path} is not a search index of this clew; name a crawl instead: local=DIR"
                raise ConfigError(msg)
            path.unlink()
            return _open_database(path)
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


def _parse_terms(text: str) -> list[str]:
    """Return the quoted terms of a query; a phrase of the user is one term."""
    found = []
    for position, piece in enumerate(text.split('"')):
        if position % 2:
            if words := segment(piece):
                found.append(_format_phrase(words, piece))
            continue
        for word in piece.split():
            for part in _UNSPACED.split(folded(word)):
                found += [_format_phrase(words, part)] if (words := segment(part)) else []
    return list(dict.fromkeys(found))


def _format_phrase(words: list[str], text: str) -> str:
    """Format words as one phrase; a single character of an unspaced script becomes a prefix."""
    ends_unspaced = bool(_UNSPACED.fullmatch(folded(text).rstrip()[-1:]))
    if ends_unspaced and len(words) == 1:
        return f'"{words[0]}"*'
    return '"' + " ".join(words[:-1] if ends_unspaced else words) + '"'


def _conditions(site: str, lang: str) -> tuple[str, list[str]]:
    condition, parameters = "", []
    if site and (host := host_of(site)):
        condition += " AND (host = ? OR substr(host, -length(?)) = ?)"
        parameters += [host, f".{host}", f".{host}"]
    if lang:
        condition += " AND lang IN (?, '')"
        parameters.append(lang.partition("-")[0].lower())
    return condition, parameters


def _passage(head: str, terms_sought: list[str], width: int = 200) -> str:
    """Return the text around the first matching term."""
    low = head.lower()
    at = min((position for each in terms_sought if (position := low.find(each)) >= 0), default=0)
    start = max(0, at - width // 3)
    return ("…" if start else "") + printable(head[start : start + 3 * width], width)
