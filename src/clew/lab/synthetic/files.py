"""Files that pages offer: CSV, XLS and PDF, small and valid."""

import csv
import io
import struct

from clew.lab.synthetic.records import labels, rows_of
from clew.lab.synthetic.site import Site
from clew.lab.synthetic.url_schemes import UrlTarget

TYPES = {"csv": "text/csv; charset=utf-8", "xls": "application/vnd.ms-excel", "pdf": "application/pdf"}
"""The media type of each kind of file."""


def body(site: Site, target: UrlTarget) -> bytes:
    """Return the bytes of a file."""
    section = site.sections[target.section]
    if target.variant == "pdf":
        return _pdf(section.title_of(target.position, site.lang))
    table = [labels(site, section), *rows_of(site, target)]
    if target.variant == "xls":
        return _xls(table)
    out = io.StringIO()
    csv.writer(out, delimiter=";" if site.lang in {"de", "fr"} else ",").writerows(table)
    return out.getvalue().encode()


def _xls(table: list[tuple[str, ...]]) -> bytes:
    """Write a sheet in BIFF 2, the oldest format that spreadsheet programs read: one record for each cell."""
    content = [struct.pack("<4H", 0x0009, 4, 0x0002, 0x0010)]
    for row, values in enumerate(table):
        for column, value in enumerate(values):
            text = value.encode("cp1252", "replace")[:255]
            cell = struct.pack("<2H3xB", row, column, len(text)) + text
            content.append(struct.pack("<2H", 0x0004, len(cell)) + cell)
    content.append(struct.pack("<2H", 0x000A, 0))
    return b"".join(content)


def _pdf(title: str) -> bytes:
    """Write a page with a title."""
    text = title.encode("latin-1", "replace").replace(b"(", b"").replace(b")", b"")
    drawn = b"BT /F1 18 Tf 72 760 Td (" + text + b") Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources 6 0 R >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Font << /F1 5 0 R >> >>",
    ]
    content, offsets = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    end = b"trailer << /Size 7 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(content)
    return content + b"xref\n0 7\n0000000000 65535 f \n" + table + end
