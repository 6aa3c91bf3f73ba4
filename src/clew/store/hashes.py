"""64-bit hashes as the signed integers that SQLite can hold."""

from clew import urls


def signed(number: int) -> int:
    """Return an unsigned 64-bit number as a signed one.

    >>> signed(1), signed((1 << 64) - 1)
    (1, -1)
    """
    return number - (1 << 64) if number >> 63 else number


def url_hash(url: str) -> int:
    """Return the value of `links.hash` for a canonical URL."""
    return signed(urls.fingerprint(url))
