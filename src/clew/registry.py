"""Find and make components by name: an entry point's short name, `name:argument`, or `module:Class`."""

import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from inspect import signature
from typing import Any

from clew import capabilities
from clew.errors import ConfigError

GROUPS = {
    "ranker": "clew.rankers",
    "judge": "clew.judges",
    "extractor": "clew.extractors",
    "fetcher": "clew.fetchers",
}

_DISPLAY_NAMES = {"ranker": "policy"}  # in clew.toml and on the command line


def names(kind: str) -> list[str]:
    """Return the short names of a kind of component."""
    return sorted(entry.name for entry in entry_points(group=GROUPS[kind]))


def find(kind: str, name: object) -> Any:  # noqa: ANN401 - a class, a factory or a ready object
    """Return the class or object that `name` stands for; objects are returned as they are."""
    if not isinstance(name, str):
        return name
    for entry in entry_points(group=GROUPS[kind]):
        if entry.name == name or (name.startswith(f"{entry.name}:") and _accepts(entry.load(), "of")):
            return entry.load()
    module, colon, attribute = name.partition(":")
    if not colon:
        prefixes = [known for known in names(kind) if name.startswith(f"{known}-")]
        near = prefixes or get_close_matches(name, names(kind), n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"known: {', '.join(names(kind))}"
        msg = f'there is no {_DISPLAY_NAMES.get(kind, kind)} "{name}"; {hint} (your own: module:Class)'
        raise ConfigError(msg)
    if module in names(kind):
        what = _DISPLAY_NAMES.get(kind, kind)
        msg = f'{what} "{module}" takes no argument after a colon, not "{attribute}"; write: {module}'
        raise ConfigError(msg)
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        hint = (
            "check the name" if module in sys.modules else "is the module on the Python path (PYTHONPATH=.)?"
        )
        if near := get_close_matches(module, names(kind), n=1):
            hint = f'did you mean "{near[0]}:{attribute}"?'
        msg = f"{_DISPLAY_NAMES.get(kind, kind)} {name}: {error}; {hint}"
        raise ConfigError(msg) from error


def make(kind: str, name: object, **settings: object) -> Any:  # noqa: ANN401
    """Return a component that keeps its contract: a class is called with the settings that it takes."""
    component = find(kind, name)
    if isinstance(component, type):
        component = _construct(kind, name, component, settings)
    capabilities.check_contract(kind, component)
    return component


def _construct(kind: str, name: object, component_class: type, settings: dict[str, object]) -> object:
    if isinstance(name, str) and (known := name.partition(":"))[0] in names(kind) and known[2]:
        settings["of"] = known[2]
    try:
        parameters = signature(component_class).parameters
        return component_class(**{key: value for key, value in settings.items() if key in parameters})
    except (TypeError, ValueError) as error:
        name = component_class.__name__
        msg = f"{kind} {name} cannot be built: {error}; constructors take keywords with defaults"
        raise ConfigError(msg) from error


def _accepts(component: object, name: str) -> bool:
    """Whether a class has a parameter of this name, such as `of` for the country of `place:jp`."""
    return isinstance(component, type) and name in signature(component).parameters
