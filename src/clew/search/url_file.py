"""A file of URLs in place of an engine: one a line, or a column of a table."""

import csv
import json
from pathlib import Path

from clew.contracts import SearchAnswer, SearchQuery
from clew.errors import ConfigError
from clew.search.dialect import RawResult
from clew.search.http_engine import ResultCollector

_SAMPLE_ROWS = 50  # rows in which the column of URLs is searched


class FileEngine:
    """Answer every query with the URLs of a file, in its order.

    `column` names the column of a table (.csv, .tsv, .jsonl) that holds them; empty for the first that does.
    """

    def __init__(self, name: str, path: Path, column: str = "") -> None:
        self.name = name
        self.path = path
        self.column = column
        self._rows: list[RawResult] | None = None

    def read(self) -> "FileEngine":
        """Read the file now, so that errors are raised at once."""
        self._rows = _read_rows(self.path, self.column)
        return self

    async def search(self, query: SearchQuery | str, count: int, lang: str = "") -> SearchAnswer:  # noqa: ARG002
        """Return the first `count` URLs, whatever the query."""
        rows = self._rows if self._rows is not None else _read_rows(self.path, self.column)
        collector = ResultCollector(count)
        collector.add(rows)
        return SearchAnswer(results=tuple(collector.results), total=len(rows), notes=collector.notes())

    async def aclose(self) -> None:
        """Do nothing: there is nothing to close."""


def _read_rows(path: Path, column: str) -> list[RawResult]:
    """Return the URLs of a file with their titles, if it has any."""
    try:
        text = path.read_text("utf-8-sig", errors="replace")
    except OSError as error:
        msg = f"file={path} cannot be read: {error.strerror}; correct its name in seek.search"
        raise ConfigError(msg) from None
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    suffix = path.suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        found = _parse_json_lines(path, lines, column)
    elif column or suffix in (".csv", ".tsv"):
        found = _parse_table(
            path, lines, column, "\t" if suffix == ".tsv" or "\t" in (lines or [""])[0] else ","
        )
    else:
        found = [RawResult(line.strip()) for line in lines]
    if not any("://" in row.url for row in found):
        msg = (
            f"file={path} contains no URLs; write one https://… per line, or name the column: file={path}#url"
        )
        raise ConfigError(msg)
    return found


def _parse_table(path: Path, lines: list[str], column: str, delimiter: str) -> list[RawResult]:
    csv.field_size_limit(1_000_000)
    try:
        table = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error as error:
        msg = f"file={path} is not a table: {error}; save it as CSV, or with one URL per line"
        raise ConfigError(msg) from None
    head = [cell.strip().lower() for cell in table[0]] if table else []
    if column and column.lower() not in head:
        msg = f"file={path} has no column {column}; it has {', '.join(head[:8])}"
        raise ConfigError(msg)
    width = max(map(len, table), default=0)
    at = (
        head.index(column.lower())
        if column
        else next((i for i in range(width) if _contains_urls(table, i)), 0)
    )
    title = head.index("title") if "title" in head else -1
    return [
        RawResult(row[at].strip(), row[title].strip()[:300] if 0 <= title < len(row) else "")
        for row in table
        if at < len(row) and "://" in row[at]
    ]


def _contains_urls(table: list[list[str]], column: int) -> bool:
    """Return whether a column contains URLs, by its first rows."""
    return any(column < len(row) and "://" in row[column] for row in table[:_SAMPLE_ROWS])


def _parse_json_lines(path: Path, lines: list[str], column: str) -> list[RawResult]:
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            msg = f"file={path}, line {number} is not JSON; write one object a line"
            raise ConfigError(msg) from None
        url = value.get(column or "url") if isinstance(value, dict) else None
        if isinstance(url, str):
            rows.append(RawResult(url, str(value.get("title") or "")[:300]))
    return rows
