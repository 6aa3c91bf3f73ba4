"""The walk over a document: compiled if that was built and knows the parser, else in plain Python."""

from typing import TYPE_CHECKING, Any, Protocol

from selectolax.lexbor import LexborHTMLParser

from clew.domain.compiled import compiled
from clew.parse.dom_layout import attribute_numbers, is_known
from clew.parse.html_walk import USES, HtmlWalk, Meta
from clew.parse.layout.block_heights import TAGS
from clew.parse.layout.element_styles import span
from clew.parse.safe_text import line
from clew.parse.tag_paths import OUTSIDE, child
from clew.types import Kind
from clew.urls import is_clean_origin

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_FIRST_TAG = 7  # lexbor's numbers below are no tags
_MOST_TAGS = 256
_INVISIBLE, _META, _BASE, _TITLE, _LINK, _ANCHOR, _FRAME, _HEAD_LINK = (1 << at for at in range(8))
_LISTS = (_INVISIBLE, _META, _BASE, _TITLE, 0)  # as in `html_walk`
_LINKS = {"a": _ANCHOR, "area": 0, "frame": _FRAME, "iframe": _FRAME, "link": _HEAD_LINK}
_KEYS = (
    "class", "href", "src", "rel", "type", "title", "alt", "content", "name", "http-equiv", "property",
    "hreflang", "download", "aria-label", "colspan",
)  # fmt: skip
_NAMES = """
    a abbr acronym address altglyph altglyphdef altglyphitem animatecolor animatemotion animatetransform
    annotation-xml applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote
    body br button canvas caption center cite clippath code col colgroup data datalist dd del desc
    details dfn dialog dir div dl dt em embed feblend fecolormatrix fecomponenttransfer fecomposite
    feconvolvematrix fediffuselighting fedisplacementmap fedistantlight fedropshadow feflood fefunca
    fefuncb fefuncg fefuncr fegaussianblur feimage femerge femergenode femorphology feoffset
    fepointlight fespecularlighting fespotlight fetile feturbulence fieldset figcaption figure font
    footer foreignobject form frame frameset glyphref h1 h2 h3 h4 h5 h6 head header hgroup hr html i
    iframe image img input ins isindex kbd keygen label legend li lineargradient link listing main
    malignmark map mark marquee math menu meta meter mfenced mglyph mi mn mo ms mtext multicol nav
    nextid nobr noembed noframes noscript object ol optgroup option output p param path picture
    plaintext pre progress q radialgradient rb rp rt rtc ruby s samp script search section select
    selectedcontent slot small source spacer span strike strong style sub summary sup svg table tbody td
    template textarea textpath tfoot th thead time title tr track tt u ul var video wbr xmp
"""
"""All tags that lexbor has numbers for."""


class CompiledWalk(Protocol):
    """What the compiled walk found: as `HtmlWalk`, for pages whose layout is not asked for."""

    metas: list[Meta]
    bases: list[str | None]

    def title_text(self) -> str: ...

    def remove_invisible(self) -> None: ...

    def collect(self, collector: Any, origin: str, folder: str, utf8: bool, /) -> None: ...  # noqa: ANN401


Walk = HtmlWalk | CompiledWalk


def walk_over(root: "LexborNode", *, layout: bool = False) -> Walk:
    """Walk over the tree below `root`; with `layout` it is recorded where each element begins."""
    if _READER is None or layout:
        walk = HtmlWalk()
        walk.over(root, layout=layout)
        return walk
    found: CompiledWalk = _READER.walk(root)
    return found


def _compiled_reader() -> Any:  # noqa: ANN401 - a class of the compiled module
    reader = compiled("clew.parse._links", "LinkReader")
    if reader is None or not is_known():
        return None
    maker = LexborHTMLParser("")
    numbers = {name: maker.create_node(name).tag_id for name in _NAMES.split()}
    names = {number: name for name, number in numbers.items()}
    if any(number not in names for number in range(_FIRST_TAG, max(names) + 1)) or max(names) >= _MOST_TAGS:
        return None
    uses = {
        number: (_LISTS[place] if place >= 0 else 0) | (_LINK | _LINKS[link] if link else 0)
        for number, (_, place, link) in USES.items()
    }
    weights = {number: more & TAGS for number, (more, _, _) in USES.items() if more >= 0}
    tags = [numbers[name] for name in ("td", "th", "tr", "img", "html", "noscript")]
    keys = list(zip(_KEYS, attribute_numbers(_KEYS), strict=True))
    return reader(uses, weights, names, keys, tags, child, OUTSIDE, span, line, is_clean_origin, Kind.PAGE)


_READER = _compiled_reader()
