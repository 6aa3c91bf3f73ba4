"""What the traversal of a page adds up: for each element the tags of blocks and its usual height.

Two sums are packed in one number, because adding one costs 30 ns for each element of a page: tags, pixels.
"""

BLOCKS = frozenset(
    """address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure
    footer form frameset h1 h2 h3 h4 h5 h6 header hgroup html legend li main menu nav ol p pre search section
    summary table ul""".split()  # noqa: SIM905 - reads better as text
)
"""Block-level elements in the sense of CSS 2.1 (block, list-item, table) that have a closing tag."""

ALONE = frozenset({"hr", "frame"})
"""Block-level elements that are one tag."""

HEIGHTS = {
    "p": 43, "li": 19, "h1": 66, "h2": 55, "h3": 48, "h4": 48, "h5": 48, "h6": 48, "br": 18, "tr": 22,
    "dt": 18, "dd": 22, "hr": 18, "ul": 12, "ol": 12, "dl": 16, "pre": 60, "blockquote": 32, "div": 5,
    "section": 5, "table": 4, "form": 6, "img": 10, "iframe": 150, "video": 150, "figure": 32,
}  # fmt: skip
"""Pixels that an element usually adds to the height of a page: its margins, a line, half a line more."""

LINKS = frozenset({"a", "area", "frame", "iframe", "link"})
_FIELD = 24
TAGS = (1 << _FIELD) - 1
"""The bits of a sum that hold how many tags of blocks are before an element."""


def weight(tag: str) -> int:
    """Return what an element adds to the sum: its opening and closing tags if it is a block, its pixels.

    >>> (weight("p") + weight("br") + weight("hr")) & TAGS
    3
    """
    return (HEIGHTS.get(tag, 0) << _FIELD) + 2 * (tag in BLOCKS) + (tag in ALONE)


def pixels(walked: int) -> int:
    """Return how far down a sum is.

    >>> pixels(weight("p") + weight("br"))
    61
    """
    return walked >> _FIELD
