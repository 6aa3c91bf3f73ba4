"""A trial: one policy, one task, one start, replayed through the product's own loop in virtual time.

A task with example rows can be run for its rows, too:

    run_trial(world, task, "objectrank", pages=500, extractor="records", judge="records", answers=20)

The table then grows from `task.records`, policy and judge get the table, and the trace has the number of
correct rows gained up to each page (`gained`, by `task.rows`) and how many were accepted (`table`);
`facts["rows_there"]` is the number of true rows, -1 if unknown, `facts["marked"]` the labels that were given.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, cast

import numpy as np

from clew import registry, urls
from clew.builder import add_seeds, build_engine
from clew.config import Config, build, put_setting
from clew.contracts import Extractor, SearchEngine
from clew.engine.budget import Budget
from clew.engine.clock import Clock
from clew.engine.engine import Engine
from clew.engine.events import Events
from clew.engine.parts import Parts, make_parts, name_of, set_priors
from clew.engine.run import CrawlRun
from clew.errors import ConfigError
from clew.extract.records import RecordExtractor
from clew.lab.graph import distances
from clew.lab.memory_store import MemoryStore
from clew.lab.record_trial import RecordTrial
from clew.lab.replay import NetworkModel, Replay
from clew.lab.task import RELEVANT, Graded, Task, check_words
from clew.lab.teacher import LabTeacher, TeacherJudge, TeacherSpec
from clew.lab.trace import Trace
from clew.lab.trial_parts import NoTrapGuard, PerfectJudge, goes_by_files
from clew.lab.virtual_time import VirtualLoop, run_virtually
from clew.lab.world import World
from clew.services.search import MemorySearchLog, SearchService, SearchSettings, TopicVocabulary
from clew.types import Label, Link, PageResult

CONTACT = "https://github.com/clew-crawler/clew"
"""A configuration needs one; a replay never sends it."""

EXAMPLES = ("shown", "seeds", "none")
LEFT_OUT = 5
"""One seed in five is left out of a start set of three or more."""

_LABELS = "labels"
_FIXED = frozenset({"scope.drop_params", "fetch.agent", "fetch.max_bytes"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSettings:
    """How a trial is run.

    Args:
        pages: the budget, in pages read.
        seed: seed of the policy and of the start set (see `start_of`); 0 is the task's own start.
        judge: a judge's name, or `labels` for one that returns the true label.
        cap_per_host: pages of one origin, at most; 0 means no limit.
        concurrency: requests in flight. With 1 each page is learned from before the next link is chosen.
        traps: whether the trap guard may refuse links.
        delay: seconds between two requests to one host. With 0 the best link of all is always next; with a
            delay it is the best one whose host is ready, as in a live crawl.
        network: latency and failure rate of the network.
        examples: how the task's example pages are used. `shown`: the judge learns from them before the
            crawl, as from files. `seeds`: they are fetched first, as URLs in goal.good are. `none`.
        start: which of the task's start sets.
        dead_ends: whether links out of the archive are seen; each costs a request and gives 404. Judges of
            links to files always see them (`goes_by_files`).
        extractor: `records` or `records:dipre` for a growing table; or none.
        requests: a second budget, in requests of any kind; 0 means no limit.
        answers: with a table, the number of rows that get their true label, evenly over the pages. Else a
            teacher that labels pages by the truth, as `labels=40,error=0.1` (see `TeacherSpec`).
        search: share of the world that a search engine has indexed, and how many labelled pages the judge
            learns from, relevant and others (see `search_trial`); empty for no search.
        settings: any other key of clew.toml, as `{"scope.depth": 5}`.
    """

    pages: int
    seed: int = 0
    judge: object = "auto"
    cap_per_host: int = 0
    concurrency: int = 1
    traps: bool = True
    delay: float = 0.0
    network: NetworkModel = field(default_factory=NetworkModel)
    examples: str = "shown"
    start: str = "seeds"
    dead_ends: bool = False
    extractor: object = "none"
    requests: int = 0
    answers: int | str = 0
    search: Sequence[float] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def teacher(self) -> TeacherSpec | None:
        """The teacher that labels pages, if there is one."""
        return TeacherSpec.parse(self.answers) if isinstance(self.answers, str) and self.answers else None

    def config(self, about: str, good: tuple[str, ...], bad: tuple[str, ...]) -> Config:
        """Return the configuration of a crawl with these settings."""
        tables: dict[str, dict[str, Any]] = {
            "crawl": {"contact": CONTACT, "pages": self.pages, "requests": self.requests},
            "goal": {"about": about, "good": list(good), "bad": list(bad)},
            "rank": {"seed": self.seed},
            "scope": {"per_host": self.cap_per_host},
            "fetch": {"delay": self.delay, "concurrency": self.concurrency},
        }
        for name, value in self.settings.items():
            if name in _FIXED:
                msg = f"{name} cannot be set in a trial: the pages of a world are parsed once for all of them"
                raise ConfigError(msg)
            put_setting(tables, name, value)
        return build(tables, "the settings of the trial")


def run_trial(
    world: World,
    task: Task,
    policy: object,
    *,
    pages: int,
    seed: int = 0,
    **settings: Any,  # noqa: ANN401
) -> Trace:
    """Run a policy on a task in a world; return what it fetched, in order.

    `policy` is a name, `module:Class`, a class or a ready ranker (a ready one keeps what it learned before).
    Further keywords are those of `TrialSettings`. The same arguments give the same trace.
    """
    return run_on(world, task, policy, TrialSettings(pages=pages, seed=seed, **settings))


def run_on(
    world: World,
    task: Task,
    policy: object,
    settings: TrialSettings,
    log: list[str] | None = None,
    *,
    engines: Sequence[SearchEngine] = (),
    topic: str = "",
) -> Trace:
    """Run a trial with given settings; `log` receives every URL that was requested.

    `engines` are searched as [seek] in the settings says; they must work without a network.
    `topic` is what is searched for, if that is not what the task is about.
    """
    if settings.examples not in EXAMPLES:
        msg = f"examples = {settings.examples!r}: choose one of {', '.join(EXAMPLES)}"
        raise ConfigError(msg)
    requested: list[str] = [] if log is None else log
    return run_virtually(lambda: _Trial(world, task, policy, settings, requested, engines, topic).run())


def start_of(world: World, task: Task, settings: TrialSettings) -> list[str]:
    """Return the URLs a trial begins with.

    Seed 0 gives the start set as it is. Any other seed starts at another position of the list, continues in
    its order and, of three seeds or more, leaves out the last fifth, at least one. All policies
    with the same seed have the same start.
    """
    if settings.start not in task.starts:
        known = ", ".join(task.starts) or "none"
        msg = f'the task "{task.name}" has no start set "{settings.start}"; there are: {known}'
        raise ConfigError(msg)
    seeds = list(task.starts[settings.start])
    if not any(world.pages.find(url) >= 0 for url in seeds):
        msg = (
            f'none of the {len(seeds)} seeds of "{task.name}" is in the archive of {world.name}; '
            'name pages that are, under "seeds" in tasks.json or in seeds.txt'
        )
        raise ConfigError(msg)
    if not settings.seed or len(seeds) < 2:  # noqa: PLR2004
        return seeds
    at = settings.seed % len(seeds)
    rotated = seeds[at:] + seeds[:at]
    left_out = max(1, len(seeds) // LEFT_OUT) if len(seeds) > 2 else 0  # noqa: PLR2004
    shortened = rotated[: len(seeds) - left_out]
    return shortened if any(world.pages.find(url) >= 0 for url in shortened) else rotated


@dataclass(slots=True)
class _Trial:
    """One run: the parts, and the columns it fills."""

    world: World
    task: Task
    policy: object
    settings: TrialSettings
    log: list[str] = field(default_factory=list)
    engines: Sequence[SearchEngine] = ()
    topic: str = ""
    columns: dict[str, list[Any]] = field(default_factory=dict)
    seen_rows: set[int] = field(default_factory=set)
    origins: dict[str, int] = field(default_factory=dict)

    async def run(self) -> Trace:
        """Run until the budget is spent or nothing is left."""
        settings, task = self.settings, self.task
        loop = cast("VirtualLoop", asyncio.get_running_loop())
        good, bad = (task.good, task.bad) if settings.examples != "none" else ((), ())
        config = settings.config(task.about, good, bad)
        start = start_of(self.world, task, settings)
        store = MemoryStore()
        extractor = self._extractor(store)
        check_words(task, settings.judge)
        parts = make_parts(config, {"ranker": self.policy, "judge": self._judge(), "extractor": extractor})
        self._check(parts)
        replay = Replay(
            world=self.world, wall=loop.wall, network=settings.network,
            dead_ends=settings.dead_ends or goes_by_files(settings.judge),
            markup=parts.abilities.extractor.needs_markup, requested=self.log,
        )  # fmt: skip
        seeds = start + [url for url in good if settings.examples == "seeds" and url not in start]
        engine = build_engine(
            config, store, Clock(loop.time, loop.wall), parts, seeds=seeds,
            traps=None if settings.traps else NoTrapGuard(),
        )  # fmt: skip
        engine.evaluation.set_labels(dict.fromkeys(good, True) | dict.fromkeys(bad, False))
        if settings.examples == "shown":
            await self._learn_examples(engine, replay)
            set_priors(parts, engine.evaluation.judge)
        events = Events()
        search = await self._search_service(engine, config, events)
        add_seeds(engine, seeds)
        teachers = self._teacher(engine, store)
        run = CrawlRun(
            engine=engine, fetcher=replay, parse=replay.parse, concurrency=settings.concurrency,
            focus=config.fetch.focus,
            budget=Budget(settings.pages, requests=settings.requests, least=config.crawl.least),
            events=events,
            services=[*([search] if search else []), *teachers],
        )  # fmt: skip
        self._begin()
        async for result in run.results():
            if result.is_page:
                self._add_page(result, replay, extractor)
        facts = self._facts(
            start, ended=run.ended, requests=len(self.log), failed=engine.totals.failed, virtual=loop.time()
        )
        if search:
            await search.cancel()
            facts["said"] = events.backlog()
        if teachers:
            facts["taught"] = teachers[0].labels
        if isinstance(extractor, RecordTrial):
            facts["rows_there"] = task.rows.row_count if task.rows else -1
            facts["marked"] = dict(sorted(extractor.row_labels.items()))
        return self._trace({**facts, "refused": dict(sorted(store.refused.items()))})

    def _check(self, parts: Parts) -> None:
        """Refuse a policy that cannot work here: without a search engine, or with only one site."""
        if parts.abilities.ranker.topic_terms and not self.engines:
            msg = (
                f"policy {parts.policy} learns its words from a search engine, and this trial has none; "
                "pass engines (see bench/reseed.py), or choose another policy"
            )
            raise ConfigError(msg)
        store = self.world.page_store
        if parts.abilities.hosts.policy and store is not None:
            sites = {urls.origin(store.url(row)) for row in range(len(store))}
            if len(sites) < 2:  # noqa: PLR2004
                hint = "choose another world or another policy"
                msg = f"policy {parts.policy} chooses between sites, {self.world.name} has only one; {hint}"
                raise ConfigError(msg)

    def _judge(self) -> object:
        """Return the judge, or its name; the truth or the teacher, if the settings say so."""
        settings, truth = self.settings, self.task.truth
        if settings.teacher and settings.teacher.order == "every":
            return TeacherJudge(truth, self.world, settings.teacher, settings.seed)
        return PerfectJudge(truth, self.world) if settings.judge == _LABELS else settings.judge

    def _teacher(self, engine: Engine, store: MemoryStore) -> list[LabTeacher]:
        """Return the teacher that labels pages, if the settings name one."""
        spec = self.settings.teacher
        if spec is None or spec.order == "every":
            return []
        return [
            LabTeacher(
                engine=engine, store=store, truth=self.task.truth, world=self.world, spec=spec,
                pages=self.settings.pages, seed=self.settings.seed,
            )
        ]  # fmt: skip

    def _extractor(self, store: MemoryStore) -> Extractor:
        """Return the extractor; one that grows a table begins with the rows of the task."""
        settings, task = self.settings, self.task
        rows = [tuple(row.values()) for row in task.records]
        columns = tuple(task.records[0]) if task.records else ()
        extractor = registry.make("extractor", settings.extractor, columns=columns, rows=tuple(rows))
        if not isinstance(extractor, RecordExtractor):
            return cast("Extractor", extractor)
        extractor.prepare()
        return RecordTrial(
            extractor=extractor, store=store, truth=task.rows, pages=settings.pages, seed=settings.seed,
            answers=settings.answers if isinstance(settings.answers, int) else 0,
        )  # fmt: skip

    async def _search_service(self, engine: Engine, config: Config, events: Events) -> SearchService | None:
        """Return the search service, if there is an engine to search."""
        if not self.engines:
            return None
        service = SearchService(
            engine=engine, engines=self.engines, log=MemorySearchLog(), events=events,
            settings=SearchSettings(
                seek=config.seek, topic=self.topic or self.task.about, pages=self.settings.pages,
                seed=self.settings.seed, has_examples=bool(config.goal.good and config.goal.bad),
            ),
            vocabulary=TopicVocabulary(abilities=engine.scoring.abilities, most_terms=config.seek.words),
        )  # fmt: skip
        await service.start()
        return service

    async def _learn_examples(self, engine: Engine, replay: Replay) -> None:
        """Train the judge on the examples as on files: they are not fetched, no link is followed."""
        for number, (url, relevant) in enumerate(engine.evaluation.labels.items()):
            link = Link(id=-1 - number, url=url, origin=urls.origin(url))
            page = await replay.parse(await Replay(world=self.world, wall=replay.wall).fetch(link))
            if 200 <= page.response.status < 300:  # noqa: PLR2004
                engine.evaluation.judge.learn(Label(url, relevant, replay.wall()), page)

    def _begin(self) -> None:
        names = (
            "hashes", "rows", "grades", "examples", "verdicts", "scores", "hosts", "bytes", "status",
            "seconds", "gained", "table",
        )  # fmt: skip
        self.columns = {name: [] for name in names}

    def _add_page(self, result: PageResult, replay: Replay, extractor: Extractor) -> None:
        """Append one page to the columns."""
        link, response = result.page.link, result.page.response
        row = replay.rows.pop(link.id, -1)
        found = row >= 0 and 200 <= response.status < 300 and row not in self.seen_rows  # noqa: PLR2004
        own = self.world.pages.url(row) if row >= 0 else link.url
        self.seen_rows.add(row)
        entry = (
            urls.fingerprint(link.url),
            row,
            self.task.truth.grade(own) if found else 0.0,
            own in self.task.good or own in self.task.bad,
            np.nan if result.verdict is None else result.verdict.value,
            link.score,
            self.origins.setdefault(link.origin, len(self.origins)),
            len(response.body),
            response.status,
            replay.seconds.pop(link.id),
            *(extractor.counts_at(link.id) if isinstance(extractor, RecordTrial) else (0, 0)),
        )
        for column, value in zip(self.columns.values(), entry, strict=True):
            column.append(value)

    def _trace(self, facts: dict[str, Any]) -> Trace:
        columns = self.columns
        grades = np.array(columns["grades"], np.float32)
        return Trace(
            hashes=np.array(columns["hashes"], np.uint64),
            rows=np.array(columns["rows"], np.int32),
            grades=grades,
            relevant=grades >= RELEVANT,
            examples=np.array(columns["examples"], np.bool_),
            verdicts=np.array(columns["verdicts"], np.float32),
            scores=np.array(columns["scores"], np.float32),
            hosts=np.array(columns["hosts"], np.int32),
            bytes=np.array(columns["bytes"], np.int32),
            status=np.array(columns["status"], np.int16),
            seconds=np.array(columns["seconds"], np.float64),
            gained=np.array(columns["gained"], np.int32),
            table=np.array(columns["table"], np.int32),
            facts=facts,
        )

    def _facts(self, start: list[str], **more: Any) -> dict[str, Any]:  # noqa: ANN401
        """Return settings and counts of the trial."""
        settings, store, truth = self.settings, self.world.page_store, self.task.truth
        facts: dict[str, Any] = {
            "world": self.world.name, "task": self.task.name, "kind": self.task.kind,
            "policy": name_of(self.policy, ""), "judge": name_of(settings.judge, ""),
            "extractor": name_of(settings.extractor, ""),
            **{key: list(value) if isinstance(value, tuple) else value  # as a saved trace has it
               for key, value in asdict(settings).items() if key not in ("judge", "extractor")},
            "settings": dict(settings.settings),
            "begun_with": start, "pages_there": -1, "relevant_there": truth.relevant,
            "reachable": -1, "relevant_reachable": -1,
        }  # fmt: skip
        if store is not None:
            hops = distances(store, np.array([store.resolve(url) for url in start], np.int32))
            read = (store.status >= 200) & (store.status < 300)  # noqa: PLR2004
            facts["pages_there"], facts["reachable"] = int(read.sum()), int((read & (hops >= 0)).sum())
            if isinstance(truth, Graded):
                hashes = [hash for hash, grade in truth.grades.items() if grade >= RELEVANT]
                rows = store.order[np.isin(store.names, np.array(hashes, np.uint64))]
                facts["relevant_reachable"] = int((hops[rows] >= 0).sum())
        return {**facts, **more}
