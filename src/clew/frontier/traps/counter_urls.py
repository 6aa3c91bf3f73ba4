"""Addresses that can be worked out from the page they stand on: the next number, the same day a month later.

A calendar, a pager and a row of records lead on by few *steps*: one more, ten more, a year back. The same
step met on page after page is a machine counting, and says nothing for the address it leads to. People
name other pages for what is written there, and hardly ever the same way twice.
"""

import re
from functools import lru_cache
from operator import sub

from clew.frontier.traps.content_dedup import Recent

_NUMBER = re.compile(r"(\d{1,18})")


class CounterUrls:
    """Remember by which steps pages lead to others; `size` steps at least, at most twice as many."""

    def __init__(self, *, size: int = 100_000) -> None:
        self._met: Recent[int] = Recent(size)

    def is_counted(self, source: str, url: str) -> bool:
        """Tell whether a link follows a step met on another page before, and remember it."""
        words, numbers = _told_apart(url)
        if not numbers:
            return False
        own_words, own = _told_apart(source)
        step = hash((own_words, words, *map(sub, numbers, own), *numbers[len(own) :]))
        page = hash(source)
        earlier = self._met.find(step)
        if earlier is None:
            self._met.put(step, page)
        return earlier is not None and earlier != page


@lru_cache(maxsize=16_384)
def _told_apart(url: str) -> tuple[str, tuple[int, ...]]:
    """Return the words of a path and query, and the numbers between them."""
    pieces = _NUMBER.split(url[url.find("/", 8) :])
    return "#".join(pieces[::2]), tuple(map(int, pieces[1::2]))


def is_wound_on(url: str, source: str) -> str:
    """Return the name that was set before the source's path to make this address, or an empty string.

    >>> is_wound_on("http://a.example/de/about", "http://a.example/about")
    'de'
    """
    start = url.find("/", 8)
    path = source[source.find("/", 8) :]
    more = len(url) - start - len(path)
    if more < 2 or not url.endswith(path):  # noqa: PLR2004 - a slash and a letter
        return ""
    name = url[start + 1 : start + more]
    return "" if "/" in name else name
