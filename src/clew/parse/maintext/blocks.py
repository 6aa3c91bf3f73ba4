"""The blocks of a page: its stretches of text, each with the element that holds it, in one pass.

A block is text that no block-level element interrupts: a paragraph, a heading, a list item, a table cell.
The elements that hold blocks (holders) are numbered in document order: a parent comes before its children.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from selectolax.lexbor import LexborHTMLParser

from clew.parse.maintext.names import NAMES

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_HOLDERS = 200_000
"""Elements that are read; the text of what follows is lost."""

# What an element says about the text in it and in everything below it.
FLAGS = (
    "nav", "footer", "header", "aside", "main", "article", "form", "list", "table", "figure", "quote", "pre",
    "button", "hidden", "details", "dialog", "cell", "section", "noscript", "definition",
)  # fmt: skip
FLAG = {name: 1 << at for at, name in enumerate(FLAGS)}
TAGS = (
    "", "p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "td", "th", "dt", "dd", "pre", "blockquote",
    "figcaption", "caption", "div", "summary", "button", "ul", "ol", "table", "tr", "body",
)  # fmt: skip
TAG = {name: number for number, name in enumerate(TAGS)}

_SKIPPED = (
    "script", "style", "template", "svg", "select", "textarea", "object", "math", "iframe", "noframes", "rt",
    "rp", "head", "title", "datalist", "audio", "video", "canvas", "img", "input", "source", "wbr", "meta",
    "link",
)  # fmt: skip
_INLINE = (
    "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "ins", "kbd", "label", "mark", "nobr", "picture", "q", "ruby", "rb", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
)  # fmt: skip
_TAG_FLAGS = {
    "nav": "nav", "footer": "footer", "header": "header", "aside": "aside", "main": "main",
    "article": "article", "form": "form", "ul": "list", "ol": "list", "menu": "list", "table": "table",
    "figure": "figure", "blockquote": "quote", "pre": "pre", "button": "button", "details": "details",
    "dialog": "dialog", "td": "cell", "th": "cell", "section": "section", "dl": "definition",
    "noscript": "noscript",
}  # fmt: skip
_ROLE_FLAGS = {
    "navigation": "nav", "menu": "nav", "menubar": "nav", "tablist": "nav", "banner": "header",
    "contentinfo": "footer", "complementary": "aside", "main": "main", "article": "article", "search": "form",
    "list": "list", "dialog": "dialog", "alertdialog": "dialog", "button": "button",
}  # fmt: skip
_ROLES = {role: FLAG[flag] for role, flag in _ROLE_FLAGS.items()}
_HOLD, _SKIP, _FLOW, _LINK, _BREAK, _TEXT = range(6)
_HIDDEN, _PRE = FLAG["hidden"], FLAG["pre"]
_LINE = "\x1e"


_TEXT_NODE = 2  # of lexbor


def _numbers() -> dict[str, int]:
    """Return lexbor's number of every tag that is named here."""
    maker = LexborHTMLParser("")
    names = {*TAGS, *_TAG_FLAGS, *_SKIPPED, *_INLINE, "a", "br", "hr"} - {""}
    return {name: maker.create_node(name).tag_id for name in names}


def _uses() -> list[int]:
    """Return how each tag is used, by its number; elements that nobody knows hold blocks."""
    special = (
        dict.fromkeys(_SKIPPED, _SKIP)
        | dict.fromkeys(_INLINE, _FLOW)
        | {"a": _LINK, "br": _BREAK, "hr": _BREAK}
    )
    uses = [_HOLD] * (max(_NUMBERS.values()) + 1)
    for name, use in special.items():
        uses[_NUMBERS[name]] = use
    uses[_TEXT_NODE], uses[_COMMENT_NODE] = _TEXT, _SKIP
    return uses


_COMMENT_NODE = 4
_NUMBERS = _numbers()
_USES = _uses()
_MEANINGS = {
    number: (TAG.get(name, 0), FLAG.get(_TAG_FLAGS.get(name, ""), 0)) for name, number in _NUMBERS.items()
}
_OTHER = (0, 0)

Holder: TypeAlias = tuple[int, int, int, str, int, int, int, int]
"""An element that holds blocks: parent, tag, flags, name, groups of it, groups of all names, depth, first.

Flags and groups of all names include those of the elements above; first is the number of its first block.
"""


@dataclass(slots=True)
class Blocks:
    """The blocks of a page as columns: text, number of its holder, characters in links, links.

    The first holder stands for everything above the body.
    """

    holders: list[Holder] = field(default_factory=lambda: [(0, 0, 0, "", 0, 0, 0, 0)])
    texts: list[str] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)
    links: list[int] = field(default_factory=list)

    def add(self, pieces: list[str], holder: int, linked: int, links: int) -> None:
        """Add the block with these pieces of text."""
        text = pieces[0] if len(pieces) == 1 else "".join(pieces)
        if self.holders[holder][2] & _PRE:
            text = text.replace(_LINE, "\n").strip("\n").rstrip()
        elif _LINE in text:
            text = "\n".join(filter(None, (" ".join(row.split()) for row in text.split(_LINE))))
        else:
            text = " ".join(text.split())
        self.texts.append(text)
        self.held.append(holder)
        self.linked.append(min(linked, len(text)))
        self.links.append(links)


def read_blocks(body: "LexborNode") -> Blocks:  # noqa: C901, PLR0912, PLR0915 - one loop, a few steps a node
    """Return the blocks below `body`."""
    blocks = Blocks()
    # By element: twice the number of its holder, odd within a link. What is below no known one is skipped.
    above = body.parent
    where: dict[int, int] = {above.mem_id: 0} if above is not None else {}
    uses, known, add, holders, texts = _USES, len(_USES), blocks.add, blocks.holders, blocks.texts
    get, pieces = where.get, list[str]()
    current, linked, links = 0, 0, 0
    nodes: Iterator[Any] = body.traverse(include_text=True)
    for node in nodes:
        tag = node.tag_id
        use = uses[tag] if tag < known else _HOLD
        if use == _TEXT:
            text = node.text_content
            if text.isspace():
                if pieces:
                    pieces.append(" ")
                continue
            if (at := get(node.parent.mem_id, -1)) < 0:
                continue
            if at >> 1 != current:
                if pieces:
                    add(pieces, current, linked, links)
                    pieces, linked, links = [], 0, 0
                current = at >> 1
            pieces.append(text)
            if at & 1:
                linked += len(text)
        elif use == _SKIP or (at := get(node.parent.mem_id, -1)) < 0:
            continue
        elif use == _FLOW:
            where[node.mem_id] = at
        elif use == _LINK:
            where[node.mem_id] = at | 1
            links += 1
        elif use == _BREAK:
            if pieces:
                pieces.append(_LINE)
        else:
            if pieces:
                add(pieces, current, linked, links)
                pieces, linked, links = [], 0, 0
            where[node.mem_id] = len(holders) << 1 | at & 1
            parent, name, bits = at >> 1, "", 0
            number, flag = _MEANINGS.get(tag, _OTHER)
            if attributes := node.attributes:
                name, more = _stated(attributes)
                bits, flag = NAMES[name], flag | more
            _, _, flags, _, _, groups, depth, _ = holders[parent]
            holders.append((parent, number, flags | flag, name, bits, groups | bits, depth + 1, len(texts)))
            if len(holders) > MAX_HOLDERS:
                break
    if pieces:
        add(pieces, current, linked, links)
    return blocks


def _stated(attributes: dict[str, str | None]) -> tuple[str, int]:
    """Return what the attributes of an element state: its names, and its flags by role and visibility."""
    get = attributes.get
    name, flag = get("class") or "", 0
    if len(attributes) == 1 and name:
        return name, 0
    if id := get("id"):
        name = f"{name} {id}"
    if property := get("itemprop"):
        name = f"{name} {property}"
    if role := get("role"):
        flag = _ROLES.get(role, 0)
    style = get("style")
    unseen = style and "none" in style and "display:none" in style.replace(" ", "")
    if unseen or "hidden" in attributes or get("aria-hidden") == "true":
        flag |= _HIDDEN
    return name, flag
