"""Which shard a host belongs to: registered domains are hashed over the shards of a crawl."""

from dataclasses import dataclass

from clew import urls

_ELSEWHERE = "host of shard "
_SOURCE = "page of shard "


def shard_of(origin: str, shards: int) -> int:
    """Return the shard that an origin belongs to.

    All hosts of a registered domain belong together, so that what is learned of a domain (traps, failures)
    is known where it is needed.

    >>> shard_of("https://www.bbc.co.uk", 8) == shard_of("http://news.bbc.co.uk:8080", 8)
    True
    """
    return urls.fingerprint(urls.site(urls.host(origin))) % shards


def elsewhere(shard: int) -> str:
    """Return the reason why a link is left to another shard: it is sent there.

    >>> elsewhere(3)
    'host of shard 3'
    """
    return f"{_ELSEWHERE}{shard}"


def source_of(shard: int) -> str:
    """Return the reason of a page that only stands for the source of links that another shard has found."""
    return f"{_SOURCE}{shard}"


def shard_of_source(reason: str) -> int | None:
    """Return the shard that has read the page with this reason, None for any other reason.

    >>> shard_of_source(source_of(3)), shard_of_source("robots.txt")
    (3, None)
    """
    return int(reason.removeprefix(_SOURCE)) if reason.startswith(_SOURCE) else None


@dataclass(frozen=True, slots=True)
class Partition:
    """One shard of a crawl: which of `shards` this is, counted from 0."""

    shards: int
    shard: int

    def refusal(self, origin: str) -> str:
        """Return why this shard does not fetch from an origin, an empty string if it does."""
        owner = shard_of(origin, self.shards)
        return "" if owner == self.shard else elsewhere(owner)
