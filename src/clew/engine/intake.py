"""Intake: give links their ids, their scores and their place in the frontier."""

from dataclasses import dataclass

import numpy as np

from clew.contracts import Store
from clew.domain.link_worth import LinkWorth
from clew.engine.deferred_links import DeferredLinks
from clew.engine.scoring import LinkScores, Scoring
from clew.frontier import Exclusions, Frontier, Scope
from clew.types import Ids, Kind, Links, NewLinks, Outcome, Page, ScoreParts, Scores, Verdict

SITEMAP_SCORE = 0.1
"""Score of sitemaps that only a robots.txt names."""

UNJUDGED = Verdict(0.0)


@dataclass(slots=True, kw_only=True)
class Intake:
    """Add links: new ones get the next ids, ones found again may rise. `next_id` is the next to be given.

    In a refresh, `worth` gives the scores instead of the policy.
    """

    frontier: Frontier
    scope: Scope
    exclusions: Exclusions
    scoring: Scoring
    deferred: DeferredLinks
    store: Store
    next_id: int = 1
    worth: LinkWorth | None = None

    def restore(self, next_id: int) -> None:
        """Go on with this id."""
        self.next_id = next_id

    def value_by(self, worth: LinkWorth) -> None:
        """Score new links by what they are worth, from now on."""
        self.worth = worth

    def found(self, page: Page, verdict: Verdict | None, ids: Ids) -> NewLinks | None:
        """Score a page's links: new ones enter the frontier, ones met again may rise."""
        links = page.links
        if not len(links):
            return None
        if verdict is not None or self.deferred.reason:  # such a policy needs the text of every link
            scored = self.scoring.scores(Outcome(page, verdict or UNJUDGED), links)
        else:
            inherited = SITEMAP_SCORE if page.link.kind is Kind.ROBOTS else page.link.score
            scored = LinkScores(np.full(len(links), inherited, np.float32))
        if self.worth is not None and page.link.kind is not Kind.ROBOTS:
            parent = page.link.id if page.link.kind is Kind.PAGE else 0
            scored = LinkScores(self.worth.scores(links.urls, parent, scored.scores))
        again = np.flatnonzero(ids)
        if len(again):
            self.deferred.found_again(ids[again], scored.scores[again], page.link.id)
            risen = self.scoring.meet(ids, scored, again)
            if len(risen):
                better = scored.rows(risen)
                positions = links.take(risen.tolist(), tokens=False) if better.features is not None else None
                self.store.raise_scores(ids[risen], better.scores, page.link.id, better.parts, positions)
        rows = self._new(links, ids)
        if not len(rows):
            return None
        depth = page.link.depth + 1
        fresh = links if len(rows) == len(links) else links.take(rows.tolist(), tokens=False)
        scored = scored.rows(rows)
        refused = self.deferred.sort(scored.scores, self.scope.refusals(fresh, depth))
        self.scoring.keep(self.next_id, scored)
        found = self.open(fresh, scored.scores, refused, depth, parts=scored.parts)
        self.deferred.note(found)
        return found

    def _new(self, links: Links, ids: Ids) -> Ids:
        """Return the rows of links that were never met and may be known, each address once."""
        rows = np.flatnonzero(ids == 0)
        if self.exclusions.any_forgotten:
            rows = np.array([i for i in rows if not self.exclusions.is_forgotten(links.origins[i])], np.intp)
        names = links.hashes[rows]
        if len(set(names.tolist())) < len(rows):  # two spellings of one address
            rows = rows[np.sort(np.unique(names, return_index=True)[1])]
        return rows

    def open(
        self,
        links: Links,
        scores: Scores,
        refused: list[str],
        depth: int,
        *,
        hops: int = 0,
        rules_for: str = "",
        parts: ScoreParts | None = None,
        queued: bool = True,
    ) -> NewLinks:
        """Give links their ids and their place in the frontier; robots links stay outside the queue."""
        found = NewLinks(
            first=self.next_id,
            links=links,
            scores=scores,
            refused=refused,
            depth=depth,
            hops=hops,
            rules_for=rules_for,
            parts=parts,
        )
        if any(refused):
            open = np.array([queued and not rule for rule in refused], bool)
        else:
            open = np.full(len(refused), queued)
        self.frontier.add(self.next_id, links.origins, links.hashes, scores, open)
        if self.scoring.host_policy:
            self.scoring.add_hosts([links.origins[row] for row in np.flatnonzero(open)])
        self.next_id += len(links)
        return found
