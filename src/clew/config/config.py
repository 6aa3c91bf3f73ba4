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

from clew.config.folder_hints import no_crawl
from clew.config.tables import (
    ConfigTable,
    CrawlTable,
    FetchTable,
    GoalTable,
    ParseTable,
    RankTable,
    ScopeTable,
    SeekTable,
    StoreTable,
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


def load(path: Path, settings: list[str] | None = None) -> Config:
    """Read `path` and lay `table.key=value` settings over it."""
    tables = read_tables(path)
    given = {_lay_over(tables, setting): setting for setting in settings or []}
    return build(tables, str(path), given)


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
        said = [_explain(e, where, settings or {}) for e in error.errors()]
        more = [f"and {len(said) - _MOST} more like these"] if len(said) > _MOST + 1 else said[_MOST:]
        raise ConfigError("\n".join(said[:_MOST] + more)) from None
    config.fetch.networks()
    return config


def _lay_over(tables: dict[str, Any], setting: str) -> str:
    """Put one setting into the tables; return its name."""
    name, equals, text = (part.strip() for part in setting.partition("="))
    table, dot, key = name.partition(".")
    if not (equals and dot and table and key):
        homes = _homes(name)
        meant = f"{homes[0] if homes else name if name in KEYS else 'fetch.delay'}={text or '2'}"
        msg = f"--set {setting}: write table.key=value without blanks, for example --set {meant}"
        raise ConfigError(msg)
    try:
        value = tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        value = text
    home = tables.setdefault(table, {})
    if isinstance(home, dict):  # else the file is wrong, and is told so
        home[key] = value
    return name


def _homes(key: str) -> list[str]:
    """Return the full names of the keys that are called so, whatever their table."""
    return [name for name in KEYS if name.partition(".")[2] == key]


def _explain(error: Any, where: str, settings: Mapping[str, str]) -> str:  # noqa: ANN401 - pydantic's own
    place = ".".join(str(part) for part in error["loc"][:2])
    where = f"--set {settings[place]}" if place in settings else where
    if error["type"] == "extra_forbidden":
        what = "key" if "." in place else "table"
        return f"{where}: there is no {what} {place}; {_meant(error['loc'])}"
    if error["type"] == "missing":
        return f"{where}: {place} is missing; {_MISSING.get(place, 'every crawl needs it')}"
    if error["type"] == "model_type":
        return f"{where}: {place} is a table; write [{place}] on a line of its own, and its keys below"
    value = printable(json.dumps(error["input"], ensure_ascii=False, default=str), 60)
    said = "" if place in settings else f" {place} = {value}:"
    if error["type"] == "value_error":
        return f"{where}:{said} {error['msg'].removeprefix('Value error, ')}"
    table, _, key = place.partition(".")
    field = Config.model_fields[table].annotation.model_fields[key]  # type: ignore[union-attr]
    wanted = _WANTED.get(error["type"], error["msg"].lower()).format(**error.get("ctx", {}))
    example = field.get_default()
    shape = f", e.g. {json.dumps(example)}" if example or isinstance(example, bool) else ""
    return f"{where}:{said} {wanted}{shape} ({field.description.rstrip('.')})"


def _meant(loc: tuple[str, ...]) -> str:
    """Say which key was meant by one that does not exist."""
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


def _explain_syntax(path: Path, text: str, said: str) -> str:
    """Show the line that is not TOML, and say what it lacks."""
    lines = text.splitlines() or [""]
    at = re.search(r" \(at line (\d+)", said)
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
            (cure for sign, cure in _SYNTAX.items() if sign in said), said.partition(" (at")[0].lower()
        )
    return f"{path}, line {number} is not valid TOML: {printable(line, 80)}\n{cure}"


_MOST = 2
"""Mistakes explained at once, and a line that counts the rest."""

_MISSING = {
    "crawl": "write [crawl] with contact and seeds below it",
    "crawl.contact": 'say how site owners reach you: contact = "https://…" below [crawl]',
}
_WANTED = {
    "float_parsing": "a number is wanted",
    "float_type": "a number is wanted",
    "int_parsing": "a whole number is wanted",
    "int_type": "a whole number is wanted",
    "int_from_float": "a whole number is wanted",
    "bool_parsing": "true or false is wanted",
    "bool_type": "true or false is wanted",
    "string_type": "text in quotation marks is wanted",
    "list_type": "a list is wanted",
    "greater_than_equal": "{ge:g} or more is wanted",
    "greater_than": "more than {gt:g} is wanted",
    "less_than_equal": "{le:g} at most is wanted",
    "string_pattern_mismatch": "only letters, _ and - may stand here",
}
_SYNTAX = {
    "Invalid value": 'text needs quotation marks (key = "some text"), numbers a point (1.5)',
    "Expected '='": "write key = value; names of tables stand in brackets: [fetch]",
    "Illegal character": "a quotation mark is missing at the end of a text",
    "Unterminated": "a quotation mark is missing at the end of a text",
    "Unclosed array": "a closing ] is missing",
    "Expected newline": "one key a line, and all of a text in one pair of quotation marks",
    "Cannot overwrite": "this key stands in the file twice; delete one",
    "Cannot declare": "this table stands in the file twice; put its keys together",
    "Invalid statement": "write key = value, e.g. delay = 1.0; remarks begin with #",
}

KEYS: dict[str, Literal[True]] = {
    f"{table}.{key}": True
    for table, field in Config.model_fields.items()
    for key in field.annotation.model_fields  # type: ignore[union-attr]
}
"""Every key there is, as `table.key`; the documentation is tested against it."""
