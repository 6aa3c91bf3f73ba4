r"""Model files: what a judge or a ranker has learned, as readable and portable text.

    # clew model examples 1         name and version
    made	2026-11-16              facts: a key, a tab, a value
    [terms]                         a table: its name, its columns, its rows
    term	weight
    lighthouse	3.2
    # end 5 lines 9c1f…             nothing is missing, nothing was changed

UTF-8, cells separated by tabs; a tab, a line end or a backslash inside a cell is written as in Python (`\t`).
docs/models.md describes the format for other programs.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from clew.domain.atomic_file import write_atomically
from clew.errors import ConfigError

Cell = str | int | float

_HEAD = re.compile(r"# clew model ([\w-]+) ([1-9]\d{0,8})")
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_SPECIAL = re.compile(r"[\\\t\n\r]")
_ESCAPED = re.compile(r"\\(.)")
_PLAIN = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r", "[": "[", "#": "#"}


@dataclass(frozen=True, slots=True)
class ModelTable:
    """Named columns and their rows; cells read from a file are strings."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What was learned: facts by name, and tables by name."""

    name: str
    version: int = 1
    facts: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, ModelTable] = field(default_factory=dict)


def write_model(path: Path, model: Model) -> None:
    """Write a model to a temporary file and move it into place; a kill leaves the old one.

    Numbers are written in the shortest form that reads back the same.
    """
    lines = [f"# clew model {model.name} {model.version}"]
    lines += (_line((key, value)) for key, value in model.facts.items())
    for name, table in model.tables.items():
        lines += (f"[{name}]", _line(table.columns))
        lines += _lines(table.rows)
    body = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    body += f"# end {len(lines)} lines {xxhash.xxh3_64_hexdigest(body)}\n".encode()
    write_atomically(path, body)


def read_model(path: Path, name: str, version: int) -> Model | None:
    """Read the model of that name, of this version or an older one; None if there is no such file.

    A file that is damaged, of another kind or from a newer clew is a `ConfigError` with its remedy.
    """
    try:
        data = path.read_bytes().replace(b"\r\n", b"\n")  # copied by a tool that changes line ends
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; give yourself access to it"
        raise ConfigError(msg) from None
    head = _HEAD.fullmatch(data.partition(b"\n")[0].decode("utf-8", "replace"))
    if not head:
        msg = f"{path} is not a model of clew; move it away, or delete it to learn again"
        raise ConfigError(msg)
    if head[1] != name:
        msg = f'{path} is a model of "{head[1]}", not of "{name}"; move it away, or delete it to learn again'
        raise ConfigError(msg)
    if int(head[2]) > version:
        msg = f"{path} was written by a newer clew; update, or delete the file to learn again"
        raise ConfigError(msg)
    facts, tables = _parse(path, _checked_lines(path, data))
    return Model(name=name, version=int(head[2]), facts=facts, tables=tables)


def model_name(path: Path) -> str:
    """Return which kind of model a file holds, empty if it is none or missing."""
    try:
        with path.open("rb") as file:
            first = file.readline(200).decode("utf-8", "replace").rstrip("\r\n")
    except OSError:
        return ""
    head = _HEAD.fullmatch(first)
    return head[1] if head else ""


def damaged_model(path: Path, why: str) -> ConfigError:
    """Return the error to raise for an invalid model."""
    return ConfigError(f"{path} is damaged ({why}); bring back a copy, or delete the file to learn again")


def _checked_lines(path: Path, data: bytes) -> list[str]:
    """Return the lines between head and end, after checking the end line."""
    end = data.rfind(b"\n# end ") + 1
    body, last = data[:end], data[end:]
    count = body.count(b"\n")
    if not end or last != f"# end {count} lines {xxhash.xxh3_64_hexdigest(body)}\n".encode():
        why = "its last lines are missing" if not last.startswith(b"# end ") else "it was changed"
        raise damaged_model(path, why)
    try:
        return body.decode("utf-8").split("\n")[1:-1]
    except UnicodeDecodeError:
        raise damaged_model(path, "it is not UTF-8") from None


def _parse(path: Path, lines: list[str]) -> tuple[dict[str, str], dict[str, ModelTable]]:
    facts: dict[str, str] = {}
    tables: dict[str, ModelTable] = {}
    rows: list[tuple[str, ...]] = []
    columns: tuple[str, ...] = ()
    at = 0
    while at < len(lines):
        line, cells = lines[at], _cells(lines[at])
        if line.startswith("[") and line.endswith("]") and at + 1 < len(lines):
            columns, rows = _cells(lines[at + 1]), []
            tables[line[1:-1]] = ModelTable(columns, rows)
            at += 1
        elif tables and len(cells) == len(columns):
            rows.append(cells)
        elif not tables and len(cells) == 2:  # noqa: PLR2004 - a key and its value
            facts[cells[0]] = cells[1]
        else:
            raise damaged_model(path, f"line {at + 2:,} makes no sense")
        at += 1
    return facts, tables


def _line(cells: Iterable[Cell]) -> str:
    line = "\t".join([_escape(str(cell)) for cell in cells])
    return f"\\{line}" if line.startswith(("[", "#")) else line


def _lines(rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the lines of many rows, as `_line` gives them; special characters are looked for once in all."""
    lines = ["\t".join(map(str, row)) for row in rows]
    text = "\n".join(["", *lines])
    tabs = sum(map(len, rows)) - len(rows)
    if "\\" in text or "\r" in text or "\n[" in text or "\n#" in text:
        return list(map(_line, rows))
    if text.count("\n") != len(rows) or text.count("\t") != max(0, tabs):
        return list(map(_line, rows))
    return lines


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: _ESCAPES[found[0]], text) if _SPECIAL.search(text) else text


def _cells(line: str) -> tuple[str, ...]:
    cells = line.split("\t")
    if "\\" in line:
        cells = [_ESCAPED.sub(lambda found: _PLAIN.get(found[1], found[0]), cell) for cell in cells]
    return tuple(cells)
