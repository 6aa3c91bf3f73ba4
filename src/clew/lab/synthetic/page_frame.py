"""The frame that a host repeats on each of its pages: menu, sidebar, footer, colours, encoding."""

# ruff: noqa: PLR2004 - percent, and shares of 256

from dataclasses import dataclass

from clew.lab.synthetic import randomness
from clew.lab.synthetic.graph import LinkGraph, SyntheticLink
from clew.lab.synthetic.hosts import HostKind
from clew.lab.synthetic.layouts import CLASSES, PALETTES, FrameStyle, frame_pieces
from clew.lab.synthetic.site import Section, Site
from clew.lab.synthetic.topics import TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path

_IN_MENU = 9
_ENCODINGS = {
    "ja": ("utf-8",) * 11 + ("shift_jis",) * 5 + ("euc-jp",) * 4,
    "de": ("utf-8",) * 15 + ("windows-1252",) * 5,
    "fr": ("utf-8",) * 17 + ("windows-1252",) * 3,
    "en": ("utf-8",),
}


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The repeated parts of a host's pages: five pieces around title, breadcrumbs, main part and sidebar."""

    pieces: tuple[str, str, str, str, str]
    encoding: str
    content_type: str
    home: str
    """The link to the home page, with which breadcrumbs begin."""


def link_html(link: SyntheticLink) -> str:
    """Return the HTML of a link."""
    return f'<a href="{link.url}">{link.anchor}</a>'


def make_frame(graph: LinkGraph, site: Site) -> PageFrame:
    """Return what the pages of a host have in common."""
    draw = randomness.random_stream(randomness.mix(site.key + 3))
    encodings = _ENCODINGS[site.lang]
    encoding = encodings[site.trait(1, len(encodings))]
    declared, in_header = encoding, site.has_trait(2, 55)
    if site.has_trait(3, 4) and encoding != "utf-8":  # a few are wrong
        declared = "iso-8859-1"
    in_meta = not in_header or site.has_trait(4, 50)
    if site.has_trait(5, 3):  # a few declare nothing
        in_header = in_meta = False
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">' if in_meta else ""
    if site.layout > 1 and in_meta:
        meta = f'<meta charset="{declared}">'
    if site.layout > 1:
        meta += '<meta name="viewport" content="width=device-width, initial-scale=1">'
    if has_feed(site):
        meta += (
            f'<link rel="alternate" type="application/rss+xml" title="{site.menu("feed")}" href="/feed.xml">'
        )
    home = link_html(SyntheticLink("/", site.menu("home")))
    style = FrameStyle(
        lang=site.lang,
        title=site.title,
        meta=meta,
        nav=[home, *(link_html(link) for link in menu_links(site))] if not site.has_trait(19, 34) else [home],
        side=_side(graph, site, draw),
        foot=_footer(graph, site, draw),
        palette=PALETTES[site.trait(6, len(PALETTES))],
        classes=CLASSES[site.trait(7, len(CLASSES))],
        declares_lang=site.trait(8, 100) < (25 if site.layout == 0 else 88),
    )
    kind = f"text/html; charset={declared}" if in_header else "text/html"
    return PageFrame(frame_pieces(site.layout, style), encoding, kind, home)


def has_feed(site: Site) -> bool:
    """Tell whether a host offers a feed of its latest pages."""
    return site.layout > 0 and site.has_trait(9, 22)


def has_sitemap(site: Site) -> bool:
    """Tell whether a host declares a sitemap in its robots.txt."""
    return site.has_trait(10, 12)


def in_menu(section: Section) -> bool:
    """Tell whether a section is in the menu; half of the secluded ones and those after the ninth are not."""
    return section.number < _IN_MENU and not (section.secluded and section.key >> 13 & 1)


def menu_links(site: Site) -> list[SyntheticLink]:
    """Return the links of the menu: sections, hub pages, and the pages that every host has."""
    links = [
        SyntheticLink(path(site, UrlTarget(PageKind.LIST, section.number)), section.title)
        for section in site.sections
        if in_menu(section)
    ]
    hubs = site.hubs if site.kind == HostKind.DIRECTORY else min(1, site.hubs)
    for position in range(min(hubs, 24)):
        anchor = TOPICS[hub_topic(site, position)].title(site.lang) if hubs > 1 else site.menu("links")
        links.append(SyntheticLink(path(site, UrlTarget(PageKind.HUB, 0, position)), anchor))
    kinds = (PageKind.ABOUT, PageKind.CONTACT, PageKind.OVERVIEW)
    return links + [
        SyntheticLink(path(site, UrlTarget(kind)), site.menu(kind.name.lower()))
        for kind in kinds
        if kind < site.front
    ]


def hub_topic(site: Site, position: int) -> int:
    """Return the topic of a hub page: the host's own; in a directory each hub has another."""
    if site.kind != HostKind.DIRECTORY:
        return site.topic
    return (site.key + 17 * position) % len(TOPICS)


def _side(graph: LinkGraph, site: Site, draw: randomness.RandomStream) -> str:
    """Write the sidebar boxes of every page: latest and most popular pages."""
    if site.count < 12 or site.has_trait(11, 50):
        return ""
    boxes = []
    for word, count in (("latest", 2 + site.trait(12, 5)), ("popular", 3 + site.trait(13, 5))):
        if site.has_trait(14 + count, 30):
            continue
        targets = []
        for step in range(count):
            section = site.sections[draw() % len(site.sections)] if word == "popular" else site.sections[0]
            position = (
                section.count - 1 - step
                if word == "latest"
                else int(section.count * (draw() * randomness.UNIT) ** 5)
            )
            targets.append(UrlTarget(PageKind.CONTENT, section.number, max(0, position)))
        links = [
            SyntheticLink(path(site, target), graph.anchor_text(draw() | 0xFF, site, site, target))
            for target in dict.fromkeys(targets)
        ]
        items = "".join(f"<li>{link_html(link)}</li>" for link in links)
        boxes.append(f"<h4>{site.menu(word)}</h4>\n<ul>{items}</ul>\n")
    return "".join(boxes)


def _footer(graph: LinkGraph, site: Site, draw: randomness.RandomStream) -> str:
    """Write the footer of every page: legal notice, partners and, on some hosts, the sections."""
    links = [SyntheticLink(path(site, UrlTarget(PageKind.CONTACT)), site.menu("imprint"))]
    if site.front > PageKind.LOGIN:
        links += [
            SyntheticLink(path(site, UrlTarget(kind)), site.menu(kind.name.lower()))
            for kind in (PageKind.SEARCH, PageKind.LOGIN)
        ]
    if site.has_trait(15, 20):
        links += [
            SyntheticLink(path(site, UrlTarget(PageKind.LIST, section.number)), section.title)
            for section in site.sections[:6]
            if in_menu(section)
        ]
    notice = f"&copy; {2001 + site.trait(16, 24)} {site.title}. {site.menu('copyright')}"
    partners = ""
    if site.has_trait(17, 28):
        chosen = dict(graph.any_target(draw, site) for _ in range(1 + site.trait(18, 5)))
        homes = " ".join(
            link_html(SyntheticLink(f"http://{other.name}/", other.title))
            for other in chosen
            if other is not site
        )
        partners = f"<br>{site.menu('partners')}: {homes}" if homes else ""
    return f"{' | '.join(link_html(link) for link in links)}<br>{notice}{partners}"
