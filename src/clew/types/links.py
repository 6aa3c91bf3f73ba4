"""Links, alone and as the columns of a page, and the responses to them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.types.arrays import Hashes, LinkPositions, Scores, TokenColumns


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
class KnownVersion:
    """What is stored of a page that is visited again.

    `etag` and `modified` are its headers for a conditional request, `digest` that of its body, `text_hash`
    that of title and main text, `fetched_at` when it was read, `relevant` whether it was relevant; `tries`
    are the requests before this visit; `lost` says that the last visit did not find it.
    """

    etag: str = ""
    modified: str = ""
    digest: str = ""
    text_hash: int = 0
    fetched_at: float = 0.0
    relevant: bool = False
    tries: int = 0
    lost: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One URL to be fetched, with the page that linked to it.

    `id` is the row in the store and also the age: a smaller id was found earlier.
    `origin` is scheme, host and port: the unit of robots.txt and of the frontier.
    `rules_for` is set on robots links only: the origin whose rules the response contains
    (it differs from `origin` when a robots.txt redirects elsewhere).
    `known` is set on links that are visited again; `tries` then counts the requests of this visit.
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
    known: KnownVersion | None = None

    @property
    def total_tries(self) -> int:
        """Requests made so far, those of earlier visits included."""
        return self.tries + (self.known.tries if self.known else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The response to one request: the bytes as received, or the error.

    `error` is a short phrase (`"timeout"`, `"refused address 10.0.0.1"`), empty if the response is complete.
    `head` is the status line and header block as received, `body` the entity body after transfer decoding,
    still content-encoded. `truncated` says the body was cut, by a limit or by the server. `ended` is wall
    time; the delay of the host starts there. `rendered` is the page as a browser rendered it, in UTF-8, where
    one was used; then it is parsed instead of the body.
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


# Columns of pages without links: one array for all, because making one costs a microsecond.
_NO_HASHES: Hashes = np.empty(0, np.uint64)
_NO_POSITIONS: Scores = np.empty(0, np.float32)
_NO_COORDINATES: LinkPositions = np.empty((0, 4), np.float32)
_NO_AREAS = np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The links of one page, in document order, as columns of equal length.

    `urls` are absolute and canonical, `origins` their scheme, host and port, `hashes` their 64-bit
    fingerprints. `contexts` is the text around the anchor, `paths` the tag path (`"body/main/ul.nav/li/a"`),
    `rels` the rel tokens joined by a blank, `positions` the share of the document before the link.
    `coordinates` are pseudo-x, pseudo-y, x and y of each link, `areas` the part of the page (an `Area`); 0
    where they are not known. `types` is the type attribute of a link (`"text/csv"`), else the file name of
    its download attribute; mostly empty. `tokens` are the words of link texts and URLs as hashed ids, None
    where nobody has computed them. `dates` says of URLs in a sitemap or feed when they were last modified, by
    its account, in Unix seconds.
    """

    urls: list[str] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)
    hashes: Hashes = field(default_factory=lambda: _NO_HASHES)
    anchors: list[str] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    rels: list[str] = field(default_factory=list)
    positions: Scores = field(default_factory=lambda: _NO_POSITIONS)
    kinds: list[Kind] = field(default_factory=list)
    coordinates: LinkPositions = field(default_factory=lambda: _NO_COORDINATES)
    areas: NDArray[np.uint8] = field(default_factory=lambda: _NO_AREAS)
    types: list[str] = field(default_factory=list)
    tokens: TokenColumns | None = None
    dates: dict[str, float] = field(default_factory=dict)

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
            urls=found, origins=[urls.origin(url) for url in found],
            hashes=np.array([urls.fingerprint(url) for url in found], np.uint64),
            anchors=empty, contexts=empty, paths=empty, rels=empty,
            positions=np.zeros(len(found), np.float32), kinds=[kind] * len(found),
        )  # fmt: skip

    def join(self, other: "Links") -> "Links":
        """Return these links followed by others."""
        return Links(
            urls=self.urls + other.urls, origins=self.origins + other.origins,
            hashes=np.concatenate((self.hashes, other.hashes)),
            anchors=self.anchors + other.anchors, contexts=self.contexts + other.contexts,
            paths=self.paths + other.paths, rels=self.rels + other.rels,
            positions=np.concatenate((self.positions, other.positions)), kinds=self.kinds + other.kinds,
            coordinates=np.concatenate((self.coordinates, other.coordinates)),
            areas=np.concatenate((self.areas, other.areas)), types=self.types + other.types,
        )  # fmt: skip

    def take(self, rows: Sequence[int], *, tokens: bool = True) -> "Links":
        """Return the named rows, in the order given; with their tokens, unless nobody will ask for them."""
        index = np.asarray(rows, np.intp)
        # An itemgetter is four times as fast as a list by index, but one of a single row gives no tuple.
        pick = itemgetter(*rows) if len(rows) > 1 else lambda column: [column[row] for row in rows]
        return Links(
            urls=list(pick(self.urls)), origins=list(pick(self.origins)), hashes=self.hashes[index],
            anchors=list(pick(self.anchors)), contexts=list(pick(self.contexts)),
            paths=list(pick(self.paths)), rels=list(pick(self.rels)), positions=self.positions[index],
            kinds=list(pick(self.kinds)), coordinates=self.coordinates[index], areas=self.areas[index],
            types=list(pick(self.types)),
            tokens=self.tokens.take(index) if tokens and self.tokens is not None else None,
        )  # fmt: skip
