"""URL parameters that change nothing: one page under endlessly many URLs.

A parameter is known to change nothing on a host when leaving it out (or another value of it) gave the
same text several times, and hardly ever another one.
"""

import re
from collections import OrderedDict

from clew.frontier.traps.content_dedup import Recent
from clew.frontier.traps.places import place_of
from clew.urls import fingerprint as name_of

_SEPARATORS = re.compile(r"[/?&,;+]|%2[0BC]")
_MIN_NAMES = 3

MIN_EQUAL = 4
"""Equal texts under different values before a parameter is known to change nothing."""


class UrlAliases:
    """Detect URLs of a page that was read already under another URL; remember so many `parameters`."""

    def __init__(self, *, parameters: int = 100_000) -> None:
        self.parameters = parameters
        self._read: Recent[tuple[int, int]] = Recent(200_000)
        self._names: Recent[int] = Recent(200_000)
        self._tallies: OrderedDict[tuple[str, str], list[int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._tallies)

    def refusal(self, url: str) -> str:
        """Return which parameter of a URL changes nothing, if the page without it was read."""
        host = place_of(url).partition("/")[0]
        for name, rest in _without_each(url):
            same, differ = self._tallies.get((host, name), (0, 0))
            if (
                same >= MIN_EQUAL
                and same >= MIN_EQUAL * differ
                and self._read.find(name_of(rest)) is not None
            ):
                return f'traps: "{name[:40]}" does not change the page'
        return ""

    def learn(self, url: str, fingerprint: int, text: int) -> None:
        """Count for each parameter whether the URL without it gave the same page; `text`: see `text_hash`."""
        host = place_of(url).partition("/")[0]
        for name, rest in _without_each(url):
            earlier = self._read.find(name_of(rest))
            if earlier is None:
                self._read.put(name_of(rest), (fingerprint, text))
                continue
            tally = self._tallies.setdefault((host, name), [0, 0])
            tally[not _is_alike(earlier, (fingerprint, text))] += 1
            if len(self._tallies) > self.parameters:
                self._tallies.popitem(last=False)
        self._read.put(name_of(url), (fingerprint, text))

    def is_reordered(self, url: str) -> bool:
        """Return whether a page with the same names in another order was read, and remember this one.

        Filters that add up in the path make many orders of few names; folders that people make do not.
        """
        names = _SEPARATORS.split(url)[3:]
        if len(names) < _MIN_NAMES:
            return False
        words = sorted(name for name in names if not name.isdigit())
        numbers = [name for name in names if name.isdigit()]
        key = name_of(f"{place_of(url).partition('/')[0]} {'/'.join(words)} {'/'.join(numbers)}")
        own = name_of(url)
        earlier = self._names.find(key)
        if earlier is None:
            self._names.put(key, own)
        return earlier is not None and earlier != own


def _is_alike(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Return whether two pages have the same text; a few differing digits are counters and clocks."""
    return a[1] == b[1] or (a[0] == b[0] and bool(b[1] & 1))


def _without_each(url: str) -> list[tuple[str, str]]:
    """Return name and remaining URL for each of the first six parameters."""
    path, _, query = url.partition("?")
    if not query:
        return []
    pairs = query.split("&")
    found = []
    for at, pair in enumerate(pairs[:6]):
        rest = "&".join(pairs[:at] + pairs[at + 1 :])
        found.append((pair.partition("=")[0], f"{path}?{rest}" if rest else path))
    return found
