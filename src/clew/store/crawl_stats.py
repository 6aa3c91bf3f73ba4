"""Counts over a stored crawl, for summaries and plans; each is read anew, also while the crawl runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clew.errors import ConfigError
from clew.store.folder import DATABASE, PAGES
from clew.store.reading import StoredTable, read_sql
from clew.store.schema import IS_FAILURE, IS_PAGE
from clew.store.table import COLUMNS
from clew.types import Kind, Rule, State

_PAGES = f"""
SELECT count(*) FILTER (WHERE {IS_PAGE}), count(*) FILTER (WHERE {IS_FAILURE}), total(relevant),
       ifnull(avg(seconds), 0)
FROM pages JOIN links USING (id) WHERE kind = 0"""  # noqa: S608 - ours
_HOSTS_AND_LINKS = """
SELECT (SELECT count(DISTINCT host) FROM links WHERE kind = 0 AND state = 1),
       (SELECT count(*) FROM links WHERE kind = 0 AND state = 0)"""
_FAILURES = """
SELECT coalesce(nullif(reason, ''), 'HTTP ' || status) AS cause, count(*) AS n, min(url)
FROM links LEFT JOIN pages USING (id)
WHERE kind = 0 AND (state >= 2 OR status >= 400)
  AND ifnull(reason, '') NOT GLOB '* of shard *'
GROUP BY cause ORDER BY n DESC LIMIT ?"""
_BY_ORIGIN = """
SELECT origin, count(*) FROM links JOIN hosts ON hosts.id = links.host
WHERE kind = ? AND state IN (?, ?) GROUP BY origin"""
_ROBOTS = """
SELECT origin, robots_status, ifnull(robots_text, ''), robots_at FROM hosts WHERE robots_status IS NOT NULL"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCounts:
    """Pages that were read, links to pages that brought none, relevant pages; the mean response time."""

    pages: int
    failed: int
    relevant: int
    seconds: float


def has_links(folder: Path) -> bool:
    """Return whether there is a database with links in it."""
    try:
        return (folder / DATABASE).exists() and bool(read_sql(folder, "SELECT 1 FROM links LIMIT 1"))
    except ConfigError:  # created, but still empty
        return False


def count_pages(folder: Path) -> PageCounts:
    """Count the fetched pages."""
    ((pages, failed, relevant, seconds),) = read_sql(folder, _PAGES)
    return PageCounts(pages=pages, failed=failed, relevant=int(relevant), seconds=seconds)


def count_hosts_and_open(folder: Path) -> tuple[int, int]:
    """Return the number of hosts with fetched pages, and of open page links."""
    ((hosts, open_links),) = read_sql(folder, _HOSTS_AND_LINKS)
    return hosts, open_links


def count_new_rows(folder: Path) -> int | None:
    """Count the rows of the growing table without the user's own; None if the crawl has no table."""
    if not read_sql(folder, "SELECT 1 FROM meta WHERE key = ?", COLUMNS):
        return None
    ((rows,),) = read_sql(folder, "SELECT count(*) FROM table_rows WHERE NOT given")
    return int(rows)


def read_failures(folder: Path, most: int) -> list[tuple[str, int, str]]:
    """Return the most frequent reasons why pages were not fetched: reason, count, one URL."""
    return [(cause, count, url) for cause, count, url in read_sql(folder, _FAILURES, most)]


def count_by_origin(folder: Path) -> dict[str, int]:
    """Count the pages of each origin that were fetched or failed."""
    states = (State.DONE.value, State.FAILED.value)
    return dict(read_sql(folder, _BY_ORIGIN, Kind.PAGE.value, *states))


def read_fetched_sitemaps(folder: Path) -> list[str]:
    """Return the URLs of sitemaps that are not open any more."""
    query = "SELECT url FROM links WHERE kind = ? AND state <> ?"
    return [url for (url,) in read_sql(folder, query, Kind.SITEMAP.value, State.OPEN.value)]


def read_all_rules(folder: Path) -> list[Rule]:
    """Return the user's rules on hosts and URLs, oldest first."""
    rows = read_sql(folder, "SELECT host, kind, at, id FROM rules ORDER BY id")
    return [Rule(host, verb, at, id) for host, verb, at, id in rows]


def read_robots_files(folder: Path) -> Iterator[tuple[str, int, str, float]]:
    """Yield origin, status, text and fetch time of every stored robots.txt."""
    for row in StoredTable(folder, query=_ROBOTS):
        origin, status, text, at = row.values()
        yield origin, status, text, at


def read_open_urls(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield URL and depth of every open page link."""
    query = "SELECT url, depth FROM links WHERE kind = ? AND state = ?"
    for row in StoredTable(folder, query=query, parameters=(Kind.PAGE.value, State.OPEN.value)):
        yield row["url"], row["depth"]


def read_known_urls(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield URL and state of every link to a page."""
    for row in StoredTable(folder, query="SELECT url, state FROM links WHERE kind = 0"):
        yield row["url"], row["state"]


def read_url_hashes(folder: Path) -> set[int]:
    """Return the 64-bit hashes of all known URLs."""
    return {hash & 0xFFFF_FFFF_FFFF_FFFF for (hash,) in read_sql(folder, "SELECT hash FROM links")}


def count_pages_since(folder: Path, since: float) -> tuple[int, float]:
    """Return the number of pages read since a time, and the time of the newest."""
    query = f"""SELECT count(*) FILTER (WHERE {IS_PAGE} AND fetched_at >= ?), ifnull(max(fetched_at), 0)
        FROM pages JOIN links USING (id)"""  # noqa: S608 - ours
    ((count, newest),) = read_sql(folder, query, since)
    return int(count), float(newest)


def recent_share(folder: Path, most: int) -> float:
    """Return the share of relevant pages among the last ones judged; 0 without any."""
    last = last_judged(folder, most)
    return sum(relevant for _, relevant in last) / len(last) if last else 0.0


def last_judged(folder: Path, most: int) -> list[tuple[float, int]]:
    """Return of the last pages judged, newest first, when they were fetched and whether they are relevant."""
    query = """SELECT fetched_at, relevant FROM pages WHERE verdict IS NOT NULL
        ORDER BY fetched_at DESC LIMIT ?"""
    return [(at, relevant) for at, relevant in read_sql(folder, query, most)]


def count_verdicts(folder: Path, bins: int) -> list[int]:
    """Count the judged pages by verdict, in bins of equal width from low to high."""
    query = "SELECT min(?1 - 1, CAST(verdict * ?1 AS INTEGER)), count(*) FROM pages WHERE verdict IS NOT NULL"
    counts = [0] * bins
    for place, count in read_sql(folder, f"{query} GROUP BY 1", bins):
        counts[place] = count
    return counts


def best_hosts(folder: Path, most: int) -> list[tuple[str, int, int]]:
    """Return the origins with most relevant pages: origin, pages, relevant pages."""
    query = """SELECT origin, count(*), sum(relevant) AS relevant FROM pages JOIN links USING (id)
        JOIN hosts ON hosts.id = links.host WHERE verdict IS NOT NULL GROUP BY hosts.id
        ORDER BY relevant DESC, count(*) LIMIT ?"""
    return [(origin, pages, relevant) for origin, pages, relevant in read_sql(folder, query, most)]


def count_labels(folder: Path) -> tuple[int, int]:
    """Return how many pages are labelled relevant and how many not relevant."""
    query = """SELECT ifnull(sum(good), 0), count(*) FROM labels
        WHERE id IN (SELECT max(id) FROM labels GROUP BY url)"""
    ((good, count),) = read_sql(folder, query)
    return good, count - good


def last_settings(folder: Path) -> str:
    """Return the effective settings of the last run as JSON; empty before the first."""
    rows = read_sql(folder, "SELECT settings FROM runs ORDER BY id DESC LIMIT 1")
    return str(rows[0][0]) if rows else ""


def size_on_disk(folder: Path) -> int:
    """Return the size of the database and the archive in bytes."""
    files = [*folder.glob(f"{DATABASE}*"), *(folder / PAGES).glob("*.warc.gz")]
    return sum(path.stat().st_size for path in files if path.exists())
