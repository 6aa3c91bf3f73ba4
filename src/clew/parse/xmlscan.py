"""A linear scan of XML for sitemaps and feeds: no entities, no DTD, no backtracking, no trees.

Broken documents give what could be read before and around the break.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_PLAIN = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ATTRIBUTE = re.compile(r"""([A-Za-z_][\w.:-]{0,60})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)')""")
_NAME = re.compile(r"/?([A-Za-z_][\w.:-]{0,80})")
_TAG = re.compile(r"""(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>""")  # possessive: it never goes back
_MAX_TAG = 10_000


class Piece(NamedTuple):
    """A start tag (`open`), an end tag (`close`) or the text between tags (`text`)."""

    what: str
    name: str
    value: str


def pieces(text: str) -> Iterator[Piece]:
    """Yield tags and texts in order. Names come without their namespace prefix, in lower case.

    An element that closes itself yields a start and an end. Comments, declarations and processing
    instructions are passed over; a DOCTYPE with everything it defines is, too.
    """
    at = 0
    while (start := text.find("<", at)) >= 0:
        if start > at:
            yield Piece("text", "", unescape(text[at:start]))
        if text.startswith("<![CDATA[", start):
            end = text.find("]]>", start)
            end = len(text) if end < 0 else end
            yield Piece("text", "", text[start + 9 : end])
            at = end + 3
            continue
        if text.startswith(("<!", "<?"), start):
            at = _skipped(text, start)
            continue
        end = _tag_end(text, start)
        inside = text[start + 1 : end]
        at = end + 1
        found = _NAME.match(inside)
        if not found:
            continue
        name = found[1].rpartition(":")[2].lower()
        if inside.startswith("/"):
            yield Piece("close", name, "")
            continue
        yield Piece("open", name, inside[found.end() :])
        if inside.endswith("/"):
            yield Piece("close", name, "")


def attributes(value: str) -> dict[str, str]:
    """Return the attributes of a start tag, names as written."""
    return {name: unescape(double or single) for name, double, single in _ATTRIBUTE.findall(value[:_MAX_TAG])}


def root(text: str) -> str:
    """Return the name of the first element, without prefix and in lower case; nothing if there is none."""
    return next((piece.name for piece in pieces(text[:65_536]) if piece.what == "open"), "")


def unescape(text: str) -> str:
    """Replace the five entities of XML and character numbers; others stay as they are."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    name = match[1]
    if name in _PLAIN:
        return _PLAIN[name]
    number = int(f"0{name[1:]}", 16) if name[1] in "xX" else int(name[1:])
    return "\ufffd" if number > 0x10FFFF or 0xD800 <= number < 0xE000 else chr(number)  # noqa: PLR2004


def _skipped(text: str, start: int) -> int:
    """Return where a comment, a declaration or an instruction ends."""
    if text.startswith("<!--", start):
        end = text.find("-->", start + 4)
        return len(text) if end < 0 else end + 3
    if text.startswith("<?", start):
        end = text.find("?>", start)
        return len(text) if end < 0 else end + 2
    end = text.find(">", start)
    subset = text.find("[", start, end if end >= 0 else len(text))
    if subset >= 0:
        end = text.find("]", subset)
        end = text.find(">", end) if end >= 0 else -1
    return len(text) if end < 0 else end + 1


def _tag_end(text: str, start: int) -> int:
    """Return the place of the ">" that ends a tag; one within quotes does not."""
    limit = min(len(text), start + _MAX_TAG)
    end = text.find(">", start, limit)
    if end >= 0 and (text.count('"', start, end) % 2 or text.count("'", start, end) % 2):
        quoted = _TAG.match(text, start + 1, limit)
        end = quoted.end() - 1 if quoted else end
    return end if end >= 0 else limit
