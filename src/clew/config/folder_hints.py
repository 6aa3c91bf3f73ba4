"""The error for a folder without a crawl, with a suggestion."""

import re
from difflib import get_close_matches
from pathlib import Path

from clew.errors import ConfigError

_SOME = 3
_URL = re.compile(r"(https?):/+", re.IGNORECASE)


def no_crawl(folder: Path, missing: str = "clew.toml") -> ConfigError:
    """Return the error for a folder that lacks a file of a crawl, with a suggestion."""
    new = f"clew new {folder} --about … --seed … --contact …"
    if url := _URL.match(str(folder)):
        rest = str(folder)[url.end() :]
        return ConfigError(f"{url[1]}://{rest} is a URL; the folder of the crawl comes first, then the URL")
    if folder.is_file():
        problem, cure = "is a file, not the folder of a crawl", _elsewhere(folder) or "choose another name"
    elif (folder / "shards").is_dir():
        problem = "is a crawl in shards, which this cannot read as one"
        cure = f"export it first: clew export {folder} FILE"
    elif (folder / "crawl.db").exists():
        problem = "has no clew.toml (but a crawl.db)"
        cure = f"put the file back, or write a new one: {new}"
    elif (folder / "clew.toml").exists():
        problem, cure = (
            f"has no pages yet (there is no {missing})",
            f"start the crawl with: clew run {folder}",
        )
    else:
        problem = "contains no crawl" if folder.is_dir() else "does not exist"
        near = _elsewhere(folder)
        cure = near if near.startswith("did") else f"{near and f'{near}; '}make a crawl with: {new}"
    return ConfigError(f"{folder} {problem}; {cure}")


def _elsewhere(folder: Path) -> str:
    """Name crawls above, inside or beside a folder, the likeliest first."""
    above = next((place for place in folder.parents if (place / "clew.toml").exists()), None)
    if above is not None:
        return f"did you mean {above if above.name else above.resolve()}?"
    inside, beside = crawls_in(folder), crawls_in(folder.parent)
    if not folder.parent.is_dir() and folder.parent.parent.is_dir():  # a slip in the name of its parent
        around = {path.name: path for path in folder.parent.parent.iterdir() if path.is_dir()}
        if (near := get_close_matches(folder.parent.name, around, n=1)) and (
            meant := crawls_in(around[near[0]]).get(folder.name)
        ):
            return f"did you mean {meant}?"
    if near := get_close_matches(folder.name, beside, n=1):
        return f"did you mean {beside[near[0]]}?"
    found = list((inside or beside).values())
    more = f" and {len(found) - _SOME} more" if len(found) > _SOME else ""
    return f"crawls near it: {', '.join(map(str, found[:_SOME]))}{more}" if found else ""


def crawls_in(place: Path) -> dict[str, Path]:
    """Return the crawls in a folder by name."""
    try:
        return {path.name: path for path in sorted(place.iterdir()) if (path / "clew.toml").is_file()}
    except OSError:
        return {}


def crawl_of_shard(folder: Path) -> Path | None:
    """Return the folder of the crawl that a folder is a shard of, None if it is none.

    >>> crawl_of_shard(Path("/nowhere/shards/2")) is None
    True
    """
    whole = folder.absolute().parent.parent
    is_shard = folder.parent.name == "shards" and folder.name.isdigit() and (whole / "clew.toml").is_file()
    return whole if is_shard else None
