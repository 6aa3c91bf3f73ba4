"""The seeds that a plan begins with: those of clew.toml, and example pages that are URLs."""

from pathlib import Path

from clew.config import Config
from clew.config.seeds import looks_like_sitemap, read_seeds
from clew.errors import ConfigError
from clew.types import Kind
from clew.urls import Canon


def planned_seeds(folder: Path, config: Config, canon: Canon) -> dict[str, Kind]:
    """Return every seed URL with its expected kind; none for a crawl that begins with a search."""
    found = read_seeds(folder, config.crawl.seeds, canon)
    found += [url for name in config.goal.good if "://" in name and (url := canon(name))]
    if not found and not config.seek.search:
        msg = f"{folder}: no seeds; add at least one to crawl.seeds in clew.toml"
        raise ConfigError(msg)
    return {seed: Kind.SITEMAP if looks_like_sitemap(seed) else Kind.PAGE for seed in found}
