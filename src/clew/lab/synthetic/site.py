"""One host, taken out of the plan's columns: its name, its habits and its sections."""

from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from typing import NamedTuple

from clew.lab.synthetic import names
from clew.lab.synthetic.hosts import Holds, Sort, WebPlan
from clew.lab.synthetic.prose import GRAMMARS, bank, facts, slugs, title
from clew.lab.synthetic.randomness import GOLDEN, MASK, mix
from clew.lab.synthetic.topics import LANGUAGES, TOPICS

_DIM = 64  # of 256 pages on a topic: those that do not use its obvious words
_MENTIONS = 32  # of 256 pages on something else: those that use a topic's words all the same
STRAY_NEAR, STRAY_EVERYDAY = 80, 210
"""Of 256 pages that stray from their section's topic: to here on a neighbour, to here on everyday things."""

_STYLES = (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6)
_OLD_STYLES = (0, 1, 2, 2, 2, 3, 6, 6, 6, 6, 7, 7, 2, 6, 0, 2)  # for layouts of the nineties
_LAYOUTS = (0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4)


class SiteStyle(IntEnum):
    """How a host writes the addresses of its pages."""

    TELLING = 0
    WORDS = 1
    IDS = 2
    QUERY = 3
    DATES = 4
    NODE = 5
    TILDE = 6
    CGI = 7


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a host; `number` is its place on the host, `start` the pages in those before it."""

    number: int
    key: int
    topic: int
    holds: Holds
    count: int
    lists: int
    purity: int
    secluded: bool
    start: int
    slug: str
    title: str

    def page_key(self, place: int) -> int:
        """Return the key of a page: everything about it is drawn from this number."""
        return mix((self.key + place * GOLDEN) & MASK)

    def title_of(self, place: int, lang: str) -> str:
        """Return the title of a page; a record is called by what and where it is."""
        about = self.page(place)
        if self.holds != Holds.RECORDS:
            return about.title(lang)
        return record_name(lang, about)

    def page(self, place: int) -> "Subject":
        """Say what a page of this section is about."""
        key = self.page_key(place)
        return Subject(key, subject(key, self.topic, self.purity))


class Subject(NamedTuple):
    """What a page is about, and how openly it says so."""

    key: int
    topic: int

    @property
    def dim(self) -> bool:
        """Whether the page avoids the obvious words."""
        return (self.key >> 40) & 0xFF < _DIM

    @property
    def mentions(self) -> int:
        """The topic whose words the page uses without being about it, -1 for none."""
        if (self.key >> 48) & 0xFF >= _MENTIONS:
            return -1
        other = (self.key >> 33) % len(TOPICS.asked)
        return -1 if other == self.topic else other

    def title(self, lang: str) -> str:
        """Return the page's title."""
        return title(lang, self.topic, mix(self.key), self.dim)


def record_name(lang: str, about: Subject) -> str:
    """Return what a record is called."""
    key = mix(about.key)
    said = bank(lang, about.topic).nouns
    noun, known = said[(key >> 44) % len(said)], facts(lang, key)
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
    return pick % len(TOPICS.asked)


@dataclass(frozen=True, eq=False)
class Site:
    """One host: who it is, how it writes addresses and pages, what it holds."""

    number: int
    name: str
    key: int
    sort: Sort
    lang: str
    topic: int
    front: int
    hubs: int
    per_list: int
    sections: tuple[Section, ...]
    layout: int
    style: SiteStyle

    def habit(self, which: int, out_of: int) -> int:
        """Return one of the host's habits, a number below `out_of`, always the same."""
        return (mix(self.key + which) >> 11) % out_of

    def holds_to(self, which: int, percent: float) -> bool:
        """Tell whether the host is one of those with a habit."""
        return self.habit(which, 10_000) < percent * 100

    @cached_property
    def count(self) -> int:
        """Content pages of all sections."""
        last = self.sections[-1]
        return last.start + last.count

    @cached_property
    def title(self) -> str:
        """What the host calls itself."""
        if self.lang == "ja":
            towns = names.places("ja")
            body = _JAPANESE_BODIES[self.key % len(_JAPANESE_BODIES)]
            return f"{towns[(self.key >> 27) % len(towns)][0]}{body}"
        first, second = _name_words(self.lang, self.topic, self.key, self.sort)
        return f"{first} {second}".replace("-", " ").title()

    @cached_property
    def is_closed(self) -> bool:
        """Whether the host forbids everybody everything but its robots.txt."""
        return self.holds_to(51, 0.8)

    @cached_property
    def generic(self) -> int:
        """Of 256 anchors, how many say nothing ("read more"): from 5 to 70, as the host's habit is."""
        return 5 + self.habit(31, 8) ** 2 * 65 // 49

    @cached_property
    def outward(self) -> int:
        """Of 256 links in a text, how many lead to other hosts."""
        return 12 + self.habit(32, 100)

    def menu(self, word: str) -> str:
        """Return what this host calls a part of itself."""
        words = menu_words(self.lang, word)
        return words[self.habit(len(word) * 7 + ord(word[0]), len(words))]


@cache
def menu_words(lang: str, word: str) -> list[str]:
    """Return the words of a language for a part of a site."""
    return GRAMMARS[lang].menu[word].split(",") if word != "sorry" else [GRAMMARS[lang].menu[word]]


def make_site(plan: WebPlan, number: int, name: str) -> Site:
    """Take one host out of the columns."""
    hosts, columns = plan.hosts, plan.sections
    begin, end = int(hosts.first[number]), int(hosts.first[number + 1])
    key, lang = int(hosts.key[number]), LANGUAGES[int(hosts.lang[number])]
    layout = _LAYOUTS[(key >> 8) % 16]
    style = SiteStyle((_OLD_STYLES if layout == 0 else _STYLES)[(key >> 12) % 16])
    sections: list[Section] = []
    start, taken, titles = 0, set[str](), set[str]()
    fields = (
        columns.key, columns.topic, columns.holds, columns.count, columns.lists, columns.purity,
        columns.secluded,
    )  # fmt: skip
    for place, row in enumerate(zip(*(field[begin:end].tolist() for field in fields), strict=True)):
        section_key, topic, holds, count, lists, purity, secluded = row
        open_ = not secluded and (section_key >> 20) % 100 < (78 if style == SiteStyle.TELLING else 55)
        slug = _slug(lang, topic, section_key, style == SiteStyle.TELLING and open_, taken)
        called = _called(lang, topic, section_key, open_, titles)
        sections.append(
            Section(
                place, section_key, topic, Holds(holds), count, lists, purity, secluded, start, slug, called
            )
        )
        start += count
    return Site(
        number=number, name=name, key=key, sort=Sort(int(hosts.sort[number])), lang=lang,
        topic=int(hosts.topic[number]), front=int(hosts.front[number]), hubs=int(hosts.hubs[number]),
        per_list=int(hosts.per_list[number]), sections=tuple(sections), layout=layout, style=style,
    )  # fmt: skip


def _called(lang: str, topic: int, key: int, open_: bool, taken: set[str]) -> str:
    """Return what the menu calls a section: its topic, or a word that says nothing."""
    words = menu_words(lang, "sections")
    said = TOPICS[topic].title(lang) if open_ else words[(key >> 40) % len(words)]
    turn = 2
    called = said
    while called in taken:
        called = f"{said} {turn}"
        turn += 1
    taken.add(called)
    return called


_JAPANESE_BODIES = ("散歩", "通信", "研究会", "だより", "案内", "友の会", "資料館", "倶楽部")
_PLAIN_SLUGS = [
    "archive",
    "notes",
    "features",
    "docs",
    "library",
    "a",
    "items",
    "texts",
    "reports",
    "misc",
    "stories",
    "b",
    "show",
    "pages",
    "area",
    "dept",
    "issue",
    "blog",
    "posts",
    "entries",
    "read",
    "info",
    "part",
    "desk",
]


def _slug(lang: str, topic: int, key: int, open_: bool, taken: set[str]) -> str:
    known = slugs(lang, topic) if open_ else []
    said = known[(key >> 30) % len(known)] if known else _PLAIN_SLUGS[(key >> 30) % len(_PLAIN_SLUGS)]
    slug, turn = said, 2
    while slug in taken:
        slug = f"{said}{turn}"
        turn += 1
    taken.add(slug)
    return slug


def host_names(plan: WebPlan) -> list[str]:
    """Name all hosts; no two names differ in a leading "www." only."""
    hosts = plan.hosts
    made: list[str] = []
    taken: set[str] = set()
    rows = zip(
        hosts.key.tolist(), hosts.lang.tolist(), hosts.sort.tolist(), hosts.topic.tolist(), strict=True
    )
    for key, lang_number, sort, topic in rows:
        lang = LANGUAGES[lang_number]
        first, second = _name_words(lang, topic, key, sort)
        endings, turn = _ENDINGS[lang], key >> 50
        ending = endings[turn % len(endings)]
        base = f"{first}-{second}" if key & 1 else f"{first}{second}"
        name = f"{base}.{ending}"
        while name in taken:
            turn += 1
            name = f"{base}-{names.BRANDS[turn % len(names.BRANDS)]}.{endings[turn % len(endings)]}"
        taken.add(name)
        made.append(f"www.{name}" if (key >> 3) % 8 < 5 else name)  # noqa: PLR2004 - five of eight
    return made


_ENDINGS = {lang: text.split() for lang, text in names.ENDINGS.items()}
_BODIES = {lang: text.split() for lang, text in names.BODIES.items()}
_TOWNS = {
    lang: names.ROMAN if lang == "ja" else [names.ascii_slug(place[0]) for place in names.places(lang)]
    for lang in LANGUAGES
}


@cache
def _telling(lang: str, topic: int) -> list[str]:
    known = [slug for slug in slugs("en" if lang == "ja" else lang, topic) if "-" not in slug]
    return known or [TOPICS[topic].name]


def _name_words(lang: str, topic: int, key: int, sort: int) -> tuple[str, str]:
    """Return the two words of a host's name; few hosts are named after what they are about."""
    bodies, towns = _BODIES[lang], _TOWNS[lang]
    body = bodies[(key >> 20) % len(bodies)]
    town = towns[(key >> 27) % len(towns)]
    brand = names.BRANDS[(key >> 34) % len(names.BRANDS)]
    way = (key >> 41) % 100
    if sort <= Sort.NEAR and way < 40:  # noqa: PLR2004 - percent
        telling = _telling(lang, topic)
        word = telling[(key >> 44) % len(telling)]
        return (word, town) if way < 15 else (word, body)  # noqa: PLR2004
    if sort == Sort.TOWN or way < 55:  # noqa: PLR2004
        return town, body
    return brand, body
