"""Open the search service of a crawl from its configuration, or say why it cannot be had."""

from pathlib import Path
from typing import Any

from clew.config import Config
from clew.contracts import Ranker
from clew.errors import ConfigError
from clew.mind import Mind
from clew.priorities import FILE
from clew.reseeding.log import Kept
from clew.reseeding.rows import RowSearch
from clew.reseeding.service import Reseeding
from clew.reseeding.vocabulary import Vocabulary
from clew.seek import open_engines
from clew.urls import Canon

MODELS = "models"


def check_search(folder: Path, config: Config, ranker: Ranker) -> None:
    """Refuse a crawl that is to search without an engine, or without words to search for."""
    seek, cure = config.seek, 'name an engine: --set seek.search="searxng=http://127.0.0.1:8888"'
    if hasattr(ranker, "hear") and not seek.search and not (folder / MODELS / FILE).exists():
        msg = (
            f"policy {config.rank.policy} learns its words from a search engine, and seek.search names none;"
            f"\n{cure}, choose another policy, or write the words into {folder / MODELS / FILE} yourself"
        )
        raise ConfigError(msg)
    if seek.reseed and not seek.search:
        msg = f"seek.reseed wants to search again, and seek.search names no engine; {cure}"
        raise ConfigError(msg)
    if seek.search and not config.goal.about.strip() and not config.goal.records:
        msg = (
            "there is nothing to search for: say what you want in goal.about (--about), or empty seek.search"
        )
        raise ConfigError(msg)


def open_searching(folder: Path, config: Config, mind: Mind, pages: int = 0) -> Reseeding | None:
    """Return the service that searches for this crawl; None when nobody asked for one."""
    ranker, topic = mind.appraisal.ranker, " ".join(config.goal.about.split())
    if not config.seek.search and not hasattr(ranker, "hear"):
        return None
    made: dict[str, Any] = {
        "mind": mind,
        "seek": config.seek,
        "engines": open_engines(config.seek, folder),
        "log": Kept(folder),
        "words": Vocabulary(ranker=ranker, folder=folder / MODELS, words=config.seek.words),
        "canon": Canon(config.scope.drop_params),
        "pages": pages,
        "seed": config.rank.seed,
    }
    book = getattr(mind.extractor, "book", None)
    if book is not None and not hasattr(ranker, "hear"):
        return RowSearch(topic="", about=topic, book=book, **made)
    return Reseeding(topic=topic, **made)
