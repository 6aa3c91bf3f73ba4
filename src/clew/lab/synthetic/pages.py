"""The main part of each kind of page: homes, lists, articles, records, link lists, contact pages."""

# ruff: noqa: ARG001, PLR2004 - all writers are called alike; percent, and shares of 256

from collections.abc import Callable
from typing import NamedTuple

from clew.lab.synthetic import randomness
from clew.lab.synthetic.graph import LinkGraph, Tie
from clew.lab.synthetic.hosts import Holds, Sort
from clew.lab.synthetic.page_frame import hub_topic, in_menu, link
from clew.lab.synthetic.prose import GRAMMARS, bank, facts
from clew.lab.synthetic.randomness import UNIT, Throw
from clew.lab.synthetic.records import SyntheticRecord, address, labels, listed, row
from clew.lab.synthetic.site import Section, Site, Subject
from clew.lab.synthetic.topics import TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path


class Part(NamedTuple):
    """The parts of a page that are its own: title, path to it, main part, links beside it."""

    title: str
    trail: str
    main: str
    beside: str = ""


def write(graph: LinkGraph, site: Site, spot: UrlTarget) -> Part:
    """Write what is particular to one page."""
    return _WRITERS[spot.kind](graph, site, spot)


def sentences(lang: str, about: Subject, throw: Throw, many: int) -> list[str]:
    """Return sentences on a subject, with others between them; marks still to be filled in."""
    own = bank(lang, about.topic)
    words = own.dim if about.dim else own.plain
    near = bank(lang, int(TOPICS.near[about.topic, about.key & 7])).plain
    other = bank(lang, -1).plain
    topical = 50 + (about.key >> 3) % 110  # of 256
    sideways = topical + 25
    said: dict[str, None] = {}  # nobody says the same sentence twice on one page
    for _ in range(many):
        way = throw()
        kind = way & 0xFF
        chosen = words if kind < topical else near if kind < sideways else other
        said[chosen[(way >> 8) % len(chosen)]] = None
    made = list(said)
    if about.mentions >= 0:
        names = bank(lang, about.mentions).mention
        for turn in range(2 + about.key % 4):
            made[(turn * 5) % len(made)] = names[(about.key >> turn) % len(names)]
    return made


def prose(site: Site, about: Subject, throw: Throw, many: int, ties: list[Tie]) -> str:
    """Write paragraphs with headings, and links where a sentence leads on to them."""
    grammar = GRAMMARS[site.lang]
    between, leads = grammar.between, grammar.leads
    said = sentences(site.lang, about, throw, many)
    many = len(said)
    heads = bank(site.lang, about.topic).heads
    every = max(1, many // (len(ties) + 1))
    made, at, waiting = [], 0, list(ties)
    while at < many:
        step = 2 + throw() % 5
        part = said[at : at + step]
        at += step
        while waiting and (len(ties) - len(waiting)) * every < at:
            tie = waiting.pop()
            part.append(leads[throw() % len(leads)].format(link(tie)))
        made.append(f"<p>{between.join(part)}</p>\n")
        if many > 14 and throw() % 5 == 0 and at < many:
            made.append(f"<h2>{heads[throw() % len(heads)]}</h2>\n")
    if waiting:
        made.append(f"<ul>{''.join(f'<li>{link(tie)}</li>' for tie in waiting)}</ul>\n")
    return "".join(made)


def _trail(site: Site, section: Section | None = None) -> str:
    if not site.holds_to(20, 70):
        return ""
    home = f'<a href="/">{site.menu("home")}</a>'
    if section is None:
        return home
    return f'{home} &gt; <a href="{path(site, UrlTarget(PageKind.LIST, section.number))}">{section.title}</a>'


def _content(graph: LinkGraph, site: Site, spot: UrlTarget) -> Part:
    section = site.sections[spot.section]
    about = section.page(spot.place)
    throw = randomness.throws(about.key)
    title = section.title_of(spot.place, site.lang)
    known = facts(site.lang, randomness.mix(about.key))
    ties = graph.text_ties(site, section, spot.place, about.topic, throw)
    many = min(300, 4 + int(6.6 * (throw() * UNIT) ** -1.02))
    body = known.fill(prose(site, about, throw, many, ties))
    if section.holds == Holds.RECORDS:
        body = _detail(site, section, row(site, section, spot.place)) + body
    elif section.holds == Holds.DATA:
        body += _files(site, section, spot.place, throw)
    if spot.other == "print":
        return Part(title, "", f"<h1>{title}</h1>\n{body}")
    written = f"<p><small>{known.person}, {known.year}</small></p>\n"
    body = f"<h1>{title}</h1>\n{written}{body}{_steps(site, section, spot.place)}"
    beside = ""
    if site.holds_to(21, 62):
        more = graph.related(site, section, spot.place, throw, 2 + site.habit(22, 5))
        beside = f"<h4>{site.menu('related')}</h4>\n{_items(more)}"
    return Part(title, _trail(site, section), body, beside)


def _steps(site: Site, section: Section, place: int) -> str:
    """Write the way on from a page: the next, the one before, its print version."""
    ties = []
    if site.holds_to(23, 40):
        if place:
            ties.append(
                Tie(path(site, UrlTarget(PageKind.CONTENT, section.number, place - 1)), site.menu("back"))
            )
        if place + 1 < section.count:
            ties.append(
                Tie(path(site, UrlTarget(PageKind.CONTENT, section.number, place + 1)), site.menu("next"))
            )
    if site.holds_to(24, 12):
        ties.append(
            Tie(path(site, UrlTarget(PageKind.CONTENT, section.number, place, "print")), site.menu("print"))
        )
    return f"<p>{' '.join(link(tie) for tie in ties)}</p>\n" if ties else ""


def _items(ties: list[Tie]) -> str:
    return f"<ul>{''.join(f'<li>{link(tie)}</li>' for tie in ties)}</ul>\n"


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


def _files(site: Site, section: Section, place: int, throw: Throw) -> str:
    ties = []
    for step in range(1 + throw() % 6):
        kind = ("csv", "xls", "pdf")[throw() % 3]
        at = (place + step) % section.count
        said = f"{section.title} {2024 - step} ({kind.upper()})"
        ties.append(Tie(path(site, UrlTarget(PageKind.FILE, section.number, at, kind)), said))
    return f"<h3>{site.menu('files')}</h3>\n{_items(ties)}"


def _list(graph: LinkGraph, site: Site, spot: UrlTarget) -> Part:
    section = site.sections[spot.section]
    places = listed(site, spot)
    title = section.title if not spot.place else f"{section.title} - {site.menu('page')} {spot.place + 1}"
    throw = randomness.throws(randomness.key(section.key, spot.place, 9))
    if section.holds == Holds.RECORDS:
        shown = _sorts(site, spot) + _record_list(site, section, places)
    else:
        shown = _article_list(site, section, places, throw)
    main = f"<h1>{title}</h1>\n{shown}{_pager(site, spot)}"
    return Part(f"{title} - {site.title}", _trail(site), main)


def _article_list(site: Site, section: Section, places: list[int], throw: Throw) -> str:
    form = (section.key >> 18) % 4
    more = GRAMMARS[site.lang].read_more
    made = []
    for place in places:
        url, title = (
            path(site, UrlTarget(PageKind.CONTENT, section.number, place)),
            section.title_of(place, site.lang),
        )
        tie = f'<a href="{url}">{title}</a>'
        if form == 0:
            made.append(f"<li>{tie}</li>")
            continue
        about = section.page(place)
        teaser = sentences(site.lang, about, throw, 1 + form)
        said = facts(site.lang, randomness.mix(about.key)).fill(GRAMMARS[site.lang].between.join(teaser))
        if form == 1:
            made.append(f'<div class="item">{tie}<br>{said}</div>\n')
            continue
        head, on = (title, more[0]) if form == 2 else (tie, more[3])
        made.append(f'<div class="item"><h3>{head}</h3><p>{said} <a href="{url}">{on}</a></p></div>\n')
    return f"<ul>{''.join(made)}</ul>\n" if form == 0 else "".join(made)


def _record_list(site: Site, section: Section, places: list[int]) -> str:
    names = labels(site, section)
    form = (section.key >> 22) % 3
    made = []
    for place in places:
        record = row(site, section, place)
        tie = f'<a href="{path(site, UrlTarget(PageKind.CONTENT, section.number, place))}">{record.name}</a>'
        if form == 0:
            made.append(f"<tr><td>{tie}</td>{''.join(f'<td>{value}</td>' for value in record[1:])}</tr>\n")
        elif form == 1:
            facts_ = ", ".join(f"{name}: {value}" for name, value in zip(names[1:], record[1:], strict=True))
            made.append(f"<dt>{tie}</dt><dd>{facts_}</dd>\n")
        else:
            spans = "".join(
                f"<span>{name}: {value}</span><br>" for name, value in zip(names[1:], record[1:], strict=True)
            )
            made.append(f'<div class="item"><h3>{tie}</h3>{spans}</div>\n')
    if form == 0:
        head = "".join(f"<th>{name}</th>" for name in names)
        return f"<table><tr>{head}</tr>\n{''.join(made)}</table>\n"
    return f"<dl>{''.join(made)}</dl>\n" if form == 1 else "".join(made)


def _sorts(site: Site, spot: UrlTarget) -> str:
    if not site.holds_to(25, 45):
        return ""
    orders = zip(("name", "year", "place"), GRAMMARS[site.lang].menu["sort"].split(","), strict=True)
    ties = [Tie(path(site, spot._replace(other=order)), said) for order, said in orders]
    return f"<p>{' | '.join(link(tie) for tie in ties)}</p>\n"


def _pager(site: Site, spot: UrlTarget) -> str:
    last = site.sections[spot.section].lists - 1
    if not last:
        return ""
    here = spot.place
    numbers = sorted({0, last, *range(max(0, here - 3), min(last, here + 3) + 1)} - {here})
    ties = [Tie(path(site, spot._replace(place=page)), str(page + 1)) for page in numbers]
    if here:
        ties.insert(0, Tie(path(site, spot._replace(place=here - 1)), site.menu("back")))
    if here < last:
        ties.append(Tie(path(site, spot._replace(place=here + 1)), site.menu("next")))
    return f"<p>{' '.join(link(tie) for tie in ties)}</p>\n"


def own_subject(site: Site) -> Subject:
    """Say what a host's home page is about: its topic when it has one, an everyday one otherwise."""
    topic = site.topic if site.sort <= Sort.NEAR else TOPICS.everyday[site.key % len(TOPICS.everyday)]
    return Subject(site.key & ~(0xFFFF << 40) | 0xFFFF << 40, topic)


def _home(graph: LinkGraph, site: Site, spot: UrlTarget) -> Part:
    throw = randomness.throws(randomness.mix(site.key + 1))
    about, known = own_subject(site), facts(site.lang, randomness.mix(site.key))
    grammar = GRAMMARS[site.lang]
    made = [f"<h1>{grammar.menu['welcome']} {site.title}</h1>\n"]
    made.append(
        f"<p>{known.fill(grammar.between.join(sentences(site.lang, about, throw, 3 + throw() % 5)))}</p>\n"
    )
    for section in site.sections:
        if not in_menu(section):
            continue
        top = Tie(path(site, UrlTarget(PageKind.LIST, section.number)), section.title)
        places = dict.fromkeys(int(section.count * (throw() * UNIT) ** 2) for _ in range(2 + throw() % 4))
        ties = [
            graph.tie(throw, site, site, UrlTarget(PageKind.CONTENT, section.number, place))
            for place in places
        ]
        made.append(f"<h3>{link(top)}</h3>\n{_items(ties)}")
    out = [graph.tie(throw, site, *graph.out(throw, site, about.topic, 30)) for _ in range(throw() % 6)]
    beside = f"<h4>{site.menu('partners')}</h4>\n{_items(out)}" if out else ""
    return Part(site.title, "", "".join(made), beside)


def _about(graph: LinkGraph, site: Site, spot: UrlTarget) -> Part:
    throw = randomness.throws(randomness.mix(site.key + 2))
    about, known = own_subject(site), facts(site.lang, randomness.mix(site.key + 2))
    title = site.menu("about")
    return Part(
        f"{title} - {site.title}", _trail(site),
        f"<h1>{title}</h1>\n{known.fill(prose(site, about, throw, 8 + throw() % 12, []))}",
    )  # fmt: skip


def _contact(graph: LinkGraph, site: Site, spot: UrlTarget) -> Part:
    where = address(site)
    title = site.menu("contact") if site.lang != "de" else "Impressum"
    telephone = {"ja": "電話", "de": "Telefon", "fr": "Tél."}.get(site.lang, "Phone")
    mail = f"info@{site.name.removeprefix('www.')}"
    throw = randomness.throws(randomness.mix(site.key + 4))
    general = bank(site.lang, -1).plain
    said = facts(site.lang, site.key).fill(general[throw() % len(general)])
    form = "address" if site.layout > 2 else "p"
    main = (
        f"<h1>{title}</h1>\n<{form}>{'<br>'.join(where.lines(site.lang))}<br>{telephone}: {where.phone}<br>"
        f'<a href="mailto:{mail}">{mail}</a></{form}>\n<p>{said}</p>\n'
    )
    return Part(f"{title} - {site.title}", _trail(site), main)


def _overview(graph: LinkGraph, site: Site, spot: UrlTarget) -> Part:
    """Write the page that names every section, also those that no menu has."""
    title = site.menu("overview")
    made = [
        Tie(path(site, UrlTarget(PageKind.LIST, section.number)), section.title) for section in site.sections
    ]
    made += [
        Tie(path(site, UrlTarget(PageKind.HUB, 0, place)), f"{site.menu('links')} {place + 1}")
        for place in range(site.hubs)
    ]
    return Part(f"{title} - {site.title}", _trail(site), f"<h1>{title}</h1>\n{_items(made)}")


def _form(graph: LinkGraph, site: Site, spot: UrlTarget) -> Part:
    title = site.menu(spot.kind.name.lower())
    fields = '<input type="text" name="q">' if spot.kind == PageKind.SEARCH else (
        '<input type="text" name="user"> <input type="password" name="word">'
    )  # fmt: skip
    said = "" if spot.kind == PageKind.SEARCH else f"<p>{GRAMMARS[site.lang].menu['private']}</p>\n"
    action = path(site, spot)
    form = f'<form method="post" action="{action}">{fields} <input type="submit" value="OK"></form>\n'
    main = f"<h1>{title}</h1>\n{said}{form}"
    return Part(f"{title} - {site.title}", _trail(site), main)


def _hub(graph: LinkGraph, site: Site, spot: UrlTarget) -> Part:
    topic = hub_topic(site, spot.place)
    throw = randomness.throws(randomness.key(site.key, spot.place, 5))
    ties = graph.hub_ties(site, topic, throw)
    title = f"{site.menu('links')}: {TOPICS[topic].title(site.lang)}"
    if throw() % 100 < 30 and site.sort != Sort.DIRECTORY:
        title = site.menu("links")
    about = Subject(randomness.mix(site.key + spot.place) | 0xFFFF << 40, topic)
    told = sentences(site.lang, about, throw, 1 + len(ties) // 4)
    known = facts(site.lang, about.key)
    form = site.habit(26, 3)
    made = []
    for turn, tie in enumerate(ties):
        said = f" - {known.fill(told[turn // 4 % len(told)])}" if form and turn % 4 == 0 else ""
        made.append(f"<li>{link(tie)}{said}</li>")
    rest = [
        Tie(path(site, UrlTarget(PageKind.HUB, 0, place)), TOPICS[hub_topic(site, place)].title(site.lang))
        for place in range(site.hubs)
        if place != spot.place and site.sort != Sort.DIRECTORY
    ]
    main = f"<h1>{title}</h1>\n<p>{known.fill(told[0])}</p>\n<ul>{''.join(made)}</ul>\n"
    return Part(f"{title} - {site.title}", _trail(site), main, _items(rest) if rest else "")


_WRITERS: dict[PageKind, Callable[[LinkGraph, Site, UrlTarget], Part]] = {
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
