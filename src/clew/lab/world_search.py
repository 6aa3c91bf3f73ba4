"""A search engine over part of a world, for trials of policies that search."""

import numpy as np

from clew import urls
from clew.lab.replay import Replay
from clew.lab.synthetic import WebTruth
from clew.lab.synthetic_world import SyntheticPages
from clew.lab.virtual_time import run_virtually
from clew.lab.world import World
from clew.search import Index, IndexEntry, LocalEngine
from clew.types import Link


def world_engine(world: World, *, share: float = 0.3, seed: int = 0) -> LocalEngine:
    """Return an engine that has indexed a random share of the pages of a world, without their labels.

    No search engine knows the whole web; with all pages indexed, a search would replace the crawl.
    """
    index = Index()
    fill_index(index, world, share=share, seed=seed)
    return LocalEngine("local", index)


def fill_index(index: Index, world: World, *, share: float, seed: int = 0) -> None:
    """Add a random share of the pages of a world to an index."""
    page_urls = _sample(world, share, seed)

    async def entries() -> list[IndexEntry]:
        replay = Replay(world=world, wall=lambda: 0.0)
        found = []
        for number, url in enumerate(page_urls):
            link = Link(id=number + 1, url=url, origin=urls.origin(url))
            page = await replay.parse(await replay.fetch(link))
            if page.response.status == 200 and page.text:  # noqa: PLR2004
                found.append(IndexEntry(page.url, page.title, page.text, page.lang))
        return found

    index.add(run_virtually(entries))


def _sample(world: World, share: float, seed: int) -> list[str]:
    if isinstance(world.pages, SyntheticPages):
        return WebTruth(world.pages.web).sample(int(share * len(world.pages)), seed)
    rng = np.random.default_rng(seed)
    return [world.pages.url(row) for row in np.flatnonzero(rng.random(len(world.pages)) < share).tolist()]
