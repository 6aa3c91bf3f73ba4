"""The mind: what one page means for everything else.

The only place that knows all rooms; it calls them one after another and hands their answers on.
It never waits: no network, no disk, no HTML. `next_link` says what to fetch, `walk` takes what came.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from clew import urls
from clew.contracts import Extractor, Judge, Ranker
from clew.frontier import Decision, Frontier, Patience, Robots, Scope, Traps
from clew.gates import Gates
from clew.store import SqliteStore
from clew.types import Found, Kind, Label, Link, Links, Outcome, Page, State, Step, Verdict

MAX_HOPS = 10
"""Redirects followed one after another; browsers stop at 20, honest chains at 3 or 4."""

MAX_RULE_HOPS = 5
"""Redirects of a robots.txt, as RFC 9309 asks."""

UNVOUCHED = 0.1
"""Score of links that no page vouches for: those of sitemaps named in robots.txt."""

UNJUDGED = Verdict(0.0)


@dataclass(slots=True, kw_only=True)
class Mind:
    """Frontier, rules, judge, ranker and store around one table."""

    frontier: Frontier
    robots: Robots
    scope: Scope
    traps: Traps
    patience: Patience
    store: SqliteStore
    judge: Judge
    extractor: Extractor
    ranker: Ranker
    gates: Gates
    keep: float = 0.5
    obey: bool = True
    per_host: int = 0
    clock: Callable[[], float] = time.monotonic
    labels: dict[str, bool] = field(default_factory=dict)
    next_id: int = 1
    pages: int = 0
    relevant: int = 0
    per_origin: Counter[str] = field(default_factory=Counter)

    # ---- what to fetch -------------------------------------------------------------------------

    def next_link(self) -> Link | None:
        """Take the best link that may be fetched now; refuse on the way those that may not."""
        now = self.clock()
        while (id := self.frontier.take(now)) is not None:
            link = self.store.link(id)
            if link.kind is not Kind.ROBOTS and self.obey and self.gates.shut(link.origin):
                self.frontier.back(id, now, now)
                self.frontier.gate(link.origin, self.gates.ids[link.origin])
                continue
            reason = self._refusal(link)
            if not reason:
                return link
            self.frontier.drop(id)
            self.store.refuse(id, reason)
        return None

    def _refusal(self, link: Link) -> str:
        if link.kind is Kind.ROBOTS:
            return ""
        if self.obey and (rule := self.robots.refusal(link.url)):
            return rule
        if link.kind is not Kind.PAGE:
            return ""
        if self.per_host and self.per_origin[link.origin] >= self.per_host:
            return f"scope.per_host: {self.per_host} pages of this host were read"
        return self.traps.refusal(link)

    def plant(self, addresses: Iterable[str], kind: Kind = Kind.PAGE) -> int:
        """Put seeds into the frontier that are not known yet; return how many were new."""
        made = list(dict.fromkeys(addresses))
        links = Links.plain(made, kind)
        known = self.frontier.known(links.hashes)
        fresh = links.take(np.flatnonzero(known == 0).tolist())
        if len(fresh):
            scores = np.ones(len(fresh), np.float32)
            found = self._open(fresh, scores, [""] * len(fresh), depth=0)
            self.store.plant(found)
        return len(fresh)

    # ---- what came -----------------------------------------------------------------------------

    def walk(self, page: Page) -> Step:
        """Take one page through judge, extractor, ranker and frontier; add the step to the store."""
        decision = self.patience.weigh(page.visit, time.time())
        now = self.clock()
        if decision.state is State.OPEN:
            step = self._again(page, decision, now)
        else:
            self.frontier.done(page.link.id, now, rest=decision.rest)
            if page.link.kind is Kind.ROBOTS:
                step = self._rules(page, decision)
            elif page.redirect:
                step = self._hop(page, decision)
            else:
                step = self._read(page, decision)
        if decision.hold:
            self.frontier.hold(page.link.origin, decision.reason)
        self.store.add(step)
        return step

    def _again(self, page: Page, decision: Decision, now: float) -> Step:
        self.frontier.done(page.link.id, now, rest=decision.rest, retry_at=now + decision.retry_in)
        return Step(page=page, state=State.OPEN, reason=decision.reason, clock=self._clock(page))

    def _read(self, page: Page, decision: Decision) -> Step:
        readable = 200 <= page.visit.status < 300 and decision.state is State.DONE  # noqa: PLR2004
        verdict, relevant, records, same = None, False, (), 0
        if page.link.kind is Kind.PAGE:
            self.pages += 1
            self.per_origin[page.link.origin] += 1
            if readable:
                verdict = self._judge(page)
                relevant = verdict.value >= self.keep and not (page.noindex and self.obey)
                self.relevant += relevant
                records = tuple(self.extractor.extract(page))
                self.ranker.learn(Outcome(page, verdict))
            same = self.traps.learn(page, relevant=relevant)
        found = None
        if readable and not (page.nofollow and self.obey):
            found = self._found(page, verdict)
        return Step(
            page=page, state=decision.state, verdict=verdict, relevant=relevant, records=records, found=found,
            reason=decision.reason, duplicate_of=same, clock=self._clock(page),
        )  # fmt: skip

    def _judge(self, page: Page) -> Verdict:
        good = self.labels.get(page.url)
        if good is None:
            return self.judge.judge(page)
        self.judge.learn(Label(page.url, good, time.time()), page)
        return Verdict(float(good), ("you said so",))

    def _found(self, page: Page, verdict: Verdict | None) -> Found | None:
        """Sort a page's links into new ones, ones met again and ones that may not be followed."""
        links = page.links
        if not len(links):
            return None
        if verdict is not None:
            scores = self.ranker.score(Outcome(page, verdict), links)
        else:
            vouched = UNVOUCHED if page.link.kind is Kind.ROBOTS else page.link.score
            scores = np.full(len(links), vouched, np.float32)
        ids = self.frontier.known(links.hashes)
        self.traps.met(page.link, links, ids)
        again = np.flatnonzero(ids)
        if len(again):
            risen = self.frontier.raise_scores(ids[again], scores[again])
            self.store.raise_scores(ids[again][risen], scores[again][risen])
        rows = np.flatnonzero(ids == 0)
        if len(rows) > 1:  # two spellings with one fingerprint
            rows = rows[np.sort(np.unique(links.hashes[rows], return_index=True)[1])]
        if not len(rows):
            return None
        depth = page.link.depth + 1
        fresh = links.take(rows.tolist())
        return self._open(fresh, scores[rows], self.scope.refusals(fresh, depth), depth)

    def _open(self, links: Links, scores: np.ndarray, refused: list[str], depth: int, hops: int = 0) -> Found:
        """Give links their ids and their place in the frontier; new origins get their gate."""
        open = np.array([not rule for rule in refused], bool)
        strangers = list(dict.fromkeys(
            o for o, rule in zip(links.origins, refused, strict=True) if not rule and self.frontier.is_new(o)
        ))  # fmt: skip
        if strangers and self.obey:
            links = links.join(Links.plain([f"{o}/robots.txt" for o in strangers], Kind.ROBOTS))
            scores = np.append(scores, np.ones(len(strangers), np.float32))
            refused = refused + [""] * len(strangers)
            open = np.append(open, np.zeros(len(strangers), bool))
        found = Found(first=self.next_id, links=links, scores=scores, refused=refused, depth=depth, hops=hops)
        self.frontier.add(self.next_id, links.origins, links.hashes, scores, open)
        self.next_id += len(links)
        if self.obey:
            for id, origin in enumerate(strangers, self.next_id - len(strangers)):
                self.gates.put(origin, id)
        return found

    def _hop(self, page: Page, decision: Decision) -> Step:
        """Follow a redirect: the target is a link like any other, with the score of the one it came from."""
        link, target = page.link, page.redirect
        found, reason, state = None, decision.reason, decision.state
        self.traps.learn(page, relevant=False)
        if link.hops >= MAX_HOPS:
            state, reason = State.FAILED, f"more than {MAX_HOPS} redirects in a row"
        elif target == link.url:
            return self._with_cookie(page)
        else:
            one = Links.plain([target], Kind.PAGE if link.kind is Kind.ROBOTS else link.kind)
            one = replace(one, anchors=[link.anchor])
            if not self.frontier.known(one.hashes)[0]:
                if link.depth == 0 and link.kind is Kind.PAGE:
                    self.scope.welcome(target)  # a seed that has moved is still what the person asked for
                score = np.array([link.score], np.float32)
                found = self._open(one, score, self.scope.refusals(one, link.depth), link.depth, link.hops + 1)
        return Step(page=page, state=state, found=found, reason=reason, clock=self._clock(page))

    def _with_cookie(self, page: Page) -> Step:
        """Ask once more when a page redirects to itself and sets a cookie: it wants to see it come back."""
        link = page.link
        if page.visit.header("set-cookie") and link.tries == 0:
            now = self.clock()
            self.frontier.reopen(link.id, now)
            return Step(page=page, state=State.OPEN, reason="asks for a cookie first", clock=self._clock(page))
        return Step(page=page, state=State.FAILED, reason="redirects to itself", clock=self._clock(page))

    def _rules(self, page: Page, decision: Decision) -> Step:
        """Let a robots.txt answer open (or keep shut) the gate of its origin."""
        link, visit = page.link, page.visit
        origin = link.rules_for or link.origin
        found = None
        if page.redirect and link.hops < MAX_RULE_HOPS:
            found = self._rules_elsewhere(page, origin)
        elif page.redirect:  # RFC 9309, 2.3.1.2: too many hops count as no rules at all
            self.gates.settle(origin, 404, "", "")
        else:
            self.gates.settle(origin, visit.status, page.error, page.text)
            if 200 <= visit.status < 300:  # noqa: PLR2004
                found = self._found(page, None)
        return Step(page=page, state=decision.state, found=found, reason=decision.reason, clock=self._clock(page))

    def _rules_elsewhere(self, page: Page, origin: str) -> Found | None:
        """Go after a robots.txt that was redirected, without breaking the rules of where it leads."""
        target = page.redirect
        there = urls.origin(target)
        own = target == f"{there}/robots.txt"
        if own and there in self.gates.ids:
            self.gates.follow(origin, there)
            return None
        one = Links.plain([target], Kind.ROBOTS)
        # A name of its own, so that the same address can still be fetched as a page.
        one = replace(one, hashes=np.array([urls.fingerprint(f"rules {origin} {target}")], np.uint64))
        direct = own or there == origin
        id, score = self.next_id, np.ones(1, np.float32)
        if not direct and self.frontier.is_new(there):
            one = one.join(Links.plain([f"{there}/robots.txt"], Kind.ROBOTS))
            score = np.ones(2, np.float32)
        found = Found(
            first=id, links=one, scores=score, refused=[""] * len(one), depth=page.link.depth,
            hops=page.link.hops + 1, rules_for=origin,
        )  # fmt: skip
        self.frontier.add(id, one.origins, one.hashes, score, np.array([not direct, False][: len(one)]))
        self.next_id += len(one)
        if own:
            self.gates.put(there, id)
            self.gates.follow(origin, there)
        elif direct:
            self.frontier.gate(origin, id)
        elif len(one) > 1:
            self.gates.put(there, id + 1)
        return found

    def _clock(self, page: Page) -> float:
        """Return when this origin may be asked next, in wall time."""
        return time.time() + max(0.0, self.frontier.next_at(page.link.origin) - self.clock())
