"""Sampled pages in a form that another engine of the same crawl can learn from."""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from clew.judge.page_sample import SampledPage, packed_bag, unpacked_bag


@dataclass(slots=True)
class SharedPages:
    """Collect sampled pages from the first `take` on; before it, nobody wants them.

    >>> from clew.domain.text.page_terms import count_terms
    >>> pages = SharedPages()
    >>> pages.take()
    b''
    >>> pages.add("https://a.test/", SampledPage(count_terms("", "fog signal", "en"), 0.5))
    >>> [(url, len(page.bag), page.by_words) for url, page in unpack(pages.take())]
    [('https://a.test/', 2, 0.5)]
    """

    wanted: bool = False
    rows: list[tuple[str, SampledPage]] = field(default_factory=list)

    def add(self, url: str, page: SampledPage) -> None:
        """Add a page, if anybody wants to know."""
        if self.wanted:
            self.rows.append((url, page))

    def take(self) -> bytes:
        """Return what was added since the last call, packed."""
        self.wanted = True
        rows, self.rows = self.rows, []
        if not rows:
            return b""
        return zlib.compress(
            json.dumps([(url, page.by_words, packed_bag(page.bag)) for url, page in rows]).encode()
        )


def unpack(packed: bytes) -> Iterator[tuple[str, SampledPage]]:
    """Return the pages that another engine has packed."""
    for url, by_words, bag in json.loads(zlib.decompress(packed)):
        yield url, SampledPage(unpacked_bag(bag), by_words)
