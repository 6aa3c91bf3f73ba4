"""Tables of example rows, as people and their programs write them."""

import time

import pytest

from clew.domain.records.example_table import (
    MAX_ROWS,
    build_table,
    is_weak,
    parse_table,
    parse_typed_table,
    read_table,
    write_table,
)
from clew.errors import ConfigError

BOOKS = "author,title\nC.J. Date,An Introduction to Database Systems\nD. Maier,The Theory of Relational Databases\n"
COLUMNS = ("author", "title")
FIRST = ("C.J. Date", "An Introduction to Database Systems")


@pytest.mark.parametrize(
    "data",
    [
        BOOKS.encode(),
        BOOKS.encode("utf-8-sig"),
        BOOKS.encode("utf-16"),
        BOOKS.encode("utf-16-le"),
        BOOKS.replace("\n", "\r\n").encode(),
        BOOKS.replace(",", "\t").encode(),
        BOOKS.replace(",", ";").encode(),
        b'{"author": "C.J. Date", "title": "An Introduction to Database Systems"}\n\n{"author": "D. Maier"}\n',
        b'[{"author": "C.J. Date", "title": "An Introduction to Database Systems"}]',
        b'"author", "title"\n\n"C.J.  Date", " An Introduction to\n Database Systems"\nD. Maier,x y z\n',
    ],
)
def test_every_common_form_is_read(data):
    table = parse_table(data, "books")
    assert table.columns == COLUMNS
    assert table.rows[0] == FIRST


@pytest.mark.parametrize(
    ("data", "cause", "cure"),
    [
        (b"", "empty", "write the names"),
        (b"title\nOne\nTwo\n", "one column ('title')", "two or more"),
        (b"author,title\n", "no rows", "two or more rows"),
        (b"author,title\nonly,\n", "single value (1)", "two or more rows"),
        (b"author,author\na1x,b1x\n", "two columns are called 'author'", "a name of its own"),
        (b"author,\na1x,b1x\n", "column 2 has no name", "first line"),
        (b"author,title\nDate, C.J.,Databases\n", "row 1: 3 cells", "quotation marks"),
        (b"Date,Databases\nMaier,Relations\nDate,Types\n", "seems to be a row ('Date'", "above it"),
        ("author,title\nJosé Gómez,Año\n".encode("cp1252"), "looks like Windows-1252 (cp1252)", "UTF-8"),
        ("著者,書名\n夏目漱石,吾輩は猫である\n".encode("shift_jis"), "Shift_JIS", "UTF-8"),
        (b"PK\x03\x04rest", "spreadsheet file", "save it as CSV"),
        (b"\x00\x01\x02\xd8\x00\xdc\x00", "not a text file", "CSV"),
        (b'{"author": \n', "not valid JSON", "one object a line"),
        (b'["a", "b"]', "object", "same names"),
        (b"author,title\n" + b"x" * 600 + b",b\n", "600 characters", "500 at most"),
        (
            ",".join(f"c{n}" for n in range(13)).encode() + b"\n" + b"v," * 12 + b"v",
            "13 columns",
            "keep the 12",
        ),
    ],
)
def test_what_cannot_be_used_is_named_with_its_cure(data, cause, cure):
    with pytest.raises(ConfigError) as caught:
        parse_table(data, "books.csv")
    message = str(caught.value)
    assert message.startswith("books.csv")
    assert cause in message
    assert cure in message
    assert len(message) < 3 * 110


def test_notes_name_what_was_left_out():
    table = parse_table(
        (BOOKS + "c.j.  date,An Introduction to Database Systems\nlone,\nthe,of a\n").encode(), "b"
    )
    assert len(table.rows) == 3
    notes = "\n".join(table.notes)
    assert "1 duplicate row; left out" in notes
    assert "1 row has a single value" in notes
    assert "'the' (author), 'of a' (title): such a value occurs on many pages" in notes
    assert "one row teaches little" in parse_table(b"author,title\nDate,Databases\n", "b").notes[0]


def test_hundred_thousand_rows_are_taken_and_more_are_not():
    began = time.process_time()
    rows = [(f"author {n}", f"title {n}") for n in range(MAX_ROWS)]
    assert len(build_table(COLUMNS, rows, "b").rows) == MAX_ROWS
    assert time.process_time() - began < 5
    with pytest.raises(ConfigError, match="more than 100,000 rows"):
        build_table(COLUMNS, [*rows, ("one", "more")], "b")


def test_a_table_that_was_written_reads_back_the_same(tmp_path):
    table = parse_typed_table(["author, title", 'Date, "Types, and ""more"""', "夏目漱石, 吾輩は猫である"])
    write_table(tmp_path / "records.csv", table)
    assert read_table(tmp_path / "records.csv") == table
    assert table.rows[0][1] == 'Types, and "more"'
    with pytest.raises(FileExistsError):
        write_table(tmp_path / "records.csv", table)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"missing.csv cannot be read: No such file.*; name a table"):
        read_table(tmp_path / "missing.csv")


def test_weak_values():
    assert [value for value in ("the", "a", "7", "42", "und", "IT", "Date", "京都", "京") if is_weak(value)] == [
        "the", "a", "7", "42", "und", "IT", "京",
    ]  # fmt: skip
