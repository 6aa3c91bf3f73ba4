"""Our own faults, as exceptions; the web's faults are values (`Visit.error`).

    ClewError               exit code 1   something of ours went wrong
    ├── ConfigError         exit code 2   a key, an option or a file the person gave
    ├── NothingFetched      exit code 4   every seed failed or was refused
    └── StoreError          exit code 5   disk, folder or database
        └── FolderBusy                    another process works on this crawl

Every message names the cause and ends with the cure.
"""


class ClewError(Exception):
    """Root of the tree: something of ours went wrong."""

    exit_code = 1


class ConfigError(ClewError):
    """A key, an option or a file that a person gave cannot be used."""

    exit_code = 2


class NothingFetched(ClewError):  # noqa: N818 - reads aloud better without "Error"
    """No seed could be fetched; the message lists the reasons."""

    exit_code = 4


class StoreError(ClewError):
    """The disk, the folder or the database failed; what was committed is safe."""

    exit_code = 5


class FolderBusy(StoreError):  # noqa: N818
    """Another process works on this crawl folder."""
