"""Read the responses of a crawl back from its WARC files, in the order of the database."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import BinaryIO

from clew.store.database import open_reader, store_errors
from clew.store.folder import DATABASE, PAGES
from clew.store.reading import FIELDS, batches, unix_time
from clew.store.warc import read_record
from clew.types import Link, Response
from clew.urls import origin

_URL, _STATUS, _FILE, _OFFSET = map(FIELDS.index, ("url", "status", "warc_file", "warc_offset"))
_AT = FIELDS.index("fetched_at")
_SUCCESS = (
    "kind = 'page' AND status BETWEEN 200 AND 299 AND noindex = 0 AND warc_file != ''"
    " AND instr(error, 'parse timeout') + instr(error, 'parser ') = 0"
)


def read_archived(folder: Path) -> Iterator[Response]:
    """Yield the response of every page that was fetched with success.

    Damaged records are left out, and what has taken a parse worker down: it would do so again.
    """
    files: dict[str, BinaryIO] = {}
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE), ExitStack() as stack:
        for rows in batches(db, _SUCCESS):
            for row in rows:
                name = row[_FILE]
                try:
                    if name not in files:
                        files[name] = stack.enter_context((folder / PAGES / name).open("rb"))
                    head, body = read_record(files[name], row[_OFFSET]).http
                except (OSError, EOFError, ValueError):
                    continue
                link = Link(id=0, url=row[_URL], origin=origin(row[_URL]))
                at = unix_time(row[_AT])
                yield Response(link=link, started=at, ended=at, status=row[_STATUS], head=head, body=body)
