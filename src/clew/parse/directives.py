"""Robots directives (meta robots, X-Robots-Tag) and refreshes that are redirects."""

import re
from collections.abc import Iterable

from clew.types import RobotsDirectives

_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_REFRESH = re.compile(r"\s*(\d{0,9})(?:\.[\d.]{0,20})?\s*(?:[;,\s]\s*(.*))?", re.DOTALL)
_URL = re.compile(r"url\s*=\s*", re.IGNORECASE)


def parse_directives(words: Iterable[str]) -> RobotsDirectives:
    """Parse directives such as `noindex`, `nofollow` and `none`."""
    names = {word.strip().lower() for word in words}
    return RobotsDirectives("noindex" in names or "none" in names, "nofollow" in names or "none" in names)


def header_directives(values: Iterable[str], agent: str) -> RobotsDirectives:
    """Parse X-Robots-Tag headers: those for every crawler and those for `agent`.

    >>> header_directives(["otherbot: noindex", "clew: nofollow"], "clew")
    RobotsDirectives(noindex=False, nofollow=True)
    """
    directives = RobotsDirectives()
    for value in values:
        ours = True
        words = []
        for part in value.split(","):
            name, colon, rest = part.partition(":")
            if colon and name.strip().lower() not in _VALUED:
                ours = name.strip().lower() in {agent.lower(), "*"}
                part = rest  # noqa: PLW2901 - the directive behind the name
            if ours:
                words.append(part)
        directives |= parse_directives(words)
    return directives


def refresh(content: str) -> tuple[float, str]:
    """Return seconds and URL of a refresh; the URL is empty when there is none.

    >>> refresh("5; URL='/next'")
    (5.0, '/next')
    """
    found = _REFRESH.match(content[:4_096])
    if not found or (not found[1] and not content.strip().startswith(".")):
        return 0.0, ""
    seconds = float(found[1] or 0)
    target = (found[2] or "").strip()
    if named := _URL.match(target):
        target = target[named.end() :]
    if target[:1] in {"'", '"'}:
        target = target[1:].partition(target[0])[0]
    return seconds, target.strip()
