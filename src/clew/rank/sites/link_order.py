"""The default order of the links of one site: by words, pages that were read under another name last."""

import re

import numpy as np

from clew.rank.baselines.keyword import Keyword
from clew.types import Links, Outcome, Scores

OTHER_PAGE = 0.01
"""Part of the score of a link that leads to another page, so that it is first among links without a word."""

_INDEX = re.compile(r"/(?:index|default|home)\.\w{2,5}\Z")


class SiteKeyword(Keyword):
    """`keyword`, where links from a page to its own other name (`/` and `/index.html`) come last.

    Most menus begin with such a link. Of three pages that are read of a site it would be one.

    >>> from clew.testing import sample_links, sample_outcome
    >>> ranker = SiteKeyword(about="lighthouse page")
    >>> sorted(ranker.parts(sample_outcome(), sample_links(1)))
    ['URL', 'another page', 'link text', 'source page']
    """

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        own = _page_name(source.page.url)
        other = np.array([_page_name(url) != own for url in links.urls], np.float32)
        weight = (1 - OTHER_PAGE) * other
        parts = {name: column * weight for name, column in super().parts(source, links).items()}
        return parts | {"another page": OTHER_PAGE * other}


def _page_name(url: str) -> str:
    """Return a URL without the usual names of the index of a folder.

    >>> _page_name("http://a.test/x/index.html"), _page_name("http://a.test/x/?page=2")
    ('http://a.test/x/', 'http://a.test/x/?page=2')
    """
    return _INDEX.sub("/", url)
