r"""What sites forbid: robots.txt by RFC 9309.

Why not a library: of the 142 public test vectors Protego fails 12, among them groups broken by an
unknown line and agents with a space, where it allows what the site forbids. The matcher here is short
and has no regular expressions in it: a plain rule is one dictionary lookup for each rule length, and
a rule with wildcards is a walk of `str.find`, linear in the length of the address.

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
"""Characters read of one file: the 500 KiB of the RFC; what follows is not there for us."""

MAX_LINE = 16_664
"""Longer lines are cut, as the largest search engine does (eight times the longest address)."""

MAX_DELAY = 60.0
"""Seconds of Crawl-delay we honour; sites that ask for more mean "go away slowly", not one page a day."""

LIFE = 24 * 3_600.0
"""Rules are asked for again after a day (RFC 9309, 2.4)."""

LIFE_UNREACHABLE = 3_600.0
"""Rules that could not be read are asked for again after an hour: everything is forbidden meanwhile."""

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
_WORTH_PACKING = 256


class RobotsRules:
    """The rules of one robots.txt for one agent, from the lines that `relevant_lines` found.

    `status` is that of the answer (0 when none came): 2xx has rules, 4xx means there are none,
    everything else that the site cannot be asked now, which forbids all. A 3xx stands for more than
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
                self._keep(name, value, line)
        self._wild.sort(key=lambda rule: (-len(rule[0]), rule[3]))
        self._lengths = sorted({len(pattern) for pattern in self._plain}, reverse=True)

    @classmethod
    def read(cls, status: int, text: str, agent: str) -> "RobotsRules":
        """Read the rules for `agent` out of an answer."""
        return cls(status, relevant_lines(text, agent) if 200 <= status < 300 else [])  # noqa: PLR2004

    def _keep(self, name: str, path: str, line: str) -> None:
        pattern = comparable(path, rule=True)
        if "*" in pattern or pattern.endswith("$"):
            ends = pattern.endswith("$")
            self._wild.append((pattern, (pattern[:-1] if ends else pattern).split("*"), ends, line))
        elif name == "Allow" or pattern not in self._plain:  # Allow wins a tie
            self._plain[pattern] = line

    def refusal(self, url: str) -> str:
        """Return the rule that forbids a canonical address, or an empty string."""
        start = url.find("/", url.find("://") + 3)
        target = "/" if start < 0 else url[start:].partition("#")[0]
        if target == "/robots.txt":
            return ""
        if self.unreachable:
            return "robots unreachable"
        if _RARE(target):
            target = comparable(target)
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
    """Walk the literal parts of a pattern along the target, each at its earliest place."""
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


def comparable(path: str, *, rule: bool = False) -> str:
    """Return one spelling of a path or pattern, so that equal octets compare equal (RFC 9309, 2.2.2).

    `*` and a last `$` are signs in a rule; anywhere else they are characters, and get escaped.
    """
    end = "$" if rule and path.endswith("$") else ""
    head, mark, query = path.removesuffix(end).partition("?")
    keep = _KEEP + "*" if rule else _KEEP
    head = _ESCAPE.sub(lambda m: _tidy(m, _UNRESERVED), quote(head, keep))
    query = _ESCAPE.sub(lambda m: _tidy(m, _UNRESERVED | _QUERY_PLAIN), quote(query, keep + "?"))
    return f"{head}{mark}{query}{end}"


def _tidy(match: re.Match[str], plain: frozenset[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char in plain else match[0].upper()


def relevant_lines(text: str, agent: str) -> list[str]:
    """Return the rules that concern us as `Allow: …`, `Disallow: …` and `delay: …` lines.

    All groups that name us are merged; groups for `*` count only when none does. Lines that are
    neither rules nor agents (sitemaps, typing errors) do not end a group.
    """
    groups: dict[bool, list[str]] = {True: [], False: []}
    named = False
    mine: set[bool] = set()  # for whom rules count: True is us by name, False is everybody
    asked: set[bool] = (
        set()
    )  # for whom a delay counts, which is no rule of the RFC and ends no list of agents
    before = ""
    for raw in re.split(r"\r\n|\r|\n", text[:MAX_TEXT].lstrip("\ufeff")):
        name, value = _field(raw)
        if name == "agent":
            mine = mine if before in ("agent", "delay") else set()
            asked = asked if before == "agent" else set()
            whom = _whom(value, agent)
            mine |= whom
            asked |= whom
            named = named or True in whom
        elif name == "delay":
            for ours in asked if (line := _delay(value)) else ():
                groups[ours].append(line)
        elif name:
            for ours in mine if value else ():
                groups[ours].append(f"{name}: {value}")
        before = name or before
    return groups[named]


def _whom(value: str, agent: str) -> set[bool]:
    if value == "*" or value[:2] in ("* ", "*\t"):
        return {False}
    token = _TOKEN.match(value)
    return {True} if token and token[0].lower() == agent.lower() else set()


def _field(raw: str) -> tuple[str, str]:
    """Split a line into the field we know and its value; a blank may stand for a missing colon."""
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

    Of each file only the lines that concern us are kept, packed when long; `capacity` origins are
    remembered, `max_bytes` of lines in all, and the compiled rules of the `busy` last asked. An origin
    that fell out is unknown again (`known`), and until its rules are read everything is refused.
    """

    def __init__(
        self, *, agent: str = "clew", capacity: int = 200_000, max_bytes: int = 64 << 20, busy: int = 2_048
    ) -> None:
        self.agent = agent
        self.capacity = capacity
        self.max_bytes = max_bytes
        self.busy = busy
        self._kept: OrderedDict[str, tuple[float, int, str | bytes, float | None]] = OrderedDict()
        self._compiled: OrderedDict[str, RobotsRules] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def learn(self, origin: str, status: int, error: str, text: str, at: float) -> None:
        """Remember what asking for an origin's robots.txt gave at wall time `at`.

        An `error` means that the site could not be reached, or that its answer was cut short: rules that
        may lack their end forbid as much as rules that could not be read.
        """
        self.forget(origin)
        status = 0 if error and not 400 <= status < 500 else status  # noqa: PLR2004
        lines = relevant_lines(text, self.agent) if 200 <= status < 300 else []  # noqa: PLR2004
        rules = RobotsRules(status, lines)
        joined = "\n".join(lines)
        packed = zlib.compress(joined.encode(), 1) if len(joined) > _WORTH_PACKING else joined
        self._kept[origin] = (at, status, packed, rules.delay)
        self._bytes += len(packed)
        self._remember(origin, rules)
        while len(self._kept) > self.capacity or (self._bytes > self.max_bytes and len(self._kept) > 1):
            self.forget(next(iter(self._kept)))

    def forget(self, origin: str) -> None:
        """Drop what is known about an origin."""
        if (kept := self._kept.pop(origin, None)) is not None:
            self._bytes -= len(kept[2])
        self._compiled.pop(origin, None)

    def known(self, origin: str, now: float) -> bool:
        """Tell whether the rules of an origin are at hand and fresh enough at wall time `now`."""
        kept = self._kept.get(origin)
        if kept is None:
            return False
        at, status, _, _ = kept
        return 0 <= now - at < (LIFE if 200 <= status < 500 else LIFE_UNREACHABLE)  # noqa: PLR2004

    def unreachable(self, origin: str) -> bool:
        """Tell whether an origin was asked and its rules could not be read."""
        kept = self._kept.get(origin)
        return kept is not None and not 200 <= kept[1] < 500  # noqa: PLR2004

    def copy(self, leader: str, origin: str) -> None:
        """Let an origin have the rules of another: its robots.txt redirects there."""
        self.forget(origin)
        self._kept[origin] = self._kept[leader]
        self._bytes += len(self._kept[leader][2])

    def refusal(self, url: str) -> str:
        """Return the rule that forbids an address, or an empty string."""
        end = url.find("/", 8)
        origin = url if end < 0 else url[:end]
        rules = self._compiled.get(origin) or self._compile(origin)
        if rules is None:
            return "" if url[end:] == "/robots.txt" else "robots: rules not read yet"
        return rules.refusal(url)

    def delay(self, origin: str) -> float | None:
        """Return the Crawl-delay an origin asks of us, in seconds, or None."""
        kept = self._kept.get(origin)
        return kept[3] if kept else None

    def _compile(self, origin: str) -> RobotsRules | None:
        kept = self._kept.get(origin)
        if kept is None:
            return None
        self._kept.move_to_end(origin)
        text = kept[2] if isinstance(kept[2], str) else zlib.decompress(kept[2]).decode()
        rules = RobotsRules(kept[1], text.split("\n") if text else [])
        self._remember(origin, rules)
        return rules

    def _remember(self, origin: str, rules: RobotsRules) -> None:
        self._compiled[origin] = rules
        if len(self._compiled) > self.busy:
            self._compiled.popitem(last=False)
