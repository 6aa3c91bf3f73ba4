"""Learn tree patterns site by site, from pages with known rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clew.domain.records.detail_pages import learn_details
from clew.domain.records.evidence_pages import EvidencePage, site_of
from clew.domain.records.known_values import RowMatches
from clew.domain.records.list_patterns import learn_lists
from clew.domain.records.page_view import PageView
from clew.domain.records.tree_patterns import TreePattern

MAX_EVIDENCE_PAGES = 16
"""Maximum number of evidence pages of one site."""

MAX_NODES = 1_500_000
"""Maximum elements and text nodes of all evidence pages; the site updated longest ago goes first."""

_MAX_ROWS = 40  # known rows of one evidence page
_MAX_TEMPLATES = 3  # single-record templates of one site
_ALWAYS = 8  # rows and pages up to which each new one triggers learning; then half as many more


@dataclass(slots=True)
class _Site:
    evidence_pages: dict[int, EvidencePage] = field(default_factory=dict)
    last_count: int = 0  # rows and pages when patterns were last learned


class TreeMethod:
    """Evidence pages by site, and the patterns learned from them."""

    def __init__(self, *, width: int) -> None:
        self.width = width
        self._sites: dict[str, _Site] = {}
        self._size = 0

    def learn(
        self, view: PageView, matches: RowMatches, forms: Mapping[int, Sequence[str]], key: int
    ) -> list[TreePattern]:
        """Add a page with known rows; return patterns when there is enough new evidence."""
        name = site_of(view.url)
        site = self._sites.pop(name, None) or _Site()
        self._sites[name] = site  # the latest is the last
        self._drop(site, view.page)
        site.evidence_pages[view.page] = EvidencePage(
            view.page, view.url, view.text_nodes, matches[:_MAX_ROWS]
        )
        self._size += view.text_nodes.size
        if len(site.evidence_pages) > MAX_EVIDENCE_PAGES:
            self._evict(site)
        while self._size > MAX_NODES and len(self._sites) > 1:
            oldest = self._sites.pop(next(iter(self._sites)))
            self._size -= sum(evidence.text_nodes.size for evidence in oldest.evidence_pages.values())
        rows = len({row for evidence in site.evidence_pages.values() for row, _ in evidence.matches})
        count = rows + len(site.evidence_pages)
        if site.last_count and count < site.last_count + max(1, (site.last_count - _ALWAYS) // 2):
            return []
        site.last_count = count
        for (
            page,
            evidence,
        ) in site.evidence_pages.items():  # rows that the user labelled noise no longer teach
            if any(row not in forms for row, _ in evidence.matches):
                known = [match for match in evidence.matches if match[0] in forms]
                site.evidence_pages[page] = EvidencePage(
                    evidence.page, evidence.url, evidence.text_nodes, known
                )
        return self._learn_patterns(list(site.evidence_pages.values()), forms, key)

    def evidence(self) -> dict[int, int]:
        """Return the evidence pages, those of the site updated longest ago first, with their site's count."""
        return {page: site.last_count for site in self._sites.values() for page in site.evidence_pages}

    def pages_of(self, site: str) -> set[int]:
        """Return the evidence pages of a site."""
        return set(self._sites[site].evidence_pages) if site in self._sites else set()

    def restore(self, view: PageView, matches: RowMatches, count: int) -> None:
        """Add an evidence page of an earlier run; `count` is what its site had when it was learned from."""
        site = self._sites.setdefault(site_of(view.url), _Site())
        site.evidence_pages[view.page] = EvidencePage(
            view.page, view.url, view.text_nodes, matches[:_MAX_ROWS]
        )
        site.last_count = count
        self._size += view.text_nodes.size

    def _learn_patterns(
        self, evidence_pages: list[EvidencePage], forms: Mapping[int, Sequence[str]], key: int
    ) -> list[TreePattern]:
        patterns = learn_lists(evidence_pages, forms, self.width, key)
        for _ in range(_MAX_TEMPLATES):
            found = learn_details(evidence_pages, forms, self.width, key)
            if found is None:
                break
            pattern, explained = found
            patterns.append(pattern)
            evidence_pages = [evidence for evidence in evidence_pages if evidence.page not in explained]
        return patterns

    def _evict(self, site: _Site) -> None:
        """Drop the page whose rows occur most on other pages too; the oldest among equals."""
        counts: dict[int, int] = {}
        for evidence in site.evidence_pages.values():
            for row, _ in evidence.matches:
                counts[row] = counts.get(row, 0) + 1
        spare = min(
            site.evidence_pages.values(),
            key=lambda evidence: sum(counts[row] == 1 for row, _ in evidence.matches),
        )
        self._drop(site, spare.page)

    def _drop(self, site: _Site, page: int) -> None:
        dropped = site.evidence_pages.pop(page, None)
        self._size -= dropped.text_nodes.size if dropped else 0
