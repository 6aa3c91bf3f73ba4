"""A person's table of example rows: read from CSV, TSV or JSON lines, as any program may have saved it."""

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

from clew.domain.records.values import LONGEST, identity
from clew.domain.text import STOP_WORDS, folded, shown, words
from clew.errors import ConfigError

FILE = "records.csv"
"""The table in the folder of a crawl."""

MOST_ROWS = 100_000
"""Rows of a table, at most: all of them are looked for on every page."""

MOST_COLUMNS = 12
MOST_BYTES = 64 << 20
_FEW = 2
"""Values that a row must have: one alone says nothing about what belongs together."""

_NAMED = 3
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_OLD = (("shift_jis", "Shift_JIS"), ("cp1252", "Windows-1252 (cp1252)"))
_DELIMITERS = "\t,;|"
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class ExampleTable:
    """Example rows under the names of their columns; `notes` tell what a person should know about them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def read_table(path: Path) -> ExampleTable:
    """Read a table from a file; what cannot be used is an error that names the cause and the cure."""
    try:
        if path.stat().st_size > MOST_BYTES:
            msg = f"{path} is larger than {MOST_BYTES >> 20} MiB; a few rows are enough, keep some of them"
            raise ConfigError(msg)
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; name a table with a few rows (.csv, .tsv, .jsonl)"
        raise ConfigError(msg) from None
    return parse_table(data, str(path))


def parse_table(data: bytes, name: str) -> ExampleTable:
    """Make a table of bytes; `name` is how the person calls them."""
    text = _decoded(data, name)
    if text.lstrip()[:1] in ("{", "["):
        columns, rows = _from_json(text, name)
    else:
        columns, rows = _from_cells(text, name)
    return made_table(columns, rows, name)


def typed_table(lines: Sequence[str]) -> ExampleTable:
    """Make a table of lines that a person typed: the names of the columns, then the rows.

    >>> typed_table(["author, title", "C.J. Date, An Introduction to Database Systems"]).columns
    ('author', 'title')
    """
    return parse_table("\n".join(lines).encode(), "what you typed")


def made_table(columns: Sequence[str], rows: Iterable[Sequence[str]], name: str) -> ExampleTable:
    """Check names and rows, leave out what tells nothing, and say what was left out."""
    names = tuple(_tidy(column) for column in columns)
    _check_names(names, name)
    kept: dict[tuple[str, ...], tuple[str, ...]] = {}
    bare = twice = 0
    for number, row in enumerate(rows, 1):
        values = tuple(map(_tidy, row))
        if not any(values):
            continue
        _check_row(values, names, number, name)
        key = identity(values)
        if sum(map(bool, values)) < _FEW:
            bare += 1
        elif key in kept:
            twice += 1
        else:
            kept[key] = values
        if len(kept) > MOST_ROWS:
            msg = f"{name} has more than {MOST_ROWS:,} rows; a few are enough, keep some of them"
            raise ConfigError(msg)
    made = tuple(kept.values())
    if not made:
        what = (
            f"only rows with a single value ({bare:,})" if bare else "no rows below the names of its columns"
        )
        msg = f"{name} holds {what}; write two or more rows like those you want"
        raise ConfigError(msg)
    _check_header(names, made, name)
    return ExampleTable(names, made, tuple(_notes(names, made, bare, twice)))


def write_table(path: Path, table: ExampleTable) -> None:
    """Write a table as CSV in UTF-8; an existing file stays."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([table.columns, *table.rows])
    with path.open("x", encoding="utf-8", newline="") as file:
        file.write(text.getvalue())


# ---- from bytes to cells -----------------------------------------------------------------------


def _decoded(data: bytes, name: str) -> str:
    encoding = next((known for mark, known in _MARKS.items() if data.startswith(mark)), "utf-8")
    if encoding == "utf-8" and b"\0" in data[:200]:  # UTF-16 without its mark, or no text at all
        encoding = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    if data[:2] == b"PK":
        msg = f"{name} is a spreadsheet file, not a text; save it as CSV (UTF-8) in your spreadsheet program"
        raise ConfigError(msg)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if "16" in encoding:
            msg = f"{name} is no text file; save the table as CSV in UTF-8"
        else:
            msg = f"{name} is not UTF-8 (byte {error.start + 1:,}){_old(data)}; save it as CSV in UTF-8"
        raise ConfigError(msg) from None
    if not text.strip():
        msg = f"{name} is empty; write the names of the columns, and below them two or more rows"
        raise ConfigError(msg)
    return text


def _old(data: bytes) -> str:
    """Say which old encoding bytes look like, with a piece as it would read then."""
    for codec, called in _OLD:
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        if codec == "shift_jis" and len(_CJK.findall(text)) < sum(map(str.isalpha, text)) / 4:
            continue
        line = next((line for line in text.splitlines() if not line.isascii()), "")
        return f", it looks like {called}: {shown(line, 24)!r}"
    return ""


def _from_json(text: str, name: str) -> tuple[list[str], list[list[str]]]:
    """Read JSON lines, or one list of objects; the names are all that any row has."""
    try:
        found = json.loads(text) if text.lstrip()[0] == "[" else [json.loads(line) for line in _lines(text)]
    except json.JSONDecodeError as error:
        msg = f'{name} is no JSON ({error.msg}); write one object a line: {{"author": "…", "title": "…"}}'
        raise ConfigError(msg) from None
    if not all(isinstance(row, dict) for row in found):
        msg = f'{name}: each row is an object with the same names: {{"author": "…", "title": "…"}}'
        raise ConfigError(msg)
    columns = list(dict.fromkeys(key for row in found for key in row))
    return columns, [[_plain(row.get(key)) for key in columns] for row in found]


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _plain(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _from_cells(text: str, name: str) -> tuple[list[str], list[list[str]]]:
    delimiter = _delimiter(text)
    csv.field_size_limit(max(csv.field_size_limit(), MOST_BYTES))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        found = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        msg = f"{name}, line {reader.line_num}: {error}; save the table again as CSV in UTF-8"
        raise ConfigError(msg) from None
    return found[0], found[1:]


def _delimiter(text: str) -> str:
    r"""Return what parts the cells: the sign that gives the first lines the same number of cells, above one.

    >>> _delimiter("author;title\nDate, C.J.;Databases\nMaier, D.;Relations")
    ';'
    """
    head = "\n".join(_lines(text[:20_000])[:50])
    best, agreed = ",", 0.0
    for sign in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(head), delimiter=sign) if row]
        except csv.Error:
            continue
        if widths and widths[0] > 1:
            share = Counter(widths)[widths[0]] / len(widths)
            if share > agreed:
                best, agreed = sign, share
    return best


# ---- what may stand in it ----------------------------------------------------------------------


def _tidy(cell: str) -> str:
    return " ".join(unicodedata.normalize("NFC", cell).replace("\0", " ").split())


def _check_names(names: Sequence[str], name: str) -> None:
    if len(names) < _FEW:
        only = f" ({shown(names[0], 40)!r})" if names else ""
        msg = (
            f"{name} has one column{only}; rows need two or more, parted by commas or tabs: what stands "
            "together on a page is found by its neighbours"
        )
        raise ConfigError(msg)
    if len(names) > MOST_COLUMNS:
        msg = f"{name} has {len(names)} columns; keep the {MOST_COLUMNS} that matter most, or fewer"
        raise ConfigError(msg)
    if "" in names:
        place = names.index("") + 1
        msg = f"{name}: column {place} has no name; write the names of the columns in the first line"
        raise ConfigError(msg)
    twice = [each for each, count in Counter(map(folded, names)).items() if count > 1]
    if twice:
        msg = f"{name}: two columns are called {shown(twice[0], 40)!r}; give each a name of its own"
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
        msg = f"{name}, row {number}: {shown(long, 30)!r} has {len(long):,} characters; {LONGEST} at most"
        raise ConfigError(msg)


def _check_header(names: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> None:
    """Raise for a first line that is most likely a row: a value of it comes again below in its column."""
    for place, column in enumerate(names):
        if any(folded(row[place]) == folded(column) for row in rows):
            msg = (
                f"{name}: the first line seems to be a row ({shown(column, 40)!r} stands below it too); "
                "write the names of the columns above it, such as: author,title"
            )
            raise ConfigError(msg)


def _notes(names: Sequence[str], rows: Sequence[Sequence[str]], bare: int, twice: int) -> Iterable[str]:
    if twice:
        yield f"{twice:,} row{'s stand' if twice > 1 else ' stands'} in the table twice; one is enough"
    if bare:
        yield f"{bare:,} row{'s have' if bare > 1 else ' has'} a single value, which tells nothing; left out"
    if len(rows) == 1:
        yield "one row teaches little: a pattern shows where two of them stand; five are better"
    if any(len(column) > LONGEST // 10 or any(map(str.isdigit, column)) for column in names):
        first = ", ".join(shown(column, 30) for column in names)
        yield f"the columns are called {first}; if that is a row, write names above it"
    weak = [(value, names[place]) for row in rows[:1000] for place, value in enumerate(row) if is_weak(value)]
    if weak:
        named = ", ".join(f"{shown(value, 20)!r} ({shown(of, 20)})" for value, of in weak[:_NAMED])
        more = f" and {len(weak) - _NAMED:,} more" if len(weak) > _NAMED else ""
        yield f"{named}{more}: such a value stands on many pages and tells little; the rest of its row must"


def is_weak(value: str) -> bool:
    """Tell a value that stands on every second page, and says nothing about any: the, a1, 7.

    >>> is_weak("the"), is_weak("of the"), is_weak("Date"), is_weak("東京")
    (True, True, False, False)
    """
    if not value:
        return False
    short = 1 if _CJK.search(value) else 2
    return len(value) <= short or all(word in STOP_WORDS for word in words(value))
