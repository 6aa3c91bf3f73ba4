"""The features of blocks: what they look like, where they are, what is around them, and on which page.

Sums over an element are differences of running sums, because the blocks of an element are neighbours.
Every feature is independent of the language: letters are counted, words are not looked at.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled
from clew.parse.maintext.blocks import FLAGS, TAG, TAGS, WIDTH, Blocks
from clew.parse.maintext.head_facts import FACTS, HeadFacts, fact_values
from clew.parse.maintext.names import GROUPS

Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

_LONG = 60  # letters of a block that may be a paragraph
_TITLE = range(9, 200)  # letters of a text that is looked for in the title

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TAGS = ("p", "li", "td", "div", "dd", "figcaption", "button", "pre")
_CONTAINER = ("share", "long_share", "long", "density", "stop_rate", "blocks", "mean")
_NEXT = ("size", "density", "stops")
_REACH = 3  # blocks on each side that are near
_SHARES = (
    "tag:p", "in:main", "in:article", "in:table", "in:pre", "in:list", "chain:product", "chain:post",
    "chain:comment", "chain:item", "chain:content", "chain:review",
)  # fmt: skip

COLUMNS: tuple[str, ...] = (
    *("size", "words", "stops", "ends", "links", "density", "stop_rate", "heading"),
    *(f"tag:{name}" for name in _TAGS),
    *(f"in:{name}" for name in FLAGS),
    *(f"chain:{name}" for name in GROUPS),
    *(f"own:{name}" for name in GROUPS),
    *("depth", "position", "order", "in_main", "in_half", "from_half"),
    *("after_h1", "after_title", "since_heading", "section_level"),
    *("alike", "alike_share", "alike_density"),
    "again",
    *(f"c{level}:{name}" for level in (1, 2, 3) for name in _CONTAINER),
    *(f"next:{name}" for name in _NEXT),
    "near:density",
    *(f"page:{name}" for name in ("size", "blocks", "density", "stop_rate", "long", "half", "main", "longs")),
    *("page:headings", "page:half_density"),
    *(f"page:{name}" for name in _SHARES),
    *(f"page:{name}" for name in FACTS),
)
"""The names of all features, in the order of the rows of the matrix."""

_TAG_COLUMN = np.array([TAG[name] for name in _TAGS])[:, None]
_BITS = np.arange(len(FLAGS) + len(GROUPS))[:, None]
_NAME_BITS = _BITS[len(FLAGS) :]
_PAGE_ROWS = np.array([COLUMNS.index(name) for name in _SHARES])
_H1 = TAG["h1"]
_LEVELS = np.array([7 - int(name[1]) if name in _HEADINGS else 0 for name in TAGS])
_FIELD = 20  # bits of each count in a sum
_MASK = (1 << _FIELD) - 1
_HIGHEST = 0xFFFF


def _character_counts() -> Integers:
    """Return by code point, side by side: whether it ends a sentence, if it is a space, twice its size."""
    codes = np.arange(_HIGHEST + 1)
    # Bytes of UTF-8, and one: letters of Asian scripts count twice, because they say more.
    size = 2 + (codes > 0x7F) + (codes > 0x7FF) + (codes == _HIGHEST)  # noqa: PLR2004
    stops, spaces = np.isin(codes, [*map(ord, ".!?。！？")]), codes == ord(" ")
    return np.asarray(stops + (spaces << _FIELD) + (size << 2 * _FIELD))


_COUNTS = _character_counts()
_ENDS = np.isin(np.arange(_HIGHEST + 1), [*map(ord, '.!?:;。！？：…"”»)؟।')])


class _BlockMatrix:
    """The features of a page, written from the first row to the last."""

    def __init__(self, count: int) -> None:
        self.rows = np.empty((len(COLUMNS), count), np.float32)
        self.at = 0

    def put(self, *values: Any) -> None:  # noqa: ANN401 - whatever numpy takes for a row
        """Write rows, one by one: making one array of them first would take longer."""
        rows, at = self.rows, self.at
        for value in values:
            rows[at] = value
            at += 1
        self.at = at

    def put_all(self, values: NDArray[Any]) -> None:
        """Write the rows of an array."""
        height = len(values)
        self.rows[self.at : self.at + height] = values
        self.at += height


_FILL = compiled("clew.parse.maintext._features", "fill")


def features(blocks: Blocks, facts: HeadFacts) -> tuple[Floats, Doubles]:
    """Return a matrix with a row for each feature and a column for each block, and the sizes of blocks."""
    if _FILL is None:
        return _by_numpy(blocks, facts)
    rows, sizes = np.empty((len(COLUMNS), len(blocks.texts)), np.float32), np.empty(len(blocks.texts))
    _FILL(
        rows, sizes, blocks.texts, blocks, _ENDS, _LEVELS, _TAG_COLUMN[:, 0], _PAGE_ROWS,
        np.array(fact_values(facts), np.float64), long_from=_LONG, flags=len(FLAGS), groups=len(GROUPS),
        reach=_REACH, h1=_H1, titled=_titled(blocks.texts, facts),
    )  # fmt: skip
    return rows, sizes


def _by_numpy(blocks: Blocks, facts: HeadFacts) -> tuple[Floats, Doubles]:
    count = len(blocks.texts)
    held, number = np.array(blocks.held), np.arange(count)
    parents, tags, own, chains, depth, begin, end, looks = np.array(blocks.rows).reshape(-1, WIDTH).T
    up = _wider(parents, end - begin)
    counted, words, ends, long = _counted(blocks)
    size, linked, stops = counted[:3]
    sums = np.zeros((5, count + 1))
    counted.cumsum(1, out=sums[:, 1:])
    inside = sums[:, end] - sums[:, begin]
    total = np.maximum(sums[:, -1], 1)
    main, half = _deepest(inside[3], depth, 0.7), _deepest(inside[3], depth, 0.5)
    nearest = np.where(inside[4] <= 1, up, np.arange(len(up)))[held]
    wider = up[nearest]

    tag, chain = tags[held], chains[held]
    level = _LEVELS[tag]
    density = linked / size
    matrix = _BlockMatrix(count)
    matrix.put(size, words, stops, ends, blocks.links, density, stops / size, level)
    matrix.put_all(tag == _TAG_COLUMN)
    matrix.put_all(chain >> _BITS & 1)
    matrix.put_all((own[held] | own[nearest]) >> _NAME_BITS & 1)
    to_half, from_half = begin[half] - number, number - end[half] + 1
    outside = np.maximum(np.maximum(to_half, from_half), 0)
    in_main = (begin[main] <= number) & (number < end[main])
    matrix.put(depth[held], sums[0, :-1] / total[0], number / count, in_main, outside == 0, outside)
    matrix.put(*_from_titles(blocks.texts, facts, tag, level, number))
    matrix.put(*_alike_rows(looks[held].tolist(), size, linked, total[0]), _again(blocks.texts))
    of_holders = _container_rows(inside, total)
    for holder in (nearest, wider, up[wider]):
        matrix.put_all(of_holders[:, holder])
    for row in (size, density, stops):
        matrix.put(-1)
        matrix.rows[matrix.at - 1, :-1] = row[1:]
    low, high = np.maximum(number - _REACH, 0), np.minimum(number + _REACH + 1, count)
    near = sums[:2, high] - sums[:2, low]
    matrix.put(near[1] / near[0])
    whole = float(total[0])
    page = [
        whole, count, *(total[1:4] / whole).tolist(), inside[0, half] / whole, inside[0, main] / whole,
        np.count_nonzero(long), np.count_nonzero(level), inside[1, half] / max(inside[0, half], 1),
        *_sums(matrix.rows[_PAGE_ROWS] * (size / whole).astype(np.float32)), *fact_values(facts),
    ]  # fmt: skip
    matrix.put_all(np.array(page)[:, None])
    return matrix.rows, size


def _counted(blocks: Blocks) -> tuple[Doubles, Integers, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return what is counted in each text.

    That is its size, the size of its links, ends of sentences, its size if it is long, and one, as rows of
    one array; its words; whether it ends as a sentence does; and whether it is long.
    """
    texts = blocks.texts
    joined = "".join(texts)
    if joined.isascii():
        codes: NDArray[Any] = np.frombuffer(joined.encode(), np.uint8)
    else:
        codes = np.minimum(np.frombuffer(joined.encode("utf-32-le", "replace"), np.uint32), _HIGHEST)
    length = np.fromiter(map(len, texts), np.int64, len(texts))
    behind = length.cumsum()
    counts = np.add.reduceat(_COUNTS.take(codes), behind - length)
    found = np.ones((5, len(texts)))
    size, linked, stops, mass, _ = found
    size[:] = counts >> 2 * _FIELD
    size /= 2
    stops[:] = counts & _MASK
    linked[:] = blocks.linked
    linked *= size / length
    long = (size > _LONG) & (stops > 0) & (linked < size * 0.5)
    np.multiply(size, long, out=mass)
    return found, (counts >> _FIELD & _MASK) + 1, _ENDS[codes[behind - 1]], long


def _wider(parents: Integers, counts: Integers) -> Integers:
    """Return for each holder the next one above that has more blocks."""
    top = np.where(counts[parents] == counts, parents, np.arange(len(parents)))
    while (higher := top[top]).tobytes() != top.tobytes():
        top = higher
    return parents[top]


def _deepest(mass: Doubles, depth: Integers, share: float) -> int:
    """Return the deepest element that holds this share of the mass."""
    if mass[0] <= 0:
        return 0
    enough = np.flatnonzero(mass >= share * mass[0])
    return int(enough[np.argmax(depth[enough])])


def _from_titles(
    texts: list[str], facts: HeadFacts, tag: Integers, level: Integers, number: Integers
) -> tuple[Integers, ...]:
    """Return the distance from the last h1 and from the page's title, and what the heading above is."""
    titled = _titled(texts, facts)
    (h1,) = (tag == _H1).nonzero()
    start = titled if titled >= 0 else int(h1[0]) if len(h1) else 0
    above = np.maximum.accumulate(np.where(level > 0, number, -1))
    return (
        number - (int(h1[-1]) if len(h1) else 0),
        number - start,
        number - above,
        np.where(above >= 0, level[above], 0),
    )


def _titled(texts: list[str], facts: HeadFacts) -> int:
    """Return the first text that is in the page's title, or -1."""
    title = facts.title.lower()
    if not title:
        return -1
    return next((at for at, text in enumerate(texts) if len(text) in _TITLE and text.lower() in title), -1)


def _sums(rows: Floats) -> list[float]:
    """Return the sum of each row, its numbers added one after the other."""
    total: list[float] = rows.cumsum(1, np.float64)[:, -1].tolist()
    return total


def _again(texts: list[str]) -> list[bool]:
    """Return of each text whether it was on the page before."""
    seen: dict[str, int] = {}
    return [seen.setdefault(text, at) != at for at, text in enumerate(texts)]


def _alike_rows(looks: list[int], size: Doubles, linked: Doubles, total: float) -> tuple[Doubles, ...]:
    """Return how many blocks look alike, their share of the page, and how much of them is links."""
    numbers: dict[int, int] = {}
    alike = np.array([numbers.setdefault(look, len(numbers)) for look in looks])
    sizes = np.bincount(alike, size)
    return (
        np.bincount(alike)[alike],
        (sizes / total)[alike],
        (np.bincount(alike, linked) / sizes)[alike],
    )


def _container_rows(inside: Doubles, total: Doubles) -> Floats:
    """Return what is known of each element as a container: rows as named in `_CONTAINER`."""
    mass, blocks = np.maximum(inside[0], 1), np.maximum(inside[4], 1)
    rows = np.empty((len(_CONTAINER), len(mass)), np.float32)
    rows[0], rows[1] = inside[0] / total[0], inside[3] / total[3]
    rows[2:5] = inside[[3, 1, 2]] / mass
    rows[5], rows[6] = blocks, inside[0] / blocks
    return rows
