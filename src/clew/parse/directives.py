"""What a page asks of crawlers: meta robots, X-Robots-Tag, and refreshes that are redirects."""

import re
from collections.abc import Iterable
from typing import NamedTuple

_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_REFRESH = re.compile(r"\s*(\d{0,9})(?:\.[\d.]{0,20})?\s*(?:[;,\s]\s*(.*))?", re.DOTALL)
_URL = re.compile(r"url\s*=\s*", re.IGNORECASE)


class RobotsDirectives(NamedTuple):
    """Whether a page wants to be kept, and its links followed."""

    noindex: bool = False
    nofollow: bool = False

    def __or__(self, other: object) -> "RobotsDirectives":
        noindex, nofollow = other if isinstance(other, RobotsDirectives) else (False, False)
        return RobotsDirectives(self.noindex or noindex, self.nofollow or nofollow)


NOTHING = RobotsDirectives()


def in_words(words: Iterable[str]) -> RobotsDirectives:
    """Read directives such as `noindex`, `nofollow` and `none`."""
    asked = {word.strip().lower() for word in words}
    return RobotsDirectives("noindex" in asked or "none" in asked, "nofollow" in asked or "none" in asked)


def in_headers(values: Iterable[str], agent: str) -> RobotsDirectives:
    """Read X-Robots-Tag headers: those for everybody and those for us.

    >>> in_headers(["otherbot: noindex", "clew: nofollow"], "clew")
    RobotsDirectives(noindex=False, nofollow=True)
    """
    wish = RobotsDirectives()
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
        wish |= in_words(words)
    return wish


def refresh(content: str) -> tuple[float, str]:
    """Return seconds and address of a refresh; the address is empty when it names none.

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
