"""Batches on their way to the disk: the one being collected, and those waiting to be written."""

from collections.abc import Iterator
from threading import Lock

from clew.store.write_batch import WriteBatch
from clew.types import Link


class BatchQueue:
    """Collect into `current`; hand batches to the writing thread in order, and keep them until written."""

    def __init__(self) -> None:
        self.current = WriteBatch()
        self._waiting: tuple[WriteBatch, ...] = ()
        self._guard = Lock()

    def __iter__(self) -> Iterator[WriteBatch]:
        """Yield every batch that is not written yet, oldest first."""
        return iter((*self._waiting, self.current))

    @property
    def waiting(self) -> bool:
        """Whether a batch is being written, or waits for it."""
        return bool(self._waiting)

    def close_batch(self) -> WriteBatch:
        """Return the batch collected so far, waiting to be written from now on, and begin the next."""
        batch, self.current = self.current, WriteBatch()
        if batch:
            with self._guard:
                self._waiting = (*self._waiting, batch)
        return batch

    def drop_oldest(self) -> None:
        """Forget the oldest waiting batch: it is in the database."""
        with self._guard:
            self._waiting = self._waiting[1:]

    def find_link(self, id: int) -> tuple[Link | None, int | None]:
        """Return a link that is not written yet, and how often a link was tried according to the batches."""
        batches = tuple(self)
        tries = None
        for batch in batches:
            tries = batch.tries.get(id, tries)
        for batch in batches:
            if link := batch.link(id, tries or 0):
                return link, tries
        return None, tries
