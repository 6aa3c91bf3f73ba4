"""`clew new --sites`: a file of sites, checked, each once, and kept in the folder of the crawl."""

from pathlib import Path
from typing import Any

from clew.cli import screen
from clew.domain.sites.site_list import SiteList, read_site_list
from clew.domain.text import printable
from clew.errors import StoreError

FILE = "sites.txt"
"""The checked copy in the folder of the crawl: crawl.seeds names it."""

_SHOWN = 5
"""Lines that are no site, or one that was there already, that are named one by one."""


def take_sites(path: Path | None) -> SiteList:
    """Read a person's file of sites, and say what is wrong with it; without a file there are none."""
    if path is None:
        return SiteList()
    listing = read_site_list(path.expanduser())
    count = len(listing.urls)
    hosts = "" if listing.hosts == count else f", on {listing.hosts:,} hosts"
    screen.say(f"✓ {count:,} site{'s' * (count != 1)} in {printable(str(path))}{hosts}")
    _name(listing.invalid, "is no site; left out")
    _name(listing.duplicates, "was there already")
    return listing


def _name(lines: list[tuple[int, str]], what: str) -> None:
    for number, entry in lines[:_SHOWN]:
        screen.say(f"  ! line {number:,}: {printable(entry, 60)} {what}")
    if (more := len(lines) - _SHOWN) > 0:
        screen.say(f"  ! and {more:,} more lines like these")


def settings(listing: SiteList) -> dict[str, Any]:
    """Return the keys of a crawl over given sites, unless a person says otherwise."""
    return {"rank.policy": "sites", "scope.hosts": ["seeds"]} if listing.urls else {}


def names(listing: SiteList) -> list[str]:
    """Return what crawl.seeds says for the sites, if there are any."""
    return [FILE] if listing.urls else []


def keep_sites(folder: Path, listing: SiteList) -> None:
    """Write the sites into the folder of a crawl, if there are any."""
    if not listing.urls:
        return
    try:
        (folder / FILE).write_text("".join(f"{url}\n" for url in listing.urls), encoding="utf-8")
    except OSError as error:
        msg = f"{folder / FILE} cannot be written: {error.strerror}; free some space, or choose another place"
        raise StoreError(msg) from None
