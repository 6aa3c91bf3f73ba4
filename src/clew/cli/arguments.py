"""Arguments shared by several commands, with shell completion."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic.fields import FieldInfo

from clew import registry
from clew.config import KEYS, Config
from clew.errors import ConfigError
from clew.store.outbox import shard_folders

_CHOICES = {"rank.policy": "ranker", "goal.judge": "judge"}


def folders(incomplete: str) -> list[tuple[str, str]]:
    """Complete to folders; crawls come first and are marked."""
    base, name = Path(incomplete).parent, Path(incomplete).name
    if incomplete.endswith("/"):
        base, name = Path(incomplete), ""
    hidden = name.startswith(".")
    try:
        matches = sorted(path for path in base.iterdir() if path.name.startswith(name) and path.is_dir())
    except OSError:
        return []
    visible = [path for path in matches if hidden or not path.name.startswith(".")]
    crawls = [(str(path), "a crawl") for path in visible if (path / "clew.toml").exists()]
    return crawls + [(f"{path}/", "") for path in visible if not (path / "clew.toml").exists()]


def policies(incomplete: str) -> list[tuple[str, str]]:
    """Complete to the names of rankers, with their first sentence."""
    return [
        (name, first_line("ranker", name)) for name in registry.names("ranker") if name.startswith(incomplete)
    ]


def settings(incomplete: str) -> list[tuple[str, str]]:
    """Complete to keys with their defaults, and to the values of keys that have a fixed set."""
    key, equals, value = incomplete.partition("=")
    if equals:
        known = registry.names(_CHOICES[key]) if key in _CHOICES else _booleans(key)
        return [(f"{key}={each}", "") for each in known if each.startswith(value)]
    return [
        (f"{name}={_default(name)}", _field(name).description or "") for name in KEYS if name.startswith(key)
    ]


def first_line(kind: str, name: str) -> str:
    """Return the first line of a component's docstring."""
    return ((registry.find(kind, name).__doc__ or "").strip().splitlines() or [""])[0]


def _field(name: str) -> FieldInfo:
    table, _, key = name.partition(".")
    keys: dict[str, FieldInfo] = Config.model_fields[table].annotation.model_fields  # type: ignore[union-attr]
    return keys[key]


def _default(name: str) -> str:
    field = _field(name)
    value = "" if field.is_required() else field.get_default()
    if isinstance(value, list):
        return ",".join(value) if len(value) == 1 else ""
    return value if isinstance(value, str) else json.dumps(value)


def _booleans(key: str) -> list[str]:
    return ["false", "true"] if key in KEYS and isinstance(_field(key).get_default(), bool) else []


def crawl_folder(path: Path) -> Path:
    """Return the crawl folder of a path; wind/clew.toml and wind/crawl.db mean wind."""
    return path.parent if path.name in ("clew.toml", "crawl.db") and not path.is_dir() else path


def undivided_folder(path: Path) -> Path:
    """Return the crawl folder of a path; refuse a crawl in shards, which this command cannot read as one."""
    folder = crawl_folder(path)
    if shards := len(shard_folders(folder)):
        msg = (
            f"{folder} is a crawl in {shards} shards, and this command does not work across shards yet; "
            "run, status, list, why, label, exclude, forget and export do"
        )
        raise ConfigError(msg)
    return folder


Folder = Annotated[
    Path,
    typer.Argument(
        metavar="DIR", help="The folder of the crawl.", autocompletion=folders, callback=undivided_folder
    ),
]

ShardedFolder = Annotated[
    Path,
    typer.Argument(
        metavar="DIR", help="The folder of the crawl.", autocompletion=folders, callback=crawl_folder
    ),
]

Policy = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="The ranking policy: a name, or module:Class.", autocompletion=policies
    ),
]

TeacherUrl = Annotated[
    str, typer.Option(metavar="URL", help="A language model that labels pages, OpenAI-compatible.")
]
TeacherModel = Annotated[str, typer.Option(metavar="NAME", help="With --teacher: the model.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="TABLE.KEY=VALUE", help="Change a key for this run.", autocompletion=settings
    ),
]


def read_input(name: str, line: str) -> tuple[bytes, str]:
    """Return the content and name of a file given on the command line; `-` is standard input.

    `line` describes the expected line format for the error message.
    """
    if name == "-":
        return sys.stdin.buffer.read(), "standard input"
    try:
        return Path(name).expanduser().read_bytes(), name
    except OSError as error:
        msg = f"{name} cannot be read: {error.strerror}; name a file with {line} on each line"
        raise ConfigError(msg) from None
