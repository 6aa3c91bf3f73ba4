"""Read what labels need: known URLs, judged pages to label, their texts, and the labels themselves."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.contracts import KnownUrl, LabelCandidate, StoredText
from clew.store.hashes import url_hash
from clew.store.reading import read_sql
from clew.types import Label

_KNOWN = """
SELECT url, verdict, redirect FROM links LEFT JOIN pages USING (id)
WHERE kind = 0 AND hash IN (SELECT value FROM json_each(?))"""
_IDS = "SELECT id FROM links WHERE kind = 0 AND hash IN (SELECT value FROM json_each(?))"
_JUDGED = """
SELECT pages.id, url, links.host, pages.score, verdict, fingerprint, url IN (SELECT url FROM labels)
FROM pages JOIN links USING (id)
WHERE kind = 0 AND verdict NOT NULL AND NOT noindex AND duplicate_of IS NULL ORDER BY pages.id"""
_OPEN_LINKS = "SELECT parent, count(*) FROM links WHERE state = 0 AND parent NOT NULL GROUP BY parent"
_TEXT = """
SELECT coalesce(title, ''), why, coalesce(text, '') FROM pages LEFT JOIN texts ON page = pages.id
WHERE pages.id = ?"""
_LABELS = "SELECT url, good, at FROM labels ORDER BY at, id"


@dataclass(frozen=True, slots=True)
class SqliteLabelReader:
    """Read a folder, also while a crawl runs in it; every method opens a connection of its own."""

    folder: Path

    def known_urls(self, urls: Sequence[str]) -> dict[str, KnownUrl]:
        """Return those of these canonical URLs that the crawl has found, in one pass over the links."""
        hashes = [url_hash(url) for url in dict.fromkeys(urls)]
        return {row[0]: KnownUrl(*row) for row in read_sql(self.folder, _KNOWN, json.dumps(hashes))}

    def candidates(self) -> list[LabelCandidate]:
        """Return all judged pages but duplicates and those that refuse to be indexed, oldest first."""
        open_links = dict(read_sql(self.folder, _OPEN_LINKS))
        return [
            LabelCandidate(
                id, url, host, score, verdict, fingerprint, open_links.get(id, 0), labelled=bool(labelled)
            )
            for id, url, host, score, verdict, fingerprint, labelled in read_sql(self.folder, _JUDGED)
        ]

    def text(self, page: int) -> StoredText:
        """Return what is shown of a page."""
        ((title, why, text),) = read_sql(self.folder, _TEXT, page)
        return StoredText(title, why, text)

    def latest_labels(self) -> list[Label]:
        """Return the last label of each URL, oldest first."""
        labels = [Label(url, bool(good), at) for url, good, at in read_sql(self.folder, _LABELS)]
        return sorted({label.url: label for label in labels}.values(), key=lambda label: label.at)


def read_ids(folder: Path, urls: Sequence[str]) -> list[int]:
    """Return the ids of links to these canonical URLs, in one pass over the links."""
    hashes = [url_hash(url) for url in dict.fromkeys(urls)]
    return [id for (id,) in read_sql(folder, _IDS, json.dumps(hashes))] if hashes else []
