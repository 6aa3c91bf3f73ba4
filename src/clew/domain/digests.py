"""Tell whether two versions of a page are the same: byte for byte, or in what they say."""

import base64
import hashlib

import xxhash

_TITLE = 1_000  # characters of a title that are stored


def payload_digest(body: bytes) -> str:
    """Return the digest of a body in the form of WARC records."""
    digest = hashlib.sha1(body, usedforsecurity=False).digest()
    return f"sha1:{base64.b32encode(digest).decode()}"


def text_hash(title: str, text: str) -> int:
    r"""Return a number for title and text of a page, whatever the blanks between words; 0 if both are empty.

    >>> text_hash("Ships", "all  at sea\n") == text_hash("Ships ", "all at sea"), text_hash("", "")
    (True, 0)
    """
    words = " ".join((*title[:_TITLE].split(), "\0", *text.split()))
    return xxhash.xxh3_64_intdigest(words.encode("utf-8", "replace")) if len(words) > 1 else 0
