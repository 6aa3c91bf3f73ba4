"""Faults of the web and of a computer in words a person can act on: what is wrong, and what helps."""

import re
from dataclasses import dataclass

from clew import urls
from clew.config import Config

_SECRET = re.compile(r"(\w://)[^/\s@]+@")


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one seed. `state` is answers, moved, refused (by robots.txt), failed, odd or unchecked."""

    url: str
    state: str
    words: str
    cure: str = ""

    @property
    def good(self) -> bool:
        """Whether a crawl can begin there."""
        return self.state in ("answers", "moved")


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `clew doctor`. `mark` is ✓, ! or ✗; `code` is the exit code of a ✗."""

    mark: str
    name: str
    words: str
    cure: str = ""
    code: int = 1


def masked(text: str) -> str:
    """Return text without the names and passwords of its addresses.

    >>> masked("proxy http://me:secret@10.0.0.1:3128")
    'proxy http://***@10.0.0.1:3128'
    """
    return _SECRET.sub(r"\1***@", text)


def trouble(error: str, url: str, config: Config) -> tuple[str, str]:
    """Return what a `Visit.error` means for an address, and what helps."""
    host = urls.host(url)
    if error.startswith("refused address"):
        address = error.rpartition(" ")[2]
        return f"is at the private address {address}", f"allow it: --set fetch.allow={_network(address)}"
    if proxy := config.fetch.proxy:
        if error.startswith("proxy") or error in ("connection refused", "connection failed"):
            return f"the proxy {masked(proxy)} does not help ({error})", "check fetch.proxy"
    elif error.startswith("dns"):
        return f"no such host: {host}", "check the spelling, and that this computer is online"
    for beginning, words, cure in _TROUBLES:
        if error.startswith(beginning):
            return words.format(error=error.partition(": ")[2] or error), cure
    return f"cannot be fetched: {error}", "look at it in a browser; it may be a passing fault"


_TROUBLES = (
    (
        "connection refused",
        "refuses the connection",
        "nothing listens there: check the port, or try https://",
    ),
    ("tls", "{error}", "clew fetches nothing it cannot trust: try http://, or tell the site's owner"),
    ("timeout", "does not answer in time", "it may be slow today; a crawl waits longer and tries again"),
    ("no progress", "does not answer in time", "it may be slow today; a crawl waits longer and tries again"),
    ("host unreachable", "cannot be reached", "check that this computer is online"),
    ("network unreachable", "cannot be reached", "check that this computer is online"),
    ("connection", "drops the connection", "it may be a passing fault; a crawl tries again"),
    ("not http", "does not speak HTTP", "check the port, or try https://"),
)

_STATUS = {
    401: ("asks for a login (401)", "clew has no passwords: begin at a public page"),
    403: ("refuses us (403)", "look at it in a browser; if that works, ask its owner"),
    404: ("is not there (404)", "check the spelling, or begin at the front page"),
    407: ("the proxy asks for a login (407)", "write it as fetch.proxy = http://name:password@…"),
    410: ("is gone for good (410)", "begin elsewhere"),
    429: ("is busy (429)", "a crawl waits and tries again"),
    451: ("is withheld for legal reasons (451)", "begin elsewhere"),
    503: ("is busy (503)", "a crawl waits and tries again"),
}


def refusal_of(status: int) -> tuple[str, str]:
    """Return what a status that is neither 2xx nor 3xx means, and what helps."""
    if status in _STATUS:
        return _STATUS[status]
    if status >= 500:  # noqa: PLR2004
        return (
            f"answers with a fault of its own ({status})",
            "a crawl tries again; tell its owner if it stays",
        )
    return f"refuses ({status})", "look at it in a browser"


def _network(address: str) -> str:
    """Return the range a person most likely means by a private address."""
    if address.startswith("127."):
        return "127.0.0.0/8"
    return f"{address}/128" if ":" in address else f"{address}/32"
