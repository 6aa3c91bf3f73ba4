"""How sites stand, in words and as plain values: for the screen, for JSON, and for whoever asks why."""

from clew.domain.sites.site_table import THRESHOLD, SiteTable


def describe_site(said: bool | None, pages: int, hits: int, chance: float) -> str:
    """Say how a site stands.

    >>> describe_site(None, 3, 0, 0.2), describe_site(None, 4, 1, 1.0)
    ('does not seem to hold it (0.20 after 3 pages)', 'holds it (1 of 4 pages)')
    """
    if said is not None:
        return f"you said that it {'holds it' if said else 'does not hold it'}"
    many = f"{pages:,} page{'s' * (pages != 1)}"
    if hits:
        return f"holds it ({hits:,} of {many})"
    return f"{'seems' if chance >= THRESHOLD else 'does not seem'} to hold it ({chance:.2f} after {many})"


def count_verdicts(board: SiteTable) -> tuple[int, int, int]:
    """Return how many sites hold it, how many do not, and of how many nothing is known."""
    if not len(board):
        return 0, 0, 0
    verdict = board.verdicts()[0]
    return int((verdict == 1).sum()), int((verdict == 0).sum()), int((verdict < 0).sum())


def describe_phase(board: SiteTable, explored: int, budget: int, over: str) -> str:
    """Say where exploring and collecting stand, in a line; `over` is why exploring has ended."""
    yes, no, unknown = count_verdicts(board)
    sites = f"{yes:,} of {len(board):,} sites hold it, {no:,} do not"
    sites += f", {unknown:,} unknown" if unknown else ""
    if over:
        return f"exploring is over after {explored:,} pages, {over}: {sites}; collecting"
    limit = f"{budget:,} pages in all" if budget else "as long as it pays"
    if not explored:
        return f"exploring {len(board):,} sites: a page of each first, {limit}; then collecting (clew sites)"
    return f"exploring, {explored:,} pages so far, {limit}: {sites}"


def phase_facts(board: SiteTable, explored: int, over: str) -> dict[str, object]:
    """Return the same as plain values."""
    yes, no, unknown = count_verdicts(board)
    return {
        "phase": "collect" if over else "explore", "sites": len(board), "yes": yes, "no": no,
        "unknown": unknown, "explored": explored,
    }  # fmt: skip
