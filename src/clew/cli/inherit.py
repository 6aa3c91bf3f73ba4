"""`clew new --like`: models and settings that a new crawl copies from another."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clew import capabilities, registry
from clew import config as configuration
from clew.config import Config
from clew.config.seeds import read_seeds
from clew.domain.model_files import model_name, read_model
from clew.domain.records.pattern_io import PATTERNS_FILE as ROWS
from clew.domain.text import printable
from clew.errors import ConfigError, StoreError
from clew.judge.term_list import TERM_LIST_FILE as TERMS
from clew.judge.term_list import read_terms
from clew.urls import Canon

MODELS = "models"
_ANY_VERSION = 10**9
_TABLES = ("goal", "rank", "fetch")
_ASKED = ("about", "good", "bad", "records")  # keys with their own option
_OWN = frozenset({ROWS})  # patterns are numbered by the rows and pages of one crawl


@dataclass(frozen=True, slots=True, kw_only=True)
class InheritedSettings:
    """Options, settings and model files of another crawl."""

    folder: Path
    about: str = ""
    good: list[str] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)
    contact: str = ""
    records: str = ""
    seeds: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    models: list[Path] = field(default_factory=list)

    def report(self, values: Mapping[str, Any], settings: Mapping[str, Any]) -> Iterator[str]:
        """Yield lines that list what a new crawl took from this one."""
        keys = [key for key, value in self.settings.items() if settings[key] == value]
        names = ("about", "good", "bad", "contact", "seeds")
        taken = [name for name in names if getattr(self, name) and getattr(self, name) == values[name]]
        what = ", ".join([*taken, *keys])
        where = printable(str(self.folder))
        yield f"✓ copied from {where}: {what or 'no keys, all were given'}"
        if self.models:
            yield f"  and its models: {', '.join(path.name for path in self.models)}"
        else:
            yield f"  ! {where} has no models yet (no files in {MODELS}/)"

    def hand_over(self, folder: Path) -> None:
        """Copy the models into the folder of a new crawl."""
        try:
            if self.models:
                (folder / MODELS).mkdir(exist_ok=True)
            for path in self.models:
                shutil.copyfile(path, folder / MODELS / path.name)
        except OSError as error:
            msg = f"{folder / MODELS} cannot be written: {error.strerror}; free some space, then try again"
            raise StoreError(msg) from None


def legacy(like: Path) -> InheritedSettings:
    """Read the settings and models of another crawl; raise if it is not a crawl or a model is damaged."""
    tables = configuration.read_tables(like / "clew.toml")
    config = configuration.build(tables, str(like / "clew.toml"))
    settings = {
        f"{table}.{key}": getattr(getattr(config, table), key)
        for table in _TABLES
        for key in tables.get(table, {})
        if key not in _ASKED and not _is_default(config, table, key)
    }
    return InheritedSettings(
        folder=like,
        about=config.goal.about,
        good=[_placed(like, name) for name in config.goal.good],
        bad=[_placed(like, name) for name in config.goal.bad],
        contact=config.crawl.contact,
        records=_placed(like, config.goal.records) if config.goal.records else "",
        seeds=read_seeds(like, config.crawl.seeds, Canon(config.scope.drop_params)),
        settings=settings,
        models=_models(like / MODELS, config),
    )


def _is_default(config: Config, table: str, key: str) -> bool:
    section = getattr(config, table)
    return bool(getattr(section, key) == type(section).model_fields[key].get_default())


def _placed(like: Path, name: str) -> str:
    """Return the absolute path of an example."""
    if "://" in name:
        return name
    places = [Path(name).expanduser(), like / name]
    found = next((place for place in places if place.exists()), None)
    if found is None:
        msg = (
            f"{like / 'clew.toml'}: the example {name} is missing; remove it there, or give --good and --bad"
        )
        raise ConfigError(msg)
    return str(found.resolve())


def _models(place: Path, config: Config) -> list[Path]:
    """Return the model files; raise if one is damaged or too new."""
    files = sorted(path for path in place.glob("*.tsv") if path.is_file()) if place.is_dir() else []
    found = [path for path in files if path.name not in _OWN]
    for path in found:
        if name := model_name(path):
            read_model(path, name, _ANY_VERSION)
    read_terms(place / TERMS)
    goal = {"about": config.goal.about, "good": tuple(config.goal.good), "bad": tuple(config.goal.bad)}
    for kind, name in (("judge", config.goal.judge), ("ranker", config.rank.policy)) if found else ():
        part = registry.make(kind, name, **goal)
        if saved := capabilities.persistent(part):
            saved.load(place)
    return found
