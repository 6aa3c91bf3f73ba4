"""Hosts that shut us out, and a network that is gone: failures that come in a row."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from clew import urls
from clew.config import Config
from clew.domain.text import shown
from clew.engine.run import CrawlRun
from clew.insight.diagnostics.counts import BLOCKED
from clew.types import Kind, PageResult, State

SHUT = 10
"""Refusals in a row before a host counts as shut: single pages behind a password are no wall."""

BUSY = 4
"""429 or 503 in a row: the host has then rested 5 + 10 + 20 s for nothing, and is left alone after six."""

SAME = 20
"""Addresses in a row that give the same page: print views and session links come in twos and threes."""

CHALLENGE = 5
"""Pages in a row that ask whether we are human."""

NAMED = 5
"""Hosts that get a hint of their own; beyond that they are counted."""

OFFLINE = 10
"""Requests that all failed the same way, at several hosts, before the network is blamed."""

LOST = 40
"""… and when others succeeded before: a handful of dead hosts in a row is everyday life."""

_REMEMBERED = 10_000  # hosts; the one not met for longest is forgotten
_LOOK = 600  # characters; whoever asks for a click says so at once
_CHALLENGE = (
    "captcha", "are you human", "are you a human", "are you a robot", "not a robot", "verify you are",
    "verify that you are", "checking your browser", "just a moment", "unusual traffic", "attention required",
    "access denied", "javascript and cookies to continue", "security check",
)  # fmt: skip


@dataclass(slots=True)
class _Host:
    """What one host answered of late: good answers in all, and rows of one kind."""

    good: int = 0
    shut: int = 0
    busy: int = 0
    same: int = 0
    asked: int = 0  # challenges in a row


class BlockedHosts:
    """Watch answers host by host, and failures over all hosts.

    `fresh(key, size)` says whether a hint is worth giving: never given, or much worse by now.
    """

    def __init__(self, config: Config, where: str, fresh: Callable[[str, float], bool]) -> None:
        self.config = config
        self.where = where
        self.fresh = fresh
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._walled: set[str] = set()
        self._good = 0
        self._failed = 0
        self._error = ""
        self._silent: set[str] = set()

    def see(self, walk: CrawlRun, step: PageResult) -> list[str]:
        """Take one answer into account; return what is to be said about it."""
        visit = step.page.response
        name = urls.clock_key(step.page.link.origin)
        hints = [self._network(name, visit.status, visit.error)]
        if step.page.link.kind is not Kind.ROBOTS:
            if wall := self._wall(self._host(name), step):
                hints.append(self._named(name, urls.host(step.page.url), *wall))
        elif step.state is not State.OPEN and not step.page.redirect:
            hints.append(self._rules(walk, step))
        return [hint for hint in hints if hint]

    def _wall(self, host: _Host, step: PageResult) -> tuple[int, str, str] | None:
        """Count an answer; return how long the row is, what the host does, and what clew does."""
        page, status = step.page, step.page.response.status
        challenge = _is_challenge(step)
        host.asked = host.asked + 1 if challenge else 0
        host.shut = host.shut + 1 if status in BLOCKED else 0
        host.busy = host.busy + 1 if status in (429, 503) else 0
        host.same = host.same + 1 if step.duplicate_of and step.verdict is not None else 0
        before = f" after {host.good:,} good answers" if host.good else ""
        if host.asked >= CHALLENGE:
            return (
                host.asked,
                f"asks whether we are human, {host.asked} times in a row{before}",
                "goes on asking",
            )
        if host.busy >= BUSY:
            return (
                host.busy,
                f"answered {status} (too many requests) {host.busy} times in a row{before}",
                "lets it rest longer each time, then leaves it alone",
            )
        if host.shut >= SHUT:
            return host.shut, f"refused the last {host.shut} requests ({status}){before}", "goes on asking"
        if host.same >= SAME:
            title = f' ("{shown(page.title, 40)}")' if page.title else ""
            said = f"gave the same page{title} at {host.same} addresses in a row: a login or consent wall?"
            return host.same, said, "goes on"
        host.good += 200 <= status < 300 and not (challenge or step.duplicate_of)  # noqa: PLR2004
        return None

    def _named(self, name: str, host: str, row: int, does: str, clew: str) -> str:
        if name not in self._walled:
            self._walled.add(name)
            if len(self._walled) > NAMED and self.fresh("many walls", len(self._walled)):
                return (
                    f"{len(self._walled)} hosts refuse us by now; if they matter to you, ask more slowly:"
                    f" Ctrl-C, then clew run {self.where} --set fetch.delay=5"
                )
        if len(self._walled) > NAMED or not self.fresh(f"wall {name}", row):
            return ""
        cure = (
            f"ask more slowly: Ctrl-C, then clew run {self.where} --set fetch.delay=5"
            if "too many requests" in does
            else f"leave it out: clew exclude {self.where} {shown(host)}"
        )
        return f"{shown(name, 60)} {does}; clew {clew}; {cure}"

    def _rules(self, walk: CrawlRun, step: PageResult) -> str:
        """Say that a host of the seeds is left alone because its robots.txt cannot be read."""
        origin = step.page.link.rules_for or step.page.link.origin
        if not walk.engine.robots.unreachable(origin):
            return ""
        if origin not in {urls.origin(url) for url in walk.engine.scope.seeds} or not self.fresh(
            f"rules {origin}", 1
        ):
            return ""
        visit = step.page.response
        why = visit.error or step.page.error or f"status {visit.status}"
        return (
            f"{shown(origin, 60)} is left alone in this run, its robots.txt could not be read"
            f" ({shown(why, 60)}); try again later: clew run {self.where}"
        )

    def _network(self, name: str, status: int, error: str) -> str:
        """Notice that every request fails in the same way, wherever it goes."""
        if status or not error:
            self._good += 1
            self._failed, self._error = 0, ""
            self._silent.clear()
            return ""
        if error != self._error:
            self._failed, self._error = 0, error
            self._silent.clear()
        self._failed += 1
        if len(self._silent) < LOST:
            self._silent.add(name)
        proxy = self.config.fetch.proxy
        many, hosts = (LOST, 5) if self._good else (3, 1) if proxy else (OFFLINE, 2)
        if self._failed < many or len(self._silent) < hosts or not self.fresh("network", self._failed):
            return ""
        return self._offline()

    def silence(self) -> list[str]:
        """Return what is to be said when a run ends without any answer, if it looks like our side."""
        ours = self.config.fetch.proxy or len(self._silent) > 1
        return [self._offline()] if ours and self._failed and not self._good else []

    def _offline(self) -> str:
        said = f'the last {self._failed} requests failed in the same way ("{shown(self._error, 60)}")'
        if proxy := self.config.fetch.proxy:
            return f"{said}: is the proxy {_masked(proxy)} running? Check it with: clew doctor {self.where}"
        return f"{said}, at {len(self._silent)} hosts: is this computer offline? Check it with: clew doctor"

    def _host(self, name: str) -> _Host:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = _Host()
            if len(self._hosts) > _REMEMBERED:
                self._hosts.popitem(last=False)
        else:
            self._hosts.move_to_end(name)
        return host


def _is_challenge(step: PageResult) -> bool:
    page = step.page
    if len(page.text) > 4 * _LOOK or step.relevant:
        return False
    text = f"{page.title} {page.text[:_LOOK]}".lower()
    return any(sign in text for sign in _CHALLENGE)


def _masked(proxy: str) -> str:
    """Return a proxy's address without the password in it."""
    parts = urlsplit(proxy)
    return shown(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", 60)
