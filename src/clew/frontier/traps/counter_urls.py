"""URLs that follow from the URL of their page by a counter: the next number, the same day a month later.

A calendar, a pager and a row of records link onwards by few *steps*: one more, ten more, a year back. The
same step on page after page is generated, and no evidence for the URL it leads to. Links that people write
hardly ever follow the same step twice.
"""

import re
from functools import lru_cache
from operator import sub

from clew.frontier.traps.content_dedup import Recent

_NUMBER = re.compile(r"(\d{1,18})")


class CounterUrls:
    """Remember the steps between URLs of pages and links; `size` steps at least, at most twice as many."""

    def __init__(self, *, size: int = 100_000) -> None:
        self._steps: Recent[int] = Recent(size)

    def is_counted(self, source: str, url: str) -> bool:
        """Return whether a link follows a step seen on another page before, and remember the step."""
        words, numbers = _words_and_numbers(url)
        if not numbers:
            return False
        own_words, own = _words_and_numbers(source)
        step = hash((own_words, words, *map(sub, numbers, own), *numbers[len(own) :]))
        page = hash(source)
        earlier = self._steps.find(step)
        if earlier is None:
            self._steps.put(step, page)
        return earlier is not None and earlier != page


@lru_cache(maxsize=16_384)
def _words_and_numbers(url: str) -> tuple[str, tuple[int, ...]]:
    """Return the words of a path and query, and the numbers between them."""
    pieces = _NUMBER.split(url[url.find("/", 8) :])
    return "#".join(pieces[::2]), tuple(map(int, pieces[1::2]))


def prefixed_segment(url: str, source: str) -> str:
    """Return the segment that this URL puts before the source's path, or an empty string.

    >>> prefixed_segment("http://a.example/de/about", "http://a.example/about")
    'de'
    """
    start = url.find("/", 8)
    path = source[source.find("/", 8) :]
    more = len(url) - start - len(path)
    if more < 2 or not url.endswith(path):  # noqa: PLR2004 - a slash and a letter
        return ""
    name = url[start + 1 : start + more]
    return "" if "/" in name else name
