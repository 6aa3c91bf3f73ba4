"""WACZ and CDXJ of a crawl, checked by the tools of other projects."""

import gzip
import io
import json
import subprocess
import sys
import zipfile

import pytest
from surt import surt
from warcio.archiveiterator import ArchiveIterator

from clew import store
from clew.api import Crawl
from clew.store.cdxj import sort_key
from clew.store.export import ExportOptions
from tests.small_web import CONTACT, QUICK, linked, serving


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """Return the folder of a small crawl."""
    folder = tmp_path_factory.mktemp("wacz") / "crawl"
    pages = {"/": linked("/a", "/b?y=2&x=1", "/moved", "/none", title="Über uns")}
    pages |= {"/a": linked(text="a lighthouse", title="A"), "/b?y=2&x=1": linked(text="bread", title="B")}
    pages |= {"/moved": (302, {"Location": "/a"}, b"")}
    with serving(pages) as web:
        Crawl(folder, "lighthouse", [f"{web.origin}/"], CONTACT, settings=QUICK).run()
    return folder


def tool(name, *arguments):
    """Run a program of another project that is installed beside this Python."""
    process = subprocess.run(
        [sys.executable, "-m", name, *arguments], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_py_wacz_finds_the_file_valid(crawl, tmp_path):
    target = tmp_path / "out.wacz"
    rows = store.export(crawl, target)
    assert rows == len(Crawl(crawl).pages) + 1  # and robots.txt
    said = tool("wacz.main", "validate", "-f", str(target))
    assert said.splitlines()[1:] == [
        "Version detected as 1.1.1",
        "Validation succeeded, the passed WACZ is valid",
    ]


def index_of(wacz):
    with zipfile.ZipFile(wacz) as archive:
        return gzip.decompress(archive.read("indexes/index.cdx.gz")).decode().splitlines()


def test_the_index_is_the_one_cdxj_indexer_makes(crawl, tmp_path):
    target = tmp_path / "out.wacz"
    store.export(crawl, target)
    with zipfile.ZipFile(target) as archive:
        archive.extract("archive/data.warc.gz", tmp_path)
    theirs = tool("cdxj_indexer.main", "--sort", str(tmp_path / "archive" / "data.warc.gz")).splitlines()
    ours = [line.split(" ", 2) for line in index_of(target)]
    assert ours == sorted(ours)
    fields = ("url", "mime", "status", "digest", "length", "offset")

    def plain(line):
        key, time, facts = line
        facts = json.loads(facts)
        return key, time, *(facts.get(name, "unk").removeprefix("sha1:") for name in fields)

    assert sorted(map(plain, ours)) == sorted(plain(line.split(" ", 2)) for line in theirs)


def test_each_line_leads_to_its_record(crawl, tmp_path):
    target = tmp_path / "out.wacz"
    store.export(crawl, target)
    with zipfile.ZipFile(target) as archive:
        warc = archive.read("archive/data.warc.gz")
        pages = [json.loads(line) for line in archive.read("pages/pages.jsonl").splitlines()]
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
    for line in index_of(target):
        facts = json.loads(line.split(" ", 2)[2])
        start = int(facts["offset"])
        (record,) = ArchiveIterator(io.BytesIO(warc[start : start + int(facts["length"])]))
        assert record.rec_headers["WARC-Target-URI"] == facts["url"]
        assert record.http_headers.get_statuscode() == facts["status"]
    assert pages[0]["format"] == "json-pages-1.0"
    assert {page["title"] for page in pages[1:]} == {"Über uns", "A", "B"}


def test_the_index_of_the_crawl_leads_into_its_own_files(crawl, tmp_path):
    rows = store.export(crawl, tmp_path / "index.cdxj")
    lines = (tmp_path / "index.cdxj").read_text("utf-8").splitlines()
    assert len(lines) == rows > 4
    for line in lines:
        facts = json.loads(line.split(" ", 2)[2])
        with (crawl / facts["filename"]).open("rb") as file:
            file.seek(int(facts["offset"]))
            record = next(iter(ArchiveIterator(io.BytesIO(file.read(int(facts["length"]))))))
        assert record.rec_headers["WARC-Target-URI"] == facts["url"]


def test_relevant_pages_alone(crawl, tmp_path):
    rows = store.export(crawl, tmp_path / "good.wacz", ExportOptions(only_relevant=True))
    assert rows == len(index_of(tmp_path / "good.wacz")) < 4


def test_an_empty_archive_is_whole(tmp_path):
    with serving({}) as web:
        Crawl(tmp_path / "c", "x", [f"{web.origin}/"], CONTACT, settings=QUICK).run()
    assert store.export(tmp_path / "c", tmp_path / "e.wacz", ExportOptions(only_relevant=True)) == 0
    with zipfile.ZipFile(tmp_path / "e.wacz") as archive:
        assert archive.testzip() is None


@pytest.mark.parametrize(
    "url",
    [
        "http://www.example.org/",
        "https://example.org:8080/A/b?z=1&a=2",
        "http://www2.example.org/a/",
        "http://127.0.0.1:8000/x",
        "http://example.org/a%20b/%C3%89",
        "http://a.org/a//b",
        "https://a.b.c.co.jp/?q",
    ],
)
def test_sort_keys_are_those_of_surt(url):
    assert sort_key(url) == surt(url)
