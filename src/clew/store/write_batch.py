"""What is committed together: page results collected in memory, then written as columns.

Rows reach SQLite as `zip` over the columns of `NewLinks`: tuples made in C, no Python per link.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, repeat
from operator import itemgetter
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from clew.contracts import TableChange
from clew.store.archive import WarcOffset
from clew.store.hashes import url_hash
from clew.store.host_ids import HostIds
from clew.store.packed_position import pack_positions
from clew.store.result_rows import PAGE, RECORD, TEXT, Row, result_rows
from clew.store.table import write_markup, write_table
from clew.store.visits import PlanUpdates, write_revisits
from clew.types import Link, Links, NewLinks, PageResult, Rule, ScoreParts, Scores, State, Verdict

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
_RUN = """INSERT INTO runs (started_at, first_link, software, policy, judge, settings, round)
VALUES (?, ?, ?, ?, ?, ?, ?)"""
_ENDED = "UPDATE runs SET ended_at = ?, ended = ? WHERE id = (SELECT max(id) FROM runs)"
_RULE = "INSERT INTO rules (host, kind, at) VALUES (?, ?, ?)"
_PARTS = "UPDATE runs SET parts = ? WHERE id = (SELECT max(id) FROM runs)"
_STATE = "REPLACE INTO places (key, state) VALUES (?, ?)"
_HOST = "INSERT INTO hosts (id, origin) VALUES (?, ?)"
_CLOCK = "UPDATE hosts SET next_at = ? WHERE id = ?"
_ROBOTS = "UPDATE hosts SET robots_status = ?, robots_text = ?, robots_at = ? WHERE id = ?"
_VERDICT = "UPDATE pages SET verdict = ?, relevant = ?, why = ? WHERE id = ?"
_FACT = "REPLACE INTO meta (key, value) VALUES (?, ?)"
_WARC = "UPDATE warcs SET length = ? WHERE name = ?"

CLIP = 200
"""Characters stored of an anchor, a tag path and the text around a link: 0.4 KB a link in all."""


@dataclass(slots=True)
class WriteBatch:
    """Page results waiting to be written; `link` already sees the links they found."""

    results: list[PageResult] = field(default_factory=list)
    refusals: dict[int, str] = field(default_factory=dict)
    reopened: set[int] = field(default_factory=set)
    scores: list[Row] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)
    ends: list[Row] = field(default_factory=list)
    verdicts: list[Row] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    part_names: str = ""
    trap_state: dict[str, str] = field(default_factory=dict)
    table: list[TableChange] = field(default_factory=list)
    plan: PlanUpdates = field(default_factory=PlanUpdates)
    tries: dict[int, int] = field(default_factory=dict)
    firsts: list[int] = field(default_factory=list)
    found: list[tuple[int | None, NewLinks]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any((
            self.results, self.found, self.refusals, self.reopened, self.scores, self.trap_state, self.rules,
            self.runs, self.ends, self.verdicts, self.facts, self.part_names, self.table, self.plan,
        ))  # fmt: skip

    def add(self, result: PageResult) -> None:
        """Collect the result of one page."""
        if result.new_links is not None and len(result.new_links.links):
            self.add_links(result.new_links, result.page.response.link.id)
        self.results.append(result)
        link = result.page.response.link
        self.tries[link.id] = link.total_tries + result.was_requested
        self.refusals.pop(link.id, None)  # older than the result

    def refuse(self, id: int, reason: str) -> None:
        """Collect a refusal; of several changes to a link, the last one is written."""
        self.reopened.discard(id)
        self.refusals[id] = reason

    def reopen(self, id: int) -> None:
        """Collect that a refused link is open again."""
        self.refusals.pop(id, None)
        self.reopened.add(id)

    def add_links(self, found: NewLinks, parent: int | None = None) -> None:
        """Collect links, ordered by their ids, whatever order they come in."""
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
        """Collect new scores, with the page that gave them and, if given, the links as found there."""
        positions: tuple[Iterable[Any], ...] = (repeat(None),) * 5
        if links is not None and len(links):
            positions = (
                _thousandths(links),
                pack_positions(links),
                *map(clipped, (links.anchors, links.paths, links.contexts)),
            )
        rows = zip(
            np.asarray(ids).tolist(), scores.tolist(), repeat(source or None), _blobs(parts), *positions,
            strict=False,
        )  # fmt: skip
        self.scores.extend(rows)

    def revise(self, id: int, verdict: Verdict, relevant: bool) -> None:
        """Collect a new verdict on a page, written after the pages of this batch."""
        self.verdicts.append((verdict.value, int(relevant), "; ".join(verdict.why), id))

    def link(self, id: int, tries: int) -> Link | None:
        """Return a link of this batch, or None; the caller knows how often it was tried."""
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

    def archived_results(self) -> Iterator[PageResult]:
        """Return the results whose response goes into a WARC file: finished links that got one."""
        return (each for each in self.results if each.page.response.status and each.state is not State.OPEN)


def _check_columns(found: NewLinks) -> None:
    links, count = found.links, len(found.links.urls)
    for name in set(Links.__slots__) - {"dates"}:  # by URL, and only of sitemaps and feeds
        column = getattr(links, name)
        if column is not None and (rows := len(column)) != count:
            msg = f"Links.{name} has {rows} rows, Links.urls has {count}; columns are of equal length"
            raise ValueError(msg)
    if len(found.scores) != count or len(found.refused) != count:
        msg = f"{count} links came with {len(found.scores)} scores and {len(found.refused)} refusals"
        raise ValueError(msg)


def write(
    db: sqlite3.Connection,
    batch: WriteBatch,
    hosts: HostIds,
    warc_offsets: dict[int, WarcOffset],
    files: dict[str, int],
    *,
    clean: bool = False,
) -> None:
    """Write a batch inside the open transaction; `warc_offsets` locate the WARC records, by link id.

    `clean` replaces invalid characters in every text; `executemany` raises `UnicodeEncodeError` on it.
    """

    def put(statement: str, rows: Iterable[Row]) -> int:
        return db.executemany(statement, map(_clean, rows) if clean else rows).rowcount

    links = [_link_rows(parent, found, hosts) for parent, found in batch.found]
    rows = result_rows(batch.results, hosts, warc_offsets)
    put(_HOST, hosts.fresh)
    for statement, alike in groupby(links, itemgetter(0)):
        put(statement, chain.from_iterable(some for _, some in alike))
    put(_REOPENED, ((id,) for id in batch.reopened))
    _write_outcomes(put, rows.outcomes, rows.links)
    put(_REFUSAL, ((reason, id) for id, reason in batch.refusals.items()))
    put(_RAISED, batch.scores)
    put(_RULE, ((rule.host, rule.verb, rule.at) for rule in batch.rules))
    put(_RUN, batch.runs)
    put(_ENDED, batch.ends)
    put(_PARTS, [(batch.part_names,)] if batch.part_names else [])
    put(_STATE, batch.trap_state.items())
    write_revisits(put, rows.revisits, batch.plan)
    put(PAGE, rows.pages)
    put(_VERDICT, batch.verdicts)
    put(_FACT, batch.facts.items())
    put(TEXT, rows.texts)
    put(RECORD, rows.records)
    write_markup(put, rows.markup)
    write_table(put, batch.table)
    put(_CLOCK, ((at, row) for row, at in rows.clocks.items()))
    put(_ROBOTS, rows.robots)
    put(_WARC, ((length, name) for name, length in files.items()))


def _clean(row: Row) -> Row:
    return tuple(cell.encode("utf-8", "replace").decode() if isinstance(cell, str) else cell for cell in row)


def _write_outcomes(
    put: Callable[[str, Iterable[Row]], int], fates: list[Row], lone: list[tuple[Link, int]]
) -> None:
    if put(_FATE, fates) == len(fates) or not fates:
        return
    # A link that no page named (a host's robots.txt) enters the database with its response.
    rows = [
        (link.id, host, url_hash(link.url), int(link.kind), link.score, link.parent or None,
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
        pack_positions(links),
        links.urls,
        clipped(links.anchors),
        clipped(links.paths),
        clipped(links.contexts),
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
    """Return the row of parts of each link as bytes; a single part is the score itself and not stored."""
    if not _has(parts):
        return repeat(None)
    whole, width = np.ascontiguousarray(parts, "<f4").tobytes(), 4 * parts.shape[1]
    return (whole[at : at + width] for at in range(0, len(whole), width))


def _has(parts: ScoreParts | None) -> TypeGuard[ScoreParts]:
    return parts is not None and parts.shape[1] > 1


def _thousandths(links: Links) -> list[int]:
    places: list[int] = (links.positions * 1000).astype(np.int64).tolist()
    return places


def clipped(texts: list[str]) -> list[str]:
    """Return texts as they are stored."""
    return texts if max(map(len, texts)) <= CLIP else [text[:CLIP] for text in texts]
