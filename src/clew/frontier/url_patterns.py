"""Patterns for URLs that a user excludes while a crawl runs: a prefix, a glob or a regular expression.

A rule names either hosts (`news.example`, `*.example`) or URLs. A prefix is `host/path` without the scheme:
http and https of an address are one page to a person. A glob has a `*` and must match the whole URL; a
regular expression begins with `re:` and may match anywhere in it. They are matched by
RE2, in a time that is linear in the length of the URL: Python's own can take hours for one URL, and patterns
are typed into running crawls and servers.
"""

import re
from collections.abc import Callable
from typing import Any

import re2

from clew import urls
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.frontier.scope import glob_matcher

REGEX = "re:"
"""How a regular expression begins, so that it cannot be taken for a glob."""

_HOSTS = re.compile(r"(\*\.)?[^*/\s:]+(:\d+)?")
_FILES = frozenset(
    {
        "css", "csv", "doc", "docx", "epub", "exe", "gif", "gz", "ico", "iso", "jpeg", "jpg", "js", "json",
        "mov", "mp3", "mp4", "mpeg", "odp", "ods", "odt", "ogg", "pdf", "png", "ppt", "pptx", "rar", "rss",
        "rtf", "svg", "tar", "tgz", "tiff", "tsv", "txt", "wav", "webm", "webp", "xls", "xlsx", "xml", "zip",
    }
)  # fmt: skip
"""Endings that are meant in `*.pdf`; none of the common ones is a top-level domain with crawled hosts but zip
and mov, whose hosts can be named one by one."""


def read_rule(text: str) -> str:
    """Return what a user typed as the text of a rule: a host, or a URL pattern.

    >>> read_rule("https://News.example/"), read_rule("https://news.example/archive/")
    ('news.example', 'news.example/archive/')
    >>> read_rule("*/login*"), read_rule("*.pdf"), read_rule("re:[?&]page=[0-9]{3}")
    ('*/login*', '*/*.pdf', 're:[?&]page=[0-9]{3}')
    """
    text = text.strip()
    if text.startswith(REGEX):
        return _checked_regex(text)
    if text.startswith("*.") and text[2:].lower() in _FILES:
        return f"*/{text.lower()}"
    if _HOSTS.fullmatch(text) and text.strip("*."):
        return text.lower()
    bare = text.partition("://")[2] if text.lower().startswith(("http://", "https://")) else text
    if bare.startswith("/"):
        msg = (
            f"{printable(text)} has no host; for this path on every host write"
            f" *{printable(text.rstrip('*'))}*, for one host news.example{printable(text)}"
        )
        raise ConfigError(msg)
    if "*" in bare:
        return bare if bare.startswith("*") else f"*://{bare}"
    canonical = urls.Canon(drop=())(f"http://{bare}") if " " not in bare else None
    if not bare or not canonical:
        msg = (
            f"{printable(text) or 'nothing'} is neither a host nor a URL pattern; write a host (news.example,"
            " *.example), the beginning of a URL (https://news.example/archive/), a pattern with stars"
            ' ("*/login*") or a regular expression ("re:page=[0-9]+")'
        )
        raise ConfigError(msg)
    address = canonical.removeprefix("http://")
    return urls.host(canonical) if address.rstrip("/").count("/") == 0 and "?" not in address else address


def _checked_regex(text: str) -> str:
    if not text[len(REGEX) :]:
        msg = f"{REGEX} needs a regular expression after the colon, e.g. re:[?&]page=[0-9]+"
        raise ConfigError(msg)
    try:
        _compile(text[len(REGEX) :])
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if error.args else "it cannot be read"
        msg = (
            f"{printable(text)} cannot be used as a regular expression: {printable(reason)}; look-around,"
            " back-references and repetitions above 1,000 are not supported (RE2 syntax)"
        )
        raise ConfigError(msg) from None
    return text


def _compile(pattern: str) -> Any:  # noqa: ANN401 - re2 has no types
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def is_url_pattern(rule: str) -> bool:
    """Return whether the text of a rule is a pattern for URLs; otherwise it names hosts."""
    return rule.startswith(REGEX) or not _HOSTS.fullmatch(rule)


def url_matcher(pattern: str) -> Callable[[str], bool]:
    """Return a predicate for the URLs that a pattern matches.

    >>> archive = url_matcher("news.example/archive")
    >>> [archive(f"https://news.example/{path}") for path in ("archive", "archive/1", "archives")]
    [True, True, False]
    """
    if pattern.startswith(REGEX):
        try:
            search = _compile(pattern[len(REGEX) :]).search
        except re2.error:  # stored by an earlier version, which matched with Python's expressions
            search = re.compile(pattern[len(REGEX) :]).search
        return lambda url: search(url) is not None
    if "*" in pattern:
        matches = glob_matcher(pattern)
        return lambda url: bool(matches(url))
    whole = pattern.endswith("/") or "?" in pattern
    size = len(pattern)

    def begins(url: str) -> bool:
        address = url.partition("://")[2]
        return address.startswith(pattern) and (whole or address[size : size + 1] in ("", "/", "?"))

    return begins
