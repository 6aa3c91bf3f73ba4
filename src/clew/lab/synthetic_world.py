"""A synthetic web as a world: pages are generated and parsed on demand, and none is stored."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

from clew import urls
from clew.domain.records.values import row_key
from clew.errors import ConfigError
from clew.lab.page_store import Recorded
from clew.lab.synthetic import SyntheticTask, Web, WebTruth
from clew.lab.synthetic.records import SyntheticRecord, rows_of
from clew.lab.synthetic.topics import TOPICS
from clew.lab.task import Task
from clew.parse import ipc, read
from clew.types import Link, Response

CACHE_BYTES = 128 << 20
"""Bytes of parsed pages that are cached: the trials of a race read much the same pages."""

SEEDS = 8
EXAMPLES = 5

COLUMNS = ("name", "place", "year")
"""The columns of a task's example rows: those that every kind of record has."""

_GRADES = (0.0, 0.25, 1.0)  # not on the topic, close to it, on it


@dataclass(slots=True)
class SyntheticPages:
    """The responses of a synthetic web, by rows in the order in which they were first requested."""

    web: Web
    rows: dict[str, int] = field(default_factory=dict)
    page_urls: list[str] = field(default_factory=list)
    parsed: OrderedDict[int, Recorded] = field(default_factory=OrderedDict)
    bytes: int = 0
    canon: urls.Canon = field(default_factory=urls.Canon)

    def __len__(self) -> int:
        return self.web.pages

    def find(self, url: str) -> int:
        """Return the row of a URL; the synthetic web has a response for all of them."""
        row = self.rows.get(url)
        if row is None:
            row = self.rows[url] = len(self.page_urls)
            self.page_urls.append(url)
        return row

    def url(self, row: int) -> str:
        """Return the URL of a row."""
        return self.page_urls[row]

    def get(self, row: int) -> Recorded:
        """Return a response with its parsed page, generated now or from the cache."""
        known = self.parsed.get(row)
        if known is None:
            known = self.parsed[row] = self._make(self.page_urls[row])
            self.bytes += len(known.page) + len(known.body)
            while self.bytes > CACHE_BYTES and len(self.parsed) > 1:
                _, old = self.parsed.popitem(last=False)
                self.bytes -= len(old.page) + len(old.body)
        else:
            self.parsed.move_to_end(row)
        return known

    def _make(self, url: str) -> Recorded:
        reply = self.web.respond(url)
        lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in reply.headers]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        link = Link(id=0, url=url, origin=urls.origin(url))
        response = Response(
            link=link, started=0.0, ended=0.0, status=reply.status, head=head, body=reply.body
        )
        page = read(response, canon=self.canon, max_bytes=8_000_000)
        packed = b"".join(ipc.reply(page))[ipc.HEADER.size :]
        return Recorded(reply.status, head, reply.body, cut=False, page=memoryview(packed))


@dataclass(frozen=True, slots=True)
class SyntheticRowTruth:
    """Truth about rows on synthetic pages: right on the topic, off-topic on another, or noise."""

    web: Web
    topic: int

    @property
    def row_count(self) -> int:
        """Unknown: -1."""
        return -1

    def label_of(self, values: Sequence[str], urls: Iterable[str]) -> str:
        """Compare a row with the records of the pages it was found on."""
        word, wanted = "noise", row_key(tuple(values))
        for url in urls:
            found = self.web.locate(url)
            if found and any(row_key(_columns(row)) == wanted for row in rows_of(*found)):
                if found[0].sections[found[1].section].topic == self.topic:
                    return "right"
                word = "off-topic"
        return word


@dataclass(frozen=True, slots=True)
class SyntheticTruth:
    """Ground truth of a synthetic web, by its own rules."""

    truth: WebTruth
    task: SyntheticTask
    examples: frozenset[str]

    @property
    def relevant(self) -> int:
        """The number of relevant pages, without the examples."""
        return self.truth.count(self.task) - len(self.examples)

    def grade(self, url: str) -> float:
        """Return the grade of a URL; examples are given, so they do not count as found."""
        return 0.0 if url in self.examples else _GRADES[self.truth.grade(url, self.task)]


def synthetic_world(name: str) -> tuple[SyntheticPages, list[Task]]:
    """Make a web by its name, `madeup:PAGES:SEED`, with a task for each topic."""
    _, _, rest = name.partition(":")
    pages, _, seed = rest.partition(":")
    if not (pages or "1").isdigit() or not (seed or "1").isdigit():
        msg = f"{name} is not a synthetic web; write madeup:PAGES:SEED, for example madeup:20000:1"
        raise ConfigError(msg)
    web = Web(int(pages or 20_000), seed=int(seed or 1))
    truth = WebTruth(web)
    return SyntheticPages(web), [_task(web, truth, topic.name) for topic in TOPICS.searchable]


def _columns(row: SyntheticRecord) -> tuple[str, ...]:
    return tuple(getattr(row, name) for name in COLUMNS)


def _task(web: Web, truth: WebTruth, topic: str) -> Task:
    question = web.task(topic)
    good, bad = web.examples(topic, EXAMPLES)
    return Task(
        name=topic,
        about=question.words,
        truth=SyntheticTruth(truth, question, frozenset(good)),
        starts={"seeds": tuple(web.seeds(topic, SEEDS))},
        good=tuple(good),
        bad=tuple(bad),
        records=tuple(
            dict(zip(COLUMNS, _columns(row), strict=True)) for row in web.example_rows(topic, EXAMPLES)
        ),
        rows=SyntheticRowTruth(web, TOPICS.by_name[topic].number),
    )
