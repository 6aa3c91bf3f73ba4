"""Page results as rows of the tables they go into."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from clew.store.archive import WarcOffset
from clew.store.hashes import signed
from clew.store.host_ids import HostIds
from clew.types import Kind, Link, Page, PageResult, State

Row: TypeAlias = tuple[Any, ...]

COLUMNS = (
    "id", "status", "error", "truncated", "mime", "encoding", "title", "lang", "score", "parts", "verdict",
    "relevant", "why", "redirect", "duplicate_of", "noindex", "fetched_at", "seconds", "bytes", "address",
    "digest", "fingerprint", "warc_file", "warc_offset", "warc_length", "etag", "modified",
)  # fmt: skip
"""The columns of `pages`, in their order."""

PAGE = f"REPLACE INTO pages VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 - ours
TEXT = "REPLACE INTO texts (page, text, margin) VALUES (?, ?, ?)"
RECORD = "INSERT INTO records (page, columns, cells, source, confidence) VALUES (?, ?, ?, ?, ?)"

_HEADER = 300  # characters of an ETag or date that are stored


@dataclass(slots=True)
class ResultRows:
    """Page results as rows of the tables they go into; clocks by the row of their host."""

    links: list[tuple[Link, int]] = field(default_factory=list)
    outcomes: list[Row] = field(default_factory=list)
    robots: list[Row] = field(default_factory=list)
    pages: list[Row] = field(default_factory=list)
    texts: list[Row] = field(default_factory=list)
    records: list[Row] = field(default_factory=list)
    markup: list[Row] = field(default_factory=list)
    clocks: dict[int, float] = field(default_factory=dict)
    revisits: list["Revisit"] = field(default_factory=list)

    def add_revisit(self, visit: "Revisit") -> None:
        """Add a visit to a known page."""
        self.revisits.append(visit)
        if visit.result.replaces:
            self.add_markup(visit.result.page)

    def add_markup(self, page: Page) -> None:
        """Add the markup of a page, if it has any."""
        if page.markup and not page.noindex:
            self.markup.append((page.link.id, page.markup))


@dataclass(frozen=True, slots=True)
class Revisit:
    """The result of a visit to a known page, with the WARC record that it has."""

    result: PageResult
    offset: WarcOffset | None

    @property
    def page_row(self) -> Row:
        """Its row in `pages`."""
        return _page_row(self.result, self.offset)

    @property
    def text_row(self) -> Row | None:
        """Its row in `texts`; None without a text."""
        return _text_row(self.result.page)

    @property
    def record_rows(self) -> Iterator[Row]:
        """Its rows in `records`."""
        return _record_rows(self.result)


def result_rows(
    results: Iterable[PageResult], hosts: HostIds, warc_offsets: Mapping[int, WarcOffset]
) -> ResultRows:
    """Sort page results into rows; `warc_offsets` locate their WARC records, by link id."""
    rows = ResultRows()
    for result in results:
        page, response = result.page, result.page.response
        link = response.link
        host = hosts.row(link.origin)
        if result.clock:
            rows.clocks[host] = max(result.clock, rows.clocks.get(host, 0.0))
        if link.known is not None:
            rows.add_revisit(Revisit(result, warc_offsets.get(link.id)))
            continue
        rows.links.append((link, host))
        rows.outcomes.append(
            (int(result.state), link.tries + result.was_requested, result.reason or None, link.id)
        )
        if result.state is State.OPEN or not result.was_requested:
            continue
        if link.kind is Kind.ROBOTS and not page.redirect:
            row = hosts.row(link.rules_for or link.origin)
            rows.robots.append((response.status, page.text, response.ended, row))
            if not response.status and not response.address:
                continue  # never asked for: no connection, or an address that is refused
        rows.pages.append(_page_row(result, warc_offsets.get(link.id)))
        if text := _text_row(page):
            rows.texts.append(text)
        if result.records:
            rows.records += _record_rows(result)
        rows.add_markup(page)
    return rows


def _text_row(page: Page) -> Row | None:
    return (page.link.id, page.text, page.margin) if (page.text or page.margin) and not page.noindex else None


def _page_row(result: PageResult, offset: WarcOffset | None) -> Row:
    page, response, verdict = result.page, result.page.response, result.verdict
    return (
        response.link.id,
        response.status,
        page.error or response.error,
        int(page.truncated or response.truncated),
        page.mime[:100],
        page.encoding[:100],
        None if page.noindex else page.title[:1000],
        page.lang[:100],
        response.link.score,
        np.array(result.parts, "<f4").tobytes() if result.parts else None,
        verdict.value if verdict else None,
        int(result.relevant),
        "; ".join(verdict.why) if verdict else "",
        page.redirect or None,
        result.duplicate_of or None,
        int(page.noindex),
        response.started,
        round(response.ended - response.started, 4),
        len(response.body),
        response.address,
        offset.digest if offset else None,
        signed(page.fingerprint),
        offset.file if offset else None,
        offset.offset if offset else None,
        offset.length if offset else None,
        response.header("etag")[:_HEADER] or None,
        response.header("last-modified")[:_HEADER] or None,
    )


def _record_rows(result: PageResult) -> Iterator[Row]:
    page = result.page.response.link.id
    for r in result.records:
        yield page, json.dumps(r.columns), json.dumps(r.values), r.source, r.confidence
