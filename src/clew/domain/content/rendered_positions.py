"""Where a browser has shown links: a comment at the end of a page that was rendered, and what becomes of it.

A page could end with such a comment itself. It may: where its links stand is for a page to say anyway.
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
    """Return the comment that says where links were shown: address, x and y as shares of the page.

    >>> written([("http://a.test/", 0.25, 0.5)]).decode().strip()
    '<!-- where a browser showed links: [["http://a.test/", 0.25, 0.5]] -->'
    """
    rows = [[href, _within(x), _within(y)] for href, x, y in boxes][:MAX_BOXES]
    # What could end a comment is written in another way, which JSON reads as the same.
    said = json.dumps(rows).replace("-", "\\u002d").replace(">", "\\u003e") if rows else ""
    return MARK + said.encode("ascii") + END if said else b""


def settled(links: Links, markup: bytes | str, canon: Canon) -> Links:
    """Return links with the places a browser gave them, if the page ends with such a comment."""
    if isinstance(markup, str) or not markup.endswith(END) or not len(links):
        return links  # what a browser wrote is UTF-8, and stays bytes until here
    begin = markup.rfind(MARK, -_LONGEST)
    found = _read(markup[begin + len(MARK) : -len(END)]) if begin >= 0 else {}
    if not found:
        return links
    places = links.coordinates.copy()
    shown = {url: place for href, place in found.items() if (url := canon(href))}
    for row, url in enumerate(links.urls):
        if (place := shown.get(url)) is not None:
            places[row, 2:] = place
    return replace(links, coordinates=places)


def _read(said: bytes) -> dict[str, tuple[float, float]]:
    """Return x and y by address, the first where there are several; nothing for nonsense."""
    try:
        rows = [(str(href), float(x), float(y)) for href, x, y in json.loads(said)[:MAX_BOXES]]
    except (ValueError, TypeError, RecursionError, KeyError):
        return {}
    fair = ((href, x, y) for href, x, y in reversed(rows) if np.isfinite(x) and np.isfinite(y))
    return {href: (_within(x), _within(y)) for href, x, y in fair}


def _within(share: float) -> float:
    """Return a share of the page, also of what stands beyond its edge; never with a sign."""
    return round(min(max(share, 0.0), 1.0), 4)
