"""Where links lead: inside a section, across a host, to hosts on the same topic, and anywhere.

Fame decides: the pages and hosts that are linked to most follow a power law, because ranks are drawn
with a power of a uniform throw. Secluded sections are never linked to from other hosts.
"""

# ruff: noqa: PLR2004 - percent, and shares of 256

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import NamedTuple

from clew.lab.synthetic import randomness
from clew.lab.synthetic.hosts import Sort, WebPlan
from clew.lab.synthetic.prose import GRAMMARS, bank, facts
from clew.lab.synthetic.randomness import UNIT, Throw
from clew.lab.synthetic.site import Section, Site, host_names, make_site
from clew.lab.synthetic.topics import LANGUAGES, TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path

FAME = 3.2
"""How steep fame is: ranks drawn with u**3.2 make in-degrees fall with an exponent of about 2.1."""

_DEAD = 4  # of 256 links: those to pages that are gone
_OLD = 3  # of 256 links: those that still use an old address, which redirects
_MISLEADING = 9  # of 256 anchors
_PHRASES = 70  # of 256 anchors: a phrase about the target instead of its title


class Tie(NamedTuple):
    """One link: where it leads and what it says."""

    url: str
    anchor: str


class LinkGraph:
    """The links of a web, each made when it is asked for."""

    def __init__(self, plan: WebPlan) -> None:
        self.plan = plan

    @cached_property
    def names(self) -> list[str]:
        """The names of all hosts."""
        return host_names(self.plan)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The hosts by their names."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def site(self) -> Callable[[int], Site]:
        """What gives the host of a number; the last 30,000 are kept."""
        return lru_cache(maxsize=30_000)(lambda number: make_site(self.plan, number, self.names[number]))

    def abroad(self, throw: Throw, source: Site, topic: int) -> tuple[Site, UrlTarget]:
        """Choose a page of another host that is known for a topic."""
        known = self.plan.directory.sections(topic, LANGUAGES.index(source.lang))
        row = int(known[int(len(known) * (throw() * UNIT) ** FAME)])
        site = self.site(int(self.plan.sections.host[row]))
        section = site.sections[row - int(self.plan.hosts.first[site.number])]
        way = throw() % 100
        if way < 24 and section.topic == site.topic:
            return site, UrlTarget(PageKind.HOME)
        if way < 40:
            return site, UrlTarget(PageKind.LIST, section.number)
        return site, UrlTarget(
            PageKind.CONTENT, section.number, int(section.count * (throw() * UNIT) ** FAME)
        )

    def anywhere(self, throw: Throw, source: Site) -> tuple[Site, UrlTarget]:
        """Choose a page for no topical reason: mostly the home of a famous host."""
        tongue = LANGUAGES.index(source.lang) if throw() % 100 < 88 else 0
        known = self.plan.directory.hosts(tongue)
        share = throw() * UNIT
        site = self.site(known[int(len(known) * share**FAME)])
        way = throw() % 100
        if way < 66:
            return site, UrlTarget(PageKind.HOME)
        open_ = [section for section in site.sections if not section.secluded]
        if not open_:
            return site, UrlTarget(PageKind.HOME)
        section = open_[throw() % len(open_)]
        if way < 78:
            return site, UrlTarget(PageKind.LIST, section.number)
        return site, UrlTarget(PageKind.CONTENT, section.number, int(section.count * (throw() * UNIT) ** 3))

    def out(self, throw: Throw, source: Site, topic: int, same: int) -> tuple[Site, UrlTarget]:
        """Choose a page elsewhere: `same` of 100 on the topic, some near it, the rest anywhere."""
        way = throw() % 100
        if way < same:
            return self.abroad(throw, source, topic)
        if way < same + 15:
            return self.abroad(throw, source, int(TOPICS.near[topic, way % 8]))
        return self.anywhere(throw, source)

    def inside(self, throw: Throw, source: Site, section: Section, place: int) -> UrlTarget:
        """Choose a page of the same host, mostly of the same section."""
        way = throw()
        choice = way % 100
        if choice < 46 or len(source.sections) == 1:
            if choice < 26:
                step = 1 + (way >> 8) % 9
                return UrlTarget(
                    PageKind.CONTENT,
                    section.number,
                    (place + step * (1 if way >> 16 & 1 else -1)) % section.count,
                )
            return UrlTarget(PageKind.CONTENT, section.number, int(section.count * (way * UNIT) ** 3))
        other = source.sections[(way >> 8) % len(source.sections)]
        if choice < 58:
            return UrlTarget(PageKind.LIST, other.number)
        return UrlTarget(PageKind.CONTENT, other.number, int(other.count * (way * UNIT) ** 3))

    def text_ties(self, source: Site, section: Section, place: int, topic: int, throw: Throw) -> list[Tie]:
        """Make the links in the text of a page: few on most, very many on some."""
        many = min(240, int(1.7 * (throw() * UNIT) ** -0.75))
        same = 8 if section.secluded else 44
        ties = []
        for _ in range(many):
            way = throw()
            if way & 0xFF < source.outward:
                site, spot = self.out(throw, source, topic, same)
            else:
                site, spot = source, self.inside(throw, source, section, place)
            ties.append(self.tie(throw, source, site, spot))
        return ties

    def related(self, source: Site, section: Section, place: int, throw: Throw, many: int) -> list[Tie]:
        """Make the links beside a page: neighbours in its section."""
        first = throw() % 7
        spots = ((place + first + step * step) % section.count for step in range(1, many + 1))
        return [
            self.tie(throw, source, source, UrlTarget(PageKind.CONTENT, section.number, spot))
            for spot in dict.fromkeys(spots)
        ]

    def hub_ties(self, source: Site, topic: int, throw: Throw) -> list[Tie]:
        """Make a list of links on a topic, as collectors of links keep them."""
        many = min(150, int(14 * (throw() * UNIT) ** -0.5))
        same = 74 if source.sort != Sort.DIRECTORY else 82
        ties = (self.tie(throw, source, *self.out(throw, source, topic, same)) for _ in range(many))
        return list({tie.url: tie for tie in ties}.values())

    def tie(self, throw: Throw, source: Site, site: Site, spot: UrlTarget) -> Tie:
        """Write a link: its address as the source spells it, an anchor that tells more or less."""
        way = throw()
        fate = way & 0xFF
        if spot.kind == PageKind.CONTENT:
            section = site.sections[spot.section]
            if fate < _DEAD:
                url = path(site, UrlTarget(PageKind.CONTENT, spot.section, site.count + 1 + (way >> 20) % 50))
            elif fate < _DEAD + _OLD:
                url = f"/old/{section.start + spot.place}.html"
            else:
                url = path(site, spot)
        else:
            url = path(site, spot)
            if fate < 12 and spot.kind == PageKind.LIST and url.endswith("/"):
                url = url[:-1]
        if site is not source:
            host = site.name
            if fate > 250 and spot.kind != PageKind.CONTENT:
                host = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
            url = f"http://{host}{url}"
        return Tie(url, self.anchor(way >> 8, source, site, spot))

    def anchor(self, way: int, source: Site, site: Site, spot: UrlTarget) -> str:
        """Return what a link says: mostly its target's title, at times nothing or the wrong thing."""
        said, way = way & 0xFF, way >> 8
        if said < source.generic:
            words = GRAMMARS[source.lang].read_more
            return words[way % len(words)]
        said -= source.generic
        if said < _MISLEADING:
            phrases = bank(source.lang, way % len(TOPICS.asked)).phrases
            return facts(source.lang, way).fill(phrases[way % len(phrases)])
        if spot.kind == PageKind.HOME:
            return site.title if way & 3 else site.name
        section = site.sections[spot.section]
        if spot.kind != PageKind.CONTENT:
            return section.title if way & 7 else site.title
        if said < _MISLEADING + _PHRASES:
            about = section.page(spot.place)
            if not about.dim:
                phrases = bank(site.lang, about.topic).phrases
                return facts(site.lang, randomness.mix(about.key)).fill(phrases[way % len(phrases)])
        return section.title_of(spot.place, site.lang)
