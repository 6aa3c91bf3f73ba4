"""Which links lead to data files: by address, type attribute, words, and first bytes."""

import time

import pytest

from clew.domain.datafiles import NOTHING, STRICT, kind_of, named_in
from tests.datafiles.file_kit import BYTES, OLD_EXCEL, OLD_STATA, PACKED, zipped

FILES = {
    "http://a.org/table.csv": "csv",
    "http://a.org/TABLE.CSV": "csv",
    "http://a.org/table.csv?v=2": "csv",
    "http://a.org/table.csv.gz": "csv",
    "http://a.org/table.csv.zip": "csv",
    "http://a.org/a%20b.xlsx": "xlsx",
    "http://a.org/book.xlsm": "xlsx",
    "http://a.org/old.xls": "xls",
    "http://a.org/sheet.ods": "ods",
    "http://a.org/survey.dta": "dta",
    "http://a.org/survey.sav": "sav",
    "http://a.org/survey.por": "sav",
    "http://a.org/x.rds": "rds",
    "http://a.org/x.RData": "rds",
    "http://a.org/x.sas7bdat": "sas",
    "http://a.org/x.parquet": "parquet",
    "http://a.org/x.feather": "arrow",
    "http://a.org/table.px": "px",
    "http://a.org/t.tsv": "tsv",
    "http://a.org/t.tab": "tsv",
    "http://a.org/get?format=csv": "csv",
    "http://a.org/get?id=3&outputFormat=XLSX": "xlsx",
    "http://a.org/get?file=reports/births.xls": "xls",
    "http://a.org/get?name=births.ods&x=1": "ods",
    "http://a.org/get?type=text/csv": "csv",
    "http://a.org/data/12/export?csv": "csv",
    "http://a.org/api/table/12/csv": "csv",
    "http://a.org/download/xlsx": "xlsx",
    "http://a.org/rest/sdmx/2.1/data/nama_10_gdp": "sdmx",
    "https://github.com/a/b/raw/main/x.csv": "csv",
    "https://raw.githubusercontent.com/a/b/main/x.csv": "csv",
    "https://github.com/a/b/blob/main/x.csv?raw=true": "csv",
}
PAGES = [
    "http://a.org/",
    "http://a.org/csv",
    "http://a.org/table.csv.html",
    "http://a.org/what-is-csv.html",
    "http://a.org/table.csv/",
    "http://a.org/blog/excel",
    "http://a.org/.csv/index.php",
    "http://a.org/page?sort=csv_name",
    "http://a.org/view?format=html",
    "https://github.com/a/b/blob/main/x.csv",
    "https://gitlab.com/a/b/-/blob/main/x.csv",
    "https://en.wikipedia.org/wiki/Comma.csv",
    "https://commons.wikimedia.org/wiki/File:Births.csv",
    "http://a.org/a.php?q=",
    "http://csv.org",
]


@pytest.mark.parametrize(("url", "kind"), FILES.items())
def test_addresses_of_files(url, kind):
    sign = kind_of(url)
    assert sign.kind == kind
    assert sign.chance > 0.6
    assert sign.why


@pytest.mark.parametrize("url", PAGES)
def test_addresses_of_pages(url):
    # a directory named like a file may be one: "table.csv/" is canonical for some servers
    assert kind_of(url).chance <= (0.95 if url.endswith(".csv/") else 0)


@pytest.mark.parametrize(
    ("url", "most"),
    [
        ("http://a.org/wp-json/wp/v2/posts.json", 0.02),
        ("http://a.org/manifest.json", 0.02),
        ("http://a.org/api/users.json", 0.02),
        ("http://a.org/sitemap.xml", 0.02),
        ("http://a.org/feed.xml", 0.02),
        ("http://a.org/tool-1.2-win64.zip", 0.05),
        ("https://github.com/a/b/archive/refs/heads/master.zip", 0.05),
        ("http://a.org/some.json", 0.3),
        ("http://a.org/robots.txt", 0.1),
        ("http://a.org/paper.pdf", 0.0),
    ],
)
def test_false_friends(url, most):
    assert kind_of(url).chance <= most


def test_vague_kinds_need_a_word_that_speaks_for_them():
    assert kind_of("http://a.org/x.zip").chance < 0.3
    assert kind_of("http://a.org/x.zip", anchor="Census microdata 2011").chance > 0.5
    assert kind_of("http://a.org/statistik/daten.zip").chance > 0.5
    assert kind_of("http://a.org/x.zip", anchor="All tables (CSV, 3 MB)").kind == "csv"
    assert kind_of("http://a.org/x.zip", anchor="Plugin with test data").chance < 0.1


@pytest.mark.parametrize(
    ("anchor", "kind"),
    [
        ("CSV", "csv"),
        ("Download (CSV, 35 kB)", "csv"),
        ("Télécharger [XLSX]", "xlsx"),
        ("Excel", "xls"),
        ("CSV形式でダウンロード", "csv"),
        ("人口推計（CSV：12KB）", "csv"),
        ("Table 3 (xls)", "xls"),
        ("How to open a CSV file in R", ""),
        ("An introduction to Excel", ""),
        ("Excelの使い方", ""),
        ("Home", ""),
        ("", ""),
    ],
)
def test_words_of_links(anchor, kind):
    assert kind_of("http://a.org/item/12", anchor=anchor).kind == kind


def test_an_address_that_hands_out_files_is_believed_more():
    said = kind_of("http://a.org/item/12", anchor="CSV").chance
    assert kind_of("http://a.org/download/12", anchor="CSV").chance > said


@pytest.mark.parametrize(
    ("type", "kind"),
    [
        ("text/csv", "csv"),
        ("text/csv; charset=utf-8", "csv"),
        ("application/vnd.ms-excel", "xls"),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
        ("application/vnd.sdmx.data+json", "sdmx"),
        ('attachment; filename="births 2020.ods"', "ods"),
        ("attachment; filename*=UTF-8''t%C3%A4b.csv", "csv"),
        ("births.xlsx", "xlsx"),
        ("text/html", ""),
        ("nonsense", ""),
    ],
)
def test_what_is_said_of_a_link(type, kind):
    assert kind_of("http://a.org/item/12", type).kind == kind


def test_names_in_headers():
    assert named_in('attachment; filename="a b.csv"') == "a b.csv"
    assert named_in("inline") == ""


@pytest.mark.parametrize(("kind", "body"), BYTES.items())
def test_first_bytes_of_every_kind(kind, body):
    assert kind_of("http://a.org/item/12", first=body).kind == kind


@pytest.mark.parametrize(("ending", "body"), PACKED.items())
def test_packed_files_are_what_is_in_them(ending, body):
    assert kind_of(f"http://a.org/t.csv.{ending}", first=body).kind == "csv"


def test_old_formats():
    assert kind_of("http://a.org/x", first=OLD_STATA).kind == "dta"
    assert kind_of("http://a.org/x", first=OLD_EXCEL).kind == "xls"


def test_bytes_contradict_names():
    login = kind_of("http://a.org/t.xls", first=BYTES["html"])
    assert (login.kind, login.chance) == ("html", 0)
    assert "though named .xls" in login.why
    sheet = b'<html xmlns:x="urn:schemas-microsoft-com:office:excel"><table><tr><td>1</td></tr></table>'
    assert kind_of("http://a.org/t.xls", first=sheet).kind == "xls"
    assert kind_of("http://a.org/t.csv", first=bytes(range(256)) * 40).kind == ""
    assert kind_of("http://a.org/t.csv", first=BYTES["pdf"]).kind == "pdf"
    assert kind_of("http://a.org/t.xls", first=BYTES["csv"]).kind == "csv"
    assert (
        kind_of("http://a.org/t.zip", first=zipped({"a.csv": "a,b\n1,2\n", "b.csv": "a,b\n1,2\n"})).kind
        == "csv"
    )
    assert kind_of("http://a.org/t.zip", first=BYTES["zip"]).chance < 0.2


def test_prose_and_lists_are_no_tables():
    prose = b"It was a bright cold day in April, and the clocks were striking.\nWinston Smith, his chin nuzzled, slipped in.\n"
    assert kind_of("http://a.org/story.txt", first=prose * 20).kind != "csv"
    assert kind_of("http://a.org/", first=b"") == NOTHING


def test_strange_addresses_cost_nothing():
    began = time.process_time()
    for url in (
        "http://a.org/" + "a." * 50_000,
        "http://a.org/?" + "format=&" * 50_000,
        "http://a.org/" + "%25" * 50_000,
        "",
        "::",
        "http://",
    ):
        kind_of(url, "x" * 10_000, "CSV " * 10_000)
    assert time.process_time() - began < 1


def test_strict_kinds_are_the_ones_the_issue_of_a_portal_would_name():
    assert {"csv", "tsv", "xls", "xlsx", "ods", "dta", "sav", "rds", "parquet", "px", "sdmx"} <= STRICT
