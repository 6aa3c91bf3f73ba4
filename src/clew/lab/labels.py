"""Tables beside a world's pages: labels, sites and records, and the rules that select relevant pages."""

import csv
import operator
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

from clew.errors import ConfigError

Row: TypeAlias = dict[str, str]

_CONDITION = re.compile(r"\s*([A-Za-z_]\w*)\s*(>=|<=|!=|==|=|>|<)\s*(\S.*?)\s*")
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "==": operator.eq, "!=": operator.ne,
    ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le,
}  # fmt: skip


def read_rows(path: Path) -> list[Row]:
    """Read a table with tabs between cells; one without a header has a URL and labels in each line.

    The labels of such a line are in the column `labels`, with commas between them.
    """
    if not path.exists():
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path} cannot be read: {error}; write it as UTF-8 text with tabs between the cells"
        raise ConfigError(msg) from None
    rows = [row for row in rows if row]
    if not rows:
        return []
    names = ["url", "labels"] if "://" in rows[0][0] else rows.pop(0)
    return [dict(zip(names, row, strict=False)) for row in rows]


def labelled(rows: Iterable[Row], wanted: Iterable[str]) -> list[str]:
    """Return the URLs that have one of the wanted labels."""
    wanted = set(wanted)
    return [
        row["url"]
        for row in rows
        if "url" in row and not wanted.isdisjoint((row.get("labels") or row.get("label") or "").split(","))
    ]


def by_rule(rows: list[Row], rule: str, where: str) -> list[str]:
    """Return the URLs for which a rule holds, such as `kind=html and address=1`.

    >>> rows = [{"url": "http://a.de/", "kind": "html", "hits": "5"}, {"url": "http://b.de/", "hits": "12"}]
    >>> by_rule(rows, "hits >= 5 and kind = html", "tasks.json")
    ['http://a.de/']
    >>> by_rule(rows, "hits > 10", "tasks.json")
    ['http://b.de/']
    """
    conditions = []
    for part in re.split(r"\s+and\s+", rule.strip()):
        read = _CONDITION.fullmatch(part)
        if not read:
            msg = f'{where}: the rule "{rule}" cannot be read; write it like: kind=html and hits>=5'
            raise ConfigError(msg)
        name, sign, value = read.groups()
        if rows and not any(name in row for row in rows):
            msg = f'{where}: the rule "{rule}" asks for a column {name}; there are {", ".join(rows[0])}'
            raise ConfigError(msg)
        conditions.append((name, _OPERATORS[sign], value))
    return [
        row["url"] for row in rows
        if all(_holds(row.get(name, ""), compare, value) for name, compare, value in conditions)
    ]  # fmt: skip


def _holds(cell: str, compare: Callable[[Any, Any], bool], value: str) -> bool:
    try:
        return compare(float(cell), float(value))
    except ValueError:
        return compare(cell, value)
