"""Find a URL in a crawl and explain it, or predict what would happen to it."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from clew import config as configuration
from clew import urls
from clew.config import Config
from clew.errors import ConfigError
from clew.frontier import Robots, Scope
from clew.insight.explain.card import Explanation
from clew.insight.explain.history import exclusions, read_history, read_history_by_id, robots_rule
from clew.insight.explain.sharded_history import ShardedHistory
from clew.store import find_similar_urls, find_urls, url_variants
from clew.store.folder import DATABASE
from clew.store.outbox import shard_folders

NEAREST = 5
"""Known URLs that are named when it is not clear which one is meant."""


class UnclearUrl(ConfigError):  # noqa: N818 - as the other errors
    """What was given for a URL is none that is known; `similar` are known ones that may be meant."""

    def __init__(self, message: str, similar: Sequence[str]) -> None:
        super().__init__(message)
        self.similar = tuple(similar)


def explain(folder: Path, url: str) -> Explanation:
    """Return what a crawl knows about a URL: fetched, open, refused, failed or unknown.

    Part of a URL is enough if only one known URL contains it; else `UnclearUrl` is raised.
    """
    config = _config(folder)
    canon = urls.Canon(config.scope.drop_params if config else ())
    robots = Robots(agent=config.fetch.agent if config else "clew")
    shards = [path for path in shard_folders(folder) if (path / DATABASE).exists()] or [folder]
    read = ShardedHistory(shards) if len(shards) > 1 else partial(read_history, folder)
    for spelling in url_variants(url, canon):
        if found := read(spelling, robots):
            return found
    similar = _first_of(shards, find_urls, url)
    if len(similar) == 1 and (found := read(similar[0], robots)):
        return found
    if similar := similar or _first_of(shards, find_similar_urls, url):
        nearest = "\n".join(f"  {each}" for each in similar[:NEAREST])
        msg = f"{url} is not known in {folder}; did you mean one of these?\n{nearest}"
        raise UnclearUrl(msg, similar)
    canonical = canon(url if "://" in url else f"http://{url}")
    if not canonical or "." not in urls.host(canonical):
        msg = f"no URL known in {folder} contains {url!r}; give a full URL, https://…"
        raise ConfigError(msg)
    return Explanation(
        url=canonical, state="unknown", reason=_expected_outcome(shards[0], canonical, config, robots)
    )


def _first_of(folders: Sequence[Path], find: Callable[[Path, str], Sequence[str]], text: str) -> list[str]:
    """Return the URLs that are found in any folder, each once."""
    return list(dict.fromkeys(url for folder in folders for url in find(folder, text)))


def explain_link(folder: Path, id: int) -> Explanation | None:
    """Return what a crawl knows about the link with this id, or None."""
    config = _config(folder)
    return read_history_by_id(folder, id, Robots(agent=config.fetch.agent if config else "clew"))


def _config(folder: Path) -> Config | None:
    try:
        return configuration.load_folder(folder)
    except ConfigError:
        return None  # the rows are enough


def _expected_outcome(folder: Path, url: str, config: Config | None, robots: Robots) -> str:
    """Return what would happen to a URL that the crawl does not know."""
    reason = "no fetched page links to it"
    if config is None:
        return reason
    seeds = [seed for seed in config.crawl.seeds if "://" in seed]
    scope = Scope(
        hosts=config.scope.hosts, exclude=config.scope.exclude, depth=config.scope.depth, seeds=seeds
    )
    excluded = exclusions(folder).refusal(url)
    if rule := excluded or scope.refusal(url, 1) or robots_rule(folder, url, robots):
        return f"{reason}; it would be refused: {rule}"
    return f"{reason}; to fetch it, add it to crawl.seeds in clew.toml"
