"""Detect hosts that refuse requests, and a network failure, from failures in a row."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from clew import urls
from clew.config import Config
from clew.domain.text import printable
from clew.engine.run import CrawlRun
from clew.insight.diagnostics.counts import BLOCKED
from clew.types import Kind, PageResult, State

REFUSED = 10
"""Refusals in a row before a host is blocked: single pages behind a login do not block it."""

BUSY = 4
"""429 or 503 in a row: backoffs of 5 + 10 + 20 s did not help, and after six the host is suspended."""

SAME = 20
"""URLs in a row with the same page: print views and session links come in twos and threes."""

CHALLENGE = 5
"""Bot checks in a row."""

NAMED = 5
"""Hosts with a hint of their own; further ones are only counted."""

OFFLINE = 10
"""Requests at several hosts that failed with the same error before the network is suspected."""

LOST = 40
"""The same if other requests succeeded before: a few dead hosts in a row are normal."""

_MAX_HOSTS = 10_000  # hosts; the least recently used one is dropped
_LOOK = 600  # characters; a bot check says so at the top
_CHALLENGE = (
    "captcha", "are you human", "are you a human", "are you a robot", "not a robot", "verify you are",
    "verify that you are", "checking your browser", "just a moment", "unusual traffic", "attention required",
    "access denied", "javascript and cookies to continue", "security check",
)  # fmt: skip


@dataclass(slots=True)
class _Host:
    """Responses of one host: successes in all, and the current runs of failures by kind."""

    successes: int = 0
    refused: int = 0
    busy: int = 0
    same: int = 0
    challenges: int = 0


class BlockedHosts:
    """Watch responses by host, and failures over all hosts.

    `fresh(key, size)` returns whether a hint is new, or its number has grown fivefold.
    """

    def __init__(self, config: Config, where: str, fresh: Callable[[str, float], bool]) -> None:
        self.config = config
        self.where = where
        self.fresh = fresh
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._blocked: set[str] = set()
        self._successes = 0
        self._failed = 0
        self._error = ""
        self._silent_hosts: set[str] = set()

    def observe(self, run: CrawlRun, result: PageResult) -> list[str]:
        """Count one response; return new hints."""
        response = result.page.response
        name = urls.clock_key(result.page.link.origin)
        hints = [self._network(name, response.status, response.error)]
        if result.page.link.kind is not Kind.ROBOTS:
            if failure := self._failure_run(self._host(name), result):
                hints.append(self._named(name, urls.host(result.page.url), *failure))
        elif result.state is not State.OPEN and not result.page.redirect:
            hints.append(self._rules(run, result))
        return [hint for hint in hints if hint]

    def _failure_run(self, host: _Host, result: PageResult) -> tuple[int, str, str] | None:
        """Count a response; return the length of the run, what the host does, and what clew does."""
        page, status = result.page, result.page.response.status
        challenge = _is_challenge(result)
        host.challenges = host.challenges + 1 if challenge else 0
        host.refused = host.refused + 1 if status in BLOCKED else 0
        host.busy = host.busy + 1 if status in (429, 503) else 0
        host.same = host.same + 1 if result.duplicate_of and result.verdict is not None else 0
        before = f" after {host.successes:,} successful responses" if host.successes else ""
        if host.challenges >= CHALLENGE:
            return (
                host.challenges,
                f"returned a bot check {host.challenges} times in a row{before}",
                "keeps requesting",
            )
        if host.busy >= BUSY:
            return (
                host.busy,
                f"responded {status} (too many requests) {host.busy} times in a row{before}",
                "backs off longer each time, then suspends it",
            )
        if host.refused >= REFUSED:
            return (
                host.refused,
                f"refused the last {host.refused} requests ({status}){before}",
                "keeps requesting",
            )
        if host.same >= SAME:
            title = f' ("{printable(page.title, 40)}")' if page.title else ""
            what = f"returned the same page{title} for {host.same} URLs in a row: a login or consent wall?"
            return host.same, what, "continues"
        host.successes += 200 <= status < 300 and not (challenge or result.duplicate_of)  # noqa: PLR2004
        return None

    def _named(self, name: str, host: str, length: int, does: str, clew: str) -> str:
        if name not in self._blocked:
            self._blocked.add(name)
            if len(self._blocked) > NAMED and self.fresh("many blocked", len(self._blocked)):
                return (
                    f"{len(self._blocked)} hosts refuse requests; if you need them, slow down:"
                    f" Ctrl-C, then clew run {self.where} --set fetch.delay=5"
                )
        if len(self._blocked) > NAMED or not self.fresh(f"blocked {name}", length):
            return ""
        cure = (
            f"slow down: Ctrl-C, then clew run {self.where} --set fetch.delay=5"
            if "too many requests" in does
            else f"exclude it: clew exclude {self.where} {printable(host)}"
        )
        return f"{printable(name, 60)} {does}; clew {clew}; {cure}"

    def _rules(self, run: CrawlRun, result: PageResult) -> str:
        """Return a hint if a seed's host is skipped because its robots.txt cannot be read."""
        origin = result.page.link.rules_for or result.page.link.origin
        if not run.engine.rules.robots.unreachable(origin):
            return ""
        if origin not in {urls.origin(url) for url in run.engine.intake.scope.seeds} or not self.fresh(
            f"rules {origin}", 1
        ):
            return ""
        response = result.page.response
        why = response.error or result.page.error or f"status {response.status}"
        return (
            f"{printable(origin, 60)} is skipped in this run because its robots.txt could not be read"
            f" ({printable(why, 60)}); try again later: clew run {self.where}"
        )

    def _network(self, name: str, status: int, error: str) -> str:
        """Detect that all requests fail with the same error, at any host."""
        if status or not error:
            self._successes += 1
            self._failed, self._error = 0, ""
            self._silent_hosts.clear()
            return ""
        if error != self._error:
            self._failed, self._error = 0, error
            self._silent_hosts.clear()
        self._failed += 1
        if len(self._silent_hosts) < LOST:
            self._silent_hosts.add(name)
        proxy = self.config.fetch.proxy
        many, hosts = (LOST, 5) if self._successes else (3, 1) if proxy else (OFFLINE, 2)
        if self._failed < many or len(self._silent_hosts) < hosts or not self.fresh("network", self._failed):
            return ""
        return self._offline()

    def no_response(self) -> list[str]:
        """Return the hint for a run without any response, if the network or proxy is the likely cause."""
        ours = self.config.fetch.proxy or len(self._silent_hosts) > 1
        return [self._offline()] if ours and self._failed and not self._successes else []

    def _offline(self) -> str:
        failed = (
            f'the last {self._failed} requests failed with the same error ("{printable(self._error, 60)}")'
        )
        if proxy := self.config.fetch.proxy:
            return f"{failed}: is the proxy {_masked(proxy)} running? Check with: clew doctor {self.where}"
        return (
            f"{failed}, at {len(self._silent_hosts)} hosts: is this computer offline? Check with: clew doctor"
        )

    def _host(self, name: str) -> _Host:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = _Host()
            if len(self._hosts) > _MAX_HOSTS:
                self._hosts.popitem(last=False)
        else:
            self._hosts.move_to_end(name)
        return host


def _is_challenge(result: PageResult) -> bool:
    page = result.page
    if len(page.text) > 4 * _LOOK or result.relevant:
        return False
    text = f"{page.title} {page.text[:_LOOK]}".lower()
    return any(sign in text for sign in _CHALLENGE)


def _masked(proxy: str) -> str:
    """Return the URL of a proxy without its password."""
    parts = urlsplit(proxy)
    return printable(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", 60)
