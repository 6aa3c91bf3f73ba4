"""`clew text`: the main text of a file, a URL or standard input, or of every page of a crawl."""

import asyncio
import codecs
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from clew import store
from clew.cli import screen
from clew.cli.arguments import crawl_folder
from clew.config import Config
from clew.config.contact import checked_contact
from clew.config.tables import CrawlTable
from clew.domain.content import mime
from clew.domain.extractor_history import EXTRACTORS, ExtractorHistory
from clew.errors import ConfigError
from clew.insight.page_text import PLAIN, WITHOUT_LINKS, check_form
from clew.insight.preflight.probe import MAX_HOPS, open_probe
from clew.parse.charset import encoding_of, text_of
from clew.parse.documents import DocumentContent, UnreadableDocumentError, read_document
from clew.parse.extractor import EXTRACTOR
from clew.parse.maintext import MAX_TEXT, extract_text, parsed, text_of_document
from clew.parse.metadata import document_metadata, read_metadata
from clew.parse.page_reader import document_of, html_of, plain_lines, plain_of
from clew.store.queries import read_facts
from clew.types import Page
from clew.urls import Canon, origin

MAX_BYTES = 8_000_000
_SECONDS = 60.0
_LOOKED_AT = 2_000  # bytes of a file by which a binary one is told from text
_BLANK = 0x20
_PLAIN = "text/plain"
_PLAIN_SUFFIXES = (".txt", ".text", ".md")
_ELEMENT = re.compile(rb"</?[a-zA-Z][a-zA-Z0-9]*(\s[^<>]*)?/?>")
_NOTHING: Mapping[str, str] = {}


def text(
    source: Annotated[
        str, typer.Argument(metavar="FILE|URL|DIR|-", help="A page, a crawl, or - for standard input.")
    ],
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Write Markdown instead of plain text.")
    ] = False,
    links: Annotated[
        bool, typer.Option("--links/--no-links", help="With --markdown: keep the links.")
    ] = True,
    form: Annotated[
        str,
        typer.Option("--text", metavar="FORM", help="In one word: plain, markdown, markdown-no-links."),
    ] = PLAIN,
    url: Annotated[str, typer.Option(help="The address of a file: it helps, and completes links.")] = "",
    contact: Annotated[str, typer.Option(help="With a URL: how its owner reaches you.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, with metadata.")] = False,
) -> None:
    """Print the main text of a page, without menus, teasers, notices and footers.

    A URL is fetched as a crawl would: robots.txt first, with your contact. Of a PDF (with the extra pdf), a
    .docx, an .odt, an EPUB or a plain text all text is printed.

    --json adds what the page says about itself: title, author, published and modified (YYYY-MM-DD), site,
    description, kind (schema.org or og:type), licence, lang, lang_stated (whether the page declares it) and
    lang_confidence (0 to 1); of documents also pages, their number.

    For a crawl, the text of every page is extracted again from its WARC files, without the network: one JSON
    line for each page with the same fields, extractor, the name and version of what made this text, and
    stored_extractor, of what made the text in the crawl, in which nothing is changed.
    """
    check_form(form)
    markdown, links = markdown or form != PLAIN, links and form != WITHOUT_LINKS
    folder = crawl_folder(Path(source))
    if source.startswith(("http://", "https://")):
        html, url = asyncio.run(_fetched(source, contact))
    elif source == "-":
        html = sys.stdin.buffer.read()
    elif folder.is_dir():
        _print_crawl(folder, markdown=markdown, links=links)
        return
    else:
        try:
            html = folder.read_bytes()
        except OSError as error:
            why = f"{source} cannot be read: {error.strerror}"
            msg = f"{why}; name a file, a URL, a crawl, or - for standard input"
            raise ConfigError(msg) from None
    if (document := _document(html, source)) is not None:
        screen.echo(_document_as_json(document, url) if json else document.text)
        return
    make = _as_json if json else extract_text
    screen.echo(make(html, url, markdown=markdown, links=links))


def _document(data: bytes | str, source: str) -> DocumentContent | None:
    """Return the content of a PDF, another document or a plain text; none if it is markup."""
    if isinstance(data, str):
        return None
    if (type := mime.of(data, "")) in mime.DOCUMENTS:
        try:
            return read_document(data, type, MAX_TEXT)
        except UnreadableDocumentError as error:
            msg = f"{source}: {error}"
            raise ConfigError(msg) from None
    if _is_binary(data):
        msg = (
            f"{source} is neither a page nor a document that Clew reads; give HTML, plain text, a PDF or EPUB"
        )
        raise ConfigError(msg)
    if type == _PLAIN and (source.lower().endswith(_PLAIN_SUFFIXES) or not _ELEMENT.search(data)):
        return DocumentContent(text=plain_lines(text_of(data, encoding_of(data))))
    return None


def _is_binary(data: bytes) -> bool:
    """Return whether data is no text in any encoding: many control characters, which no text has."""
    start = data[:_LOOKED_AT]
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    return sum(byte < _BLANK and byte not in b"\t\n\f\r\x1b" for byte in start) * 50 > len(start)


def _print_crawl(folder: Path, *, markdown: bool, links: bool) -> None:
    """Print every page of a crawl as a line of JSON, extracted again."""
    canon = Canon(())
    history = ExtractorHistory.of(read_facts(folder, [EXTRACTORS]))
    for response in store.read_archived(folder):
        stored = {"stored_extractor": history.at(response.started)}
        if html := html_of(response, canon=canon, max_bytes=MAX_BYTES):
            screen.echo(_as_json(html, response.link.url, markdown=markdown, links=links, more=stored))
        elif document := document_of(response, canon=canon, max_bytes=MAX_BYTES):
            screen.echo(_document_as_json(document, response.link.url, stored))
        elif plain := plain_of(response, canon=canon, max_bytes=MAX_BYTES):
            screen.echo(_document_as_json(DocumentContent(text=plain), response.link.url, stored))


def _as_json(
    html: bytes | str, url: str, *, markdown: bool, links: bool, more: Mapping[str, str] = _NOTHING
) -> str:
    """Return the metadata and the text of a page as a line of JSON."""
    document = parsed(html)
    made = text_of_document(document, url, markdown=markdown, links=links)
    facts = asdict(read_metadata(document, made))
    return store.safe_json({"url": url, **facts, "extractor": EXTRACTOR, **more, "text": made})


def _document_as_json(document: DocumentContent, url: str, more: Mapping[str, str] = _NOTHING) -> str:
    """Return what a PDF or another document says about itself and its text as a line of JSON."""
    facts = asdict(document_metadata(document))
    made = {"pages": document.pages, "extractor": EXTRACTOR, **more, "text": document.text}
    return store.safe_json({"url": url, **facts, **made})


async def _fetched(url: str, contact: str) -> tuple[bytes | str, str]:
    """Fetch a page as a crawl would; return its markup, or the bytes of a document, and its address."""
    try:
        config = Config(crawl=CrawlTable(contact=checked_contact(contact)))
    except ValueError as error:
        msg = f"--contact: {error}"
        raise ConfigError(msg) from None
    if (parts := urlsplit(url)).username is not None:
        msg = (
            "the URL has a user name or password before its host; leave it out and set the environment"
            f" variable CLEW_AUTH={parts.hostname}=user:password"
        )
        raise ConfigError(msg)
    page: Page | None = None
    async with open_probe(config, seconds=_SECONDS, patience=_SECONDS) as probe:
        for _ in range(MAX_HOPS + 1):
            why = await probe.read_robots(origin(url)) or probe.robots.refusal(url)
            page = None if why else await probe.fetch(url)
            if page is None or page.error:
                cause = why or (page.error if page else "out of time")
                cure = "; save the page and name the file" if "refused address" in cause else ""
                msg = f"{url} was not read: {cause}{cure}"
                raise ConfigError(msg)
            if not page.redirect:
                break
            url = page.redirect
    assert page is not None
    return html_of(page.response, canon=Canon(()), max_bytes=MAX_BYTES) or page.response.body, url
