"""Remedies when nothing could be fetched: one for each reason that has one."""

from collections.abc import Sequence

CURES = {
    "refused address": "private addresses are refused unless allowed: --set fetch.allow=127.0.0.0/8",
    "dns:": "no such host: check the spelling of the seeds, and that this computer is online",
    "proxy": "the proxy does not work: check fetch.proxy in clew.toml, or try without: --set fetch.proxy=",
    "tls: certificate expired": "the site's certificate has expired: tell its owner, or use another seed",
    "tls:": "the site's certificate is not trusted: check the URL (http:// or www. instead?)",
    "connection refused": "nothing listens there: check host and port of the seeds, or try again later",
    "network unreachable": "this computer has no route to that host: check its network",
    "timeout": "no response in time: try again later, or raise the limit: --set fetch.timeout=60",
    "robots: Disallow": "the site forbids it in robots.txt: use another seed, or ask its owner",
    "robots.txt could not be read": "a site without a readable robots.txt is not crawled: try again later",
    "status 429": "the site asks us to slow down: try again later, with --set fetch.delay=10",
    "status 503": "the site is overloaded or blocks us: try again later, with --set fetch.delay=10",
    "status 5": "the site reports an error of its own: try again later",
    "HTTP 401": "the pages require a login: set CLEW_AUTH=HOST=user:password, or fetch.cookies",
    "HTTP 403": "the site blocks us: ask its owner, or use another seed",
    "HTTP 404": "the pages do not exist: check the URLs of the seeds in a browser",
    "scope.": "the seeds are outside your own [scope]: check clew.toml",
}


def cures(reasons: Sequence[str]) -> list[str]:
    """Return at most three remedies for the given reasons.

    >>> cures(["https://a.test/: dns: name not found"])
    ['no such host: check the spelling of the seeds, and that this computer is online']
    >>> cures(["https://a.test/: status 500 (tried 5 times)"])
    ['the site reports an error of its own: try again later']
    """
    found: dict[str, None] = {}
    for reason in reasons:
        cure = next((cure for sign, cure in CURES.items() if sign in reason), "")
        if cure:
            found[cure] = None
    return list(found)[:3]
