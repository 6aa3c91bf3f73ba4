"""Files of every kind, made here byte by byte."""

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile

FIGURES = [["Region", "2019", "2020", "2021"]] + [
    [f"Region {i}", f"{100.5 + i:.1f}", f"{110.5 + 2 * i:.1f}", f"{120.5 + 3 * i:.1f}"] for i in range(20)
]
PEOPLE = [["name", "street", "city", "phone", "email"]] + [
    [f"Anna Weber {i}", f"Am Markt {i}", "Erfurt", f"+49 361 55{i:04d}", f"anna{i}@mail.org"]
    for i in range(30)
]


def as_csv(rows, delimiter=",", encoding="utf-8", end="\n") -> bytes:
    return end.join(delimiter.join(row) for row in [*rows, [""]]).encode(encoding)


def as_xlsx(rows, *, shared=True, streamed=False) -> bytes:
    words = sorted({cell for row in rows for cell in row if not _number(cell)})

    def cell(at, row, value):
        where = f'r="{chr(65 + at)}{row}"'
        if _number(value):
            return f"<c {where}><v>{value}</v></c>"
        if shared:
            return f'<c {where} t="s"><v>{words.index(value)}</v></c>'
        return f'<c {where} t="inlineStr"><is><t>{value}</t></is></c>'

    sheet = "".join(
        f'<row r="{n}">{"".join(cell(at, n, value) for at, value in enumerate(row))}</row>'
        for n, row in enumerate(rows, 1)
    )
    parts = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": "<workbook/>",
        "xl/sharedStrings.xml": f"<sst>{''.join(f'<si><t>{word}</t></si>' for word in words)}</sst>",
        "xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{sheet}</sheetData></worksheet>",
    }
    return zipped(parts, streamed=streamed)


def as_ods(rows) -> bytes:
    def cell(value):
        if _number(value):
            return f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'

    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    filler = '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    content = (
        f'<office:spreadsheet><table:table table:name="T">{lines}{filler}</table:table></office:spreadsheet>'
    )
    return zipped(
        {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content},
        plain="mimetype",
    )


def zipped(parts, *, streamed=False, plain="") -> bytes:
    out = io.BytesIO()
    target = _Stream(out) if streamed else out
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            how = zipfile.ZIP_STORED if name == plain else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name), text, how)
    return out.getvalue()


class _Stream(io.RawIOBase):
    """A file that cannot be rewound: zip files written to it name their sizes behind the bytes."""

    def __init__(self, out):
        self.out = out

    def writable(self):
        return True

    def write(self, piece):
        return self.out.write(piece)

    def flush(self):
        pass


def _number(cell: str) -> bool:
    return cell.replace(".", "", 1).replace("-", "", 1).isdigit()


BYTES = {
    "csv": as_csv(FIGURES),
    "tsv": as_csv(FIGURES, "\t"),
    "xlsx": as_xlsx(FIGURES),
    "ods": as_ods(FIGURES),
    "json": json.dumps([dict(zip(FIGURES[0], row, strict=True)) for row in FIGURES[1:]]).encode(),
    "xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "Workbook".encode("utf-16-le") + b"\0" * 400,
    "doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    + b"\0" * 600
    + "WordDocument".encode("utf-16-le")
    + b"\0" * 400,
    "dta": b"<stata_dta><header><release>118</release>",
    "sav": b"$FL2@(#) SPSS DATA FILE MS Windows",
    "rds": gzip.compress(b"X\n\0\0\0\3\0\4\2\0" + b"\0" * 200, mtime=0),
    "parquet": b"PAR1\x15\x04\x15\x80" + b"\0" * 50,
    "arrow": b"ARROW1\0\0" + b"\0" * 50,
    "px": b'CHARSET="ANSI";\nAXIS-VERSION="2010";\nTITLE="Births";\nSTUB="region";\nDATA=\n1 2 3;',
    "sdmx": b'<?xml version="1.0"?><mes:GenericData xmlns:mes="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/message">',
    "sas": b"\0" * 12 + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011") + b"\0" * 200,
    "pdf": b"%PDF-1.7\n%\xe2\xe3",
    "docx": zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": "<w/>"}),
    "epub": zipped({"mimetype": "application/epub+zip", "OEBPS/a.xhtml": "<p>"}, plain="mimetype"),
    "png": b"\x89PNG\r\n\x1a\n" + b"\0" * 20,
    "xml": b'<?xml version="1.0"?><catalog><item/></catalog>',
    "html": b"<!DOCTYPE html><html><head><title>Log in</title></head><body>",
    "zip": zipped({"src/main.py": "x = 1", "README": "hello"}),
}
"""The first bytes of each kind."""

PACKED = {
    "gz": gzip.compress(BYTES["csv"], mtime=0),
    "bz2": bz2.compress(BYTES["csv"]),
    "xz": lzma.compress(BYTES["csv"]),
    "zip": zipped({"readme.txt": "see table", "table.csv": BYTES["csv"].decode()}),
}
OLD_STATA = struct.pack("<4B", 114, 2, 1, 0) + b"\0" * 100
OLD_EXCEL = struct.pack("<4H", 0x0009, 4, 0x0002, 0x0010)
