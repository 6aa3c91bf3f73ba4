"""A page whose text nodes are parsed on first use."""

from functools import cached_property

from clew.domain.records.text_nodes import TextNodes, extract_texts, fold_texts


class PageView:
    """A page's markup, with its texts and text nodes parsed lazily."""

    def __init__(self, page: int, url: str, markup: str) -> None:
        self.page = page
        self.url = url
        self.markup = markup

    @cached_property
    def folded(self) -> list[str]:
        """The texts of the text nodes, folded for comparison."""
        return fold_texts(extract_texts(self.markup))

    @cached_property
    def text_nodes(self) -> TextNodes:
        """The text nodes with the elements around them."""
        return TextNodes(self.markup, self.folded)
