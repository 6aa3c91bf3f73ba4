"""What exported pages say about themselves, read again from their stored responses."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from clew.domain.extractor_history import EXTRACTORS, ExtractorHistory
from clew.domain.text.language_model import language_confidence
from clew.parse.maintext import parsed
from clew.parse.metadata import PageMetadata, document_metadata, read_metadata
from clew.parse.page_reader import document_of, html_of
from clew.store.queries import read_facts
from clew.store.reading import unix_time
from clew.types import Link, Response
from clew.urls import Canon

_MAX_BYTES = 20_000_000


class MetadataReader:
    """Describe the pages of one folder by the fields below, in the order of `columns`.

    `type` is a schema.org type or the og:type, `licence` a name or URL, `lang_confidence` the probability of
    the page's language, and `extractor` what made the stored text.
    """

    columns: ClassVar[tuple[str, ...]] = (
        "author", "published", "modified", "site", "description", "type", "licence", "lang_confidence",
        "extractor",
    )  # fmt: skip

    def __init__(self, folder: Path) -> None:
        self.history = ExtractorHistory.of(read_facts(folder, [EXTRACTORS]))
        self.canon = Canon(())

    def __call__(self, page: Mapping[str, Any], head: bytes, body: bytes) -> tuple[str | float | None, ...]:
        """Return the fields of a page: its row of an export, and its stored response."""
        facts = self._metadata(page, head, body)
        text, lang = page["text"] if page["kind"] == "page" else "", page["lang"]
        return (
            facts.author, facts.published, facts.modified, facts.site, facts.description, facts.kind,
            facts.licence, language_confidence(text, lang) if text and lang else None,
            self.history.at(unix_time(page["fetched_at"])) if text else "",
        )  # fmt: skip

    def _metadata(self, page: Mapping[str, Any], head: bytes, body: bytes) -> PageMetadata:
        link = Link(id=0, url=page["url"], origin="")
        response = Response(link=link, started=0, ended=0, status=page["status"], head=head, body=body)
        if html := html_of(response, canon=self.canon, max_bytes=_MAX_BYTES) if body else "":
            return read_metadata(parsed(html))
        has_text = page["kind"] == "page" and page["text"]  # what no worker could read is not tried here
        return metadata_of_file(response, self.canon) if has_text else PageMetadata()


def metadata_of_file(response: Response, canon: Canon) -> PageMetadata:
    """Return what a stored PDF or another document says about itself."""
    document = document_of(response, canon=canon, max_bytes=_MAX_BYTES)
    return document_metadata(document) if document else PageMetadata()
