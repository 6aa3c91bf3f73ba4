"""`clew new --sites`: check a list of sites and copy it into the crawl folder."""

from pathlib import Path
from typing import Any

from clew.cli import screen
from clew.domain.sites.site_list import SiteList, read_site_list
from clew.domain.text import printable
from clew.errors import StoreError

FILE = "sites.txt"
"""The checked copy in the crawl folder, listed in crawl.seeds."""

_SHOWN = 5
"""Maximum number of invalid or duplicate lines listed one by one."""


def read_sites(path: Path | None) -> SiteList:
    """Read a file of sites and report invalid lines; without a file return an empty list."""
    if path is None:
        return SiteList()
    listing = read_site_list(path.expanduser())
    count = len(listing.urls)
    hosts = "" if listing.hosts == count else f", on {listing.hosts:,} hosts"
    screen.echo(f"✓ {count:,} site{'s' * (count != 1)} in {printable(str(path))}{hosts}")
    _list_lines(listing.invalid, "is not a site; skipped")
    _list_lines(listing.duplicates, "is a duplicate")
    return listing


def _list_lines(lines: list[tuple[int, str]], problem: str) -> None:
    for number, entry in lines[:_SHOWN]:
        screen.echo(f"  ! line {number:,}: {printable(entry, 60)} {problem}")
    if (more := len(lines) - _SHOWN) > 0:
        screen.echo(f"  ! and {more:,} more lines like these")


def settings(listing: SiteList) -> dict[str, Any]:
    """Return the default settings of a crawl over given sites."""
    return {"rank.policy": "sites", "scope.hosts": ["seeds"]} if listing.urls else {}


def names(listing: SiteList) -> list[str]:
    """Return the entry of crawl.seeds for the sites, if there are any."""
    return [FILE] if listing.urls else []


def write_sites(folder: Path, listing: SiteList) -> None:
    """Write the sites into the crawl folder, if there are any."""
    if not listing.urls:
        return
    try:
        (folder / FILE).write_text("".join(f"{url}\n" for url in listing.urls), encoding="utf-8")
    except OSError as error:
        msg = (
            f"{folder / FILE} cannot be written: {error.strerror}; free some space, or choose another folder"
        )
        raise StoreError(msg) from None
