"""Headers, cookies and log-ins of the user: each goes to the hosts it is meant for, and is recorded nowhere.

Values that open a door come from the environment or from a cookie file, never from clew.toml, which is
copied into the database with every run.
"""

import base64
import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from clew import urls
from clew.domain.text import printable
from clew.errors import ConfigError

AUTH = "CLEW_AUTH"
"""The environment variable with log-ins for HTTP basic authentication: `host=user:password`, with blanks
between several."""

_LINE = re.compile(r"(?:([^\s:]+(?::\d+)?)\s+)?([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*([^\x00-\x1f\x7f]*)")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_OURS = ("host", "user-agent", "connection", "content-length", "transfer-encoding", "range", "cookie")
_SECRET = re.compile(r"authori[sz]ation|cookie|token|key|secret|session|passw", re.IGNORECASE)
_COLUMNS = 7


@dataclass(frozen=True, slots=True)
class HostCookie:
    """A cookie of a Netscape cookie file."""

    host: str
    subdomains: bool
    path: str
    secure: bool
    expires: float
    pair: str

    def matches(self, url: str, now: float) -> bool:
        """Return whether the cookie belongs to a URL."""
        name, origin = urls.host(url), urls.origin(url)
        here = name == self.host or (self.subdomains and name.endswith(f".{self.host}"))
        path = url[len(origin) :].partition("?")[0] or "/"
        inside = path.startswith(self.path) and (
            self.path.endswith("/") or path[len(self.path) :][:1] in ("", "/")
        )
        fresh = not self.expires or self.expires > now
        return here and inside and fresh and (url.startswith("https:") or not self.secure)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What is sent beside the usual headers. `headers` go to every host, `host_headers` to one each."""

    headers: tuple[str, ...] = ()
    host_headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[HostCookie, ...] = ()

    def lines(self, url: str) -> list[str]:
        """Return the header lines that only the host of a URL gets."""
        if not self.host_headers:
            return []
        names = (urls.host(url), urls.clock_key(urls.origin(url)))
        return [line for host, line in self.host_headers if host in names]

    def cookie(self, url: str, known: bytes = b"", now: float | None = None) -> bytes:
        """Return the Cookie header for a URL: cookies that the site has set come before those of the user."""
        if not self.cookies:
            return known
        now = time.time() if now is None else now
        taken = {pair.partition(b"=")[0] for pair in known.split(b"; ")} if known else set()
        own = [cookie.pair.encode() for cookie in self.cookies if cookie.matches(url, now)]
        return b"; ".join([*filter(None, [known]), *(p for p in own if p.partition(b"=")[0] not in taken)])

    def concern(self, url: str) -> bool:
        """Return whether the user is known to the host of a URL: then its cookies are not recorded."""
        return bool(self.lines(url)) or any(cookie.matches(url, 0.0) for cookie in self.cookies)


def read_credentials(
    headers: Iterable[str], cookies: str, folder: Path, environ: Mapping[str, str] = os.environ
) -> Credentials:
    """Read `fetch.headers`, the cookie file and the log-ins of the environment.

    The cookie file is looked for in the folder of the crawl, then in the current one.
    """
    everywhere: list[str] = []
    somewhere: list[tuple[str, str]] = []
    for text in headers:
        host, line = _header(text, environ)
        if host:
            somewhere.append((host, line))
        else:
            everywhere.append(line)
    somewhere += _logins(environ.get(AUTH, ""))
    path = Path(cookies).expanduser()
    path = folder / path if (folder / path).is_file() else path
    return Credentials(tuple(everywhere), tuple(somewhere), tuple(_read_cookies(path)) if cookies else ())


def _header(text: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the host and the line of one entry of `fetch.headers`."""
    match = _LINE.fullmatch(text.strip())
    if match is None:
        msg = (
            f"fetch.headers: {printable(text)!r} is no header; write Name: value, or for one host only "
            "intranet.example Name: value"
        )
        raise ConfigError(msg)
    host, name, value = (match[1] or "").lower(), match[2], match[3]
    if name.lower() in _OURS:
        cures = {"cookie": "name a cookie file in fetch.cookies", "user-agent": "set fetch.agent"}
        msg = f"fetch.headers: {name} is set by clew; {cures.get(name.lower(), 'leave it out')}"
        raise ConfigError(msg)
    if _SECRET.search(name) and not (host and _VARIABLE.search(value)):
        msg = (
            f"fetch.headers: {name} must not go to every host, nor into clew.toml; name the host and a"
            f" variable of the environment: {host or 'intranet.example'} {name}: ${{MY_TOKEN}}"
        )
        raise ConfigError(msg)

    def value_of(found: re.Match[str]) -> str:
        if found[1] not in environ:
            msg = f"fetch.headers: the environment variable {found[1]} is not set; export {found[1]}=…"
            raise ConfigError(msg)
        return environ[found[1]]

    return host, f"{name}: {_safe(_VARIABLE.sub(value_of, value), name)}"


def _safe(value: str, name: str) -> str:
    if re.search(r"[\r\n\x00]", value):
        msg = f"fetch.headers: the value of {name} contains a line break; remove it"
        raise ConfigError(msg)
    return value


def _logins(text: str) -> list[tuple[str, str]]:
    """Return a header line for each log-in of the environment."""
    found = []
    for entry in text.split():
        host, equals, login = entry.partition("=")
        if not (host and equals and ":" in login):
            msg = f"{AUTH}: write host=user:password, with blanks between several"
            raise ConfigError(msg)
        packed = base64.b64encode(login.encode()).decode("ascii")
        found.append((host.lower(), f"Authorization: Basic {packed}"))
    return found


def _read_cookies(path: Path) -> list[HostCookie]:
    """Read a cookie file in the format of Netscape, as browser extensions and curl write it."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        msg = f"fetch.cookies: {path} cannot be read: {reason}; export cookies.txt from your browser"
        raise ConfigError(msg) from None
    found = []
    for number, text in enumerate(lines, 1):
        line = text.removeprefix("#HttpOnly_")
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != _COLUMNS or not cells[4].strip().isdigit():
            msg = (
                f"fetch.cookies: {path}, line {number} is no cookie: seven columns with tabs between them "
                "are needed (the format of Netscape)"
            )
            raise ConfigError(msg)
        domain, subdomains, where, secure, expires, name, value = (cell.strip() for cell in cells)
        found.append(
            HostCookie(
                domain.lstrip(".").lower(), subdomains.upper() == "TRUE", where or "/",
                secure.upper() == "TRUE", float(expires), f"{name}={value}",
            )
        )  # fmt: skip
    return found
