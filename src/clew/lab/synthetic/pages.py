"""The main part of each kind of page: homes, lists, articles, records, link lists, contact pages."""

# ruff: noqa: ARG001, PLR2004 - all writers have one signature; percent, and shares of 256

from collections.abc import Callable
from typing import NamedTuple

from clew.lab.synthetic import randomness
from clew.lab.synthetic.grammar import grammar_of
from clew.lab.synthetic.graph import LinkGraph, SyntheticLink
from clew.lab.synthetic.hosts import HostKind, SectionContent
from clew.lab.synthetic.page_frame import hub_topic, in_menu, link_html
from clew.lab.synthetic.prose import bank, facts
from clew.lab.synthetic.randomness import UNIT, RandomStream
from clew.lab.synthetic.records import SyntheticRecord, address, labels, listed, row
from clew.lab.synthetic.site import Section, Site, Subject
from clew.lab.synthetic.topics import TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path


class PageBody(NamedTuple):
    """The parts of a page that differ from page to page."""

    title: str
    breadcrumbs: str
    main: str
    sidebar: str = ""


def write(graph: LinkGraph, site: Site, target: UrlTarget) -> PageBody:
    """Write the body of a page."""
    return _WRITERS[target.kind](graph, site, target)


def sentences(lang: str, about: Subject, draw: RandomStream, count: int) -> list[str]:
    """Return sentences on a subject, mixed with others; marks are still to be filled in."""
    own = bank(lang, about.topic)
    words = own.implicit if about.implicit else own.plain
    near = bank(lang, int(TOPICS.near[about.topic, about.key & 7])).plain
    other = bank(lang, -1).plain
    topical = 50 + (about.key >> 3) % 110  # of 256
    related = topical + 25
    unique: dict[str, None] = {}  # no sentence occurs twice on one page
    for _ in range(count):
        value = draw()
        kind = value & 0xFF
        chosen = words if kind < topical else near if kind < related else other
        unique[chosen[(value >> 8) % len(chosen)]] = None
    chosen_sentences = list(unique)
    if about.mentions >= 0:
        names = bank(lang, about.mentions).mentions
        for step in range(2 + about.key % 4):
            chosen_sentences[(step * 5) % len(chosen_sentences)] = names[(about.key >> step) % len(names)]
    return chosen_sentences


def prose(site: Site, about: Subject, draw: RandomStream, count: int, links: list[SyntheticLink]) -> str:
    """Write paragraphs with headings, and links in sentences that introduce them."""
    grammar = grammar_of(site.lang)
    separator, link_sentences = grammar.sentence_separator, grammar.link_sentences
    texts = sentences(site.lang, about, draw, count)
    count = len(texts)
    headings = bank(site.lang, about.topic).headings
    every = max(1, count // (len(links) + 1))
    parts, at, remaining = [], 0, list(links)
    while at < count:
        step = 2 + draw() % 5
        part = texts[at : at + step]
        at += step
        while remaining and (len(links) - len(remaining)) * every < at:
            link = remaining.pop()
            part.append(link_sentences[draw() % len(link_sentences)].format(link_html(link)))
        parts.append(f"<p>{separator.join(part)}</p>\n")
        if count > 14 and draw() % 5 == 0 and at < count:
            parts.append(f"<h2>{headings[draw() % len(headings)]}</h2>\n")
    if remaining:
        parts.append(f"<ul>{''.join(f'<li>{link_html(link)}</li>' for link in remaining)}</ul>\n")
    return "".join(parts)


def _breadcrumbs(site: Site, section: Section | None = None) -> str:
    if not site.has_trait(20, 70):
        return ""
    home = f'<a href="/">{site.menu("home")}</a>'
    if section is None:
        return home
    return f'{home} &gt; <a href="{path(site, UrlTarget(PageKind.LIST, section.number))}">{section.title}</a>'


def _content(graph: LinkGraph, site: Site, target: UrlTarget) -> PageBody:
    section = site.sections[target.section]
    about = section.page(target.position)
    draw = randomness.random_stream(about.key)
    title = section.title_of(target.position, site.lang)
    known = facts(site.lang, randomness.mix(about.key))
    links = graph.text_links(site, section, target.position, about.topic, draw)
    count = min(300, 4 + int(6.6 * (draw() * UNIT) ** -1.02))
    body = known.fill(prose(site, about, draw, count, links))
    if section.content == SectionContent.RECORDS:
        body = _detail(site, section, row(site, section, target.position)) + body
    elif section.content == SectionContent.DATA:
        body += _files(site, section, target.position, draw)
    if target.variant == "print":
        return PageBody(title, "", f"<h1>{title}</h1>\n{body}")
    byline = f"<p><small>{known.person}, {known.year}</small></p>\n"
    body = f"<h1>{title}</h1>\n{byline}{body}{_navigation(site, section, target.position)}"
    sidebar = ""
    if site.has_trait(21, 62):
        more = graph.related_links(site, section, target.position, draw, 2 + site.trait(22, 5))
        sidebar = f"<h4>{site.menu('related')}</h4>\n{_items(more)}"
    return PageBody(title, _breadcrumbs(site, section), body, sidebar)


def _navigation(site: Site, section: Section, position: int) -> str:
    """Write the links to the next page, the previous one and the print version."""
    links = []
    if site.has_trait(23, 40):
        if position:
            links.append(
                SyntheticLink(
                    path(site, UrlTarget(PageKind.CONTENT, section.number, position - 1)), site.menu("back")
                )
            )
        if position + 1 < section.count:
            links.append(
                SyntheticLink(
                    path(site, UrlTarget(PageKind.CONTENT, section.number, position + 1)), site.menu("next")
                )
            )
    if site.has_trait(24, 12):
        links.append(
            SyntheticLink(
                path(site, UrlTarget(PageKind.CONTENT, section.number, position, "print")), site.menu("print")
            )
        )
    return f"<p>{' '.join(link_html(link) for link in links)}</p>\n" if links else ""


def _items(links: list[SyntheticLink]) -> str:
    return f"<ul>{''.join(f'<li>{link_html(link)}</li>' for link in links)}</ul>\n"


def _detail(site: Site, section: Section, record: SyntheticRecord) -> str:
    """Write the attributes of a record, in one of four forms."""
    pairs = list(zip(labels(site, section), record, strict=True))
    form = (section.key >> 16) % 4
    if form == 0:
        rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in pairs)
        return f"<table>{rows}</table>\n"
    if form == 1:
        return f"<dl>{''.join(f'<dt>{name}</dt><dd>{value}</dd>' for name, value in pairs)}</dl>\n"
    if form == 2:
        return "".join(f"<div><b>{name}:</b> {value}</div>" for name, value in pairs) + "\n"
    return f"<p>{'<br>'.join(f'{name}: {value}' for name, value in pairs)}</p>\n"


def _files(site: Site, section: Section, position: int, draw: RandomStream) -> str:
    links = []
    for step in range(1 + draw() % 6):
        kind = ("csv", "xls", "pdf")[draw() % 3]
        at = (position + step) % section.count
        anchor = f"{section.title} {2024 - step} ({kind.upper()})"
        links.append(SyntheticLink(path(site, UrlTarget(PageKind.FILE, section.number, at, kind)), anchor))
    return f"<h3>{site.menu('files')}</h3>\n{_items(links)}"


def _list(graph: LinkGraph, site: Site, target: UrlTarget) -> PageBody:
    section = site.sections[target.section]
    positions = listed(site, target)
    title = (
        section.title
        if not target.position
        else f"{section.title} - {site.menu('page')} {target.position + 1}"
    )
    draw = randomness.random_stream(randomness.combine(section.key, target.position, 9))
    if section.content == SectionContent.RECORDS:
        shown = _sort_links(site, target) + _record_list(site, section, positions)
    else:
        shown = _article_list(site, section, positions, draw)
    main = f"<h1>{title}</h1>\n{shown}{_pager(site, target)}"
    return PageBody(f"{title} - {site.title}", _breadcrumbs(site), main)


def _article_list(site: Site, section: Section, positions: list[int], draw: RandomStream) -> str:
    form = (section.key >> 18) % 4
    more = grammar_of(site.lang).generic_anchors
    parts = []
    for position in positions:
        url, title = (
            path(site, UrlTarget(PageKind.CONTENT, section.number, position)),
            section.title_of(position, site.lang),
        )
        link = f'<a href="{url}">{title}</a>'
        if form == 0:
            parts.append(f"<li>{link}</li>")
            continue
        about = section.page(position)
        teaser = sentences(site.lang, about, draw, 1 + form)
        text = facts(site.lang, randomness.mix(about.key)).fill(
            grammar_of(site.lang).sentence_separator.join(teaser)
        )
        if form == 1:
            parts.append(f'<div class="item">{link}<br>{text}</div>\n')
            continue
        heading, anchor = (title, more[0]) if form == 2 else (link, more[3])
        parts.append(
            f'<div class="item"><h3>{heading}</h3><p>{text} <a href="{url}">{anchor}</a></p></div>\n'
        )
    return f"<ul>{''.join(parts)}</ul>\n" if form == 0 else "".join(parts)


def _record_list(site: Site, section: Section, positions: list[int]) -> str:
    names = labels(site, section)
    form = (section.key >> 22) % 3
    parts = []
    for position in positions:
        record = row(site, section, position)
        link = (
            f'<a href="{path(site, UrlTarget(PageKind.CONTENT, section.number, position))}">{record.name}</a>'
        )
        if form == 0:
            parts.append(f"<tr><td>{link}</td>{''.join(f'<td>{value}</td>' for value in record[1:])}</tr>\n")
        elif form == 1:
            facts_ = ", ".join(f"{name}: {value}" for name, value in zip(names[1:], record[1:], strict=True))
            parts.append(f"<dt>{link}</dt><dd>{facts_}</dd>\n")
        else:
            spans = "".join(
                f"<span>{name}: {value}</span><br>" for name, value in zip(names[1:], record[1:], strict=True)
            )
            parts.append(f'<div class="item"><h3>{link}</h3>{spans}</div>\n')
    if form == 0:
        head = "".join(f"<th>{name}</th>" for name in names)
        return f"<table><tr>{head}</tr>\n{''.join(parts)}</table>\n"
    return f"<dl>{''.join(parts)}</dl>\n" if form == 1 else "".join(parts)


def _sort_links(site: Site, target: UrlTarget) -> str:
    if not site.has_trait(25, 45):
        return ""
    orders = zip(("name", "year", "place"), grammar_of(site.lang).menu["sort"], strict=True)
    links = [SyntheticLink(path(site, target._replace(variant=order)), anchor) for order, anchor in orders]
    return f"<p>{' | '.join(link_html(link) for link in links)}</p>\n"


def _pager(site: Site, target: UrlTarget) -> str:
    last = site.sections[target.section].lists - 1
    if not last:
        return ""
    here = target.position
    numbers = sorted({0, last, *range(max(0, here - 3), min(last, here + 3) + 1)} - {here})
    links = [SyntheticLink(path(site, target._replace(position=page)), str(page + 1)) for page in numbers]
    if here:
        links.insert(0, SyntheticLink(path(site, target._replace(position=here - 1)), site.menu("back")))
    if here < last:
        links.append(SyntheticLink(path(site, target._replace(position=here + 1)), site.menu("next")))
    return f"<p>{' '.join(link_html(link) for link in links)}</p>\n"


def own_subject(site: Site) -> Subject:
    """Return the subject of a host's home page: its topic when it has one, an everyday one otherwise."""
    topic = site.topic if site.kind <= HostKind.NEAR else TOPICS.everyday[site.key % len(TOPICS.everyday)]
    return Subject(site.key & ~(0xFFFF << 40) | 0xFFFF << 40, topic)


def _home(graph: LinkGraph, site: Site, target: UrlTarget) -> PageBody:
    draw = randomness.random_stream(randomness.mix(site.key + 1))
    about, known = own_subject(site), facts(site.lang, randomness.mix(site.key))
    grammar = grammar_of(site.lang)
    separator = grammar.sentence_separator
    parts = [f"<h1>{grammar.menu['welcome'][0]} {site.title}</h1>\n"]
    parts.append(f"<p>{known.fill(separator.join(sentences(site.lang, about, draw, 3 + draw() % 5)))}</p>\n")
    for section in site.sections:
        if not in_menu(section):
            continue
        heading = SyntheticLink(path(site, UrlTarget(PageKind.LIST, section.number)), section.title)
        positions = dict.fromkeys(int(section.count * (draw() * UNIT) ** 2) for _ in range(2 + draw() % 4))
        links = [
            graph.make_link(draw, site, site, UrlTarget(PageKind.CONTENT, section.number, position))
            for position in positions
        ]
        parts.append(f"<h3>{link_html(heading)}</h3>\n{_items(links)}")
    out = [
        graph.make_link(draw, site, *graph.external_target(draw, site, about.topic, 30))
        for _ in range(draw() % 6)
    ]
    sidebar = f"<h4>{site.menu('partners')}</h4>\n{_items(out)}" if out else ""
    return PageBody(site.title, "", "".join(parts), sidebar)


def _about(graph: LinkGraph, site: Site, target: UrlTarget) -> PageBody:
    draw = randomness.random_stream(randomness.mix(site.key + 2))
    about, known = own_subject(site), facts(site.lang, randomness.mix(site.key + 2))
    title = site.menu("about")
    return PageBody(
        f"{title} - {site.title}", _breadcrumbs(site),
        f"<h1>{title}</h1>\n{known.fill(prose(site, about, draw, 8 + draw() % 12, []))}",
    )  # fmt: skip


def _contact(graph: LinkGraph, site: Site, target: UrlTarget) -> PageBody:
    where = address(site)
    title = site.menu("contact") if site.lang != "de" else "Impressum"
    telephone = {"ja": "電話", "de": "Telefon", "fr": "Tél."}.get(site.lang, "Phone")
    mail = f"info@{site.name.removeprefix('www.')}"
    draw = randomness.random_stream(randomness.mix(site.key + 4))
    general = bank(site.lang, -1).plain
    text = facts(site.lang, site.key).fill(general[draw() % len(general)])
    form = "address" if site.layout > 2 else "p"
    main = (
        f"<h1>{title}</h1>\n<{form}>{'<br>'.join(where.lines(site.lang))}<br>{telephone}: {where.phone}<br>"
        f'<a href="mailto:{mail}">{mail}</a></{form}>\n<p>{text}</p>\n'
    )
    return PageBody(f"{title} - {site.title}", _breadcrumbs(site), main)


def _overview(graph: LinkGraph, site: Site, target: UrlTarget) -> PageBody:
    """Write the page that lists every section, also those that are in no menu."""
    title = site.menu("overview")
    parts = [
        SyntheticLink(path(site, UrlTarget(PageKind.LIST, section.number)), section.title)
        for section in site.sections
    ]
    parts += [
        SyntheticLink(
            path(site, UrlTarget(PageKind.HUB, 0, position)), f"{site.menu('links')} {position + 1}"
        )
        for position in range(site.hubs)
    ]
    return PageBody(f"{title} - {site.title}", _breadcrumbs(site), f"<h1>{title}</h1>\n{_items(parts)}")


def _form(graph: LinkGraph, site: Site, target: UrlTarget) -> PageBody:
    title = site.menu(target.kind.name.lower())
    fields = '<input type="text" name="q">' if target.kind == PageKind.SEARCH else (
        '<input type="text" name="user"> <input type="password" name="word">'
    )  # fmt: skip
    notice = "" if target.kind == PageKind.SEARCH else f"<p>{grammar_of(site.lang).menu['private'][0]}</p>\n"
    action = path(site, target)
    form = f'<form method="post" action="{action}">{fields} <input type="submit" value="OK"></form>\n'
    main = f"<h1>{title}</h1>\n{notice}{form}"
    return PageBody(f"{title} - {site.title}", _breadcrumbs(site), main)


def _hub(graph: LinkGraph, site: Site, target: UrlTarget) -> PageBody:
    topic = hub_topic(site, target.position)
    draw = randomness.random_stream(randomness.combine(site.key, target.position, 5))
    links = graph.hub_links(site, topic, draw)
    title = f"{site.menu('links')}: {TOPICS[topic].title(site.lang)}"
    if draw() % 100 < 30 and site.kind != HostKind.DIRECTORY:
        title = site.menu("links")
    about = Subject(randomness.mix(site.key + target.position) | 0xFFFF << 40, topic)
    texts = sentences(site.lang, about, draw, 1 + len(links) // 4)
    known = facts(site.lang, about.key)
    form = site.trait(26, 3)
    parts = []
    for number, link in enumerate(links):
        text = f" - {known.fill(texts[number // 4 % len(texts)])}" if form and number % 4 == 0 else ""
        parts.append(f"<li>{link_html(link)}{text}</li>")
    rest = [
        SyntheticLink(
            path(site, UrlTarget(PageKind.HUB, 0, position)),
            TOPICS[hub_topic(site, position)].title(site.lang),
        )
        for position in range(site.hubs)
        if position != target.position and site.kind != HostKind.DIRECTORY
    ]
    main = f"<h1>{title}</h1>\n<p>{known.fill(texts[0])}</p>\n<ul>{''.join(parts)}</ul>\n"
    return PageBody(f"{title} - {site.title}", _breadcrumbs(site), main, _items(rest) if rest else "")


_WRITERS: dict[PageKind, Callable[[LinkGraph, Site, UrlTarget], PageBody]] = {
    PageKind.HOME: _home,
    PageKind.ABOUT: _about,
    PageKind.CONTACT: _contact,
    PageKind.OVERVIEW: _overview,
    PageKind.SEARCH: _form,
    PageKind.LOGIN: _form,
    PageKind.HUB: _hub,
    PageKind.LIST: _list,
    PageKind.CONTENT: _content,
}
