"""Evidence pages: pages of a site with known rows on them, from which patterns are learned."""

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass, field

from clew.domain.records.known_values import RowMatches
from clew.domain.records.text_nodes import TextNodes
from clew.domain.records.value_patterns import Sample
from clew.domain.records.values import ENDS, common_prefix, fold


@dataclass(slots=True)
class EvidencePage:
    """The text nodes of a page, and the known rows on it with the occurrences of their values, by column."""

    page: int
    url: str
    text_nodes: TextNodes
    matches: RowMatches = field(default_factory=list)


def site_of(url: str) -> str:
    """Return scheme and host of a URL.

    >>> site_of("https://www.example.org/books/1.html")
    'https://www.example.org/'
    """
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/"


def common_url_prefix(urls: Collection[str]) -> str:
    """Return the common prefix of URLs, up to the last character that is no letter or digit.

    >>> common_url_prefix({"http://a.org/cat/als_a.htm", "http://a.org/cat/als_b.htm"})
    'http://a.org/cat/als_'
    >>> common_url_prefix({"http://a.org/b/12", "http://a.org/b/13"})
    'http://a.org/b/'
    """
    common = common_prefix(urls)
    if len(urls) == 1:
        common = common[: common.rfind("/") + 1]
    while common and common[-1].isalnum():
        common = common[:-1]
    least = site_of(next(iter(urls)))
    return common if len(common) >= len(least) else least


def make_sample(page: TextNodes, text_node: int, spans: tuple[tuple[int, int], ...]) -> Sample:
    """Return the original text of a text node with the spans of its values: folding changes lengths."""
    text, folded = page.text[text_node], page.folded[text_node]
    if len(text) == len(folded):
        return text, tuple(_with_closing_bracket(text, span) for span in spans)
    (start, _), (_, end) = spans[0], spans[-1]
    if len(spans) == 1 and not (folded[:start] + folded[end:]).strip(ENDS):
        return text, ((len(text) - len(text.lstrip()), len(text.rstrip())),)
    offsets = [0]
    for char in text:
        offsets.append(offsets[-1] + len(fold(char)))
    return text, tuple(
        _with_closing_bracket(text, (bisect_left(offsets, start), bisect_left(offsets, end)))
        for start, end in spans
    )


def _with_closing_bracket(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Extend a span by the bracket that closes one within it: normal forms end before it.

    >>> _with_closing_bracket("Signs (2002) - films", (0, 11))
    (0, 12)
    """
    start, end = span
    value = text[start:end]
    for opening, closing in ("()", "[]"):
        if value.count(opening) > value.count(closing) and text.startswith(closing, end):
            return start, end + 1
    return span
