"""One traversal of an HTML document: its elements sorted by how they are used.

Everything after it works on short lists. Each element costs one look-up by the number of its tag.
"""

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from selectolax.lexbor import LexborHTMLParser

from clew.parse.layout import coordinates
from clew.parse.layout.block_heights import ALONE, BLOCKS, HEIGHTS, LINKS, weight
from clew.parse.layout.stylesheets import sheets

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_ELEMENTS = 300_000
MAX_LAID_OUT = 20_000
"""Pages with more elements get no layout."""

_INVISIBLE = ("script", "style", "template", "svg", "select", "textarea", "object", "math")
_LISTS = (_INVISIBLE, ("meta",), ("base",), ("title",), ("link",))
_WEIGHED = BLOCKS | ALONE | {*HEIGHTS, "td", "th"}

FoundLink: TypeAlias = tuple[int, int, "LexborNode", str]
"""Elements before a link, the sum of the traversal (see `block_heights`), its element and its tag."""

Meta: TypeAlias = tuple[dict[str, str | None], bool]
"""The attributes of a meta element, and whether it is for browsers without scripts."""


def _tag_uses() -> dict[int, tuple[int, int, str]]:
    """Return by number of tag: its weight (-1 for none), its list (-1 for none), its name if it is a link."""
    maker = LexborHTMLParser("")
    lists = {name: number for number, names in enumerate(_LISTS) for name in names}
    return {
        maker.create_node(name).tag_id: (
            weight(name) if name in _WEIGHED else -1,
            lists.get(name, -1),
            name if name in LINKS else "",
        )
        for name in {*lists, *_WEIGHED, *LINKS}
    }


def _is_without_scripts(node: "LexborNode") -> bool:
    parent = node.parent
    return parent is not None and parent.tag == "noscript"


USES = _tag_uses()
"""How tags are used, by their number."""


@dataclass(slots=True)
class HtmlWalk:
    """The elements of a document, sorted by how they are used; `starts` is where each begins, for a layout.

    `invisible` ones show no text.
    """

    links: list[FoundLink] = field(default_factory=list)
    invisible: list["LexborNode"] = field(default_factory=list)
    meta_nodes: list["LexborNode"] = field(default_factory=list)
    base_nodes: list["LexborNode"] = field(default_factory=list)
    titles: list["LexborNode"] = field(default_factory=list)
    head_links: list["LexborNode"] = field(default_factory=list)
    size: int = 1
    walked: int = 0
    starts: dict[int, int] | None = None

    @property
    def metas(self) -> list[Meta]:
        """The attributes of meta elements, and whether they are for browsers without scripts."""
        return [(node.attributes, _is_without_scripts(node)) for node in self.meta_nodes]

    @property
    def bases(self) -> list[str | None]:
        """The references of base elements."""
        return [node.attributes.get("href") for node in self.base_nodes]

    def title_text(self) -> str:
        """Return the text of the title, empty without one."""
        return self.titles[0].text() if self.titles else ""

    def remove_invisible(self) -> None:
        """Take the elements without visible text, and all in them, out of the tree."""
        for node in self.invisible:
            node.decompose()

    def over(self, root: "LexborNode", *, layout: bool = False) -> None:
        """Traverse the tree below `root` in document order; `layout` records where each element begins."""
        lists = (self.invisible, self.meta_nodes, self.base_nodes, self.titles, self.head_links)
        links, use_of, place, walked, starts = self.links, USES.get, 0, 0, dict[int, int]()
        for place, node in enumerate(islice(root.traverse(), MAX_ELEMENTS)):
            if (use := use_of(node.tag_id)) is not None:
                more, number, link = use
                if more >= 0:
                    if layout:
                        starts[node.mem_id] = walked
                    walked += more
                if number >= 0:
                    lists[number].append(node)
                if link:
                    links.append((place, walked, node, link))
        self.size, self.walked = place + 1, walked
        if layout and place < MAX_LAID_OUT:
            self.starts = starts

    def coordinates(self, root: "LexborNode") -> coordinates.Coordinates:
        """Return the calculator of link positions; call it before style elements are removed."""
        if self.starts is None:
            return coordinates.Coordinates(walked=self.walked)
        texts = tuple(node.text() for node in self.invisible if node.tag == "style")
        elsewhere = any("stylesheet" in (node.attributes.get("rel") or "") for node in self.head_links)
        return coordinates.Coordinates(
            walked=self.walked, starts=self.starts, sheets=sheets(texts), elsewhere=elsewhere, root=root
        )
