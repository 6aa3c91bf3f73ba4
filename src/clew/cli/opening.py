"""The first sign of life: a line on the terminal before half a second of imports."""

import sys


def greet(words: list[str]) -> None:
    """Say that a run is being opened, when a person sits there to see it."""
    quiet = {"--json", "--help", "-h"}.intersection(words)
    if words[:1] == ["run"] and len(words) > 1 and not quiet and sys.stdout.isatty():
        sys.stdout.write("opening the crawl …\n" if sys.stdout.encoding == "utf-8" else "opening the crawl\n")
        sys.stdout.flush()
