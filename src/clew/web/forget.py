"""Forget a host: what a crawl holds of it is counted first, then deleted permanently."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import Field

from clew.errors import ConfigError
from clew.scale.forgetting import ShardsEraser, open_shards_eraser
from clew.store.crawl_stats import has_links
from clew.store.forget import Eraser, open_eraser, parse_host
from clew.store.outbox import shard_folders
from clew.web.operations import Call, Changes, Operation, WebPage
from clew.web.render import size


class ForgetBody(Changes):
    """The host to forget. Without `delete` its data are only counted."""

    host: str = Field(min_length=1, max_length=2_000, description="A host, *.name below it, or a URL there.")
    delete: bool = Field(default=False, description="Delete permanently.")


def forget(call: Call) -> dict[str, Any]:
    """Count what a crawl that does not run holds of a host; with `delete`, delete it."""
    name = parse_host(call.body.host.strip())
    whole = call.divided or call.folder
    with _eraser(whole, name) as eraser:
        share = eraser.measure()
        if not share:
            msg = f"nothing of {name} is in this crawl"
            raise ConfigError(msg)
        if call.body.delete:
            eraser.erase(share)
    counts = {
        "hosts": len(share.hosts), "pages": share.pages, "links": share.links, "rows": share.records,
        "labels": share.labels, "bytes": share.bytes,
    }  # fmt: skip
    held = ", ".join(
        f"{counts[noun]:,} {noun[: -1 if counts[noun] == 1 else None]}"
        for noun in ("pages", "links", "rows", "labels")
    )
    message = (
        f"deleted: {held} of {name}; it is not fetched again. Earlier exports and backups are not changed"
        if call.body.delete
        else f"{name} has {held} here, and {size(share.bytes)} of archived responses."
        " Forgetting deletes them permanently and keeps the host out"
    )
    return {"host": name, "deleted": call.body.delete, "message": message, **counts}


@contextmanager
def _eraser(folder: Path, name: str) -> Iterator[Eraser | ShardsEraser]:
    if shard_folders(folder):
        with open_shards_eraser(folder, name) as of_shards:
            yield of_shards
        return
    if not has_links(folder):
        msg = "nothing was read yet"
        raise ConfigError(msg)
    with open_eraser(folder, name) as eraser:
        yield eraser


OPERATIONS = (
    Operation(
        method="POST",
        path="/crawls/{name}/forget",
        summary="Count what is held of a host; delete it permanently.",
        run=forget,
        body=ForgetBody,
    ),
)
PAGES: tuple[WebPage, ...] = ()
