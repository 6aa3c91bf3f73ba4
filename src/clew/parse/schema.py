"""What a page says it is about: the schema.org types in JSON-LD, microdata and RDFa."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MOST = 50
"""Types kept of one page: catalogues state some ten, spam states all of them."""

_HOME = re.compile(r"^(?:https?:(?:\\?/){2}(?:www\.)?schema\.org(?:\\?/)|schema:)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9]{2,60}")
_STATED = re.compile(r'"@type"\s*:\s*(?:"([^"]{1,200})"|\[([^\]]{1,2000})\])')
_MARK = "schema.org"


def is_stated(markup: bytes | str) -> bool:
    """Tell whether a page speaks of schema.org at all; most do not, and cost nothing more."""
    return _MARK in markup if isinstance(markup, str) else _MARK.encode() in markup


def kinds(document: "LexborHTMLParser", scripts: "list[LexborNode]") -> tuple[str, ...]:
    """Return the types that a document states, each once, in the order in which they were met."""
    found: dict[str, None] = {}
    for node in scripts:
        if node.tag == "script" and "ld+json" in (node.attributes.get("type") or "").lower():
            said = node.text()
            if _MARK in said:
                for one, several in _STATED.findall(said):
                    _take(found, [one] if one else re.findall(r'"([^"]{1,200})"', several))
    for node in document.css("[itemtype]"):
        said = node.attributes.get("itemtype") or ""
        _take(found, [name for name in said.split()[:MOST] if _HOME.match(name)])
    for node in document.css("[typeof]"):
        said = node.attributes.get("typeof") or ""
        _take(found, said.split()[:MOST])
    return tuple(found)[:MOST]


def _take(found: dict[str, None], names: list[str]) -> None:
    for name in names:
        short = _HOME.sub("", name.strip())
        if _NAME.fullmatch(short):
            found[short] = None
