"""Redirects: add their targets as links; apply the rules of a robots.txt response."""

from dataclasses import dataclass, replace

import numpy as np

from clew import urls
from clew.engine.intake import Intake
from clew.engine.robots_gate import RobotsGate
from clew.frontier import Frontier
from clew.types import Kind, Link, Links, NewLinks, Page

MAX_HOPS = 10
"""Redirects followed one after another; browsers stop at 20, honest chains at 3 or 4."""

MAX_RULE_HOPS = 5
"""Redirects of a robots.txt, as RFC 9309 asks."""


@dataclass(slots=True, kw_only=True)
class Redirects:
    """Go after answers that point elsewhere: their targets are links like any other."""

    frontier: Frontier
    robots_gate: RobotsGate
    intake: Intake

    def trouble(self, page: Page) -> str:
        """Say in words why a redirect is not followed; empty when it is."""
        if page.link.hops >= MAX_HOPS:
            return f"more than {MAX_HOPS} redirects in a row"
        return "redirects to itself" if page.redirect == page.url else ""

    def follow(self, page: Page, known: int) -> NewLinks | None:
        """Let the target in with the score of the link that led there; `known` is its id if it was met."""
        link, target, scope = page.link, page.redirect, self.intake.scope
        if known == link.parent and link.hops and page.response.header("set-cookie"):
            self._once_more(known)
        elif not known and not self.intake.exclusions.is_forgotten(urls.origin(target)):
            if link.depth == 0 and link.kind is Kind.PAGE:
                scope.add_seed(target)  # a seed that has moved is still what the person asked for
            one = replace(Links.plain([target], link.kind), anchors=[link.anchor])
            score = np.array([link.score], np.float32)
            refused = scope.refusals(one, link.depth)
            return self.intake.open(one, score, refused, link.depth, hops=link.hops + 1)
        return None

    def _once_more(self, id: int) -> None:
        """Ask again for a page that sent us away to fetch a cookie, now that we have it."""
        link = self.intake.store.link(id)
        if link.tries <= 1:
            self.frontier.reopen(id, link.score)

    def rules(self, page: Page) -> NewLinks | None:
        """Let a robots.txt answer open (or keep shut) the gate of its origin; return the links it names."""
        link, visit = page.link, page.response
        origin = link.rules_for or link.origin
        if page.redirect and link.hops < MAX_RULE_HOPS:
            return self._rules_elsewhere(page, origin)
        if page.redirect:  # RFC 9309, 2.3.1.2: too many hops count as no rules at all
            self.robots_gate.settle(origin, 404, "", "")
            return None
        self.robots_gate.settle(origin, visit.status, page.error, page.text)
        if link.origin != origin and is_rules(link) and self.robots_gate.shut(link.origin):
            self.robots_gate.settle(link.origin, visit.status, page.error, page.text)
        if 200 <= visit.status < 300:  # noqa: PLR2004
            return self.intake.found(page, None, self.frontier.find_ids(page.links.hashes))
        return None

    def _rules_elsewhere(self, page: Page, origin: str) -> NewLinks | None:
        """Go after a robots.txt that was redirected: its target is a link of its own host, like any other."""
        target = page.redirect
        there = urls.origin(target)
        if there in self.robots_gate.ids and there != origin and target == f"{there}/robots.txt":
            self.robots_gate.follow(origin, there)
            return None
        # A name of its own, so that the same address can still be fetched as a page.
        name = np.array([urls.fingerprint(f"rules of {origin} at {target}")], np.uint64)
        if self.frontier.find_ids(name)[0]:
            return None  # it is on its way, or leads round in a ring
        one = replace(Links.plain([target], Kind.ROBOTS), hashes=name)
        beside = there == origin  # then it stands before the gate, not behind it
        found = self.intake.open(
            one, np.ones(1, np.float32), [""], page.link.depth, hops=page.link.hops + 1, rules_for=origin,
            queued=not beside,
        )  # fmt: skip
        if beside:
            self.frontier.close_gate(origin, found.first)
        return found


def is_rules(link: Link) -> bool:
    """Tell the robots.txt of an origin, which needs nobody's leave, from every other link."""
    return link.kind is Kind.ROBOTS and (
        link.url == f"{link.origin}/robots.txt" or link.rules_for == link.origin
    )
