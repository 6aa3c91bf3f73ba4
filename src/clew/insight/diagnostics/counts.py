"""Count the results of a run; a result costs a few additions, whatever the size of the crawl."""

from collections import Counter
from dataclasses import dataclass, field

from clew import urls
from clew.domain.text import folded
from clew.types import Kind, Link, Page, PageResult, State

BLOCKED = frozenset({401, 403, 407, 429, 451, 503})
"""Statuses of a host that refuses requests, or so many of them."""

THIN = 200
"""Characters: a page with less text is filled in by JavaScript, or an image."""

SAMPLE = 200
"""Readable pages in the sample of words and verdicts: twice what the first diagnosis needs."""

FOLDERS = 10_000
"""Folders whose failures are counted; later ones are not named in a hint."""

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
class FailureCounts:
    """Pages read and failures by the first folder of their paths, of at most `FOLDERS`; and failed seeds."""

    seeds: int = 0
    read: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    def count(self, link: Link, *, failed: bool) -> None:
        """Count one link to a page."""
        self.seeds += failed and not link.parent
        folder = first_folder(link.url)
        counter = self.failed if failed else self.read
        if folder in counter or len(counter) < FOLDERS:
            counter[folder] += 1

    def worst(self) -> tuple[str, int, int]:
        """Return the folder with the most failures, their number, and the pages read there."""
        folder, failed = self.failed.most_common(1)[0]
        return folder, failed, self.read[folder]


def first_folder(url: str) -> str:
    """Return host and first folder of a URL.

    >>> first_folder("https://a.test/post/2019/05/"), first_folder("http://a.test:81/x?y=/")
    ('a.test/post/', 'a.test:81/')
    """
    host, _, path = url.partition("://")[2].partition("/")
    head, slash, _ = path.partition("?")[0].partition("/")
    return f"{host}/{head}/" if slash else f"{host}/"


@dataclass(slots=True, kw_only=True)
class CrawlCounts:
    """Counts of this run. `pages` are the links to pages that ended, read or not.

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
    failures: FailureCounts = field(default_factory=FailureCounts)
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
        if page.response.status not in BLOCKED:  # blocked hosts have hints of their own
            self.failures.count(page.link, failed=result.verdict is None)
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
    """Return whether a word of a text begins with a term; scripts without spaces have no words."""
    if not term.isascii():
        return term in text
    at = text.find(term)  # a fifth of the time that an expression takes
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at = text.find(term, at + 1)
    return at >= 0
