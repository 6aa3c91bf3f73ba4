"""The features of blocks: what they look like, where they are, what is around them, and on which page.

Sums over an element are differences of running sums, because the blocks of an element are neighbours.
Every feature is independent of the language: letters are counted, words are not looked at.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.parse.maintext.blocks import FLAG, FLAGS, TAG, Blocks
from clew.parse.maintext.head_facts import FACTS, HeadFacts, fact_values
from clew.parse.maintext.names import GROUPS

Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

_ENDS = frozenset('.!?:;。！？：…"”»)؟।')
_LONG = 60  # letters of a block that may be a paragraph
_TITLE = range(9, 200)  # letters of a text that is looked for in the title
_QUOTED = 30  # letters of a text that are looked for in the description

_TAGS = ("p", "li", "td", "div", "dd", "figcaption", "button", "pre")
_CONTAINER = ("share", "long_share", "long", "density", "blocks", "mean", "stop_rate", "within")
_SHIFTED = ("size", "density", "stops", "heading", "long")
_SHIFTS = (-1, 1)
_REACHES = (3, 8)
_GROUP_SHARES = ("product", "post", "comment", "item", "content", "review")
_FLAG_SHARES = ("main", "article", "table", "pre", "list")

COLUMNS: tuple[str, ...] = (
    *("size", "words", "stops", "ends", "links", "density", "stop_rate", "heading"),
    *(f"tag:{name}" for name in _TAGS),
    *(f"in:{name}" for name in FLAGS),
    *(f"own:{name}" for name in GROUPS),
    *(f"chain:{name}" for name in GROUPS),
    *("depth", "position", "order", "in_main", "in_half", "from_half"),
    *("after_h1", "after_title", "since_heading", "section_level"),
    *("alike", "alike_share", "alike_density"),
    *("again", "in_description"),
    *(f"c{level}:{name}" for level in (1, 2, 3) for name in (*_CONTAINER, "place")),
    *(f"{name}{shift:+d}" for shift in _SHIFTS for name in _SHIFTED),
    *(f"near{reach}:{name}" for reach in _REACHES for name in ("density", "long", "size")),
    *(f"page:{name}" for name in ("size", "blocks", "density", "long", "half", "main", "stop_rate", "longs")),
    *("page:headings", "page:in_p", "page:half_density"),
    *(f"page:in_{name}" for name in _FLAG_SHARES),
    *(f"page:named_{name}" for name in _GROUP_SHARES),
    *(f"page:{name}" for name in FACTS),
)
"""The names of all features, in the order of the rows of the matrix."""

_TAG_COLUMN = np.array([TAG[name] for name in _TAGS])[:, None]
_FLAG_COLUMN, _GROUP_COLUMN = np.arange(len(FLAGS))[:, None], np.arange(len(GROUPS))[:, None]
_FLAG_BITS = np.array([FLAG[name] for name in _FLAG_SHARES])
_GROUP_BITS = np.array([1 << GROUPS.index(name) for name in _GROUP_SHARES])


class _BlockMatrix:
    """The features of a page, written from the first row to the last."""

    def __init__(self, count: int) -> None:
        self.rows = np.empty((len(COLUMNS), count), np.float32)
        self.at = 0

    def put(self, values: Any) -> None:  # noqa: ANN401 - whatever numpy takes for rows
        """Write some rows."""
        height = len(values)
        self.rows[self.at : self.at + height] = values
        self.at += height


def features(blocks: Blocks, facts: HeadFacts) -> tuple[Floats, Doubles]:
    """Return a matrix with a row for each feature and a column for each block, and the sizes of blocks."""
    count = len(blocks.texts)
    held, number = np.array(blocks.held), np.arange(count)
    size, words, stops, ends, linked, long = _counted(blocks)
    links = np.array(blocks.links)
    _, tags, flags, _, named, groups, depths, first = zip(*blocks.holders, strict=True)
    depth, begin = np.array(depths), np.array(first)
    end, up = _subtrees(blocks, begin)
    sums = np.zeros((5, count + 1))
    np.cumsum((size, linked, stops, size * long, np.ones(count)), 1, out=sums[:, 1:])
    inside = sums[:, end] - sums[:, begin]
    total = np.maximum(sums[:, -1], 1)
    main, half = _deepest(inside[3], depth, 0.7), _deepest(inside[3], depth, 0.5)
    nearest = np.where(inside[4] <= 1, up, np.arange(len(up)))[held]
    wider = up[nearest]
    containers = (nearest, wider, up[wider])

    tag, flag, chain = np.array(tags)[held], np.array(flags)[held], np.array(groups)[held]
    own = np.array(named)
    level = np.where((tag >= TAG["h1"]) & (tag <= TAG["h6"]), TAG["h6"] + 1 - tag, 0)
    density = linked / size
    matrix = _BlockMatrix(count)
    matrix.put(np.log1p((size, words)))
    matrix.put(np.minimum((stops, ends, links), 20))
    matrix.put((density, stops / size * 100, level))
    matrix.put(tag == _TAG_COLUMN)
    matrix.put(flag >> _FLAG_COLUMN & 1)
    matrix.put((own[held] | own[nearest]) >> _GROUP_COLUMN & 1)
    matrix.put(chain >> _GROUP_COLUMN & 1)
    after, before = number >= end[half], number < begin[half]
    matrix.put((
        depth[held], (sums[0, :-1] + size / 2) / total[0], number / count,
        (begin[main] <= number) & (number < end[main]), ~(after | before),
        np.minimum(np.where(before, begin[half] - number, np.where(after, number - end[half] + 1, 0)), 50),
    ))  # fmt: skip
    matrix.put(_from_titles(blocks.texts, facts, tag, level, number))
    matrix.put(_alike_rows(_alike(blocks), size, linked, total[0]))
    matrix.put(_repeated(blocks.texts, facts))
    of_holders = _container_rows(inside, total, (begin >= begin[half]) & (end <= end[half]))
    for holder in containers:
        matrix.put(of_holders[:, holder])
        matrix.put((number - begin[holder])[None] / np.maximum(inside[4], 1)[holder])
    _put_neighbours(matrix, np.array((matrix.rows[0], density, matrix.rows[2], level, long)), sums)
    share = size / total[0]
    page = (
        *np.log1p((total[0], count)), *(total[[1, 3]] / total[0]), *(inside[0, [half, main]] / total[0]),
        total[2] / total[0] * 100, np.log1p(long.sum()), (level > 0).sum(), share @ (tag == TAG["p"]),
        inside[1, half] / max(inside[0, half], 1), *(share @ (flag[:, None] & _FLAG_BITS > 0)),
        *(share @ (chain[:, None] & _GROUP_BITS > 0)), *fact_values(facts),
    )  # fmt: skip
    matrix.put(np.array(page)[:, None])
    return matrix.rows, size


def _counted(blocks: Blocks) -> Doubles:
    """Return what is counted in each text. Letters of Asian scripts count twice: they say more."""
    found: list[float] = []
    add = found.extend
    for text, linked in zip(blocks.texts, blocks.linked, strict=True):
        size = length = len(text)
        stops = text.count(".") + text.count("!") + text.count("?")
        if not text.isascii():
            size = (length + len(text.encode("utf-8", "replace"))) >> 1
            stops += text.count("。") + text.count("！") + text.count("？")
        in_links = linked * size / length if linked else 0
        long = size > _LONG and stops > 0 and in_links < size * 0.5
        add((size, text.count(" ") + 1, stops, text[-1] in _ENDS, in_links, long))
    return np.array(found).reshape(-1, 6).T


def _subtrees(blocks: Blocks, first: Integers) -> tuple[Integers, Integers]:
    """Return for each holder the block behind its last one, and the next holder above with more blocks."""
    holders = blocks.holders
    last = [0] * len(holders)
    for at, holder in enumerate(blocks.held, 1):
        last[holder] = at
    for at in range(len(holders) - 1, 0, -1):
        parent = holders[at][0]
        if last[at] > last[parent]:  # noqa: PLR1730 - max() takes twice as long
            last[parent] = last[at]
    end = np.maximum(np.array(last), first)
    counts = (end - first).tolist()
    up = [0] * len(holders)
    for at, (parent, *_) in enumerate(holders):
        up[at] = up[parent] if counts[parent] == counts[at] else parent
    return end, np.array(up)


def _deepest(mass: Doubles, depth: Integers, share: float) -> int:
    """Return the deepest element that holds this share of the mass."""
    if mass[0] <= 0:
        return 0
    enough = np.flatnonzero(mass >= share * mass[0])
    return int(enough[np.argmax(depth[enough])])


def _from_titles(
    texts: list[str], facts: HeadFacts, tag: Integers, level: Integers, number: Integers
) -> list[Integers]:
    """Return the distance from the last h1 and from the page's title, and what the heading above is."""
    title = facts.title.lower()
    titled = next((at for at, text in enumerate(texts) if len(text) in _TITLE and text.lower() in title), -1)
    h1 = np.flatnonzero(tag == TAG["h1"])
    start = titled if titled >= 0 else int(h1[0]) if len(h1) else 0
    above = np.maximum.accumulate(np.where(level > 0, number, -1))
    return [
        np.clip(number - (int(h1[-1]) if len(h1) else 0), -20, 100),
        np.clip(number - start, -20, 100),
        np.minimum(number - above, 30),
        np.where(above >= 0, level[above], 0),
    ]


def _repeated(texts: list[str], facts: HeadFacts) -> list[list[bool]]:
    """Return whether the text was on the page before, and whether the description holds it."""
    seen: dict[str, int] = {}
    description = facts.description.lower()
    return [
        [seen.setdefault(text[:200], at) != at for at, text in enumerate(texts)],
        [len(text) > _QUOTED and text[:_QUOTED].lower() in description for text in texts],
    ]


def _alike(blocks: Blocks) -> Integers:
    """Return the group of each block: those whose holders, and the elements above, have the same names."""
    numbers: dict[tuple[int, str, str], int] = {}
    holders, found = blocks.holders, []
    for at in blocks.held:
        parent, tag, _, name, *_ = holders[at]
        found.append(numbers.setdefault((tag, name, holders[parent][3]), len(numbers)))
    return np.array(found)


def _alike_rows(alike: Integers, size: Doubles, linked: Doubles, total: float) -> tuple[Doubles, ...]:
    """Return how many blocks look alike, their share of the page, and how much of them is links."""
    sizes = np.bincount(alike, size)
    return (
        np.log1p(np.bincount(alike))[alike],
        (sizes / total)[alike],
        (np.bincount(alike, linked) / sizes)[alike],
    )


def _container_rows(inside: Doubles, total: Doubles, within: NDArray[np.bool_]) -> Doubles:
    """Return what is known of each element as a container: rows as named in `_CONTAINER`."""
    mass, blocks = np.maximum(inside[0], 1), np.maximum(inside[4], 1)
    return np.array((
        inside[0] / total[0], inside[3] / total[3], inside[3] / mass, inside[1] / mass, np.log1p(blocks),
        np.log1p(inside[0] / blocks), inside[2] / mass * 100, within,
    ))  # fmt: skip


def _put_neighbours(matrix: _BlockMatrix, rows: Doubles, sums: Doubles) -> None:
    """Write what the blocks before and after look like, and the stretch around."""
    width, count = rows.shape
    padded = np.full((width, count + 2), -1.0)
    padded[:, 1:-1] = rows
    for shift in _SHIFTS:
        matrix.put(padded[:, 1 + shift : 1 + shift + count])
    number = np.arange(count)
    for reach in _REACHES:
        near = sums[:, np.minimum(number + reach + 1, count)] - sums[:, np.maximum(number - reach, 0)]
        matrix.put(near[[1, 3]] / near[0])
        matrix.put(np.log1p(near[:1] / near[4]))
