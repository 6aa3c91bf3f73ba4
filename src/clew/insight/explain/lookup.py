"""Find the address a person means, and tell its story; or say what would become of it."""

from pathlib import Path

from clew import config as configuration
from clew import urls
from clew.config import Config
from clew.errors import ConfigError
from clew.frontier import Robots, Scope
from clew.insight.explain.card import Explanation
from clew.insight.explain.history import exclusions, forbidden, told
from clew.store import met_like, met_near, spellings


def explain(folder: Path, address: str) -> Explanation:
    """Tell what a crawl knows about an address: fetched, open, refused, failed or never met.

    A part of an address is enough if only one that was met contains it.
    """
    config = _config(folder)
    canon = urls.Canon(config.scope.drop_params if config else ())
    robots = Robots(agent=config.fetch.agent if config else "clew")
    for url in spellings(address, canon):
        if story := told(folder, url, robots):
            return story
    alike = met_like(folder, address)
    if len(alike) == 1 and (story := told(folder, alike[0], robots)):
        return story
    if alike := alike or met_near(folder, address):
        nearest = "\n".join(f"  {url}" for url in alike[:5])
        msg = f"{address} was never met in {folder}; did you mean one of these?\n{nearest}"
        raise ConfigError(msg)
    meant = canon(address if "://" in address else f"http://{address}")
    if not meant or "." not in urls.host(meant):
        msg = f"no address met in {folder} contains {address!r}; give a whole one, as https://…"
        raise ConfigError(msg)
    return Explanation(url=meant, state="never met", reason=_fate(folder, meant, config, robots))


def _config(folder: Path) -> Config | None:
    try:
        return configuration.load(folder / "clew.toml")
    except ConfigError:
        return None  # the rows speak for themselves


def _fate(folder: Path, url: str, config: Config | None, robots: Robots) -> str:
    """Say of an address that was never met what would become of it."""
    said = "no page that was read links to it"
    if config is None:
        return said
    seeds = [seed for seed in config.crawl.seeds if "://" in seed]
    scope = Scope(
        hosts=config.scope.hosts, exclude=config.scope.exclude, depth=config.scope.depth, seeds=seeds
    )
    excluded = exclusions(folder).rule(urls.origin(url))
    if rule := excluded or scope.why(url, 1) or forbidden(folder, url, robots):
        return f"{said}; it would be refused: {rule}"
    return f"{said}; to have it fetched, add it to crawl.seeds in clew.toml"
