"""Write the corpus of a crawl, host by host, so that the lines which pages of a host share can be removed.

Memory does not grow with the crawl: rows are written as they come, and the index of duplicates is on disk. An
export that was killed continues where its last shard ended.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from clew.domain.extractor_history import EXTRACTORS, ExtractorHistory
from clew.domain.text.language_model import language_confidence
from clew.errors import ConfigError
from clew.insight.corpus.datasheet import datasheet
from clew.insight.corpus.host_lines import HostLines
from clew.insight.corpus.near_duplicates import DuplicateIndex
from clew.insight.corpus.options import CorpusOptions, DropReason
from clew.insight.corpus.progress_file import NAME, ProgressFile
from clew.insight.corpus.quality import quality_fault, token_count
from clew.insight.corpus.reservations import AiRules, reserved_by_headers, reserved_by_metas
from clew.insight.corpus.shards import ShardWriter
from clew.insight.page_metadata import metadata_of_file
from clew.insight.page_text import PLAIN, WITHOUT_LINKS
from clew.parse.extractor import EXTRACTOR
from clew.parse.maintext import parsed, text_of_document
from clew.parse.metadata import PageMetadata, read_metadata
from clew.parse.page_builder import headers
from clew.parse.page_reader import html_of
from clew.store.database import open_reader, store_errors
from clew.store.export import ArchiveReader, replace_atomically
from clew.store.folder import DATABASE, PAGES
from clew.types import Link, Response
from clew.urls import Canon

_MAX_BYTES = 20_000_000
_STEP = 100  # pages between two reports of progress
_PLAN = """SELECT host, pages.id FROM pages JOIN links USING (id)
    WHERE kind = 0 AND status BETWEEN 200 AND 299 AND redirect IS NULL"""
_PAGE = """SELECT pages.id, url, status, coalesce(title, ''), coalesce(text, ''), lang, mime, verdict,
    relevant, noindex, strftime('%Y-%m-%dT%H:%M:%SZ', fetched_at, 'unixepoch'), coalesce(digest, ''),
    warc_file, warc_offset, warc_length, fetched_at
    FROM pages JOIN links USING (id) LEFT JOIN texts ON texts.page = pages.id WHERE pages.id = ?"""
_PLAN_ROBOTS = """SELECT host, warc_file, warc_offset, warc_length FROM pages JOIN links USING (id)
    WHERE kind = 1 AND status BETWEEN 200 AND 299 AND warc_file IS NOT NULL ORDER BY pages.id"""
_NO_METADATA = PageMetadata()


class _CrawledPage(NamedTuple):
    """A page as the crawl has it."""

    id: int
    url: str
    status: int
    title: str
    text: str
    lang: str
    mime: str
    verdict: float | None
    relevant: int
    noindex: int
    fetched_at: str
    digest: str
    warc_file: str | None
    warc_offset: int
    warc_length: int
    fetched: float


class CorpusExport(NamedTuple):
    """What an export gave: shards, texts, tokens, and the pages that were left out by reason."""

    shards: int
    texts: int
    tokens: int
    dropped: Counter[str]


def export_corpus(
    folder: Path,
    target: Path,
    options: CorpusOptions,
    *,
    goal: dict[str, str] | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> CorpusExport:
    """Write the corpus of a crawl into the folder `target`; continue what an earlier call has begun.

    `goal` are facts about the crawl for the datasheet. `on_progress` gets the pages done and all pages.
    """
    data = target / "data"
    if target.exists() and not (data / NAME).exists() and any(target.iterdir()):
        msg = f"{target} is not empty and no corpus; name a new folder"
        raise ConfigError(msg)
    data.mkdir(parents=True, exist_ok=True)
    with (
        closing(ProgressFile(data)) as progress,
        closing(open_reader(folder)) as db,
        store_errors(folder / DATABASE),
    ):
        asked = json.dumps(asdict(options), sort_keys=True)
        if progress.options not in ("", asked):
            msg = f"{target} was begun with other options; name a new folder, or delete it"
            raise ConfigError(msg)
        progress.options = asked
        if not progress.done:
            with ArchiveReader(folder / PAGES) as archive:
                _CorpusWriter(db, archive, progress, options, data).write(on_progress)
            with replace_atomically(target / "README.md") as file:
                file.write(datasheet(progress, options, goal or {}).encode())
        totals = progress.counts.get("totals", Counter())
        dropped = progress.counts.get("dropped", Counter())
        return CorpusExport(len(progress.shards), totals["texts"], totals["tokens"], dropped)


class _CorpusWriter:
    """The pages of a crawl on their way into shards."""

    def __init__(
        self,
        db: sqlite3.Connection,
        archive: ArchiveReader,
        progress: ProgressFile,
        options: CorpusOptions,
        data: Path,
    ) -> None:
        self.db = db
        self.archive = archive
        self.progress = progress
        self.options = options
        self.shard = ShardWriter(data, options.format)
        self.index = DuplicateIndex(progress.db, self._text_of, options.similar)
        self.canon = Canon(())
        facts = db.execute("SELECT key, value FROM meta WHERE key = ?", (EXTRACTORS,)).fetchall()
        self.history = ExtractorHistory.of(dict(facts))
        self.robots: dict[int, tuple[Any, ...]] = {}

    def write(self, on_progress: Callable[[int, int], None]) -> None:
        """Write all pages that are not written yet."""
        if not self.progress.is_planned:
            self.progress.plan(self.db.execute(_PLAN))
        self.robots = {host: tuple(place) for host, *place in self.db.execute(_PLAN_ROBOTS)}
        total, done = self.progress.total, self.progress.counts.get("totals", Counter())["pages"]
        self.shard.drop()
        start, after = self.progress.place
        try:
            for host in self.progress.hosts():
                for page in self._host(host, after if host == start else -1):
                    done += 1
                    self.progress.count("totals", "pages")
                    self.progress.place = (host, page)
                    if not done % _STEP:
                        on_progress(done, total)
                    if self.shard.size >= self.options.shard_bytes:
                        self._finish_shard()
            self._finish_shard(done=True)
            on_progress(done, total)
        finally:
            self.shard.drop()

    def _finish_shard(self, *, done: bool = False) -> None:
        if name := self.shard.finish(len(self.progress.shards)):
            self.progress.shards.append(name)
        self.progress.commit(done=done)

    def _host(self, host: int, after: int) -> Iterator[int]:
        """Take the pages of a host; yield their ids."""
        if not self.progress.pages(host, after):
            return
        (origin,) = self.db.execute("SELECT origin FROM hosts WHERE id = ?", (host,)).fetchone()
        lines = HostLines(filter(None, map(self._text_of, self._planned(host, -1))))
        rules = AiRules(self._robots(host)) if self.options.honour_reservations else None
        for number in self._planned(host, after):
            row = self.db.execute(_PAGE, (number,)).fetchone()  # none if the site was forgotten meanwhile
            reason = self._take(_CrawledPage(*row), origin, lines, rules) if row else DropReason.NO_TEXT
            if reason:
                self.progress.count("dropped", reason)
            yield number

    def _planned(self, host: int, after: int) -> Iterator[int]:
        while pages := self.progress.pages(host, after):
            yield from pages
            after = pages[-1]

    def _take(self, page: _CrawledPage, origin: str, lines: HostLines, rules: AiRules | None) -> str:
        """Write a page; return the reason if it is left out."""
        if reason := self._unwanted(page):
            return reason
        facts, reserved, markdown = self._read_again(page)
        if rules is not None and (reserved or rules.refuses(page.url)):
            return DropReason.RESERVED
        text, removed = lines.removed(page.text)
        if fault := quality_fault(text, self.options.min_words):
            return fault
        if self.index.is_exact(text):
            return DropReason.EXACT
        if self.index.near(page.id, page.text):
            return DropReason.NEAR
        if markdown:
            text, _ = lines.removed(markdown, markdown=True)
        made_by = EXTRACTOR if markdown else self.history.at(page.fetched)
        self._add(page, origin, text, facts, made_by)
        self.progress.count("totals", "lines removed", removed)
        return ""

    def _unwanted(self, page: _CrawledPage) -> str:
        """Return why a page is left out by what the crawl knows of it."""
        options = self.options
        if page.noindex and options.honour_reservations:
            return DropReason.NOINDEX
        if not page.text:
            return DropReason.NO_TEXT
        if options.only_relevant and not page.relevant:
            return DropReason.NOT_RELEVANT
        if options.min_verdict and (page.verdict is None or page.verdict < options.min_verdict):
            return DropReason.VERDICT
        return DropReason.LANGUAGE if options.languages and page.lang not in options.languages else ""

    def _read_again(self, page: _CrawledPage) -> tuple[PageMetadata, bool, str]:
        """Return what a stored response says about itself, whether it is reserved, and its Markdown."""
        if page.warc_file is None:
            return _NO_METADATA, False, ""
        head, body = self.archive.response(page.warc_file, page.warc_offset, page.warc_length).http
        link = Link(id=page.id, url=page.url, origin="")
        response = Response(link=link, started=0, ended=0, status=page.status, head=head, body=body)
        reserved = reserved_by_headers(headers(head))
        html = html_of(response, canon=self.canon, max_bytes=_MAX_BYTES)
        if not html:
            return metadata_of_file(response, self.canon), reserved, ""
        document = parsed(html)
        facts, reserved = read_metadata(document), reserved or reserved_by_metas(document)
        if self.options.text == PLAIN:
            return facts, reserved, ""
        links = self.options.text != WITHOUT_LINKS
        return facts, reserved, text_of_document(document, page.url, markdown=True, links=links)

    def _robots(self, host: int) -> str:
        if (place := self.robots.get(host)) is None:
            return ""
        _, body = self.archive.response(*place).http
        return body.decode("utf-8", "replace")

    def _text_of(self, page: int) -> str:
        row = self.db.execute("SELECT text FROM texts WHERE page = ?", (page,)).fetchone()
        return row[0] if row else ""

    def _add(self, page: _CrawledPage, origin: str, text: str, facts: PageMetadata, made_by: str) -> None:
        row: dict[str, Any] = {
            "id": page.id, "url": page.url, "host": origin, "title": page.title, "text": text,
            "lang": page.lang, "tokens": token_count(text), "fetched_at": page.fetched_at, "mime": page.mime,
            "verdict": page.verdict, "relevant": bool(page.relevant), "author": facts.author,
            "published": facts.published, "modified": facts.modified, "site": facts.site,
            "description": facts.description, "kind": facts.kind, "licence": facts.licence,
            "lang_confidence": language_confidence(text, page.lang) if page.lang else None,
            "extractor": made_by, "digest": page.digest,
        }  # fmt: skip
        self.shard.add(row)
        count = self.progress.count
        count("totals", "texts")
        count("totals", "tokens", row["tokens"])
        count("totals", "characters", len(text))
        count("languages", page.lang or "unknown")
        count("hosts", origin)
        count("dates", page.fetched_at[:10])
        if facts.licence:
            count("licences", facts.licence)
