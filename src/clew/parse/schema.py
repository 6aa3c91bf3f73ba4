"""The schema.org types that a page states in JSON-LD, microdata and RDFa."""

import re
from typing import TYPE_CHECKING

from clew.domain.compiled import compiled

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MAX_TYPES = 50
"""Types of one page that are read: catalogues state some ten, spam states all of them."""

_HOME = re.compile(r"^(?:https?:(?:\\?/){2}(?:www\.)?schema\.org(?:\\?/)|schema:)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9]{2,60}")
_STATED = re.compile(r'"@type"\s*:\s*(?:"([^"]{1,200})"|\[([^\]]{1,2000})\])')
_MARK = "schema.org"
_HAS_NAME = compiled("clew.parse._links", "has_name")


def is_stated(markup: bytes | str) -> bool:
    """Return whether a page mentions schema.org at all; most do not, and are not parsed for it."""
    if isinstance(markup, str):
        return _MARK in markup
    return bool(_HAS_NAME(markup, b"schema", b"org")) if _HAS_NAME is not None else _MARK.encode() in markup


def kinds(document: "LexborHTMLParser") -> tuple[str, ...]:
    """Return the types that a document states, each once, in document order."""
    found: dict[str, None] = {}
    for node in document.css("script"):
        if "ld+json" in (node.attributes.get("type") or "").lower():
            text = node.text()
            if _MARK in text:
                for one, several in _STATED.findall(text):
                    _add(found, [one] if one else re.findall(r'"([^"]{1,200})"', several))
    for node in document.css("[itemtype]"):
        stated = node.attributes.get("itemtype") or ""
        _add(found, [name for name in stated.split()[:MAX_TYPES] if _HOME.match(name)])
    for node in document.css("[typeof]"):
        stated = node.attributes.get("typeof") or ""
        _add(found, stated.split()[:MAX_TYPES])
    return tuple(found)[:MAX_TYPES]


def _add(found: dict[str, None], names: list[str]) -> None:
    for name in names:
        short = _HOME.sub("", name.strip())
        if _NAME.fullmatch(short):
            found[short] = None
