"""What is read from a document."""

from dataclasses import dataclass

from clew.errors import ClewError


class UnreadableDocumentError(ClewError):
    """A document that cannot be read; the message says why, and what would help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentContent:
    """The text of a document, its links with their texts, and what it says about itself.

    `published` is YYYY-MM-DD, `pages` their number; what a document does not say is empty. `fault` says what
    is wrong with a document of which something was read, and `cut` whether it is longer than what was read.
    """

    text: str
    title: str = ""
    author: str = ""
    published: str = ""
    pages: int = 0
    links: tuple[tuple[str, str], ...] = ()
    fault: str = ""
    cut: bool = False
