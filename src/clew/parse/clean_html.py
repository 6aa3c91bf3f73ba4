"""Clean markup: a page's tree serialised again, with nothing in it but text and the tags around it.

Raw HTML is parsed by worker processes, which may be killed; the result can be read anywhere with one
linear scan. Every tag is closed, attributes are in double quotes, text holds no `<`; of entities only
`&lt;` and `&amp;` are left (and `&quot;` in attributes). Scripts, styles, comments, images and form fields
are removed, and so is every attribute without meaning.
"""

import re
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from clew.parse.noscript_frames import close_frames

MAX_MARKUP = 1_000_000
"""Maximum length of clean markup; the rest is cut off and open elements are closed."""

VOID = frozenset({"br", "hr", "meta", "wbr"})
"""Elements without an end tag that are kept."""

_REMOVED = frozenset(
    {"img", "input", "link", "base", "area", "col", "embed", "frame", "param", "source", "track"}
)
_RAW = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext"})
_SKIPPED = frozenset({
    "template", "svg", "math", "select", "datalist", "textarea", "object", "canvas", "noscript", "audio",
    "video", "map", "button",
})  # fmt: skip
_COMMENT = "!"
_NAME = re.compile(r"[a-z][a-z0-9:-]{0,30}")
_ATTRIBUTE = re.compile(r'\s(class|id|itemprop|property|name|href|datetime|content)="([^"]*)"')
_LONGEST = {"class": 80, "id": 60, "href": 300, "content": 2_000}
_HEAD = 10_000  # characters of one tag that are read
_WITHOUT_EVENTS = 1  # lexbor copies <option> subtrees into <selectedcontent> otherwise


def cleaned(html: str | bytes) -> str:
    """Return the clean markup of raw HTML; hostile input may keep it busy for minutes.

    >>> cleaned("<p class=x onclick=y>Tom &amp; J<b>erry<script>1</script><p>&#12354;")
    '<html><head></head><body><p class="x">Tom &amp; J<b>erry</b></p><p><b>あ</b></p></body></html>'
    """
    try:
        root = LexborHTMLParser(close_frames(html), options=_WITHOUT_EVENTS).root
    except SelectolaxError:  # any markup is HTML; the parser fails only without memory
        raise MemoryError from None
    return pruned(root.html or "") if root is not None else ""


def pruned(markup: str) -> str:
    """Return the clean markup of a tree that the parser has serialised; one pass, linear in its length."""
    writer = _Writer()
    for piece in markup.split("<")[1:]:
        text = writer.take(piece)
        if text and not text.isspace():
            writer.write(_folded(text))
        if writer.size > MAX_MARKUP:
            break
    return writer.finished()


class _Writer:
    """Write clean markup, piece by piece; `skipped` is the element that is being removed, if any."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0
        self.open: list[str] = []
        self.skipped = ""
        self.depth = 0
        self.carried = ""

    def write(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def finished(self) -> str:
        """Close the open elements and return the markup."""
        self.parts.extend(f"</{name}>" for name in reversed(self.open))
        return "".join(self.parts)

    def take(self, piece: str) -> str:
        """Write the tag of a piece, if it is kept; return the text behind it."""
        head, mark, text = piece.partition(">")
        if self.skipped:
            return self._skip(piece, head, text)
        if head.startswith("/"):
            if self.open and head[1:] == self.open[-1]:
                self.open.pop()
                self.write(f"<{head}>")
            return text
        if head.startswith("!"):
            self.skipped = _COMMENT
            return self._skip(piece, head, text)
        if self.carried:
            head, self.carried = f"{self.carried}{head}", ""
        if not mark:  # an attribute whose name begins with the sign that opens tags
            self.carried = f"{head[:_HEAD]}&lt;"
            return ""
        return self._begin(head, text)

    def _begin(self, head: str, text: str) -> str:
        """Begin an element; return the text behind its start tag, if it is kept."""
        name, tag = _tag(head)
        if name in _RAW or name in _SKIPPED:
            self.skipped, self.depth = name, 1
            return ""
        if tag:
            self.write(tag)
            if name not in VOID:
                self.open.append(name)
        return text

    def _skip(self, piece: str, head: str, text: str) -> str:
        """Continue within a removed element; return the text behind its end."""
        name = self.skipped
        if name == _COMMENT:
            _, end, text = piece.partition("-->")
            self.skipped = "" if end else name
            return text
        if head == f"/{name}":
            self.depth -= 1
        elif name not in _RAW and (head == name or head.startswith(f"{name} ")):
            self.depth += 1
        if self.depth:
            return ""
        self.skipped = ""
        return text


def _folded(text: str) -> str:
    """Return text with every stretch of white space as one blank."""
    if "&" in text:
        text = text.replace("&nbsp;", " ").replace("&gt;", ">")
    text = text.replace("\n", " ").replace("\t", " ").replace("\r", " ").replace("\xa0", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


@lru_cache(maxsize=8_192)
def _tag(head: str) -> tuple[str, str]:
    """Return the name of an element and its start tag; an empty tag when the element is removed."""
    named = _NAME.match(head)
    name = named[0] if named else ""
    if not name or name in _REMOVED:
        return name, ""
    if " " not in head:
        return name, f"<{name}>"
    attributes = [
        f' {key}="{value[: _LONGEST.get(key, 100)]}"'
        for key, value in _ATTRIBUTE.findall(head[:_HEAD])
        if value and (key != "name" or name == "meta")
    ]
    if name == "meta" and not any(part.startswith(" content=") for part in attributes):
        return name, ""
    return name, f"<{name}{''.join(attributes)}>"
