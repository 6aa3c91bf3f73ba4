"""Read one HTML page: title, text, language, links and robots directives.

The document is traversed once (`html_walk`); everything after that works on short lists of elements.
"""

import re

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from clew.domain.text import language
from clew.parse import anchors, directives, maintext, schema
from clew.parse import clean_html as clean
from clew.parse.html_walk import HtmlWalk, Meta
from clew.parse.link_reader import Walk, walk_over
from clew.parse.maintext.others import by_trafilatura
from clew.parse.noscript_frames import close_frames
from clew.parse.page_builder import REDIRECT_SECONDS, PageContent, settle_refresh
from clew.parse.safe_text import line
from clew.types import RobotsDirectives
from clew.urls import Canon

MAX_TITLE = 500
_WITHOUT_EVENTS = 1  # lexbor copies <option> subtrees into <selectedcontent> otherwise
# In XML these may close themselves; in HTML they would swallow the rest of the page.
_SELF_CLOSED = re.compile(
    r"<(script|title|style|iframe|textarea|noscript|object|a|div|p|span|td|li)(\s[^<>]*)?/>"
)


def read_html(
    markup: bytes | str,
    *,
    url: str,
    canon: Canon,
    agent: str,
    encoding: str = "utf-8",
    lang: str = "",
    layout: bool = True,
    cleaned: bool = False,
    extractor: str = "clew",
) -> PageContent:
    """Read a page found at `url`; `lang` is the language its headers state.

    `layout` computes x and y of links, `cleaned` clean markup; `extractor` names who extracts the main text.
    """
    try:
        document = LexborHTMLParser(close_frames(markup), options=_WITHOUT_EVENTS)
    except SelectolaxError:  # any markup is HTML; the parser fails only without memory
        raise MemoryError from None
    root = document.root
    if root is None:
        return PageContent()
    walk = walk_over(root, layout=layout)
    base = _base(walk, url, canon)
    title, metas = line(walk.title_text(), MAX_TITLE), walk.metas
    robots, refresh, stated = _metas(metas, agent)
    written = (root.html or "") if cleaned else ""
    positions = walk.coordinates(root) if isinstance(walk, HtmlWalk) else None
    kinds = schema.kinds(document) if schema.is_stated(markup) else ()
    walk.remove_invisible()
    redirect, late = settle_refresh(refresh, url=url, base=base, canon=canon)
    collector = anchors.Collector(base=base, canon=canon, encoding=encoding)
    if late:
        collector.add(late, "", "", "head/meta", "", 0.0)
    collector.add_walked(walk, positions)
    text = margin = ""
    body = document.body
    if body is not None:
        facts = maintext.facts_of((attributes for attributes, _ in metas), title=title, url=url)
        found = maintext.choose(body, facts)
        text, margin = found.text, found.margin
        if extractor == "trafilatura":
            text = by_trafilatura(markup, url) or text
    attributes = root.attributes
    declared = attributes.get("lang") or attributes.get("xml:lang") or stated or lang
    return PageContent(
        title=title,
        text=text,
        margin=margin,
        clean=clean.pruned(written) if cleaned else "",
        lang=language(text, declared),
        redirect=redirect,
        links=collector.links(),
        directives=robots,
        kinds=kinds,
    )


def closed_for_html(text: str) -> str:
    """Replace self-closing tags of XHTML by start and end tags, which HTML requires."""
    return _SELF_CLOSED.sub(r"<\1\2></\1>", text)


def _base(walk: Walk, url: str, canon: Canon) -> str:
    for href in walk.bases:
        if href:
            return canon(href.strip(), url) or url
    return url


def _metas(metas: list[Meta], agent: str) -> tuple[RobotsDirectives, tuple[float, str], str]:
    """Return the robots directives, the refresh and the language stated in meta elements."""
    robots, refresh, lang = RobotsDirectives(), (0.0, ""), ""
    for attributes, without_scripts in metas:
        content = attributes.get("content")
        if not content:
            continue
        name = (attributes.get("name") or attributes.get("http-equiv") or "").strip().lower()
        if name in {"robots", agent.lower()}:
            robots |= directives.parse_directives(content.split(","))
        elif name == "refresh" and not refresh[1]:
            seconds, target = directives.refresh(content)
            # For browsers without scripts: a link, because the page itself may be read as well.
            refresh = (REDIRECT_SECONDS + 1.0 if without_scripts else seconds), target
        elif name in {"content-language", "language"}:
            lang = lang or content
    return robots, refresh, lang
