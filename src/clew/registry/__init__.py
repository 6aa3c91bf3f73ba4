"""Find and make components by name: an entry point's short name, `name:argument`, or `module:Class`."""

import sys
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import signature
from typing import Any

from pydantic import TypeAdapter, ValidationError

from clew.errors import ConfigError
from clew.registry import capabilities

GROUPS = {
    "ranker": "clew.rankers",
    "judge": "clew.judges",
    "extractor": "clew.extractors",
    "fetcher": "clew.fetchers",
}

_DISPLAY_NAMES = {"ranker": "policy"}  # in clew.toml and on the command line

_INNER = "options"
"""The parameter of a component that makes another one within: the options of that one."""


def names(kind: str) -> list[str]:
    """Return the short names of a kind of component."""
    return sorted(entry.name for entry in _entries(kind))


def _entries(kind: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a kind."""
    return _installed(tuple(sys.path))[kind]


@cache
def _installed(path: tuple[str, ...]) -> dict[str, tuple[EntryPoint, ...]]:  # noqa: ARG001 - it depends on it
    """Return the entry points of all kinds: the files of all packages are read once, in 10 ms."""
    found = entry_points()
    return {kind: tuple(found.select(group=group)) for kind, group in GROUPS.items()}


def find(kind: str, name: object) -> Any:  # noqa: ANN401 - a class, a factory or a ready object
    """Return the class or object that `name` stands for; objects are returned as they are."""
    if not isinstance(name, str):
        return name
    for entry in _entries(kind):
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


def make(kind: str, name: object, options: Mapping[str, object] | None = None, /, **settings: object) -> Any:  # noqa: ANN401
    """Return a component that keeps its contract: a class is called with the settings that it takes.

    `options` are the user's own values for further parameters of the constructor; a name or value that the
    component does not take is refused.
    """
    component = find(kind, name)
    if isinstance(component, type):
        shown = name if isinstance(name, str) else component.__name__
        given = _checked(f"{_DISPLAY_NAMES.get(kind, kind)} {shown}", component, options or {}, settings)
        component = _construct(kind, name, component, {**settings, **given})
    capabilities.check_contract(kind, component)
    return component


def option_names(component: object, settings: Mapping[str, object]) -> list[str]:
    """Return the parameters of a component that options can set: those that no setting sets."""
    parameters = signature(component).parameters if isinstance(component, type) else {}
    return [name for name in parameters if name not in settings and name != _INNER]


def _checked(
    what: str, component: type, options: Mapping[str, object], settings: Mapping[str, object]
) -> dict[str, object]:
    """Return options as values of the right types; those of a component within are passed on to it."""
    if not options:
        return {}
    known, checked, inner = option_names(component, settings), {}, {}
    for name, value in options.items():
        if name in known:
            checked[name] = _option_value(f"{what}, option {name}", component, name, value)
        elif _accepts(component, _INNER):
            inner[name] = value
        else:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"its options: {', '.join(known) or 'none'}"
            msg = f"{what} has no option {name}; {hint}"
            raise ConfigError(msg)
    return {**checked, _INNER: inner} if inner else checked


def _option_value(what: str, component: type, name: str, value: object) -> object:
    """Return the value of an option, checked against the type of its parameter."""
    hint = signature(component, eval_str=True).parameters[name].annotation
    try:
        return TypeAdapter(hint).validate_python(value)
    except ValidationError as error:
        wanted = error.errors()[0]["msg"].lower().replace("input should be", "must be")
        msg = f"{what} = {value!r}: {wanted}"
        raise ConfigError(msg) from None


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
