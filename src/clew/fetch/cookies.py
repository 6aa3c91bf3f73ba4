"""Cookies of this run, in memory: each is sent back only to the host that set it.

The jar is simpler than a browser's on purpose. The `Domain` attribute is ignored: a cookie is sent to
the host that set it and to no other, so public suffixes and sibling hosts do not matter. Hosts are
distinguished with their port when the URL has one (`example.org`, `example.org:8080`); http and https on
their usual ports share cookies, except those marked `Secure`.
"""

import re
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from clew import urls

PER_HOST = 50
PER_COOKIE = 4_096
PER_REQUEST = 8_192
HOSTS = 10_000
TOTAL = 16 * 1024 * 1024
"""Bytes of all cookies together; the least recently used host loses its cookies first."""

_UNSAFE = re.compile(rb"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Cookie:
    """One cookie, with the conditions under which it is sent."""

    name: bytes
    value: bytes
    path: bytes
    secure: bool
    expires: float

    @property
    def size(self) -> int:
        return len(self.name) + len(self.value) + len(self.path)

    def matches(self, path: bytes, secure: bool, now: float) -> bool:
        """Return whether the cookie is sent with a request for `path`."""
        if self.expires <= now or (self.secure and not secure) or not path.startswith(self.path):
            return False
        return self.path.endswith(b"/") or path[len(self.path) :][:1] in (b"", b"/")


class CookieJar:
    """Remember cookies by host, within limits.

    >>> jar = CookieJar()
    >>> jar.store("http://example.org/a", [b"id=7; Path=/"], now=0)
    >>> jar.header("http://example.org/b", now=1), jar.header("http://www.example.org/b", now=1)
    (b'id=7', b'')
    """

    def __init__(self) -> None:
        self.size = 0
        self._hosts: OrderedDict[str, dict[tuple[bytes, bytes], Cookie]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._hosts)

    def header(self, url: str, now: float | None = None) -> bytes:
        """Return the value of the Cookie header for a canonical URL; empty when there is none."""
        origin = urls.origin(url)
        cookies = self._hosts.get(urls.clock_key(origin))
        if not cookies:
            return b""
        self._hosts.move_to_end(urls.clock_key(origin))
        now = time.time() if now is None else now
        path, secure = _path(url, origin), url.startswith("https:")
        matching = [c for c in cookies.values() if c.matches(path, secure, now)]
        matching.sort(key=lambda c: -len(c.path))  # longer paths first, then in the order they were set
        pairs: list[bytes] = []
        remaining = PER_REQUEST
        for cookie in matching:
            pair = cookie.name + b"=" + cookie.value if cookie.name else cookie.value
            remaining -= len(pair) + 2
            if remaining >= 0:
                pairs.append(pair)
        return b"; ".join(pairs)

    def store(self, url: str, lines: Iterable[bytes], now: float | None = None) -> None:
        """Store the values of the Set-Cookie headers of a canonical URL."""
        now = time.time() if now is None else now
        origin = urls.origin(url)
        host = urls.clock_key(origin)
        for line in lines:
            cookie = _parse(line, _path(url, origin), url.startswith("https:"), now)
            if cookie is not None:
                self._put(host, cookie, url.startswith("https:"), now)
        while self.size > TOTAL or len(self._hosts) > HOSTS:
            _, dropped = self._hosts.popitem(last=False)
            self.size -= sum(c.size for c in dropped.values())

    def _put(self, host: str, cookie: Cookie, secure: bool, now: float) -> None:
        cookies = self._hosts.setdefault(host, {})
        self._hosts.move_to_end(host)
        old = cookies.get((cookie.name, cookie.path))
        if old is None or secure or not old.secure:  # plain http may not change what https set
            if old is not None:
                self.size -= cookies.pop((cookie.name, cookie.path)).size
            if cookie.expires > now:
                cookies[cookie.name, cookie.path] = cookie
                self.size += cookie.size
            if len(cookies) > PER_HOST:
                self.size -= cookies.pop(next(iter(cookies))).size
        if not cookies:
            del self._hosts[host]


def _path(url: str, origin: str) -> bytes:
    return url[len(origin) :].partition("?")[0].encode("ascii", "replace") or b"/"


def _parse(line: bytes, path: bytes, secure: bool, now: float) -> Cookie | None:
    """Parse one Set-Cookie value; `None` if it is not accepted."""
    if len(line) > 2 * PER_COOKIE or _UNSAFE.search(line):
        return None
    pair, *rest = line.split(b";")
    name, equals, value = pair.partition(b"=")
    if not equals:
        name, value = b"", name
    name, value = name.strip(), value.strip()
    if not (name or value) or len(name) + len(value) > PER_COOKIE:
        return None
    attributes = {key.strip().lower(): text.strip() for key, _, text in (a.partition(b"=") for a in rest)}
    wants_secure = b"secure" in attributes
    if wants_secure and not secure:
        return None
    if name.lower().startswith((b"__secure-", b"__host-")) and not wants_secure:
        return None
    cookie_path = attributes.get(b"path", b"")
    if not cookie_path.startswith(b"/"):
        cookie_path = path[: path.rindex(b"/")] or b"/"
    return Cookie(name, value, cookie_path[:1_024], wants_secure, _expiry(attributes, now))


def _expiry(attributes: dict[bytes, bytes], now: float) -> float:
    """Return when the cookie expires in wall time; Max-Age wins over Expires."""
    age = attributes.get(b"max-age")
    if age is not None and age.removeprefix(b"-").isdigit():
        return now + int(age[:12])
    date = attributes.get(b"expires")
    if date:
        try:
            moment = parsedate_to_datetime(date.decode("latin-1"))
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError, TypeError, IndexError):
            return float("inf")
    return float("inf")
