"""The command line of benches that crawl recorded worlds: their folder, and the pages of a crawl."""

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

from clew.lab.catalogue import catalogue
from clew.lab.world import World, open_world


def world_options(description: str | None, pages: int) -> argparse.Namespace:
    """Read the command line; `worlds` is the folder that was named, or CLEW_WORLDS."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("worlds", nargs="?", type=Path, default=os.environ.get("CLEW_WORLDS"))
    parser.add_argument("--pages", type=int, default=pages)
    options = parser.parse_args()
    if not options.worlds:
        parser.error("name the folder of worlds, or set CLEW_WORLDS")
    options.worlds = Path(options.worlds)
    return options


def topical_worlds(folder: Path) -> Iterator[World]:
    """Open each world that has a topical task; say what the work on it took."""
    began = time.process_time()
    for listed in catalogue(folder):
        if any(kind == "topic" for *_, kind in listed.tasks):
            yield open_world(folder / listed.name)
            print(f"{listed.name}: {time.process_time() - began:.0f} CPU seconds", flush=True)
