"""The exceptions of Clew, with their exit codes. Network errors are values instead (`Response.error`).

    ClewError               exit code 1   an internal error
    ├── ConfigError         exit code 2   a wrong key, option or file
    ├── NothingFetched      exit code 4   every seed failed or was refused
    └── StoreError          exit code 5   disk, folder or database
        └── FolderBusy                    another process uses this crawl

Every message names the cause and ends with a remedy.
"""


class ClewError(Exception):
    """Root of the tree: an internal error."""

    exit_code = 1


class ConfigError(ClewError):
    """A key, an option or a file given by the user is invalid."""

    exit_code = 2


class NothingFetched(ClewError):  # noqa: N818 - reads better without "Error"
    """No seed could be fetched; the message lists the reasons."""

    exit_code = 4


class StoreError(ClewError):
    """The disk, the folder or the database failed; what was committed is safe."""

    exit_code = 5


class FolderBusy(StoreError):  # noqa: N818
    """Another process uses this crawl folder."""
