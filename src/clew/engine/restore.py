"""Restore an engine from its store: after a restart it goes on as if there had been none."""

import numpy as np

from clew.config import Config
from clew.contracts import CrawlState
from clew.engine.engine import Engine
from clew.registry.capabilities import HostPolicyCapabilities
from clew.types import Kind, State

LONGEST_WAIT = 60.0
"""Seconds that a host waits at most because of a stored time: a clock may have been wrong."""


def add_moved_seeds(engine: Engine, config: Config) -> None:
    """Count hosts that seeds redirect to among the hosts of the seeds."""
    if "seeds" in config.scope.hosts:
        for url in engine.store.reader.redirected_seeds():
            engine.intake.scope.add_seed(url)


def restore_hosts(engine: Engine, hosts: HostPolicyCapabilities, keep: float) -> None:
    """Let a host policy know what was read of each host in earlier runs, and apply its priorities."""
    if hosts.restores:
        hosts.restores.restore_hosts(engine.store.reader.host_stats(keep))
    engine.scoring.apply_host_priorities()


def restore_state(engine: Engine, config: Config) -> None:
    """Load frontier, robots.txt rules, user rules and trap evidence from the store."""
    engine.store.control.reopen_suspects()
    loaded = engine.store.control.load()
    engine.intake.restore(loaded.next_id)
    engine.totals.restore(
        pages=loaded.pages, relevant=loaded.relevant, failed=loaded.failed, requests=loaded.requests,
        recent=loaded.fetched.recent,
    )  # fmt: skip
    engine.robots_gate.ids.update(loaded.robots_links)
    engine.intake.deferred.keep(np.array(engine.store.reader.deferred_ids(), np.int64))
    _restore_frontier(engine, config, loaded)
    _restore_robots(engine, config, loaded)
    for rule in engine.store.reader.rules(0):
        engine.apply_rule(rule)
    _restore_choice(engine, loaded)
    _restore_traps(engine, loaded)


def _restore_frontier(engine: Engine, config: Config, loaded: CrawlState) -> None:
    rows, now, wall = loaded.host_rows, engine.clock.monotonic(), engine.clock.wall()
    robots_ids = np.fromiter(loaded.robots_links.values(), np.int64, len(loaded.robots_links))
    open = (loaded.states == State.OPEN) & ~np.isin(loaded.ids, robots_ids)
    # Requests that were under way at the end of the last run left no trace: every host gets its delay first.
    soonest, longest = _waits(config, loaded)
    clocks = {
        origin: now + min(max(at - wall, soonest), longest)
        for origin, at in zip(rows.origins, rows.next_at.tolist(), strict=True)
    }
    read = (loaded.states != State.OPEN) & (loaded.states != State.REFUSED) & (loaded.kinds == Kind.PAGE)
    engine.frontier.load(
        ids=loaded.ids, hashes=loaded.hashes, scores=loaded.scores, open=open, origins=rows.origins,
        owners=loaded.hosts.astype(np.int64), clocks=clocks,
        pages=np.bincount(loaded.hosts[read], minlength=len(rows.origins)).tolist(),
    )  # fmt: skip


def _restore_robots(engine: Engine, config: Config, loaded: CrawlState) -> None:
    rows, now, wall = loaded.host_rows, engine.clock.monotonic(), engine.clock.wall()
    robots, (soonest, longest) = engine.rules.robots, _waits(config, loaded)
    for origin, status, text, at in zip(
        rows.origins, rows.robots_status.tolist(), rows.robots_texts, rows.robots_at.tolist(), strict=True
    ):
        if 200 <= status < 500:  # noqa: PLR2004 - what could not be read then is fetched again
            robots.learn(origin, status, "", text, at)
            if robots.is_fresh(origin, wall):
                delay = robots.delay(origin)
                engine.frontier.open_gate(origin, delay)
                if delay and delay > soonest:
                    engine.frontier.pause_host(origin, now + min(delay, longest))


def _restore_choice(engine: Engine, loaded: CrawlState) -> None:
    seed_links, pages = engine.choice.seed_links, loaded.fetched
    if loaded.relevant and seed_links.all_of_seeds:
        seed_links.end()
    if seed_links.depth:
        seed_links.restore(engine.store.reader.seed_links(seed_links.depth))
    for at in np.flatnonzero(pages.read | pages.failed).tolist():
        engine.choice.failure_rates.count(pages.urls[at], failed=pages.failed.item(at))


def _waits(config: Config, loaded: CrawlState) -> tuple[float, float]:
    """Return the shortest and the longest time that a known host waits after a restart."""
    soonest = config.fetch.delay if len(loaded.host_rows.origins) else 0.0
    return soonest, max(config.fetch.max_rest, LONGEST_WAIT)


def _restore_traps(engine: Engine, loaded: CrawlState) -> None:
    """Restore what was learned of places, which links wait, and what was read, in that order."""
    traps, pages = engine.rules.traps, loaded.fetched
    states = engine.frontier.discounts.states.restore(loaded.trap_state)
    states = engine.rules.suspects.restore(states)
    texts = traps.restore(states, engine.store.reader.link_sources())
    rows = {pages.ids.item(row): row for row in np.flatnonzero(pages.kinds == Kind.PAGE).tolist()}
    for id in (*(id for id in rows if id not in texts), *(id for id in texts if id in rows)):
        row = rows[id]
        traps.recall(
            id=id, url=pages.urls[row], fingerprint=pages.fingerprints.item(row),
            status=pages.status.item(row), text=texts.get(id, 0),
        )  # fmt: skip
