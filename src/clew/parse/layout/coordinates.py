"""Positions of the links of a page: counted from its tags, and estimated as a browser would show them.

Pseudo-x and pseudo-y are those of Tanaka and Suzuki (2007): the middle of the table cell of a link,
when the cells of a row share its width by their colspan; and the share of block elements' tags, opening and
closing, before the link. x and y come from a layout without a browser; see `link_regions` and `estimate`.

Nothing here traverses the page. The traversal of `html` adds up what tags count for (see `block_heights`);
what is around a link is read when its tag path is built.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from clew.parse.layout.block_heights import TAGS, pixels
from clew.parse.layout.boxes import NOWHERE, Here
from clew.parse.layout.element_styles import traits
from clew.parse.layout.estimate import PageLayout
from clew.parse.layout.link_regions import LinkRegions
from clew.parse.layout.stylesheets import Stylesheets
from clew.parse.layout.table_columns import Share, TableColumns

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

Place: TypeAlias = tuple[float, float, float, float, int]
"""Pseudo-x, pseudo-y, x, y and area of a link."""

Note: TypeAlias = tuple[int, int, Share, Here, float, float, float]
"""What the position of a link is computed from: the sum of the traversal, how many blocks are open, its cell,
where its text goes; and half-width letters: those before it in its block, its own, all of the block."""


class Coordinates:
    """Compute positions of links on one page.

    `walked` is the sum of the whole traversal, `starts` the sum at which each element begins; without them x
    and y are pseudo-x and pseudo-y.
    """

    def __init__(
        self, *, walked: int, starts: Mapping[int, int] | None = None, sheets: Stylesheets | None = None,
        elsewhere: bool = False, root: "LexborNode | None" = None,
    ) -> None:  # fmt: skip
        self.cells = TableColumns()
        self.regions: LinkRegions | None = None
        self.outside = NOWHERE
        self.tags = max(1, walked & TAGS)
        if starts is not None:
            self.regions = LinkRegions(
                starts=starts,
                whole=walked,
                cells=self.cells,
                sheets=sheets or Stylesheets(),
                elsewhere=elsewhere,
            )
            if root is not None:
                self.outside = self.regions.page(traits("html", root.attributes))

    def places(self, notes: Sequence[Note]) -> list[Place]:
        """Return the positions of links; where there is no layout x and y are pseudo-x and pseudo-y."""
        layout, found = PageLayout(self.regions) if self.regions else None, []
        for walked, deep, (left, width), here, before, long, line in notes:
            x, y = left + width / 2, ((walked & TAGS) - deep) / self.tags
            if layout is None:
                found.append((x, y, x, y, here[-1]))
            else:
                found.append((x, y, *layout.point(here, pixels(walked), before, long, line), here[-1]))
        return found
