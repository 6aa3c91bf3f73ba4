"""The `data` extractor: one row for each data file that a page links to, and for each that was fetched."""

from clew import urls
from clew.domain.datafiles import kind_of, looked_at, size_of
from clew.domain.text import printable
from clew.types import Label, Page, Record

COLUMNS = ("file", "kind", "state", "statistical", "bytes", "rows", "columns", "words", "found_on")
_MIN_CHANCE = 0.5
_MAX_LINKED = 200_000
_MAX_WORDS = 200


class DataFileExtractor:
    """List data files: URL, kind, size, the probability that it holds statistics, and its link text.

    `state` is `linked` for a link to a file and `read` for a file that was fetched and inspected; rows and
    columns are those within the bytes that were read. A file is listed once when it is linked, however many
    pages link to it, and once when it is read. `found_on` is the page with the link. Links are listed from a
    probability of `least`; files that were read always are.
    """

    def __init__(self, *, least: float = _MIN_CHANCE) -> None:
        self.least = least
        self._linked: dict[int, tuple[str, str]] = {}

    def extract(self, page: Page) -> tuple[Record, ...]:
        inspection = looked_at(page)
        if inspection is None:
            return tuple(self._links(page))
        words, source = self._linked.get(urls.fingerprint(page.url), (page.link.anchor, ""))
        values = (
            page.url, inspection.kind, "read", f"{inspection.statistical:.2f}", str(size_of(page)),
            str(inspection.rows or ""), str(inspection.columns or ""), printable(words, _MAX_WORDS), source,
        )  # fmt: skip
        return (Record(COLUMNS, values, 0, inspection.statistical),)

    def learn(self, label: Label, page: Page) -> None:
        """Ignore labels: a file is listed however the page was labelled."""

    def _links(self, page: Page) -> list[Record]:
        links, records = page.links, []
        for index, url in enumerate(links.urls):
            sign = kind_of(url, links.types[index], links.anchors[index])
            fingerprint = int(links.hashes[index])
            if sign.chance < self.least or fingerprint in self._linked:
                continue
            if len(self._linked) < _MAX_LINKED:
                self._linked[fingerprint] = links.anchors[index], page.url
            words = printable(links.anchors[index] or links.contexts[index], _MAX_WORDS)
            values = (url, sign.kind, "linked", f"{sign.chance:.2f}", "", "", "", words, page.url)
            records.append(Record(COLUMNS, values, index, sign.chance))
        return records
