"""Read the history of a known URL from the rows of a crawl: path, score, outcome."""

import json
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from clew import urls
from clew.domain.calibration import share_range
from clew.domain.text import printable
from clew.engine.evaluation import LABELLED
from clew.frontier import Exclusions, Robots
from clew.insight.chances import read_curve
from clew.insight.explain.card import Explanation, FetchedPage, LinkContext, PathStep, Ranking, clock
from clew.insight.explain.current_score import CurrentScore
from clew.insight.teacher_view import gave_label, teacher_lines
from clew.judge.words import NO_WORDS
from clew.store import link_history
from clew.store.crawl_stats import read_all_rules
from clew.store.link_history import StoredColumns
from clew.store.packed_position import describe_position
from clew.store.refreshes import found_by_refresh, read_visits
from clew.types import Change, Kind, State

_TEXTS = ("text/", "application/xhtml", "application/xml")
_TOLD_NOTHING = (Change.FAILED, Change.REFUSED)
MOST_VISITS = 8
"""Later visits to a page that are listed, the newest."""

BY_WORTH = "found by a refresh: the share of relevant pages among the links around it"
_STATES = {State.OPEN: "open", State.DONE: "fetched", State.FAILED: "failed", State.REFUSED: "refused"}


def read_history(folder: Path, url: str, robots: Robots) -> Explanation | None:
    """Return what is known about a canonical URL, or None if the crawl does not know it."""
    row = link_history.read_link_row(folder, url)
    return LinkHistory(folder, row, robots).explanation() if row else None


def read_history_by_id(folder: Path, id: int, robots: Robots) -> Explanation | None:
    """Return what is known about a link by its id, or None if there is none."""
    row = link_history.read_link_by_id(folder, id)
    return LinkHistory(folder, row, robots).explanation() if row else None


def robots_rule(folder: Path, url: str, robots: Robots) -> str:
    """Return the line of the stored robots.txt that forbids a URL, or an empty string."""
    origin = urls.origin(url)
    row = link_history.read_robots_row(folder, origin)
    if row is None:
        return ""
    robots.learn(origin, row["robots_status"], "", row["robots_text"] or "", row["robots_at"])
    return robots.refusal(url)


def exclusions(folder: Path) -> Exclusions:
    """Return the hosts and URLs that were excluded or included by hand."""
    found = Exclusions()
    for rule in read_all_rules(folder):
        found.add(rule)
    return found


@dataclass(frozen=True)
class LinkHistory:
    """One link and the rows that belong to it."""

    folder: Path
    link: StoredColumns
    robots: Robots

    def explanation(self) -> Explanation:
        """Return everything known about the link."""
        link = self.link
        path = link_history.read_crawl_path(self.folder, link["id"])
        return Explanation(
            url=link["url"],
            kind=Kind(link["kind"]).name.lower(),
            state=_STATES[State(link["state"])],
            reason=self._reason(),
            path=tuple(
                PathStep(url, anchor or "", title or "", verdict, kind.name.lower())
                for url, anchor, title, verdict, kind in path
            ),
            ranking=self._ranking(),
            link=LinkContext(
                anchor=link["anchor"] or "",
                context=link["context"] or "",
                tag_path=link["path"] or "",
                position=link["position"] / 1000 if link["path"] and link["position"] is not None else None,
                region=describe_position(link["place"]) if link["path"] and link["place"] is not None else "",
            ),
            page=self._fetched_page(self.page) if self.page else FetchedPage(),
        )

    def _fetched_page(self, page: StoredColumns) -> FetchedPage:
        url, why = self.link["url"], _reason_of(page)
        if why == LABELLED and gave_label(self.folder, url):
            why = "the teacher said so"
        return FetchedPage(
            title=page["title"] or "",
            verdict=page["verdict"],
            relevant=bool(page["relevant"]),
            why=why,
            response=_response_line(page),
            teacher=tuple(teacher_lines(self.folder, url)),
            keep=self.current.keep,
            chance=(chance := self._chance(page)),
            chances=None if chance is None else share_range(page["verdict"]),
            visits=tuple(map(_visit_line, read_visits(self.folder, self.link["id"])[-MOST_VISITS:])),
        )

    def _chance(self, page: StoredColumns) -> float | None:
        """Return how likely a page with this verdict is relevant; None if nothing is left to chance."""
        if page["verdict"] is None or page["noindex"] or page["why"] in (LABELLED, NO_WORDS):
            return None
        curve = read_curve(self.folder)
        return float(curve.chances([page["verdict"]])[0]) if curve else None

    def _ranking(self) -> Ranking:
        policy, parts = self._parts()
        same = policy == self.current.policy  # the saved model explains its own scores only
        return Ranking(
            score=self.score,
            parts=parts,
            policy=policy,
            scored_by=self.source["url"] if self.raised and self.source else "",
            found_at=self.source["at"] if self.source else None,
            fetched_at=self.page["fetched_at"] if self.page else None,
            note=self.current.description() if same else "",
            terms=self.current.terms() if same else {},
        )

    @cached_property
    def current(self) -> CurrentScore:
        """The score that the saved policy gives the link now."""
        return CurrentScore(self.folder, self.link["id"])

    @cached_property
    def page(self) -> StoredColumns | None:
        """The row of the fetched page, or None."""
        return link_history.read_page_row(self.folder, self.link["id"])

    @cached_property
    def raised(self) -> StoredColumns | None:
        """The better score from a link that was found later, or None."""
        return link_history.read_raised_score(self.folder, self.link["id"])

    @cached_property
    def source(self) -> StoredColumns | None:
        """The page whose link gave the score."""
        source = (self.raised or {}).get("source") or self.link["parent"] or 0
        return link_history.read_fetch_time(self.folder, source)

    @property
    def score(self) -> float:
        """The score at fetch time; for an open link the current one, or the last one stored."""
        now = self.current.score if self._is_open else None
        return float((self.page or self.raised or self.link)["score"]) if now is None else now

    @property
    def _is_open(self) -> bool:
        return self.page is None and self.link["state"] == State.OPEN

    def _parts(self) -> tuple[str, tuple[tuple[str, float], ...]]:
        """Return the policy that scored the link, and what its score is made of."""
        policy, parts = self._latest_parts() or self._recorded_parts()
        learned = self.score - sum(value for _, value in parts)
        if abs(learned) > 1e-6:  # noqa: PLR2004 - 32-bit floats
            parts = (*parts, ("changed between discovery and fetch", learned))
        return policy, parts

    def _latest_parts(self) -> tuple[str, tuple[tuple[str, float], ...]] | None:
        """Return the parts of the current score, or of the score at fetch time; None if not known."""
        if self._is_open and self.current.parts:
            return self.current.policy, self.current.parts
        page = self.page
        if page and page["parts"] and (run := link_history.read_run_at(self.folder, page["fetched_at"])):
            values = np.frombuffer(page["parts"], "<f4").tolist()
            return run["policy"], tuple(zip(json.loads(run["parts"] or "[]"), values, strict=False))
        return None

    def _recorded_parts(self) -> tuple[str, tuple[tuple[str, float], ...]]:
        """Return the parts of the score as stored when the link was found."""
        score = float((self.raised or self.link)["score"])
        if not self.link["parent"]:
            return "", ((self._origin(), score),)
        if self.link["hops"]:
            return "", (("inherited from the URL that redirects here", score),)
        if self.link["parent_kind"] not in (None, Kind.PAGE) and not self.raised:
            listed = Kind(self.link["parent_kind"]).name.lower()
            return "", ((f"listed in a {listed}", score),)
        if self.raised and not self.raised["source"] and (search := self._search_result()):
            return "", ((search, score),)
        if self.raised and self.source:
            run = link_history.read_run_at(self.folder, self.source["at"])
        else:
            run = link_history.read_run_of_link(self.folder, self.link["id"])
        policy, names = (run["policy"], json.loads(run["parts"] or "[]")) if run else ("", [])
        blob = (self.raised or self.link)["parts"]
        if blob:
            return policy, tuple(zip(names, np.frombuffer(blob, "<f4").tolist(), strict=False))
        by_worth = not self.raised and found_by_refresh(self.folder, self.link["id"])
        name = (
            BY_WORTH
            if by_worth
            else names[0]
            if len(names) == 1
            else f"{policy} does not break its scores down"
        )
        return policy, ((name, score),)

    def _origin(self) -> str:
        """Return why a URL without a source page was fetched."""
        if self.link["kind"] == Kind.ROBOTS:
            return "fetched before the other URLs of its host"
        if self.link["depth"]:
            return "its source page was deleted (clew forget)"
        return self._search_result() or "seed URL"

    def _search_result(self) -> str:
        """Return the query that found the URL, with time and reason; empty if none did."""
        search = link_history.read_search_of_link(self.folder, self.link["id"])
        if search is None:
            return ""
        query = f"«{search['query']}» on {search['engine']}"
        return f"search result {search['rank']} for {query}, {clock(search['at'])} ({search['why']})"

    def _reason(self) -> str:
        """Return the outcome for the URL, or what it is waiting for."""
        link, page = self.link, self.page
        reason = link["reason"] or ""
        if link["state"] == State.OPEN:
            return self._waiting(reason)
        if page is None or link["state"] != State.DONE:
            return reason or (page["error"] if page else "")
        if left := self._lost() or (page["redirect"] and f"redirects to {page['redirect']}"):
            return str(left)
        if page["twin"]:
            return f"same text as {page['twin']}"
        if page["noindex"]:
            return "the page is marked noindex, so it is never relevant"
        broken = f"HTTP {page['status']}" if page["status"] >= 400 else ""  # noqa: PLR2004
        return page["error"] or reason or broken

    def _lost(self) -> str:
        """Return since when a page that was read is no longer there; empty if it is."""
        told = [visit for visit in read_visits(self.folder, self.link["id"]) if visit[1] not in _TOLD_NOTHING]
        if not told or told[-1][1] not in (Change.GONE, Change.MOVED):
            return ""
        at, change, status, note = told[-1]
        where = f"moved to {note}" if change is Change.MOVED else f"gone (HTTP {status})"
        return f"{where}, seen {clock(at)}; the last version is kept"

    def _waiting(self, last_error: str) -> str:
        if self.current.parts:
            better, count = self.current.queue_position()
        else:
            better, count = link_history.read_place(self.folder, self.link["id"], self.score)
        waits = [f"not fetched yet: position {better + 1:,} of {count:,} open links"]
        if self.link["tries"]:
            waits.append(f"attempt {self.link['tries']} failed: {last_error}")
        if rule := exclusions(self.folder).refusal(self.link["url"]):
            waits.append(f"it is excluded: {rule}")
        elif rule := robots_rule(self.folder, self.link["url"], self.robots):
            waits.append(f"it will be refused: {rule}")
        elif self.link["next_at"] > time.time():
            waits.append(f"next request to its host at {clock(self.link['next_at'])}")
        return "; ".join(waits)


def _visit_line(visit: tuple[float, Change, int, str]) -> str:
    """Return what a later visit has found."""
    at, change, status, note = visit
    answer = f", HTTP {status}" if status else ""
    to = " to " if change is Change.MOVED else ": "
    return f"{clock(at)} {change}{to if note else ''}{printable(note)}{answer}"


def _reason_of(page: StoredColumns) -> str:
    """Return the reason of the verdict; a file without readable text was not judged by its words."""
    mime = page["mime"] or ""
    if mime and not mime.startswith(_TEXTS) and page["why"] == NO_WORDS:
        return f"not read: {page['error'] or f'clew reads no text of {mime}'}"
    return str(page["why"])


def _response_line(page: StoredColumns) -> str:
    outcome = f"{page['status']} {page['mime']}".strip() if page["status"] else page["error"]
    return f"{outcome}, {page['bytes']:,} bytes in {page['seconds']:.2f} s, {clock(page['fetched_at'])}"
