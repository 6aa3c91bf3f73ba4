"""The ground truth of the synthetic web, for the lab and for tests only; it is never served.

The same rules that write a page are applied here to whole columns, so that a web of a million pages is
counted within a second.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.lab.synthetic import randomness
from clew.lab.synthetic.hosts import HostKind
from clew.lab.synthetic.page_frame import hub_topic
from clew.lab.synthetic.pages import own_subject
from clew.lab.synthetic.records import Address, SyntheticRecord, address, rows_of
from clew.lab.synthetic.site import STRAY_EVERYDAY, STRAY_NEAR, Site
from clew.lab.synthetic.tasks import SyntheticTask
from clew.lab.synthetic.topics import LANGUAGES, TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path
from clew.lab.synthetic.web import Web

RELEVANT = 2
"""The smallest grade of a relevant page."""

_STEP = 1_000_000  # pages counted in one go


@dataclass(frozen=True, slots=True)
class PageTruth:
    """The truth about one page. `mentions` names a topic whose words it uses without being on it."""

    topic: str
    lang: str
    kind: str
    implicit: bool = False
    mentions: str = ""
    secluded: bool = False


class WebTruth:
    """The ground truth of a web.

    >>> truth = WebTruth(Web(2_000))
    >>> sum(truth.counts("en").values()) <= truth.web.pages
    True
    """

    def __init__(self, web: Web) -> None:
        self.web = web

    def page_truth(self, url: str) -> PageTruth | None:
        """Return the truth about a page, None where there is no page."""
        found = self.web.locate(url)
        if found is None or found[1].kind > PageKind.CONTENT:
            return None
        site, target = found
        kind = target.kind.name.lower()
        if target.kind == PageKind.CONTENT:
            section = site.sections[target.section]
            about = section.page(target.position)
            other = about.mentions
            return PageTruth(
                TOPICS[about.topic].name, site.lang, section.content.name.lower(), about.implicit,
                TOPICS[other].name if other >= 0 else "", section.secluded,
            )  # fmt: skip
        return PageTruth(
            TOPICS[_front_topic(site, target)].name if _has_topic(site, target) else "", site.lang, kind
        )

    def grade(self, url: str, task: SyntheticTask) -> int:
        """Grade a page: 2 on the topic, 1 close to it (a list, another language, a neighbour), 0 neither."""
        truth = self.page_truth(url)
        if truth is None or not truth.topic:
            return 0
        if truth.topic != task.topic:
            return int(truth.topic in TOPICS.by_name[task.topic].near)
        return 1 if truth.lang != task.lang or truth.kind in {"list", "hub"} else RELEVANT

    def is_relevant(self, url: str, task: SyntheticTask) -> bool:
        """Tell whether a page is relevant to a task."""
        return self.grade(url, task) >= RELEVANT

    def records(self, url: str) -> list[SyntheticRecord]:
        """Return the records that a page or file shows."""
        found = self.web.locate(url)
        return rows_of(*found) if found else []

    def address(self, url: str) -> Address | None:
        """Return the postal address that a page shows."""
        found = self.web.locate(url)
        return address(found[0]) if found and found[1].kind == PageKind.CONTACT else None

    def counts(self, lang: str = "en") -> dict[str, int]:
        """Count the relevant pages of each topic in one language."""
        counts = self._counts[LANGUAGES.index(lang)]
        return {topic.name: int(counts[topic.number]) for topic in TOPICS.searchable}

    def count(self, task: SyntheticTask) -> int:
        """Count the relevant pages of a task."""
        return self.counts(task.lang)[task.topic]

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        """Relevant pages by language and topic: content pages, and front pages of hosts on one topic."""
        plan = self.web.plan
        hosts, sections = plan.hosts, plan.sections
        counts = np.zeros((len(LANGUAGES), len(TOPICS)), np.int64)
        ends = np.cumsum(sections.count)
        for begin in range(0, int(ends[-1]), _STEP):
            page = np.arange(begin, min(begin + _STEP, int(ends[-1])))
            row = np.searchsorted(ends, page, side="right")
            position = page - (ends[row] - sections.count[row])
            topic = topics_of(sections.key[row], position, sections.topic[row], sections.purity[row])
            lang = hosts.lang[sections.host[row]]
            counts += np.bincount(lang * len(TOPICS) + topic, minlength=counts.size).reshape(counts.shape)
        own = hosts.kind == HostKind.ONE_TOPIC
        np.add.at(counts, (hosts.lang[own], hosts.topic[own]), 2)
        return counts

    def sample(self, count: int, seed: int = 0) -> list[str]:
        """Return URLs of pages drawn uniformly from the whole web."""
        plan = self.web.plan
        front = np.cumsum(plan.hosts.front + plan.hosts.hubs)
        rest = np.cumsum(plan.sections.count + plan.sections.lists)
        total = int(front[-1] + rest[-1])
        found = []
        for draw in randomness.random_column(
            randomness.combine(plan.seed, plan.size, seed, 99), count
        ).tolist():
            number = draw % total
            if number < front[-1]:
                host = int(np.searchsorted(front, number, side="right"))
                site = self.web.graph.site(host)
                position = number - int(front[host]) + site.front + site.hubs
                target = (
                    UrlTarget(PageKind(position))
                    if position < site.front
                    else UrlTarget(PageKind.HUB, 0, position - site.front)
                )
            else:
                number -= int(front[-1])
                row = int(np.searchsorted(rest, number, side="right"))
                site = self.web.graph.site(int(plan.sections.host[row]))
                section = site.sections[row - int(plan.hosts.first[site.number])]
                position = number - int(rest[row]) + section.count + section.lists
                listed = position < section.lists
                target = UrlTarget(
                    PageKind.LIST if listed else PageKind.CONTENT,
                    section.number,
                    position if listed else position - section.lists,
                )
            found.append(f"http://{site.name}{path(site, target)}")
        return found


def topics_of(
    keys: NDArray[np.uint64], position: NDArray[np.int64], own: NDArray[np.int64], purity: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the topics of many pages; `site.subject` does it for one."""
    key = randomness.mix_column(keys + position.astype(np.uint64) * np.uint64(randomness.GOLDEN))
    pure = (key & np.uint64(0xFFFF)).astype(np.int64) < purity
    which = ((key >> np.uint64(16)) & np.uint64(0xFF)).astype(np.int64)
    pick = ((key >> np.uint64(24)) & np.uint64(0xFFFF)).astype(np.int64)
    everyday = np.array(TOPICS.everyday)[pick % len(TOPICS.everyday)]
    stray = np.select(
        [which < STRAY_NEAR, which < STRAY_EVERYDAY],
        [TOPICS.near[own, pick % 8], everyday],
        pick % len(TOPICS.searchable),
    )
    return np.where(pure, own, stray)


def _has_topic(site: Site, target: UrlTarget) -> bool:
    return target.kind >= PageKind.HUB or (target.kind <= PageKind.ABOUT and site.kind == HostKind.ONE_TOPIC)


def _front_topic(site: Site, target: UrlTarget) -> int:
    if target.kind == PageKind.HUB:
        return hub_topic(site, target.position)
    if target.kind == PageKind.LIST:
        return site.sections[target.section].topic
    return own_subject(site).topic
