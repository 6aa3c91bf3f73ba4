"""The plan of the web: hosts and their sections, as columns made in one go from seed and size.

Sizes of hosts follow a power law. A host has a language and sections, a section a topic and pages. How
*secluded* sections come about is what makes the web hard: they lie on hosts about something else, under
names that say nothing, and nobody who writes about their topic knows them.
"""

# ruff: noqa: PLR2004 - percent, and shares of 256

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.lab.synthetic import randomness
from clew.lab.synthetic.randomness import Column, column, mixed, shares
from clew.lab.synthetic.topics import LANGUAGES, TOPICS

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Sort(IntEnum):
    """What sort of host it is: how its sections came to their topics."""

    DEVOTED = 0
    NEAR = 1
    MIXED = 2
    TOWN = 3
    DIRECTORY = 4


class Holds(IntEnum):
    """What the pages of a section are."""

    ARTICLES = 0
    RECORDS = 1
    DATA = 2


_SORTS = (0.18, 0.18, 0.31, 0.305, 0.025)
_SPOKEN = (0.74, 0.10, 0.10, 0.06)
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
_PUREST = (0.52, 0.42, 0.30, 0.45, 0.30)  # share of a section's pages on its own topic, at least, by sort
_PURER = 0.45  # and at most so much more
_HOSTS, _AT, _GROWTH = 330, 20_000, 0.85  # hosts in a web of 20,000 pages, and how their number grows


@dataclass(frozen=True, slots=True)
class HostColumns:
    """One row for each host."""

    key: Column
    sort: Numbers
    lang: Numbers
    topic: Numbers
    size: Numbers
    front: Numbers
    hubs: Numbers
    per_list: Numbers
    fame: Floats
    first: Numbers
    """The first section of each host, and one number more: the end of the last."""


@dataclass(frozen=True, slots=True)
class SectionColumns:
    """One row for each section, those of a host together."""

    key: Column
    host: Numbers
    topic: Numbers
    holds: Numbers
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
        """The hosts, in no order that tells anything."""
        many = max(12, round(_HOSTS * (self.size / _AT) ** _GROWTH))
        start = randomness.key(self.seed, self.size, 1)
        key = column(start, many)
        size = self._sizes(column(start + 1, many))
        sort = np.searchsorted(np.cumsum(_SORTS), shares(column(start + 2, many)) * sum(_SORTS))
        sort = np.where((size > _BIG * self.size) & (sort < Sort.MIXED), Sort.MIXED, sort)
        size = np.where(sort == Sort.DIRECTORY, np.minimum(size, 40 + self.size // 2000), size)
        lang = np.searchsorted(np.cumsum(_SPOKEN), shares(column(start + 3, many)) * sum(_SPOKEN))
        topic = _dealt(size, shares(column(start + 4, 1))[0], _ASKED, lang * len(Sort) + sort)
        sections = self._sections_of(size, sort, column(start + 5, many))
        hubs = self._hubs(size, sort, shares(column(start + 6, many)))
        fame = np.sqrt(size) * (0.05 + shares(column(start + 7, many))) ** -1.4
        return HostColumns(
            key=key, sort=sort, lang=lang, topic=topic, size=size, hubs=hubs, fame=fame,
            front=np.where(size < SMALL_HOST, FRONT_SMALL, FRONT),
            per_list=self._per_list(shares(column(start + 8, many))),
            first=np.concatenate(([0], np.cumsum(sections))),
        )  # fmt: skip

    def _sizes(self, throws: Column) -> Numbers:
        """Give each host a number of content pages; together they make up the web."""
        rank = np.empty(len(throws))
        rank[np.argsort(throws, kind="stable")] = np.arange(1, len(throws) + 1)
        most = max(40, int(_LARGEST * self.size))
        low, high = 0.01, float(self.size)
        for _ in range(60):  # the scale at which the sum is right
            scale = (low + high) / 2
            total = np.clip(scale * rank**-_WORTH, _SMALLEST, most).sum()
            low, high = (scale, high) if total < _CONTENT * self.size else (low, scale)
        return np.clip(scale * rank**-_WORTH, _SMALLEST, most).astype(np.int64)

    @staticmethod
    def _sections_of(size: Numbers, sort: Numbers, throws: Column) -> Numbers:
        some = (0.45 * np.log2(size) + size / _FOLDER) * (0.6 + 0.8 * shares(throws))
        some = np.where(sort >= Sort.MIXED, 1.5 * some, some)
        return np.clip(np.rint(some), 1, np.minimum(_FOLDERS, size // 3)).astype(np.int64)

    @staticmethod
    def _per_list(chance: Floats) -> Numbers:
        """Say how many pages a list names at a time: some hosts put everything on one page."""
        return np.minimum(250, 10 + 12 * (chance + 0.01) ** -0.7).astype(np.int64)

    @staticmethod
    def _hubs(size: Numbers, sort: Numbers, chance: Floats) -> Numbers:
        usual = np.where(chance < 0.4, 1, 0) + np.where((chance < 0.12) & (size > 2 * SMALL_HOST), 2, 0)
        return np.where(sort == Sort.DIRECTORY, 12 + (chance * 48).astype(np.int64), usual)

    @cached_property
    def sections(self) -> SectionColumns:
        """The sections, host by host."""
        hosts = self.hosts
        host = np.repeat(np.arange(len(hosts.key)), np.diff(hosts.first))
        many = len(host)
        start = randomness.key(self.seed, self.size, 2)
        place = np.arange(many) - hosts.first[host]
        weight = (place + 1.0) ** -0.7 * (0.4 + shares(column(start, many)))
        share = weight / np.add.reduceat(weight, hosts.first[:-1])[host]
        count = np.maximum(1, (share * hosts.size[host]).astype(np.int64))
        sort = hosts.sort[host]
        topic, secluded = self._topics(host, place, count, column(start + 1, many))
        chance = shares(column(start + 2, many))
        holds = np.where(chance < 0.74, Holds.ARTICLES, np.where(chance < 0.92, Holds.RECORDS, Holds.DATA))
        low = np.choose(sort, _PUREST)
        purity = low + _PURER * shares(column(start + 3, many)) ** 1.4
        return SectionColumns(
            key=column(start + 4, many), host=host, topic=topic, holds=holds, count=count,
            lists=-(-count // hosts.per_list[host]), secluded=secluded,
            purity=(purity * 65_536).astype(np.int64),
        )  # fmt: skip

    def _topics(
        self, host: Numbers, place: Numbers, count: Numbers, throws: Column
    ) -> tuple[Numbers, NDArray[np.bool_]]:
        """Give each section a topic, as the sort of its host will have it."""
        hosts = self.hosts
        sort, own = hosts.sort[host], hosts.topic[host]
        chance = shares(throws)
        pick = (mixed(throws) >> np.uint64(7)).astype(np.int64)
        near = TOPICS.near[own, pick % 8]
        group = hosts.lang[host] * len(Sort) + sort
        everyday = np.array(TOPICS.everyday)[_dealt(count, chance[0], _EVERYDAY, group)]
        anything = _dealt(count, chance[-1], TOPICS.shares, group)
        asked = _dealt(count, chance[0], _ASKED, group)
        topic = np.select(
            [
                (sort == Sort.DEVOTED) & ((chance < 0.86) | (place == 0)),
                (sort == Sort.NEAR) & ((chance < 0.48) | (place == 0)),
                (sort == Sort.NEAR) & (chance < 0.86),
                (sort == Sort.TOWN) & (place > 0) & (chance < 0.34),
                (sort == Sort.MIXED) | (sort == Sort.DIRECTORY),
            ],
            [own, own, near, asked, anything],
            default=everyday,
        )
        hidden = (sort == Sort.TOWN) | ((sort == Sort.MIXED) & (pick % 100 < 22))
        return topic, hidden & ~np.isin(topic, TOPICS.everyday)

    @cached_property
    def directory(self) -> "Directory":
        """Who is known for what."""
        return Directory(self)

    @cached_property
    def pages(self) -> int:
        """All pages there are; print versions, other orders of lists and files are not counted."""
        sections, hosts = self.sections, self.hosts
        return int((sections.count + sections.lists).sum() + (hosts.front + hosts.hubs).sum())


_WORTH = 1 / _SLOPE
_ASKED = np.where([bool(topic.ask) for topic in TOPICS.all], TOPICS.shares, 0.0)
_EVERYDAY = np.ones(len(TOPICS.everyday))


def _dealt(size: Numbers, start: float, weights: Floats, group: Numbers) -> Numbers:
    """Deal topics by weight, in each group to the largest first, so that no topic gets all large ones."""
    turn = np.empty(len(size))
    turn[np.lexsort((-size, group))] = np.arange(len(size))
    deal = (start + turn * 0.6180339887498949) % 1.0
    edges = np.cumsum(weights) / weights.sum()
    return np.minimum(np.searchsorted(edges, deal), len(weights) - 1)


class Directory:
    """Who is known for what: sections by topic and language, hosts by language, the most famous first."""

    def __init__(self, plan: WebPlan) -> None:
        self.plan = plan

    @cached_property
    def _by_topic(self) -> tuple[Numbers, Numbers]:
        sections, hosts = self.plan.sections, self.plan.hosts
        lang = hosts.lang[sections.host]
        group = np.where(sections.secluded, _NOBODY, sections.topic * len(LANGUAGES) + lang)
        fame = hosts.fame[sections.host] * np.sqrt(sections.count)
        order = np.lexsort((-fame, group))
        return order, np.searchsorted(group[order], np.arange(_NOBODY + 1))

    @cached_property
    def _by_fame(self) -> list[list[int]]:
        hosts = self.plan.hosts
        order = np.argsort(-hosts.fame, kind="stable")
        return [order[hosts.lang[order] == lang].tolist() for lang in range(len(LANGUAGES))]

    def sections(self, topic: int, lang: int) -> Numbers:
        """Return the sections on a topic that people know of; another language where there are none."""
        order, edges = self._by_topic
        for tongue in (lang, 0, 1, 2, 3):
            group = topic * len(LANGUAGES) + tongue
            found = order[edges[group] : edges[group + 1]]
            if len(found):
                return found
        return np.arange(1)

    def hosts(self, lang: int) -> list[int]:
        """Return the hosts of a language."""
        return self._by_fame[lang] or self._by_fame[0]


_NOBODY = len(TOPICS) * len(LANGUAGES)
