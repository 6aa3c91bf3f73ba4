"""The links of a crawl, counted in few passes: by host and state, by score, and the best open ones."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.store.reading import StoredTable, read_sql
from clew.store.schema import IS_FAILURE

BINS = 20
"""Bins of the histogram of scores."""

BEST = 200
"""Open links that are listed."""

_HOSTS = """SELECT hosts.origin AS host, hosts.next_at AS next_at, hosts.robots_status AS robots,
    total(state = 0) AS open, total(state = 3) AS refused
FROM links JOIN hosts ON hosts.id = links.host WHERE kind = 0 GROUP BY links.host"""
_FAILED = f"""SELECT hosts.origin, count(*) FROM pages JOIN links USING (id)
JOIN hosts ON hosts.id = links.host WHERE {IS_FAILURE} GROUP BY links.host"""  # noqa: S608 - ours
_SCORES = """SELECT min(?1 - 1, CAST(score * ?1 AS INTEGER)), count(*) FROM links
WHERE state = 0 AND kind = 0 GROUP BY 1"""
_BEST = """SELECT id, url, score, coalesce(anchor, '') AS anchor, depth, tries, coalesce(reason, '') AS reason
FROM links WHERE state = 0 AND kind = 0 ORDER BY score DESC, id LIMIT ?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCounts:
    """`hosts` has a row for each origin with page links; `scores` counts open links by their first score."""

    hosts: tuple[dict[str, Any], ...] = ()
    scores: tuple[int, ...] = (0,) * BINS
    best: tuple[dict[str, Any], ...] = ()


def read_link_counts(folder: Path) -> LinkCounts:
    """Count all links; a few passes, some seconds for ten millions."""
    scores = [0] * BINS
    for place, count in read_sql(folder, _SCORES, BINS):
        scores[max(0, place)] += count
    failed = dict(read_sql(folder, _FAILED))
    hosts = [
        {
            **row,
            "open": int(row["open"]),
            "refused": int(row["refused"]),
            "failed": failed.get(row["host"], 0),
        }
        for row in StoredTable(folder, query=_HOSTS)
    ]
    best = tuple(StoredTable(folder, query=_BEST, parameters=(BEST,)))
    return LinkCounts(hosts=tuple(hosts), scores=tuple(scores), best=best)
