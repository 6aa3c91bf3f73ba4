"""Open the search service of a crawl from its configuration, or say why it cannot be had."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from clew.config import Config
from clew.domain.topic_terms import TERMS_FILE
from clew.engine.engine import Engine
from clew.engine.events import Events
from clew.errors import ConfigError
from clew.registry import capabilities
from clew.registry.capabilities import RankerCapabilities
from clew.search import open_engines
from clew.services.search.row_search import RowSearch
from clew.services.search.search_log import StoredSearchLog
from clew.services.search.service import SearchService
from clew.services.search.settings import SearchSettings
from clew.services.search.vocabulary import TopicVocabulary
from clew.urls import Canon

MODELS = "models"


def check_search(folder: Path, config: Config, abilities: RankerCapabilities) -> None:
    """Refuse a crawl that is to search without an engine, or without words to search for."""
    seek, cure = config.seek, 'name an engine: --set seek.search="searxng=http://127.0.0.1:8888"'
    if abilities.topic_terms and not seek.search and not (folder / MODELS / TERMS_FILE).exists():
        msg = (
            f"policy {config.rank.policy} learns its words from a search engine, and seek.search names none;"
            f"\n{cure}, choose another policy, or write the words into {folder / MODELS / TERMS_FILE} "
            "yourself"
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


def make_search_service(
    folder: Path, config: Config, engine: Engine, events: Events, pages: int = 0
) -> SearchService | None:
    """Return the service that searches for this crawl; None when neither policy nor user want one."""
    topic, abilities = " ".join(config.goal.about.split()), engine.scoring.abilities
    if not config.seek.search and not abilities.topic_terms:
        return None
    settings = SearchSettings(
        seek=config.seek, topic=topic, canon=Canon(config.scope.drop_params), pages=pages,
        seed=config.rank.seed, has_examples=bool(config.goal.good and config.goal.bad),
    )  # fmt: skip
    fields: dict[str, Any] = {
        "engine": engine,
        "engines": open_engines(config.seek, folder),
        "log": StoredSearchLog(engine.store.searches),
        "events": events,
        "vocabulary": TopicVocabulary(
            abilities=abilities, folder=folder / MODELS, most_terms=config.seek.words
        ),
    }
    provider = capabilities.of_extractor(engine.evaluation.extractor).provides_table
    if provider and not abilities.topic_terms:
        return RowSearch(
            settings=replace(settings, topic=""), about=topic, table=provider.record_table, **fields
        )
    return SearchService(settings=settings, **fields)
