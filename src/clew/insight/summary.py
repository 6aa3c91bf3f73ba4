"""The summary of a crawl: counts from its rows, and reasons for failures."""

from dataclasses import dataclass, field
from pathlib import Path

from clew.domain.forecast import WINDOW, YieldForecast, forecast
from clew.insight.notebook import as_pre
from clew.store import crawl_stats


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The state of a crawl. `pages` were read (2xx with a body); `failed` links to pages brought none.

    `rows` counts the rows of the records table without the example rows, None without a table. `held` maps
    suspended hosts and URL patterns to the reason. `ahead` is what the next pages would bring, None while
    too few were read or nothing is left. `hints` name problems of the last run, each with one next
    step.
    """

    ended: str = ""
    pages: int = 0
    relevant: int = 0
    failed: int = 0
    hosts: int = 0
    open: int = 0
    rows: int | None = None
    reasons: tuple[str, ...] = ()
    held: dict[str, str] = field(default_factory=dict)
    hints: tuple[str, ...] = ()
    ahead: YieldForecast | None = None

    def sentence(self) -> str:
        """Return the numbers in one line."""
        share = f" ({self.relevant / self.pages:.0%})" if self.pages else ""
        return (
            f"{_many(self.pages, 'page')} read, {_many(self.failed, 'failed request')},"
            f" {self.relevant:,} relevant{share},"
            f" from {_many(self.hosts, 'host')}; {_many(self.open, 'link')} open"
        )

    def _repr_html_(self) -> str:
        ended = [f"{self.ended}:"] if self.ended else []
        hints = [f"  {hint}" for hint in (*self.notes(), *self.hints)]
        return as_pre([*ended, self.sentence(), *hints])

    def notes(self) -> list[str]:
        """Return lines about what is suspended and the most frequent failures."""
        held = [f"suspended: {host}: {why}" for host, why in list(self.held.items())[:5]]
        more = [f"and {len(self.held) - 5} more suspended"] if len(self.held) > 5 else []  # noqa: PLR2004
        failures = [f"not fetched: {reason}" for reason in self.reasons[:5]]
        ahead = [f"if it went on: {self.ahead} would be relevant"] if self.ahead else []
        return held + more + failures + ahead


def summarise(folder: Path, ended: str, held: dict[str, str] | None = None) -> Summary:
    """Count the rows of a crawl."""
    counts = crawl_stats.count_pages(folder)
    hosts, open_links = crawl_stats.count_hosts_and_open(folder)
    known = min(counts.pages, WINDOW)
    recent = round(crawl_stats.recent_share(folder, WINDOW) * known)
    return Summary(
        ended=ended,
        pages=counts.pages,
        relevant=counts.relevant,
        failed=counts.failed,
        hosts=hosts,
        open=open_links,
        rows=crawl_stats.count_new_rows(folder),
        reasons=tuple(
            f"{why} ({n:,} ×, e.g. {url})" if n > 1 else f"{url}: {why}"
            for why, n, url in crawl_stats.read_failures(folder, 5)
        ),
        held=dict(held or {}),
        ahead=forecast(recent, known) if open_links else None,
    )


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
