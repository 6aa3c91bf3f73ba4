"""Recall of a crawl: how much of what a search engine returns for its topic has it found?"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from clew import urls
from clew.store import IS_PAGE, read_sql, url_variants
from clew.store.hashes import url_hash

_FOUND = """
SELECT links.url, {read}, coalesce(pages.relevant, 0), coalesce(pages.redirect, '')
FROM links LEFT JOIN pages ON pages.id = links.id
WHERE links.kind = 0 AND links.hash IN ({marks}) ORDER BY links.id
"""
_MOST = 900  # hashes in one query


class Found(Enum):
    """What a crawl knows of a page, from most to least."""

    RELEVANT = "read and relevant"
    READ = "read, not relevant"
    KNOWN = "known, not read"
    UNKNOWN = "never met"


@dataclass(frozen=True, slots=True)
class Recall:
    """The pages that a search engine returned, each with what the crawl knows of it."""

    pages: Sequence[tuple[str, Found]]

    def count(self, *kinds: Found) -> int:
        """Return how many pages are of some kinds."""
        counts = Counter(kind for _, kind in self.pages)
        return sum(counts[kind] for kind in kinds)

    def share(self, *kinds: Found) -> float:
        """Return the share of pages of some kinds, 0 without pages."""
        return self.count(*kinds) / len(self.pages) if self.pages else 0.0


def measure_recall(folder: Path, addresses: Iterable[str], canon: urls.Canon) -> Recall:
    """Look up the results of a search engine in a crawl; each page counts once.

    The other scheme, a final slash and one redirect are the same page.
    """
    forms = {address: url_variants(address, canon) for address in dict.fromkeys(addresses)}
    known = _known(folder, {form for each in forms.values() for form in each})
    targets = {redirect for _, redirect in known.values() if redirect}
    beyond = _known(folder, targets)
    found: dict[str, Found] = {}
    for address, each in forms.items():
        states = [known[form] for form in each if form in known]
        states += [beyond[target] for _, target in states if target in beyond]
        best = min((kind for kind, _ in states), key=list(Found).index, default=Found.UNKNOWN)
        found.setdefault(each[0] if each else address, best)
    return Recall(list(found.items()))


def _known(folder: Path, addresses: set[str]) -> dict[str, tuple[Found, str]]:
    """Return what is known of some URLs, each with where it redirects to."""
    found: dict[str, tuple[Found, str]] = {}
    ordered = sorted(addresses)
    for at in range(0, len(ordered), _MOST):
        some = [url_hash(each) for each in ordered[at : at + _MOST]]
        query = _FOUND.format(read=IS_PAGE, marks=", ".join("?" * len(some)))
        for url, read, relevant, redirect in read_sql(folder, query, *some):
            if url in addresses:
                kind = (Found.RELEVANT if relevant else Found.READ) if read else Found.KNOWN
                found[url] = kind, redirect
    return found
