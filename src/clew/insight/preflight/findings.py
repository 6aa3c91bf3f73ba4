"""Descriptions of network and HTTP errors: what is wrong, and what to do about it."""

import re
from dataclasses import dataclass

from clew import urls
from clew.config import Config

_SECRET = re.compile(r"(\w://)[^/\s@]+@")


@dataclass(frozen=True, slots=True)
class Finding:
    """The check of one seed. `state` is answers, moved, refused (by robots.txt), failed, odd or unchecked."""

    url: str
    state: str
    words: str
    cure: str = ""

    @property
    def usable(self) -> bool:
        """Whether a crawl can start there."""
        return self.state in ("answers", "moved")


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `clew doctor`. `mark` is ✓, ! or ✗; `code` is the exit code of a ✗."""

    mark: str
    name: str
    words: str
    cure: str = ""
    code: int = 1


def mask_passwords(text: str) -> str:
    """Return text with the user names and passwords in its URLs masked.

    >>> mask_passwords("proxy http://me:secret@10.0.0.1:3128")
    'proxy http://***@10.0.0.1:3128'
    """
    return _SECRET.sub(r"\1***@", text)


def describe_error(error: str, url: str, config: Config) -> tuple[str, str]:
    """Return what a `Response.error` means for a URL, and what to do about it."""
    host = urls.host(url)
    if error.startswith("refused address"):
        address = error.rpartition(" ")[2]
        return f"is at the private address {address}", f"allow it: --set fetch.allow={_network(address)}"
    if proxy := config.fetch.proxy:
        if error.startswith("proxy") or error in ("connection refused", "connection failed"):
            return f"the proxy {mask_passwords(proxy)} does not work ({error})", "check fetch.proxy"
    elif error.startswith("dns"):
        return f"no such host: {host}", "check the spelling, and that this computer is online"
    for beginning, words, cure in _TROUBLES:
        if error.startswith(beginning):
            return words.format(error=error.partition(": ")[2] or error), cure
    return f"cannot be fetched: {error}", "check it in a browser; it may be temporary"


_TROUBLES = (
    (
        "connection refused",
        "refuses the connection",
        "nothing listens there: check the port, or try https://",
    ),
    ("tls", "{error}", "clew requires a valid certificate: try http://, or tell the site's owner"),
    ("timeout", "does not respond in time", "it may be slow; a crawl waits longer and retries"),
    ("no progress", "does not respond in time", "it may be slow; a crawl waits longer and retries"),
    ("host unreachable", "cannot be reached", "check that this computer is online"),
    ("network unreachable", "cannot be reached", "check that this computer is online"),
    ("connection", "drops the connection", "it may be temporary; a crawl retries"),
    ("not http", "does not speak HTTP", "check the port, or try https://"),
)

_STATUS = {
    401: ("requires a login (401)", "give CLEW_AUTH or fetch.cookies, or use a public page as seed"),
    403: ("refuses access (403)", "check it in a browser; if that works, ask its owner"),
    404: ("does not exist (404)", "check the spelling, or use the home page as seed"),
    407: ("the proxy requires a login (407)", "set fetch.proxy = http://name:password@…"),
    410: ("was removed (410)", "use another seed"),
    429: ("is rate-limited (429)", "a crawl waits and retries"),
    451: ("is withheld for legal reasons (451)", "use another seed"),
    503: ("is overloaded (503)", "a crawl waits and retries"),
}


def describe_status(status: int) -> tuple[str, str]:
    """Return what a status that is neither 2xx nor 3xx means, and what to do about it."""
    if status in _STATUS:
        return _STATUS[status]
    if status >= 500:  # noqa: PLR2004
        return (
            f"returns a server error ({status})",
            "a crawl retries; tell its owner if it persists",
        )
    return f"refuses ({status})", "check it in a browser"


def _network(address: str) -> str:
    """Return the likeliest range for a private address."""
    if address.startswith("127."):
        return "127.0.0.0/8"
    return f"{address}/128" if ":" in address else f"{address}/32"
