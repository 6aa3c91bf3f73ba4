"""Whether the nodes of the installed parser lie in memory as compiled modules expect them."""

from collections.abc import Sequence
from functools import cache

from selectolax.lexbor import LexborHTMLParser

from clew.domain.compiled import compiled

_MODULE = "clew.parse.maintext._blocks"
_WITHOUT_EVENTS = 1


@cache
def is_known() -> bool:
    """Return whether compiled modules may read the nodes of the parser; checked on a page that is known."""
    fits = compiled(_MODULE, "has_expected_layout")
    if fits is None:
        return False
    parser = LexborHTMLParser('<div class="a" id="b">text<b></b></div><p></p>', options=_WITHOUT_EVENTS)
    body = parser.body
    node = body and body.first_child
    if body is None or node is None or (text := node.first_child) is None:
        return False
    around = [body.mem_id, text.mem_id, *(each.mem_id for each in (node.last_child, node.next) if each)]
    return bool(fits(node.mem_id, around, (text.mem_id, len("text"), text.tag_id)))


def attribute_numbers(names: Sequence[str]) -> list[int]:
    """Return lexbor's numbers of attributes; those it does not know by number get an address."""
    attributes = " ".join(f'{name}="x"' for name in names)
    parser = LexborHTMLParser(f"<div {attributes}></div>", options=_WITHOUT_EVENTS)
    node = parser.body and parser.body.first_child
    assert node is not None, "it was written above"
    found: list[int] = compiled(_MODULE, "attribute_numbers")(node.mem_id)
    return found
