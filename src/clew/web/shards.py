"""The shards of a divided crawl: one row for each."""

from pathlib import Path
from typing import Any

from clew.insight.preflight.folder_check import lock_holder
from clew.store import crawl_stats
from clew.store.outbox import shard_folders
from clew.web.operations import Call, Operation, WebPage


def shard_rows(folder: Path) -> list[dict[str, Any]]:
    """Return what each shard has done; nothing for a crawl that is not divided."""
    return [_row(path) for path in shard_folders(folder)]


def _row(path: Path) -> dict[str, Any]:
    begun = crawl_stats.has_links(path)
    counts = crawl_stats.count_pages(path) if begun else None
    hosts, open_links = crawl_stats.count_hosts_and_open(path) if begun else (0, 0)
    return {
        "shard": int(path.name),
        "pages": counts.pages if counts else 0,
        "relevant": counts.relevant if counts else 0,
        "failed": counts.failed if counts else 0,
        "hosts": hosts,
        "open": open_links,
        "bytes": crawl_stats.size_on_disk(path) if begun else 0,
        "running": bool(lock_holder(path)),
    }


def list_shards(call: Call) -> dict[str, Any]:
    """Return the shards of a crawl."""
    return {"shards": shard_rows(call.folder)}


OPERATIONS = (
    Operation(
        method="GET", path="/crawls/{name}/shards", summary="The shards of a divided crawl.", run=list_shards
    ),
)
PAGES: tuple[WebPage, ...] = ()
