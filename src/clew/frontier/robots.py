r"""robots.txt by RFC 9309: what sites forbid.

Why not a library: of the 142 public test vectors Protego fails 12, among them groups broken by an
unknown line and agents with a space, where it allows what the site forbids. The matcher here is short
and has no regular expressions in it: a plain rule is one dictionary lookup for each rule length, and
a rule with wildcards is a series of `str.find`, linear in the length of the URL.

>>> rules = RobotsRules.read(200, "User-agent: *\nDisallow: /private\nAllow: /*.html$", "clew")
>>> rules.refusal("http://a.example/private/x")
'robots: Disallow: /private'
>>> rules.refusal("http://a.example/private/x.html")
''
"""

import math
import re
import zlib
from collections import OrderedDict
from urllib.parse import quote

MAX_TEXT = 512_000
"""Characters read of one file: the 500 KiB of the RFC; the rest is ignored."""

MAX_LINE = 16_664
"""Longer lines are cut, as the largest search engine does (eight times the longest URL)."""

MAX_DELAY = 60.0
"""Largest Crawl-delay we honour, in seconds; longer ones are cut to this."""

TTL = 24 * 3_600.0
"""Seconds after which rules are fetched again (RFC 9309, 2.4)."""

TTL_UNREACHABLE = 3_600.0
"""The same for rules that could not be read: everything is forbidden meanwhile."""

_FIELDS = {
    "user-agent": "agent", "useragent": "agent", "user agent": "agent",
    "disallow": "Disallow", "dissallow": "Disallow", "disalow": "Disallow", "diasllow": "Disallow",
    "dissalow": "Disallow", "disallaw": "Disallow", "allow": "Allow",
    "crawl-delay": "delay", "crawldelay": "delay",
}  # fmt: skip
_TOKEN = re.compile(r"[A-Za-z_-]*")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_QUERY_PLAIN = frozenset(":/?@!'(),;")  # mean the same in a query, escaped or not
_KEEP = "/%:@!&'()+,;=~"
_RARE = re.compile(r"[%|^`{}\"<>\\ \[\]'*$]").search
_COMPRESS_ABOVE = 256


class RobotsRules:
    """The rules of one robots.txt for one agent, from the lines that `relevant_lines` found.

    `status` is that of the response (0 when there was none): 2xx has rules, 4xx means there are none,
    everything else means that the site is unreachable, which forbids all. A 3xx stands for more than
    five redirects, which the RFC calls unavailable: no rules.
    """

    __slots__ = ("_lengths", "_plain", "_wild", "delay", "unreachable")

    def __init__(self, status: int, lines: list[str]) -> None:
        self.unreachable = not 200 <= status < 500  # noqa: PLR2004
        self.delay: float | None = None
        self._plain: dict[str, str] = {}
        self._wild: list[tuple[str, list[str], bool, str]] = []
        for line in lines:
            name, _, value = line.partition(": ")
            if name == "delay":
                self.delay = max(self.delay or 0.0, float(value))
            else:
                self._add_rule(name, value, line)
        self._wild.sort(key=lambda rule: (-len(rule[0]), rule[3]))
        self._lengths = sorted({len(pattern) for pattern in self._plain}, reverse=True)

    @classmethod
    def read(cls, status: int, text: str, agent: str) -> "RobotsRules":
        """Parse the rules for `agent` out of a response."""
        return cls(status, relevant_lines(text, agent) if 200 <= status < 300 else [])  # noqa: PLR2004

    def _add_rule(self, name: str, path: str, line: str) -> None:
        pattern = normalize(path, rule=True)
        if "*" in pattern or pattern.endswith("$"):
            ends = pattern.endswith("$")
            self._wild.append((pattern, (pattern[:-1] if ends else pattern).split("*"), ends, line))
        elif name == "Allow" or pattern not in self._plain:  # Allow wins a tie
            self._plain[pattern] = line

    def refusal(self, url: str) -> str:
        """Return the rule that forbids a canonical URL, or an empty string."""
        start = url.find("/", url.find("://") + 3)
        target = "/" if start < 0 else url[start:].partition("#")[0]
        if target == "/robots.txt":
            return ""
        if self.unreachable:
            return "robots unreachable"
        if _RARE(target):
            target = normalize(target)
        rule, length = "", -1
        for length in self._lengths:
            if length <= len(target) and (rule := self._plain.get(target[:length], "")):
                break
        best = length if rule else -1
        for pattern, parts, ends, line in self._wild:
            if len(pattern) < best or (len(pattern) == best and rule.startswith("Allow")):
                break
            if _matches(target, parts, ends):
                if len(pattern) > best or line.startswith("Allow"):
                    rule = line
                break
        return f"robots: {rule}" if rule.startswith("Disallow") else ""


def _matches(target: str, parts: list[str], ends: bool) -> bool:
    """Match the literal parts of a pattern in order, each at its earliest position."""
    if not target.startswith(parts[0]):
        return False
    at = len(parts[0])
    if len(parts) == 1:
        return not ends or at == len(target)
    for part in parts[1:-1] if ends else parts[1:]:
        at = target.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return not ends or (target.endswith(parts[-1]) and len(target) - len(parts[-1]) >= at)


def normalize(path: str, *, rule: bool = False) -> str:
    """Return one spelling of a path or pattern, so that equal octets compare equal (RFC 9309, 2.2.2).

    `*` and a last `$` are wildcards in a rule; anywhere else they are characters, and get escaped.
    """
    end = "$" if rule and path.endswith("$") else ""
    head, mark, query = path.removesuffix(end).partition("?")
    keep = _KEEP + "*" if rule else _KEEP
    head = _ESCAPE.sub(lambda m: _normalize_escape(m, _UNRESERVED), quote(head, keep))
    query = _ESCAPE.sub(lambda m: _normalize_escape(m, _UNRESERVED | _QUERY_PLAIN), quote(query, keep + "?"))
    return f"{head}{mark}{query}{end}"


def _normalize_escape(match: re.Match[str], plain: frozenset[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char in plain else match[0].upper()


def relevant_lines(text: str, agent: str) -> list[str]:
    """Return the rules that concern us as `Allow: …`, `Disallow: …` and `delay: …` lines.

    All groups that name us are merged; groups for `*` count only when none does. Lines that are
    neither rules nor agents (sitemaps, typos) do not end a group.
    """
    groups: dict[bool, list[str]] = {True: [], False: []}
    named = False
    # Groups that rules belong to (True: our own name, False: any agent), and groups that a delay belongs to:
    # a delay is no rule of the RFC and does not end a list of agents.
    rule_groups: set[bool] = set()
    delay_groups: set[bool] = set()
    before = ""
    for raw in re.split(r"\r\n|\r|\n", text[:MAX_TEXT].lstrip("\ufeff")):
        name, value = _field(raw)
        if name == "agent":
            rule_groups = rule_groups if before in ("agent", "delay") else set()
            delay_groups = delay_groups if before == "agent" else set()
            matching = _matching_agents(value, agent)
            rule_groups |= matching
            delay_groups |= matching
            named = named or True in matching
        elif name == "delay":
            for group in delay_groups if (line := _delay(value)) else ():
                groups[group].append(line)
        elif name:
            for group in rule_groups if value else ():
                groups[group].append(f"{name}: {value}")
        before = name or before
    return groups[named]


def _matching_agents(value: str, agent: str) -> set[bool]:
    if value == "*" or value[:2] in ("* ", "*\t"):
        return {False}
    token = _TOKEN.match(value)
    return {True} if token and token[0].lower() == agent.lower() else set()


def _field(raw: str) -> tuple[str, str]:
    """Split a line into a known field and its value; a space may replace a missing colon."""
    line = raw[:MAX_LINE].partition("#")[0].strip(" \t\x00\x0b\x0c")
    name, colon, value = line.partition(":")
    if not colon:
        name, _, value = line.replace("\t", " ").partition(" ")
        if " " in value.strip():
            return "", ""
    field = _FIELDS.get(name.strip().lower(), "")
    return field, value.strip()


def _delay(value: str) -> str:
    try:
        seconds = float(value)
    except ValueError:
        return ""
    return f"delay: {min(seconds, MAX_DELAY)}" if math.isfinite(seconds) and seconds > 0 else ""


class Robots:
    """The rules of all sites, in bounded memory.

    Of each file only the lines that concern us are kept, compressed when long: at most `capacity` origins and
    `max_bytes` in all, with the compiled rules of the `max_compiled` origins used last. An origin that was
    evicted is unknown again (`is_fresh`), and until its rules are read everything is refused.
    """

    def __init__(
        self,
        *,
        agent: str = "clew",
        capacity: int = 200_000,
        max_bytes: int = 64 << 20,
        max_compiled: int = 2_048,
    ) -> None:
        self.agent = agent
        self.capacity = capacity
        self.max_bytes = max_bytes
        self.max_compiled = max_compiled
        self._entries: OrderedDict[str, tuple[float, int, str | bytes, float | None]] = OrderedDict()
        self._compiled: OrderedDict[str, RobotsRules] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def learn(self, origin: str, status: int, error: str, text: str, at: float) -> None:
        """Store the response to a request for an origin's robots.txt, received at wall time `at`.

        An `error` means that the site could not be reached, or that the response was cut short: truncated
        rules forbid as much as rules that could not be read.
        """
        self.forget(origin)
        status = 0 if error and not 400 <= status < 500 else status  # noqa: PLR2004
        lines = relevant_lines(text, self.agent) if 200 <= status < 300 else []  # noqa: PLR2004
        rules = RobotsRules(status, lines)
        joined = "\n".join(lines)
        stored = zlib.compress(joined.encode(), 1) if len(joined) > _COMPRESS_ABOVE else joined
        self._entries[origin] = (at, status, stored, rules.delay)
        self._bytes += len(stored)
        self._cache(origin, rules)
        while len(self._entries) > self.capacity or (self._bytes > self.max_bytes and len(self._entries) > 1):
            self.forget(next(iter(self._entries)))

    def forget(self, origin: str) -> None:
        """Drop what is known about an origin."""
        if (entry := self._entries.pop(origin, None)) is not None:
            self._bytes -= len(entry[2])
        self._compiled.pop(origin, None)

    def is_fresh(self, origin: str, now: float) -> bool:
        """Return whether the rules of an origin are known and not expired at wall time `now`."""
        entry = self._entries.get(origin)
        if entry is None:
            return False
        at, status, _, _ = entry
        return 0 <= now - at < (TTL if 200 <= status < 500 else TTL_UNREACHABLE)  # noqa: PLR2004

    def unreachable(self, origin: str) -> bool:
        """Return whether the rules of an origin could not be read."""
        entry = self._entries.get(origin)
        return entry is not None and not 200 <= entry[1] < 500  # noqa: PLR2004

    def copy_rules(self, source: str, origin: str) -> None:
        """Copy the rules of another origin: its robots.txt redirects there."""
        self.forget(origin)
        self._entries[origin] = self._entries[source]
        self._bytes += len(self._entries[source][2])

    def refusal(self, url: str) -> str:
        """Return the rule that forbids a URL, or an empty string."""
        end = url.find("/", 8)
        origin = url if end < 0 else url[:end]
        rules = self._compiled.get(origin) or self._compile(origin)
        if rules is None:
            return "" if url[end:] == "/robots.txt" else "robots: rules not read yet"
        return rules.refusal(url)

    def delay(self, origin: str) -> float | None:
        """Return the Crawl-delay an origin asks of us, in seconds, or None."""
        entry = self._entries.get(origin)
        return entry[3] if entry else None

    def _compile(self, origin: str) -> RobotsRules | None:
        entry = self._entries.get(origin)
        if entry is None:
            return None
        self._entries.move_to_end(origin)
        text = entry[2] if isinstance(entry[2], str) else zlib.decompress(entry[2]).decode()
        rules = RobotsRules(entry[1], text.split("\n") if text else [])
        self._cache(origin, rules)
        return rules

    def _cache(self, origin: str, rules: RobotsRules) -> None:
        self._compiled[origin] = rules
        if len(self._compiled) > self.max_compiled:
            self._compiled.popitem(last=False)
