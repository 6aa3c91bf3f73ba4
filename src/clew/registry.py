"""Find parts by name: an entry point's short name, `name:of what`, `module:Class`, or the object itself."""

import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from inspect import signature
from typing import Any

from clew.errors import ConfigError

GROUPS = {
    "ranker": "clew.rankers",
    "judge": "clew.judges",
    "extractor": "clew.extractors",
    "fetcher": "clew.fetchers",
}

_CALLED = {"ranker": "policy"}  # in clew.toml and on the command line


def names(kind: str) -> list[str]:
    """Return the short names known for a kind of part."""
    return sorted(entry.name for entry in entry_points(group=GROUPS[kind]))


def find(kind: str, name: object) -> Any:  # noqa: ANN401 - a class, a factory or a ready object
    """Return the part that `name` stands for; objects are given back as they are."""
    if not isinstance(name, str):
        return name
    for entry in entry_points(group=GROUPS[kind]):
        if entry.name == name or (name.startswith(f"{entry.name}:") and _takes(entry.load(), "of")):
            return entry.load()
    module, colon, attribute = name.partition(":")
    if not colon:
        begun = [known for known in names(kind) if name.startswith(f"{known}-")]
        near = begun or get_close_matches(name, names(kind), n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"known: {', '.join(names(kind))}"
        msg = f'there is no {_CALLED.get(kind, kind)} "{name}"; {hint} (your own: module:Class)'
        raise ConfigError(msg)
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        cure = (
            "check the name" if module in sys.modules else "is the module on the Python path (PYTHONPATH=.)?"
        )
        if near := get_close_matches(module, names(kind), n=1):
            cure = f'did you mean "{near[0]}:{attribute}"?'
        msg = f"{_CALLED.get(kind, kind)} {name}: {error}; {cure}"
        raise ConfigError(msg) from error


def make(kind: str, name: object, **settings: object) -> Any:  # noqa: ANN401
    """Return a ready part: classes are called with the settings they ask for, objects kept as they are."""
    part = find(kind, name)
    if not isinstance(part, type):
        return part
    if isinstance(name, str) and (known := name.partition(":"))[0] in names(kind) and known[2]:
        settings["of"] = known[2]
    try:
        wanted = signature(part).parameters
        return part(**{key: value for key, value in settings.items() if key in wanted})
    except (TypeError, ValueError) as error:
        msg = f"{kind} {part.__name__} cannot be made: {error}; constructors take keywords with defaults"
        raise ConfigError(msg) from error


def _takes(part: object, name: str) -> bool:
    """Tell a class that is made with a word of what it is for, such as the country of `place:jp`."""
    return isinstance(part, type) and name in signature(part).parameters
