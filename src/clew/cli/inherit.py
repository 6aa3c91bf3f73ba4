"""`clew new --like`: models and settings that a new crawl copies from another."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from clew import config as configuration
from clew import registry
from clew.config import Config
from clew.config.seeds import read_seeds
from clew.domain.model_files import model_name, read_model
from clew.domain.records.pattern_io import PATTERNS_FILE as ROWS
from clew.domain.sites.site_classifier import load_classifier
from clew.domain.sites.site_table import FILE as SITES
from clew.domain.text import printable
from clew.errors import ConfigError, StoreError
from clew.judge.term_list import TERM_LIST_FILE as TERMS
from clew.judge.term_list import read_terms
from clew.registry import capabilities
from clew.urls import Canon

MODELS = "models"
_ANY_VERSION = 10**9
_TABLES = ("goal", "rank", "fetch")
_WITH_OPTION = ("about", "good", "bad", "records")  # keys with their own option
_NOT_COPIED = frozenset({ROWS, SITES})
"""Patterns refer to rows and pages of one crawl, and what was read of a site is not read in another."""


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

    def without_urls(self) -> "InheritedSettings":
        """Return it without seeds and without examples that are URLs: those would be crawled, too."""
        good, bad = ([each for each in some if "://" not in each] for some in (self.good, self.bad))
        return replace(self, seeds=[], good=good, bad=bad)

    def count_example_urls(self) -> int:
        """Return how many examples are URLs."""
        return sum("://" in example for example in (*self.good, *self.bad))

    def report(self, values: Mapping[str, Any], settings: Mapping[str, Any]) -> Iterator[str]:
        """Yield lines that list what a new crawl took from this one."""
        keys = [key for key, value in self.settings.items() if settings[key] == value]
        names = ("about", "good", "bad", "contact", "seeds")
        copied = [name for name in names if getattr(self, name) and getattr(self, name) == values[name]]
        listed = ", ".join([*copied, *keys])
        where = printable(str(self.folder))
        yield f"✓ copied from {where}: {listed or 'no keys, all were given'}"
        if self.models:
            yield f"  and its models: {', '.join(path.name for path in self.models)}"
            classifier = load_classifier(self.models[0].parent)
            if classifier is not None and classifier.held_out is not None:
                yield f"  the classifier of sites {classifier.held_out.sentence()}"
        else:
            yield f"  ! {where} has no models yet (no files in {MODELS}/)"

    def copy_models(self, folder: Path) -> None:
        """Copy the models into the folder of a new crawl."""
        try:
            if self.models:
                (folder / MODELS).mkdir(exist_ok=True)
            for path in self.models:
                shutil.copyfile(path, folder / MODELS / path.name)
        except OSError as error:
            msg = f"{folder / MODELS} cannot be written: {error.strerror}; free some space, then try again"
            raise StoreError(msg) from None


def read_inherited(like: Path) -> InheritedSettings:
    """Read the settings and models of another crawl; raise if it is not a crawl or a model is damaged."""
    tables = configuration.read_tables(like / "clew.toml")
    config = configuration.build(tables, str(like / "clew.toml"))
    settings = {
        f"{table}.{key}": getattr(getattr(config, table), key)
        for table in _TABLES
        for key in tables.get(table, {})
        if key not in _WITH_OPTION and not _is_default(config, table, key)
    }
    return InheritedSettings(
        folder=like,
        about=config.goal.about,
        good=[_absolute(like, name) for name in config.goal.good],
        bad=[_absolute(like, name) for name in config.goal.bad],
        contact=config.crawl.contact,
        records=_absolute(like, config.goal.records) if config.goal.records else "",
        seeds=read_seeds(like, config.crawl.seeds, Canon(config.scope.drop_params)),
        settings=settings,
        models=_models(like / MODELS, config),
    )


def _is_default(config: Config, table: str, key: str) -> bool:
    section = getattr(config, table)
    return bool(getattr(section, key) == type(section).model_fields[key].get_default())


def _absolute(like: Path, name: str) -> str:
    """Return the absolute path of an example."""
    if "://" in name:
        return name
    paths = [Path(name).expanduser(), like / name]
    found = next((path for path in paths if path.exists()), None)
    if found is None:
        msg = (
            f"{like / 'clew.toml'}: the example {name} is missing; remove it there, or give --good and --bad"
        )
        raise ConfigError(msg)
    return str(found.resolve())


def _models(folder: Path, config: Config) -> list[Path]:
    """Return the model files; raise if one is damaged or too new."""
    files = sorted(path for path in folder.glob("*.tsv") if path.is_file()) if folder.is_dir() else []
    found = [path for path in files if path.name not in _NOT_COPIED]
    for path in found:
        if name := model_name(path):
            read_model(path, name, _ANY_VERSION)
    read_terms(folder / TERMS)
    goal = {"about": config.goal.about, "good": tuple(config.goal.good), "bad": tuple(config.goal.bad)}
    for kind, name in (("judge", config.goal.judge), ("ranker", config.rank.policy)) if found else ():
        component = registry.make(kind, name, **goal)
        if saved := capabilities.persistent(component):
            saved.load(folder)
    return found
