"""The output of `clew why`: what is known about one URL, as values and as lines of text."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clew.domain.text import printable
from clew.domain.verdict_text import chance_text, verdict_text
from clew.insight.notebook import as_pre

MOST = 5
"""Terms named behind one part of a score."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """One URL on the path from the seed; `anchor` is the text of the link that led to it.

    `kind` is `page`, `robots`, `sitemap` or `feed`.
    """

    url: str
    anchor: str = ""
    title: str = ""
    verdict: float | None = None
    kind: str = "page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """How a link was ranked. `parts` add up to `score`.

    `scored_by` is the page whose link gave the score, if the URL was first found on another one. `note` is
    the policy's own description of the link as of now. `terms` are the terms behind each part, with their
    current weights.
    """

    score: float
    parts: tuple[tuple[str, float], ...] = ()
    policy: str = ""
    scored_by: str = ""
    found_at: float | None = None
    fetched_at: float | None = None
    note: str = ""
    terms: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return the score, its parts and the terms behind them, one line each."""
        times = [f"found {clock(self.found_at)}"] if self.found_at else []
        times += [f"fetched {clock(self.fetched_at)}"] if self.fetched_at else []
        by = f" by {printable(self.policy)}" if self.policy else ""
        lines = [", ".join([f"{self.score:.3f}{by}", *times])]
        lines += [f"{value:+.3f}  {printable(name)}{self._terms_of(name)}" for name, value in self.parts]
        if self.note:
            lines.append(f"now: {printable(self.note, 600)}")
        if self.scored_by:
            lines.append(f"scored on {printable(self.scored_by)}")
        return lines

    def _terms_of(self, part: str) -> str:
        terms = sorted(self.terms.get(part, ()), key=lambda term: -abs(term[1]))
        listed = ", ".join(f"«{printable(term, 40)}» {_signed(weight)}" for term, weight in terms[:MOST])
        more = ", …" if len(terms) > MOST else ""
        return f": {listed}{more}" if listed else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkContext:
    """The link to a URL on the page where it was first found.

    `position` is the share of the page above it, `region` the part of the page it is in.
    """

    anchor: str = ""
    context: str = ""
    tag_path: str = ""
    position: float | None = None
    region: str = ""

    def lines(self, *, first: bool) -> list[str]:
        """Return link text, position and context; `first` if another page gave the score."""
        lines = []
        if self.anchor or self.tag_path:
            where = f", {self.position:.0%} down the page" if self.position is not None else ""
            where += f", {self.region}" if self.region else ""
            label = "first found as link text" if first else "link text"
            lines.append(f'{label} "{printable(self.anchor, 80)}"{where}, at {printable(self.tag_path, 80)}')
        if self.context and self.context != self.anchor:
            lines.append(f"context: {printable(self.context, 100)}")
        return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """What was fetched and how it was judged; `why` is the judge's reason, `response` describes the fetch.

    `keep` is the threshold of the crawl, `chance` the probability that a page with this verdict is relevant,
    where it is known, and `chances` what it was on nine of ten recorded crawls. `teacher` are lines about
    what a teacher said of the page, and what that has cost, `visits` about what later visits have found.
    """

    title: str = ""
    verdict: float | None = None
    relevant: bool = False
    why: str = ""
    response: str = ""
    keep: float = 0.5
    chance: float | None = None
    chances: tuple[float, float] | None = None
    teacher: tuple[str, ...] = ()
    visits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What is known about one URL.

    `state` is `fetched`, `open`, `failed`, `refused` or `unknown`; `reason` says why it was not fetched, or
    what the fetch led to. `path` begins at the seed. `ranking` is None for an unknown URL.
    """

    url: str
    state: str
    reason: str
    kind: str = "page"
    path: tuple[PathStep, ...] = ()
    ranking: Ranking | None = None
    link: LinkContext = field(default_factory=LinkContext)
    page: FetchedPage = field(default_factory=FetchedPage)

    def lines(self) -> list[str]:
        """Return the explanation as lines of plain text, safe to show on a terminal."""
        page = self.page
        lines = [printable(self.url) + (f'  "{printable(page.title, 60)}"' if page.title else "")]
        lines += _labelled(
            "state", [f"{self.state}: {printable(self.reason)}" if self.reason else self.state]
        )
        lines += _labelled("path", self._path())
        if self.ranking:
            link = self.link.lines(first=bool(self.ranking.scored_by))
            lines += _labelled("ranked", self.ranking.lines() + link)
        if page.verdict is not None:
            mark = "relevant" if page.relevant else "not relevant"
            verdict = verdict_text(page.verdict, page.keep)
            judged = [f"{verdict}, {mark}: {printable(page.why)}"]
            if page.chance is not None and page.chances:
                judged.append(chance_text(page.chance, page.chances))
            lines += _labelled("judged", judged)
        if page.teacher:
            lines += _labelled("teacher", list(page.teacher))
        if page.response:
            lines += _labelled("read", [printable(page.response)])
        if page.visits:
            lines += _labelled("again", list(page.visits))
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON; the keys are part of the interface."""
        ranking, link, page = self.ranking, self.link, self.page
        terms = ranking.terms if ranking else {}
        parts = ranking.parts if ranking else ()
        return {
            "url": self.url,
            "state": self.state,
            "reason": self.reason,
            "kind": self.kind,
            "thread": [{name: getattr(step, name) for name in PathStep.__slots__} for step in self.path],
            "score": ranking.score if ranking else None,
            "parts": [
                {"part": name, "value": value, "because": list(terms.get(name, ()))} for name, value in parts
            ],
            "policy": ranking.policy if ranking else "",
            "scored_by": ranking.scored_by if ranking else "",
            "found_at": ranking.found_at if ranking else None,
            "taken_at": ranking.fetched_at if ranking else None,
            "anchor": link.anchor,
            "context": link.context,
            "path": link.tag_path,
            "position": link.position,
            "place": link.region,
            "title": page.title,
            "verdict": page.verdict,
            "chance": page.chance,
            "chances": page.chances,
            "relevant": page.relevant,
            "words": page.why,
            "teacher": list(page.teacher),
            "answer": page.response,
            "visits": list(page.visits),
            "told": ranking.note if ranking else "",
        }

    def _repr_html_(self) -> str:
        return as_pre(self.lines())

    def _path(self) -> list[str]:
        lines = []
        for number, step in enumerate(self.path):
            start = "" if step.kind == "robots" else "seed "
            arrow = "  " * (number - 1) + "└─▶ " if number else start
            verdict = f" ({step.verdict:.2f})" if step.verdict is not None else ""
            via = f'  via "{printable(step.anchor, 60)}"' if step.anchor else ""
            lines.append(f"{arrow}{printable(step.url)}{verdict}{via}")
        return lines


def _labelled(label: str, lines: list[str]) -> list[str]:
    return [f"  {'' if number else label:<7} {line}" for number, line in enumerate(lines)]


def _signed(weight: float) -> str:
    """Return a weight with one digit, or with two if it is small."""
    return f"{weight:+.1f}" if abs(weight) >= 0.1 else f"{weight:+.2f}"  # noqa: PLR2004


def clock(at: float | None) -> str:
    """Return a time as local date and time."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at or 0))
