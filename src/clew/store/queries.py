"""Named queries of engine and services; each opens a connection of its own, so any thread may call them."""

import json
from collections.abc import Sequence
from pathlib import Path

from clew.contracts import HostStats
from clew.store.reading import read_sql

_FACTS = "SELECT key, value FROM meta WHERE key IN (SELECT value FROM json_each(?))"
_HOSTS = """SELECT origin, count(verdict), total(verdict), total(verdict * verdict), total(verdict >= ?)
FROM hosts JOIN links ON links.host = hosts.id LEFT JOIN pages ON pages.id = links.id
WHERE links.kind = 0 AND links.state < 3 GROUP BY hosts.id"""
_REDIRECTED_SEEDS = "SELECT url FROM links WHERE kind = 0 AND depth = 0 AND hops > 0"
_SEED_LINKS = """WITH alike (parent, most) AS (
    SELECT parent, max(n) FROM (
        SELECT parent, count(*) AS n FROM links WHERE depth BETWEEN 1 AND ?1 AND hops = 0
        GROUP BY parent, path
    ) GROUP BY parent
)
SELECT id, depth, most FROM links JOIN alike USING (parent)
WHERE kind = 0 AND state = 0 AND depth BETWEEN 1 AND ?1 AND hops = 0 ORDER BY id"""
_LABELLED = "SELECT url, verdict >= 0.5 FROM pages JOIN links USING (id) WHERE why = ?"
_SETTINGS = "SELECT settings FROM runs ORDER BY id DESC LIMIT 1"


def read_facts(folder: Path, keys: Sequence[str]) -> dict[str, str]:
    """Return the facts stored under these keys; missing ones are left out."""
    return dict(read_sql(folder, _FACTS, json.dumps(list(keys))))


def read_host_stats(folder: Path, keep: float) -> list[HostStats]:
    """Return for each origin that has open or fetched pages how its pages were judged.

    Counted are the verdicts from `keep` on.
    """
    rows = read_sql(folder, _HOSTS, keep)
    return [(origin, pages, total, squares, kept) for origin, pages, total, squares, kept in rows]


def read_redirected_seeds(folder: Path) -> list[str]:
    """Return the URLs that seeds redirect to."""
    return [url for (url,) in read_sql(folder, _REDIRECTED_SEEDS)]


def read_seed_links(folder: Path, depth: int) -> list[tuple[int, int, int]]:
    """Return the open links up to a depth, with depth and the most links of their page that stand alike."""
    return [(id, depth, most) for id, depth, most in read_sql(folder, _SEED_LINKS, depth)]


def read_labelled_verdicts(folder: Path, why: str) -> dict[str, bool]:
    """Return pages whose verdict has this reason, by URL, and whether the verdict is positive."""
    return {url: bool(positive) for url, positive in read_sql(folder, _LABELLED, why)}


def read_last_settings(folder: Path) -> str | None:
    """Return the configuration of the last run as JSON; None before the first run."""
    rows = read_sql(folder, _SETTINGS)
    return rows[0][0] if rows else None
