"""Replace a file as a whole: after a kill there is the old one or the new one, never a part."""

import os
from contextlib import suppress
from pathlib import Path

from clew.errors import StoreError


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file beside `path`, sync it, and move it there; raise `StoreError` with a remedy on failure."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        msg = f"{path} cannot be written: {error.strerror}; free some space, or give yourself access to it"
        raise StoreError(msg) from None
