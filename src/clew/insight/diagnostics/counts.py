"""Count the results of a run; a result costs a few additions, whatever the size of the crawl."""

import re
from collections import Counter
from dataclasses import dataclass, field

from clew import urls
from clew.domain.text import folded
from clew.types import Kind, Page, PageResult, State

BLOCKED = frozenset({401, 403, 407, 429, 451, 503})
"""Statuses of a host that refuses requests, or so many of them."""

THIN = 200
"""Characters: a page with less text is filled in by JavaScript, or an image."""

SAMPLE = 200
"""Readable pages in the sample of words and verdicts: twice what the first diagnosis needs."""

_LONGEST = 20_000  # characters of a page searched for the topic's words: 0.1 ms
_TEXTS = ("text/", "application/xhtml", "application/xml")


@dataclass(slots=True, kw_only=True)
class WordSample:
    """The first readable pages: their verdicts, and how many contain each word of the topic.

    `wanted` maps the stems that the judge looks for to the words of the topic.
    """

    wanted: dict[str, str] = field(default_factory=dict)
    pages_with: Counter[str] = field(default_factory=Counter)
    verdicts: list[float] = field(default_factory=list)

    def add(self, verdict: float, page: Page) -> None:
        """Add a page unless the sample is full."""
        if len(self.verdicts) < SAMPLE:
            self.verdicts.append(verdict)
            text = folded(f"{page.title} {page.text[:_LONGEST]}")
            self.pages_with.update(term for term in self.wanted if _occurs(term, text))


@dataclass(slots=True, kw_only=True)
class CrawlCounts:
    """Counts of this run.

    `troubles` counts the pages that could not be read by kind of trouble, and `causes` the causes of each
    kind. `outside` counts links refused by scope.hosts, `unindexed` relevant pages marked noindex.
    """

    sample: WordSample = field(default_factory=WordSample)
    keep: float = 0.5
    pages: int = 0
    readable: int = 0
    with_text: int = 0
    relevant: int = 0
    unindexed: int = 0
    thin: int = 0
    best: float = 0.0
    links: int = 0
    outside: int = 0
    troubles: Counter[str] = field(default_factory=Counter)
    causes: dict[str, Counter[str]] = field(default_factory=dict)
    languages: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)

    def count(self, result: PageResult) -> None:
        """Count one result; a page that will be retried is not counted."""
        page = result.page
        if result.new_links is not None and result.new_links.refused:
            refused = result.new_links.refused
            self.links += len(refused)
            self.outside += sum(rule.startswith("scope.hosts") for rule in refused if rule)
        if page.link.kind is not Kind.PAGE or result.state is State.OPEN or page.redirect:
            return
        self.pages += 1
        if result.verdict is None:
            self._count_trouble(result)
            return
        self.readable += 1
        self.relevant += result.relevant
        self.unindexed += result.verdict.value >= self.keep and not result.relevant
        self.best = max(self.best, result.verdict.value)
        if page.mime and not page.mime.startswith(_TEXTS):
            self.others[page.mime] += 1
        elif len(page.text) < THIN:
            self.thin += 1
        else:
            self.with_text += 1
            self.languages[page.lang] += 1
        self.sample.add(result.verdict.value, page)

    def _count_trouble(self, result: PageResult) -> None:
        status, host = result.page.response.status, urls.host(result.page.url)
        if status in BLOCKED:
            kind, cause = "blocked", f"{status} from {host}"
        elif status >= 500:  # noqa: PLR2004
            kind, cause = "broken", f"{status} from {host}"
        elif status:
            kind, cause = "gone", str(status)
        else:
            kind, cause = "unreached", result.page.response.error or result.page.error or "no response"
        self.troubles[kind] += 1
        seen = self.causes.setdefault(kind, Counter())
        if cause in seen or len(seen) < SAMPLE:
            seen[cause] += 1

    def commonest(self, kind: str) -> str:
        """Return the commonest cause of a kind of trouble."""
        return self.causes[kind].most_common(1)[0][0]


def _occurs(term: str, text: str) -> bool:
    return bool(re.search(rf"\b{re.escape(term)}", text)) if term.isascii() else term in text
