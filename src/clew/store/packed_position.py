"""Positions of links on their page, packed into one readable number each, in thousandths.

The decimal digits of the number are, in groups of three: area, pseudo-x, pseudo-y, x, y. So in SQL
`place % 1000` is y and `place / 1000 % 1000` is x.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from clew.types import Area, LinkPositions, Links

_MOST = 999
_NONE, _ALL = np.float32(0), np.float32(1)
_FACTORS = np.array([10**9, 10**6, 10**3, 1], np.int64)
_AREA = 10**12
_AREAS = {
    Area.HEADER: "in the header", Area.NAV: "in the navigation", Area.MAIN: "in the main part",
    Area.ASIDE: "in the sidebar", Area.FOOTER: "in the footer",
}  # fmt: skip


def pack_positions(links: Links) -> list[int]:
    """Return the position of each link as one number.

    >>> from clew.testing import sample_links
    >>> pack_positions(sample_links(3))
    [500000500000, 500500500500, 500999500999]
    """
    numbers: list[int] = (_shares(links) @ _FACTORS + links.areas.astype(np.int64) * _AREA).tolist()
    return numbers


def round_positions(links: Links) -> LinkPositions:
    """Return the positions of links, rounded as they are stored."""
    return _shares(links).astype(np.float32) / np.float32(_MOST)


def _shares(links: Links) -> NDArray[np.int64]:
    """Return positions in thousandths; undefined ones are 0."""
    within = np.fmin(np.fmax(links.coordinates, _NONE), _ALL)  # of NaN and a number they take the number
    thousandths: NDArray[np.int64] = np.rint(within * _MOST).astype(np.int64)
    return thousandths


def unpack_positions(numbers: Iterable[int | None]) -> tuple[LinkPositions, NDArray[np.uint8]]:
    """Return the positions and areas that numbers encode; None is no position."""
    stored = np.array([number or 0 for number in numbers], np.int64)
    shares = (stored[:, None] // _FACTORS % 1_000).astype(np.float32) / np.float32(_MOST)
    return shares, (stored // _AREA).astype(np.uint8)


def describe_position(number: int) -> str:
    """Describe the position of a link, as far as it is known.

    >>> describe_position(2_500_021_900_030), describe_position(500_800_500_800), describe_position(0)
    ('top right, in the navigation', 'bottom', '')
    """
    if not number:
        return ""
    pseudo, x, y = number // 10**9 % 1_000, number // 1_000 % 1_000, number % 1_000
    down = "top" if y < _MOST / 3 else "bottom" if y > _MOST * 2 / 3 else ""
    across = "left" if x < _MOST / 3 else "right" if x > _MOST * 2 / 3 else "" if x == pseudo else "middle"
    area = _AREAS.get(Area(min(number // _AREA, max(Area))), "")
    return ", ".join(filter(None, (" ".join(filter(None, (down, across))), area)))
