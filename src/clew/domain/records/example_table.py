"""Read the user's table of example rows from CSV, TSV or JSON lines, as any program may have saved it."""

import codecs
import csv
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.domain.records.values import LONGEST, row_key
from clew.domain.text import STOP_WORDS, folded, printable, words
from clew.errors import ConfigError

EXAMPLES_FILE = "records.csv"
"""Name of the table in the folder of a crawl."""

MAX_ROWS = 100_000
"""Maximum number of rows of a table: all of them are searched for on every page."""

MAX_COLUMNS = 12
MAX_BYTES = 64 << 20
_MIN_VALUES = 2
"""Minimum number of values of a row: one alone does not show which values belong together."""

_MAX_NAMED = 3
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_LEGACY_ENCODINGS = (("shift_jis", "Shift_JIS"), ("cp1252", "Windows-1252 (cp1252)"))
_DELIMITERS = "\t,;|"
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class ExampleTable:
    """Example rows with the names of their columns; `notes` are remarks for the user."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def read_table(path: Path) -> ExampleTable:
    """Read a table from a file; raise a ConfigError with cause and cure where it cannot be used."""
    try:
        if path.stat().st_size > MAX_BYTES:
            msg = f"{path} is larger than {MAX_BYTES >> 20} MiB; a few rows are enough, keep some of them"
            raise ConfigError(msg)
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; name a table with a few rows (.csv, .tsv, .jsonl)"
        raise ConfigError(msg) from None
    return parse_table(data, str(path))


def parse_table(data: bytes, name: str) -> ExampleTable:
    """Parse a table; `name` is used in error messages."""
    text = _decode(data, name)
    if text.lstrip()[:1] in ("{", "["):
        columns, rows = _from_json(text, name)
    else:
        columns, rows = _from_delimited(text, name)
    return build_table(columns, rows, name)


def parse_typed_table(lines: Sequence[str]) -> ExampleTable:
    """Parse lines that the user typed: the names of the columns, then the rows.

    >>> parse_typed_table(["author, title", "C.J. Date, An Introduction to Database Systems"]).columns
    ('author', 'title')
    """
    return parse_table("\n".join(lines).encode(), "what you typed")


def build_table(columns: Sequence[str], rows: Iterable[Sequence[str]], name: str) -> ExampleTable:
    """Check names and rows, drop unusable rows, and note what was dropped."""
    names = tuple(_clean_cell(column) for column in columns)
    _check_names(names, name)
    unique: dict[tuple[str, ...], tuple[str, ...]] = {}
    single_valued = duplicates = 0
    for number, row in enumerate(rows, 1):
        values = tuple(map(_clean_cell, row))
        if not any(values):
            continue
        _check_row(values, names, number, name)
        key = row_key(values)
        if sum(map(bool, values)) < _MIN_VALUES:
            single_valued += 1
        elif key in unique:
            duplicates += 1
        else:
            unique[key] = values
        if len(unique) > MAX_ROWS:
            msg = f"{name} has more than {MAX_ROWS:,} rows; a few are enough, keep some of them"
            raise ConfigError(msg)
    unique_rows = tuple(unique.values())
    if not unique_rows:
        what = (
            f"only rows with a single value ({single_valued:,})"
            if single_valued
            else "no rows below the names of its columns"
        )
        msg = f"{name} holds {what}; write two or more rows like those you want"
        raise ConfigError(msg)
    _check_header(names, unique_rows, name)
    return ExampleTable(names, unique_rows, tuple(_notes(names, unique_rows, single_valued, duplicates)))


def write_table(path: Path, table: ExampleTable) -> None:
    """Write a table as CSV in UTF-8; never overwrite a file."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([table.columns, *table.rows])
    with path.open("x", encoding="utf-8", newline="") as file:
        file.write(text.getvalue())


# ---- from bytes to cells -----------------------------------------------------------------------


def _decode(data: bytes, name: str) -> str:
    encoding = next((known for mark, known in _BOMS.items() if data.startswith(mark)), "utf-8")
    if encoding == "utf-8" and b"\0" in data[:200]:  # UTF-16 without a byte order mark, or no text at all
        encoding = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    if data[:2] == b"PK":
        msg = f"{name} is a spreadsheet file, not a text; save it as CSV (UTF-8) in your spreadsheet program"
        raise ConfigError(msg)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if "16" in encoding:
            msg = f"{name} is not a text file; save the table as CSV in UTF-8"
        else:
            msg = (
                f"{name} is not UTF-8 (byte {error.start + 1:,}){_guess_encoding(data)}; save it as "
                "CSV in UTF-8"
            )
        raise ConfigError(msg) from None
    if not text.strip():
        msg = f"{name} is empty; write the names of the columns, and below them two or more rows"
        raise ConfigError(msg)
    return text


def _guess_encoding(data: bytes) -> str:
    """Name the legacy encoding that bytes look like, with a sample of the decoded text."""
    for codec, encoding_name in _LEGACY_ENCODINGS:
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        if codec == "shift_jis" and len(_CJK.findall(text)) < sum(map(str.isalpha, text)) / 4:
            continue
        line = next((line for line in text.splitlines() if not line.isascii()), "")
        return f", it looks like {encoding_name}: {printable(line, 24)!r}"
    return ""


def _from_json(text: str, name: str) -> tuple[list[str], list[list[str]]]:
    """Read JSON lines, or one list of objects; the columns are the keys of all rows."""
    try:
        found = json.loads(text) if text.lstrip()[0] == "[" else [json.loads(line) for line in _lines(text)]
    except json.JSONDecodeError as error:
        msg = f'{name} is not valid JSON ({error.msg}); write one object a line: {{"author": "…"}}'
        raise ConfigError(msg) from None
    if not all(isinstance(row, dict) for row in found):
        msg = f'{name}: each row is an object with the same names: {{"author": "…", "title": "…"}}'
        raise ConfigError(msg)
    columns = list(dict.fromkeys(key for row in found for key in row))
    return columns, [[_cell_text(row.get(key)) for key in columns] for row in found]


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _cell_text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _from_delimited(text: str, name: str) -> tuple[list[str], list[list[str]]]:
    delimiter = _delimiter(text)
    csv.field_size_limit(max(csv.field_size_limit(), MAX_BYTES))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        found = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        msg = f"{name}, line {reader.line_num}: {error}; save the table again as CSV in UTF-8"
        raise ConfigError(msg) from None
    return found[0], found[1:]


def _delimiter(text: str) -> str:
    r"""Return the delimiter that gives the first lines the same number of cells, above one.

    >>> _delimiter("author;title\nDate, C.J.;Databases\nMaier, D.;Relations")
    ';'
    """
    head = "\n".join(_lines(text[:20_000])[:50])
    best, agreed = ",", 0.0
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(head), delimiter=delimiter) if row]
        except csv.Error:
            continue
        if widths and widths[0] > 1:
            share = Counter(widths)[widths[0]] / len(widths)
            if share > agreed:
                best, agreed = delimiter, share
    return best


# ---- validation --------------------------------------------------------------------------------


def _clean_cell(cell: str) -> str:
    return " ".join(unicodedata.normalize("NFC", cell).replace("\0", " ").split())


def _check_names(names: Sequence[str], name: str) -> None:
    if len(names) < _MIN_VALUES:
        only = f" ({printable(names[0], 40)!r})" if names else ""
        msg = (
            f"{name} has one column{only}; rows need two or more, separated by commas or tabs: values are "
            "found by the values next to them"
        )
        raise ConfigError(msg)
    if len(names) > MAX_COLUMNS:
        msg = f"{name} has {len(names)} columns; keep the {MAX_COLUMNS} that matter most, or fewer"
        raise ConfigError(msg)
    if "" in names:
        number = names.index("") + 1
        msg = f"{name}: column {number} has no name; write the names of the columns in the first line"
        raise ConfigError(msg)
    repeated = [column for column, count in Counter(map(folded, names)).items() if count > 1]
    if repeated:
        msg = f"{name}: two columns are called {printable(repeated[0], 40)!r}; give each a name of its own"
        raise ConfigError(msg)


def _check_row(values: Sequence[str], names: Sequence[str], number: int, name: str) -> None:
    if len(values) != len(names):
        msg = (
            f"{name}, row {number}: {len(values)} cells, where the first line names {len(names)} columns; "
            'a value with a comma needs quotation marks: "Date, C.J."'
        )
        raise ConfigError(msg)
    long = next((value for value in values if len(value) > LONGEST), None)
    if long is not None:
        msg = f"{name}, row {number}: {printable(long, 30)!r} has {len(long):,} characters; {LONGEST} at most"
        raise ConfigError(msg)


def _check_header(names: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> None:
    """Raise for a first line that is most likely a row: one of its values occurs again in the same column."""
    for index, name_at in enumerate(names):
        if any(folded(row[index]) == folded(name_at) for row in rows):
            msg = (
                f"{name}: the first line seems to be a row ({printable(name_at, 40)!r} occurs below it too); "
                "write the names of the columns above it, such as: author,title"
            )
            raise ConfigError(msg)


def _notes(
    names: Sequence[str], rows: Sequence[Sequence[str]], single_valued: int, duplicates: int
) -> Iterable[str]:
    if duplicates:
        yield f"{duplicates:,} duplicate row{'s' * (duplicates > 1)}; left out"
    if single_valued:
        yield (
            f"{single_valued:,} row{'s have' if single_valued > 1 else ' has'} a single value, which "
            "is not enough; left out"
        )
    if len(rows) == 1:
        yield "one row teaches little: a pattern needs two of them; five are better"
    if any(len(column) > LONGEST // 10 or any(map(str.isdigit, column)) for column in names):
        first = ", ".join(printable(column, 30) for column in names)
        yield f"the columns are called {first}; if that is a row, write names above it"
    weak_values = [
        (value, names[column]) for row in rows[:1000] for column, value in enumerate(row) if is_weak(value)
    ]
    if weak_values:
        listed = ", ".join(
            f"{printable(value, 20)!r} ({printable(column, 20)})"
            for value, column in weak_values[:_MAX_NAMED]
        )
        more = f" and {len(weak_values) - _MAX_NAMED:,} more" if len(weak_values) > _MAX_NAMED else ""
        yield (
            f"{listed}{more}: such a value occurs on many pages and identifies none; the rest of its row must"
        )


def is_weak(value: str) -> bool:
    """Return whether a value occurs on every second page, and so identifies none: the, a1, 7.

    >>> is_weak("the"), is_weak("of the"), is_weak("Date"), is_weak("東京")
    (True, True, False, False)
    """
    if not value:
        return False
    short = 1 if _CJK.search(value) else 2
    return len(value) <= short or all(word in STOP_WORDS for word in words(value))
