"""The better method: patterns over the tree of pages, learned site by site from pages with known rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clew.domain.records.detail_pages import details
from clew.domain.records.evidence_pages import EvidencePage, site_of
from clew.domain.records.known_values import Met
from clew.domain.records.list_patterns import lists
from clew.domain.records.page_view import PageView
from clew.domain.records.tree_patterns import TreePattern

SHEETS = 16
"""Pages of one site that are kept as evidence."""

MOST = 1_500_000
"""Elements and leaves of all pages that are kept; the site that was heard of longest ago goes first."""

_ROWS = 40  # known rows of one page that are kept as evidence
_ROUNDS = 3  # templates of one site whose pages hold one record each
_EVERY = 8  # rows and pages up to which each new one makes us think again; then half as many more


@dataclass(slots=True)
class _Site:
    sheets: dict[int, EvidencePage] = field(default_factory=dict)
    thought: int = 0  # rows met when patterns were last looked for


class TreeMethod:
    """Evidence by site, and the patterns it makes."""

    def __init__(self, *, width: int) -> None:
        self.width = width
        self._sites: dict[str, _Site] = {}
        self._size = 0

    def see(
        self, view: PageView, met: Met, forms: Mapping[int, Sequence[str]], key: int
    ) -> list[TreePattern]:
        """Take a page with known rows; return patterns when there is enough that is new."""
        name = site_of(view.url)
        site = self._sites.pop(name, None) or _Site()
        self._sites[name] = site  # the latest is the last
        self._drop(site, view.page)
        site.sheets[view.page] = EvidencePage(view.page, view.url, view.leaves, met[:_ROWS])
        self._size += view.leaves.size
        if len(site.sheets) > SHEETS:
            self._make_room(site)
        while self._size > MOST and len(self._sites) > 1:
            oldest = self._sites.pop(next(iter(self._sites)))
            self._size -= sum(sheet.leaves.size for sheet in oldest.sheets.values())
        rows = len({row for sheet in site.sheets.values() for row, _ in sheet.met})
        count = rows + len(site.sheets)
        if site.thought and count < site.thought + max(1, (site.thought - _EVERY) // 2):
            return []
        site.thought = count
        for page, sheet in site.sheets.items():  # rows that a person called noise teach no longer
            if any(row not in forms for row, _ in sheet.met):
                known = [one for one in sheet.met if one[0] in forms]
                site.sheets[page] = EvidencePage(sheet.page, sheet.url, sheet.leaves, known)
        return self._thought(list(site.sheets.values()), forms, key)

    def _thought(
        self, sheets: list[EvidencePage], forms: Mapping[int, Sequence[str]], key: int
    ) -> list[TreePattern]:
        made = lists(sheets, forms, self.width, key)
        for _ in range(_ROUNDS):
            found = details(sheets, forms, self.width, key)
            if found is None:
                break
            pattern, explained = found
            made.append(pattern)
            sheets = [sheet for sheet in sheets if sheet.page not in explained]
        return made

    def _make_room(self, site: _Site) -> None:
        """Let the page go whose rows stand on other pages, too; the oldest among equals."""
        counts: dict[int, int] = {}
        for sheet in site.sheets.values():
            for row, _ in sheet.met:
                counts[row] = counts.get(row, 0) + 1
        spare = min(site.sheets.values(), key=lambda sheet: sum(counts[row] == 1 for row, _ in sheet.met))
        self._drop(site, spare.page)

    def _drop(self, site: _Site, page: int) -> None:
        gone = site.sheets.pop(page, None)
        self._size -= gone.leaves.size if gone else 0
