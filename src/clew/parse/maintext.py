"""The text of a page without its menus: boilerplate is cut out of the tree, the rest is read in C.

A heuristic instead of a model: what is marked as navigation, footer or sidebar (by tag, role or
class) is removed, unless it holds most of the text; a `<main>` or `<article>` that holds enough is preferred.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from clew.parse.safe_text import BLOCK, lines

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_TEXT = 1_000_000
MAX_MARGIN = 20_000
ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar"})
NAMES = frozenset({
    "nav", "navbar", "navigation", "menu", "sidebar", "footer", "header", "breadcrumb", "breadcrumbs",
    "cookie", "cookies", "banner", "topbar", "toolbar", "pagination", "pager", "related", "share", "social",
    "comments", "comment", "widget", "skip-link", "advert", "ads", "ad", "masthead",
})  # fmt: skip
_CONSIDERED = 400  # candidates examined on one page; the text of each is read
_ENOUGH = 200  # characters of a <main> or <article> that may stand for the page …
_SHARE = 0.3  # … if they are this share of it


def main_text(
    body: "LexborNode",
    *,
    boilerplate: list["LexborNode"],
    containers: list["LexborNode"],
    mains: list["LexborNode"],
    inline: list["LexborNode"],
) -> tuple[str, str]:
    """Return the main text below `body`, one line for each block, and the text around it.

    The tree is modified.
    """
    whole = len(body.text_lexbor())
    if not whole:
        return "", ""
    mains, candidates = list(mains), list(boilerplate)
    _sort(containers, mains, candidates)
    left, cut = whole, []
    for node in candidates[:_CONSIDERED]:
        size = len(node.text_lexbor())
        if size * 2 < whole:
            if size:
                cut.append(node.text(separator=BLOCK, strip=True, skip_empty=True))
            node.decompose()
            left -= size
    best = max(((len(node.text_lexbor()), -at, node) for at, node in enumerate(mains[:50])), default=None)
    source = best[2] if best and best[0] >= max(_ENOUGH, _SHARE * left) else body
    for node in inline:
        node.unwrap()
    source.merge_text_nodes()
    text = lines(source.text(separator=BLOCK, strip=True, skip_empty=True)[:MAX_TEXT])
    if source is not body:
        source.decompose()
        cut.append(body.text(separator=BLOCK, strip=True, skip_empty=True))
    return text, lines(BLOCK.join(cut)[:MAX_MARGIN])


def _sort(containers: list["LexborNode"], mains: list["LexborNode"], candidates: list["LexborNode"]) -> None:
    """Add containers with a telling role or class to the main parts, or to the boilerplate candidates."""
    for node in containers:
        attributes = node.attributes
        if not attributes:
            continue
        if attributes.get("role") == "main":
            mains.append(node)
        elif _is_boilerplate(attributes):
            candidates.append(node)


def _is_boilerplate(attributes: dict[str, str | None]) -> bool:
    role = attributes.get("role")
    if role is not None and role in ROLES:
        return True
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    classes, name, style = attributes.get("class"), attributes.get("id"), attributes.get("style")
    if style and "display" in style and "none" in style:
        return "display:none" in style.replace(" ", "")
    return bool((classes and _named(classes[:200])) or (name and _named(name[:100])))


@lru_cache(maxsize=8_192)
def _named(names: str) -> bool:
    return not NAMES.isdisjoint(names.lower().split())
