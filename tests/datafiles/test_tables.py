"""Files as rows: encodings, signs that part cells, spreadsheets, and files that mean harm."""

import gzip
import time
import tracemalloc
import zlib

import pytest

from clew.domain.datafiles import kind_of, look
from clew.domain.datafiles.archives import entries
from clew.domain.datafiles.delimited import MOST_COLUMNS, MOST_ROWS, decoded, delimiter_of
from clew.domain.datafiles.table import read_table
from tests.datafiles.file_kit import BYTES, FIGURES, PACKED, as_csv, as_ods, as_xlsx, zipped


def rows(body, kind=""):
    return read_table(body, kind or kind_of("", first=body).kind).rows


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx", "ods", "json"])
def test_every_readable_kind_gives_the_same_rows(kind):
    assert rows(BYTES[kind], kind) == FIGURES


@pytest.mark.parametrize("ending", PACKED)
def test_packed_tables_are_read(ending):
    assert rows(PACKED[ending], "csv") == FIGURES


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("streamed", [True, False])
def test_spreadsheets_however_they_were_written(shared, streamed):
    assert rows(as_xlsx(FIGURES, shared=shared, streamed=streamed), "xlsx") == FIGURES


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp932", "cp1252"]
)
def test_encodings(encoding):
    words = {"cp932": "人口", "cp1252": "Käse"}.get(encoding, "Käse 人口")
    table = [["Region", words], *(["Nord", str(100 + i)] for i in range(20))]
    assert rows(as_csv(table, encoding=encoding), "csv")[0] == ["Region", words]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end):
    assert rows(as_csv(FIGURES, end=end), "csv") == FIGURES


def test_semicolons_and_decimal_commas():
    table = [["Land", "2019", "2020"], *([f"Land {i}", f"1.234,{i % 10}", "5,5"] for i in range(20))]
    assert rows(as_csv(table, ";"), "csv") == table
    assert delimiter_of(as_csv(table, ";").decode()) == ";"


def test_quoted_line_ends_and_delimiters():
    body = b"name,note,value\n" + b'"Smith, J.","first line\nsecond line",3\n' * 10
    assert rows(body, "csv")[1] == ["Smith, J.", "first line\nsecond line", "3"]


def test_titles_above_and_notes_below():
    body = b"Births by region\nUnit: persons\n\n" + as_csv(FIGURES) + b"Source: office\n"
    assert rows(body, "csv")[0] == ["Births by region"]
    assert FIGURES[3] in rows(body, "csv")


def test_a_word_to_excel_is_no_row():
    assert rows(b"sep=;\na;b\n1;2\n3;4\n", "csv")[0] == ["a", "b"]


def test_the_last_row_of_a_piece_is_left_out():
    body = as_csv(FIGURES)
    assert read_table(body[:-8], "csv", cut=True).rows == FIGURES[:-1]


def test_an_html_table_made_for_spreadsheets():
    body = b'<html xmlns:x="urn:schemas-microsoft-com:office:excel"><table><tr><th>Year<th>Births</tr><tr><td>2001</td><td>7 &amp; 8</td></tr></table>'
    assert rows(body, "xls") == [["Year", "Births"], ["2001", "7 & 8"]]


def test_a_spreadsheet_cut_short_still_has_rows():
    table = [
        ["Region", "Value"],
        *([f"Region {i * 7919 % 1000}", str(i * 7907 % 10007)] for i in range(3_000)),
    ]
    whole = as_xlsx(table, shared=False)
    some = rows(whole[: len(whole) // 2], "xlsx")
    assert 100 < len(some) <= MOST_ROWS
    assert some[1] == table[1]
    late = as_xlsx(FIGURES).replace(b"sharedStrings", b"sharedstrings")  # as if its words had been cut off
    assert rows(late, "xlsx")[1] == ["…", "100.5", "110.5", "120.5"]


def test_json_in_other_shapes():
    lines = b'{"year": 2001, "births": 7}\n{"year": 2002, "births": null}\n'
    assert rows(lines, "json") == [["year", "births"], ["2001", "7"], ["2002", ""]]
    wrapped = b'{"meta": 1, "data": [{"a": 1, "b": "x"}, {"a": 2, "b": ["y"]}'
    assert rows(wrapped, "json") == [["a", "b"], ["1", "x"], ["2", '["y"]']]
    assert read_table(b'{"openapi": "3.0", "paths": {}}', "json") is None


# ---- files that mean harm ----------------------------------------------------------------------


def bounded(body, kind, *, seconds=3.0):
    """Look at a file within limits of time."""
    began = time.process_time()
    found = look(body, url=f"http://a.org/x.{kind}")
    assert time.process_time() - began < seconds
    return found


def test_the_memory_a_bomb_takes():
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 5_000_000, 1)
    tracemalloc.start()
    look(bomb, url="http://a.org/x.csv.gz")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 << 20


def test_zip_bombs():
    bomb = zipped({"xl/worksheets/sheet1.xml": b"<row><c><v>1</v></c></row>" * 500_000})
    assert bounded(bomb, "xlsx", seconds=5).kind == "xlsx"
    flat = zipped({f"t{i}.csv": b"a,b\n" + b"1,2\n" * 500_000 for i in range(6)})
    assert bounded(flat, "zip", seconds=5).kind == "csv"
    assert sum(len(inside) for _, inside in entries(flat, each=1 << 30)) <= 8 << 20


def test_gzip_bombs_and_files_in_files():
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 2_000_000, 1)
    assert bounded(bomb, "csv").kind == "csv"
    nested = as_csv(FIGURES)
    for _ in range(5):
        nested = gzip.compress(nested)
    assert kind_of("http://a.org/x.csv", first=nested).kind in ("", "csv")
    inner = zipped({"b.zip": zipped({"a.csv": "a,b\n1,2\n"}).decode("latin-1")})
    assert bounded(inner, "zip").kind == "zip"


def test_a_million_columns_and_endless_cells():
    wide = b",".join(b"%d" % i for i in range(1_000_000)) + b"\n"
    assert bounded(wide * 2, "csv", seconds=5).columns <= MOST_COLUMNS
    bounded(b'a,b\n"' + b"x" * 5_000_000, "csv")
    bounded(b'"' * 500_000, "csv")
    bounded(b"/" * 200_000 + b"\n" + b"a.b/" * 50_000, "csv")


def test_sheets_that_claim_to_be_endless():
    found = bounded(as_ods(FIGURES), "ods")
    assert found.rows == len(FIGURES)
    everywhere = '<table:table-row table:number-rows-repeated="999999999"><table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="999999999"/></table:table-row>'
    body = zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": f"<table:table >{everywhere}",
        },
        plain="mimetype",
    )
    assert bounded(body, "ods", seconds=8).rows <= MOST_ROWS
    far = as_xlsx([["1", "2"], ["3", "4"]]).replace(b"", b"")
    assert bounded(far, "xlsx").rows == 2


def test_broken_archives():
    whole = as_xlsx(FIGURES)
    for at in range(0, len(whole), 37):
        look(whole[:at], url="http://a.org/x.xlsx")
        look(whole[:at] + b"\xff" * 20 + whole[at + 20 :], url="http://a.org/x.xlsx")
    assert list(entries(b"PK\x03\x04")) == []
    packed = zlib.compress(b"x" * 1000)
    assert list(entries(b"PK\x03\x04" + packed)) is not None


def test_bytes_that_are_no_text():
    assert decoded(bytes(range(256)) * 20) == ("", "")
    assert look(bytes(range(256)) * 20, url="http://a.org/x.csv") is None
    assert look(b"", url="http://a.org/x.csv") is None


def test_markup_in_cells_is_only_text():
    body = as_xlsx([["a", "b"], ["&lt;b&gt; &amp;amp;", "2"]], shared=False)
    assert rows(body, "xlsx")[1] == ["<b> &amp;", "2"]
    laughs = (
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
        + "<row><c t='inlineStr'><is><t>&b;</t></is></c></row>" * 3
    )
    assert look(zipped({"xl/worksheets/sheet1.xml": laughs}), url="http://a.org/x.xlsx").kind == "xlsx"
