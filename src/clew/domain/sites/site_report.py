"""Describe sites in words and as plain values: for the screen, for JSON, and for `clew why`."""

from clew.domain.sites.site_table import THRESHOLD, SiteTable


def describe_site(label: bool | None, pages: int, hits: int, chance: float) -> str:
    """Describe the status of a site.

    >>> describe_site(None, 3, 0, 0.2), describe_site(None, 4, 1, 1.0)
    ('does not seem to hold it (0.20 after 3 pages)', 'holds it (1 of 4 pages)')
    """
    if label is not None:
        return f"you labelled it: {'holds it' if label else 'does not hold it'}"
    many = f"{pages:,} page{'s' * (pages != 1)}"
    if hits:
        return f"holds it ({hits:,} of {many})"
    return f"{'seems' if chance >= THRESHOLD else 'does not seem'} to hold it ({chance:.2f} after {many})"


def count_verdicts(table: SiteTable) -> tuple[int, int, int]:
    """Return the numbers of sites that hold it, that do not, and that are unknown."""
    if not len(table):
        return 0, 0, 0
    verdict = table.verdicts()[0]
    return int((verdict == 1).sum()), int((verdict == 0).sum()), int((verdict < 0).sum())


def describe_phase(table: SiteTable, explored: int, budget: int, reason: str) -> str:
    """Describe the phase of the crawl in one line; `reason` is why exploring has ended."""
    yes, no, unknown = count_verdicts(table)
    sites = f"{yes:,} of {len(table):,} sites hold it, {no:,} do not"
    sites += f", {unknown:,} unknown" if unknown else ""
    if reason:
        return f"exploring is over after {explored:,} pages, {reason}: {sites}; collecting"
    limit = f"{budget:,} pages in all" if budget else "as long as it pays"
    if not explored:
        return f"exploring {len(table):,} sites: a page of each first, {limit}; then collecting (clew sites)"
    return f"exploring, {explored:,} pages so far, {limit}: {sites}"


def phase_facts(table: SiteTable, explored: int, reason: str) -> dict[str, object]:
    """Return the phase as plain values."""
    yes, no, unknown = count_verdicts(table)
    return {
        "phase": "collect" if reason else "explore", "sites": len(table), "yes": yes, "no": no,
        "unknown": unknown, "explored": explored,
    }  # fmt: skip
