"""Documents that are no web pages: what is read of them, and what those say that cannot be read."""

import asyncio
import json
import random
import subprocess
import sys
import zlib

import pytest
import sample_documents
from parse_visits import page, visit

import clew
from clew.domain.content import mime
from clew.parse import ParsePool
from clew.parse.documents import zipped
from clew.parse.documents.pdf import MAX_PAGES
from tests.parse.broken_documents import HTML, broken, whole_documents
from tests.small_web import CONTACT, QUICK, linked, serving


def test_a_pdf_has_text_title_language_and_links():
    body = sample_documents.pdf(
        "The tide turns twice a day, as every sailor knows",
        "and the water comes back to the harbour",
        title="On tides",
        created="D:20240506101112",
        link="https://example.org/tides",
    )
    read = page(body, "application/pdf")
    assert (read.mime, read.title, read.lang, read.error) == (mime.PDF, "On tides", "en", "")
    assert read.text == (
        "The tide turns twice a day, as every sailor knows\nand the water comes back to the harbour"
    )
    assert read.links.urls == ["https://example.org/tides"]
    assert read.links.anchors[0].startswith("The tide turns")
    assert read.fingerprint
    assert read.terms is not None


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"%PDF-1.4 and nothing else", "PDF is damaged"),
        (sample_documents.encrypted_pdf(), "PDF is encrypted: it opens with a password only"),
        (sample_documents.pdf(""), "PDF has no text on 1 page: it may be scanned"),
        (sample_documents.pdf("", ""), "PDF has no text on 2 pages: it may be scanned"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(body, why):
    read = page(body, "application/pdf")
    assert (read.text, read.error) == ("", why)


def test_a_pdf_with_many_pages_is_read_in_part():
    read = page(sample_documents.pdf(*["Tide."] * (MAX_PAGES + 1)), "application/pdf")
    assert read.truncated
    assert read.text.count("Tide.") == MAX_PAGES


def test_without_the_extra_a_pdf_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    read = page(sample_documents.pdf("Tides"), "application/pdf")
    assert read.text == ""
    assert read.error.startswith("PDF needs the extra pdf; to read it: pip install")
    assert "pdf" in read.error.partition("install")[2]


@pytest.mark.parametrize("is_stated", [True, False])
@pytest.mark.parametrize(
    ("make", "type", "title", "text", "link"),
    [
        (sample_documents.docx, mime.DOCX, "Tides", "The tide turns.\nTables of tides", "https://example.org/tides"),
        (sample_documents.odt, mime.ODT, "On tides", "Tides\nThey turn at noon.", "https://example.org/noon"),
        (
            sample_documents.epub, mime.EPUB, "The tides",
            "Ebb\nThe water goes out. More\nFlood\nThe water comes back.", "https://example.org/ebb",
        ),
    ],
)  # fmt: skip
def test_office_documents_and_books_are_read(is_stated, make, type, title, text, link):  # noqa: PLR0917
    read = page(make(), type if is_stated else "application/octet-stream")
    assert (read.mime, read.title, read.text, read.error) == (type, title, text, "")
    assert read.links.urls == [link]


def test_a_package_that_unpacks_to_too_much_is_not_read(monkeypatch):
    monkeypatch.setattr(zipped, "MAX_UNPACKED", 10_000)
    read = page(sample_documents.docx("<d>" + "x" * 20_000 + "</d>"), mime.DOCX)
    assert (read.text, read.error) == ("", ".docx is too large: more than 10,000 bytes unpacked")


@pytest.mark.parametrize(
    ("body", "type", "why"),
    [
        (b"PK\x03\x04 and no more", mime.DOCX, ".docx is damaged"),
        (sample_documents.docx("<d><open></d>"), mime.DOCX, ".docx is damaged"),
        (sample_documents.docx("<d/>"), mime.DOCX, ".docx has no text"),
        (sample_documents.epub(encrypted=True), mime.EPUB, "EPUB is encrypted"),
    ],
)
def test_other_documents_that_cannot_be_read_say_why(body, type, why):
    read = page(body, type)
    assert (read.text, read.error) == ("", why)


def test_a_pdf_that_unpacks_to_too_much_says_so_and_others_are_read():
    drawn = zlib.compress(b"0 0 m " * 50_000_000, 9)
    bomb = sample_documents.pdf("x").replace(b"/Length 32", b"/Filter /FlateDecode /Length %d" % len(drawn))
    start = bomb.index(b"stream\n") + len(b"stream\n")
    bomb = bomb[:start] + drawn + bomb[bomb.index(b"\nendstream") :]

    async def read_both():
        pool = ParsePool(workers=1, timeout=60, memory=128)
        try:
            return await pool(visit(bomb, mime.PDF)), await pool(
                visit(sample_documents.pdf("fine"), mime.PDF)
            )
        finally:
            await pool.aclose()

    unpacked, fine = asyncio.run(read_both())
    assert unpacked.error == "parser out of memory"
    assert fine.text == "fine"


def test_no_broken_document_takes_the_parser_down_and_what_is_not_read_says_why():
    dice, whole = random.Random(23), whole_documents()
    files = [(type, broken(type, body, dice)) for type, body in whole for _ in range(40)]

    async def read_all():
        pool = ParsePool(workers=2, timeout=20)
        try:
            return [await pool(visit(body, type)) for type, body in files]
        finally:
            await pool.aclose()

    pages = asyncio.run(read_all())
    assert len(pages) == 240
    for (type, body), read in zip(files, pages, strict=True):
        if type != HTML and body:
            assert read.text or read.error, body
        assert not read.error.startswith(("parser ", "parse timeout")), (read.error, body)


def test_a_crawl_goes_on_through_broken_files_and_every_page_says_why_it_has_no_text(tmp_path):
    dice, pages = random.Random(24), {}
    for number in range(200):
        type, body = dice.choice(whole_documents())
        pages[f"/{number}"] = (200, {"Content-Type": type}, broken(type, body, dice))
    with serving({"/": linked(*pages), **pages}) as web:
        crawl = clew.Crawl(tmp_path, seeds=[f"{web.origin}/"], contact=CONTACT, settings=QUICK)
        crawl.run()
    found = {row["url"].removeprefix(web.origin): row for row in crawl.pages}
    assert set(pages) <= set(found)
    for path, (_, headers, body) in pages.items():
        if headers["Content-Type"] != HTML and body:
            assert found[path]["text"] or found[path]["error"], path
        assert not found[path]["error"].startswith("parser "), (found[path]["error"], path)


def test_the_command_text_reads_documents(tmp_path):
    file = tmp_path / "tides.pdf"

    def text(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "clew", "text", str(file), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    file.write_bytes(sample_documents.pdf("The tide turns", title="Tides", created="D:20240506101112"))
    assert text().stdout == "The tide turns\n"
    found = json.loads(text("--json").stdout)
    assert (found["title"], found["published"], found["pages"]) == ("Tides", "2024-05-06", 1)
    file.write_bytes(sample_documents.encrypted_pdf())
    assert "opens with a password only" in " ".join(text().stderr.split())
