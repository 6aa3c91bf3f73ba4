"""How far an export has come, in a file beside the shards: what a killed export left is continued."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

NAME = ".progress.db"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS progress (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS planned (host INTEGER, page INTEGER, PRIMARY KEY (host, page)) WITHOUT ROWID;
"""


class ProgressFile:
    """Where the export is (host and page), its shards, what was counted, and the index of duplicates.

    All of it is committed together after each shard; a killed export goes back to the last commit.
    """

    def __init__(self, folder: Path) -> None:
        self.db = sqlite3.connect(folder / NAME)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.executescript(_SCHEMA)
        stored = dict(self.db.execute("SELECT name, value FROM progress"))
        self.options: str = stored.get("options", "")
        self.place: tuple[int, int] = tuple(json.loads(stored.get("place", "[-1, -1]")))
        self.shards: list[str] = json.loads(stored.get("shards", "[]"))
        self.done = stored.get("done") == "1"
        self.is_planned = bool(stored)
        self.counts: dict[str, Counter[str]] = {
            name: Counter(counts) for name, counts in json.loads(stored.get("counts", "{}")).items()
        }

    def plan(self, pages: Iterable[tuple[int, int]]) -> None:
        """Remember which pages are to be written, as pairs of host and page."""
        self.db.executemany("INSERT OR IGNORE INTO planned VALUES (?, ?)", pages)
        self.commit()
        self.is_planned = True

    def hosts(self) -> list[int]:
        """Return the hosts that are not finished."""
        statement = "SELECT DISTINCT host FROM planned WHERE host >= ? ORDER BY host"
        return [host for (host,) in self.db.execute(statement, self.place[:1])]

    def pages(self, host: int, after: int = -1) -> list[int]:
        """Return the next pages of a host, up to a hundred."""
        statement = "SELECT page FROM planned WHERE host = ? AND page > ? ORDER BY page LIMIT 100"
        return [page for (page,) in self.db.execute(statement, (host, after))]

    @property
    def total(self) -> int:
        (count,) = self.db.execute("SELECT count(*) FROM planned").fetchone()
        return int(count)

    def count(self, table: str, name: str, more: int = 1) -> None:
        """Count something, such as a page of a language."""
        self.counts.setdefault(table, Counter())[name] += more

    def commit(self, *, done: bool = False) -> None:
        """Bring everything to the disk."""
        values: Mapping[str, str] = {
            "options": self.options,
            "place": json.dumps(self.place),
            "shards": json.dumps(self.shards),
            "counts": json.dumps(self.counts),
            "done": str(int(done)),
        }
        self.db.executemany("INSERT OR REPLACE INTO progress VALUES (?, ?)", values.items())
        self.db.commit()
        self.done = done

    def close(self) -> None:
        self.db.rollback()
        self.db.close()
