"""Labels on pages and rules for hosts: durable before the call returns, from any process."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from clew.store.database import open_for_labels, store_errors
from clew.store.folder import DATABASE
from clew.types import Label, Rule

_LABEL = """INSERT INTO labels (url, good, at)
SELECT ?, ?, max(?, ifnull((SELECT max(at) FROM labels) + 1e-6, 0))"""


def add_label(folder: Path, label: Label) -> None:
    """Write a label to the disk; a crawl running in this folder applies it within a second."""
    add_labels(folder, [label])


def add_labels(folder: Path, labels: Sequence[Label]) -> None:
    """Write labels to the disk, all of them or none.

    The times of labels never go back, whatever the clocks of their writers say: otherwise a reader
    that reads everything since the last label it saw could miss some.
    """
    with closing(open_for_labels(folder)) as db, store_errors(folder / DATABASE):
        db.execute("BEGIN IMMEDIATE")
        db.executemany(_LABEL, [(label.url, int(label.relevant), label.at) for label in labels])
        db.execute("COMMIT")


def drop_labels(folder: Path, urls: Iterable[str]) -> int:
    """Delete all labels on these URLs; return how many were deleted."""
    with closing(open_for_labels(folder)) as db, store_errors(folder / DATABASE):
        db.execute("BEGIN IMMEDIATE")
        gone = db.executemany("DELETE FROM labels WHERE url = ?", [(url,) for url in urls]).rowcount
        db.execute("COMMIT")
    return gone


def read_labels(db: sqlite3.Connection, since: float) -> list[Label]:
    """Return the labels given after `since`, oldest first."""
    rows = db.execute("SELECT url, good, at FROM labels WHERE at > ? ORDER BY at, id", (since,))
    return [Label(url, bool(good), at) for url, good, at in rows]


def label_stamp(db: sqlite3.Connection) -> tuple[int, float]:
    """Return two numbers that change whenever a label is added or removed: cheap enough for polling."""
    stamp: tuple[int, float] = db.execute("SELECT count(*), ifnull(max(at), 0.0) FROM labels").fetchone()
    return stamp


def add_rule(folder: Path, rule: Rule) -> None:
    """Write a rule to the disk; a crawl running in this folder applies it within a second."""
    add_rules(folder, [rule])


def add_rules(folder: Path, rules: Sequence[Rule]) -> None:
    """Write rules to the disk, all of them or none."""
    with closing(open_for_labels(folder)) as db, store_errors(folder / DATABASE):
        db.execute("BEGIN IMMEDIATE")
        rows = [(rule.host, rule.verb, rule.at) for rule in rules]
        db.executemany("INSERT INTO rules (host, kind, at) VALUES (?, ?, ?)", rows)
        db.execute("COMMIT")


def read_rules(db: sqlite3.Connection, after: int = 0) -> list[Rule]:
    """Return the rules with ids above `after`, oldest first."""
    rows = db.execute("SELECT host, kind, at, id FROM rules WHERE id > ? ORDER BY id", (after,))
    return [Rule(host, verb, at, id) for host, verb, at, id in rows]
