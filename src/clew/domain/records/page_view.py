"""A page as it is looked at: as little of it as is needed."""

from functools import cached_property

from clew.domain.records.text_nodes import TextNodes, folded, texts


class PageView:
    """A page's markup, and what is read off it when somebody asks."""

    def __init__(self, page: int, url: str, markup: str) -> None:
        self.page = page
        self.url = url
        self.markup = markup

    @cached_property
    def plain(self) -> list[str]:
        """The texts of the leaves, folded for comparison."""
        return folded(texts(self.markup))

    @cached_property
    def leaves(self) -> TextNodes:
        """The leaves with all that stands around them."""
        return TextNodes(self.markup, self.plain)
