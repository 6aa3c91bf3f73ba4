"""Clean markup: a page's tree written out anew, with nothing in it but words and the tags that hold them.

Dirty HTML is read by the parsers' processes, which may be killed; what comes out can be read anywhere with
one linear scan. Every tag is closed, attributes are in double quotes, text holds no `<`; of entities only
`&lt;` and `&amp;` are left (and `&quot;` in attributes). Scripts, styles, comments, pictures and fields are
gone, and so is every attribute that carries no meaning.
"""

import re
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

MAX_MARKUP = 1_000_000
"""Characters of clean markup kept of one page; what follows is cut off and what is open is closed."""

VOID = frozenset({"br", "hr", "meta", "wbr"})
"""Elements without an end tag that stay."""

_GONE = frozenset(
    {"img", "input", "link", "base", "area", "col", "embed", "frame", "param", "source", "track"}
)
_RAW = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext"})
_HUSHED = frozenset({
    "template", "svg", "math", "select", "datalist", "textarea", "object", "canvas", "noscript", "audio",
    "video", "map", "button",
})  # fmt: skip
_COMMENT = "!"
_NAME = re.compile(r"[a-z][a-z0-9:-]{0,30}")
_ATTRIBUTE = re.compile(r'\s(class|id|itemprop|property|name|href|datetime|content)="([^"]*)"')
_LONGEST = {"class": 80, "id": 60, "href": 300, "content": 2_000}
_HEAD = 10_000  # characters of one tag that are looked at
_WITHOUT_EVENTS = 1  # lexbor copies <option> subtrees into <selectedcontent> otherwise


def cleaned(html: str | bytes) -> str:
    """Return the clean markup of dirty HTML; hostile input may hold it for minutes.

    >>> cleaned("<p class=x onclick=y>Tom &amp; J<b>erry<script>1</script><p>&#12354;")
    '<html><head></head><body><p class="x">Tom &amp; J<b>erry</b></p><p><b>あ</b></p></body></html>'
    """
    try:
        root = LexborHTMLParser(html, options=_WITHOUT_EVENTS).root
    except SelectolaxError:  # any markup is HTML; the parser fails for want of memory only
        raise MemoryError from None
    return pruned(root.html or "") if root is not None else ""


def pruned(written: str) -> str:
    """Return the clean markup of a tree that the parser has written out; one pass, linear in its length."""
    pen = _Pen()
    for piece in written.split("<")[1:]:
        text = pen.take(piece)
        if text and not text.isspace():
            pen.write(_folded(text))
        if pen.size > MAX_MARKUP:
            break
    return pen.finished()


class _Pen:
    """Writes clean markup, piece by piece; `hushed` is the element that is being left out, if any."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.size = 0
        self.open: list[str] = []
        self.hushed = ""
        self.depth = 0
        self.carried = ""

    def write(self, text: str) -> None:
        self.made.append(text)
        self.size += len(text)

    def finished(self) -> str:
        """Close what is open and return all that was written."""
        self.made.extend(f"</{name}>" for name in reversed(self.open))
        return "".join(self.made)

    def take(self, piece: str) -> str:
        """Write the tag of a piece, if it stays; return the text behind it."""
        head, mark, text = piece.partition(">")
        if self.hushed:
            return self._hush(piece, head, text)
        if head.startswith("/"):
            if self.open and head[1:] == self.open[-1]:
                self.open.pop()
                self.write(f"<{head}>")
            return text
        if head.startswith("!"):
            self.hushed = _COMMENT
            return self._hush(piece, head, text)
        if self.carried:
            head, self.carried = f"{self.carried}{head}", ""
        if not mark:  # an attribute whose name begins with the sign that opens tags
            self.carried = f"{head[:_HEAD]}&lt;"
            return ""
        return self._begin(head, text)

    def _begin(self, head: str, text: str) -> str:
        """Begin an element; return the text behind its start tag, if it stays."""
        name, tag = _tag(head)
        if name in _RAW or name in _HUSHED:
            self.hushed, self.depth = name, 1
            return ""
        if tag:
            self.write(tag)
            if name not in VOID:
                self.open.append(name)
        return text

    def _hush(self, piece: str, head: str, text: str) -> str:
        """Go on within what is left out; return the text behind its end."""
        name = self.hushed
        if name == _COMMENT:
            _, end, text = piece.partition("-->")
            self.hushed = "" if end else name
            return text
        if head == f"/{name}":
            self.depth -= 1
        elif name not in _RAW and (head == name or head.startswith(f"{name} ")):
            self.depth += 1
        if self.depth:
            return ""
        self.hushed = ""
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
    """Return the name of an element and its start tag as it is kept; no tag when it is not."""
    named = _NAME.match(head)
    name = named[0] if named else ""
    if not name or name in _GONE:
        return name, ""
    if " " not in head:
        return name, f"<{name}>"
    kept = [
        f' {key}="{value[: _LONGEST.get(key, 100)]}"'
        for key, value in _ATTRIBUTE.findall(head[:_HEAD])
        if value and (key != "name" or name == "meta")
    ]
    if name == "meta" and not any(part.startswith(" content=") for part in kept):
        return name, ""
    return name, f"<{name}{''.join(kept)}>"
