"""Pages: full-text search, facets, the histogram of verdicts, previews, archived pages replayed safely."""

import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from starlette.responses import Response

from clew import config as configuration
from clew.domain.text import stem
from clew.errors import ClewError
from clew.search.index import Index
from clew.search.local_engine import index_of_crawl
from clew.services.labels import stored_answers
from clew.store.crawl_stats import has_links
from clew.store.label_reader import read_ids
from clew.store.page_columns import PageColumns, read_archive_place, read_page_rows
from clew.web.cached import StillReading
from clew.web.charts import columns_of
from clew.web.operations import Call, MissingThing, Operation, Paging, WebPage
from clew.web.replay import REPLAY_HEADERS, replayed
from clew.web.server_state import ServerState

BINS = 50
FACET_ROWS = 12
TEXT_CHARACTERS = 200_000
"""Characters of a page's text that a preview shows."""

RANKED = 20_000
"""Most pages that are ordered by how well they match, unless that is asked for: more take too long."""

SNIPPET = 220
_SEARCHED = 20_000
_DAY = 86_400.0
_WORDS = re.compile(r"[^\W_]+")

Mask = NDArray[np.bool_]


class PageQuery(Paging):
    """Which pages to list."""

    q: str = Field(default="", description="Words to look for; a phrase in quotes.")
    relevant: Literal["", "yes", "no"] = Field(default="", description="Only relevant pages, or only others.")
    label: Literal["", "yes", "no", "any"] = Field(
        default="", description="Only pages that you have labelled."
    )
    host: str = Field(default="", description="Only pages of this origin, or of a host name.")
    lang: str = Field(default="", description="Only pages in this language.")
    mime: str = Field(default="", description="Only pages of this media type.")
    since: str = Field(
        default="", pattern=r"^(\d{4}-\d{2}-\d{2})?$", description="Fetched from this day on (UTC)."
    )
    until: str = Field(
        default="", pattern=r"^(\d{4}-\d{2}-\d{2})?$", description="Fetched up to this day (UTC)."
    )
    low: float = Field(default=0.0, ge=0, le=1, description="Verdict from here on.")
    high: float = Field(default=1.0, ge=0, le=1, description="Verdict up to here.")
    sort: Literal["", "verdict", "newest", "oldest", "doubt", "match"] = Field(
        default="",
        description="Order: by verdict, time, nearness to the threshold, or match of the words; "
        "by default the newest come first, with words those that match best.",
    )


def search_index(server: ServerState, folder: Path, wait: float = 5.0) -> Index:
    """Return the full-text index of a crawl, brought up to date in the background."""
    return server.cached("search", folder, lambda: index_of_crawl(folder)).value(wait)


def list_pages(call: Call) -> dict[str, Any]:
    """Return the pages that match, with the counts of each facet."""
    query: PageQuery = call.query
    folder = call.folder
    params = Params(query.model_dump(exclude_defaults=True))
    empty: dict[str, Any] = {
        "total": 0,
        "pages": [],
        "facets": {},
        "verdicts": [0] * BINS,
        "keep": 0.5,
        "count": 0,
        "params": params,
        "order": query.sort or "newest",
    }
    if not has_links(folder):
        return empty
    columns = columns_of(call.server, folder, 1.0)
    masks = _masks(call, columns, query)
    chosen = _all_but(masks, "", len(columns))
    order = query.sort or ("match" if query.q.strip() and chosen.sum() <= RANKED else "newest")
    ids = _ordered(call, columns, chosen, order)
    listed = ids[query.offset : query.offset + query.limit].tolist()
    rows = read_page_rows(folder, listed, head=_SEARCHED if query.q else 300)
    labels = labels_of(call.server, folder)
    for row in rows:
        row["snippet"] = snippet(row.pop("text"), query.q)
        row["label"] = labels.get(row["url"])
    return {
        "total": len(ids),
        "count": len(columns),
        "pages": rows,
        "keep": keep_of(folder),
        "facets": _facets(columns, masks),
        "params": params,
        "order": order,
        "verdicts": _histogram(columns, _all_but(masks, "verdict", len(columns))),
    }


class Params(dict[str, Any]):
    """The parameters of an address; a call returns it with some of them changed."""

    def __call__(self, **changes: object) -> str:
        values = {**self, **changes}
        if "offset" not in changes:
            values.pop("offset", None)
        return urlencode({name: value for name, value in values.items() if value not in ("", None)})


def keep_of(folder: Path) -> float:
    """Return the threshold of relevance."""
    try:
        return configuration.load_folder(folder).goal.keep
    except ClewError:
        return 0.5


def labels_of(server: ServerState, folder: Path) -> Mapping[str, bool]:
    """Return the labels of a crawl by URL."""
    if not (folder / "crawl.db").exists():
        return {}

    def read() -> dict[str, bool]:
        return {answer.url: bool(answer.good) for answer, _ in stored_answers(folder)}

    try:
        return server.cached("labels", folder, read).value(0.5)
    except StillReading:
        return {}


# ---- filters -----------------------------------------------------------------------------------


def _masks(call: Call, columns: PageColumns, query: PageQuery) -> dict[str, Mask]:
    """Return for each filter that is set which pages pass it."""
    masks: dict[str, Mask] = {}
    if query.relevant:
        masks["relevant"] = columns.relevant == (query.relevant == "yes")
    if query.host:
        wanted = [at for at, name in enumerate(columns.host_names) if _is_host(name, query.host)]
        is_wanted = np.zeros(len(columns.host_names), np.bool_)
        is_wanted[wanted] = True
        masks["host"] = is_wanted[columns.hosts]
    if query.lang:
        masks["lang"] = columns.langs == _code(
            columns.lang_names, "" if query.lang == "unknown" else query.lang
        )
    if query.mime:
        masks["mime"] = columns.mimes == _code(columns.mime_names, query.mime)
    if query.since or query.until:
        low, high = _day(query.since, -math.inf), _day(query.until, math.inf) + _DAY
        masks["date"] = (columns.times >= low) & (columns.times < high)
    if query.low > 0 or query.high < 1:
        masks["verdict"] = (columns.verdicts >= query.low) & (columns.verdicts <= query.high)
    if query.label:
        labels = labels_of(call.server, call.folder)
        wanted_urls = [
            url for url, good in labels.items() if query.label == "any" or good == (query.label == "yes")
        ]
        masks["label"] = _with_ids(columns, read_ids(call.folder, wanted_urls))
    if query.q.strip():
        keys = search_index(call.server, call.folder).matching_keys(query.q)
        masks["q"] = _with_ids(columns, keys)
    return masks


def _with_ids(columns: PageColumns, ids: Sequence[int] | NDArray[np.int64]) -> Mask:
    """Return which pages have these ids; the ids of the columns are sorted."""
    chosen = np.zeros(len(columns), np.bool_)
    wanted = np.asarray(ids, np.int64)
    at = np.searchsorted(columns.ids, wanted)
    at, wanted = at[at < len(columns)], wanted[at < len(columns)]
    chosen[at[columns.ids[at] == wanted]] = True
    return chosen


def _is_host(origin: str, wanted: str) -> bool:
    return origin == wanted or origin.partition("://")[2] == wanted


def _code(names: tuple[str, ...], name: str) -> int:
    return names.index(name) if name in names else -1


def _day(text: str, otherwise: float) -> float:
    if not text:
        return otherwise
    try:
        return float(time.mktime(time.strptime(text, "%Y-%m-%d"))) - time.timezone
    except (ValueError, OverflowError):
        return otherwise


def _all_but(masks: Mapping[str, Mask], name: str, size: int) -> Mask:
    """Return the pages that pass every filter but one."""
    chosen = np.ones(size, np.bool_)
    for each, mask in masks.items():
        if each != name:
            chosen &= mask
    return chosen


def _ordered(call: Call, columns: PageColumns, chosen: Mask, order: str) -> NDArray[np.int64]:
    """Return the ids of the chosen pages in an order."""
    if order == "doubt":
        at = np.flatnonzero(chosen)
        distance = np.abs(np.nan_to_num(columns.verdicts[at], nan=9.0) - keep_of(call.folder))
        return columns.ids[at[np.argsort(distance, kind="stable")]]
    rows = columns.by_verdict if order == "verdict" else columns.by_time
    rows = rows[::-1] if order in ("newest", "match") else rows
    ids = columns.ids[rows if chosen.all() else rows[chosen[rows]]]
    if order != "match" or not call.query.q.strip():
        return ids
    # The index ranks the best ones only; the others follow, the newest first.
    best = search_index(call.server, call.folder).matching_keys(call.query.q, ranked=True)
    best = best[np.isin(best, ids)]
    return np.concatenate((best, ids[~np.isin(ids, best)]))


# ---- facets ------------------------------------------------------------------------------------


def _facets(columns: PageColumns, masks: Mapping[str, Mask]) -> dict[str, list[dict[str, Any]]]:
    """Return the values of each facet with their counts, under all other filters."""
    size = len(columns)
    relevant = _all_but(masks, "relevant", size)
    yes = int((columns.relevant & relevant).sum())
    facets = {
        "relevant": [
            {"value": "yes", "name": "relevant", "count": yes},
            {"value": "no", "name": "not relevant", "count": int(relevant.sum()) - yes},
        ]
    }
    for name, codes, names in (
        ("host", columns.hosts, columns.host_names),
        ("lang", columns.langs, columns.lang_names),
        ("mime", columns.mimes, columns.mime_names),
    ):
        counts = np.bincount(codes[_all_but(masks, name, size)], minlength=len(names))
        best = np.argsort(-counts, kind="stable")[:FACET_ROWS].tolist()
        facets[name] = [
            {
                "value": names[at] or "unknown",
                "name": names[at].partition("://")[2] or names[at] or "unknown",
                "count": int(counts[at]),
            }
            for at in best
            if counts[at]
        ]
    days = (columns.times[_all_but(masks, "date", size)] // _DAY).astype(np.int64)
    first = int(days.min()) if len(days) else 0
    by_day = np.bincount(np.minimum(days - first, 100_000))
    found = np.flatnonzero(by_day)
    counts, found = by_day[found], found + first
    facets["date"] = [
        {"value": day, "name": day, "count": int(count)}
        for number, count in list(zip(found.tolist(), counts.tolist(), strict=True))[-FACET_ROWS:][::-1]
        for day in [time.strftime("%Y-%m-%d", time.gmtime(number * _DAY))]
    ]
    return facets


def _histogram(columns: PageColumns, chosen: Mask) -> list[int]:
    verdicts = columns.verdicts[chosen]
    verdicts = verdicts[~np.isnan(verdicts)]
    places = np.minimum(BINS - 1, (verdicts * BINS).astype(np.int64))
    counts: list[int] = np.bincount(places, minlength=BINS).tolist()
    return counts


def _root(word: str) -> str:
    """Return a word without any of its endings.

    >>> _root("keepers"), _root("keeping")
    ('keep', 'keep')
    """
    while (shorter := stem(word)) != word:
        word = shorter
    return word


def snippet(text: str, q: str) -> list[tuple[str, bool]]:
    """Return the passage of a text around the words, in pieces that are marked or not.

    Words with the same stem are found by the index, and marked.

    >>> snippet("The old lighthouse stands.", "lighthouses")
    [('The old ', False), ('lighthouse', True), (' stands.', False)]
    """
    plain = " ".join(text.split())
    words = {word.casefold() for word in _WORDS.findall(q)}
    if not words:
        return [(plain[:SNIPPET], False)]
    stems = {_root(word) for word in words}
    beginnings = "|".join(re.escape(each) for each in sorted(stems, key=len, reverse=True))
    pattern = re.compile(rf"(?:{beginnings})\w*", re.IGNORECASE)

    def marked(passage: str) -> Iterator[re.Match[str]]:
        return (found for found in pattern.finditer(passage) if _root(found[0].casefold()) in stems)

    first = next(marked(plain), None) or pattern.search(plain)
    start = max(0, first.start() - SNIPPET // 3) if first else 0
    start = max(start and plain.rfind(" ", start - 30, start) + 1, start - 30)  # not within a word
    cut = ("… " if start else "") + plain[start : start + SNIPPET]
    pieces: list[tuple[str, bool]] = []
    last = 0
    for match in marked(cut):
        pieces += [(cut[last : match.start()], False), (match[0], True)]
        last = match.end()
    return [piece for piece in [*pieces, (cut[last:], False)] if piece[0]]


# ---- one page ----------------------------------------------------------------------------------


def show_page(call: Call) -> dict[str, Any]:
    """Return one page with its text."""
    rows = read_page_rows(call.folder, [call.number("id")], head=TEXT_CHARACTERS)
    if not rows:
        raise MissingThing
    label = labels_of(call.server, call.folder).get(rows[0]["url"])
    archived = read_archive_place(call.folder, call.number("id"))
    return {**rows[0], "label": label, "archived": bool(archived and "html" in archived[2])}


def archived_page(call: Call) -> Response:
    """Return the archived page without scripts, forms, links or anything from the network."""
    place = read_archive_place(call.folder, call.number("id"))
    if place is None or "html" not in place[2]:
        raise MissingThing
    html = replayed(call.folder, place)
    return Response(
        html.encode("utf-8", "replace"), media_type="text/html; charset=utf-8", headers=REPLAY_HEADERS
    )


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/pages",
        summary="Search and filter pages, with facets.",
        run=list_pages,
        query=PageQuery,
    ),
    Operation(
        method="GET", path="/crawls/{name}/pages/{id}", summary="One page with its text.", run=show_page
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/pages/{id}/archived",
        returns="text/html",
        run=archived_page,
        summary="The archived page, made harmless: no scripts, no network, no links.",
    ),
)
PAGES = (
    WebPage(
        path="/crawls/{name}/pages",
        template="pages.html",
        title="Pages",
        run=list_pages,
        query=PageQuery,
        of_shards=True,
    ),
    WebPage(
        path="/crawls/{name}/pages/{id}",
        template="page.html",
        title="Page",
        run=lambda call: {"page": show_page(call)},
        of_shards=True,
    ),
)
