"""One host, built from the plan's columns: its name, its traits and its sections."""

from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from typing import NamedTuple

from clew.lab.synthetic import names
from clew.lab.synthetic.grammar import grammar_of
from clew.lab.synthetic.hosts import HostKind, SectionContent, WebPlan
from clew.lab.synthetic.prose import bank, facts, slugs, title
from clew.lab.synthetic.randomness import GOLDEN, MASK, mix
from clew.lab.synthetic.topics import LANGUAGES, TOPICS

_IMPLICIT = 64  # of 256 pages on a topic: those that do not use its obvious words
_MENTIONS = 32  # of 256 pages on something else: those that use a topic's words nevertheless
STRAY_NEAR, STRAY_EVERYDAY = 80, 210
"""Of 256 pages off their section's topic: below 80 on a related topic, below 210 on an everyday one."""

_STYLES = (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6)
_OLD_STYLES = (0, 1, 2, 2, 2, 3, 6, 6, 6, 6, 7, 7, 2, 6, 0, 2)  # for layouts of the nineties
_LAYOUTS = (0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4)


class SiteStyle(IntEnum):
    """How a host builds the URLs of its pages."""

    DESCRIPTIVE = 0
    WORDS = 1
    IDS = 2
    QUERY = 3
    DATES = 4
    NODE = 5
    TILDE = 6
    CGI = 7


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a host; `number` is its position, `start` counts the pages of the sections before it."""

    number: int
    key: int
    topic: int
    content: SectionContent
    count: int
    lists: int
    purity: int
    secluded: bool
    start: int
    slug: str
    title: str

    def page_key(self, position: int) -> int:
        """Return the key of a page: all about it is derived from this number."""
        return mix((self.key + position * GOLDEN) & MASK)

    def title_of(self, position: int, lang: str) -> str:
        """Return the title of a page; for a record, its kind and place."""
        about = self.page(position)
        if self.content != SectionContent.RECORDS:
            return about.title(lang)
        return record_name(lang, about)

    def page(self, position: int) -> "Subject":
        """Return the subject of a page."""
        key = self.page_key(position)
        return Subject(key, subject(key, self.topic, self.purity))


class Subject(NamedTuple):
    """The topic of a page, and how explicitly it names it."""

    key: int
    topic: int

    @property
    def implicit(self) -> bool:
        """Whether the page avoids the obvious words of its topic."""
        return (self.key >> 40) & 0xFF < _IMPLICIT

    @property
    def mentions(self) -> int:
        """The topic whose words the page uses without being about it, -1 for none."""
        if (self.key >> 48) & 0xFF >= _MENTIONS:
            return -1
        other = (self.key >> 33) % len(TOPICS.searchable)
        return -1 if other == self.topic else other

    def title(self, lang: str) -> str:
        """Return the page's title."""
        return title(lang, self.topic, mix(self.key), self.implicit)


def record_name(lang: str, about: Subject) -> str:
    """Return the name of a record."""
    key = mix(about.key)
    nouns = bank(lang, about.topic).nouns
    noun, known = nouns[(key >> 44) % len(nouns)], facts(lang, key)
    if lang == "ja":
        return f"{known.place}{noun}"
    return f"{noun[0].upper()}{noun[1:]}, {known.place} ({known.number})"


def subject(key: int, topic: int, purity: int) -> int:
    """Return the topic of a page in a section; `truth` does the same for whole columns."""
    if key & 0xFFFF < purity:
        return topic
    which, pick = (key >> 16) & 0xFF, (key >> 24) & 0xFFFF
    if which < STRAY_NEAR:
        return int(TOPICS.near[topic, pick % 8])
    if which < STRAY_EVERYDAY:
        return TOPICS.everyday[pick % len(TOPICS.everyday)]
    return pick % len(TOPICS.searchable)


@dataclass(frozen=True, eq=False)
class Site:
    """One host: its name, its URL and page styles, its sections."""

    number: int
    name: str
    key: int
    kind: HostKind
    lang: str
    topic: int
    front: int
    hubs: int
    per_list: int
    sections: tuple[Section, ...]
    layout: int
    style: SiteStyle

    def trait(self, which: int, out_of: int) -> int:
        """Return a trait of the host: a number below `out_of`, always the same."""
        return (mix(self.key + which) >> 11) % out_of

    def has_trait(self, which: int, percent: float) -> bool:
        """Tell whether the host is among the `percent` that have a trait."""
        return self.trait(which, 10_000) < percent * 100

    @cached_property
    def count(self) -> int:
        """Content pages of all sections."""
        last = self.sections[-1]
        return last.start + last.count

    @cached_property
    def title(self) -> str:
        """The title of the host."""
        if self.lang == "ja":
            towns = names.places("ja")
            endings = names.title_endings()
            body = endings[self.key % len(endings)]
            return f"{towns[(self.key >> 27) % len(towns)][0]}{body}"
        first, second = _name_words(self.lang, self.topic, self.key, self.kind)
        return f"{first} {second}".replace("-", " ").title()

    @cached_property
    def is_closed(self) -> bool:
        """Whether the host refuses everything but its robots.txt."""
        return self.has_trait(51, 0.8)

    @cached_property
    def generic(self) -> int:
        """Of 256 anchors, how many are generic ("read more"): from 5 to 70, by host."""
        return 5 + self.trait(31, 8) ** 2 * 65 // 49

    @cached_property
    def outward(self) -> int:
        """Of 256 links in a text, how many lead to other hosts."""
        return 12 + self.trait(32, 100)

    def menu(self, word: str) -> str:
        """Return what this host calls a part of its pages."""
        words = menu_words(self.lang, word)
        return words[self.trait(len(word) * 7 + ord(word[0]), len(words))]


@cache
def menu_words(lang: str, word: str) -> list[str]:
    """Return the words of a language for a part of a site."""
    return grammar_of(lang).menu[word]


def make_site(plan: WebPlan, number: int, name: str) -> Site:
    """Build one host from the columns."""
    hosts, columns = plan.hosts, plan.sections
    begin, end = int(hosts.first[number]), int(hosts.first[number + 1])
    key, lang = int(hosts.key[number]), LANGUAGES[int(hosts.lang[number])]
    layout = _LAYOUTS[(key >> 8) % 16]
    style = SiteStyle((_OLD_STYLES if layout == 0 else _STYLES)[(key >> 12) % 16])
    sections: list[Section] = []
    start, taken, titles = 0, set[str](), set[str]()
    fields = (
        columns.key, columns.topic, columns.content, columns.count, columns.lists, columns.purity,
        columns.secluded,
    )  # fmt: skip
    for position, row in enumerate(zip(*(field[begin:end].tolist() for field in fields), strict=True)):
        section_key, topic, content, count, lists, purity, secluded = row
        descriptive = not secluded and (section_key >> 20) % 100 < (
            78 if style == SiteStyle.DESCRIPTIVE else 55
        )
        slug = _slug(lang, topic, section_key, style == SiteStyle.DESCRIPTIVE and descriptive, taken)
        section_title = _section_title(lang, topic, section_key, descriptive, titles)
        sections.append(
            Section(
                position,
                section_key,
                topic,
                SectionContent(content),
                count,
                lists,
                purity,
                secluded,
                start,
                slug,
                section_title,
            )
        )
        start += count
    return Site(
        number=number, name=name, key=key, kind=HostKind(int(hosts.kind[number])), lang=lang,
        topic=int(hosts.topic[number]), front=int(hosts.front[number]), hubs=int(hosts.hubs[number]),
        per_list=int(hosts.per_list[number]), sections=tuple(sections), layout=layout, style=style,
    )  # fmt: skip


def _section_title(lang: str, topic: int, key: int, descriptive: bool, taken: set[str]) -> str:
    """Return the title of a section in the menu: its topic, or a neutral word."""
    words = menu_words(lang, "sections")
    base = TOPICS[topic].title(lang) if descriptive else words[(key >> 40) % len(words)]
    suffix = 2
    unique = base
    while unique in taken:
        unique = f"{base} {suffix}"
        suffix += 1
    taken.add(unique)
    return unique


def _slug(lang: str, topic: int, key: int, descriptive: bool, taken: set[str]) -> str:
    words = (slugs(lang, topic) if descriptive else []) or names.folders()
    base = words[(key >> 30) % len(words)]
    slug, suffix = base, 2
    while slug in taken:
        slug = f"{base}{suffix}"
        suffix += 1
    taken.add(slug)
    return slug


def host_names(plan: WebPlan) -> list[str]:
    """Name all hosts; no two names differ in a leading "www." only."""
    hosts = plan.hosts
    found: list[str] = []
    taken: set[str] = set()
    brands = names.brands()
    rows = zip(
        hosts.key.tolist(), hosts.lang.tolist(), hosts.kind.tolist(), hosts.topic.tolist(), strict=True
    )
    for key, lang_number, kind, topic in rows:
        lang = LANGUAGES[lang_number]
        first, second = _name_words(lang, topic, key, kind)
        domains, number = names.domains(lang), key >> 50
        domain = domains[number % len(domains)]
        base = f"{first}-{second}" if key & 1 else f"{first}{second}"
        name = f"{base}.{domain}"
        while name in taken:
            number += 1
            name = f"{base}-{brands[number % len(brands)]}.{domains[number % len(domains)]}"
        taken.add(name)
        found.append(f"www.{name}" if (key >> 3) % 8 < 5 else name)  # noqa: PLR2004 - five of eight
    return found


@cache
def _topic_words(lang: str, topic: int) -> list[str]:
    words = [slug for slug in slugs("en" if lang == "ja" else lang, topic) if "-" not in slug]
    return words or [TOPICS[topic].name]


def _name_words(lang: str, topic: int, key: int, kind: int) -> tuple[str, str]:
    """Return the two words of a host's name; few hosts are named after their topic."""
    bodies, towns, brands = names.organisations(lang), names.town_slugs(lang), names.brands()
    body = bodies[(key >> 20) % len(bodies)]
    town = towns[(key >> 27) % len(towns)]
    brand = brands[(key >> 34) % len(brands)]
    percent = (key >> 41) % 100
    if kind <= HostKind.NEAR and percent < 40:  # noqa: PLR2004 - percent
        words = _topic_words(lang, topic)
        word = words[(key >> 44) % len(words)]
        return (word, town) if percent < 15 else (word, body)  # noqa: PLR2004
    if kind == HostKind.TOWN or percent < 55:  # noqa: PLR2004
        return town, body
    return brand, body
