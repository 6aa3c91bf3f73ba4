"""The judge: reads the servers' access log and what the crawler exported, and nothing else.

A case states what must be true of its own site as a list of checks; `invariants` holds for every site.
A check is a function of the evidence and the site's name that raises AssertionError with the facts.
"""

import csv
import hashlib
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

DELAY = 0.1
TOLERANCE = 0.9
TIMEOUT = 6.0
HELD_AT_MOST = TIMEOUT + 4.0
"""The one deadline, and what a loaded machine may add; the real limit is 90 s."""
MAX_TRIES = 12


@dataclass(frozen=True)
class Asked:
    """One request from the access log."""

    site: str
    host: str
    url: str
    method: str
    target: str
    started: float
    ended: float
    status: int
    sent: int
    complete: bool
    connection: int
    headers: dict[str, str]
    digest: str


@dataclass(frozen=True)
class Held:
    """One connection from the access log."""

    site: str
    host: str
    opened: float
    closed: float
    sent: int


@dataclass
class Evidence:
    """All there is to judge: log, export, and what the program printed."""

    log_path: Path
    folder: Path
    export: Path
    output: str = ""
    peak_mib: float = 0.0
    foreign: set[str] = field(default_factory=set)
    started: float = 0.0

    @cached_property
    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.log_path.read_text("utf-8").splitlines()]

    @cached_property
    def asked(self) -> list[Asked]:
        fields = Asked.__dataclass_fields__
        found = [
            Asked(
                **{
                    k: v
                    for k, v in {**line, "url": f"{line['scheme']}://{line['host']}{line['target']}"}.items()
                    if k in fields
                }
            )
            for line in self.lines
            if line["kind"] == "request"
        ]
        return sorted(found, key=lambda a: a.started)

    @cached_property
    def held(self) -> list[Held]:
        fields = Held.__dataclass_fields__
        return [Held(**{k: line[k] for k in fields}) for line in self.lines if line["kind"] == "connection"]

    @cached_property
    def by_site(self) -> dict[str, list[Asked]]:
        made = defaultdict(list)
        for asked in self.asked:
            made[asked.site].append(asked)
        return made

    @cached_property
    def rows(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.export.read_text("utf-8").split("\n") if line]

    @cached_property
    def by_url(self) -> dict[str, dict[str, object]]:
        return {str(row["url"]): row for row in self.rows}

    @cached_property
    def origins(self) -> dict[str, str]:
        """Origin of each site that was ever asked."""
        return {a.site: f"{a.url.removesuffix(a.target)}" for a in self.asked}

    def to(self, site: str, prefix: str = "/", *, robots: bool = False) -> list[Asked]:
        """Return the requests to a site under a prefix; robots.txt only when asked for."""
        return [
            a for a in self.by_site.get(site, [])
            if a.target.startswith(prefix) and (robots or a.target != "/robots.txt")
        ]  # fmt: skip

    def row(self, site: str, path: str) -> dict[str, object] | None:
        return self.by_url.get(self.origins.get(site, "") + path)


Check = Callable[[Evidence, str], None]


def read(*paths: str, saying: str = "", at: str = "") -> Check:
    """Each path was fetched whole, once, and is exported with status 200 (and these words)."""

    def check(evidence: Evidence, site: str) -> None:
        where = f"{site}/{at}" if at else site
        for path in paths:
            assert evidence.to(where, path), f"{path} was never asked for on {where}"
            row = evidence.row(where, path)
            assert row, f"{path} was asked for and is not in the export"
            assert row["status"] == 200, f"{path}: {_short(row)}"
            assert not row["error"], f"{path}: {_short(row)}"
            assert not row["truncated"], f"{path}: {_short(row)}"
            if saying:
                assert saying in f"{row['title']} {row['text']}", (
                    f"{path} does not say {saying!r}: {_short(row)}"
                )

    return check


def marked(*paths: str, tries: int = MAX_TRIES) -> Check:
    """Each path is in the export, and the export says that it is not a whole page."""

    def check(evidence: Evidence, site: str) -> None:
        for path in paths:
            row = evidence.row(site, path)
            assert row, f"{path} is not in the export"
            assert row["error"] or row["truncated"] or row["status"] != 200, (
                f"{path} passes for whole: {_short(row)}"
            )
        asked_at_most(tries, *paths)(evidence, site)

    return check


def has_status(path: str, *statuses: int, at: str = "") -> Check:
    """The export gives one of these statuses for a path."""

    def check(evidence: Evidence, site: str) -> None:
        row = evidence.row(f"{site}/{at}" if at else site, path)
        assert row, f"{path} is not in the export"
        assert row["status"] in statuses, f"{path}: {_short(row)}"

    return check


def asked_at_most(limit: int, *prefixes: str, at: str = "") -> Check:
    """No prefix was asked for more often than this (the whole site, if none is given)."""

    def check(evidence: Evidence, site: str) -> None:
        for prefix in prefixes or ("/",):
            found = evidence.to(f"{site}/{at}" if at else site, prefix)
            assert len(found) <= limit, (
                f"{prefix} was asked for {len(found)} times: {[a.target[:80] for a in found[-8:]]}"
            )

    return check


def never(*prefixes: str, at: str = "", exactly: bool = False) -> Check:
    """Nothing under these prefixes (or these very targets) was ever asked for."""

    def check(evidence: Evidence, site: str) -> None:
        for prefix in prefixes:
            found = evidence.to(f"{site}/{at}" if at else site, prefix)
            found = [a for a in found if a.target == prefix] if exactly else found
            assert not found, f"{[a.target[:80] for a in found[:5]]} should not have been asked for"

    return check


def spaced(seconds: float, *, after: str = "", at: str = "") -> Check:
    """Request starts lie this far apart: all of them, or only what follows the first for `after`."""

    def check(evidence: Evidence, site: str) -> None:
        found = evidence.to(f"{site}/{at}" if at else site, "/", robots=True)
        if after:
            first = next((i for i, a in enumerate(found) if a.target == after), None)
            assert first is not None, f"{after} was never asked for"
            found = found[first : first + 2]
        for one, two in itertools.pairwise(found):
            gap = two.started - one.started
            assert gap >= seconds * TOLERANCE, f"{one.target} → {two.target}: {gap:.3f} s, {seconds} were due"

    return check


def let_go(seconds: float = HELD_AT_MOST, *, sent: int = 16 * 2**20) -> Check:
    """No connection to the site was held for longer while it misbehaved, nor took more bytes."""

    def check(evidence: Evidence, site: str) -> None:
        found = [h for h in evidence.held if h.site == site]
        assert found, "no connection was made at all"
        for held in evidence.to(site, robots=True):
            assert held.ended - held.started <= seconds, (
                f"{held.target} held for {held.ended - held.started:.1f} s"
            )
            assert held.sent <= sent, f"{held.target} took {held.sent} bytes"
        for held in found:
            if not evidence.to(site, robots=True):
                assert held.closed - held.opened <= seconds, (
                    f"a connection was held for {held.closed - held.opened:.1f} s"
                )
            assert held.sent <= sent, f"a connection took {held.sent} bytes"

    return check


def untouched(*, at: str) -> Check:
    """No connection at all reached this sister site."""

    def check(evidence: Evidence, site: str) -> None:
        found = [h for h in evidence.held if h.site == f"{site}/{at}"]
        assert not found, (
            f"{len(found)} connections: {[a.target for a in evidence.to(f'{site}/{at}', robots=True)][:5]}"
        )

    return check


def header_never(name: str, *, at: str = "", containing: str = "") -> Check:
    """No request to the (sister) site carried this header."""

    def check(evidence: Evidence, site: str) -> None:
        for asked in evidence.to(f"{site}/{at}" if at else site, robots=True):
            value = asked.headers.get(name, "")
            assert not (value and containing in value), f"{asked.target} carried {name}: {value[:80]}"

    return check


def exported_nowhere(text: str) -> Check:
    """No exported row contains this text in any field."""

    def check(evidence: Evidence, site: str) -> None:
        for row in evidence.rows:
            assert text not in json.dumps(row, ensure_ascii=False), f"{text!r} is in {_short(row)}"

    return check


def _short(row: dict[str, object]) -> str:
    keys = ("url", "status", "error", "truncated", "title", "text")
    return ", ".join(f"{key}={str(row.get(key))[:160]!r}" for key in keys)


# The whole run -------------------------------------------------------------------------------------


def robots_first(evidence: Evidence) -> None:
    """The first request to every host and port is /robots.txt, and no page comes before its answer."""
    for site, asked in evidence.by_site.items():
        assert asked[0].target == "/robots.txt", f"{site} was first asked for {asked[0].target}"
        later = [a for a in asked if a.target != "/robots.txt"]
        if later:
            assert later[0].started >= asked[0].ended, (
                f"{site}: {later[0].target} came before robots.txt was answered"
            )


def only_reading(evidence: Evidence) -> None:
    """Only GET and HEAD, without a body."""
    assert {a.method for a in evidence.asked} <= {"GET", "HEAD"}
    assert not [
        a.url for a in evidence.asked if "content-length" in a.headers or "transfer-encoding" in a.headers
    ]


def one_agent(evidence: Evidence, contact: str) -> None:
    """One user agent, with the contact address, on every request."""
    agents = {a.headers.get("user-agent", "") for a in evidence.asked}
    assert len(agents) == 1, agents
    assert contact in agents.pop()


def polite(evidence: Evidence, *, delay: float = DELAY, per_host: int = 1) -> None:
    """Request starts on one host keep the delay, and no more than `per_host` are open at once."""
    hosts = defaultdict(list)
    for asked in evidence.asked:
        hosts[asked.host].append(asked)
    for host, asked in hosts.items():
        for one, two in itertools.pairwise(asked):
            gap = two.started - one.started
            assert gap >= delay * TOLERANCE, (
                f"{host}: {one.target[:60]} → {two.target[:60]} after {gap * 1000:.0f} ms"
            )
        for number, two in enumerate(asked):
            still = [a for a in asked[:number] if a.complete and a.ended > two.started]
            assert len(still) < per_host, f"{host}: {two.target[:60]} while {still[0].target[:60]} was open"


def kept(evidence: Evidence) -> None:
    """What was fetched is stored, what is stored was fetched, and each page once."""
    urls = Counter(str(row["url"]) for row in evidence.rows)
    assert not [u for u, n in urls.items() if n > 1], "exported twice"
    asked = {a.url for a in evidence.asked}
    unread = {h.host for h in evidence.held} - {a.host for a in evidence.asked}
    # Those hosts answer without reading what they were asked: their log has connections only.
    invented = [
        u for u in urls if evidence.by_url[u]["status"] and u not in asked and u.split("/")[2] not in unread
    ]
    assert not invented, f"stored but never fetched: {invented[:5]}"
    lost = [a.url[:120] for a in evidence.asked if a.complete and a.status == 200 and a.url not in urls]
    assert not lost, f"{len(lost)} fetched but not stored: {lost[:5]}"


def fetched_once(evidence: Evidence) -> None:
    """A page that was answered with a whole and honest 200 is not asked for again."""
    whole = Counter(a.url for a in evidence.asked if a.complete and a.status == 200 and a.digest)
    again = {u: n for u, n in whole.items() if n > 1 and not u.endswith("/robots.txt")}
    assert not again, f"{len(again)} pages fetched more than once: {list(again.items())[:5]}"


def warc_files(folder: Path) -> list[Path]:
    return sorted((folder / "pages").glob("*.warc.gz"))


def warc_responses(paths: Iterable[Path]) -> Counter[str]:
    """Read WARC files strictly with a second implementation; count responses by address."""
    found: Counter[str] = Counter()
    for path in paths:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.raw_stream.read()
                if record.rec_type == "response":
                    found[record.rec_headers.get_header("WARC-Target-URI")] += 1
    return found


def warc_payloads(paths: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-1 of each response's entity body, computed from the bytes in the file."""
    found = {}
    for path in paths:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "response":
                    body = record.raw_stream.read()
                    digest = hashlib.sha1(body, usedforsecurity=False).hexdigest()
                    found[record.rec_headers.get_header("WARC-Target-URI")] = f"sha1:{digest}"
    return found


def csv_is_safe(path: Path) -> None:
    """No cell of the table can begin a formula, and the table has one row a page."""
    csv.field_size_limit(2**31 - 1)
    with path.open(newline="", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            assert None not in row, f"a row with too many cells: {row}"
            for name, cell in row.items():
                numeric = (cell or "").replace(".", "", 1).replace("e-", "", 1).lstrip("-").isdigit()
                assert numeric or not (cell or "").lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r")), (
                    f"{name}: {cell[:60]!r}"
                )


def terminal_is_safe(output: str) -> None:
    """Nothing from the web reached the terminal as a control character."""
    bad = {
        c
        for c in output
        if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066\u2067\u200f"
    }
    assert not bad, f"control characters in the output: {sorted(map(hex, map(ord, bad)))}"
