"""What the overview draws of a crawl: its curve, its histograms, its best hosts and its last pages."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.insight.status import BINS
from clew.store.crawl_stats import has_links
from clew.store.link_counts import LinkCounts, read_link_counts
from clew.store.outbox import shard_folders
from clew.store.page_columns import PageColumns, read_page_columns, read_page_rows
from clew.web.cached import StillReading
from clew.web.server_state import ServerState

POINTS = 200
"""Points of the curve of relevant pages."""

WAIT = 0.15
"""Seconds a page waits for numbers that a large crawl has not given yet."""

NEWEST = 12
TOP_HOSTS = 8


def columns_of(server: ServerState, folder: Path, wait: float = 10.0) -> PageColumns:
    """Return the pages of a crawl as columns; raise `StillReading` if a large one is not read yet."""
    return server.cached("pages", folder, lambda: read_page_columns(folder)).value(wait)


def links_of(server: ServerState, folder: Path, wait: float = WAIT) -> LinkCounts | None:
    """Return the counts of links, or None if they take longer."""
    try:
        return server.cached("links", folder, lambda: read_link_counts(folder)).value(wait)
    except StillReading:
        return None


def charts_of(server: ServerState, folder: Path) -> dict[str, Any]:
    """Return the charts of a crawl; of one in shards, those of all shards together."""
    places = begun_parts(folder)
    if places in ([], [folder]):
        return charts(columns_of(server, folder))
    parts = [read_page_columns(path) for path in places]
    drawn = [charts(columns) for columns in parts]
    for path, each in zip(places, drawn, strict=True):
        each["best"] = [{**host, "shard": path.name} for host in each["best"]]
    order = np.argsort(np.concatenate([columns.times for columns in parts]), kind="stable")
    relevant = np.concatenate([columns.relevant for columns in parts])[order]
    best = sorted((host for each in drawn for host in each["best"]), key=lambda host: -host["relevant"])
    return {
        "curve": harvest_points(relevant),
        "verdicts": np.sum([each["verdicts"] for each in drawn], axis=0).tolist(),
        "best": best[:TOP_HOSTS],
    }


def charts(columns: PageColumns) -> dict[str, Any]:
    """Return what the overview draws of the pages: curve, verdicts, best hosts."""
    verdicts = columns.verdicts[~np.isnan(columns.verdicts)]
    bins = np.minimum(BINS - 1, (verdicts * BINS).astype(np.int64))
    return {
        "curve": harvest_curve(columns),
        "verdicts": np.bincount(bins, minlength=BINS).tolist(),
        "best": _best_hosts(columns),
    }


def harvest_curve(columns: PageColumns, points: int = POINTS) -> list[list[int]]:
    """Return points of pages read and relevant pages among them, in the order of fetching."""
    return harvest_points(columns.relevant[columns.by_time], points)


def harvest_points(relevant: NDArray[np.bool_], points: int = POINTS) -> list[list[int]]:
    """Return points of the curve of pages in the order in which they were read."""
    if not len(relevant):
        return []
    found = np.cumsum(relevant)
    at = np.unique(np.linspace(0, len(found) - 1, min(points, len(found))).astype(np.int64))
    return [[0, 0], *([int(place) + 1, int(found[place])] for place in at)]


def _best_hosts(columns: PageColumns, most: int = TOP_HOSTS) -> list[dict[str, Any]]:
    pages = np.bincount(columns.hosts, minlength=len(columns.host_names))
    found = np.bincount(columns.hosts, columns.relevant, minlength=len(columns.host_names))
    order = np.lexsort((pages, -found))[:most]
    return [
        {"host": columns.host_names[at], "pages": int(pages[at]), "relevant": int(found[at])}
        for at in order.tolist()
        if found[at]
    ]


def queued_by_score(server: ServerState, folder: Path, ranked: list[int], wait: float = 0.0) -> list[int]:
    """Return open links by score in ten bins, low scores first.

    `ranked` are the counts of a running crawl, high scores first; otherwise the scores when the links were
    found are counted. Nothing is returned while they are.
    """
    if ranked:
        return list(reversed(ranked))
    parts = [links_of(server, path, wait) for path in begun_parts(folder)]
    counts = [part.scores for part in parts if part is not None]
    if not counts or len(counts) < len(parts):
        return []
    return np.sum(counts, axis=0).reshape(-1, 2).sum(axis=1).tolist()  # type: ignore[no-any-return]


def begun_parts(folder: Path) -> list[Path]:
    """Return the folders whose databases hold the crawl: its own, or those of its shards."""
    return [path for path in (*shard_folders(folder), folder) if has_links(path)]


def newest_pages(server: ServerState, folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the last pages of a crawl or of all its shards, each with the name of the crawl it is in."""
    rows: list[dict[str, Any]] = []
    for path in begun_parts(folder):
        columns = columns_of(server, path, WAIT)
        order = columns.by_time[: -NEWEST - 1 : -1]
        found = read_page_rows(path, columns.ids[order].tolist(), head=0)
        rows += [{**row, "crawl": name if path == folder else f"{name}:{path.name}"} for row in found]
    return sorted(rows, key=lambda row: -row["fetched_at"])[:NEWEST]
