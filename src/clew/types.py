"""The values that the components of a crawl exchange.

Every component takes one of these and returns another; all of them are immutable.

    Link ──fetch──▶ Response ──parse──▶ Page ──judge──▶ Verdict
                                         └─▶ Links ──rank──▶ scores    PageResult = all of it, one transaction

Links found on a page travel as columns (`Links`), not as one object each: a crawl finds fifty links
for every page it reads, and most of them are never used again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew import urls

Scores: TypeAlias = NDArray[np.float32]
Hashes: TypeAlias = NDArray[np.uint64]
Ids: TypeAlias = NDArray[np.int64]
ScoreParts: TypeAlias = NDArray[np.float32]
LinkPositions: TypeAlias = NDArray[np.float32]
"""Positions of links on their page, four numbers from 0 to 1 for each: pseudo-x, pseudo-y, x and y.

The first two are counted from tags alone, the last two are where a browser would show the middle of the
link, as a share of the page: 0 is left or top.
"""

Features: TypeAlias = NDArray[np.uint32]
"""Feature numbers of links, one row for each link; 0 means no feature."""


class Kind(IntEnum):
    """What a link is expected to lead to; robots.txt and sitemaps are handled like pages."""

    PAGE = 0
    ROBOTS = 1
    SITEMAP = 2
    FEED = 3


class State(IntEnum):
    """The state of a link. Stored as this number in `links.state`."""

    OPEN = 0
    DONE = 1
    FAILED = 2
    REFUSED = 3


class Area(IntEnum):
    """The part of a page that contains a link, by the elements and roles around it."""

    OTHER = 0
    HEADER = 1
    NAV = 2
    MAIN = 3
    ASIDE = 4
    FOOTER = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One URL to be fetched, with the page that linked to it.

    `id` is the row in the store and also the age: a smaller id was found earlier.
    `origin` is scheme, host and port: the unit of robots.txt and of the frontier.
    `rules_for` is set on robots links only: the origin whose rules the response contains
    (it differs from `origin` when a robots.txt redirects elsewhere).
    """

    id: int
    url: str
    origin: str
    kind: Kind = Kind.PAGE
    parent: int = 0
    anchor: str = ""
    depth: int = 0
    hops: int = 0
    tries: int = 0
    score: float = 1.0
    rules_for: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The response to one request: the bytes as received, or the error.

    `error` is a short lower-case phrase (`"timeout"`, `"refused address 10.0.0.1"`), empty when the
    response is complete. `head` is the status line and header block as received, `body` the entity body
    after transfer decoding, still content-encoded. `truncated` says the body was cut, by a limit or
    by the server. `ended` is wall time; the delay of the host starts there. `rendered` is the page as a
    browser rendered it, in UTF-8, where one was used; then it is parsed instead of the body.
    """

    link: Link
    started: float
    ended: float
    status: int = 0
    head: bytes = b""
    body: bytes = b""
    request: bytes = b""
    address: str = ""
    error: str = ""
    truncated: bool = False
    rendered: bytes = b""

    def header(self, name: str) -> str:
        """Return the last value of a header, decoded leniently, or an empty string."""
        values = self.headers(name)
        return values[-1] if values else ""

    def headers(self, name: str) -> list[str]:
        """Return every value of a header, in order."""
        wanted = name.lower().encode("ascii")
        found = []
        for line in self.head.split(b"\n")[1:]:
            key, colon, value = line.partition(b":")
            if colon and key.strip().lower() == wanted:
                value = value.strip()
                try:
                    found.append(value.decode("utf-8"))
                except UnicodeDecodeError:
                    found.append(value.decode("latin-1"))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The links of one page, in document order, as columns of equal length.

    `urls` are absolute and canonical, `origins` their scheme, host and port, `hashes` their 64-bit
    fingerprints. `contexts` is the text around the anchor, `paths` the tag path (`"body/main/ul.nav/li/a"`),
    `rels` the rel tokens joined by a blank, `positions` the share of the document before the link.
    `coordinates` are pseudo-x, pseudo-y, x and y of each link, `areas` the part of the page (an `Area`); 0
    where they are not known. `types` is the type attribute of a link (`"text/csv"`), else the file name of
    its download attribute; mostly empty.
    """

    urls: list[str] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)
    hashes: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    anchors: list[str] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    rels: list[str] = field(default_factory=list)
    positions: Scores = field(default_factory=lambda: np.empty(0, np.float32))
    kinds: list[Kind] = field(default_factory=list)
    coordinates: LinkPositions = field(default_factory=lambda: np.empty((0, 4), np.float32))
    areas: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))
    types: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if len(self.coordinates) != len(self.urls):
            object.__setattr__(self, "coordinates", np.zeros((len(self.urls), 4), np.float32))
        if len(self.areas) != len(self.urls):
            object.__setattr__(self, "areas", np.zeros(len(self.urls), np.uint8))
        if len(self.types) != len(self.urls):
            object.__setattr__(self, "types", [""] * len(self.urls))

    def __len__(self) -> int:
        return len(self.urls)

    @classmethod
    def plain(cls, found: list[str], kind: Kind) -> "Links":
        """Make links of canonical URLs that were not found on a page: seeds, robots.txt, redirects."""
        empty = [""] * len(found)
        return cls(
            urls=found,
            origins=[urls.origin(url) for url in found],
            hashes=np.array([urls.fingerprint(url) for url in found], np.uint64),
            anchors=empty,
            contexts=empty,
            paths=empty,
            rels=empty,
            positions=np.zeros(len(found), np.float32),
            kinds=[kind] * len(found),
        )

    def join(self, other: "Links") -> "Links":
        """Return these links followed by others."""
        return Links(
            urls=self.urls + other.urls,
            origins=self.origins + other.origins,
            hashes=np.concatenate((self.hashes, other.hashes)),
            anchors=self.anchors + other.anchors,
            contexts=self.contexts + other.contexts,
            paths=self.paths + other.paths,
            rels=self.rels + other.rels,
            positions=np.concatenate((self.positions, other.positions)),
            kinds=self.kinds + other.kinds,
            coordinates=np.concatenate((self.coordinates, other.coordinates)),
            areas=np.concatenate((self.areas, other.areas)),
            types=self.types + other.types,
        )

    def take(self, rows: Sequence[int]) -> "Links":
        """Return the named rows, in the order given."""
        index = np.asarray(rows, np.intp)
        return Links(
            urls=[self.urls[i] for i in rows],
            origins=[self.origins[i] for i in rows],
            hashes=self.hashes[index],
            anchors=[self.anchors[i] for i in rows],
            contexts=[self.contexts[i] for i in rows],
            paths=[self.paths[i] for i in rows],
            rels=[self.rels[i] for i in rows],
            positions=self.positions[index],
            kinds=[self.kinds[i] for i in rows],
            coordinates=self.coordinates[index],
            areas=self.areas[index],
            types=[self.types[i] for i in rows],
        )


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
    `kinds` are the schema.org types that the markup states (`"Recipe"`, `"Dataset"`), each once.
    """

    response: Response
    mime: str = ""
    encoding: str = ""
    title: str = ""
    text: str = ""
    margin: str = ""
    markup: str = ""
    lang: str = ""
    canonical: str = ""
    redirect: str = ""
    links: Links = field(default_factory=Links)
    directives: RobotsDirectives = field(default_factory=RobotsDirectives)
    fingerprint: int = 0
    truncated: bool = False
    error: str = ""
    kinds: tuple[str, ...] = ()

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
    """Neighbouring columns of a link's features that are weighted together: its text, or its URL.

    `name` is shown by `clew why`. It adds at most `weight` to a score.
    """

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

    `refused[i]` names the rule that keeps link `i` from being fetched, empty when it is open.
    `parts[i]` are the numbers that add up to `scores[i]`, one column for each part the ranker names.
    `rules_for` is set when the one link here is a redirected robots.txt: see `Link.rules_for`.
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
    """A user's rule for a host: exclude it, include it again, or forget it.

    `host` is a name, or `*.name` for all names below it; `verb` is `exclude`, `include` or `forget`.
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
    `duplicate_of` is the id of an earlier page with the same content, 0 if there is none.
    `clock` is the host's next allowed request in wall time, so that a restart cannot begin with a burst.
    `parts` add up to the score of the link when it was taken, where links are rescored by their features.
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
