"""The WARC files of a crawl: append, begin a new one when full, cut what was never committed.

The database knows every file and how much of it is committed. A file is entered there with length 0
before it is made, so that recovery touches only files that are surely ours.
"""

import os
import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedWriter, FileIO
from pathlib import Path

from clew.errors import StoreError
from clew.store.folder import disk_error, sync_folder
from clew.store.warc import pack, warcinfo
from clew.types import Response

_NAME = re.compile(r"clew-[0-9]{14}-([0-9]{5,})\.warc\.gz")
_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class WarcOffset:
    """Where the response record of a page lies."""

    file: str
    offset: int
    length: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcSettings:
    """The size of a WARC file in MiB, and what its warcinfo record says about the crawler."""

    size: int = 1024
    software: str = "clew"
    contact: str = ""
    robots: bool = True


class Archive:
    """Append records to the newest file in `pages`.

    `announce` is called with the name of each new file and must make it known durably;
    `written` holds the lengths of the files that changed since the last `settle`.
    """

    def __init__(
        self,
        pages: Path,
        *,
        announce: Callable[[str], None],
        limit: int = 1 << 30,
        software: str = "clew",
        contact: str = "",
        robots: str = "obey",
    ) -> None:
        self.pages = pages
        self.announce = announce
        self.limit = limit
        self.software = software
        self.contact = contact
        self.robots = robots
        self.written: dict[str, int] = {}
        self._settled: dict[str, int] = {}
        self._serial = 0
        self._name = ""
        self._offset = 0
        self._file: BufferedWriter | None = None

    def resume(self, committed: Iterable[tuple[str, int]]) -> None:
        """Cut every file back to its committed length, and append to the newest if it is not full."""
        newest = (0, "", 0)
        for name, length in committed:
            cut(self.pages, name, length)
            serial = serial_of(name)
            self._serial = max(self._serial, serial)
            if (self.pages / name).exists():
                newest = max(newest, (serial, name, length))
        _, name, length = newest
        if 0 < length < self.limit:
            self._settled = {name: length}
            self._name, self._offset = name, length
            self._file = BufferedWriter(FileIO(self.pages / name, "ab"), _BUFFER)

    def append(self, response: Response) -> WarcOffset:
        """Add the records of a response; they are durable after `sync`."""
        packed = pack(response)
        if self._file is None or self._offset >= self.limit:
            self._begin()
        assert self._file is not None
        place = WarcOffset(self._name, self._offset, len(packed.response), packed.digest)
        self._file.write(packed.response)
        self._file.write(packed.request)
        self._offset += len(packed.response) + len(packed.request)
        self.written[self._name] = self._offset
        return place

    def sync(self) -> None:
        """Bring what was appended onto the disk."""
        if self._file is not None and self.written:
            self._file.flush()
            os.fdatasync(self._file.fileno())

    def settle(self) -> None:
        """Note that the database has committed everything written so far."""
        self._settled = {self._name: self._offset} if self._name else {}
        self.written = {}

    def undo(self) -> None:
        """Cut what was written since the last `settle`, as far as the disk lets us; the rest waits."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.raw.close()  # without a flush: what is buffered was never committed
        for name in self.written:
            with suppress(OSError, StoreError):
                cut(self.pages, name, self._settled.get(name, 0))

    def close(self) -> None:
        """Close the file; everything in it is committed."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _begin(self) -> None:
        if self._file is not None:
            self.sync()
            self._file.close()
        self._serial += 1
        while (self.pages / (name := self._next_name())).exists():
            self._serial += 1
        self.announce(name)
        self._file = BufferedWriter(FileIO(self.pages / name, "xb"), _BUFFER)
        sync_folder(self.pages)
        head = warcinfo(name, software=self.software, contact=self.contact, robots=self.robots)
        self._file.write(head)
        self._name, self._offset = name, len(head)
        self.written[name] = self._offset

    def _next_name(self) -> str:
        return f"clew-{time.strftime('%Y%m%d%H%M%S', time.gmtime())}-{self._serial:05d}.warc.gz"


def serial_of(name: str) -> int:
    """Return the running number in a file name; refuse a name that we did not make."""
    known = _NAME.fullmatch(name)
    if not known:
        msg = f"the database names a file that clew never makes ({name!r}); it was changed by another program"
        raise StoreError(msg)
    return int(known[1])


def cut(pages: Path, name: str, length: int) -> None:
    """Cut the tail of a file behind its committed length; a file with nothing committed is removed."""
    serial_of(name)
    path = pages / name
    try:
        size = path.stat().st_size
        if length == 0:
            path.unlink()
            sync_folder(pages)
        elif size > length:
            with path.open("r+b") as file:
                file.truncate(length)
                os.fsync(file.fileno())
        elif size < length:
            msg = (
                f"{path} is shorter than the database says ({size} of {length} bytes): "
                "put the whole file back, or move it out of the folder to go on without it"
            )
            raise StoreError(msg)
    except FileNotFoundError:
        return  # moved away by its owner: we never need old files to go on
    except OSError as error:
        raise disk_error(error, path) from error
