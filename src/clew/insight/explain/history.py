"""Read the story of a known address from the rows of a crawl: thread, score, what became of it."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from clew import urls
from clew.frontier import Exclusions, Robots
from clew.insight.explain.card import Explanation, PathStep, clock
from clew.insight.explain.current_score import CurrentScore
from clew.store import StoredTable, read_sql
from clew.store.packed_position import in_words
from clew.types import Kind, Rule, State

Row: TypeAlias = Mapping[str, Any]

_LINK = """
SELECT links.*, origin, next_at,
       (SELECT kind FROM links AS above WHERE above.id = links.parent) AS parent_kind
FROM links JOIN hosts ON hosts.id = links.host WHERE hash = ? ORDER BY links.id LIMIT 1"""
_PAGE = "SELECT pages.*, url AS twin FROM pages LEFT JOIN links ON links.id = duplicate_of WHERE pages.id = ?"
_RAISED = "SELECT score, source, parts FROM raised WHERE link = ? ORDER BY rowid DESC LIMIT 1"
_READ = "SELECT url, fetched_at + seconds AS at FROM pages JOIN links USING (id) WHERE id = ?"
_THREAD = "SELECT url, anchor, title, verdict FROM trail WHERE page = ? ORDER BY step DESC"
_ROBOTS = "SELECT * FROM hosts WHERE origin = ? AND robots_at NOT NULL"
_RUN_OF_LINK = "SELECT policy, parts FROM runs WHERE first_link <= ? ORDER BY id DESC LIMIT 1"
_RUN_AT = "SELECT policy, parts FROM runs WHERE started_at <= ? ORDER BY id DESC LIMIT 1"
_SEARCH = """SELECT query, engine, rank, at, searches.why AS why
FROM search_results JOIN searches ON searches.id = search WHERE link = ? ORDER BY search LIMIT 1"""
_PLACE = """
WITH better (link, score) AS (
    SELECT link, score FROM raised WHERE rowid IN (SELECT max(rowid) FROM raised GROUP BY link))
SELECT count(*) FILTER (WHERE ifnull(better.score, links.score) > ?1
                        OR (ifnull(better.score, links.score) = ?1 AND links.id < ?2)), count(*)
FROM links LEFT JOIN better ON better.link = links.id WHERE links.state = 0 AND links.kind = 0"""

_STATES = {State.OPEN: "open", State.DONE: "fetched", State.FAILED: "failed", State.REFUSED: "refused"}


def told(folder: Path, url: str, robots: Robots) -> Explanation | None:
    """Tell the story of a canonical address, if it was ever met."""
    name = urls.fingerprint(url)
    row = _one(folder, _LINK, name - (1 << 64) if name >> 63 else name)
    return LinkHistory(folder, row, robots).why() if row else None


def forbidden(folder: Path, url: str, robots: Robots) -> str:
    """Return the line of the stored robots.txt that forbids an address, or an empty string."""
    origin = urls.origin(url)
    row = _one(folder, _ROBOTS, origin)
    if row is None:
        return ""
    robots.learn(origin, row["robots_status"], "", row["robots_text"] or "", row["robots_at"])
    return robots.refusal(url)


def exclusions(folder: Path) -> Exclusions:
    """Return what people said about hosts so far."""
    found = Exclusions()
    for rule in read_sql(folder, "SELECT host, kind, at, id FROM rules ORDER BY id"):
        found.learn(Rule(*rule))
    return found


@dataclass(frozen=True)
class LinkHistory:
    """One link and the rows that belong to it."""

    folder: Path
    link: Row
    robots: Robots

    def why(self) -> Explanation:
        """Tell it all."""
        link, page = self.link, self.page
        thread = read_sql(self.folder, _THREAD, link["id"])
        policy, parts = self._parts()
        return Explanation(
            url=link["url"],
            kind=Kind(link["kind"]).name.lower(),
            state=_STATES[State(link["state"])],
            reason=self._reason(),
            thread=tuple(
                PathStep(url, anchor or "", title or "", value) for url, anchor, title, value in thread
            ),
            score=self.score,
            parts=parts,
            policy=policy,
            scored_by=self.source["url"] if self.raised and self.source else "",
            found_at=self.source["at"] if self.source else None,
            taken_at=page["fetched_at"] if page else None,
            anchor=link["anchor"] or "",
            context=link["context"] or "",
            path=link["path"] or "",
            position=link["position"] / 1000 if link["path"] and link["position"] is not None else None,
            place=in_words(link["place"]) if link["path"] and link["place"] is not None else "",
            title=(page and page["title"]) or "",
            verdict=page["verdict"] if page else None,
            relevant=bool(page and page["relevant"]),
            words=page["why"] if page else "",
            answer=_answer(page) if page else "",
            told=self.present.told(),
            because=self.present.because() if parts and parts[0][0] in dict(self.present.parts) else {},
        )

    @cached_property
    def present(self) -> CurrentScore:
        """What the policy thinks of it now."""
        return CurrentScore(self.folder, self.link["id"])

    @cached_property
    def page(self) -> Row | None:
        """What came, if it was fetched."""
        return _one(self.folder, _PAGE, self.link["id"])

    @cached_property
    def raised(self) -> Row | None:
        """The better score it got when it was met again."""
        return _one(self.folder, _RAISED, self.link["id"])

    @cached_property
    def source(self) -> Row | None:
        """The page on which it got its score."""
        return _one(self.folder, _READ, (self.raised or {}).get("source") or self.link["parent"] or 0)

    @property
    def score(self) -> float:
        """The score it was taken with; while it is open that of now, or the last one written down."""
        now = self.present.score if self._is_open else None
        return float((self.page or self.raised or self.link)["score"]) if now is None else now

    @property
    def _is_open(self) -> bool:
        return self.page is None and self.link["state"] == State.OPEN

    def _parts(self) -> tuple[str, tuple[tuple[str, float], ...]]:
        """Return the policy that scored the link, and what its score is made of."""
        policy, parts = self._taken() or self._given()
        learned = self.score - sum(value for _, value in parts)
        if abs(learned) > 1e-6:  # noqa: PLR2004 - 32-bit floats
            parts = (*parts, ("learned between finding and taking it", learned))
        return policy, parts

    def _taken(self) -> tuple[str, tuple[tuple[str, float], ...]] | None:
        """Return what the score is made of now, or was when the link was taken; None if nobody can say."""
        if self._is_open and self.present.parts:
            ((policy,),) = read_sql(self.folder, "SELECT policy FROM runs ORDER BY id DESC LIMIT 1")
            return policy, self.present.parts
        if self.page and self.page["parts"] and (run := _one(self.folder, _RUN_AT, self.page["fetched_at"])):
            values = np.frombuffer(self.page["parts"], "<f4").tolist()
            return run["policy"], tuple(zip(json.loads(run["parts"] or "[]"), values, strict=False))
        return None

    def _given(self) -> tuple[str, tuple[tuple[str, float], ...]]:
        """Return what the score was made of when it was written down."""
        score = float((self.raised or self.link)["score"])
        if not self.link["parent"]:
            seed = self._searched() or "you named it: a seed"
            return "", ((seed if not self.link["depth"] else "the page it stood on was forgotten", score),)
        if self.link["hops"]:
            return "", (("handed on by the address that redirects here", score),)
        if self.link["parent_kind"] not in (None, Kind.PAGE) and not self.raised:
            listed = Kind(self.link["parent_kind"]).name.lower()
            return "", ((f"it is listed in a {listed}", score),)
        if self.raised and not self.raised["source"] and (named := self._searched()):
            return "", ((named, score),)
        if self.raised and self.source:
            run = _one(self.folder, _RUN_AT, self.source["at"])
        else:
            run = _one(self.folder, _RUN_OF_LINK, self.link["id"])
        policy, names = (run["policy"], json.loads(run["parts"] or "[]")) if run else ("", [])
        blob = (self.raised or self.link)["parts"]
        if blob:
            return policy, tuple(zip(names, np.frombuffer(blob, "<f4").tolist(), strict=False))
        name = names[0] if len(names) == 1 else f"{policy} does not say what its scores are made of"
        return policy, ((name, score),)

    def _searched(self) -> str:
        """Say which query named the address, when and why; empty if none did."""
        search = _one(self.folder, _SEARCH, self.link["id"])
        if search is None:
            return ""
        asked = f"searching «{search['query']}» on {search['engine']}"
        return f"{asked} named it, as number {search['rank']}, {clock(search['at'])} ({search['why']})"

    def _reason(self) -> str:
        """Say in words what became of the address, or what it waits for."""
        link, page = self.link, self.page
        said = link["reason"] or ""
        if link["state"] == State.OPEN:
            return self._waiting(said)
        if page is None or link["state"] != State.DONE:
            return said or (page["error"] if page else "")
        if page["redirect"]:
            return f"it redirects to {page['redirect']}"
        if page["twin"]:
            return f"the same text as {page['twin']}"
        if page["noindex"]:
            return "the page asks not to be indexed: it never counts as relevant"
        broken = f"the server answered {page['status']}" if page["status"] >= 400 else ""  # noqa: PLR2004
        return page["error"] or said or broken

    def _waiting(self, said: str) -> str:
        if self.present.parts:
            better, count = self.present.place()
        else:
            ((better, count),) = read_sql(self.folder, _PLACE, self.score, self.link["id"])
        waits = [f"not fetched yet: place {better + 1:,} of {count:,} open links"]
        if self.link["tries"]:
            waits.append(f"tried {self.link['tries']} ×: {said}")
        if rule := exclusions(self.folder).rule(self.link["origin"]):
            waits.append(f"its host is left alone: {rule}")
        elif rule := forbidden(self.folder, self.link["url"], self.robots):
            waits.append(f"it will be refused then: {rule}")
        elif self.link["next_at"] > time.time():
            waits.append(f"its host is not asked before {clock(self.link['next_at'])}")
        return "; ".join(waits)


def _answer(page: Row) -> str:
    came = f"{page['status']} {page['mime']}".strip() if page["status"] else page["error"]
    return f"{came}, {page['bytes']:,} bytes in {page['seconds']:.2f} s, {clock(page['fetched_at'])}"


def _one(folder: Path, query: str, *parameters: object) -> Row | None:
    return next(iter(StoredTable(folder, query=query, parameters=parameters)), None)
