"""Pages, verdicts on them, and the results that are committed."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.types.arrays import ScoreParts, Scores, TermBag
from clew.types.links import Kind, Link, Links, Response, State


class RobotsDirectives(NamedTuple):
    """What a page asks of crawlers: not to be indexed, and that its links are not followed."""

    noindex: bool = False
    nofollow: bool = False

    def __or__(self, other: object) -> "RobotsDirectives":
        noindex, nofollow = other if isinstance(other, RobotsDirectives) else (False, False)
        return RobotsDirectives(self.noindex or noindex, self.nofollow or nofollow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A parsed response: text for the judge, links for the ranker.

    `error` starts with the response's own and adds the parser's (`"parse timeout"`). `redirect` is the
    canonical target of a 3xx response, a meta refresh or a Refresh header, empty otherwise. `margin` is the
    text around the main text: headers, menus, footers, which often hold postal addresses and publishers.
    `markup` is the page's tree as `clew.parse.clean_html` writes it, if an extractor asked for it.
    `fingerprint` is a 64-bit simhash of the text without digits: near-duplicates differ in few bits.
    `kinds` are the schema.org types that the markup states (`"Recipe"`, `"Dataset"`), each once. `terms` are
    the terms of title, text and margin, counted where the page was parsed; None where nobody has counted.
    """

    response: Response
    mime: str = ""
    encoding: str = ""
    title: str = ""
    text: str = ""
    margin: str = ""
    markup: str = ""
    lang: str = ""
    redirect: str = ""
    links: Links = field(default_factory=Links)
    directives: RobotsDirectives = field(default_factory=RobotsDirectives)
    fingerprint: int = 0
    truncated: bool = False
    error: str = ""
    kinds: tuple[str, ...] = ()
    terms: TermBag | None = None

    @property
    def link(self) -> Link:
        return self.response.link

    @property
    def url(self) -> str:
        return self.response.link.url

    @property
    def noindex(self) -> bool:
        return self.directives.noindex

    @property
    def nofollow(self) -> bool:
        return self.directives.nofollow


@dataclass(frozen=True, slots=True)
class Verdict:
    """How well a page fits the goal, 0 to 1, and the reasons in words."""

    value: float
    why: tuple[str, ...] = ()


class Change(StrEnum):
    """What became of a page since it was visited before. Stored as this word in `visits.change`."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    GONE = "gone"
    BACK = "back"
    MOVED = "moved"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a link led to: the page, its verdict, and whether the crawl counts it as relevant."""

    page: Page
    verdict: Verdict
    relevant: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know: a text, and the same as plain values for programs."""

    text: str
    facts: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """Columns of a link's features that are weighted together; `clew why` shows `name` and its share."""

    name: str
    columns: int
    weight: float
    offset: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The feature weights of a ranker: enough to score any link, now or later.

    A link's score is the sum over groups of `weight * logistic(offset + sum of table[feature])`, the inner
    sum over the group's columns. The weights of all groups add up to at most one; `table[0]` is 0.
    """

    table: NDArray[np.float32]
    groups: tuple[FeatureGroup, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """One row extracted from a page, with the names of its columns and its source page."""

    columns: tuple[str, ...]
    values: tuple[str, ...]
    source: int
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Label:
    """A user's label of a page: relevant or not."""

    url: str
    relevant: bool
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLinks:
    """Links that a page adds to the store, as columns; row `i` gets the id `first + i`.

    `refused[i]` names the rule that keeps link `i` from being fetched, empty when it is open. `parts[i]` are
    the numbers that add up to `scores[i]`, one column for each part the ranker names. `rules_for` is
    set when the one link here is a redirected robots.txt: see `Link.rules_for`.
    """

    first: int
    links: Links
    scores: Scores
    refused: list[str]
    depth: int
    hops: int = 0
    rules_for: str = ""
    parts: ScoreParts | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A user's rule for a host or for URLs: exclude them, include them again, or forget a host.

    `host` is a name, `*.name` for all names below it, or a URL pattern: `host/path`, a glob with `*`, or
    `re:` and a regular expression. `verb` is `exclude`, `include` or `forget`, or a limit:
    `delay=SECONDS`, `pages=NUMBER`.
    """

    host: str
    verb: str
    at: float
    id: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """The result of one page: everything that is committed together, or not at all.

    `state` is the new state of the link; a link that will be retried stays OPEN, and the store
    counts the attempt. `reason` says why it failed, was refused or will be retried.
    `duplicate_of` is the id of an earlier page with the same content, 0 if there is none. `clock` is the
    host's next allowed request in wall time, so that a restart cannot begin with a burst. `parts` add up to
    the score of the link when it was taken, where links are rescored by their features. `change` says what
    became of a page that was visited again, None for a first visit; `replaces` that this is a new version.
    """

    page: Page
    state: State
    verdict: Verdict | None = None
    records: tuple[Record, ...] = ()
    new_links: NewLinks | None = None
    relevant: bool = False
    reason: str = ""
    duplicate_of: int = 0
    clock: float = 0.0
    parts: tuple[float, ...] = ()
    change: Change | None = None
    replaces: bool = False

    @property
    def was_requested(self) -> bool:
        """Whether a request was made: a link can also be refused without one."""
        return self.state is not State.REFUSED or self.page.response.status > 0

    @property
    def is_page(self) -> bool:
        """Whether a page was read for the first time: status 2xx, a body, and no redirect."""
        status, body = self.page.response.status, self.page.response.body
        return self._ends_page and self.state is State.DONE and 200 <= status < 300 and bool(body)  # noqa: PLR2004

    @property
    def is_failure(self) -> bool:
        """Whether a link to a page ended without one, after all its tries."""
        return self._ends_page and self.was_requested and not self.is_page

    @property
    def is_read_again(self) -> bool:
        """Whether a page was visited again and sent its content; one that is not modified sends none."""
        response = self.page.response
        again = response.link.known is not None and self.state is State.DONE
        return again and 200 <= response.status < 300 and bool(response.body)  # noqa: PLR2004

    @property
    def _ends_page(self) -> bool:
        link, redirect = self.page.link, self.page.redirect
        return link.kind is Kind.PAGE and link.known is None and self.state is not State.OPEN and not redirect
