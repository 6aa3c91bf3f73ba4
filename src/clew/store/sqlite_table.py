"""The growing table of a crawl: rows, occurrences, row labels and clean markup."""

from collections.abc import Mapping, Sequence

from clew.contracts import Occurrence, StoredMarkup, StoredRow, StoredRowLabel, TableChange
from clew.store import table
from clew.store.batch_queue import BatchQueue
from clew.store.connections import Connections


class SqliteTable:
    """Read and write the growing table.

    `row_labels` and `stamp` share the connection of the thread that opened the store. The other readers open
    a connection of their own: call them from any thread.
    """

    def __init__(self, connections: Connections, queue: BatchQueue) -> None:
        self._connections = connections
        self._queue = queue

    def save(self, change: TableChange) -> None:
        """Collect a change of the table; it counts from the next commit on."""
        if change:
            self._queue.current.table.append(change)

    def begin(self, rows: Sequence[StoredRow], renamed: Mapping[int, int]) -> None:
        """Replace the table by these rows, before a crawl goes on; `renamed` maps old row ids to new ones."""
        with self._connections.transaction() as db:
            table.begin_table(db, rows, renamed)

    def row_labels(self, after: int) -> list[tuple[int, StoredRowLabel]]:
        """Return the labels on rows with ids above `after`, each with its id, oldest first."""
        with self._connections.errors():
            return table.read_row_labels(self._connections.reader, after)

    def stamp(self) -> tuple[int, int]:
        """Return the ids of the last row label and of the last stored markup."""
        with self._connections.errors():
            return table.table_stamp(self._connections.reader)

    def rows(self) -> list[StoredRow]:
        """Return every row, also those that occur nowhere now."""
        return table.read_rows(self._connections.folder)

    def occurrences(self) -> list[Occurrence]:
        """Return where rows occur, in the order in which that was found."""
        return table.read_occurrences(self._connections.folder)

    def rejected_patterns(self) -> set[int]:
        """Return the patterns that gave a row which a user labelled as noise."""
        return table.read_rejected_patterns(self._connections.folder)

    def markup(self, pages: Sequence[int]) -> list[StoredMarkup]:
        """Return pages as clean markup, in the given order; pages without markup are left out."""
        return table.read_markup(self._connections.folder, pages)

    def markup_after(self, id: int, most: int) -> list[tuple[int, int]]:
        """Return up to `most` stored markups with larger ids: the id of each, and its page."""
        return table.read_markup_after(self._connections.folder, id, most)

    def markup_urls(self, last: int) -> list[tuple[int, str]]:
        """Return the pages of stored markups up to the id `last`, with their URLs, oldest first."""
        return table.read_markup_urls(self._connections.folder, last)
