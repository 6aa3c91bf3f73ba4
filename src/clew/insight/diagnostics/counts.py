"""Count what a run brings: one step costs a few additions, whatever the crawl holds."""

import re
from collections import Counter
from dataclasses import dataclass, field

from clew import urls
from clew.domain.text import folded
from clew.types import Kind, PageResult, State

BLOCKED = frozenset({401, 403, 407, 429, 451, 503})
"""Answers of a host that does not want to be asked, or not so often."""

THIN = 200
"""Characters: a page with less text is a shell that scripts fill in the browser, or a picture."""

SAMPLE = 200
"""Readable pages whose words and verdicts are kept: twice what the first diagnosis needs."""

_LONGEST = 20_000  # characters of a page in which the person's words are looked for: 0.1 ms
_TEXTS = ("text/", "application/xhtml", "application/xml")


@dataclass(slots=True, kw_only=True)
class CrawlCounts:
    """Numbers of this run, by what they say about it.

    `wanted` maps the stems a judge looks for to the person's words; `seen` counts the pages of the
    sample that hold them. `troubles` counts pages that were not read by the kind of trouble, with
    `examples` of the commonest cause of each.
    """

    wanted: dict[str, str] = field(default_factory=dict)
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
    seen: Counter[str] = field(default_factory=Counter)
    verdicts: list[float] = field(default_factory=list)

    def count(self, step: PageResult) -> None:
        """Take one step into account; only pages that came to an end are pages."""
        page = step.page
        if step.new_links is not None and step.new_links.refused:
            refused = step.new_links.refused
            self.links += len(refused)
            self.outside += sum(rule.startswith("scope.hosts") for rule in refused if rule)
        if page.link.kind is not Kind.PAGE or step.state is State.OPEN or page.redirect:
            return
        self.pages += 1
        if step.verdict is None:
            self._count_trouble(step)
            return
        self.readable += 1
        self.relevant += step.relevant
        self.unindexed += step.verdict.value >= self.keep and not step.relevant
        self.best = max(self.best, step.verdict.value)
        if page.mime and not page.mime.startswith(_TEXTS):
            self.others[page.mime] += 1
        elif len(page.text) < THIN:
            self.thin += 1
        else:
            self.with_text += 1
            self.languages[page.lang] += 1
        if len(self.verdicts) < SAMPLE:
            self.verdicts.append(step.verdict.value)
            text = folded(f"{page.title} {page.text[:_LONGEST]}")
            self.seen.update(term for term in self.wanted if _occurs(term, text))

    def _count_trouble(self, step: PageResult) -> None:
        status, host = step.page.response.status, urls.host(step.page.url)
        if status in BLOCKED:
            kind, cause = "blocked", f"{status} from {host}"
        elif status >= 500:  # noqa: PLR2004
            kind, cause = "broken", f"{status} from {host}"
        elif status:
            kind, cause = "gone", str(status)
        else:
            kind, cause = "unreached", step.page.response.error or step.page.error or "no answer"
        self.troubles[kind] += 1
        seen = self.causes.setdefault(kind, Counter())
        if cause in seen or len(seen) < SAMPLE:
            seen[cause] += 1

    def commonest(self, kind: str) -> str:
        """Return the commonest cause of a kind of trouble."""
        return self.causes[kind].most_common(1)[0][0]


def _occurs(term: str, text: str) -> bool:
    return bool(re.search(rf"\b{re.escape(term)}", text)) if term.isascii() else term in text
