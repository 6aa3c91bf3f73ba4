"""Canonical URLs.

WHATWG parsing (ada), one canonical spelling, http and https only. Everything that compares, stores
or fetches a URL uses `Canon`, so that what was checked is what is connected to.

>>> Canon()("HTTP://Example.ORG:80/a/./b/../%7eme?utm_source=x&q=1#top")
'http://example.org/a/~me?q=1'
>>> Canon()("mailto:someone@example.org") is None
True
"""

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache

import ada_url
import xxhash
from publicsuffixlist import PublicSuffixList

TRACKING = (
    "utm_*", "fbclid", "gclid", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "mc_cid", "mc_eid",
    "igshid", "_ga", "_gl",
)  # fmt: skip
"""Query parameters that never change a page: campaign and click identifiers."""

SESSIONS = (
    "phpsessid", "jsessionid", "aspsessionid*", "sid", "sessid", "sessionid", "session_id", "session",
    "zenid", "cfid", "cftoken", "oscsid",
)  # fmt: skip
"""Query and path parameters that name a visitor, not a page."""

MAX_LENGTH = 2_048
"""Longer URLs are refused: no normal page needs them, endlessly growing URLs do."""

# Clean already: lower-case host, no dot segments, nothing that the parser would escape. Nineteen of twenty
# links on real pages are, and skip the parser (0.7 instead of 7 µs). Every piece begins with its own sign, so
# no match backtracks.
_SEGMENTS = r"(?:/[A-Za-z0-9_~!*()@:,+=&$;%'-][A-Za-z0-9_~!*()@:,+=&$;%'.-]*)*/?"
_QUERY = r"(\?[A-Za-z0-9_~.=&%/:@,+;!*()$?-]*)?"
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_HOST = rf"(?:[a-z0-9](?:[a-z0-9-]*\.)+[a-z]{{2,}}|{_BYTE}(?:\.{_BYTE}){{3}})"
_PORT = r"(?::(?!80/|443/)[1-9][0-9]{1,3})?"
_CLEAN_ORIGIN = re.compile(rf"https?://{_HOST}{_PORT}/")
_CLEAN_PATH = re.compile(rf"((?=/){_SEGMENTS}){_QUERY}")
_CLEAN_NAME = re.compile(rf"([A-Za-z0-9_~!*()-][A-Za-z0-9_~!*()@,+=&$;%.-]*{_SEGMENTS}){_QUERY}")
_ABSOLUTE = ("http://", "https://")
_REMEMBERED = 20_000  # links, some 5 MB; then they are forgotten
_PARTS = re.compile(r"(https?://)(?:[^/?#@]*@)?([^/?#]+)(/[^?#]*)(\?[^#]*)?")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH_PARAMETER = re.compile(r";([^/?;=]+)=[^/?;]*")


class Canon:
    """Turn any spelling of a URL into the canonical one; `None` for what cannot be fetched.

    `drop` are glob patterns for names of query (and `;path`) parameters to leave out.
    """

    def __init__(self, drop: Iterable[str] = TRACKING + SESSIONS) -> None:
        self.drop = tuple(drop)
        self._dropped = re.compile("|".join(translate(p.lower()) for p in self.drop) or r"(?!)").match
        self._base = self._origin = self._folder = ""
        self._known: dict[str, dict[str, str]] = {}
        self._count = 0
        self._absolute: dict[str, str] = {}
        self._rooted: dict[str, str] = {}
        self._relative: dict[str, str] = {}

    def __call__(self, url: str, base: str = "") -> str | None:
        """Return the canonical absolute form of `url`, found on a page at `base`.

        The links of a site are repeated on many of its pages, so they are remembered: by the origin of the
        page if they begin with a slash, by its folder if they begin with a name.
        """
        if base != self._base:  # links come a page at a time
            self._set_base(base)
        if url[:1] == "/":
            known = self._rooted
        elif url.startswith(_ABSOLUTE):
            known = self._absolute
        elif url[:1].isalnum() or url[:1] == ".":
            known = self._relative
        else:  # an empty path: the name of the page counts as well
            return self._canonical(url)
        found = known.get(url)
        if (
            found is None
            and (found := self._canonical(url)) is not None
            and (known is not self._relative or ":" not in url)
        ):
            known[url] = found
            self._count += 1
        return found

    def begins(self, base: str) -> tuple[str, str]:
        """Return what references on a page are joined to: its origin and its folder."""
        if base != self._base:
            self._set_base(base)
        return self._origin, self._folder

    def _set_base(self, base: str) -> None:
        self._base, self._origin = base, origin(base)
        self._folder = base.partition("?")[0].rpartition("/")[0] + "/" if base else ""
        self._count += 1
        if self._count > _REMEMBERED:
            self._known, self._count = {}, 0
        remembered = self._known.setdefault
        self._absolute = remembered("", {})
        self._rooted = remembered(self._origin, {})
        self._relative = remembered(self._folder, {})

    def _canonical(self, url: str) -> str | None:
        """Return the canonical form of a URL on the page that was set."""
        if len(url) > 2 * MAX_LENGTH:
            return None
        if "#" in url and not (plain := url.partition("#")[0]).endswith(" "):  # a last blank would be lost
            url = plain
        if (known := self._quick(url)) is not None:
            return known if len(known) <= MAX_LENGTH else None
        base = self._base
        try:
            parts = _PARTS.match(ada_url.join_url(base, url) if base else ada_url.normalize_url(url))
        except ValueError:
            return None
        if not parts:
            return None
        scheme, authority, path, query = parts.groups()
        if authority.endswith(".") or ".:" in authority:  # a trailing dot names the same host
            name, colon, port = authority.partition(":")
            if not (name := name.rstrip(".")):
                return None
            authority = f"{name}{colon}{port}"
        canonical = f"{scheme}{authority}{self._path(path)}{self._query(query or '')}"
        return canonical if len(canonical) <= MAX_LENGTH else None

    def _quick(self, url: str) -> str | None:
        """Return a clean URL without parsing it; `None` when it is not clean."""
        if url[:1] == "/":
            before, clean = self._origin, _CLEAN_PATH.fullmatch(url)
        elif url[:4] == "http":
            end = url.find("/", 8)
            if end < 0:
                return f"{url}/" if is_clean_origin(f"{url}/") else None
            before, clean = url[:end], _CLEAN_PATH.fullmatch(url, end)
            if not is_clean_origin(url[: end + 1]):
                return None
        else:
            before, name = self._climbed(url)
            if not name and url:
                return before or None
            clean = _CLEAN_NAME.fullmatch(name)
        if clean is None or not before:
            return None
        path = clean[1]
        if "%" in path or ";" in path:
            if "%2e" in path.lower():  # an escaped dot may be part of a dot segment
                return None
            path = self._path(path)
        return before + path if clean.lastindex == 1 else f"{before}{path}{self._query(clean[2])}"

    def _climbed(self, url: str) -> tuple[str, str]:
        """Return the folder that a relative URL starts from, and the rest of it behind its dot segments."""
        before, name = self._folder, url.removeprefix("./")
        while name.startswith("../"):
            name, before = name[3:], before[: before.rfind("/", 0, -1) + 1]
            if len(before) <= len(self._origin):
                before = f"{self._origin}/" if self._origin else ""
        return before, name

    def _path(self, path: str) -> str:
        if "%" in path:
            path = _ESCAPE.sub(_tidy_escape, path)
        if ";" in path:
            path = _PATH_PARAMETER.sub(lambda m: "" if self._dropped(m[1].lower()) else m[0], path)
        return path or "/"

    def _query(self, search: str) -> str:
        if len(search) <= 1:
            return ""
        if "%" in search:
            search = _ESCAPE.sub(_tidy_escape, search)
        kept = [p for p in search[1:].split("&") if p and not self._dropped(p.partition("=")[0].lower())]
        return "?" + "&".join(kept) if kept else ""


@lru_cache(maxsize=4_096)
def is_clean_origin(start: str) -> bool:
    """Return whether the beginning of a URL, up to its path, is clean; most links of a page share a few."""
    return _CLEAN_ORIGIN.fullmatch(start) is not None


def _tidy_escape(match: re.Match[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char in _UNRESERVED else match[0].upper()


def origin(url: str) -> str:
    """Return scheme, host and port of a canonical URL: the unit of robots.txt.

    >>> origin("https://example.org:8443/a?b")
    'https://example.org:8443'
    """
    end = url.find("/", 8)
    return url if end < 0 else url[:end]


def host(url: str) -> str:
    """Return the host name (or address) of a canonical URL, without port."""
    name = origin(url).partition("://")[2]
    return name[: name.index("]") + 1] if name.startswith("[") else name.partition(":")[0]


def clock_key(origin: str) -> str:
    """Return the key of the politeness delay: http and https of a host share it, other ports do not.

    >>> clock_key("https://example.org") == clock_key("http://example.org")
    True
    """
    return origin.partition("://")[2]


@lru_cache(maxsize=65_536)
def site(host: str) -> str:
    """Return the registered domain of a host name by the bundled public suffix list.

    >>> site("www.bbc.co.uk")
    'bbc.co.uk'
    """
    if host.startswith("[") or host.replace(".", "").isdigit():
        return host
    return _suffixes().privatesuffix(host) or host


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def fingerprint(url: str) -> int:
    """Return the 64-bit fingerprint of a canonical URL; the order of its query parameters does not matter."""
    if "&" in url:
        path, _, query = url.partition("?")
        url = f"{path}?{'&'.join(sorted(query.split('&')))}"
    return xxhash.xxh3_64_intdigest(url.encode())
