"""The blocks of a page: its stretches of text, each with the element that holds it, in one pass.

A block is text that no block-level element interrupts: a paragraph, a heading, a list item, a table cell.
The elements that hold blocks (holders) are numbered in document order: a parent comes before its children.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from selectolax.lexbor import LexborHTMLParser

from clew.domain.compiled import compiled
from clew.parse.dom_layout import attribute_numbers, is_known
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
_SKIP, _FLOW, _LINK, _BREAK, _TEXT, _PRE, _UNREAD, _HOLD = range(8)
_HIDDEN = FLAG["hidden"]
_NAME_BITS = len(FLAGS)
_LINE = "\x1e"
_MOST_UNREAD = 4  # times the text that is read; more, and the page has forgotten to close an element
_TEXT_NODE, _COMMENT_NODE = 2, 4  # of lexbor


def _numbers() -> dict[str, int]:
    """Return lexbor's number of every tag that is named here."""
    maker = LexborHTMLParser("")
    names = {*TAGS, *_TAG_FLAGS, *_SKIPPED, *_INLINE, "a", "br", "hr"} - {""}
    return {name: maker.create_node(name).tag_id for name in names}


_NUMBERS = _numbers()
_USES = {_TEXT_NODE: _TEXT, _COMMENT_NODE: _SKIP} | {
    _NUMBERS[name]: use
    for names, use in (
        (_SKIPPED, _SKIP), (_INLINE, _FLOW), (("a",), _LINK), (("br", "hr"), _BREAK), (("pre",), _PRE),
        (("nav", "footer"), _UNREAD),
    )
    for name in names
}  # fmt: skip
"""How each tag is used, by its number; all others hold blocks."""
_USES_OF_WHOLE = _USES | {_NUMBERS["nav"]: _HOLD, _NUMBERS["footer"]: _HOLD}
_MEANINGS = {
    number: (TAG.get(name, 0), FLAG.get(_TAG_FLAGS.get(name, ""), 0)) for name, number in _NUMBERS.items()
}
_OTHER = (0, 0)

_Place: TypeAlias = tuple[int, bool, int, int, str]
"""Where text belongs: number of the holder, whether it is in a link; the holder's chain, depth and name."""
_TOP: _Place = (0, False, 0, 0, "")
Numbers: TypeAlias = "array[int]"
WIDTH, _END = 8, 6


@dataclass(slots=True)
class Blocks:
    """The blocks of a page as columns: text, number of its holder, characters in links, links.

    `rows` has `WIDTH` numbers for each holder: parent, tag, what it says by itself and together with all
    above it (bits of `FLAGS`, then of the groups of names), depth, first block, the one behind its last,
    and its look: holders of one look have the same tag and names, and so have their parents. The first holder
    stands for everything above the body. `unread` are elements whose text is not in the blocks.
    """

    texts: list[str] = field(default_factory=list)
    held: Numbers = field(default_factory=lambda: array("q"))
    linked: Numbers = field(default_factory=lambda: array("q"))
    links: Numbers = field(default_factory=lambda: array("q"))
    rows: Numbers = field(default_factory=lambda: array("q", [0] * WIDTH))
    unread: list[Any] = field(default_factory=list)

    @property
    def parents(self) -> Numbers:
        return self.rows[::WIDTH]

    @property
    def tags(self) -> Numbers:
        return self.rows[1::WIDTH]

    @property
    def chains(self) -> Numbers:
        return self.rows[3::WIDTH]

    def add(self, text: str, holder: int, linked: int, links: int) -> None:
        """Add a block, unless it is empty; its text has line breaks where the page has some."""
        if _LINE in text:
            text = "\n".join(filter(None, (" ".join(row.split()) for row in text.split(_LINE))))
        else:
            text = " ".join(text.split())
        if text:
            self.append(text, holder, linked, links)

    def append(self, text: str, holder: int, linked: int, links: int) -> None:
        """Add a block whose text is as it should be."""
        self.texts.append(text)
        self.held.append(holder)
        self.linked.append(min(linked, len(text)))
        self.links.append(links)

    def hold(self, node: "LexborNode", above: _Place) -> _Place:
        """Make an element a holder and return where its text belongs."""
        tag, bits = _MEANINGS.get(node.tag_id, _OTHER)
        parent, within, chain, depth, over = above
        name = ""
        if attributes := node.attributes:
            if len(attributes) == 1 and "class" in attributes:
                name = attributes["class"] or ""
            else:
                name, flags = _stated(attributes)
                bits |= flags
            bits |= NAMES[name] << _NAME_BITS
        chain |= bits
        depth += 1
        rows, first = self.rows, len(self.texts)
        number = len(rows) // WIDTH
        rows.extend((parent, tag, bits, chain, depth, first, first, hash((tag, name, over))))
        return number, within, chain, depth, name

    def place(self, path: "list[LexborNode]", places: list[_Place]) -> int:
        """Place the elements of a path that are not placed yet; return how many of them are links."""
        links = 0
        place = places[-1]
        for node in path[len(places) - 1 :]:
            use = _USES.get(node.tag_id, _HOLD)
            if use == _LINK:
                place = (place[0], True, *place[2:])
                links += 1
            elif use != _FLOW and len(self.rows) < MAX_HOLDERS * WIDTH:
                place = self.hold(node, place)
            places.append(place)
        return links


def read_blocks(body: "LexborNode", *, whole: bool = False) -> Blocks:
    """Return the blocks below `body`, without navigation and footers unless the `whole` page is asked for."""
    readers = _READERS
    if readers is None:
        return _read_plainly(body, whole=whole)
    texts, held, linked, links, rows, addresses = readers[whole].read(body.mem_id)
    elements = {node.mem_id: node for node in body.css("nav, footer")} if addresses else {}
    return Blocks(texts, held, linked, links, rows, [elements[address] for address in addresses])


def _read_plainly(body: "LexborNode", *, whole: bool) -> Blocks:  # noqa: C901, PLR0912, PLR0915 - one loop, a few steps a node
    """Return the blocks below `body`; elements are placed when text is found in them: most hold none."""
    blocks = Blocks()
    add, texts, rows = blocks.add, blocks.texts, blocks.rows
    use_of, holding = (_USES_OF_WHOLE if whole else _USES).get, _PRE
    path, places = [body], [_TOP]
    text, linked, links, holder = "", 0, 0, 0
    node = body.first_child
    while path:
        if node is None:  # all children of the last element of the path are read
            node = path.pop()
            if len(places) > len(path) + 1:
                number = places.pop()[0]
                if number != places[-1][0]:
                    if text:
                        add(text, holder, linked, links)
                        text, linked, links = "", 0, 0
                    rows[number * WIDTH + _END] = len(texts)
            node = node.next if path else None
            continue
        use = use_of(node.tag_id, _HOLD)
        if use == _TEXT:
            if not node.is_empty_text_node:
                if len(places) <= len(path):
                    links += blocks.place(path, places)
                place = places[-1]
                holder = place[0]
                piece = node.text_content or ""
                text += piece
                if place[1]:
                    linked += len(piece)
            elif text:
                text += " "
        elif use == _BREAK:
            if text:
                text += _LINE
        elif use == _UNREAD:
            blocks.unread.append(node)
        elif use != _SKIP:
            if text and use >= holding:
                add(text, holder, linked, links)
                text, linked, links = "", 0, 0
            if use != _PRE:
                if use == _FLOW and len(places) > len(path):
                    places.append(places[-1])
                path.append(node)
                node = node.first_child
                continue
            if written := _preformatted_text(node):
                links += blocks.place(path, places)
                blocks.hold(node, places[-1])
                blocks.append(written, len(rows) // WIDTH - 1, 0, 0)
                rows[_END - WIDTH] = len(texts)
        node = node.next
    rows[_END] = len(texts)
    return blocks


def readable_blocks(body: "LexborNode") -> Blocks:
    """Return the blocks that may be main text: without navigation and footers, unless these hold most."""
    blocks = read_blocks(body)
    if blocks.unread:
        unread = sum(len(node.text(skip_empty=True)) for node in blocks.unread)
        if unread > _MOST_UNREAD * sum(map(len, blocks.texts)):
            return read_blocks(body, whole=True)
    return blocks


def _preformatted_text(element: "LexborNode") -> str:
    """Return the text of an element whose white space counts."""
    parts: list[str] = []
    nodes: Iterator[Any] = element.traverse(include_text=True)
    for node in nodes:
        use = _USES.get(node.tag_id, _HOLD)
        if use == _TEXT:
            parts.append(node.text_content)
        elif use == _BREAK or (use >= _PRE and parts and not parts[-1].endswith("\n")):
            parts.append("\n")
    return "".join(parts).strip("\n").rstrip()


def _stated(attributes: dict[str, str | None]) -> tuple[str, int]:
    """Return what the attributes of an element state: its names, and its flags by role and visibility."""
    get = attributes.get
    name, flag = get("class") or "", 0
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


def _compiled_readers() -> tuple[Any, Any] | None:
    """Return the compiled readers of main blocks and of whole pages, if they know the installed parser."""
    reader = compiled("clew.parse.maintext._blocks", "BlockReader")
    if reader is None or not is_known():
        return None
    known = attribute_numbers(("class", "id", "style"))
    main, whole = (
        reader(uses, _MEANINGS, NAMES, _ROLES, _HIDDEN, _NAME_BITS, MAX_HOLDERS, known)
        for uses in (_USES, _USES_OF_WHOLE)
    )
    return main, whole


_READERS = _compiled_readers()
