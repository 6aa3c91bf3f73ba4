"""Describe sites in words and as plain values: for the screen, for JSON, and for `clew why`."""

from dataclasses import dataclass

from clew.domain.sites.site_table import THRESHOLD, SiteTable


def describe_site(label: bool | None, pages: int, hits: int, chance: float) -> str:
    """Describe the status of a site.

    >>> describe_site(None, 3, 0, 0.2), describe_site(None, 4, 1, 1.0)
    ('not known whether it holds it (no find on 3 pages)', 'holds it (1 of 4 pages)')
    """
    if label is not None:
        return f"you labelled it: {'holds it' if label else 'does not hold it'}"
    many = f"{pages:,} page{'s' * (pages != 1)}"
    if hits:
        return f"holds it ({hits:,} of {many})"
    return f"{'probably' if chance >= THRESHOLD else 'not known whether it'} holds it (no find on {many})"


@dataclass(frozen=True, slots=True)
class SiteCounts:
    """How many sites there are, hold it, do not, are not known yet; how many of the latter should hold it.

    `fewest` and `most` are the ends of the 95 % interval of all sites that hold it. `missed` is None where
    the pages were not chosen to tell: that a policy skipped a site says little of it.
    """

    sites: int
    yes: int
    no: int
    unknown: int
    missed: float | None = None
    fewest: int | None = None
    most: int | None = None

    def sentence(self) -> str:
        """Return the counts in words.

        >>> SiteCounts(42, 12, 3, 27, 4.6, 12, 23).sentence()
        '12 of 42 sites hold it, 3 do not, 27 are not known yet (about 5 of them hold it: 12 to 23 in all)'
        >>> SiteCounts(42, 12, 3, 27).sentence()
        '12 of 42 sites hold it, 3 do not, 27 are not known yet'
        """
        text = f"{self.yes:,} of {self.sites:,} sites {_plural(self.yes, 'hold')} it"
        text += f", {self.no:,} {_plural(self.no, 'do')} not"
        if not self.unknown:
            return text
        are = "is" if self.unknown == 1 else "are"
        text = f"{text}, {self.unknown:,} {are} not known yet"
        if self.missed is None:
            return text
        missed = f"about {self.missed:.0f} of them {_plural(round(self.missed), 'hold')} it"
        if self.missed < 0.5:  # noqa: PLR2004 - rounds to none
            missed = "probably none of them holds it"
        return f"{text} ({missed}: {self.fewest:,} to {self.most:,} in all)"


def _plural(number: int, verb: str) -> str:
    return verb if number != 1 else {"do": "does"}.get(verb, f"{verb}s")


def count_verdicts(table: SiteTable) -> SiteCounts:
    """Count the sites by what is known of them."""
    if not len(table):
        return SiteCounts(0, 0, 0, 0, 0.0, 0, 0)
    estimates = table.estimates()
    verdict = table.verdicts(estimates)
    yes, no, unknown = (int((verdict == each).sum()) for each in (1, 0, -1))
    missed = float(estimates.chance[verdict < 0].sum())
    return SiteCounts(len(table), yes, no, unknown, missed, estimates.fewest, estimates.most)


def describe_phase(counts: SiteCounts, explored: int, budget: int, reason: str) -> str:
    """Describe the phase of the crawl in one line; `reason` is why exploring has ended.

    >>> describe_phase(SiteCounts(42, 12, 3, 27), 90, 0, "")
    '12 of 42 sites hold it, 3 do not, 27 are not known yet: only the policy sites explores them'
    """
    if counts.missed is None:
        rest = ": only the policy sites explores them" if counts.unknown else ""
        return f"{counts.sentence()}{rest}"
    if reason:
        return f"exploring is over after {explored:,} pages, {reason}: {counts.sentence()}; collecting"
    limit = f"{budget:,} pages in all" if budget else "as long as it pays"
    if not explored:
        return (
            f"exploring {counts.sites:,} sites: a page of each first, {limit}; then collecting (clew sites)"
        )
    return f"exploring, {explored:,} pages so far, {limit}: {counts.sentence()}"


def phase_facts(counts: SiteCounts, explored: int, reason: str) -> dict[str, object]:
    """Return the phase as plain values."""
    return {
        "phase": "none" if counts.missed is None else "collect" if reason else "explore",
        "sites": counts.sites,
        "yes": counts.yes,
        "no": counts.no,
        "unknown": counts.unknown,
        "expected_unknown": None if counts.missed is None else round(counts.missed, 2),
        "fewest": counts.fewest,
        "most": counts.most,
        "explored": explored,
    }
