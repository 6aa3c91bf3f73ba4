"""The answer to "why?": what is known about one address, as values and as lines of text."""

import html
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clew.domain.text import shown

MOST = 5
"""Words named behind a part."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """One address on the thread from the seed; `anchor` is the link text that led to it."""

    url: str
    anchor: str = ""
    title: str = ""
    verdict: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What is known about one address. `parts` add up to `score`; `thread` begins at the seed.

    `state` is `fetched`, `open`, `failed`, `refused` or `never met`; `reason` says in words what keeps an
    address from being fetched, or what came of it. `scored_by` is the page whose link gave the score, if
    that is another than the one the address was first found on. `told` is what the policy says of it now,
    in words of its own. `because` names the words behind parts,
    as they weigh now.
    """

    url: str
    state: str
    reason: str
    kind: str = "page"
    thread: tuple[PathStep, ...] = ()
    score: float | None = None
    parts: tuple[tuple[str, float], ...] = ()
    policy: str = ""
    scored_by: str = ""
    found_at: float | None = None
    taken_at: float | None = None
    anchor: str = ""
    context: str = ""
    path: str = ""
    position: float | None = None
    place: str = ""
    title: str = ""
    verdict: float | None = None
    relevant: bool = False
    words: str = ""
    answer: str = ""
    told: str = ""
    because: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return the story as lines of plain text, safe to show on a terminal."""
        said = [shown(self.url) + (f'  "{shown(self.title, 60)}"' if self.title else "")]
        said += _labelled("state", [f"{self.state}: {shown(self.reason)}" if self.reason else self.state])
        said += _labelled("thread", self._thread())
        said += _labelled("ranked", self._ranked())
        if self.verdict is not None:
            mark = "relevant" if self.relevant else "not relevant"
            said += _labelled("judged", [f"{self.verdict:.2f}, {mark}: {shown(self.words)}"])
        if self.answer:
            said += _labelled("read", [shown(self.answer)])
        return said

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        thread = [{name: getattr(knot, name) for name in PathStep.__slots__} for knot in self.thread]
        parts = [
            {"part": name, "value": value, "because": list(self.because.get(name, ()))}
            for name, value in self.parts
        ]
        plain = {name: getattr(self, name) for name in Explanation.__slots__}
        del plain["because"]
        return {**plain, "thread": thread, "parts": parts}

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(chr(10).join(self.lines()))}</pre>"

    def _thread(self) -> list[str]:
        said = []
        for number, knot in enumerate(self.thread):
            arrow = "  " * (number - 1) + "└─▶" if number else "seed"
            verdict = f" ({knot.verdict:.2f})" if knot.verdict is not None else ""
            via = f'  by "{shown(knot.anchor, 60)}"' if knot.anchor else ""
            said.append(f"{arrow} {shown(knot.url)}{verdict}{via}")
        return said

    def _ranked(self) -> list[str]:
        if self.score is None:
            return []
        times = [f"found {clock(self.found_at)}"] if self.found_at else []
        times += [f"taken {clock(self.taken_at)}"] if self.taken_at else []
        by = f" by {shown(self.policy)}" if self.policy else ""
        said = [", ".join([f"{self.score:.3f}{by}", *times])]
        said += [f"{value:+.3f}  {shown(name)}{self._words(name)}" for name, value in self.parts]
        if self.told:
            said.append(f"by now: {shown(self.told, 600)}")
        if self.scored_by:
            said.append(f"scored on {shown(self.scored_by)}")
        if self.anchor or self.path:
            where = f", {self.position:.0%} down the page" if self.position is not None else ""
            where += f", {self.place}" if self.place else ""
            first = "first found as link text" if self.scored_by else "link text"
            said.append(f'{first} "{shown(self.anchor, 80)}"{where}, at {shown(self.path, 80)}')
        if self.context and self.context != self.anchor:
            said.append(f"around it: {shown(self.context, 100)}")
        return said

    def _words(self, part: str) -> str:
        words = sorted(self.because.get(part, ()), key=lambda word: -abs(word[1]))
        named = ", ".join(f"«{shown(word, 40)}» {value:+.1f}" for word, value in words[:MOST])
        more = ", …" if len(words) > MOST else ""
        return f": {named}{more}" if named else ""


def _labelled(label: str, lines: list[str]) -> list[str]:
    return [f"  {'' if number else label:<7} {line}" for number, line in enumerate(lines)]


def clock(at: float | None) -> str:
    """Return a moment as a person reads it, in local time."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at or 0))
