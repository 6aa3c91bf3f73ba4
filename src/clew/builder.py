"""Build an engine, for the product and for the lab; open the crawl of a folder with everything around it."""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from clew import registry, urls
from clew.config import Config
from clew.config.contact import user_agent
from clew.config.judge_spec import JudgeSpec
from clew.config.seeds import looks_like_sitemap, seeds_and_examples
from clew.contracts import Fetcher, FolderStore, LinkSource, Parser, Service, Store
from clew.domain.installation import __version__, install_command
from clew.domain.link_worth import LinkWorth
from clew.domain.partition import Partition
from clew.domain.refresh import RefreshPlanner
from clew.engine import restore
from clew.engine.budget import Budget
from clew.engine.checkpoint import JUDGE, RANKER, Checkpoint, make_checkpoint
from clew.engine.clock import Clock
from clew.engine.config_changes import apply_changes
from clew.engine.deferred_links import DeferredLinks
from clew.engine.engine import Engine
from clew.engine.evaluation import Evaluation
from clew.engine.events import Events
from clew.engine.excluded_links import ExcludedLinks
from clew.engine.intake import Intake
from clew.engine.link_choice import LinkChoice
from clew.engine.link_rules import LinkRules
from clew.engine.parts import Parts, check_table, make_judge, make_parts, set_priors
from clew.engine.redirects import Redirects
from clew.engine.refresh import RefreshOptions, begin_refresh, budget_of, end_refresh
from clew.engine.relevance import Relevance
from clew.engine.robots_gate import RobotsGate
from clew.engine.run import CrawlRun
from clew.engine.scoring import Scoring
from clew.engine.seed_links import SeedLinks
from clew.engine.suspect_links import SuspectLinks
from clew.errors import ConfigError
from clew.fetch.credentials import read_credentials
from clew.frontier import Exclusions, Frontier, RetryPolicy, Robots, Scope, SitemapLimits, TrapGuard
from clew.parse import ParsePool
from clew.services.host_status import HostStatusService
from clew.services.labels import LabelListener
from clew.services.optional import (
    check_services,
    example_table,
    opened_table,
    search_service,
    table_service,
    teacher_service,
)
from clew.services.reranking import RerankingService
from clew.store import SqliteStore
from clew.store.fence import StoreFence
from clew.store.outbox import shard_folders
from clew.types import Kind

if TYPE_CHECKING:
    from clew.services.tables import OpenedTable


def build_engine(
    config: Config,
    store: Store,
    clock: Clock,
    parts: Parts,
    *,
    seeds: list[str],
    traps: TrapGuard | None = None,
    partition: Partition | None = None,
) -> Engine:
    """Put frontier, rules, judge, ranker and store together. The product and the lab both call this.

    `seeds` define the scope "hosts of the seeds"; `traps` replaces the trap guard, if it is given;
    `partition` says which hosts are fetched, in one shard of a larger crawl.
    """
    check_table(parts)
    parts.share_table()
    abilities = parts.abilities
    frontier = Frontier(
        delay=config.fetch.delay, per_host=config.fetch.per_host, pages_per_host=config.scope.per_host
    )
    robots = Robots(agent=config.fetch.agent)
    robots_gate = RobotsGate(frontier=frontier, robots=robots, wall=clock.wall)
    scope, exclusions = _scope(config, seeds, partition), Exclusions()
    scoring = Scoring(
        ranker=parts.link_ranker, abilities=abilities.ranker, frontier=frontier, store=store,
        host_policy=abilities.hosts.policy,
    )  # fmt: skip
    if abilities.ranker.uses_features:
        abilities.ranker.uses_features.use_features(scoring.stored_features)
    intake = Intake(
        frontier=frontier, scope=scope, exclusions=exclusions, scoring=scoring, store=store,
        deferred=DeferredLinks(abilities=abilities.ranker, frontier=frontier, store=store),
    )  # fmt: skip
    guard = traps or TrapGuard(suspect_pages=config.scope.suspect_pages)
    rules = LinkRules(
        robots=robots, exclusions=exclusions, traps=guard, sitemap_limits=SitemapLimits(), store=store,
        suspects=SuspectLinks(traps=guard, frontier=frontier, store=store),
        excluded=ExcludedLinks(exclusions=exclusions, frontier=frontier, store=store),
        obey=config.fetch.robots,
    )  # fmt: skip
    seed_links = SeedLinks(
        frontier=frontier, all_of_seeds=abilities.extractor.provides_table is not None,
        ended=abilities.hosts.policy is not None,  # a host policy visits hosts by its own plan
    )  # fmt: skip
    return Engine(
        frontier=frontier,
        store=store,
        rules=rules,
        robots_gate=robots_gate,
        evaluation=Evaluation(
            judge=parts.judge, extractor=parts.extractor, wall=clock.wall,
            relevance=Relevance(config.goal.keep, config.fetch.robots),
        ),
        scoring=scoring,
        intake=intake,
        redirects=Redirects(frontier=frontier, robots_gate=robots_gate, intake=intake),
        retry_policy=RetryPolicy(tries=config.fetch.tries, max_rest=config.fetch.max_rest), clock=clock,
        choice=LinkChoice(frontier=frontier, seed_links=seed_links, limits=abilities.hosts.limits),
    )  # fmt: skip


def _scope(config: Config, seeds: list[str], partition: Partition | None) -> Scope:
    return Scope(
        hosts=config.scope.hosts, exclude=config.scope.exclude, depth=config.scope.depth, seeds=seeds,
        sitemaps=config.scope.sitemaps, feeds=config.scope.feeds, partition=partition,
    )  # fmt: skip


class ShardMember(Protocol):
    """What makes an engine one shard of a larger crawl.

    `partition` says which hosts it fetches, `folder` is where its store is, `fence` lets nobody else write
    there. `guard` returns a fetcher that asks nothing without a lease, `exchange` the service that brings
    the links of other shards.
    """

    @property
    def partition(self) -> Partition: ...

    @property
    def folder(self) -> Path: ...

    @property
    def fence(self) -> StoreFence: ...

    def guard(self, fetcher: Fetcher) -> Fetcher: ...

    def exchange(self, config: Config, engine: Engine, events: Events) -> LinkSource: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Crawl:
    """What belongs to one open crawl folder, on the way to a run."""

    folder: Path
    config: Config
    store: FolderStore
    parts: Parts
    engine: Engine
    events: Events
    labels: dict[str, bool]
    given: Mapping[str, Any]
    seeds: list[str]
    table: "OpenedTable | None"
    parse: Parser
    fetcher: Fetcher


@asynccontextmanager
async def open_crawl(
    folder: Path,
    config: Config,
    *,
    budget: Budget | None = None,
    parts: Mapping[str, Any] | None = None,
    refresh: RefreshOptions | None = None,
    shard: ShardMember | None = None,
) -> AsyncIterator[CrawlRun]:
    """Open the crawl in `folder`, ready to run; whatever happens inside, everything is closed after.

    `parts` may hold a ready `ranker`, `judge`, `extractor` or `fetcher` to use instead of the named one, a
    `store`, not yet open, to use instead of SQLite and WARC files, and a `clock`; `parser`, a function that
    is given the usual parser and returns the one to use; and `services` to run besides the usual ones. With
    `refresh` the run visits known pages again instead of going on with the crawl; its budget is that of the
    refresh. A `shard` fetches its part of the hosts.
    """
    given, limits = parts or {}, config.crawl
    budget = budget or Budget(limits.pages, limits.hours, limits.requests, limits.least)
    async with AsyncExitStack() as stack:
        crawl = _open_parts(folder, config, given, shard, stack)
        engine, store = crawl.engine, crawl.store
        checkpoint, listener = _make_checkpoint(crawl), _make_listener(crawl)
        _restore(crawl, checkpoint, listener)
        round = begin_refresh(engine, store, refresh, crawl.events) if refresh else None
        budget = budget_of(round, budget.hours) if round else budget
        store.control.begin_run(
            policy=crawl.parts.policy, judge=crawl.parts.judge_name, first_link=engine.intake.next_id,
            settings=_without_secrets(config), round=round.id if round else 0,
        )  # fmt: skip
        add_seeds(engine, crawl.seeds)
        await store.commit()
        services = [
            checkpoint,
            *_make_services(crawl, budget.pages, shard, search=round is None),
            *given.get("services", ()),
            listener,
        ]
        run = CrawlRun(
            engine=engine, fetcher=crawl.fetcher, parse=given.get("parser", _same_parser)(crawl.parse),
            concurrency=config.fetch.concurrency, focus=config.fetch.focus, budget=budget,
            events=crawl.events, services=services,
        )  # fmt: skip
        for service in services:
            stack.push_async_callback(service.close)
            await service.start()
        try:
            yield run
        except BaseException as error:
            store.control.end_run(run.ended or str(error) or type(error).__name__)
            raise
        store.control.end_run(run.ended or "stopped")
        await end_refresh(run)


def _open_parts(
    folder: Path, config: Config, given: Mapping[str, Any], shard: ShardMember | None, stack: AsyncExitStack
) -> _Crawl:
    """Open the store, start the parsers, and build the engine; `stack` closes them."""
    seeds, labels = seeds_and_examples(folder, config, needed="services" not in given)
    parts = make_parts(config, given, example_table(folder, config))
    check_services(folder, config, parts)
    store: FolderStore = given.get("store") or _make_store(folder, config, shard)
    store.open()
    stack.push_async_callback(store.aclose)
    parse = _make_parser(config, parts)
    stack.push_async_callback(parse.aclose)
    table = opened_table(store, parts)
    partition, clock = shard.partition if shard else None, given.get("clock") or Clock()
    engine = build_engine(config, store, clock, parts, seeds=seeds, partition=partition)
    fetcher = _make_fetcher(
        given.get("fetcher") or "curl", folder, config, engine.rules.robots.refusal, parts
    )
    stack.push_async_callback(fetcher.aclose)
    return _Crawl(
        folder=folder, config=config, store=store, parts=parts, engine=engine, events=Events(),
        labels=labels, given=given, seeds=_own_seeds(seeds, shard), table=table, parse=parse,
        fetcher=shard.guard(fetcher) if shard else fetcher,
    )  # fmt: skip


def refresh_options(config: Config, pages: int = 0, requests: int = 0) -> RefreshOptions:
    """Return the options of a refresh: what was given, else what clew.toml says."""
    if not pages and not requests:
        pages, requests = config.refresh.pages, config.refresh.requests
    changed = config.refresh.changed
    planner, worth = RefreshPlanner(changed=changed), LinkWorth(changed=changed)
    return RefreshOptions(planner=planner, worth=worth, pages=pages, requests=requests)


def _make_services(crawl: _Crawl, pages: int, shard: ShardMember | None, *, search: bool) -> list[Service]:
    """Return the services that this crawl needs, in the order in which they start."""
    engine, events, table = crawl.engine, crawl.events, crawl.table
    services: list[Service] = []
    if search and (queries := search_service(crawl.folder, crawl.config, engine, events, pages)):
        services.append(queries)
    if status := crawl.parts.abilities.hosts.status:
        services.append(HostStatusService(status, events))
    services.append(RerankingService(engine.frontier.reranking, events))
    if table is not None:
        services.append(table_service(engine, crawl.store, events, table))
    if shard is not None:
        services.append(shard.exchange(crawl.config, engine, events))
    if teacher := teacher_service(crawl.folder, crawl.config, engine, events):
        services.append(teacher)
    return services


def _restore(crawl: _Crawl, checkpoint: Checkpoint, listener: LabelListener) -> None:
    """Restore what earlier runs have learned, and apply what has changed since."""
    engine, config = crawl.engine, crawl.config
    checkpoint.load_models()
    listener.restore_labels(checkpoint.labels_of(RANKER))
    restore.add_moved_seeds(engine, config)
    for notice in apply_changes(engine, config, checkpoint.labels_of(JUDGE)):
        crawl.events.notify(notice)
    restore.restore_state(engine, config)
    restore.restore_hosts(engine, crawl.parts.abilities.hosts, config.goal.keep)
    checkpoint.load_features()
    checkpoint.load_ranking()
    engine.frontier.discounts.apply()
    if crawl.parts.abilities.ranking:
        engine.scoring.refresh_weights()
    if not checkpoint.restored(RANKER):
        set_priors(crawl.parts, engine.evaluation.judge)
    engine.on_commit(checkpoint.before_commit)


def add_seeds(engine: Engine, seeds: list[str]) -> None:
    """Add seeds one by one; those that look like sitemaps are fetched as such."""
    for url in seeds:
        engine.add_seeds([url], Kind.SITEMAP if looks_like_sitemap(url) else Kind.PAGE)


def _own_seeds(seeds: list[str], shard: ShardMember | None) -> list[str]:
    """Return the seeds that this engine reads itself."""
    return [url for url in seeds if shard is None or not shard.partition.refusal(urls.origin(url))]


def _make_store(folder: Path, config: Config, shard: ShardMember | None) -> SqliteStore:
    if shard is None and (config.crawl.shards > 1 or shard_folders(folder)):
        msg = f"{folder} is a crawl in shards, which one process cannot run; run it with: clew run {folder}"
        raise ConfigError(msg)
    return SqliteStore(
        shard.folder if shard else folder, fence=shard.fence if shard else None,
        warc_size=config.store.warc_size, min_free=config.store.min_free,
        software=f"clew/{__version__}", contact=config.crawl.contact, robots=config.fetch.robots,
        growing_table=bool(config.goal.records),
    )  # fmt: skip


def _make_parser(config: Config, parts: Parts) -> ParsePool:
    if config.parse.text != "clew" and find_spec(config.parse.text) is None:
        name = config.parse.text
        msg = f"parse.text: {name} is not installed; get it with: {install_command(name)}"
        raise ConfigError(msg)
    return ParsePool(
        workers=config.parse.workers, timeout=config.parse.timeout, memory=config.parse.memory,
        max_bytes=config.fetch.max_bytes, drop=tuple(config.scope.drop_params), agent=config.fetch.agent,
        options=replace(parts.parse_options, text=config.parse.text, new_words=True),
    )  # fmt: skip


def _same_parser(parse: Parser) -> Parser:
    return parse


def _make_fetcher(
    given: object, folder: Path, config: Config, refusal: Callable[[str], str], parts: Parts
) -> Fetcher:
    agent = user_agent(config.fetch.agent, __version__, config.crawl.contact)
    fetcher: Fetcher = registry.make(
        "fetcher", given, agent=agent, timeout=config.fetch.timeout, max_bytes=config.fetch.max_bytes,
        proxy=config.fetch.proxy, allow=tuple(config.fetch.networks()), concurrency=config.fetch.concurrency,
        data_bytes=config.goal.data_bytes if JudgeSpec.parse(config.goal.judge).has("data") else 0,
        credentials=read_credentials(config.fetch.headers, config.fetch.cookies, folder),
    )  # fmt: skip
    if config.fetch.browser == "never":
        return fetcher
    from clew.fetch.browser import BrowserFetcher  # noqa: PLC0415

    browser = BrowserFetcher(
        fetcher=fetcher, mode=config.fetch.browser, agent=agent, delay=config.fetch.delay,
        max_bytes=config.fetch.max_bytes, layout=parts.needs_layout,
        refusal=refusal if config.fetch.robots else None, browsers=config.fetch.browsers,
    )  # fmt: skip
    browser.prepare()
    return browser


def _make_checkpoint(crawl: _Crawl) -> Checkpoint:
    config = crawl.config
    goal = config.goal.model_dump_json(exclude={"criteria"})  # these are for the teacher
    goal_name = urls.fingerprint(goal + config.rank.model_dump_json())
    made_by = f"{crawl.parts.policy} {goal_name:016x}"
    return make_checkpoint(crawl.store, crawl.engine, crawl.parts.abilities, made_by)


def _make_listener(crawl: _Crawl) -> LabelListener:
    return LabelListener(
        engine=crawl.engine, store=crawl.store, events=crawl.events, goal_labels=crawl.labels,
        remake=lambda: make_judge(crawl.config, crawl.given.get("judge"), crawl.parts.extractor),
    )  # fmt: skip


def _without_secrets(config: Config) -> str:
    """Return the configuration in force as JSON, without the password of a proxy."""
    return re.sub(r'("proxy":"[^"]*?//)[^"/@]*@', r"\1***@", config.model_dump_json())
