"""URL parameters that change nothing: one page under endlessly many URLs.

A parameter is known to change nothing on a host when leaving it out (or another value of it) gave the
same text several times, and hardly ever another one.
"""

from collections import OrderedDict

from clew.frontier.traps.content_dedup import Recent
from clew.frontier.traps.url_regions import locate
from clew.urls import fingerprint as name_of

MIN_EQUAL = 4
"""Equal texts under different values before a parameter is known to change nothing."""


class UrlAliases:
    """Detect URLs of a page that was read already under another URL; remember so many `parameters`."""

    def __init__(self, *, parameters: int = 100_000) -> None:
        self.parameters = parameters
        self._read: Recent[tuple[int, int]] = Recent(200_000)
        self._tallies: OrderedDict[tuple[str, str], list[int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._tallies)

    def refusal(self, url: str) -> str:
        """Return which parameter of a URL changes nothing, if the page without it was read."""
        host = locate(url).host
        for name, rest in _without_each(url):
            same, differ = self._tallies.get((host, name), (0, 0))
            if (
                same >= MIN_EQUAL
                and same >= MIN_EQUAL * differ
                and self._read.find(name_of(rest)) is not None
            ):
                return f'traps: "{name[:40]}" does not change the page'
        return ""

    def learn(self, url: str, fingerprint: int, text: int, words: str) -> None:
        """Count for each parameter whether the URL without it gave the same page."""
        host = locate(url).host
        for name, rest in _without_each(url):
            earlier = self._read.find(name_of(rest))
            if earlier is None:
                self._read.put(name_of(rest), (fingerprint, text))
                continue
            tally = self._tallies.setdefault((host, name), [0, 0])
            tally[not _is_alike(earlier, (fingerprint, text), words)] += 1
            if len(self._tallies) > self.parameters:
                self._tallies.popitem(last=False)
        self._read.put(name_of(url), (fingerprint, text))

    def recall(self, url: str, fingerprint: int) -> None:
        """Remember a page that was read in an earlier run."""
        self._read.put(name_of(url), (fingerprint, 0))


def _is_alike(a: tuple[int, int], b: tuple[int, int], words: str) -> bool:
    """Return whether two pages have the same text; a few differing digits are counters and clocks."""
    if a[1] and a[1] == b[1]:
        return True
    if a[0] != b[0]:
        return False
    return 30 * sum(words.count(digit) for digit in "0123456789") < len(words)


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
