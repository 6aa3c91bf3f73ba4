"""A topic as a task: the query, the seeds, the example pages."""

from dataclasses import dataclass

import numpy as np

from clew.errors import ConfigError
from clew.lab.synthetic import randomness
from clew.lab.synthetic.graph import LinkGraph
from clew.lab.synthetic.hosts import HostKind, SectionContent
from clew.lab.synthetic.page_frame import hub_topic
from clew.lab.synthetic.records import SyntheticRecord, row
from clew.lab.synthetic.topics import LANGUAGES, TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path

_TRIES = 400
_SEARCHED_SECTIONS = 100  # sections searched for lists of records
_RECORD_SECTIONS = 3


@dataclass(frozen=True, slots=True)
class SyntheticTask:
    """A search task: pages on a topic in one language, and the words of the query."""

    topic: str
    lang: str
    words: str


def make_task(topic: str, lang: str = "en") -> SyntheticTask:
    """Return the task on a topic."""
    known = TOPICS.by_name.get(topic)
    if known is None or not known.query:
        topics = ", ".join(known.name for known in TOPICS.searchable)
        msg = f"the synthetic web has no tasks on {topic!r}; its topics are {topics}"
        raise ConfigError(msg)
    if lang not in LANGUAGES:
        msg = f"the synthetic web has no pages in {lang!r}; its languages are {', '.join(LANGUAGES)}"
        raise ConfigError(msg)
    return SyntheticTask(topic, lang, known.query_in(lang))


def seeds(graph: LinkGraph, task: SyntheticTask, count: int) -> list[str]:
    """Return seed URLs: portals and hub pages, one to three links away.

    None of them is on the topic: directories, hosts on related topics, and popular hosts.
    """
    topic, lang = TOPICS.by_name[task.topic].number, LANGUAGES.index(task.lang)
    hosts = graph.plan.hosts
    draw = randomness.random_stream(randomness.combine(graph.plan.seed, graph.plan.size, topic, lang, 77))
    near = set(TOPICS.near[topic].tolist())
    popular = graph.plan.directory.hosts(lang)
    kinds, topics = hosts.kind[popular], hosts.topic[popular]
    row = np.array(popular)
    groups = [
        row[kinds == HostKind.DIRECTORY].tolist(),
        row[(kinds <= HostKind.NEAR) & np.isin(topics, list(near))].tolist(),
        row[(kinds == HostKind.MIXED) | (kinds == HostKind.TOWN)].tolist(),
    ]
    found: dict[str, None] = {}
    for attempt in range(_TRIES):
        group = groups[attempt % len(groups)]
        if not group:
            continue
        site = graph.site(group[int(len(group) * (draw() * randomness.UNIT) ** 1.7)])
        target = UrlTarget(PageKind.HOME)
        if site.hubs and site.kind <= HostKind.NEAR:
            target = UrlTarget(PageKind.HUB)
        elif site.kind == HostKind.DIRECTORY and draw() % 2:
            close = [position for position in range(site.hubs) if hub_topic(site, position) in near]
            target = UrlTarget(PageKind.HUB, 0, close[0]) if close else target
        if not site.is_closed:
            found[f"http://{site.name}{path(site, target)}"] = None
        if len(found) == count:
            break
    return list(found)


def examples(graph: LinkGraph, task: SyntheticTask, count: int) -> tuple[list[str], list[str]]:
    """Return URLs of relevant and of irrelevant pages."""
    topic, lang = TOPICS.by_name[task.topic].number, LANGUAGES.index(task.lang)
    draw = randomness.random_stream(randomness.combine(graph.plan.seed, graph.plan.size, topic, lang, 78))
    good, bad = dict[str, None](), dict[str, None]()
    near = TOPICS.near[topic].tolist()
    for attempt in range(_TRIES):
        wanted = topic if attempt % 2 == 0 else (*near, *TOPICS.everyday)[draw() % (len(near) + 8)]
        rows = graph.plan.directory.sections(wanted, lang)
        row = int(rows[draw() % len(rows)])
        site = graph.site(int(graph.plan.sections.host[row]))
        section = site.sections[row - int(graph.plan.hosts.first[site.number])]
        position = draw() % section.count
        about = section.page(position)
        if site.lang != task.lang or about.topic != wanted or about.implicit or site.is_closed:
            continue
        (good if wanted == topic else bad)[
            f"http://{site.name}{path(site, UrlTarget(PageKind.CONTENT, section.number, position))}"
        ] = None
        if len(good) >= count and len(bad) >= count:
            break
    return list(good)[:count], list(bad)[:count]


def example_rows(graph: LinkGraph, task: SyntheticTask, count: int) -> list[SyntheticRecord]:
    """Return records that a person might know, from several sections if there are.

    They are on the first page of their lists.
    """
    topic, lang = TOPICS.by_name[task.topic].number, LANGUAGES.index(task.lang)
    draw = randomness.random_stream(randomness.combine(graph.plan.seed, graph.plan.size, topic, lang, 79))
    sections = []
    for number in graph.plan.directory.sections(topic, lang)[:_SEARCHED_SECTIONS].tolist():
        site = graph.site(int(graph.plan.sections.host[number]))
        section = site.sections[number - int(graph.plan.hosts.first[site.number])]
        if section.content == SectionContent.RECORDS and site.lang == task.lang and not site.is_closed:
            sections.append((site, section))
        if len(sections) == _RECORD_SECTIONS:
            break
    found: dict[SyntheticRecord, None] = {}
    for attempt in range(_TRIES if sections else 0):
        site, section = sections[
            attempt // 2 % len(sections)
        ]  # two of a section: a pattern needs two examples
        found[row(site, section, draw() % min(section.count, site.per_list))] = None
        if len(found) == count:
            break
    return list(found)
