"""The main text of a page: what a reader came for, without menus, teasers, notices and footers.

The page is read as blocks (`blocks`), each block is described by numbers (`features`), a small model trained
on annotated pages says how likely each one is main text (`model`), and those are kept that are expected to
fit best. `extract_text` is the whole of it for one page; the parse workers call `choose`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from clew.parse.charset import encoding_of, text_of
from clew.parse.maintext.blocks import Blocks, readable_blocks
from clew.parse.maintext.features import features
from clew.parse.maintext.head_facts import HeadFacts
from clew.parse.maintext.markdown import markdown as as_markdown
from clew.parse.maintext.model import best_selection, keep_once, load_model
from clew.parse.maintext.rendering import plain_text, unread_text
from clew.parse.noscript_frames import close_frames

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_TEXT = 1_000_000
MAX_MARGIN = 20_000
_MAX_BLOCKS = 20_000
_WITHOUT_EVENTS = 1


@dataclass(slots=True)
class ChosenBlocks:
    """The blocks of a page and the numbers of those that are its main text."""

    blocks: Blocks
    chosen: list[int]

    @property
    def text(self) -> str:
        return plain_text(self.blocks, self.chosen)[:MAX_TEXT]

    @property
    def margin(self) -> str:
        """The text of all other blocks, then that of navigation and footers."""
        chosen = set(self.chosen)
        others = (at for at in range(len(self.blocks.texts)) if at not in chosen)
        parts = [plain_text(self.blocks, others)]
        left = MAX_MARGIN - len(parts[0])
        for element in self.blocks.unread:
            if left > 0:
                parts.append(unread_text(element)[:left])
                left -= len(parts[-1])
        return "\n".join(filter(None, parts))[:MAX_MARGIN]


def choose(body: "LexborNode", facts: HeadFacts) -> ChosenBlocks:
    """Choose the blocks below `body` that are the main text; a page with text always has some."""
    blocks = readable_blocks(body)
    if not blocks.texts:
        return ChosenBlocks(blocks, [])
    if len(blocks.texts) > _MAX_BLOCKS:  # a list of everything; the model is not meant for it
        return ChosenBlocks(blocks, list(range(len(blocks.texts))))
    matrix, size = features(blocks, facts)
    chosen = best_selection(load_model().probabilities(matrix), size)
    return ChosenBlocks(blocks, keep_once(blocks.texts, np.flatnonzero(chosen).tolist()))


def facts_of(metas: Iterable[Mapping[str, str | None]], *, title: str, url: str) -> HeadFacts:
    """Return what the meta elements, the title and the address say about a page."""
    facts = HeadFacts(title=title, url=url)
    for attributes in metas:
        name = attributes.get("property")
        if name == "og:type":
            facts.og_type = attributes.get("content") or ""
        elif name == "og:title":
            facts.title = f"{title} | {attributes.get('content') or ''}"
    return facts


def extract_text(html: bytes | str, url: str = "", *, markdown: bool = False, links: bool = True) -> str:
    """Return the main text of a page, as plain text or as Markdown, with or without its links.

    This is the function that the crawler uses. `url` helps to tell the type of the page, and completes links.
    Bytes are decoded as a browser does, and as UTF-8 where a page is UTF-8 in spite of what it declares.
    """
    return text_of_document(parsed(html), url, markdown=markdown, links=links)


def parsed(html: bytes | str) -> LexborHTMLParser:
    """Parse a page; bytes are decoded as a browser does."""
    markup = text_of(html, encoding_of(html)) if isinstance(html, bytes) else html
    return LexborHTMLParser(close_frames(markup), options=_WITHOUT_EVENTS)


def text_of_document(
    document: LexborHTMLParser, url: str, *, markdown: bool = False, links: bool = True
) -> str:
    """Return the main text of a parsed page; for Markdown, the tree is modified."""
    body = document.body
    if body is None:
        return ""
    title = document.css_first("title")
    found = choose(
        body,
        facts_of(
            (node.attributes for node in document.css("meta")), title=title.text() if title else "", url=url
        ),
    )
    if markdown:
        return as_markdown(body, found.blocks, found.chosen, url=url, links=links)[:MAX_TEXT]
    return found.text
