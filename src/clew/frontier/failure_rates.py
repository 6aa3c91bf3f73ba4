"""Learn which links bring no page: failure rates of hosts, folders and URL forms.

A link whose neighbours fail is worth less, whatever the policy thinks of its text. Its score is multiplied by
the estimated probability that a page comes. Rates are smoothed towards their parent, which counts as `PARENT`
requests of its own:

    host   = failures / (requests + PARENT)
    folder = (failures + PARENT · host) / (requests + PARENT)
    form   = (failures + PARENT · folder) / (requests + PARENT)

So one failure says little, ten in a folder with nothing else say that the folder is gone, and a host that
answers keeps its other folders.
"""

import re
from functools import lru_cache

from clew.types import PageResult

PARENT = 4.0
"""Requests that the rate of the parent counts for: what five links did outweighs what was known before."""

MAX_KEYS = 200_000
"""Hosts, folders and forms that are counted; later ones have the rate of their parent."""

_DIGITS = re.compile(r"\d+")


@lru_cache(maxsize=1_024)  # asked for when a link is taken, and again when its result comes
def url_levels(url: str) -> tuple[str, str, str]:
    """Return host, first folder and form of a URL; the form has `#` for numbers and `*` for the last name.

    >>> url_levels("https://a.test/post/2019/05/tea.html?page=2&id=7")
    ('a.test', 'a.test/post/', 'a.test/post/#/#/*.html?id&page')
    >>> url_levels("http://a.test/")
    ('a.test', 'a.test/', 'a.test/')
    """
    path, _, query = url.partition("://")[2].partition("?")
    host, _, path = path.partition("/")
    folders, _, name = path.rpartition("/")
    first = f"{host}/{folders.partition('/')[0]}/" if folders else f"{host}/"
    folders = _DIGITS.sub("#", f"{host}/{folders}/") if folders else f"{host}/"
    stem, dot, extension = name.rpartition(".")
    last = f"*.{extension}" if dot and stem and len(extension) <= 5 else "*" if name else ""  # noqa: PLR2004
    keys = sorted({part.partition("=")[0] for part in query.split("&")}) if query else []
    return host, first, f"{folders}{last}{'?' if keys else ''}{'&'.join(keys)}"


class FailureRates:
    """Count requests and failures of links to pages by host, folder and form.

    >>> rates = FailureRates()
    >>> for n in range(10):
    ...     rates.count(f"http://a.test/old/{n}.html", failed=True)
    >>> rates.count("http://a.test/new/1.html", failed=False)
    >>> [round(1 - rates.rate(f"http://a.test/{name}/77.html"), 2) for name in ("old", "new")]
    [0.03, 0.57]
    """

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, int]] = {}

    def learn(self, result: PageResult) -> None:
        """Count the result of a link to a page; redirects and links that will be retried say nothing yet."""
        if (failed := result.is_failure) or result.is_page:
            self.count(result.page.url, failed=failed)

    def count(self, url: str, *, failed: bool) -> None:
        """Count one request."""
        for key in dict.fromkeys(url_levels(url)):
            requests, failures = self._counts.get(key, (0, 0))
            if requests or len(self._counts) < MAX_KEYS:
                self._counts[key] = requests + 1, failures + failed

    def rate(self, url: str) -> float:
        """Return the estimated probability that a link brings no page, 0 to 1."""
        rate = 0.0
        for key in dict.fromkeys(url_levels(url)):
            requests, failures = self._counts.get(key, (0, 0))
            rate = (failures + PARENT * rate) / (requests + PARENT)
        return rate
