"""Index learned patterns by number and by site, and remember the rows removed with rejected ones."""

from collections.abc import Iterator

from clew.domain.records.confidence import LearnedPattern, Pattern
from clew.domain.records.dipre import TextPattern
from clew.domain.records.evidence_pages import site_of
from clew.domain.records.pattern_io import SavedPatterns
from clew.domain.records.record_table import Support

MAX_PATTERNS = 24
"""Maximum number of patterns of one site."""


class PatternRegistry:
    """Learned patterns; `removed` holds, by rejected pattern, the rows and supports that it took along."""

    def __init__(self) -> None:
        self.by_id: dict[int, LearnedPattern] = {}
        self.removed: dict[int, list[tuple[int, Support]]] = {}
        self._by_site: dict[str, list[LearnedPattern]] = {}
        self._last = 0

    def matching(self, url: str) -> Iterator[LearnedPattern]:
        """Yield the patterns to apply to a page: not rejected, with a matching URL prefix."""
        for learned in self._by_site.get(site_of(url), ()):
            if not learned.rejected and url.startswith(learned.pattern.url_prefix):
                yield learned

    def find_replaced(self, pattern: Pattern) -> LearnedPattern | None:
        """Return the first pattern of the same site that a new one makes redundant."""
        site = self._by_site.setdefault(site_of(pattern.url_prefix), [])
        return next(
            (old for old in site if type(old.pattern) is type(pattern) and _replaces(pattern, old)), None
        )

    def add(self, pattern: Pattern) -> LearnedPattern | None:
        """Number a new pattern; return None when its site has the maximum already."""
        site = self._by_site.setdefault(site_of(pattern.url_prefix), [])
        if len(site) >= MAX_PATTERNS:
            return None
        self._last += 1
        learned = LearnedPattern(self._last, pattern)
        self.by_id[learned.id] = learned
        site.append(learned)
        return learned

    def load(self, saved: SavedPatterns) -> None:
        """Replace everything by the patterns of an earlier run."""
        self.removed = saved.removed
        self.by_id = {learned.id: learned for learned in saved.patterns}
        self._last = max(self.by_id, default=0)
        self._by_site = {}
        for learned in saved.patterns:
            self._by_site.setdefault(site_of(learned.pattern.url_prefix), []).append(learned)


def _replaces(pattern: Pattern, old: LearnedPattern) -> bool:
    if isinstance(pattern, TextPattern):
        return isinstance(old.pattern, TextPattern) and pattern.replaces(old.pattern)
    return not isinstance(old.pattern, TextPattern) and pattern.replaces(old.pattern)
