"""One file, one crawl: `clew.toml`, read strictly, with a default for every key but three.

A wrong key is refused with the nearest right one; `--set table.key=value` goes through the same
checks as the file, so the two cannot disagree about what is allowed.
"""

import json
import re
import tomllib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from clew.config.folder_hints import crawl_of_shard, no_crawl
from clew.config.tables import (
    ConfigTable,
    CrawlTable,
    FetchTable,
    GoalTable,
    ParseTable,
    RankTable,
    RefreshTable,
    ScopeTable,
    SeekTable,
    StoreTable,
    TeachTable,
)
from clew.domain.text import printable
from clew.errors import ConfigError


class Config(ConfigTable):
    """The whole file."""

    crawl: CrawlTable
    goal: GoalTable = GoalTable()
    rank: RankTable = RankTable()
    scope: ScopeTable = ScopeTable()
    fetch: FetchTable = FetchTable()
    parse: ParseTable = ParseTable()
    store: StoreTable = StoreTable()
    seek: SeekTable = SeekTable()
    refresh: RefreshTable = RefreshTable()
    teach: TeachTable = TeachTable()


def load(path: Path, settings: list[str] | None = None) -> Config:
    """Read `path` and apply `table.key=value` settings to it."""
    tables = read_tables(path)
    given = {_apply_setting(tables, setting): setting for setting in settings or []}
    return build(tables, str(path), given)


def load_folder(folder: Path) -> Config:
    """Read the clew.toml of a crawl; a shard has that of its crawl."""
    return load((crawl_of_shard(folder) or folder) / "clew.toml")


def read_tables(path: Path) -> dict[str, Any]:
    """Read a file as TOML, as any editor may have saved it."""
    try:
        data = path.read_bytes()
        text = data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig")
        return tomllib.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        raise no_crawl(path.parent) from None
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; give yourself access to it"
        raise ConfigError(msg) from None
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 (byte {error.start + 1:,}); save it as UTF-8 in your editor"
        raise ConfigError(msg) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_explain_syntax(path, text, str(error))) from None


def build(tables: dict[str, Any], where: str, settings: Mapping[str, str] | None = None) -> Config:
    """Check tables from `where` and make them a Config; `settings` are keys given on the command line."""
    try:
        config = Config.model_validate(tables)
    except ValidationError as error:
        messages = [_explain(e, where, settings or {}) for e in error.errors()]
        more = [f"and {len(messages) - _MOST} more errors"] if len(messages) > _MOST + 1 else messages[_MOST:]
        raise ConfigError("\n".join(messages[:_MOST] + more)) from None
    config.fetch.networks()
    return config


def read_stored(settings: str) -> Config:
    """Return the configuration that a run has stored as JSON; keys that no longer exist are left out."""
    tables = {
        table: {key: value for key, value in keys.items() if f"{table}.{key}" in KEYS}
        for table, keys in json.loads(settings).items()
    }
    return build({name: keys for name, keys in tables.items() if keys}, "the stored configuration")


def _apply_setting(tables: dict[str, Any], setting: str) -> str:
    """Put one `--set` into the tables; return the name of its key."""
    name, equals, text = (part.strip() for part in setting.partition("="))
    table, dot, key = name.partition(".")
    if not (equals and dot and table and key):
        homes = _homes(name)
        example = f"{homes[0] if homes else name if name in KEYS else 'fetch.delay'}={text or '2'}"
        msg = f"--set {setting}: write table.key=value without blanks, for example --set {example}"
        raise ConfigError(msg)
    try:
        value = tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        value = text
    put_setting(tables, name, value)
    return name


def put_setting(tables: dict[str, Any], name: str, value: object) -> None:
    """Put the value of a key, or of an option of the policy, into the tables of a configuration.

    >>> tables = {}
    >>> put_setting(tables, "rank.policy", "layout")
    >>> put_setting(tables, "rank.options.leaf", 2)
    >>> tables
    {'rank': {'policy': 'layout', 'options': {'leaf': 2}}}
    """
    table, _, key = name.partition(".")
    home = tables.setdefault(table, {})
    if name.startswith(_OPTIONS) and isinstance(home, dict):
        home, key = home.setdefault("options", {}), name.removeprefix(_OPTIONS)
    if isinstance(home, dict):  # else the file is wrong, and validation says so
        home[key] = value


def _homes(key: str) -> list[str]:
    """Return the full names of all keys of this name, whatever their table."""
    return [name for name in KEYS if name.partition(".")[2] == key]


def _explain(error: Any, where: str, settings: Mapping[str, str]) -> str:  # noqa: ANN401 - pydantic's own
    place = ".".join(str(part) for part in error["loc"][:2])
    where = f"--set {settings[place]}" if place in settings else where
    if error["type"] == "extra_forbidden":
        what = "key" if "." in place else "table"
        return f"{where}: there is no {what} {place}; {_suggestion(error['loc'])}"
    if error["type"] == "missing":
        return f"{where}: {place} is missing; {_MISSING.get(place, 'every crawl needs it')}"
    if error["type"] == "model_type":
        return f"{where}: {place} is a table; write [{place}] on a line of its own, and its keys below"
    value = printable(json.dumps(error["input"], ensure_ascii=False, default=str), 60)
    setting = "" if place in settings else f" {place} = {value}:"
    if error["type"] == "value_error":
        return f"{where}:{setting} {error['msg'].removeprefix('Value error, ')}"
    table, _, key = place.partition(".")
    field = Config.model_fields[table].annotation.model_fields[key]  # type: ignore[union-attr]
    expected = _EXPECTED.get(error["type"], error["msg"].lower()).format(**error.get("ctx", {}))
    example = field.get_default()
    shape = f", e.g. {json.dumps(example)}" if example or isinstance(example, bool) else ""
    return f"{where}:{setting} {expected}{shape} ({field.description.rstrip('.')})"


def _suggestion(loc: tuple[str, ...]) -> str:
    """Suggest a key for one that does not exist."""
    *table, key = map(str, loc[:2])
    tables = list(Config.model_fields)
    if homes := _homes(key):
        belongs = " or ".join(f"[{home.partition('.')[0]}]" for home in homes)
        return f"{key} belongs to {belongs}: {' or '.join(homes)}"
    if not table:
        near = get_close_matches(key, tables, n=1)
        return f"did you mean {near[0]}?" if near else f"known here: {', '.join(tables)}"
    known = list(Config.model_fields[table[0]].annotation.model_fields)  # type: ignore[union-attr]
    if near := get_close_matches(key, known, n=1):
        return f"did you mean {table[0]}.{near[0]}?"
    if near := get_close_matches(key, [name.partition(".")[2] for name in KEYS], n=1, cutoff=0.75):
        return f"did you mean {_homes(near[0])[0]}?"
    return f"known here: {', '.join(known)}"


def _explain_syntax(path: Path, text: str, message: str) -> str:
    """Show the line that is not valid TOML, and say how to mend it."""
    lines = text.splitlines() or [""]
    at = re.search(r" \(at line (\d+)", message)
    number = int(at[1]) if at else len(lines)
    line = lines[min(number, len(lines)) - 1]
    if "“" in line or "”" in line or "„" in line:
        cure = 'use straight quotation marks: "…"'
    elif line.count("[") > line.count("]"):
        cure = "a closing ] is missing"
    elif re.search(r"=\s*\d+,\d", line):
        cure = "numbers have a point, not a comma: 1.5"
    else:
        cure = next(
            (cure for sign, cure in _SYNTAX.items() if sign in message), message.partition(" (at")[0].lower()
        )
    return f"{path}, line {number} is not valid TOML: {printable(line, 80)}\n{cure}"


_OPTIONS = "rank.options."
"""What precedes the name of an option of the policy in `--set`."""

_MOST = 2
"""Errors explained at once; a last line counts the rest."""

_MISSING = {
    "crawl": "write [crawl] with contact and seeds below it",
    "crawl.contact": 'say how site owners reach you: contact = "https://…" below [crawl]',
}
_EXPECTED = {
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "string_type": "must be text in quotation marks",
    "list_type": "must be a list",
    "dict_type": "must be a table: write [rank.options] on a line of its own, and the options below",
    "greater_than_equal": "must be {ge:g} or more",
    "greater_than": "must be more than {gt:g}",
    "less_than_equal": "must be at most {le:g}",
    "string_pattern_mismatch": "may contain only letters, _ and -",
}
_SYNTAX = {
    "Invalid value": 'text needs quotation marks (key = "some text"), numbers a point (1.5)',
    "Expected '='": "write key = value; table names are in brackets: [fetch]",
    "Illegal character": "a quotation mark is missing at the end of a text",
    "Unterminated": "a quotation mark is missing at the end of a text",
    "Unclosed array": "a closing ] is missing",
    "Expected newline": "one key a line, and all of a text in one pair of quotation marks",
    "Cannot overwrite": "this key is in the file twice; delete one",
    "Cannot declare": "this table is in the file twice; merge its keys",
    "Invalid statement": "write key = value, e.g. delay = 1.0; comments begin with #",
}

KEYS: dict[str, Literal[True]] = {
    f"{table}.{key}": True
    for table, field in Config.model_fields.items()
    for key in field.annotation.model_fields  # type: ignore[union-attr]
}
"""Every key there is, as `table.key`; the documentation is tested against it."""
