"""What is committed together: steps collected in memory, then written as columns.

Rows reach SQLite as `zip` over the columns of `Found`: tuples made in C, no Python per link.
"""

import json
import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, repeat
from operator import itemgetter
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.store.archive import WarcOffset
from clew.store.packed_position import packed
from clew.store.table import write_markup, write_table
from clew.store_contracts import TableChange
from clew.types import Kind, Link, Links, NewLinks, PageResult, Rule, ScoreParts, Scores, State, Verdict

Row: TypeAlias = tuple[Any, ...]

_LINK = """INSERT INTO links (id, host, hash, score, parent, depth, position, place, url, anchor, path,
    context, kind, state, hops, reason, rules_for, parts, tries)
VALUES (?, ?, ?, ifnull(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"""
# The same for open pages, nine of ten links: six bindings fewer are 35 % less CPU.
_PLAIN_LINK = _LINK.replace("?, ?, ?, ?, ?, ?, 0)", "0, 0, 0, NULL, NULL, NULL, 0)")
_LONE_LINK = """INSERT INTO links (id, host, hash, kind, state, score, parent, depth, hops, tries,
    url, anchor, rules_for)
VALUES (?, ?, ?, ?, 0, ifnull(?, 0), ?, ?, ?, 0, ?, ?, ?) ON CONFLICT (id) DO NOTHING"""
_FATE = "UPDATE links SET state = ?, tries = ?, reason = ? WHERE id = ?"
_REFUSAL = "UPDATE links SET state = 3, reason = ? WHERE id = ?"
_REOPENED = "UPDATE links SET state = 0, reason = NULL WHERE id = ? AND state = 3"
_RAISED = """INSERT INTO raised (link, score, source, parts, position, place, anchor, path, context)
VALUES (?, ifnull(?, 0), ?, ?, ?, ?, ?, ?, ?)"""
_RUN = """INSERT INTO runs (started_at, first_link, software, policy, judge, settings)
VALUES (?, ?, ?, ?, ?, ?)"""
_ENDED = "UPDATE runs SET ended_at = ?, ended = ? WHERE id = (SELECT max(id) FROM runs)"
_RULE = "INSERT INTO rules (host, kind, at) VALUES (?, ?, ?)"
_PARTS = "UPDATE runs SET parts = ? WHERE id = (SELECT max(id) FROM runs)"
_STATE = "REPLACE INTO places (key, state) VALUES (?, ?)"
_HOST = "INSERT INTO hosts (id, origin) VALUES (?, ?)"
_CLOCK = "UPDATE hosts SET next_at = ? WHERE id = ?"
_ROBOTS = "UPDATE hosts SET robots_status = ?, robots_text = ?, robots_at = ? WHERE id = ?"
_PAGE = (
    "REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_TEXT = "REPLACE INTO texts (page, text, margin) VALUES (?, ?, ?)"
_RECORD = "INSERT INTO records (page, columns, cells, source, confidence) VALUES (?, ?, ?, ?, ?)"
_VERDICT = "UPDATE pages SET verdict = ?, relevant = ?, why = ? WHERE id = ?"
_FACT = "REPLACE INTO meta (key, value) VALUES (?, ?)"
_WARC = "UPDATE warcs SET length = ? WHERE name = ?"


CLIP = 200
"""Characters kept of an anchor, a tag path and the words around a link: 0.4 KB a link in all."""


@dataclass(slots=True)
class WriteBatch:
    """Steps on their way to the disk; `link` already sees what they found."""

    results: list[PageResult] = field(default_factory=list)
    refusals: list[tuple[str, int]] = field(default_factory=list)
    reopened: list[tuple[int]] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)
    ends: list[Row] = field(default_factory=list)
    verdicts: list[Row] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    part_names: str = ""
    trap_state: dict[str, str] = field(default_factory=dict)
    table: list[TableChange] = field(default_factory=list)
    tries: dict[int, int] = field(default_factory=dict)
    firsts: list[int] = field(default_factory=list)
    found: list[tuple[int | None, NewLinks]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any((
            self.results, self.found, self.refusals, self.reopened, self.scores, self.trap_state, self.rules,
            self.runs, self.ends, self.verdicts, self.facts, self.part_names, self.table,
        ))  # fmt: skip

    def add(self, step: PageResult) -> None:
        """Take a step in."""
        if step.new_links is not None and len(step.new_links.links):
            self.add_links(step.new_links, step.page.response.link.id)
        self.results.append(step)
        link = step.page.response.link
        self.tries[link.id] = link.tries + _was_asked(step)

    def add_links(self, found: NewLinks, parent: int | None = None) -> None:
        """Take links in; they are kept in the order of their ids, whatever order they come in."""
        _check_columns(found)
        if not len(found.links):
            return
        place = bisect_right(self.firsts, found.first)
        self.firsts.insert(place, found.first)
        self.found.insert(place, (parent or None, found))

    def raise_scores(
        self,
        ids: Sequence[int] | NDArray[np.int64],
        scores: Scores,
        source: int,
        parts: ScoreParts | None,
        links: Links | None,
    ) -> None:
        """Take new scores in, with the page that gave them and, if asked for, how the links stood there."""
        stood: tuple[Iterable[Any], ...] = (repeat(None),) * 5
        if links is not None and len(links):
            stood = (
                _thousandths(links),
                packed(links),
                *map(_clipped, (links.anchors, links.paths, links.contexts)),
            )
        rows = zip(
            np.asarray(ids).tolist(), scores.tolist(), repeat(source or None), _blobs(parts), *stood,
            strict=False,
        )  # fmt: skip
        self.scores.extend(rows)

    def revise(self, id: int, verdict: Verdict, relevant: bool) -> None:
        """Take another verdict on a page in, written after the pages of this group."""
        self.verdicts.append((verdict.value, int(relevant), "; ".join(verdict.why), id))

    def link(self, id: int, tries: int) -> Link | None:
        """Return a link found here, or `None`; how often it was tried is known outside."""
        place = bisect_right(self.firsts, id) - 1
        if place < 0:
            return None
        parent, found = self.found[place]
        row, links = id - found.first, found.links
        if row >= len(links.urls):
            return None
        return Link(
            id=id,
            url=links.urls[row],
            origin=links.origins[row],
            kind=links.kinds[row],
            parent=parent or 0,
            anchor=links.anchors[row][:CLIP],
            depth=found.depth,
            hops=found.hops,
            tries=tries,
            score=float(found.scores[row]),
            rules_for=found.rules_for,
        )

    def answered(self) -> Iterator[PageResult]:
        """Steps whose answer goes into a WARC file: links that ended, with an answer."""
        return (step for step in self.results if step.page.response.status and step.state is not State.OPEN)


def _was_asked(step: PageResult) -> bool:
    """Whether a request was made: a link can also be refused without one."""
    return step.state is not State.REFUSED or step.page.response.status > 0


def _check_columns(found: NewLinks) -> None:
    links, count = found.links, len(found.links.urls)
    for name in Links.__slots__:
        if (rows := len(getattr(links, name))) != count:
            msg = f"Links.{name} has {rows} rows, Links.urls has {count}; columns are of equal length"
            raise ValueError(msg)
    if len(found.scores) != count or len(found.refused) != count:
        msg = f"{count} links came with {len(found.scores)} scores and {len(found.refused)} refusals"
        raise ValueError(msg)


class HostIds:
    """The row of each origin, by its name; new ones wait in `fresh` for the next transaction."""

    def __init__(self, known: dict[str, int]) -> None:
        self.known = known
        self.fresh: list[tuple[int, str]] = []
        self._last = max(known.values(), default=0)

    def row(self, origin: str) -> int:
        """Return the row of one origin, making it if need be."""
        number = self.known.get(origin)
        if number is None:
            self._last += 1
            number = self.known[origin] = self._last
            self.fresh.append((number, origin))
        return number

    def rows(self, origins: list[str]) -> list[int]:
        """Return the rows of many origins."""
        try:
            return list(map(self.known.__getitem__, origins))
        except KeyError:
            return list(map(self.row, origins))


def write(
    db: sqlite3.Connection,
    group: WriteBatch,
    hosts: HostIds,
    places: dict[int, WarcOffset],
    files: dict[str, int],
    *,
    clean: bool = False,
) -> None:
    """Write a group inside the open transaction; `places` are the WARC records, by link id.

    `clean` replaces what is no character in every text; `executemany` raises `UnicodeEncodeError` on it.
    """

    def put(statement: str, rows: Iterable[Row]) -> int:
        return db.executemany(statement, map(_clean, rows) if clean else rows).rowcount

    links = [_link_rows(parent, found, hosts) for parent, found in group.found]
    told = _told(group.results, hosts, places)
    put(_HOST, hosts.fresh)
    for statement, alike in groupby(links, itemgetter(0)):
        put(statement, chain.from_iterable(rows for _, rows in alike))
    put(_REOPENED, group.reopened)
    _write_fates(put, told.fates, told.lone)
    put(_REFUSAL, group.refusals)
    put(_RAISED, group.scores)
    put(_RULE, ((rule.host, rule.verb, rule.at) for rule in group.rules))
    put(_RUN, group.runs)
    put(_ENDED, group.ends)
    put(_PARTS, [(group.part_names,)] if group.part_names else [])
    put(_STATE, group.trap_state.items())
    put(_PAGE, told.pages)
    put(_VERDICT, group.verdicts)
    put(_FACT, group.facts.items())
    put(_TEXT, told.texts)
    put(_RECORD, told.records)
    write_markup(put, told.markup)
    write_table(put, group.table)
    put(_CLOCK, ((at, row) for row, at in told.clocks.items()))
    put(_ROBOTS, told.robots)
    put(_WARC, ((length, name) for name, length in files.items()))


@dataclass(slots=True)
class _Told:
    """What steps have to tell, as rows of the tables it goes into; clocks by the row of their host."""

    lone: list[tuple[Link, int]] = field(default_factory=list)
    fates: list[Row] = field(default_factory=list)
    robots: list[Row] = field(default_factory=list)
    pages: list[Row] = field(default_factory=list)
    texts: list[Row] = field(default_factory=list)
    records: list[Row] = field(default_factory=list)
    markup: list[Row] = field(default_factory=list)
    clocks: dict[int, float] = field(default_factory=dict)


def _told(steps: Iterable[PageResult], hosts: HostIds, places: Mapping[int, WarcOffset]) -> _Told:
    told = _Told()
    for step in steps:
        page, visit = step.page, step.page.response
        link = visit.link
        host = hosts.row(link.origin)
        told.lone.append((link, host))
        told.fates.append((int(step.state), link.tries + _was_asked(step), step.reason or None, link.id))
        if step.clock:
            told.clocks[host] = max(step.clock, told.clocks.get(host, 0.0))
        if step.state is State.OPEN or not _was_asked(step):
            continue
        if link.kind is Kind.ROBOTS and not page.redirect:
            row = hosts.row(link.rules_for or link.origin)
            told.robots.append((visit.status, page.text, visit.ended, row))
        told.pages.append(_page_row(step, places.get(link.id)))
        if (page.text or page.margin) and not page.noindex:
            told.texts.append((link.id, page.text, page.margin))
        if step.records:
            told.records += _record_rows(step)
        if page.markup and not page.noindex:
            told.markup.append((link.id, page.markup))
    return told


def _clean(row: Row) -> Row:
    return tuple(cell.encode("utf-8", "replace").decode() if isinstance(cell, str) else cell for cell in row)


def _write_fates(
    put: Callable[[str, Iterable[Row]], int], fates: list[Row], lone: list[tuple[Link, int]]
) -> None:
    if put(_FATE, fates) == len(fates) or not fates:
        return
    # A link that no page named (a host's robots.txt) enters the database with its answer.
    rows = [
        (link.id, host, _signed(urls.fingerprint(link.url)), int(link.kind), link.score, link.parent or None,
         link.depth, link.hops, link.url, link.anchor[:CLIP], link.rules_for or None)
        for link, host in lone
    ]  # fmt: skip
    put(_LONE_LINK, rows)
    put(_FATE, fates)


def _link_rows(parent: int | None, found: NewLinks, hosts: HostIds) -> tuple[str, Iterator[Row]]:
    links, refused = found.links, found.refused
    columns: list[Iterable[Any]] = [
        range(found.first, found.first + len(links.urls)),
        hosts.rows(links.origins),
        links.hashes.view(np.int64).tolist(),
        found.scores.tolist(),
        repeat(parent),
        repeat(found.depth),
        _thousandths(links),
        packed(links),
        links.urls,
        _clipped(links.anchors),
        _clipped(links.paths),
        _clipped(links.contexts),
    ]
    kinds = bytes(links.kinds)
    if not (any(kinds) or any(refused) or found.hops or found.rules_for or _has(found.parts)):
        return _PLAIN_LINK, zip(*columns, strict=False)
    columns += [
        kinds,
        [int(State.REFUSED if reason else State.OPEN) for reason in refused],
        repeat(found.hops),
        [reason or None for reason in refused],
        repeat(found.rules_for or None),
        _blobs(found.parts),
    ]
    return _LINK, zip(*columns, strict=False)


def _blobs(parts: ScoreParts | None) -> Iterable[bytes | None]:
    """Return the row of parts of each link as bytes; a single part is the score itself and not kept."""
    return map(bytes, np.ascontiguousarray(parts, "<f4")) if _has(parts) else repeat(None)


def _has(parts: ScoreParts | None) -> TypeGuard[ScoreParts]:
    return parts is not None and parts.shape[1] > 1


def _thousandths(links: Links) -> list[int]:
    places: list[int] = (links.positions * 1000).astype(np.int64).tolist()
    return places


def _clipped(texts: list[str]) -> list[str]:
    return texts if max(map(len, texts)) <= CLIP else [text[:CLIP] for text in texts]


def _page_row(step: PageResult, place: WarcOffset | None) -> Row:
    page, visit, verdict = step.page, step.page.response, step.verdict
    return (
        visit.link.id,
        visit.status,
        page.error or visit.error,
        int(page.truncated or visit.truncated),
        page.mime[:100],
        page.encoding[:100],
        None if page.noindex else page.title[:1000],
        page.lang[:100],
        visit.link.score,
        np.array(step.parts, "<f4").tobytes() if step.parts else None,
        verdict.value if verdict else None,
        int(step.relevant),
        "; ".join(verdict.why) if verdict else "",
        page.redirect or None,
        step.duplicate_of or None,
        int(page.noindex),
        visit.started,
        round(visit.ended - visit.started, 4),
        len(visit.body),
        visit.address,
        place.digest if place else None,
        _signed(page.fingerprint),
        place.file if place else None,
        place.offset if place else None,
        place.length if place else None,
    )


def _record_rows(step: PageResult) -> Iterator[Row]:
    page = step.page.response.link.id
    for r in step.records:
        yield page, json.dumps(r.columns), json.dumps(r.values), r.source, r.confidence


def _signed(number: int) -> int:
    """Return a 64-bit name as the signed number that SQLite can hold."""
    return number - (1 << 64) if number >> 63 else number
