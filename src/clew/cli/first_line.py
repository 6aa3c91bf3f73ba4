"""Output before the imports, which take half a second."""

import sys

from clew.domain.installation import __version__


def print_first_line(args: list[str]) -> None:
    """Print the version and exit; for a run on a terminal, print that the crawl is being opened."""
    if args == ["--version"]:
        sys.stdout.write(f"clew {__version__}\n")
        sys.exit()
    quiet = {"--json", "--help", "-h"}.intersection(args)
    if args[:1] == ["run"] and len(args) > 1 and not quiet and sys.stdout.isatty():
        sys.stdout.write("opening the crawl …\n" if sys.stdout.encoding == "utf-8" else "opening the crawl\n")
        sys.stdout.flush()
