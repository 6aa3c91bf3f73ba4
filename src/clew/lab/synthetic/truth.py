"""What is true of a page: for the lab and for tests only. Nothing of this ever goes over the wire.

The same rules that write a page are applied here to whole columns, so that a web of a million pages is
counted within a second.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.lab.synthetic import randomness
from clew.lab.synthetic.hosts import Sort
from clew.lab.synthetic.page_frame import hub_topic
from clew.lab.synthetic.pages import own_subject
from clew.lab.synthetic.records import Address, SyntheticRecord, address, rows_of
from clew.lab.synthetic.site import STRAY_EVERYDAY, STRAY_NEAR, Site
from clew.lab.synthetic.tasks import SyntheticTask
from clew.lab.synthetic.topics import LANGUAGES, TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path
from clew.lab.synthetic.web import Web

RELEVANT = 2
"""The grade from which on a page is what the person looks for."""

_STEP = 1_000_000  # pages counted in one go


@dataclass(frozen=True, slots=True)
class PageTruth:
    """The truth about one page. `mentions` names a topic whose words it uses without being on it."""

    topic: str
    lang: str
    kind: str
    dim: bool = False
    mentions: str = ""
    secluded: bool = False


class WebTruth:
    """What is true of the pages of a web.

    >>> truth = WebTruth(Web(2_000))
    >>> sum(truth.counts("en").values()) <= truth.web.pages
    True
    """

    def __init__(self, web: Web) -> None:
        self.web = web

    def about(self, url: str) -> PageTruth | None:
        """Tell the truth about a page, None where there is none."""
        found = self.web.locate(url)
        if found is None or found[1].kind > PageKind.CONTENT:
            return None
        site, spot = found
        kind = spot.kind.name.lower()
        if spot.kind == PageKind.CONTENT:
            section = site.sections[spot.section]
            about = section.page(spot.place)
            other = about.mentions
            return PageTruth(
                TOPICS[about.topic].name, site.lang, section.holds.name.lower(), about.dim,
                TOPICS[other].name if other >= 0 else "", section.secluded,
            )  # fmt: skip
        return PageTruth(
            TOPICS[_front_topic(site, spot)].name if _has_topic(site, spot) else "", site.lang, kind
        )

    def grade(self, url: str, asked: SyntheticTask) -> int:
        """Grade a page: 2 on the topic, 1 close to it (a list, another language, a neighbour), 0 neither."""
        told = self.about(url)
        if told is None or not told.topic:
            return 0
        if told.topic != asked.topic:
            return int(told.topic in TOPICS.by_name[asked.topic].near)
        return 1 if told.lang != asked.lang or told.kind in {"list", "hub"} else RELEVANT

    def is_relevant(self, url: str, asked: SyntheticTask) -> bool:
        """Tell whether a page is what the person looks for."""
        return self.grade(url, asked) >= RELEVANT

    def records(self, url: str) -> list[SyntheticRecord]:
        """Return the records that a page or file shows."""
        found = self.web.locate(url)
        return rows_of(*found) if found else []

    def address(self, url: str) -> Address | None:
        """Return the postal address that a page shows."""
        found = self.web.locate(url)
        return address(found[0]) if found and found[1].kind == PageKind.CONTACT else None

    def counts(self, lang: str = "en") -> dict[str, int]:
        """Count the relevant pages of each topic that is asked for, in one language."""
        made = self._counted[LANGUAGES.index(lang)]
        return {topic.name: int(made[topic.number]) for topic in TOPICS.asked}

    def count(self, asked: SyntheticTask) -> int:
        """Count the pages that a person looks for."""
        return self.counts(asked.lang)[asked.topic]

    @cached_property
    def _counted(self) -> NDArray[np.int64]:
        """Relevant pages by language and topic: content pages, and home and about pages of devoted hosts."""
        plan = self.web.plan
        hosts, sections = plan.hosts, plan.sections
        made = np.zeros((len(LANGUAGES), len(TOPICS)), np.int64)
        ends = np.cumsum(sections.count)
        for begin in range(0, int(ends[-1]), _STEP):
            page = np.arange(begin, min(begin + _STEP, int(ends[-1])))
            row = np.searchsorted(ends, page, side="right")
            place = page - (ends[row] - sections.count[row])
            topic = topics_of(sections.key[row], place, sections.topic[row], sections.purity[row])
            lang = hosts.lang[sections.host[row]]
            made += np.bincount(lang * len(TOPICS) + topic, minlength=made.size).reshape(made.shape)
        own = hosts.sort == Sort.DEVOTED
        np.add.at(made, (hosts.lang[own], hosts.topic[own]), 2)
        return made

    def sample(self, many: int, seed: int = 0) -> list[str]:
        """Return addresses of pages drawn evenly from the whole web."""
        plan = self.web.plan
        front = np.cumsum(plan.hosts.front + plan.hosts.hubs)
        rest = np.cumsum(plan.sections.count + plan.sections.lists)
        total = int(front[-1] + rest[-1])
        made = []
        for throw in randomness.column(randomness.key(plan.seed, plan.size, seed, 99), many).tolist():
            number = throw % total
            if number < front[-1]:
                host = int(np.searchsorted(front, number, side="right"))
                site = self.web.graph.site(host)
                place = number - int(front[host]) + site.front + site.hubs
                spot = (
                    UrlTarget(PageKind(place))
                    if place < site.front
                    else UrlTarget(PageKind.HUB, 0, place - site.front)
                )
            else:
                number -= int(front[-1])
                row = int(np.searchsorted(rest, number, side="right"))
                site = self.web.graph.site(int(plan.sections.host[row]))
                section = site.sections[row - int(plan.hosts.first[site.number])]
                place = number - int(rest[row]) + section.count + section.lists
                listed = place < section.lists
                spot = UrlTarget(
                    PageKind.LIST if listed else PageKind.CONTENT,
                    section.number,
                    place if listed else place - section.lists,
                )
            made.append(f"http://{site.name}{path(site, spot)}")
        return made


def topics_of(
    keys: NDArray[np.uint64], place: NDArray[np.int64], own: NDArray[np.int64], purity: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the topics of many pages: what `site.subject` says of one."""
    key = randomness.mixed(keys + place.astype(np.uint64) * np.uint64(randomness.GOLDEN))
    pure = (key & np.uint64(0xFFFF)).astype(np.int64) < purity
    which = ((key >> np.uint64(16)) & np.uint64(0xFF)).astype(np.int64)
    pick = ((key >> np.uint64(24)) & np.uint64(0xFFFF)).astype(np.int64)
    everyday = np.array(TOPICS.everyday)[pick % len(TOPICS.everyday)]
    stray = np.select(
        [which < STRAY_NEAR, which < STRAY_EVERYDAY],
        [TOPICS.near[own, pick % 8], everyday],
        pick % len(TOPICS.asked),
    )
    return np.where(pure, own, stray)


def _has_topic(site: Site, spot: UrlTarget) -> bool:
    return spot.kind >= PageKind.HUB or (spot.kind <= PageKind.ABOUT and site.sort == Sort.DEVOTED)


def _front_topic(site: Site, spot: UrlTarget) -> int:
    if spot.kind == PageKind.HUB:
        return hub_topic(site, spot.place)
    if spot.kind == PageKind.LIST:
        return site.sections[spot.section].topic
    return own_subject(site).topic
