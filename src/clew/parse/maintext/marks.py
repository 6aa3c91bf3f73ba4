"""Marks in the tree of a page, by which its blocks show where emphasis, code, links and empty cells are."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from clew.parse.maintext.blocks import FLAG, TAG, Blocks, read_blocks

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_BEGIN, _END, _CLOSE = "\x11", "\x12", "\x13"
EMPTY = "\x14"
"""The text of a cell that is empty, or of which nothing is chosen."""

_MARKED = re.compile(f"{_BEGIN}([0-9]+){_CLOSE}|{_END}([0-9]+){_CLOSE}|{EMPTY}")
_AFTER_BEGIN = re.compile(rf"((?:{_BEGIN}[0-9]+{_CLOSE})+)(\s+)")
_BEFORE_END = re.compile(rf"(\s+)((?:{_END}[0-9]+{_CLOSE})+)")
_BLANKS = re.compile(r" {2,}")
_SPECIAL = re.compile(r"([\\`*_\[\]<>])")
_CODE, _LINK_SIGN = "`", "["
_STYLES = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": _CODE, "kbd": _CODE, "del": "~~"}
_ROW = TAG["tr"]


@dataclass(slots=True)
class MarkedBlocks:
    """The blocks of a page with those of empty cells; numbers and texts (Markdown) of those to show."""

    blocks: Blocks
    chosen: list[int]
    texts: list[str]


def marked_blocks(
    body: "LexborNode", blocks: Blocks, chosen: Sequence[int], *, url: str, links: bool
) -> MarkedBlocks:
    """Return the chosen blocks with their texts as Markdown, and all other cells of their rows as empty ones.

    Marks are put into the tree as characters that no text has, and the blocks are read again.
    """
    signs = _mark(body, url=url, links=links)
    found = read_blocks(body, whole=not blocks.unread)
    written = [at for at, text in enumerate(found.texts) if _MARKED.sub("", text).strip()]
    if len(written) != len(blocks.texts):  # a mark that stands alone has become a block of its own
        texts = [_SPECIAL.sub(r"\\\1", blocks.texts[at]) for at in chosen]
        return MarkedBlocks(blocks, list(chosen), texts)
    shown = {written[at]: at for at in chosen}
    parents, tags, held = found.parents, found.tags, found.held
    chains, within = found.chains, FLAG["cell"]
    row_of = {at: _row(parents, tags, holder) for at, holder in enumerate(held) if chains[holder] & within}
    rows = {row_of[at] for at in shown if at in row_of} - {0}
    others = [at for at, row in row_of.items() if row in rows and at not in shown]
    for at in others:
        found.texts[at] = EMPTY
    numbers = sorted((*shown, *others))
    texts = [_with_signs(found.texts[at], signs) for at in numbers]
    for at, number in shown.items():
        found.texts[at] = blocks.texts[number]  # code is shown as it was
    return MarkedBlocks(found, numbers, texts)


def _row(parents: Sequence[int], tags: Sequence[int], holder: int) -> int:
    """Return the row of a table around a holder, or 0."""
    while holder and tags[holder] != _ROW:
        holder = parents[holder]
    return holder


def _mark(body: "LexborNode", *, url: str, links: bool) -> list[tuple[str, str]]:
    """Put marks into the tree; return what stands for each of them in Markdown."""
    for cell in body.css("td, th"):
        if not cell.text_lexbor().strip():
            cell.insert_child(EMPTY)
    signs: list[tuple[str, str]] = []
    selector = ",".join((*_STYLES, *(("a[href]",) if links else ())))
    for node in body.css(selector):
        if not node.text_lexbor().strip() or (node.tag in ("code", "kbd") and _within_pre(node)):
            continue
        sign = (style, style) if (style := _STYLES.get(node.tag or "", "")) else _link(node, url)
        first, last = node.first_child, node.last_child
        if sign is None or first is None or last is None:
            continue
        first.insert_before(f"{_BEGIN}{len(signs)}{_CLOSE}")
        last.insert_after(f"{_END}{len(signs)}{_CLOSE}")
        signs.append(sign)
    return signs


def _link(node: "LexborNode", url: str) -> tuple[str, str] | None:
    """Return what stands for a link; none if it leads nowhere, or to a place of the same page."""
    target = urljoin(url, (node.attributes.get("href") or "").strip())
    address, hash, _ = target.partition("#")
    if not target.startswith(("http://", "https://")) or (hash and address == url.partition("#")[0]):
        return None
    return _LINK_SIGN, f"]({target.replace(' ', '%20').replace(')', '%29')})"


def _within_pre(node: "LexborNode") -> bool:
    while (parent := node.parent) is not None:
        if parent.tag == "pre":
            return True
        node = parent
    return False


def _with_signs(text: str, signs: list[tuple[str, str]]) -> str:
    """Return a text with its marks replaced; those without their partner in the same text are dropped."""
    if _BEGIN in text:  # Markdown knows no emphasis that begins or ends with a blank
        text = _BEFORE_END.sub(r"\2\1", _AFTER_BEGIN.sub(r"\2\1", text))
        text = _BLANKS.sub(" ", text).strip()
    begins = {match[1] for match in _MARKED.finditer(text) if match[1]}
    both = begins & {match[2] for match in _MARKED.finditer(text) if match[2]}
    writer, at = _SignWriter(signs), 0
    for match in _MARKED.finditer(text):
        writer.put_text(text[at : match.start()])
        at = match.end()
        if match[1] in both:
            writer.begin(match[1])
        elif match[2] in both:
            writer.end(match[2])
    writer.put_text(text[at:])
    return "".join(writer.parts)


class _SignWriter:
    """Write text with the signs of Markdown; in code only links have some, around the code that they hold."""

    def __init__(self, signs: list[tuple[str, str]]) -> None:
        self.signs = signs
        self.parts: list[str] = []
        self.code = ""
        self.is_code_empty = True

    def put_text(self, text: str) -> None:
        if text:
            self.is_code_empty = False
            self.parts.append(text if self.code else _SPECIAL.sub(r"\\\1", text))

    def begin(self, number: str) -> None:
        sign, _ = self.signs[int(number)]
        if self.code:
            if sign == _LINK_SIGN:
                self._close_code()
                self.parts += (sign, _CODE)
                self.is_code_empty = True
            return
        self.parts.append(sign)
        if sign == _CODE:
            self.code, self.is_code_empty = number, True

    def end(self, number: str) -> None:
        sign, end = self.signs[int(number)]
        if number == self.code:
            self._close_code()
            self.code = ""
        elif not self.code:
            self.parts.append(end)
        elif sign == _LINK_SIGN:
            self.parts += (_CODE, end, _CODE)
            self.is_code_empty = True

    def _close_code(self) -> None:
        """End code, or take back the sign for its beginning if there is none of it."""
        if self.is_code_empty:
            self.parts.pop()
        else:
            self.parts.append(_CODE)
