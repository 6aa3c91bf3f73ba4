"""The link graph: links inside a section, across a host, to hosts on the same topic, and to any other.

In-links of pages and hosts follow a power law, because ranks are drawn with a power of a uniform random
number. Secluded sections are never linked to from other hosts.
"""

# ruff: noqa: PLR2004 - percent, and shares of 256

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import NamedTuple

from clew.lab.synthetic import randomness
from clew.lab.synthetic.grammar import grammar_of
from clew.lab.synthetic.hosts import HostKind, WebPlan
from clew.lab.synthetic.prose import bank, facts
from clew.lab.synthetic.randomness import UNIT, RandomStream
from clew.lab.synthetic.site import Section, Site, host_names, make_site
from clew.lab.synthetic.topics import LANGUAGES, TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path

POPULARITY_EXPONENT = 3.2
"""Skew of the link distribution: ranks drawn with u**3.2 give in-degrees a tail exponent of about 2.1."""

_DEAD = 4  # of 256 links: those to pages that are gone
_OLD = 3  # of 256 links: those that still use an old URL, which redirects
_MISLEADING = 9  # of 256 anchors
_PHRASES = 70  # of 256 anchors: a phrase about the target instead of its title


class SyntheticLink(NamedTuple):
    """One link of a page: URL and anchor text."""

    url: str
    anchor: str


class LinkGraph:
    """The links of a web, generated on demand."""

    def __init__(self, plan: WebPlan) -> None:
        self.plan = plan

    @cached_property
    def names(self) -> list[str]:
        """The names of all hosts."""
        return host_names(self.plan)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The numbers of the hosts by their names."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def site(self) -> Callable[[int], Site]:
        """A function from the number of a host to the host; the last 30,000 are cached."""
        return lru_cache(maxsize=30_000)(lambda number: make_site(self.plan, number, self.names[number]))

    def topical_target(self, draw: RandomStream, source: Site, topic: int) -> tuple[Site, UrlTarget]:
        """Choose a page of another host that is candidates for a topic."""
        candidates = self.plan.directory.sections(topic, LANGUAGES.index(source.lang))
        row = int(candidates[int(len(candidates) * (draw() * UNIT) ** POPULARITY_EXPONENT)])
        site = self.site(int(self.plan.sections.host[row]))
        section = site.sections[row - int(self.plan.hosts.first[site.number])]
        value = draw() % 100
        if value < 24 and section.topic == site.topic:
            return site, UrlTarget(PageKind.HOME)
        if value < 40:
            return site, UrlTarget(PageKind.LIST, section.number)
        return site, UrlTarget(
            PageKind.CONTENT, section.number, int(section.count * (draw() * UNIT) ** POPULARITY_EXPONENT)
        )

    def any_target(self, draw: RandomStream, source: Site) -> tuple[Site, UrlTarget]:
        """Choose a page for no topical reason: mostly the home page of a popular host."""
        lang_number = LANGUAGES.index(source.lang) if draw() % 100 < 88 else 0
        candidates = self.plan.directory.hosts(lang_number)
        share = draw() * UNIT
        site = self.site(candidates[int(len(candidates) * share**POPULARITY_EXPONENT)])
        value = draw() % 100
        if value < 66:
            return site, UrlTarget(PageKind.HOME)
        listed = [section for section in site.sections if not section.secluded]
        if not listed:
            return site, UrlTarget(PageKind.HOME)
        section = listed[draw() % len(listed)]
        if value < 78:
            return site, UrlTarget(PageKind.LIST, section.number)
        return site, UrlTarget(PageKind.CONTENT, section.number, int(section.count * (draw() * UNIT) ** 3))

    def external_target(
        self, draw: RandomStream, source: Site, topic: int, same: int
    ) -> tuple[Site, UrlTarget]:
        """Choose a page of another host: `same` percent on the topic, some on related ones, the rest any."""
        value = draw() % 100
        if value < same:
            return self.topical_target(draw, source, topic)
        if value < same + 15:
            return self.topical_target(draw, source, int(TOPICS.near[topic, value % 8]))
        return self.any_target(draw, source)

    def internal_target(self, draw: RandomStream, source: Site, section: Section, position: int) -> UrlTarget:
        """Choose a page of the same host, mostly of the same section."""
        value = draw()
        choice = value % 100
        if choice < 46 or len(source.sections) == 1:
            if choice < 26:
                step = 1 + (value >> 8) % 9
                return UrlTarget(
                    PageKind.CONTENT,
                    section.number,
                    (position + step * (1 if value >> 16 & 1 else -1)) % section.count,
                )
            return UrlTarget(PageKind.CONTENT, section.number, int(section.count * (value * UNIT) ** 3))
        other = source.sections[(value >> 8) % len(source.sections)]
        if choice < 58:
            return UrlTarget(PageKind.LIST, other.number)
        return UrlTarget(PageKind.CONTENT, other.number, int(other.count * (value * UNIT) ** 3))

    def text_links(
        self, source: Site, section: Section, position: int, topic: int, draw: RandomStream
    ) -> list[SyntheticLink]:
        """Make the links in the text of a page: few on most pages, very many on some."""
        count = min(240, int(1.7 * (draw() * UNIT) ** -0.75))
        same = 8 if section.secluded else 44
        links = []
        for _ in range(count):
            value = draw()
            if value & 0xFF < source.outward:
                site, target = self.external_target(draw, source, topic, same)
            else:
                site, target = source, self.internal_target(draw, source, section, position)
            links.append(self.make_link(draw, source, site, target))
        return links

    def related_links(
        self, source: Site, section: Section, position: int, draw: RandomStream, count: int
    ) -> list[SyntheticLink]:
        """Make the links in the sidebar of a page: neighbours in its section."""
        first = draw() % 7
        positions = ((position + first + step * step) % section.count for step in range(1, count + 1))
        return [
            self.make_link(draw, source, source, UrlTarget(PageKind.CONTENT, section.number, other))
            for other in dict.fromkeys(positions)
        ]

    def hub_links(self, source: Site, topic: int, draw: RandomStream) -> list[SyntheticLink]:
        """Make a list of links on a topic, as on the hub pages of directories."""
        count = min(150, int(14 * (draw() * UNIT) ** -0.5))
        same = 74 if source.kind != HostKind.DIRECTORY else 82
        links = (
            self.make_link(draw, source, *self.external_target(draw, source, topic, same))
            for _ in range(count)
        )
        return list({link.url: link for link in links}.values())

    def make_link(self, draw: RandomStream, source: Site, site: Site, target: UrlTarget) -> SyntheticLink:
        """Make a link: its URL as the source spells it, and an anchor text."""
        value = draw()
        chance = value & 0xFF
        if target.kind == PageKind.CONTENT:
            section = site.sections[target.section]
            if chance < _DEAD:
                url = path(
                    site, UrlTarget(PageKind.CONTENT, target.section, site.count + 1 + (value >> 20) % 50)
                )
            elif chance < _DEAD + _OLD:
                url = f"/old/{section.start + target.position}.html"
            else:
                url = path(site, target)
        else:
            url = path(site, target)
            if chance < 12 and target.kind == PageKind.LIST and url.endswith("/"):
                url = url[:-1]
        if site is not source:
            host = site.name
            if chance > 250 and target.kind != PageKind.CONTENT:
                host = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
            url = f"http://{host}{url}"
        return SyntheticLink(url, self.anchor_text(value >> 8, source, site, target))

    def anchor_text(self, value: int, source: Site, site: Site, target: UrlTarget) -> str:
        """Return the text of a link: mostly its target's title, at times generic or misleading."""
        choice, value = value & 0xFF, value >> 8
        if choice < source.generic:
            words = grammar_of(source.lang).generic_anchors
            return words[value % len(words)]
        choice -= source.generic
        if choice < _MISLEADING:
            phrases = bank(source.lang, value % len(TOPICS.searchable)).anchor_phrases
            return facts(source.lang, value).fill(phrases[value % len(phrases)])
        if target.kind == PageKind.HOME:
            return site.title if value & 3 else site.name
        section = site.sections[target.section]
        if target.kind != PageKind.CONTENT:
            return section.title if value & 7 else site.title
        if choice < _MISLEADING + _PHRASES:
            subject = section.page(target.position)
            if not subject.implicit:
                phrases = bank(site.lang, subject.topic).anchor_phrases
                return facts(site.lang, randomness.mix(subject.key)).fill(phrases[value % len(phrases)])
        return section.title_of(target.position, site.lang)
