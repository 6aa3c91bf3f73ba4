"""Add the results of a search engine to the crawl: ordinary links, with the score of a seed."""

from collections.abc import Sequence

import numpy as np

from clew import urls
from clew.engine.engine import Engine
from clew.types import Kind, Links


def add_results(engine: Engine, addresses: Sequence[str], most: int = 0) -> tuple[dict[str, int], set[str]]:
    """Add URLs as seeds; return the link of each, and the URLs that were not known.

    Those that wait, or that the policy had closed, come first now. `[scope]` holds for them as for every
    link, but that a host which was found counts among the hosts of the seeds. Of those that nobody had met
    only the first `most` are planted, if it is not 0.
    """
    is_forgotten = engine.rules.exclusions.is_forgotten
    made = [url for url in dict.fromkeys(addresses) if not is_forgotten(urls.origin(url))]
    if not made:
        return {}, set()
    links = Links.plain(made, Kind.PAGE)
    ids = engine.frontier.find_ids(links.hashes)
    ones = np.ones(len(made), np.float32)
    again = np.flatnonzero(ids)
    if len(again):
        engine.intake.deferred.found_again(ids[again], ones[again], 0)
        risen = again[engine.frontier.raise_scores(ids[again], ones[again])]
        engine.store.raise_scores(ids[risen], ones[risen])
    rows = np.flatnonzero(ids == 0)[: most or None]
    fresh = links.take(rows.tolist())
    if len(rows):
        if "seeds" in engine.intake.scope.hosts:
            for url in fresh.urls:
                engine.intake.scope.add_seed(url)
        found = engine.intake.open(fresh, ones[rows], engine.intake.scope.refusals(fresh, 0), depth=0)
        engine.store.add_links(found)
        ids[rows] = np.arange(found.first, found.first + len(rows))
    return {url: id for url, id in zip(made, ids.tolist(), strict=True) if id}, set(fresh.urls)
