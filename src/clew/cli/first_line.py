"""The first sign of life: what can be said before half a second of imports."""

import sys

from clew.version import __version__


def greet(words: list[str]) -> None:
    """Say the version, or that a run is being opened when a person sits there to see it."""
    if words == ["--version"]:
        sys.stdout.write(f"clew {__version__}\n")
        sys.exit()
    quiet = {"--json", "--help", "-h"}.intersection(words)
    if words[:1] == ["run"] and len(words) > 1 and not quiet and sys.stdout.isatty():
        sys.stdout.write("opening the crawl …\n" if sys.stdout.encoding == "utf-8" else "opening the crawl\n")
        sys.stdout.flush()
