"""The `data` extractor: one row for each data file that a page links to, and for each that was fetched."""

from clew import urls
from clew.domain.datafiles import kind_of, looked_at, size_of
from clew.domain.text import shown
from clew.types import Label, Page, Record

COLUMNS = ("file", "kind", "state", "statistical", "bytes", "rows", "columns", "words", "found_on")
_LEAST = 0.5
_REMEMBERED = 200_000
_WORDS = 200


class DataFileExtractor:
    """Make a catalogue of data files: address, kind, size, the chance that it holds statistics, its words.

    `state` is `linked` for a link to a file and `read` for a file that was fetched and looked at; rows and
    columns are those within the bytes that were read. A file is listed once when it is linked, however many
    pages link to it, and once when it is read. `found_on` is the page with the link. Links count from
    a chance of `least`; files that were read always do.
    """

    def __init__(self, *, least: float = _LEAST) -> None:
        self.least = least
        self._linked: dict[int, tuple[str, str]] = {}

    def extract(self, page: Page) -> tuple[Record, ...]:
        found = looked_at(page)
        if found is None:
            return tuple(self._links(page))
        words, source = self._linked.get(urls.fingerprint(page.url), (page.link.anchor, ""))
        values = (
            page.url, found.kind, "read", f"{found.statistical:.2f}", str(size_of(page)),
            str(found.rows or ""), str(found.columns or ""), shown(words, _WORDS), source,
        )  # fmt: skip
        return (Record(COLUMNS, values, 0, found.statistical),)

    def learn(self, label: Label, page: Page) -> None:
        """Learn nothing: a file is listed whatever a person thinks of it."""

    def _links(self, page: Page) -> list[Record]:
        links, made = page.links, []
        for at, url in enumerate(links.urls):
            sign = kind_of(url, links.types[at], links.anchors[at])
            name = int(links.hashes[at])
            if sign.chance < self.least or name in self._linked:
                continue
            if len(self._linked) < _REMEMBERED:
                self._linked[name] = links.anchors[at], page.url
            words = shown(links.anchors[at] or links.contexts[at], _WORDS)
            values = (url, sign.kind, "linked", f"{sign.chance:.2f}", "", "", "", words, page.url)
            made.append(Record(COLUMNS, values, at, sign.chance))
        return made
