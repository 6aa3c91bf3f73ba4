"""Build a house from a folder and its configuration, and close every door behind it."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from clew import capabilities, registry, urls
from clew.config import Config
from clew.config.contact import user_agent
from clew.config.judge_spec import JudgeSpec
from clew.config.seeds import read_seeds
from clew.contracts import Extractor, Fetcher, Judge, Ranker
from clew.domain.records.example_table import ExampleTable, read_table
from clew.engine import host_policy
from clew.engine.budget import Budget
from clew.engine.checkpoint import Checkpoint
from clew.engine.config_changes import obey_changes
from clew.engine.deferred_links import DeferredLinks
from clew.engine.engine import Engine
from clew.engine.intake import Intake
from clew.engine.redirects import Redirects
from clew.engine.robots_gate import RobotsGate
from clew.engine.run import CrawlRun
from clew.engine.scoring import Scoring
from clew.errors import ConfigError
from clew.extract.records import RecordExtractor
from clew.fetch.browser import BrowserFetcher
from clew.frontier import Exclusions, Frontier, RetryPolicy, Robots, Scope, TrapGuard
from clew.parse import ParsePool
from clew.services.labels import LabelListener
from clew.services.search import check_search, open_searching
from clew.services.tables import TableService, open_table, table_path
from clew.store import SqliteStore
from clew.store_contracts import CrawlState, FolderStore, Store
from clew.types import Kind, State
from clew.version import __version__

PRIMING = 50
"""Terms of a judge that a ranker is told before the crawl: those that tell most."""


@asynccontextmanager
async def open_house(
    folder: Path, config: Config, *, budget: Budget | None = None, parts: Mapping[str, Any] | None = None
) -> AsyncIterator[CrawlRun]:
    """Open the crawl in `folder`, ready to walk; whatever happens inside, everything is closed after.

    `parts` may hold a ready `ranker`, `judge`, `extractor` or `fetcher` to use instead of the named one.
    """
    parts = parts or {}
    seeds, labels = _beginning(folder, config)
    goal = {"about": config.goal.about, "good": tuple(config.goal.good), "bad": tuple(config.goal.bad)}
    ranker, judge, extractor = _learners(config, parts, goal, _table(folder, config))
    check_search(folder, config, ranker)
    async with AsyncExitStack() as doors:
        store = _store(folder, config)
        store.open()
        doors.push_async_callback(store.aclose)
        parse = _parser(config, ranker, extractor)
        doors.push_async_callback(parse.aclose)
        mind = make_mind(config, store, seeds, ranker=ranker, judge=judge, extractor=extractor)
        layout = capabilities.of_ranker(ranker).needs_layout
        fetcher = _fetcher(
            parts.get("fetcher") or "curl", config, mind.robots_gate.robots.refusal, layout=layout
        )
        doors.push_async_callback(fetcher.aclose)
        harvesting = _harvesting(mind, store)
        hearing = LabelListener(
            engine=mind, store=store, goal=labels,
            remake=lambda: with_book(
                extractor, registry.make("judge", parts.get("judge") or config.goal.judge, **goal)
            ),
        )  # fmt: skip
        mind.checkpoint = _knowledge(mind, store, _called(parts.get("ranker"), config.rank.policy), config)
        notes = _wake(mind, store, config, hearing)
        doors.push_async_callback(mind.checkpoint.aclose)
        store.control.begin_run(
            policy=_called(parts.get("ranker"), config.rank.policy),
            judge=_called(parts.get("judge"), config.goal.judge),
            first_link=mind.intake.next_id, settings=_without_secrets(config),
        )  # fmt: skip
        for url in seeds:
            mind.add_seeds([url], Kind.SITEMAP if looks_like_sitemap(url) else Kind.PAGE)
        await store.commit()
        budget = budget or Budget(config.crawl.pages, config.crawl.hours)
        searching = open_searching(folder, config, mind, store.reader.judged, budget.pages)
        walk = CrawlRun(
            engine=mind, fetcher=fetcher, parse=parse, concurrency=config.fetch.concurrency,
            budget=budget, notes=notes, searching=searching,
        )  # fmt: skip
        if searching:
            doors.push_async_callback(searching.close)
            searching.tell, searching.wake = walk.notify, walk.changed.set
            await searching.start()
        host_policy.introduce(mind.scoring, walk.notify)
        await doors.enter_async_context(_ranked_anew(walk))
        await doors.enter_async_context(_harvested(walk, harvesting))
        hearing.told = lambda heard: walk.notify(heard.words(), **heard.as_dict())
        hearing.remind()
        doors.push_async_callback(hearing.aclose)
        await hearing.begin()
        try:
            yield walk
        except BaseException as error:
            store.control.end_run(walk.ended or str(error) or type(error).__name__)
            raise
        store.control.end_run(walk.ended or "stopped")


def _beginning(folder: Path, config: Config) -> tuple[list[str], dict[str, bool]]:
    """Return the seeds, and the addresses of example pages with what a person says of them."""
    canon = urls.Canon(config.scope.drop_params)
    seeds = read_seeds(folder, config.crawl.seeds, canon)
    good, bad = _examples(config.goal.good, canon), _examples(config.goal.bad, canon)
    seeds += [url for url in good if url not in seeds]
    if not seeds and not config.seek.search:
        msg = f"{folder}: no seeds; name one under crawl.seeds in clew.toml, or an engine under seek.search"
        raise ConfigError(msg)
    return seeds, dict.fromkeys(good, True) | dict.fromkeys(bad, False)


def _learners(
    config: Config, parts: Mapping[str, Any], goal: Mapping[str, Any], table: ExampleTable | None
) -> tuple[Ranker, Judge, Extractor]:
    """Make ranker, judge and extractor, as given or as named, and let them get ready."""
    called = _called(parts.get("judge"), config.goal.judge)
    ranker = registry.make(
        "ranker", parts.get("ranker") or config.rank.policy, **goal, seed=config.rank.seed, judge=called,
        diversity=config.rank.diversity,
        explore=config.rank.explore, explorer=config.rank.explorer, within=config.rank.within,
        keep=config.goal.keep, site=config.scope.site,
    )  # fmt: skip
    judge = registry.make("judge", parts.get("judge") or config.goal.judge, **goal)
    named = f"records:{config.goal.patterns}" if table else JudgeSpec.parse(called).extractor
    rows = {"columns": table.columns, "rows": table.rows} if table else {}
    extractor = registry.make("extractor", parts.get("extractor") or named, **rows)
    with_book(extractor, judge)
    _prepare(judge, extractor)
    return ranker, judge, extractor


def _table(folder: Path, config: Config) -> ExampleTable | None:
    """Read the person's example rows, if the goal names a table."""
    return read_table(table_path(folder, config.goal.records)) if config.goal.records else None


def with_book(extractor: object, part: Any) -> Any:  # noqa: ANN401 - verbs that parts may have or not
    """Give the extractor's table to a judge or ranker that goes by one; return that."""
    provider = capabilities.of_extractor(extractor).provides_table
    if provider and (user := capabilities.of_judge(part).table):
        user.use_table(provider.record_table)
    return part


def _harvesting(mind: Engine, store: FolderStore) -> TableService | None:
    """Open the growing table, if there is one, before anybody looks at it; return the service for it."""
    if not isinstance(mind.extractor, RecordExtractor):
        return None
    opened = open_table(store, mind.extractor)
    with_book(mind.extractor, mind.judge)
    with_book(mind.extractor, mind.scoring.ranker)
    return TableService(engine=mind, store=store, ledger=opened.ledger, read=opened.read, note=opened.note)


def _parser(config: Config, ranker: Ranker, extractor: Extractor) -> ParsePool:
    return ParsePool(
        workers=config.parse.workers, timeout=config.parse.timeout, memory=config.parse.memory,
        max_bytes=config.fetch.max_bytes, drop=tuple(config.scope.drop_params), agent=config.fetch.agent,
        layout=capabilities.of_ranker(ranker).needs_layout,
        markup=capabilities.of_extractor(extractor).needs_markup,
    )  # fmt: skip


@asynccontextmanager
async def _ranked_anew(walk: CrawlRun) -> AsyncIterator[None]:
    """Let links be ranked anew beside the crawl; a fault in there ends the run like any other of ours."""
    service = walk.engine.frontier.reranking
    service.background = True
    attending = asyncio.create_task(service.run())
    attending.add_done_callback(lambda _: walk.stop())
    try:
        yield
    finally:
        service.cancel()
        attending.cancel()
        with suppress(asyncio.CancelledError):
            await attending


@asynccontextmanager
async def _harvested(walk: CrawlRun, harvesting: TableService | None) -> AsyncIterator[None]:
    """Let the table grow beside the crawl, if there is one; what is known at the end is kept."""
    if harvesting is None:
        yield
        return
    walk.notes += [harvesting.note] if harvesting.note else []
    harvesting.told, harvesting.wake = walk.notify, walk.changed.set
    await harvesting.begin()
    try:
        yield
    finally:
        await harvesting.aclose()


def _wake(mind: Engine, store: FolderStore, config: Config, hearing: LabelListener) -> list[str]:
    """Let a new mind know all that was known, and obey what has changed since; return what to tell."""
    assert mind.checkpoint is not None, "a crawl in a folder remembers"
    mind.checkpoint.load()
    hearing.recall()
    _welcome(mind, store, config)
    notes = obey_changes(mind, store, config)
    _remember(mind, store, config)
    host_policy.resume(mind.scoring, store.reader)
    mind.checkpoint.recall()
    prime(mind.judge, mind.scoring.ranker)
    return notes


def prime(judge: Any, ranker: Any) -> None:  # noqa: ANN401 - verbs that parts may have or not
    """Let a ranker that asks for them know the terms by which the judge tells the topic."""
    terms, priors = capabilities.of_judge(judge).terms, capabilities.of_ranker(ranker).priors
    if terms and priors:
        priors.set_priors({term.term: term.weight for term in terms.propose_terms()[:PRIMING]})


def _knowledge(mind: Engine, store: FolderStore, policy: str, config: Config) -> Checkpoint:
    goal = urls.fingerprint(config.goal.model_dump_json() + config.rank.model_dump_json())
    return Checkpoint(
        store=store, frontier=mind.frontier,
        parts=lambda: (mind.judge, mind.scoring.ranker, mind.scoring.guide),
        next_id=lambda: mind.intake.next_id, made_by=f"{policy} {goal:016x}",
    )  # fmt: skip


def _fetcher(
    given: object, config: Config, refusal: Callable[[str], str], *, layout: bool = False
) -> Fetcher:
    agent = user_agent(config.fetch.agent, __version__, config.crawl.contact)
    fetcher: Fetcher = registry.make(
        "fetcher", given, agent=agent, timeout=config.fetch.timeout, max_bytes=config.fetch.max_bytes,
        proxy=config.fetch.proxy, allow=tuple(config.fetch.networks()), concurrency=config.fetch.concurrency,
        data_bytes=config.goal.data_bytes if JudgeSpec.parse(config.goal.judge).has("data") else 0,
    )  # fmt: skip
    if config.fetch.browser == "never":
        return fetcher
    rendering = BrowserFetcher(
        fetcher=fetcher, mode=config.fetch.browser, agent=agent, delay=config.fetch.delay,
        max_bytes=config.fetch.max_bytes, layout=layout,
    )  # fmt: skip
    rendering.refusal = refusal if config.fetch.robots else rendering.refusal
    rendering.prepare()
    return rendering


def _store(folder: Path, config: Config) -> SqliteStore:
    return SqliteStore(
        folder, warc_size=config.store.warc_size, min_free=config.store.min_free,
        software=f"clew/{__version__}", contact=config.crawl.contact, robots=config.fetch.robots,
        growing_table=bool(config.goal.records),
    )  # fmt: skip


def _prepare(*parts: object) -> None:
    """Let parts load what they need, or say what is missing, before the first page is fetched."""
    for part in parts:
        capabilities.prepare(part)


def _without_secrets(config: Config) -> str:
    """Return the configuration in force as JSON; the password of a proxy is nobody's business."""
    return re.sub(r'("proxy":"[^"]*?//)[^"/@]*@', r"\1***@", config.model_dump_json())


def _called(part: object, name: str) -> str:
    """Return the name of a part: as it was given, or of its class."""
    return name if part is None else part if isinstance(part, str) else type(part).__name__


def make_mind(
    config: Config, store: Store, seeds: list[str], *, ranker: Ranker, judge: Judge, extractor: Extractor
) -> Engine:
    """Put frontier, rules and learners around one table."""
    frontier = Frontier(
        delay=config.fetch.delay, per_host=config.fetch.per_host, pages_per_host=config.scope.per_host
    )
    robots = Robots(agent=config.fetch.agent)
    gates = RobotsGate(frontier=frontier, robots=robots)
    scope = Scope(
        hosts=config.scope.hosts, exclude=config.scope.exclude, depth=config.scope.depth, seeds=seeds,
        sitemaps=config.scope.sitemaps, feeds=config.scope.feeds,
    )  # fmt: skip
    exclusions = Exclusions()
    ranker, guide = host_policy.split(ranker)
    appraisal = Scoring(ranker=ranker, frontier=frontier, store=store, guide=guide)
    admission = Intake(
        frontier=frontier, scope=scope, exclusions=exclusions, scoring=appraisal, store=store,
        deferred=DeferredLinks(ranker=ranker, frontier=frontier, store=store),
    )  # fmt: skip
    return Engine(
        frontier=frontier,
        robots=robots,
        robots_gate=gates,
        scope=scope,
        exclusions=exclusions,
        intake=admission,
        redirects=Redirects(frontier=frontier, robots_gate=gates, intake=admission),
        traps=TrapGuard(),
        retry_policy=RetryPolicy(tries=config.fetch.tries, max_rest=config.fetch.max_rest),
        store=store,
        keep=config.goal.keep,
        obey=config.fetch.robots,
        judge=judge,
        extractor=extractor,
        scoring=appraisal,
    )


def _examples(names: list[str], canon: urls.Canon) -> list[str]:
    return [url for name in names if "://" in name and (url := canon(name))]


def looks_like_sitemap(url: str) -> bool:
    """Tell a seed that is most likely a sitemap by its name."""
    name = url.partition("?")[0].rpartition("/")[2].lower()
    return "sitemap" in name and name.endswith((".xml", ".xml.gz", ".txt", ".gz"))


def _welcome(mind: Engine, store: Store, config: Config) -> None:
    """Count the hosts among those of the seeds to which seeds have moved."""
    if "seeds" in config.scope.hosts:
        for url in store.reader.redirected_seeds():
            mind.scope.add_seed(url)


def _remember(mind: Engine, store: Store, config: Config) -> None:
    """Let a new mind know all that the store knows: after a restart it goes on as if nothing had been."""
    loaded = store.control.load()
    rows, now, wall = loaded.host_rows, mind.clock(), time.time()
    mind.intake.next_id, mind.pages, mind.relevant = loaded.next_id, loaded.pages, loaded.relevant
    mind.robots_gate.ids.update(loaded.robots_links)
    mind.intake.deferred.keep(np.array(store.reader.deferred_ids(), np.int64))
    gate_ids = np.fromiter(loaded.robots_links.values(), np.int64, len(loaded.robots_links))
    open = (loaded.states == State.OPEN) & ~np.isin(loaded.ids, gate_ids)
    # Requests that were under way at the end of the last run left no trace: every host gets its delay first.
    soonest = config.fetch.delay if len(rows.origins) else 0.0
    longest = max(config.fetch.max_rest, 60.0)  # a clock on the wall may have been wrong
    clocks = {
        origin: now + min(max(at - wall, soonest), longest)
        for origin, at in zip(rows.origins, rows.next_at.tolist(), strict=True)
    }
    read = (loaded.states != State.OPEN) & (loaded.states != State.REFUSED) & (loaded.kinds == Kind.PAGE)
    mind.frontier.load(
        ids=loaded.ids, hashes=loaded.hashes, scores=loaded.scores, open=open, origins=rows.origins,
        owners=loaded.hosts.astype(np.int64), clocks=clocks,
        pages=np.bincount(loaded.hosts[read], minlength=len(rows.origins)).tolist(),
    )  # fmt: skip
    for origin, status, text, at in zip(
        rows.origins, rows.robots_status.tolist(), rows.robots_texts, rows.robots_at.tolist(), strict=True
    ):
        if 200 <= status < 500:  # noqa: PLR2004 - what could not be read then is asked for again
            mind.robots.learn(origin, status, "", text, at)
            if mind.robots.is_fresh(origin, wall):
                asked = mind.robots.delay(origin)
                mind.frontier.open_gate(origin, asked)
                if asked and asked > soonest:
                    mind.frontier.pause_host(origin, now + min(asked, longest))
    for rule in store.reader.rules(0):
        mind.apply_rule(rule)
    _recall(mind.traps, loaded)


def _recall(traps: TrapGuard, loaded: CrawlState) -> None:
    """Let the trap guard know again what it knew of places and texts."""
    traps.restore(loaded.trap_state)
    done = loaded.fetched
    rows = zip(
        done.ids.tolist(), done.urls, done.fingerprints.tolist(), done.status.tolist(), done.kinds.tolist(),
        strict=True,
    )  # fmt: skip
    for id, url, fingerprint, status, kind in rows:
        if kind == Kind.PAGE:
            traps.recall(id=id, url=url, fingerprint=fingerprint, status=status)
