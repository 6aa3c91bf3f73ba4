"""What one element states about layout: its attributes, its style, and names that most sites share.

A small part of CSS, read leniently: display, float, widths, flex and grid, alignment, position. Style
sheets that lie elsewhere are not fetched; where a page names one, common class names
(`sidebar`, `row`, `col-md-4`, `navbar`) imply what such sheets usually state.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from clew.types import Area

VIEW = 1280.0
"""Pixels of the window: the width most desktop layouts are made for."""

Declarations: TypeAlias = Mapping[str, str]
"""Declarations by property."""

WANTED = frozenset(
    """display float clear width max-width flex flex-basis flex-grow flex-direction flex-flow flex-wrap
    justify-content grid-template-columns text-align position left right margin margin-left margin-right
    font-size column-count columns direction writing-mode""".split()  # noqa: SIM905 - reads better as text
)
_EM = 16
_LONG = 2_000  # characters of an attribute that are looked at
_NUMBER = re.compile(r"^(\d{1,6}(?:\.\d{1,4})?|\.\d{1,4})(px|%|em|rem|vw|)$")


@dataclass(frozen=True, slots=True)
class ElementStyle:
    """How a box is laid out, as far as its page states. Sizes: above 0 pixels, below 0 shares of the parent.

    `display` is none, inline, block, flex (children side by side), wrap (the same, on several lines), grid or
    columns (text that fills one after the other).
    """

    display: str = ""
    floats: str = ""
    width: float = 0.0
    limit: float = 0.0
    grow: float = 0.0
    columns: tuple[float, ...] = ()
    align: str = ""
    justify: str = ""
    middle: bool = False
    scale: float = 0.0
    left: float | None = None
    right: float | None = None
    out: bool = False
    clear: bool = False
    mirrored: bool = False
    vertical: str = ""


PLAIN = ElementStyle()
HIDDEN = ElementStyle(display="none")


@dataclass(frozen=True, slots=True)
class ElementTraits:
    """The traits of an element: attributes, the area it begins (-1 for none); `plain` ones have neither."""

    tag: str
    names: frozenset[str] = frozenset()
    declared: tuple[tuple[str, str], ...] = ()
    style: ElementStyle = PLAIN
    customary: ElementStyle = PLAIN
    align: str = ""
    high: str = ""
    width: float = 0.0
    area: int = -1
    mirrored: bool = False
    plain: bool = True


def traits(tag: str, attributes: Mapping[str, str | None]) -> ElementTraits:
    """Return the traits of an element; equal ones are frequent on a site.

    >>> traits("td", {"width": "50%"}).width, traits("div", {"style": "float:left"}).style.floats
    (-0.5, 'left')
    """
    if not attributes:
        return _traits(tag)
    get = attributes.get
    if len(attributes) == 1 and "class" in attributes:
        return _traits(tag, get("class") or "")
    return _traits(
        tag, get("class") or "", get("id") or "", get("style") or "", get("align") or "", get("width") or "",
        get("valign") or "", get("dir") or "", get("role") or "", "hidden" in attributes,
    )  # fmt: skip


@lru_cache(maxsize=16_384)
def _traits(  # noqa: PLR0917 - attributes, in one order
    tag: str, classes: str = "", id: str = "", style: str = "", align: str = "", width: str = "",
    valign: str = "", dir: str = "", role: str = "", hidden: bool = False,
) -> ElementTraits:  # fmt: skip
    declared = tuple(sorted(declarations(style).items())) if style else ()
    own = style_of(declared) if declared else PLAIN
    if hidden and not own.display:
        own = HIDDEN
    names, name, mirrored = classes[:_LONG].lower().split()[:12], id[:100].lower(), dir.lower() == "rtl"
    area = _area(tag, role[:100].lower(), [*names, *name.split()])
    align = align[:20].lower() or ("right" if mirrored else "")
    return ElementTraits(
        tag=tag,
        names=frozenset([f".{each}" for each in names] + ([f"#{name}"] if name else [])),
        declared=declared,
        style=own,
        customary=customary(tag, " ".join([*names, name]).strip()[:200]),
        align=align,
        high=valign[:20].lower(),
        width=length(width.strip()[:20]),
        mirrored=mirrored,
        area=area,
        plain=not align and area < 0,
    )


def span(text: str | None) -> int:
    """Return how many columns or rows a cell covers: 1 for nonsense, 1,000 at most, as in browsers.

    >>> span("3"), span("-2"), span("1000000000"), span(None)
    (3, 1, 1000, 1)
    """
    if not text or not (text := text.strip()).isascii() or not text.isdigit():
        return 1
    return min(int(text[:9]), 1_000) or 1


def declarations(body: str) -> dict[str, str]:
    """Return the declarations that matter here, by property.

    >>> declarations("color: red; Float:LEFT !important")
    {'float': 'left'}
    """
    declared = {}
    for part in body[:2_000].split(";"):
        key, colon, value = part.partition(":")
        key = key.strip().lower()
        if colon and key in WANTED:
            declared[key] = value.replace("!important", "").strip().lower()
    return declared


def length(text: str) -> float:
    """Return pixels above 0 or a share of the parent below 0; 0 for anything else.

    >>> length("240px"), length("25%"), length("auto")
    (240.0, -0.25, 0.0)
    """
    found = _NUMBER.match(text)
    if not found:
        return 0.0
    number, unit = float(found[1]), found[2]
    if unit in {"%", "vw"}:
        return -min(number, 100.0) / 100
    return min(number * (_EM if unit in {"em", "rem"} else 1), 10_000.0)


@lru_cache(maxsize=4_096)
def style_of(declared: tuple[tuple[str, str], ...]) -> ElementStyle:
    """Return the style that declarations make."""
    known = dict(declared)
    get = known.get
    display, columns = _display(known)
    margin = get("margin", "").split()
    sides = margin[1:2] if len(margin) > 1 else margin
    flex = get("flex", "").split()
    grow = float(flex[0]) if flex and flex[0].isascii() and flex[0].isdigit() else float(flex == ["auto"])
    basis = length(flex[2]) if len(flex) > 2 else 0.0  # noqa: PLR2004
    out = get("position") in {"absolute", "fixed"}
    size = length(get("font-size", ""))
    align = get("text-align", "").replace("end", "right").replace("start", "left")
    return ElementStyle(
        display=display,
        floats="" if out or get("float") not in {"left", "right"} else known["float"],
        width=length(get("width", "")) or length(get("flex-basis", "")) or basis,
        limit=length(get("max-width", "")),
        grow=min(grow, 100.0) or float(get("flex-grow", "0") != "0"),
        columns=columns,
        align=align or ("right" if get("direction") == "rtl" else ""),
        justify=get("justify-content", ""),
        middle="auto" in sides or (get("margin-left") == "auto" == get("margin-right")),
        scale=min(max(-size if size < 0 else size / _EM, 0.5), 3.0) if size else 0.0,
        left=length(known["left"]) if out and "left" in known else None,
        right=length(known["right"]) if out and "right" in known else None,
        out=out,
        clear=get("clear", "none") != "none",
        mirrored=get("direction") == "rtl",
        vertical=get("writing-mode", "") if get("writing-mode", "").startswith("vertical") else "",
    )


def _display(declared: Declarations) -> tuple[str, tuple[float, ...]]:
    """Return how a box and its children stand, and the columns of a grid."""
    display = declared.get("display", "")
    count = declared.get("column-count") or declared.get("columns", "").partition(" ")[0]
    if display == "none" or display.startswith("inline"):
        return display.partition("-")[0], ()
    if count.isascii() and count.isdigit() and 1 < int(count[:4]) < 20:  # noqa: PLR2004
        return "columns", (-1.0,) * int(count)
    if display == "grid":
        return "grid", _tracks(declared.get("grid-template-columns", ""))
    if display == "flex":
        flow = " ".join(declared.get(key, "") for key in ("flex-direction", "flex-flow", "flex-wrap")).split()
        return (
            "block" if {"column", "column-reverse"} & {*flow} else "wrap" if "wrap" in flow else "flex"
        ), ()
    return "block" if display in {"block", "list-item", "table"} else "", ()


def _tracks(text: str) -> tuple[float, ...]:
    """Return the columns of a grid: pixels above 0, parts of the rest below 0.

    >>> _tracks("200px 1fr"), _tracks("repeat(3, 1fr)")
    ((200.0, -1.0), (-1.0, -1.0, -1.0))
    """
    text = re.sub(r"minmax\(\s*([^,()]{0,40}),\s*[^()]{0,40}\)", r"\1", text[:500])
    if found := re.search(r"repeat\(\s*(\d{1,3}|auto-fi\w{1,4})\s*,\s*([^()]{0,100})\)", text):
        wide = length(found[2].strip())
        number = int(found[1]) if found[1].isdigit() else int(VIEW // wide) if wide > 0 else 1
        words = ["1fr"] * min(number, 24) if not found[1].isdigit() else found[2].split() * min(number, 24)
        text = text.replace(found[0], " ".join(words))
    tracks = []
    for word in text.split()[:48]:
        part = length(word.removesuffix("fr"))
        tracks.append(-abs(part) if word.endswith("fr") else -part * VIEW if part < 0 else part or -1.0)
    return tuple(tracks) or (-1.0,)


_TWELFTHS = re.compile(
    r"(?:^|\s)(?:col|span|large|medium|small|grid)(?:-(?:xs|sm|md|lg|xl))?[-_]?(\d{1,2})(?:\s|$)"
)
_FRACTION = re.compile(r"(?:^|\s)(?:\w{1,4}:)?(?:w-|basis-)(\d{1,2})/(\d{1,2})(?:\s|$)")
_GRID = re.compile(r"(?:^|\s)(?:\w{1,4}:)?grid-cols-(\d{1,2})(?:\s|$)")
_COLUMN = re.compile(r"(?:^|\s)(?:flex-col|flex-column|(?:\w{1,4}:)?flex-col)(?:\s|$)")
_ROW = re.compile(r"(?:^|\s)(?:\w{1,2}:)?(?:row|columns|flex|d-flex|d-(?:md|lg)-flex|flex-row|cols)(?:\s|$)")
_ENDS = re.compile(r"(?:^|\s)(?:justify-between|justify-content-between)(?:\s|$)")
_EQUAL = re.compile(r"(?:^|\s)(?:col|column|flex-1|flex-grow)(?:\s|$)")
_SIDE = re.compile(r"side-?bar|(?:^|[\s_-])(?:side|rail|secondary|widget-area)(?:$|[\s_-])")
_LEFT, _RIGHT = re.compile(r"(?:^|[\s_-])left"), re.compile(r"(?:^|[\s_-])right")
_BAR = re.compile(
    r"nav-?bar-nav|breadcrumb|pagination|pager|tabs|topnav|main-?menu|menu-?bar|horizontal|toolbar|nav-links"
)
_WRAP = re.compile(r"(?:^|\s)(?:container|wrapper|wrap|page|inner|shell)(?:\s|$)")
_TWELVE = 12


@lru_cache(maxsize=8_192)
def customary(tag: str, names: str) -> ElementStyle:  # noqa: PLR0911 - one for each custom
    """Return what sheets usually say about an element with such a tag, classes and id.

    >>> customary("div", "col-md-3").width, customary("aside", "").floats, customary("p", "intro") == PLAIN
    (-0.25, 'right', True)
    """
    if not names and tag != "aside":
        return PLAIN
    if found := _FRACTION.search(names):
        return ElementStyle(width=-min(1.0, int(found[1]) / max(1, int(found[2]))))
    if (found := _TWELFTHS.search(names)) and 0 < int(found[1]) <= _TWELVE:
        return ElementStyle(width=-int(found[1]) / _TWELVE, floats="left")
    if (found := _GRID.search(names)) and int(found[1]):
        return ElementStyle(display="grid", columns=(-1.0,) * min(int(found[1]), _TWELVE))
    if tag == "aside" or _SIDE.search(names):
        left = _LEFT.search(names) and not _RIGHT.search(names)
        return ElementStyle(floats="left" if left else "right", width=-0.25)
    if _BAR.search(names) and tag in {"ul", "ol", "nav", "div"}:
        return ElementStyle(display="flex")
    if _ROW.search(names) and not _COLUMN.search(names):
        return ElementStyle(display="wrap", justify="space-between" if _ENDS.search(names) else "")
    if _EQUAL.search(names):
        return ElementStyle(grow=1.0)
    return ElementStyle(limit=1140.0, middle=True) if _WRAP.search(names) else PLAIN


AREAS = {
    "header": Area.HEADER, "nav": Area.NAV, "main": Area.MAIN, "article": Area.MAIN, "aside": Area.ASIDE,
    "footer": Area.FOOTER, "banner": Area.HEADER, "navigation": Area.NAV, "complementary": Area.ASIDE,
    "contentinfo": Area.FOOTER, "menu": Area.NAV, "menubar": Area.NAV, "masthead": Area.HEADER,
    "navbar": Area.NAV, "navi": Area.NAV, "gnav": Area.NAV, "globalnav": Area.NAV, "breadcrumb": Area.NAV,
    "breadcrumbs": Area.NAV, "pagination": Area.NAV, "topnav": Area.NAV, "sidebar": Area.ASIDE,
    "side": Area.ASIDE, "content": Area.MAIN, "contents": Area.MAIN, "maincontent": Area.MAIN,
    "main-content": Area.MAIN, "site-header": Area.HEADER, "site-footer": Area.FOOTER,
    "page-header": Area.HEADER, "foot": Area.FOOTER, "head": Area.HEADER,
}  # fmt: skip


def _area(tag: str, role: str, names: list[str]) -> int:
    """Return the area an element begins: its tag counts first, then its role, then its names; -1 for none."""
    if tag in {"header", "nav", "main", "article", "aside", "footer"}:
        return AREAS[tag]
    if tag == "menu":
        return -1
    for name in (role, *names):
        if (area := AREAS.get(name)) is not None:
            return area
    return -1
