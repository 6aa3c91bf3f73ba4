"""The engine: take each page through judge, extractor, ranker, frontier and store.

It calls each component synchronously and never blocks on I/O: no network, no disk, no HTML. `next_link`
returns what to fetch, `process_page` takes what came back. The components do not know each other.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from clew import urls
from clew.contracts import Store
from clew.engine.budget import Totals
from clew.engine.clock import Clock
from clew.engine.evaluation import Evaluation
from clew.engine.intake import Intake
from clew.engine.link_choice import LinkChoice
from clew.engine.link_rules import LinkRules
from clew.engine.redirects import Redirects, is_rules
from clew.engine.robots_gate import RobotsGate
from clew.engine.scoring import Scoring
from clew.frontier import Decision, Frontier, RetryPolicy, is_url_pattern, parse_limit, same_host
from clew.types import (
    Change,
    Kind,
    Link,
    Links,
    NewLinks,
    Outcome,
    Page,
    PageResult,
    Record,
    Rule,
    State,
    Verdict,
)

UNJUDGED = Verdict(0.0)

_Judged: TypeAlias = tuple[Verdict | None, bool, tuple[Record, ...], int]
_UNREAD: _Judged = (None, False, (), 0)
"""Verdict, relevance, records, and the page with the same content, of a page that was not read."""

MOST_DISCOUNTED = 1_000
"""Links that one choice may put back because links like them fail: about 30 ms."""

AfterCommit: TypeAlias = Callable[[], Awaitable[None]]
CommitHook: TypeAlias = Callable[[], AfterCommit | None]
"""Called before each commit: it may give the store something to commit, and return what to do after."""


@dataclass(slots=True, kw_only=True)
class Engine:
    """One page in, one `PageResult` out; the links it brings enter the frontier with their scores.

    `taken` are the parts of the scores that links under way were taken with.
    """

    frontier: Frontier
    store: Store
    rules: LinkRules
    robots_gate: RobotsGate
    evaluation: Evaluation
    scoring: Scoring
    intake: Intake
    redirects: Redirects
    retry_policy: RetryPolicy
    choice: LinkChoice
    clock: Clock = field(default_factory=Clock)
    totals: Totals = field(default_factory=Totals)
    taken: dict[int, tuple[float, ...]] = field(default_factory=dict)
    commit_hooks: list[CommitHook] = field(default_factory=list)

    # ---- what to fetch -------------------------------------------------------------------------

    def next_link(self, focus: int = 0) -> Link | None:
        """Take the best link that may be fetched now; refuse on the way those that may not.

        `focus`: see `LinkChoice.take`.
        """
        now, exclusions = self.clock.monotonic(), self.rules.exclusions
        discounted = 0
        self.rules.suspects.release_share()
        while (id := self.choice.take(now, self.totals, focus)) is not None:
            link = self.choice.revisits.prepared(self.store.link(id))
            if exclusions.is_excluded(link.origin):
                self.frontier.requeue(id)
                self.frontier.suspend(link.origin, exclusions.reason(link.origin))
            elif self.rules.excluded.holds(link):
                continue
            elif self.rules.obey and not is_rules(link) and self.robots_gate.shut(link.origin):
                self.choice.put_back(id)
                self._request_robots(link.origin)
            elif discounted < MOST_DISCOUNTED and self.choice.discount(link):
                discounted += 1
            elif reason := self.rules.refusal(link):
                self._refuse(link, reason)
            elif self.rules.can_wait(link):
                self.frontier.cancel(id)
            else:
                score = self.frontier.score(id)
                if parts := self.frontier.reranking.score_parts(id, score):
                    self.taken[id] = parts
                return link if link.score == score else replace(link, score=score)
        return None

    def _refuse(self, link: Link, reason: str) -> None:
        """Close a link that may not be fetched; a known page stays as it is."""
        self.frontier.cancel(link.id)
        self.rules.suspects.drop(link.id)
        if link.known is None:
            self.rules.suspects.drop(link.id)
            self.store.refuse(link.id, reason)
        else:
            self.choice.revisits.skip(link.id, self.clock.wall(), reason)

    def _request_robots(self, origin: str) -> None:
        """Let the origin's robots.txt be fetched before anything else of it."""
        if origin not in self.robots_gate.ids:
            links = Links.plain([f"{origin}/robots.txt"], Kind.ROBOTS)
            self.store.add_links(self.intake.open(links, np.ones(1, np.float32), [""], depth=0, queued=False))
            self.robots_gate.ids[origin] = self.intake.next_id - 1
        self.robots_gate.put(origin)

    def release_suspects(self, *, others: bool) -> bool:
        """Open links that waited, because nothing else can be fetched; return whether there are any.

        First hosts that the host policy has left, then links to suspect places. `others`: links of hosts that
        rest are left.
        """
        return self.scoring.on_exhausted() or self.rules.suspects.release_round(others=others)

    def refuse_suspects(self) -> int:
        """Refuse the links to suspect places that are still waiting; return their number."""
        return self.rules.suspects.refuse_rest()

    def exclude(self, pattern: str, *, undo: bool = False) -> int:
        """Exclude hosts or URLs from now on, in later runs too; return what `apply_rule` does."""
        rule = Rule(pattern, "include" if undo else "exclude", self.clock.wall())
        self.store.add_rule(rule)
        return self.apply_rule(rule)

    def apply_rule(self, rule: Rule) -> int:
        """Apply a user's rule; return how many links in the frontier it concerns.

        Of URLs that a pattern excludes none is counted: they are held when their turn comes.
        """
        exclusions = self.rules.exclusions
        exclusions.add(rule)
        if parse_limit(rule.verb):
            return self.frontier.limits.add(rule)
        if is_url_pattern(rule.host):
            return self.rules.excluded.release()
        concerned = 0
        for origin in self.frontier.matching_origins(rule.host):
            was_held = origin in exclusions.excluded_origins
            if exclusions.is_excluded(origin):
                concerned += self.frontier.suspend(origin, exclusions.reason(origin))
            elif was_held:
                concerned += self.frontier.resume(origin)
        self.scoring.apply_rule(rule)
        return concerned

    def suspended(self) -> dict[str, str]:
        """Return the hosts and URL patterns whose links are open but not fetched, with the reason."""
        return self.frontier.suspended() | self.rules.excluded.reasons()

    def add_seeds(self, addresses: Iterable[str], kind: Kind = Kind.PAGE) -> int:
        """Add seeds to the frontier that are not known yet; return how many were new."""
        forgets = self.rules.exclusions.is_forgotten
        links = Links.plain([url for url in dict.fromkeys(addresses) if not forgets(urls.origin(url))], kind)
        known = self.frontier.find_ids(links.hashes)
        fresh = links.take(np.flatnonzero(known == 0).tolist())
        if len(fresh):
            scores = np.ones(len(fresh), np.float32)
            self.store.add_links(self.intake.open(fresh, scores, [""] * len(fresh), depth=0))
        return len(fresh)

    async def commit(self) -> None:
        """Make all that was learned so far durable, together with the pages that taught it."""
        for rule in self.store.reader.rules(self.rules.exclusions.last_rule):
            self.apply_rule(rule)
        discounts = self.frontier.discounts.changed(self.frontier.reranking.completed_passes)
        self.store.save_trap_state(
            {**self.rules.traps.changed(), **self.rules.suspects.changed(), **discounts}
        )
        after = [done for hook in self.commit_hooks if (done := hook()) is not None]
        await self.store.commit()
        for done in after:
            await done()

    def on_commit(self, hook: CommitHook) -> None:
        """Call a hook before each commit."""
        self.commit_hooks.append(hook)

    # ---- what came -----------------------------------------------------------------------------

    def process_page(self, page: Page) -> PageResult:
        """Take one page through judge, extractor, ranker and frontier; add the result to the store."""
        decision = self.retry_policy.decide(page.response, self.clock.wall())
        if _wants_cookie(page):
            decision = replace(decision, state=State.OPEN, reason="asks for a cookie first")
        link, now = page.link, self.clock.monotonic()
        if decision.state is State.OPEN:
            self.frontier.retry_later(link.id, now, now + decision.retry_in)
            result = self._result(page, decision)
        else:
            self.frontier.done(link.id, now)
            if link.kind is Kind.ROBOTS:
                result = self._result(page, decision, new_links=self.redirects.rules(page))
            elif link.known is not None:
                result = self._read_again(page, decision)
            elif page.redirect:
                result = self._redirect(page, decision)
            else:
                result = self._read(page, decision)
        if decision.host_pause:
            self.frontier.pause_host(link.origin, now + decision.host_pause)
        if decision.suspend_host:
            self.frontier.suspend(link.origin, decision.reason)
        self.taken.pop(link.id, None)
        self.totals.count(result)
        if link.known is None:
            self.choice.learn(result)
        self.choice.revisits.learn(result)
        self.store.add(result)
        self.rules.suspects.done(link.id, result.new_links)
        return result

    def _read(self, page: Page, decision: Decision) -> PageResult:
        """Judge a page, learn from it, and sort its links into new ones and ones met again."""
        link = page.link
        response = page.response
        answered = 200 <= response.status < 300 and bool(response.body)  # noqa: PLR2004
        readable = answered and decision.state is State.DONE
        follow = readable and not (page.nofollow and self.rules.obey)
        ids = self.frontier.find_ids(page.links.hashes)
        verdict, relevant, duplicate = None, False, 0
        records: tuple[Record, ...] = ()
        if link.kind is Kind.PAGE:
            if readable:
                verdict, relevant, records = self.evaluation.evaluate(page)
                if judge := self.evaluation.abilities.revises:
                    self.scoring.learn_revisions(judge.take_revisions())
            self.scoring.learn(Outcome(page, verdict or UNJUDGED, relevant))
        else:
            self.rules.sitemap_limits.learn(link, page.links.kinds)
            self.choice.revisits.note_dates(page, ids)
        found = self.intake.found(page, verdict, ids) if follow else None
        self.choice.add(found)
        if found is not None:
            source = link.id if link.kind is Kind.PAGE else self._list_source(link)
            self.rules.traps.add_links(found.first, len(found.links), source)
        if link.kind is Kind.PAGE:
            new = same_host(page, found.links.urls, found.refused) if found else 0
            probed = self.rules.suspects.released.get(link.id, "")
            duplicate = self.rules.traps.learn(page, relevant, ids, new, probed)
        return self._result(page, decision, found, (verdict, relevant, records, duplicate))

    def _read_again(self, page: Page, decision: Decision) -> PageResult:
        """Compare a known page with its stored version; judge a new one, and follow what is new on it.

        The ranker learned from the link when it was first followed, and the trap guard from the page.
        """
        change, replaces = self.choice.revisits.change(page, decision.state)
        if change is Change.MOVED:
            return replace(self._moved(page, decision), change=change)
        if not replaces:
            return replace(self._result(page, decision), change=change)
        link, judged = page.link, _UNREAD
        if link.kind is Kind.PAGE:
            judged = (*self.evaluation.evaluate_again(page), 0)
        else:
            self.rules.sitemap_limits.learn(link, page.links.kinds)
        follow = not (page.nofollow and self.rules.obey)
        ids = self.frontier.find_ids(page.links.hashes)
        if link.kind is not Kind.PAGE:
            self.choice.revisits.note_dates(page, ids)
        found = self.intake.found(page, judged[0], ids) if follow else None
        if found is not None:
            source = link.id if link.kind is Kind.PAGE else self._list_source(link)
            self.rules.traps.add_links(found.first, len(found.links), source)
        return replace(self._result(page, decision, found, judged), change=change, replaces=True)

    def _moved(self, page: Page, decision: Decision) -> PageResult:
        """Follow the redirect of a known page, unless it is known where it leads."""
        if self.redirects.trouble(page):
            return self._result(page, decision)
        known = int(self.frontier.find_ids(np.array([urls.fingerprint(page.redirect)], np.uint64))[0])
        found = self.redirects.follow(page, known)
        if found is not None:
            self.rules.traps.add_links(found.first, len(found.links), self.rules.traps.source(page.link.id))
        return self._result(page, decision, new_links=found)

    def _redirect(self, page: Page, decision: Decision) -> PageResult:
        """Follow a redirect: the target is a link like any other, with the score of the one it came from."""
        link, target = page.link, page.redirect
        if trouble := self.redirects.trouble(page):
            return replace(self._result(page, decision), state=State.FAILED, reason=trouble)
        known = int(self.frontier.find_ids(np.array([urls.fingerprint(target)], np.uint64))[0])
        found = self.redirects.follow(page, known)
        if link.kind is Kind.PAGE:
            probed = self.rules.suspects.released.get(link.id, "")
            self.rules.traps.learn_redirect(link.id, link.url, target, known=bool(known), probed=probed)
        if found is not None:
            self.rules.traps.add_links(found.first, len(found.links), self.rules.traps.source(link.id))
        return self._result(page, decision, new_links=found)

    def _list_source(self, link: Link) -> int:
        """Return the page whose feed this is; sitemaps belong to none."""
        return self.rules.traps.source(link.id) if link.kind is Kind.FEED else 0

    def _result(
        self, page: Page, decision: Decision, new_links: NewLinks | None = None, judged: _Judged = _UNREAD
    ) -> PageResult:
        """Return the result of a page; `next_at` of its host is read after its links are in the frontier."""
        next_at = self.frontier.next_request_at(page.link.origin) - self.clock.monotonic()
        verdict, relevant, records, duplicate = judged
        return PageResult(
            page=page, state=decision.state, verdict=verdict, records=records, new_links=new_links,
            relevant=relevant, reason=decision.reason, duplicate_of=duplicate,
            clock=self.clock.wall() + max(0.0, next_at), parts=self.taken.get(page.link.id, ()),
        )  # fmt: skip


def _wants_cookie(page: Page) -> bool:
    """Tell a page that redirects to itself until it sees its cookie come back."""
    return page.redirect == page.url and page.link.tries == 0 and bool(page.response.header("set-cookie"))
