"""Sheets: pages of a site that hold known rows, kept as evidence for patterns."""

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass, field

from clew.domain.records.known_values import Met
from clew.domain.records.text_nodes import TextNodes
from clew.domain.records.value_patterns import Sample
from clew.domain.records.values import ENDS, beginning, plain


@dataclass(slots=True)
class EvidencePage:
    """A page as its leaves, and the known rows on it with the places of their values, by column."""

    page: int
    url: str
    leaves: TextNodes
    met: Met = field(default_factory=list)


def site_of(url: str) -> str:
    """Return scheme and host of an address.

    >>> site_of("https://www.example.org/books/1.html")
    'https://www.example.org/'
    """
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/"


def where_of(urls: Collection[str]) -> str:
    """Return the common beginning of addresses, up to a sign that parts them.

    >>> where_of({"http://a.org/cat/als_a.htm", "http://a.org/cat/als_b.htm"})
    'http://a.org/cat/als_'
    >>> where_of({"http://a.org/b/12", "http://a.org/b/13"})
    'http://a.org/b/'
    """
    common = beginning(urls)
    if len(urls) == 1:
        common = common[: common.rfind("/") + 1]
    while common and common[-1].isalnum():
        common = common[:-1]
    least = site_of(next(iter(urls)))
    return common if len(common) >= len(least) else least


def sample(page: TextNodes, leaf: int, spans: tuple[tuple[int, int], ...]) -> Sample:
    """Return a leaf as it is written, with the places of its values there: folding changes lengths."""
    text, folded = page.text[leaf], page.plain[leaf]
    if len(text) == len(folded):
        return text, spans
    (start, _), (_, end) = spans[0], spans[-1]
    if len(spans) == 1 and not (folded[:start] + folded[end:]).strip(ENDS):
        return text, ((len(text) - len(text.lstrip()), len(text.rstrip())),)
    offsets = [0]
    for sign in text:
        offsets.append(offsets[-1] + len(plain(sign)))
    return text, tuple((bisect_left(offsets, start), bisect_left(offsets, end)) for start, end in spans)
