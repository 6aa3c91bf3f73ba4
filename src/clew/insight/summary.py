"""The summary of a crawl: counts from its rows, and reasons for failures."""

from dataclasses import dataclass, field
from pathlib import Path

from clew.store import COLUMNS, read_sql


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The state of a crawl. `answered` counts pages with a 2xx response.

    `rows` counts the rows of the records table without the example rows, None without a table. `held` maps
    suspended hosts to the reason. `hints` name problems of the last run, each with one next step.
    """

    ended: str = ""
    pages: int = 0
    relevant: int = 0
    answered: int = 0
    hosts: int = 0
    open: int = 0
    rows: int | None = None
    reasons: tuple[str, ...] = ()
    held: dict[str, str] = field(default_factory=dict)
    hints: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Return the numbers in one line."""
        share = f" ({self.relevant / self.pages:.0%})" if self.pages else ""
        return (
            f"{_many(self.pages, 'page')} read, {self.relevant:,} relevant{share},"
            f" from {_many(self.hosts, 'host')}; {_many(self.open, 'link')} open"
        )

    def notes(self) -> list[str]:
        """Return lines about suspended hosts and the most frequent failures."""
        held = [f"host suspended: {host}: {why}" for host, why in list(self.held.items())[:5]]
        more = [f"and {len(self.held) - 5} more hosts suspended"] if len(self.held) > 5 else []  # noqa: PLR2004
        failures = [f"not fetched: {reason}" for reason in self.reasons[:5]]
        return held + more + failures


def summarise(folder: Path, ended: str, held: dict[str, str] | None = None) -> Summary:
    """Count the rows of a crawl."""
    ((pages, relevant, answered),) = read_sql(
        folder,
        """SELECT count(*) FILTER (WHERE redirect IS NULL), total(relevant),
                  count(*) FILTER (WHERE status BETWEEN 200 AND 299)
           FROM pages JOIN links USING (id) WHERE kind = 0""",
    )
    ((hosts, open),) = read_sql(
        folder,
        """SELECT (SELECT count(DISTINCT host) FROM links WHERE kind = 0 AND state = 1),
                  (SELECT count(*) FROM links WHERE kind = 0 AND state = 0)""",
    )
    has_table = read_sql(folder, "SELECT 1 FROM meta WHERE key = ?", COLUMNS)
    rows = read_sql(folder, "SELECT count(*) FROM table_rows WHERE NOT given") if has_table else []
    reasons = read_sql(
        folder,
        """SELECT coalesce(nullif(reason, ''), 'HTTP ' || status) AS cause, count(*) AS n, min(url)
           FROM links LEFT JOIN pages USING (id)
           WHERE kind = 0 AND (state >= 2 OR status >= 400) GROUP BY cause ORDER BY n DESC LIMIT 5""",
    )
    return Summary(
        ended=ended,
        pages=pages,
        relevant=int(relevant),
        answered=answered,
        hosts=hosts,
        open=open,
        rows=rows[0][0] if rows else None,
        reasons=tuple(
            f"{why} ({n:,} ×, e.g. {url})" if n > 1 else f"{url}: {why}" for why, n, url in reasons
        ),
        held=dict(held or {}),
    )


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
