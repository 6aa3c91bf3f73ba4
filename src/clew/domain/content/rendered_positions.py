"""Positions of links in a browser: written as a comment at the end of a rendered page, and read from it.

A page could end with such a comment itself. That is harmless: a page decides on its layout anyway.
"""

import json
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from clew.types import Links
from clew.urls import Canon

MARK = b"\n<!-- where a browser showed links: "
END = b" -->"
MAX_BOXES = 5_000
_LONGEST = 2_000_000  # bytes of a comment that is read


def written(boxes: Iterable[tuple[str, float, float]]) -> bytes:
    """Return the comment with the positions of links: URL, x and y as shares of the page.

    >>> written([("http://a.test/", 0.25, 0.5)]).decode().strip()
    '<!-- where a browser showed links: [["http://a.test/", 0.25, 0.5]] -->'
    """
    rows = [[href, _within(x), _within(y)] for href, x, y in boxes][:MAX_BOXES]
    # Characters that could end the comment are escaped for JSON.
    encoded = json.dumps(rows).replace("-", "\\u002d").replace(">", "\\u003e") if rows else ""
    return MARK + encoded.encode("ascii") + END if encoded else b""


def settled(links: Links, markup: bytes | str, canon: Canon) -> Links:
    """Return links with their positions in a browser, if the page ends with such a comment."""
    if isinstance(markup, str) or not markup.endswith(END) or not len(links):
        return links  # a rendered page is UTF-8, and stays bytes until here
    begin = markup.rfind(MARK, -_LONGEST)
    found = _read(markup[begin + len(MARK) : -len(END)]) if begin >= 0 else {}
    if not found:
        return links
    coordinates = links.coordinates.copy()
    shown = {url: position for href, position in found.items() if (url := canon(href))}
    for row, url in enumerate(links.urls):
        if (position := shown.get(url)) is not None:
            coordinates[row, 2:] = position
    return replace(links, coordinates=coordinates)


def _read(comment: bytes) -> dict[str, tuple[float, float]]:
    """Return x and y by URL, the first where there are several; empty for invalid input."""
    try:
        rows = [(str(href), float(x), float(y)) for href, x, y in json.loads(comment)[:MAX_BOXES]]
    except (ValueError, TypeError, RecursionError, KeyError):
        return {}
    valid = ((href, x, y) for href, x, y in reversed(rows) if np.isfinite(x) and np.isfinite(y))
    return {href: (_within(x), _within(y)) for href, x, y in valid}


def _within(share: float) -> float:
    """Return a share of the page, limited to 0 to 1; never with a sign."""
    return round(min(max(share, 0.0), 1.0), 4)
