"""Blocks as plain text or Markdown."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from clew.domain.compiled import compiled
from clew.parse.maintext.blocks import FLAG, TAG, Blocks, Numbers, read_blocks
from clew.parse.safe_text import without_controls

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_ASCII_TEXT = compiled("clew.parse.maintext._rendering", "ascii_text")
_CELLS = (TAG["td"], TAG["th"])
_ROW, _ORDERED, _ITEM = TAG["tr"], TAG["ol"], TAG["li"]
_LISTS = (TAG["ul"], TAG["ol"])
_DEEPEST = 20  # levels of a list that are indented
_BEGIN, _END, _CLOSE = "\x11", "\x12", "\x13"
_MARKED = re.compile(f"{_BEGIN}([0-9]+){_CLOSE}|{_END}([0-9]+){_CLOSE}")
_AFTER_BEGIN = re.compile(rf"((?:{_BEGIN}[0-9]+{_CLOSE})+)(\s+)")
_BEFORE_END = re.compile(rf"(\s+)((?:{_END}[0-9]+{_CLOSE})+)")
_BLANKS = re.compile(r" {2,}")
_ROW_SIZE = 800  # letters of a row of a table, at most; a longer one is a page that is laid out as a table
_SPECIAL = re.compile(r"([\\`*_\[\]<>])")
_STYLES = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "kbd": "`", "del": "~~"}


def plain_text(blocks: Blocks, chosen: Iterable[int]) -> str:
    """Return some blocks as text: one line for each block or line break, one for each row of a table."""
    numbers = list(chosen)
    if _ASCII_TEXT is not None:
        text = _ASCII_TEXT(blocks.texts, blocks.held, blocks.rows, numbers, _ROW, _CELLS)
        if text is not None:
            return str(text)
    return _joined_text(blocks, numbers)


def _joined_text(blocks: Blocks, chosen: list[int]) -> str:
    parents, tags, held, parts, row = blocks.parents, blocks.tags, blocks.held, list[str](), -1
    for at in chosen:
        holder = held[at]
        if tags[holder] in _CELLS and tags[parent := parents[holder]] == _ROW:
            parts.append(" | " if parent == row else "\n")
            row = parent
        else:
            parts.append("\n")
            row = -1
        parts.append(blocks.texts[at])
    return without_controls("".join(parts)).strip()


def unread_text(element: "LexborNode") -> str:
    """Return the text of navigation or of a footer; the lines of the latter may be an address."""
    if element.tag == "footer":
        blocks = read_blocks(element, whole=True)
        return plain_text(blocks, range(len(blocks.texts)))
    rows = element.text(separator="\n", skip_empty=True).split("\n")
    return without_controls("\n".join(filter(None, (" ".join(row.split()) for row in rows))))


def markdown(
    body: "LexborNode", blocks: Blocks, chosen: Sequence[int], *, url: str = "", links: bool = True
) -> str:
    """Return some blocks as Markdown: headings, lists, tables, quotes, code, emphasis, links if asked for.

    The tree below `body` is modified.
    """
    texts = _marked_texts(body, blocks, url=url, links=links)
    parents, tags, chains = blocks.parents, blocks.tags, blocks.chains
    pieces, before, last_cell = list[str](), (-1, ""), -1
    cells = _cells(blocks, chosen)
    for at in chosen:
        number = blocks.held[at]
        parent, tag, flags = parents[number], tags[number], chains[number]
        group, text = -1, texts[at]
        if flags & FLAG["pre"]:
            group, text = -1, f"```\n{blocks.texts[at]}\n```"
        elif at in cells or (tag in _CELLS and tags[parent] == _ROW):
            cell = cells.get(at, number)
            row, text = parents[cell], text.replace("\n", " ").replace("|", "\\|")
            if before != (row, "cell"):
                pieces.append(f"| {text} |")
            elif cell == last_cell:
                pieces[-1] = f"{pieces[-1].removesuffix(' |')} {text} |"
            else:
                pieces[-1] = f"{pieces[-1]} {text} |"
            before, last_cell = (row, "cell"), cell
            continue
        elif TAG["h1"] <= tag <= TAG["h6"]:
            text = f"{'#' * (tag - TAG['h1'] + 1)} {text}".replace("\n", " ")
        elif flags & FLAG["list"] and (item := _item(parents, tags, number)) >= 0:
            text = _list_line(parents, tags, item, text, again=before == (item, "item"))
            group = item
        if flags & FLAG["quote"] and not flags & FLAG["pre"]:
            text = "\n".join(f"> {row}" for row in text.split("\n"))
        pieces.append(text)
        before = (group, "item" if group >= 0 else "")
    return without_controls(_joined(pieces)).strip()


def _cells(blocks: Blocks, chosen: Sequence[int]) -> dict[int, int]:
    """Return the cell of each block that is in a row of a table of data: several cells, and little text."""
    parents, tags, chains = blocks.parents, blocks.tags, blocks.chains
    found: dict[int, int] = {}
    sizes: dict[int, int] = {}
    widths: dict[int, set[int]] = {}
    for at in chosen:
        holder = blocks.held[at]
        if not chains[holder] & FLAG["cell"] or chains[holder] & FLAG["pre"]:
            continue
        while holder and not (tags[holder] in _CELLS and tags[parents[holder]] == _ROW):
            holder = parents[holder]
        if holder:
            row = parents[holder]
            found[at] = holder
            sizes[row] = sizes.get(row, 0) + len(blocks.texts[at])
            widths.setdefault(row, set()).add(holder)
    return {
        at: cell
        for at, cell in found.items()
        if sizes[parents[cell]] <= _ROW_SIZE and len(widths[parents[cell]]) > 1
    }


def _item(parents: Numbers, tags: Numbers, holder: int) -> int:
    """Return the list item around a holder, or -1."""
    while holder and tags[holder] != _ITEM:
        holder = parents[holder]
    return holder or -1


def _list_line(parents: Numbers, tags: Numbers, item: int, text: str, *, again: bool) -> str:
    depth, holder = -1, item
    sign = "1." if tags[parents[item]] == _ORDERED else "-"
    while holder:
        depth += tags[holder] in _LISTS
        holder = parents[holder]
    indent = "  " * min(max(depth, 0), _DEEPEST)
    text = text.replace("\n", f"\n{indent}  ")
    return f"{indent}  {text}" if again else f"{indent}{sign} {text}"


def _joined(pieces: list[str]) -> str:
    """Return pieces of Markdown with a blank line between them, except between items and between rows."""
    parts: list[str] = []
    kind = ""
    for piece in pieces:
        start = piece.lstrip()[:2]
        now = "row" if start == "| " else "item" if start in ("- ", "1.") or piece.startswith("  ") else ""
        parts.append("\n" if parts and now and now == kind else "\n\n")
        parts.append(piece)
        if now == "row" and kind != "row":  # the first row is the head: Markdown has no table without one
            cells = len(re.findall(r"(?<!\\)\|", piece)) - 1
            parts.append(f"\n|{' --- |' * cells}")
        kind = now
    return "".join(parts)


def _marked_texts(body: "LexborNode", blocks: Blocks, *, url: str, links: bool) -> list[str]:
    """Return the texts of the blocks with emphasis, code and links as Markdown.

    Marks are put into the tree as characters that no text has, and the blocks are read again.
    """
    signs: list[tuple[str, str]] = []
    selector = ",".join((*_STYLES, *(("a[href]",) if links else ())))
    for node in body.css(selector):
        if not node.text_lexbor().strip() or (node.tag in ("code", "kbd") and _within_pre(node)):
            continue
        style = _STYLES.get(node.tag or "", "")
        target = "" if style else urljoin(url, (node.attributes.get("href") or "").strip())
        if not style and not target.startswith(("http://", "https://")):
            continue
        number = len(signs)
        signs.append(
            (style, style) if style else ("[", f"]({target.replace(' ', '%20').replace(')', '%29')})")
        )
        first, last = node.first_child, node.last_child
        if first is None or last is None:
            continue
        first.insert_before(f"{_BEGIN}{number}{_CLOSE}")
        last.insert_after(f"{_END}{number}{_CLOSE}")
    found = [
        text for text in read_blocks(body, whole=not blocks.unread).texts if _MARKED.sub("", text).strip()
    ]
    if len(found) != len(blocks.texts):  # a mark that stands alone has become a block of its own
        return [_SPECIAL.sub(r"\\\1", text) for text in blocks.texts]
    return [_with_signs(text, signs) for text in found]


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
    parts, at, code = [], 0, False
    for match in _MARKED.finditer(text):
        between = text[at : match.start()]
        parts.append(between if code else _SPECIAL.sub(r"\\\1", between))
        at = match.end()
        number = match[1] or match[2]
        if number in both:
            sign = signs[int(number)]
            parts.append(sign[0] if match[1] else sign[1])
            code = match[1] is not None and sign[0] == "`"
    parts.append(_SPECIAL.sub(r"\\\1", text[at:]))
    return "".join(parts)
