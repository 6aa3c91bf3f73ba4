"""Add links that another shard has found: scored like links of a page that was read here."""

import json
from dataclasses import replace

import numpy as np

from clew import urls
from clew.domain.partition import source_of
from clew.engine.engine import Engine
from clew.store.outbox import SentLinks
from clew.types import Ids, Kind, Links, NewLinks, Page

MOVED_SEEDS = "moved seeds"
"""The fact that holds the seeds, also those that other shards were sent on to."""


def add_received(engine: Engine, sent: SentLinks, shard: int) -> None:
    """Let links into the frontier and the store; the page they were found on stands beside them."""
    if sent.depth == 0 and sent.hops:
        for url in sent.links.urls:
            engine.intake.scope.add_seed(url)  # a seed that has moved is still what the person asked for
        engine.store.set_fact(MOVED_SEEDS, json.dumps(engine.intake.scope.seeds))
    ids = engine.frontier.find_ids(sent.links.hashes)
    if ids.all() and not _may_rise(engine, sent, ids):
        return
    parent = _source_id(engine, sent.page, shard, max(0, sent.depth - 1)) if sent.page else 0
    found = _scored(engine, sent, parent, ids) if sent.source and parent else _plain(engine, sent, ids)
    if found is not None:
        engine.store.add_links(found, parent)
        engine.choice.add(found)
        engine.rules.traps.add_links(found.first, len(found.links), parent)


def _may_rise(engine: Engine, sent: SentLinks, ids: Ids) -> bool:
    """Return whether links that are all known could get a better score here: one still waits."""
    if sent.source is None:
        return False
    return bool(engine.frontier.is_queued(ids).any() or engine.intake.deferred.is_deferred(ids).any())


def _source_id(engine: Engine, url: str, shard: int, depth: int) -> int:
    """Return the id of the link that stands for a page of another shard; add it if need be."""
    known = int(engine.frontier.find_ids(np.array([urls.fingerprint(url)], np.uint64))[0])
    if known:
        return known
    links = Links.plain([url], Kind.PAGE)
    stub = engine.intake.open(links, np.zeros(1, np.float32), [source_of(shard)], depth)
    engine.store.add_links(stub)
    return stub.first


def _scored(engine: Engine, sent: SentLinks, parent: int, ids: Ids) -> NewLinks | None:
    """Score links by the page they were found on; links that are known may rise."""
    assert sent.source is not None
    page = sent.source.page
    link = replace(page.link, id=parent, depth=sent.depth - 1, parent=0)
    response = replace(page.response, link=link)
    here: Page = replace(page, response=response, links=sent.links)
    return engine.intake.found(here, sent.source.verdict, ids)


def _plain(engine: Engine, sent: SentLinks, ids: Ids) -> NewLinks | None:
    """Add links of which only the score is known: targets of redirects, lines of sitemaps."""
    rows = np.flatnonzero(ids == 0)
    rows = rows[np.sort(np.unique(sent.links.hashes[rows], return_index=True)[1])]
    forgets = engine.rules.exclusions.is_forgotten
    kept = [int(row) for row in rows if not forgets(sent.links.origins[row])]
    if not kept:
        return None
    links = sent.links.take(kept)
    refused = engine.intake.scope.refusals(links, sent.depth)
    return engine.intake.open(links, sent.scores[kept], refused, sent.depth, hops=sent.hops)
