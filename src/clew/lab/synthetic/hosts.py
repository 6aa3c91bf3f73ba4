"""The plan of the web: hosts and their sections, as columns generated at once from seed and size.

Sizes of hosts follow a power law. A host has a language and sections, a section a topic and pages. *Secluded*
sections make the web hard: they are on hosts about something else, their names do not tell the topic, and no
host on their topic links to them.
"""

# ruff: noqa: PLR2004 - percent, and shares of 256

from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from clew.lab.synthetic import randomness
from clew.lab.synthetic.randomness import Column, mix_column, random_column, to_unit
from clew.lab.synthetic.topics import LANGUAGES, TOPICS

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class HostKind(IntEnum):
    """Kinds of hosts: how the topics of their sections are chosen."""

    ONE_TOPIC = 0
    NEAR = 1
    MIXED = 2
    TOWN = 3
    DIRECTORY = 4


class SectionContent(IntEnum):
    """Kinds of sections: what their pages are."""

    ARTICLES = 0
    RECORDS = 1
    DATA = 2


_KIND_SHARES = (0.18, 0.18, 0.31, 0.305, 0.025)
_LANGUAGE_SHARES = (0.74, 0.10, 0.10, 0.06)
_LARGEST = 0.02  # of all pages: the largest host
_SLOPE = 1.08  # exponent of the tail of host sizes, less one
_SMALLEST = 4
_CONTENT = 0.885  # of all pages; the rest are home pages, lists and the like
_BIG = 0.003  # of all pages: larger hosts are about many things
FRONT, FRONT_SMALL = 6, 3
"""Pages every host has: home, about, contact, and on larger ones overview, search and log-in."""

SMALL_HOST = 16
"""Pages of a host below which it has no overview, search or log-in."""

_FOLDER, _FOLDERS = 80, 600  # pages of a large host for each section more, and the most sections
_PUREST = (0.52, 0.42, 0.30, 0.45, 0.30)  # share of a section's pages on its own topic, at least, by kind
_PURER = 0.45  # and at most so much more
_HOSTS, _AT, _GROWTH = 330, 20_000, 0.85  # hosts in a web of 20,000 pages, and how their number grows


@dataclass(frozen=True, slots=True)
class HostColumns:
    """One row for each host."""

    key: Column
    kind: Numbers
    lang: Numbers
    topic: Numbers
    size: Numbers
    front: Numbers
    hubs: Numbers
    per_list: Numbers
    popularity: Floats
    first: Numbers
    """The first section of each host, and one number more: the end of the last."""


@dataclass(frozen=True, slots=True)
class SectionColumns:
    """One row for each section, those of a host together."""

    key: Column
    host: Numbers
    topic: Numbers
    content: Numbers
    count: Numbers
    lists: Numbers
    purity: Numbers
    """Of 65,536 pages, how many are on the section's own topic."""

    secluded: NDArray[np.bool_]


class WebPlan:
    """All hosts and sections of the web with this seed and size."""

    def __init__(self, size: int, seed: int) -> None:
        self.size = size
        self.seed = seed

    @cached_property
    def hosts(self) -> HostColumns:
        """The hosts, in random order."""
        many = max(12, round(_HOSTS * (self.size / _AT) ** _GROWTH))
        start = randomness.combine(self.seed, self.size, 1)
        key = random_column(start, many)
        size = self._sizes(random_column(start + 1, many))
        kind = np.searchsorted(
            np.cumsum(_KIND_SHARES), to_unit(random_column(start + 2, many)) * sum(_KIND_SHARES)
        )
        kind = np.where((size > _BIG * self.size) & (kind < HostKind.MIXED), HostKind.MIXED, kind)
        size = np.where(kind == HostKind.DIRECTORY, np.minimum(size, 40 + self.size // 2000), size)
        lang = np.searchsorted(
            np.cumsum(_LANGUAGE_SHARES), to_unit(random_column(start + 3, many)) * sum(_LANGUAGE_SHARES)
        )
        topic = _spread_topics(
            size, to_unit(random_column(start + 4, 1))[0], _searchable_shares(), lang * len(HostKind) + kind
        )
        sections = self._sections_of(size, kind, random_column(start + 5, many))
        hubs = self._hubs(size, kind, to_unit(random_column(start + 6, many)))
        popularity = np.sqrt(size) * (0.05 + to_unit(random_column(start + 7, many))) ** -1.4
        return HostColumns(
            key=key, kind=kind, lang=lang, topic=topic, size=size, hubs=hubs, popularity=popularity,
            front=np.where(size < SMALL_HOST, FRONT_SMALL, FRONT),
            per_list=self._per_list(to_unit(random_column(start + 8, many))),
            first=np.concatenate(([0], np.cumsum(sections))),
        )  # fmt: skip

    def _sizes(self, numbers: Column) -> Numbers:
        """Return the number of content pages of each host; they sum to the size of the web."""
        rank = np.empty(len(numbers))
        rank[np.argsort(numbers, kind="stable")] = np.arange(1, len(numbers) + 1)
        most = max(40, int(_LARGEST * self.size))
        low, high = 0.01, float(self.size)
        for _ in range(60):  # the scale at which the sum is right
            scale = (low + high) / 2
            total = np.clip(scale * rank**-_RANK_EXPONENT, _SMALLEST, most).sum()
            low, high = (scale, high) if total < _CONTENT * self.size else (low, scale)
        return np.clip(scale * rank**-_RANK_EXPONENT, _SMALLEST, most).astype(np.int64)

    @staticmethod
    def _sections_of(size: Numbers, kind: Numbers, numbers: Column) -> Numbers:
        count = (0.45 * np.log2(size) + size / _FOLDER) * (0.6 + 0.8 * to_unit(numbers))
        count = np.where(kind >= HostKind.MIXED, 1.5 * count, count)
        return np.clip(np.rint(count), 1, np.minimum(_FOLDERS, size // 3)).astype(np.int64)

    @staticmethod
    def _per_list(chance: Floats) -> Numbers:
        """Return how many pages a list shows at once: some hosts put everything on one page."""
        return np.minimum(250, 10 + 12 * (chance + 0.01) ** -0.7).astype(np.int64)

    @staticmethod
    def _hubs(size: Numbers, kind: Numbers, chance: Floats) -> Numbers:
        usual = np.where(chance < 0.4, 1, 0) + np.where((chance < 0.12) & (size > 2 * SMALL_HOST), 2, 0)
        return np.where(kind == HostKind.DIRECTORY, 12 + (chance * 48).astype(np.int64), usual)

    @cached_property
    def sections(self) -> SectionColumns:
        """The sections, host by host."""
        hosts = self.hosts
        host = np.repeat(np.arange(len(hosts.key)), np.diff(hosts.first))
        many = len(host)
        start = randomness.combine(self.seed, self.size, 2)
        position = np.arange(many) - hosts.first[host]
        weight = (position + 1.0) ** -0.7 * (0.4 + to_unit(random_column(start, many)))
        share = weight / np.add.reduceat(weight, hosts.first[:-1])[host]
        count = np.maximum(1, (share * hosts.size[host]).astype(np.int64))
        kind = hosts.kind[host]
        topic, secluded = self._topics(host, position, count, random_column(start + 1, many))
        chance = to_unit(random_column(start + 2, many))
        content = np.where(
            chance < 0.74,
            SectionContent.ARTICLES,
            np.where(chance < 0.92, SectionContent.RECORDS, SectionContent.DATA),
        )
        low = np.choose(kind, _PUREST)
        purity = low + _PURER * to_unit(random_column(start + 3, many)) ** 1.4
        return SectionColumns(
            key=random_column(start + 4, many), host=host, topic=topic, content=content, count=count,
            lists=-(-count // hosts.per_list[host]), secluded=secluded,
            purity=(purity * 65_536).astype(np.int64),
        )  # fmt: skip

    def _topics(
        self, host: Numbers, position: Numbers, count: Numbers, numbers: Column
    ) -> tuple[Numbers, NDArray[np.bool_]]:
        """Choose the topic of each section by the kind of its host."""
        hosts = self.hosts
        kind, own = hosts.kind[host], hosts.topic[host]
        chance = to_unit(numbers)
        pick = (mix_column(numbers) >> np.uint64(7)).astype(np.int64)
        near = TOPICS.near[own, pick % 8]
        group = hosts.lang[host] * len(HostKind) + kind
        everyday = np.array(TOPICS.everyday)[
            _spread_topics(count, chance[0], np.ones(len(TOPICS.everyday)), group)
        ]
        anything = _spread_topics(count, chance[-1], TOPICS.shares, group)
        searchable = _spread_topics(count, chance[0], _searchable_shares(), group)
        topic = np.select(
            [
                (kind == HostKind.ONE_TOPIC) & ((chance < 0.86) | (position == 0)),
                (kind == HostKind.NEAR) & ((chance < 0.48) | (position == 0)),
                (kind == HostKind.NEAR) & (chance < 0.86),
                (kind == HostKind.TOWN) & (position > 0) & (chance < 0.34),
                (kind == HostKind.MIXED) | (kind == HostKind.DIRECTORY),
            ],
            [own, own, near, searchable, anything],
            default=everyday,
        )
        hidden = (kind == HostKind.TOWN) | ((kind == HostKind.MIXED) & (pick % 100 < 22))
        return topic, hidden & ~np.isin(topic, TOPICS.everyday)

    @cached_property
    def directory(self) -> "Directory":
        """Sections by topic and hosts by language."""
        return Directory(self)

    @cached_property
    def pages(self) -> int:
        """The number of pages; print versions, other orders of lists and files are not counted."""
        sections, hosts = self.sections, self.hosts
        return int((sections.count + sections.lists).sum() + (hosts.front + hosts.hubs).sum())


_RANK_EXPONENT = 1 / _SLOPE


@cache
def _searchable_shares() -> Floats:
    """Return the shares of the topics that tasks are about, 0 for everyday ones."""
    return np.where([bool(topic.query) for topic in TOPICS.all], TOPICS.shares, 0.0)


def _spread_topics(size: Numbers, start: float, weights: Floats, group: Numbers) -> Numbers:
    """Assign topics by weight, in each group to the largest first, so that no topic gets all large ones."""
    rank = np.empty(len(size))
    rank[np.lexsort((-size, group))] = np.arange(len(size))
    share = (start + rank * 0.6180339887498949) % 1.0
    edges = np.cumsum(weights) / weights.sum()
    return np.minimum(np.searchsorted(edges, share), len(weights) - 1)


class Directory:
    """Sections by topic and language, hosts by language, the most popular first."""

    def __init__(self, plan: WebPlan) -> None:
        self.plan = plan

    @cached_property
    def _by_topic(self) -> tuple[Numbers, Numbers]:
        sections, hosts = self.plan.sections, self.plan.hosts
        lang = hosts.lang[sections.host]
        unlisted = len(TOPICS) * len(LANGUAGES)
        group = np.where(sections.secluded, unlisted, sections.topic * len(LANGUAGES) + lang)
        popularity = hosts.popularity[sections.host] * np.sqrt(sections.count)
        order = np.lexsort((-popularity, group))
        return order, np.searchsorted(group[order], np.arange(unlisted + 1))

    @cached_property
    def _by_popularity(self) -> list[list[int]]:
        hosts = self.plan.hosts
        order = np.argsort(-hosts.popularity, kind="stable")
        return [order[hosts.lang[order] == lang].tolist() for lang in range(len(LANGUAGES))]

    def sections(self, topic: int, lang: int) -> Numbers:
        """Return the sections on a topic that are not secluded; in another language where there are none."""
        order, edges = self._by_topic
        for lang_number in (lang, 0, 1, 2, 3):
            group = topic * len(LANGUAGES) + lang_number
            found = order[edges[group] : edges[group + 1]]
            if len(found):
                return found
        return np.arange(1)

    def hosts(self, lang: int) -> list[int]:
        """Return the hosts of a language."""
        return self._by_popularity[lang] or self._by_popularity[0]
