"""The mind: what one page means for everything else.

The only place that knows all rooms; it calls them one after another and hands their answers on.
It never waits: no network, no disk, no HTML. `next_link` says what to fetch, `walk` takes what came.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from clew import urls
from clew.contracts import Extractor, Judge
from clew.engine.checkpoint import Checkpoint
from clew.engine.intake import Intake
from clew.engine.redirects import Redirects, is_rules
from clew.engine.robots_gate import RobotsGate
from clew.engine.scoring import Scoring
from clew.frontier import Decision, Exclusions, Frontier, RetryPolicy, Robots, Scope, SitemapLimits, TrapGuard
from clew.store_contracts import Store
from clew.types import (
    Kind,
    Label,
    Link,
    Links,
    Outcome,
    Page,
    PageResult,
    Record,
    Rule,
    State,
    Verdict,
)

SHELF = 100_000
"""Links refused as traps that are remembered, to be looked at again before the crawl ends."""

UNJUDGED = Verdict(0.0)


@dataclass(slots=True, kw_only=True)
class Engine:
    """Frontier, rules, judge, ranker and store around one table.

    `hand_over` is called before each commit: whoever has something that belongs to it gives it to the store.
    """

    frontier: Frontier
    robots: Robots
    scope: Scope
    traps: TrapGuard
    retry_policy: RetryPolicy
    store: Store
    judge: Judge
    extractor: Extractor
    scoring: Scoring
    robots_gate: RobotsGate
    exclusions: Exclusions
    intake: Intake
    redirects: Redirects
    keep: float = 0.5
    obey: bool = True
    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sitemap_limits: SitemapLimits = field(default_factory=SitemapLimits)
    checkpoint: Checkpoint | None = None
    labels: dict[str, bool] = field(default_factory=dict)
    before_commit: Callable[[], None] = lambda: None
    sources: dict[int, str] = field(default_factory=dict)
    taken: dict[int, tuple[float, ...]] = field(default_factory=dict)
    shelf: list[int] = field(default_factory=list)
    pages: int = 0
    relevant: int = 0
    forbidden: int = 0  # links of this run that a robots.txt forbade

    # ---- what to fetch -------------------------------------------------------------------------

    def next_link(self) -> Link | None:
        """Take the best link that may be fetched now; refuse on the way those that may not."""
        now = self.clock()
        while (id := self.frontier.take(now)) is not None:
            link = self.store.link(id)
            if self.exclusions.is_excluded(link.origin):
                self.frontier.requeue(id)
                self.frontier.suspend(link.origin, self.exclusions.reason(link.origin))
            elif self.obey and not is_rules(link) and self.robots_gate.shut(link.origin):
                self.frontier.requeue(id)
                self._shut(link.origin)
            elif reason := self._refusal(link):
                self.frontier.cancel(id)
                self.store.refuse(id, reason)
                self.forbidden += reason.startswith("robots")
            else:
                score = self.frontier.score(id)
                if parts := self.frontier.reranking.score_parts(id, score):
                    self.taken[id] = parts
                return replace(link, score=score)
        return None

    def _shut(self, origin: str) -> None:
        """Let the origin's robots.txt be fetched before anything else of it."""
        if origin not in self.robots_gate.ids:
            links = Links.plain([f"{origin}/robots.txt"], Kind.ROBOTS)
            self.store.add_links(self.intake.open(links, np.ones(1, np.float32), [""], depth=0, queued=False))
            self.robots_gate.ids[origin] = self.intake.next_id - 1
        self.robots_gate.put(origin)

    def _refusal(self, link: Link) -> str:
        if link.kind is Kind.ROBOTS:
            return ""
        if self.obey and (rule := self.robots.refusal(link.url)):
            return rule
        if not link.parent:
            return ""
        if link.kind is not Kind.PAGE:
            return self.sitemap_limits.refusal(link, self._above(link))
        source = self._source(link)
        if rule := self.traps.refusal(link, source):
            if len(self.shelf) < SHELF:
                self.shelf.append(link.id)
            return rule
        self.sources[link.id] = source
        return ""

    def _source(self, link: Link) -> str:
        """Return the address of the page a link stands on; redirects and feeds only hand it on."""
        parent, hops = self.store.link(link.parent), link.hops
        while (hops or parent.kind is Kind.FEED) and parent.parent:
            parent, hops = self.store.link(parent.parent), parent.hops
        return parent.url

    def _above(self, link: Link) -> int:
        """Count the sitemaps that list each other down to this one."""
        count = 0
        while link.parent and (parent := self.store.link(link.parent)).kind is Kind.SITEMAP:
            count += not link.hops
            link = parent
        return count

    def retry_trapped(self) -> bool:
        """Open shelved links of places that have proved honest since; say whether there were any."""
        shelf, self.shelf = self.shelf, []
        opened = False
        for id in shelf:
            link = self.store.link(id)
            if self.traps.refusal(link, self._source(link), sample=False):
                self.shelf.append(id)
            else:
                self.frontier.reopen(id, link.score)
                opened = True
        return self.scoring.run_dry() or opened

    def exclude(self, host: str) -> int:
        """Leave a host alone from now on, in later runs too; return how many open links that concerns."""
        rule = Rule(host, "exclude", self.wall())
        self.store.add_rule(rule)
        return self.apply_rule(rule)

    def apply_rule(self, rule: Rule) -> int:
        """Obey a person's word on a host; return how many links in the frontier that concerns."""
        self.exclusions.add(rule)
        concerned = 0
        for origin in self.frontier.matching_origins(rule.host):
            was_held = origin in self.exclusions.excluded_origins
            if self.exclusions.is_excluded(origin):
                concerned += self.frontier.suspend(origin, self.exclusions.reason(origin))
            elif was_held:
                concerned += self.frontier.resume(origin)
        self.scoring.overrule(rule)
        return concerned

    def add_seeds(self, addresses: Iterable[str], kind: Kind = Kind.PAGE) -> int:
        """Put seeds into the frontier that are not known yet; return how many were new."""
        made = [url for url in dict.fromkeys(addresses) if not self.exclusions.is_forgotten(urls.origin(url))]
        links = Links.plain(made, kind)
        known = self.frontier.find_ids(links.hashes)
        fresh = links.take(np.flatnonzero(known == 0).tolist())
        if len(fresh):
            scores = np.ones(len(fresh), np.float32)
            found = self.intake.open(fresh, scores, [""] * len(fresh), depth=0)
            self.store.add_links(found)
        return len(fresh)

    async def commit(self) -> None:
        """Make all that was learned so far durable, together with the pages that taught it."""
        for rule in self.store.reader.rules(self.exclusions.last_rule):
            self.apply_rule(rule)
        self.store.save_trap_state(self.traps.changed())
        self.before_commit()
        safe = self.checkpoint.begin() if self.checkpoint else None
        await self.store.commit()
        if self.checkpoint and safe:
            await self.checkpoint.settle(safe)

    # ---- what came -----------------------------------------------------------------------------

    def process_page(self, page: Page) -> PageResult:
        """Take one page through judge, extractor, ranker and frontier; add the step to the store."""
        decision = self.retry_policy.decide(page.response, self.wall())
        if _wants_cookie(page):
            decision = replace(decision, state=State.OPEN, reason="asks for a cookie first")
        link, now = page.link, self.clock()
        if decision.state is State.OPEN:
            self.frontier.retry_later(link.id, now, now + decision.retry_in)
            step = PageResult(page=page, state=State.OPEN, reason=decision.reason, clock=self._clock(page))
        else:
            self.frontier.done(link.id, now)
            if link.kind is Kind.ROBOTS:
                step = PageResult(
                    page=page, state=decision.state, new_links=self.redirects.rules(page),
                    reason=decision.reason, clock=self._clock(page),
                )  # fmt: skip
            elif page.redirect:
                step = self._hop(page, decision)
            else:
                step = self._read(page, decision)
        if decision.host_pause:
            self.frontier.pause_host(link.origin, now + decision.host_pause)
        if decision.suspend_host:
            self.frontier.suspend(link.origin, decision.reason)
        self.sources.pop(link.id, None)
        if parts := self.taken.pop(link.id, ()):
            step = replace(step, parts=parts)
        self.store.add(step)
        return step

    def _read(self, page: Page, decision: Decision) -> PageResult:
        """Judge a page, learn from it, and sort its links into new ones and ones met again."""
        link = page.link
        readable = 200 <= page.response.status < 300 and decision.state is State.DONE  # noqa: PLR2004
        follow = readable and not (page.nofollow and self.obey)
        ids = self.frontier.find_ids(page.links.hashes)
        verdict, relevant, same = None, False, 0
        records: tuple[Record, ...] = ()
        if link.kind is Kind.PAGE:
            self.pages += 1
            if readable:
                records = tuple(self.extractor.extract(page))
                verdict = self._judge(page)
                relevant = verdict.value >= self.keep and not (page.noindex and self.obey)
                self.relevant += relevant
            self.scoring.learn(Outcome(page, verdict or UNJUDGED, relevant))
            same = self.traps.learn(page, relevant, self.sources.get(link.id, ""), ids > 0)
        else:
            self.sitemap_limits.learn(link, page.links.kinds)
        return PageResult(
            page=page, state=decision.state, verdict=verdict, relevant=relevant, records=records,
            new_links=self.intake.found(page, verdict, ids) if follow else None,
            reason=decision.reason, duplicate_of=same, clock=self._clock(page),
        )  # fmt: skip

    def _judge(self, page: Page) -> Verdict:
        if page.url in self.labels:
            self.teach(page)
        return self.verdict_on(page)

    def teach(self, page: Page) -> None:
        """Let the judge learn from a page that a person named as an example."""
        self.judge.learn(Label(page.url, self.labels[page.url], self.wall()), page)

    def verdict_on(self, page: Page) -> Verdict:
        """Judge a page; a person's own word on it counts more."""
        good = self.labels.get(page.url)
        return self.judge.judge(page) if good is None else Verdict(float(good), ("you said so",))

    def _hop(self, page: Page, decision: Decision) -> PageResult:
        """Follow a redirect: the target is a link like any other, with the score of the one it came from."""
        link, target = page.link, page.redirect
        if trouble := self.redirects.trouble(page):
            return PageResult(page=page, state=State.FAILED, reason=trouble, clock=self._clock(page))
        known = int(self.frontier.find_ids(np.array([urls.fingerprint(target)], np.uint64))[0])
        if link.kind is Kind.PAGE:
            self.traps.bounce(link.url, self.sources.get(link.id, ""), target, bool(known))
        found = self.redirects.follow(page, known)
        reason, state = decision.reason, decision.state
        return PageResult(page=page, state=state, new_links=found, reason=reason, clock=self._clock(page))

    def _clock(self, page: Page) -> float:
        """Return when this origin may be asked next, in wall time."""
        return self.wall() + max(0.0, self.frontier.next_request_at(page.link.origin) - self.clock())


def _wants_cookie(page: Page) -> bool:
    """Tell a page that redirects to itself until it sees its cookie come back."""
    return page.redirect == page.url and page.link.tries == 0 and bool(page.response.header("set-cookie"))
