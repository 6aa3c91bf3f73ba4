"""The text of exported pages as Markdown, made again from their stored responses."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from clew.errors import ConfigError
from clew.insight.page_metadata import MetadataReader
from clew.parse.extractor import EXTRACTOR
from clew.parse.maintext import extract_text
from clew.parse.page_reader import html_of
from clew.store.export import PageDescriber
from clew.types import Link, Response
from clew.urls import Canon

PLAIN, MARKDOWN, WITHOUT_LINKS = "plain", "markdown", "markdown-no-links"
FORMS = (PLAIN, MARKDOWN, WITHOUT_LINKS)
"""What `--text` can be."""

_MAX_BYTES = 20_000_000


def check_form(form: str) -> None:
    """Raise an error if there is no such form of a text."""
    if form not in FORMS:
        msg = f"--text {form}: a text is {', '.join(FORMS[:-1])} or {FORMS[-1]}"
        raise ConfigError(msg)


class MarkdownReader:
    """The text of a page as Markdown; that of PDF files and other documents as it is stored."""

    columns: ClassVar[tuple[str, ...]] = ("text",)
    links: ClassVar[bool] = True

    def __init__(self, folder: Path) -> None:
        del folder
        self.canon = Canon(())

    def __call__(self, page: Mapping[str, Any], head: bytes, body: bytes) -> Sequence[Any]:
        """Return the text of a page: its row of an export, and its stored response."""
        return (self.text(page, head, body) or page["text"],)

    def text(self, page: Mapping[str, Any], head: bytes, body: bytes) -> str:
        """Return the Markdown of a page that is HTML and has a text, otherwise an empty string."""
        if not body or not page["text"] or page["kind"] != "page":
            return ""
        link = Link(id=0, url=page["url"], origin="")
        response = Response(link=link, started=0, ended=0, status=page["status"], head=head, body=body)
        html = html_of(response, canon=self.canon, max_bytes=_MAX_BYTES)
        return extract_text(html, page["url"], markdown=True, links=self.links) if html else ""


class LinklessReader(MarkdownReader):
    """The same without links."""

    links = False


class MarkdownMetadataReader(MarkdownReader):
    """Markdown, and what pages say about themselves; the extractor is that of the Markdown."""

    columns = ("text", *MetadataReader.columns)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.metadata = MetadataReader(folder)

    def __call__(self, page: Mapping[str, Any], head: bytes, body: bytes) -> Sequence[Any]:
        """Return the text and the fields of a page."""
        *facts, extractor = self.metadata(page, head, body)
        made = self.text(page, head, body)
        return (made or page["text"], *facts, EXTRACTOR if made else extractor)


class LinklessMetadataReader(MarkdownMetadataReader):
    """The same without links."""

    links = False


def page_describer(form: str, *, metadata: bool) -> type[PageDescriber] | None:
    """Return what reads texts in this form, and metadata if asked for; none if the crawl has it all."""
    check_form(form)
    plain = MetadataReader if metadata else None
    markdown = MarkdownMetadataReader if metadata else MarkdownReader
    linkless = LinklessMetadataReader if metadata else LinklessReader
    return {PLAIN: plain, MARKDOWN: markdown, WITHOUT_LINKS: linkless}[form]
