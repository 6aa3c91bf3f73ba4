"""The components that anybody can replace: ranker, judge, extractor, fetcher; and the parser.

Nobody inherits from these. A class with the right methods is a Ranker; `clew.testing.check_ranker`
checks it. Scores and verdicts are 0 to 1, higher is better, everywhere.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from clew.types import Label, Link, Links, Outcome, Page, Record, Response, Scores, Verdict

Parser: TypeAlias = Callable[[Response], Awaitable[Page]]
"""Parse a response in a process that can be killed; never raises for what a server sent."""


@runtime_checkable
class Ranker(Protocol):
    """Score the links of a page before they are fetched.

    `score` gets the page with the links and its verdict, and returns one score per link, in order. `learn`
    gets the page that a followed link led to, with its verdict.
    """

    def score(self, source: Outcome, links: Links) -> Scores: ...

    def learn(self, outcome: Outcome) -> None: ...


@runtime_checkable
class Judge(Protocol):
    """Judge how well a page fits the goal, with reasons."""

    def judge(self, page: Page) -> Verdict: ...

    def learn(self, label: Label, page: Page) -> None: ...


@runtime_checkable
class Extractor(Protocol):
    """Extract rows from a page."""

    def extract(self, page: Page) -> Sequence[Record]: ...

    def learn(self, label: Label, page: Page) -> None: ...


@runtime_checkable
class Fetcher(Protocol):
    """Fetch one link. Network errors are values: `Response.error`."""

    async def fetch(self, link: Link) -> Response: ...

    async def aclose(self) -> None: ...
