"""Pages that are visited again: what is known of them, and what became of them."""

from dataclasses import dataclass, field, replace

import numpy as np

from clew.contracts import Round, RoundStore
from clew.domain.digests import payload_digest, text_hash
from clew.domain.link_worth import LinkWorth
from clew.frontier import Frontier
from clew.types import Change, Ids, Kind, KnownVersion, Link, Page, PageResult, Scores, State

NOT_MODIFIED = 304
DAY = 86_400.0
GONE = frozenset({404, 410})


@dataclass(slots=True, kw_only=True)
class Revisits:
    """Give links of known pages what a conditional request needs; say what came of them.

    `store` is None where nothing is visited again; `worth` learns what new links are worth.
    """

    frontier: Frontier
    store: RoundStore | None = None
    worth: LinkWorth | None = None
    _known: dict[int, KnownVersion] = field(default_factory=dict)

    def begin(self, store: RoundStore, round: Round, worth: LinkWorth | None = None) -> None:
        """Queue what a refresh has still to visit; links that it leaves alone are taken out of the queue."""
        self.store, self.worth = store, worth
        self.frontier.close(round.parked)
        if worth is not None:
            self.frontier.again.keep_scores(round.found, round.found_scores)
        self.frontier.again.add(round.ids, round.scores)

    def prepared(self, link: Link) -> Link:
        """Return the link of a known page with the version that is stored, any other as it is."""
        if self.store is None or link.id not in self.frontier.again.ids:
            return link
        known = self._known.get(link.id)
        if known is None:
            known = self._known[link.id] = replace(self.store.known_version(link.id), tries=link.tries)
        return replace(link, known=known, tries=link.tries - known.tries)

    def skip(self, id: int, at: float, reason: str) -> None:
        """Leave a page alone that may not be visited again."""
        assert self.store is not None, "a refresh was begun"
        self.store.skip(id, at, reason)

    def learn(self, result: PageResult) -> None:
        """Learn from a page that was read or read again; the new links found on it keep their scores."""
        if self.worth is None:
            return
        link, known = result.page.link, result.page.link.known
        if result.is_page or (known is not None and result.replaces and link.kind is Kind.PAGE):
            before = known.relevant if known else None
            self.worth.learn(link.url, link.parent, relevant=result.relevant, before=before)
        if (found := result.new_links) is not None:
            self.frontier.again.valued.update(range(found.first, found.first + len(found.links)))

    def note_dates(self, page: Page, ids: Ids) -> None:
        """Visit the known pages that a sitemap or feed says have changed, and not those that have not.

        `ids` are those of its links. A list that says of most pages that they were just modified is ignored.
        """
        if self.store is None or self.worth is None or not page.links.dates:
            return
        just = page.response.started - DAY
        if sum(date > just for date in page.links.dates.values()) * 2 > max(2, len(page.links.dates)):
            return
        pairs = zip(ids.tolist(), page.links.urls, strict=True)
        dates = {id: page.links.dates[url] for id, url in pairs if id and url in page.links.dates}
        planned = self.frontier.again
        queued = set(ids[self.frontier.is_queued(ids)].tolist()) if len(ids) else set()
        for id, seen_at, verdict in self.store.last_seen(list(dates)):
            if id in planned.ids and id not in queued:  # visited by this refresh, or under way
                continue
            if dates[id] > seen_at:
                score = self.worth.change_score(id, verdict)
                if planned.raise_to(id, score):
                    self.store.replan(id, score)
            elif dates[id] + DAY < seen_at and id in planned.ids:
                self.frontier.close(np.array([id]))
                self.store.replan(id, None)

    def change(self, page: Page, state: State) -> tuple[Change, bool]:
        """Return what became of a known page, and whether what was sent replaces the stored version."""
        known, response = page.link.known, page.response
        assert known is not None, "it is a known page"
        self._known.pop(page.link.id, None)
        if state is State.FAILED or response.truncated:
            return Change.FAILED, False
        if response.status == NOT_MODIFIED:
            return Change.UNCHANGED, False
        if page.redirect or response.status in GONE:
            return Change.MOVED if page.redirect else Change.GONE, False
        if not (200 <= response.status < 300 and response.body):  # noqa: PLR2004
            return Change.FAILED, False
        same_bytes = payload_digest(response.body) == known.digest
        if known.lost:
            return Change.BACK, not same_bytes
        unchanged = same_bytes or _same_text(page, known)
        return Change.UNCHANGED if unchanged else Change.CHANGED, not same_bytes


def _same_text(page: Page, known: KnownVersion) -> bool:
    """Compare texts; of files without one, as of sitemaps and feeds, the bytes count."""
    if page.link.kind is not Kind.PAGE:
        return False
    now = 0 if page.noindex else text_hash(page.title, page.text)
    return now != 0 and now == known.text_hash


def chosen(ids: Ids, scores: Scores, most: int) -> tuple[Ids, Scores]:
    """Return the best links of a plan, at most so many (0 for all), in the order of their ids.

    >>> chosen(np.array([3, 5, 8]), np.array([0.1, 0.0, 0.7], np.float32), 1)[0].tolist()
    [8]
    """
    wanted = np.flatnonzero(scores > 0)
    order = wanted[np.argsort(-scores[wanted], kind="stable")][: most or None]
    rows = np.sort(order)
    return ids[rows], scores[rows]
