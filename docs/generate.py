"""Write the reference from the code: configuration.md, commands.md, python.md.

`tests/test_docs.py` fails when code and reference differ.  Run:  python docs/generate.py
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import clew
from clew import contracts, errors, registry, testing, types
from clew.cli.app import full_app
from clew.config import Config
from clew.contracts import optional, parts, refresh, search, services, store, stored

CONTRACTS = (parts, optional, services, search, store, stored, refresh)
"""The modules of `clew.contracts`, in the order of the reference."""

HERE = Path(__file__).parent
MADE = "<!-- made by docs/generate.py: do not edit by hand -->"

CONFIGURATION = f"""\
# Configuration

{MADE}

Each crawl has one configuration file, `clew.toml`. `clew new` writes it with comments; every key has a
default except `crawl.contact` (and a crawl needs seeds). `clew run DIR --set table.key=value` changes any key
for one run, with the same validation. An unknown key is rejected with a suggestion.

Beside it lies `.clew.schema.json`, a JSON schema of all keys. Editors with a TOML language server (Taplo,
Even Better TOML) find it by the first line of the file, complete keys and mark wrong values.
"""

COMMANDS = f"""\
# Commands

{MADE}

Every command has `--help`; `clew --version` prints the version. `clew --install-completion` installs
completion of commands, options, folders, policies and keys for bash, zsh or fish. An unknown word is rejected
with a suggestion.
"""

PYTHON = f"""\
# Python

{MADE}

Programs need only `clew`. Your own components also use the modules `clew.contracts`, `clew.types`,
`clew.errors` and `clew.testing`, which `import clew` makes available. See [extending](extending.md) for how
to write one.

```python
import clew

crawl = clew.Crawl(
    "wind",
    about="offshore wind permits",
    seeds=["https://www.wind-authority.org/register"],
    contact="https://www.uni-x.org/our-crawler",
)
summary = crawl.run(pages=200)
print(summary.sentence())
```
"""

EXIT_CODES = {
    0: "the budget is spent, or no link is left to fetch",
    1: "internal error; `CLEW_DEBUG=1` shows a traceback",
    2: "usage or configuration",
    3: "stopped by the user; the same command continues",
    4: "nothing could be fetched; the reasons are listed",
    5: "store or disk: full, unwritable, damaged, locked",
}


def configuration() -> str:
    """Return the reference of every key."""
    parts = [CONFIGURATION]
    for name, field in Config.model_fields.items():
        table = field.annotation
        parts.append(f"\n## `[{name}]`\n\n{table.__doc__}\n\n| key | default | |\n|---|---|---|")
        for key, inner in table.model_fields.items():
            default = "*required*" if inner.is_required() else f"`{_toml(inner.default)}`"
            parts.append(f"| `{key}` | {default} | {inner.description} |")
    return "\n".join(parts) + "\n"


def commands() -> str:
    """Return the reference of every command, every part by name, and every exit code."""
    parts = [COMMANDS, *_commands(typer.main.get_command(full_app()), "clew"), "\n## Parts by name\n"]
    parts.append("Your own components are named as `module:Class`.\n\n| kind | name | |\n|---|---|---|")
    parts += [
        f"| {kind} | `{name}` | {_first(registry.find(kind, name))} |"
        for kind in registry.GROUPS
        for name in registry.names(kind)
    ]
    parts.append("\n## Exit codes\n\n| code | meaning |\n|---|---|")
    assert {error.exit_code for error in _errors()} <= set(EXIT_CODES)
    parts += [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    return "\n".join(parts) + "\n"


def python() -> str:
    """Return the reference of what programs may use."""
    parts = [PYTHON]
    for module, names in (
        (clew, clew.__all__),
        (contracts, [name for part in CONTRACTS for name in _own(part)]),
        (types, _own(types)),
        (testing, _own(testing)),
        (errors, _own(errors)),
    ):
        parts.append(f"\n## `{module.__name__}`\n\n{_first(module)}")
        for name in names:
            parts += _thing(name, getattr(module, name))
    return "\n".join(parts) + "\n"


def _commands(group: Any, called: str) -> Iterator[str]:
    for name, command in group.commands.items():
        title = f"{called} {name}"
        if hasattr(command, "commands"):
            yield f"\n## `{title}`\n\n{_prose(command.help)}"
            yield from _commands(command, title)
            continue
        words = [_usage(parameter) for parameter in command.params if parameter.name != "help"]
        yield f"\n## `{title}`\n\n```\n{' '.join([title, *words])}\n```\n\n{_prose(command.help)}\n"
        rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
        yield "\n".join(["| | |", "|---|---|", *rows])


def _usage(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        word = parameter.metavar or parameter.name.upper()
        return word if parameter.required or word.startswith("[") else f"[{word}]"
    flag = parameter.opts[0] if parameter.is_flag else f"{parameter.opts[0]} {_value(parameter)}"
    return f"[{flag}]" + ("…" if parameter.multiple else "")


def _value(parameter: Any) -> str:
    return parameter.metavar or ("N" if isinstance(parameter.default, int | float) else "TEXT")


def _row(parameter: Any) -> str:
    named = parameter.param_type_name == "argument"
    name = (parameter.metavar or parameter.name.upper()) if named else parameter.opts[0]
    default = parameter.default
    shown = default not in (None, False, "", 0) and not callable(default)
    return f"| `{name}` | {parameter.help or ''}{f' (default `{default}`)' if shown else ''} |"


def _prose(text: str | None) -> str:
    return inspect.cleandoc(text or "").replace("\b\n", "")


def _thing(name: str, thing: Any) -> Iterator[str]:
    if inspect.isclass(thing):
        yield f"\n### `{name}`\n\n{_doc(thing)}\n"
        for verb, member in vars(thing).items():
            call = member.fget if isinstance(member, property) else member
            if verb.startswith("_") or not inspect.isfunction(call):
                continue
            summary = _first(call)
            shown = f"`.{verb}`" if isinstance(member, property) else f"`.{verb}{_signature(call)}`"
            yield f"- {shown}{': ' + summary if summary else ''}"
    elif inspect.isfunction(thing):
        yield f"\n### `{name}{_signature(thing)}`\n\n{_doc(thing)}"
    elif inspect.ismodule(thing):
        yield f"\n### `{name}`\n\nA module, see [below](#clew{name}). {_first(thing)}"


def _signature(call: Any) -> str:
    parameters = inspect.signature(call).parameters.items()
    names = [
        f"**{name}" if each.kind == each.VAR_KEYWORD else name for name, each in parameters if name != "self"
    ]
    return f"({', '.join(names)})"


def _doc(thing: Any) -> str:
    text = inspect.cleandoc(thing.__doc__ or "")
    if text.startswith(f"{getattr(thing, '__name__', '')}("):  # the default docstring of a dataclass
        return ""
    return re.sub(r"((?:^(?:    .*|>>>.*|\.\.\. .*)\n?)+)", r"```\n\1\n```\n", text, flags=re.MULTILINE)


def _first(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "").partition("\n")[0]


def _own(module: Any) -> list[str]:
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(thing) or inspect.isfunction(thing))
        and thing.__module__.startswith(module.__name__)
    ]


def _errors() -> list[Any]:
    return [getattr(errors, name) for name in _own(errors)]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


PAGES = {
    "configuration.md": configuration,
    "commands.md": commands,
    "python.md": python,
}

if __name__ == "__main__":
    for page, write in PAGES.items():
        (HERE / page).write_text(write(), "utf-8")
