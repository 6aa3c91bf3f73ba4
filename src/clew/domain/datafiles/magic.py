"""Detect the kind of a file by its first bytes: magic numbers, else the shape of lines."""

import bz2
import lzma
import re
import zlib

from clew.domain.datafiles.archives import entries
from clew.domain.datafiles.delimited import decoded, delimiter_of
from clew.domain.datafiles.file_words import ALIASES, STRICT

HEAD = 16_384
"""Bytes that are used."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SAS = bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
_MAGIC = (
    (b"%PDF-", "pdf"), (b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"FEA1", "arrow"), (b"$FL2", "sav"),
    (b"$FL3", "sav"), (b"<stata_dta>", "dta"), (b"RDX2\n", "rds"), (b"RDX3\n", "rds"), (b"RDA2\n", "rds"),
    (b"RDA3\n", "rds"), (b"X\n\0\0\0", "rds"), (b"A\n2\n", "rds"), (b"A\n3\n", "rds"),
    (b"\x89PNG\r\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"\x09\x00\x04\x00", "xls"),
    (b"\x09\x02\x06\x00", "xls"), (b"\x09\x04\x06\x00", "xls"), (b"HEADER RECORD*******LIBRARY", "sas"),
)  # fmt: skip
_OLD_STATA = tuple(bytes((number,)) for number in range(105, 116))  # the formats of that number
PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")
"""Signatures of gzip, bzip2 and xz."""

_JSON = re.compile(r"\{|\[\s*[\[{]")
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body|table|div|meta|script)\b", re.IGNORECASE)
_SHEET = (b"schemas-microsoft-com:office:excel", b"schemas-microsoft-com:office:spreadsheet", b"Excel.Sheet")
_SHORT = 200  # characters: lines of one column, or a header with nothing below
_MANY = 50  # cells in a single line that fills all bytes that are used
_PX = re.compile(r'^\s*(?:CHARSET|AXIS-VERSION|CODEPAGE|LANGUAGE|MATRIX)\s*=\s*"', re.IGNORECASE)


def kind_of_bytes(first: bytes, named: str = "") -> tuple[str, str]:
    """Return the kind of file and the reason; no kind if it is unknown.

    `named` is what its name says; it decides only where the bytes leave it open.
    """
    if first.startswith(PACKED):
        inside = unpacked(first)
        if not inside:  # a block of bzip2 may be longer than what was fetched
            return named if named in STRICT else "", "packed bytes that go on"
        first = inside  # once only: there are files that hold themselves
    kind = _numbered(first, named)
    if kind is not None:
        return kind, "its first bytes"
    return _zipped(first) if first.startswith(b"PK\x03\x04") else _written(first[:HEAD], named)


def _numbered(first: bytes, named: str) -> str | None:
    """Return the kind of a magic number, None if there is none."""
    for magic, kind in _MAGIC:
        if first.startswith(magic):
            return kind
    if first.startswith(_OLE):
        book = b"W\0o\0r\0k\0b\0o\0o\0k\0" in first or b"B\0o\0o\0k\0" in first
        word = b"W\0o\0r\0d\0D\0o\0c" in first
        return "doc" if word and not book else "xls" if book or named == "xls" else ""
    if first[12:32] == _SAS:
        return "sas"
    old = first[:1] in _OLD_STATA and first[1:2] in (b"\1", b"\2") and first[2:4] == b"\1\0"
    return "dta" if old else None


def unpacked(packed: bytes, most: int = HEAD) -> bytes:
    """Return the first bytes inside a gzip, bzip2 or xz file, up to a limit; empty if it is damaged."""
    try:
        if packed.startswith(b"\x1f\x8b"):
            return zlib.decompressobj(31).decompress(packed, most)
        if packed.startswith(b"BZh"):
            return bz2.BZ2Decompressor().decompress(packed, most)
        limited = lzma.LZMADecompressor(memlimit=64 << 20)
        return limited.decompress(packed, most)
    except (zlib.error, OSError, lzma.LZMAError, EOFError):
        return b""


def _zipped(first: bytes) -> tuple[str, str]:
    """Distinguish spreadsheets from other zip files by the names and first words of their entries."""
    names: list[str] = []
    for name, inside in entries(first, most=200, each=200):
        if name == "mimetype":
            mimetype = inside.decode("ascii", "replace")
            return {"spreadsheet": "ods", "text": "odt", "presentation": "odp", "zip": "epub"}.get(
                re.split(r"[.+]", mimetype)[-1].removesuffix("-template"), ""
            ), f"mimetype {mimetype[:60]}"
        names.append(name.lower())
        for folder, kind in (("xl/", "xlsx"), ("word/", "docx"), ("ppt/", "pptx")):
            if name.startswith(folder):
                return kind, f"{folder} in a zip file"
    if "[content_types].xml" in names and len(names) == 1:
        return "xlsx", "[Content_Types].xml in a zip file"
    endings = [name.rpartition(".")[2] for name in names if not name.endswith("/")]
    tables = [name for name in endings if ALIASES.get(name, name) in STRICT]
    if tables and 2 * len(tables) >= len(endings) - sum(
        name in ("txt", "md", "pdf", "xml") for name in endings
    ):
        return ALIASES.get(tables[0], tables[0]), f"a zip file with {len(tables)} .{tables[0]}"
    return "zip", f"a zip file with {', '.join(sorted(set(endings))[:5]) or 'nothing'}"


def _written(head: bytes, named: str) -> tuple[str, str]:
    """Classify text: markup, keywords, JSON, and tables by their lines."""
    text, encoding = decoded(head)
    if not encoding:
        return "", "bytes that are no text"
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("<"):
        return _marked_up(start, head)
    if start.startswith("ASCII SPSS PORT FILE"):
        return "sav", "its first bytes"
    if _PX.match(start):
        return "px", "PC-Axis keywords"
    if _JSON.match(start):
        return ("sdmx", "SDMX-JSON") if '"dataSets"' in text and '"structure' in text else ("json", "JSON")
    return _tabular(text, named)


def _marked_up(start: str, head: bytes) -> tuple[str, str]:
    """Distinguish pages, spreadsheets in HTML or XML, SDMX, and other XML."""
    page = _HTML.match(start) or "<html" in start[:2_000].lower()
    if any(mark in head for mark in _SHEET):
        return "xls", "an HTML table made for spreadsheets" if page else "XML made for spreadsheets"
    if page:
        return "html", "HTML"
    return ("sdmx", "SDMX") if "sdmx" in start[:4_000].lower() else ("xml", "XML")


def _tabular(text: str, named: str) -> tuple[str, str]:
    """Detect tables by their lines."""
    if delimiter := delimiter_of(text):
        kind = "tsv" if delimiter == "\t" else "csv"
        return kind, f"lines of cells parted by {'tabs' if kind == 'tsv' else repr(delimiter)}"
    if named in ("csv", "tsv"):
        lines = text.split("\n")
        if max(map(len, lines)) < _SHORT:
            return named, "short lines"
        if len(lines) == 1 and text.count("\t" if named == "tsv" else ",") > _MANY:
            return named, "one long line of cells"
    return "", "text without cells"
