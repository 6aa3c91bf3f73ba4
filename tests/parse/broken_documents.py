"""Whole documents of every type that is read, and a seeded fuzzer that breaks them.

Bytes are changed, cut out, doubled or lost, as in a bad transfer; and numbers, references and tags are replaced by
those that parsers stumble over, as in files that somebody made to harm.
"""

import io
import random
import re
import zipfile
import zlib

from clew.domain.content import mime
from tests.parse import sample_documents

HTML = "text/html; charset=utf-8"
_PAGE = """<!doctype html><html lang=en><head><meta charset=utf-8><title>Tides</title>
<script type="application/ld+json">{"@type":"Article","author":{"name":"A. Moon"},"datePublished":"2024-05-06"}</script>
<style>.a{display:none}</style></head><body><nav><a href=/>Home</a></nav><article><h1>The tides</h1>
<p>The tide <b>turns</b> twice &amp; a day, as <a href="/sailors">every sailor</a> knows.</p>
<table><tr><th>Day<td>Monday<tr><th>High<td>04:10</table><ul><li>Ebb<li>Flood<ul><li>Spring</ul></ul>
<pre>tide = sin(t)</pre><form><input name=q><textarea>x</textarea></form></article><footer>Harbour</footer></body></html>"""
_NUMBER = re.compile(rb"\b[0-9]{1,6}\b")
_ODD_NUMBERS = (b"0", b"-1", b"1", b"2", b"99999999", b"2147483648", b"9223372036854775808", b"1e308", b"")
_ODD_PIECES = {
    mime.PDF: (
        b"/Kids [2 0 R]", b"/Parent 4 0 R", b"/Filter /FlateDecode", b"/Filter [/ASCIIHexDecode /LZWDecode]",
        b"/Prev 9", b"<<" * 3_000, b"[" * 3_000, b"(" * 3_000, b"endobj", b"stream\n", b"/Encrypt 4 0 R",
    ),
    HTML: (
        b"<div>" * 3_000, b"<table><tr><td>" * 600, b"<b><i><a href=x>" * 300, b"</p></div></body>", b"<!--",
        b"<![CDATA[", b"<script>", b"<title>", b"<plaintext>", b"&#xD800;&#0;&#99999999999;", b"\x00\x0b\xff\xfe",
        b"<a href='" + b"x" * 20_000, b"<svg><math><annotation-xml>", b"<template>", b"<select><option>",
        b"<meta charset=utf-16>", b"<base href='http://[::1'>", b"<frameset>",
    ),
}  # fmt: skip
_ODD_XML = (
    b"<x>" * 3_000, b"</x>", b"<!DOCTYPE x [<!ENTITY a 'aa'><!ENTITY b '&a;&a;'>]>", b"&b;", b"\x00", b"\xff",
    b"<![CDATA[", b"<!--", b"<w:p xmlns:w='w'/>", b"<?xml version='1.0' encoding='utf-7'?>", b"x" * 100_000,
)  # fmt: skip


def whole_documents() -> list[tuple[str, bytes]]:
    """Return a document of every type, with its type; the PDFs have plain, and packed contents."""
    plain = sample_documents.pdf("The tide turns", "and returns", title="T", link="https://example.org/")
    return [
        (mime.PDF, plain),
        (mime.PDF, _packed(plain)),
        (mime.DOCX, sample_documents.docx()),
        (mime.ODT, sample_documents.odt()),
        (mime.EPUB, sample_documents.epub()),
        (HTML, _PAGE.encode()),
    ]


def _packed(pdf: bytes) -> bytes:
    """Return a PDF whose streams are compressed; its table of places is wrong then, which is common."""

    def pack(found: re.Match[bytes]) -> bytes:
        drawn = zlib.compress(found[1])
        return b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn)

    return re.sub(rb"<< /Length \d+ >>\nstream\n(.*?)\nendstream", pack, pdf, flags=re.DOTALL)


def broken(type: str, body: bytes, dice: random.Random) -> bytes:
    """Return a document that is broken in one to three ways."""
    for _ in range(dice.randint(1, 3)):
        if type in (mime.DOCX, mime.ODT, mime.EPUB) and dice.random() < 0.5:
            body = _with_broken_part(body, dice)
        elif dice.random() < 0.5:
            body = _with_lost_bytes(body, dice)
        else:
            body = _with_odd_piece(body, _ODD_PIECES.get(type, _ODD_XML), dice)
    return body


def _with_lost_bytes(body: bytes, dice: random.Random) -> bytes:
    damaged = bytearray(body)
    at = dice.randrange(len(body) or 1)
    way = dice.randrange(4)
    if way == 0:
        for _ in range(dice.randrange(1, 40) if body else 0):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
    elif way == 1:
        del damaged[at : at + dice.randrange(1, 400)]
    elif way == 2:
        damaged[at:at] = damaged[at : at + 300] * dice.randrange(1, 50)
    else:
        del damaged[at:]
    return bytes(damaged)


def _with_odd_piece(body: bytes, pieces: tuple[bytes, ...], dice: random.Random) -> bytes:
    """Replace a number, or put a piece somewhere."""
    numbers = list(_NUMBER.finditer(body))
    if numbers and dice.random() < 0.5:
        found = dice.choice(numbers)
        return body[: found.start()] + dice.choice(_ODD_NUMBERS) + body[found.end() :]
    at = dice.randrange(len(body) or 1)
    return body[:at] + dice.choice(pieces) + body[at:]


def _with_broken_part(body: bytes, dice: random.Random) -> bytes:
    """Break a file within a package, which stays a good one; a package that is broken already stays as it is."""
    out = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
            names = old.namelist()
            chosen = dice.choice(names)
            for name in names:
                part = old.read(name)
                new.writestr(name, _with_odd_piece(part, _ODD_XML, dice) if name == chosen else part)
    except Exception:
        return body
    return out.getvalue()
