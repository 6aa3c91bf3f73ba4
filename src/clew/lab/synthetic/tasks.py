"""A topic as a task: what a person types, where they begin, which pages they would show as examples."""

from dataclasses import dataclass

import numpy as np

from clew.errors import ConfigError
from clew.lab.synthetic import randomness
from clew.lab.synthetic.graph import LinkGraph
from clew.lab.synthetic.hosts import Holds, Sort
from clew.lab.synthetic.page_frame import hub_topic
from clew.lab.synthetic.records import SyntheticRecord, row
from clew.lab.synthetic.topics import LANGUAGES, TOPICS
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path

_TRIES = 400
_LOOKED_AT = 100  # sections among which those are looked for that list records
_PLACES = 3


@dataclass(frozen=True, slots=True)
class SyntheticTask:
    """What a person looks for: pages on a topic in one language, and the words they type."""

    topic: str
    lang: str
    words: str


def question(topic: str, lang: str = "en") -> SyntheticTask:
    """Return the question on a topic."""
    known = TOPICS.by_name.get(topic)
    if known is None or not known.ask:
        topics = ", ".join(known.name for known in TOPICS.asked)
        msg = f"nobody asks for {topic!r} in the made-up web; its topics are {topics}"
        raise ConfigError(msg)
    if lang not in LANGUAGES:
        msg = f"the made-up web has no pages in {lang!r}; its languages are {', '.join(LANGUAGES)}"
        raise ConfigError(msg)
    return SyntheticTask(topic, lang, known.question(lang))


def seeds(graph: LinkGraph, asked: SyntheticTask, many: int) -> list[str]:
    """Return addresses a person might begin with: portals and lists of links, one to three steps off.

    None of them is on the topic: directories, hosts on neighbouring topics, and what everybody knows.
    """
    topic, lang = TOPICS.by_name[asked.topic].number, LANGUAGES.index(asked.lang)
    hosts = graph.plan.hosts
    throw = randomness.throws(randomness.key(graph.plan.seed, graph.plan.size, topic, lang, 77))
    near = set(TOPICS.near[topic].tolist())
    famous = graph.plan.directory.hosts(lang)
    sorts, topics = hosts.sort[famous], hosts.topic[famous]
    row = np.array(famous)
    groups = [
        row[sorts == Sort.DIRECTORY].tolist(),
        row[(sorts <= Sort.NEAR) & np.isin(topics, list(near))].tolist(),
        row[(sorts == Sort.MIXED) | (sorts == Sort.TOWN)].tolist(),
    ]
    found: dict[str, None] = {}
    for turn in range(_TRIES):
        group = groups[turn % len(groups)]
        if not group:
            continue
        site = graph.site(group[int(len(group) * (throw() * randomness.UNIT) ** 1.7)])
        spot = UrlTarget(PageKind.HOME)
        if site.hubs and site.sort <= Sort.NEAR:
            spot = UrlTarget(PageKind.HUB)
        elif site.sort == Sort.DIRECTORY and throw() % 2:
            close = [place for place in range(site.hubs) if hub_topic(site, place) in near]
            spot = UrlTarget(PageKind.HUB, 0, close[0]) if close else spot
        if not site.is_closed:
            found[f"http://{site.name}{path(site, spot)}"] = None
        if len(found) == many:
            break
    return list(found)


def examples(graph: LinkGraph, asked: SyntheticTask, many: int) -> tuple[list[str], list[str]]:
    """Return addresses of pages a person would call good, and of some they would not."""
    topic, lang = TOPICS.by_name[asked.topic].number, LANGUAGES.index(asked.lang)
    throw = randomness.throws(randomness.key(graph.plan.seed, graph.plan.size, topic, lang, 78))
    good, bad = dict[str, None](), dict[str, None]()
    near = TOPICS.near[topic].tolist()
    for turn in range(_TRIES):
        wanted = topic if turn % 2 == 0 else (*near, *TOPICS.everyday)[throw() % (len(near) + 8)]
        rows = graph.plan.directory.sections(wanted, lang)
        row = int(rows[throw() % len(rows)])
        site = graph.site(int(graph.plan.sections.host[row]))
        section = site.sections[row - int(graph.plan.hosts.first[site.number])]
        place = throw() % section.count
        about = section.page(place)
        if site.lang != asked.lang or about.topic != wanted or about.dim or site.is_closed:
            continue
        (good if wanted == topic else bad)[
            f"http://{site.name}{path(site, UrlTarget(PageKind.CONTENT, section.number, place))}"
        ] = None
        if len(good) >= many and len(bad) >= many:
            break
    return list(good)[:many], list(bad)[:many]


def example_rows(graph: LinkGraph, asked: SyntheticTask, many: int) -> list[SyntheticRecord]:
    """Return records that a person might know, from different places of the web if there are several.

    They stand on the first page of their lists, where somebody who looks finds them.
    """
    topic, lang = TOPICS.by_name[asked.topic].number, LANGUAGES.index(asked.lang)
    throw = randomness.throws(randomness.key(graph.plan.seed, graph.plan.size, topic, lang, 79))
    sections = []
    for number in graph.plan.directory.sections(topic, lang)[:_LOOKED_AT].tolist():
        site = graph.site(int(graph.plan.sections.host[number]))
        section = site.sections[number - int(graph.plan.hosts.first[site.number])]
        if section.holds == Holds.RECORDS and site.lang == asked.lang and not site.is_closed:
            sections.append((site, section))
        if len(sections) == _PLACES:
            break
    found: dict[SyntheticRecord, None] = {}
    for turn in range(_TRIES if sections else 0):
        site, section = sections[turn // 2 % len(sections)]  # two of a place: a pattern shows where two stand
        found[row(site, section, throw() % min(section.count, site.per_list))] = None
        if len(found) == many:
            break
    return list(found)
