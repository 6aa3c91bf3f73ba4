"""What helps when nothing could be fetched: a cure for each reason that has one."""

from collections.abc import Sequence

_CURES = {
    "refused address": "private addresses are fetched only if named: --set fetch.allow=127.0.0.0/8",
    "dns:": "no such host: check the spelling of the seeds, and that this computer is online",
    "proxy": "the proxy does not help: look at fetch.proxy in clew.toml, or try without: --set fetch.proxy=",
    "tls: certificate expired": "the site's certificate has expired: tell its owner, or begin elsewhere",
    "tls:": "the site has no certificate we can trust: check the address (http:// or www. instead?)",
    "connection refused": "nothing listens there: check host and port of the seeds, or try again later",
    "network unreachable": "this computer has no way to that host: check its network",
    "timeout": "no answer in time: try again later, or be more patient: --set fetch.timeout=60",
    "robots: Disallow": "the site forbids it in robots.txt: begin elsewhere, or ask its owner",
    "robots.txt could not be read": "without readable robots.txt a site is left alone: try again later",
    "status 429": "the site asks us to slow down: try again later, with --set fetch.delay=10",
    "status 503": "the site is overloaded or shuts us out: try again later, with --set fetch.delay=10",
    "HTTP 401": "the pages ask for a password; clew reads only what is public: begin elsewhere",
    "HTTP 403": "the site shuts us out: ask its owner, or begin elsewhere",
    "HTTP 404": "the pages do not exist: check the addresses of the seeds in a browser",
    "scope.": "the seeds are outside of your own [scope]: look at clew.toml",
}


def cures(reasons: Sequence[str]) -> list[str]:
    """Return what would help, for the reasons that have a cure, at most three.

    >>> cures(["https://a.test/: dns: name not found"])
    ['no such host: check the spelling of the seeds, and that this computer is online']
    """
    found: dict[str, None] = {}
    for reason in reasons:
        cure = next((cure for sign, cure in _CURES.items() if sign in reason), "")
        if cure:
            found[cure] = None
    return list(found)[:3]
