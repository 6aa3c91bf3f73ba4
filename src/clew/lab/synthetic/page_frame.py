"""What a host repeats on each of its pages: menu, sidebar, foot, colours, encoding."""

# ruff: noqa: PLR2004 - percent, and shares of 256

from dataclasses import dataclass

from clew.lab.synthetic import randomness
from clew.lab.synthetic.graph import LinkGraph, Tie
from clew.lab.synthetic.hosts import Sort
from clew.lab.synthetic.layouts import CLASSES, PALETTES, Dress, dressed
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
    """The repeated parts of a host's pages: five pieces around title, path, main part and links beside it."""

    pieces: tuple[str, str, str, str, str]
    encoding: str
    content_type: str
    home: str
    """The link to the home page, where the path to a page begins."""


def link(tie: Tie) -> str:
    """Write a link."""
    return f'<a href="{tie.url}">{tie.anchor}</a>'


def make_skin(graph: LinkGraph, site: Site) -> PageFrame:
    """Return what the pages of a host have in common."""
    throw = randomness.throws(randomness.mix(site.key + 3))
    encodings = _ENCODINGS[site.lang]
    encoding = encodings[site.habit(1, len(encodings))]
    declared, in_header = encoding, site.holds_to(2, 55)
    if site.holds_to(3, 4) and encoding != "utf-8":  # a few are wrong
        declared = "iso-8859-1"
    in_meta = not in_header or site.holds_to(4, 50)
    if site.holds_to(5, 3):  # a few say nothing
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
    home = link(Tie("/", site.menu("home")))
    dress = Dress(
        lang=site.lang,
        title=site.title,
        meta=meta,
        nav=[home, *(link(tie) for tie in menu_ties(site))] if not site.holds_to(19, 34) else [home],
        side=_side(graph, site, throw),
        foot=_foot(graph, site, throw),
        palette=PALETTES[site.habit(6, len(PALETTES))],
        classes=CLASSES[site.habit(7, len(CLASSES))],
        tell_lang=site.habit(8, 100) < (25 if site.layout == 0 else 88),
    )
    kind = f"text/html; charset={declared}" if in_header else "text/html"
    return PageFrame(dressed(site.layout, dress), encoding, kind, home)


def has_feed(site: Site) -> bool:
    """Tell whether a host offers a feed of its latest pages."""
    return site.layout > 0 and site.holds_to(9, 22)


def has_sitemap(site: Site) -> bool:
    """Tell whether a host names a sitemap in its robots.txt."""
    return site.holds_to(10, 12)


def in_menu(section: Section) -> bool:
    """Tell whether a section is named in the menu; half of the secluded ones and the tenth are not."""
    return section.number < _IN_MENU and not (section.secluded and section.key >> 13 & 1)


def menu_ties(site: Site) -> list[Tie]:
    """Return the links of the menu: sections, lists of links, what every host has."""
    ties = [
        Tie(path(site, UrlTarget(PageKind.LIST, section.number)), section.title)
        for section in site.sections
        if in_menu(section)
    ]
    hubs = site.hubs if site.sort == Sort.DIRECTORY else min(1, site.hubs)
    for place in range(min(hubs, 24)):
        said = TOPICS[hub_topic(site, place)].title(site.lang) if hubs > 1 else site.menu("links")
        ties.append(Tie(path(site, UrlTarget(PageKind.HUB, 0, place)), said))
    kinds = (PageKind.ABOUT, PageKind.CONTACT, PageKind.OVERVIEW)
    return ties + [
        Tie(path(site, UrlTarget(kind)), site.menu(kind.name.lower())) for kind in kinds if kind < site.front
    ]


def hub_topic(site: Site, place: int) -> int:
    """Return the topic of a list of links: the host's own, or one after the other in a directory."""
    if site.sort != Sort.DIRECTORY:
        return site.topic
    return (site.key + 17 * place) % len(TOPICS)


def _side(graph: LinkGraph, site: Site, throw: randomness.Throw) -> str:
    """Write the boxes that stand on every page: what is new, what is read most."""
    if site.count < 12 or site.holds_to(11, 50):
        return ""
    boxes = []
    for word, many in (("latest", 2 + site.habit(12, 5)), ("popular", 3 + site.habit(13, 5))):
        if site.holds_to(14 + many, 30):
            continue
        spots = []
        for step in range(many):
            section = site.sections[throw() % len(site.sections)] if word == "popular" else site.sections[0]
            place = (
                section.count - 1 - step
                if word == "latest"
                else int(section.count * (throw() * randomness.UNIT) ** 5)
            )
            spots.append(UrlTarget(PageKind.CONTENT, section.number, max(0, place)))
        ties = [
            Tie(path(site, spot), graph.anchor(throw() | 0xFF, site, site, spot))
            for spot in dict.fromkeys(spots)
        ]
        boxes.append(
            f"<h4>{site.menu(word)}</h4>\n<ul>{''.join(f'<li>{link(tie)}</li>' for tie in ties)}</ul>\n"
        )
    return "".join(boxes)


def _foot(graph: LinkGraph, site: Site, throw: randomness.Throw) -> str:
    """Write the foot of every page: legal matters, partners, and on large hosts the sections again."""
    ties = [Tie(path(site, UrlTarget(PageKind.CONTACT)), site.menu("imprint"))]
    if site.front > PageKind.LOGIN:
        ties += [
            Tie(path(site, UrlTarget(kind)), site.menu(kind.name.lower()))
            for kind in (PageKind.SEARCH, PageKind.LOGIN)
        ]
    if site.holds_to(15, 20):
        ties += [
            Tie(path(site, UrlTarget(PageKind.LIST, section.number)), section.title)
            for section in site.sections[:6]
            if in_menu(section)
        ]
    said = f"&copy; {2001 + site.habit(16, 24)} {site.title}. {site.menu('copyright')}"
    partners = ""
    if site.holds_to(17, 28):
        chosen = dict(graph.anywhere(throw, site) for _ in range(1 + site.habit(18, 5)))
        homes = " ".join(
            link(Tie(f"http://{other.name}/", other.title)) for other in chosen if other is not site
        )
        partners = f"<br>{site.menu('partners')}: {homes}" if homes else ""
    return f"{' | '.join(link(tie) for tie in ties)}<br>{said}{partners}"
