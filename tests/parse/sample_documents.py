"""Small PDF, .docx, .odt and EPUB files, written by hand."""

import io
import zipfile

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CORE = "http://purl.org/dc/elements/1.1/"


def pdf(
    *pages: str, title: str = "", created: str = "", link: str = "", extra: str = "", trailer: str = ""
) -> bytes:
    """Return a PDF with one line of text on each page; the first one may have a link over its text."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    objects.append(f"<< /Title ({title}) /CreationDate ({created}) >>")
    kids = []
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else "0 0 100 100 re f"
        notes = ""
        if link and not number:
            notes = f"/Annots [<< /Type /Annot /Subtype /Link /Rect [70 715 300 735] /A << /S /URI /URI ({link}) >> >>]"
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects) + 2} 0 R {notes}"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(pages)} {extra} >>"
    out, places = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, each in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{each}\nendobj\n".encode("latin-1"))
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.writelines(f"{place:010d} 00000 n \n".encode() for place in places)
    out.write(
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R {trailer} >>\nstartxref\n{start}\n%%EOF".encode()
    )
    return out.getvalue()


def encrypted_pdf() -> bytes:
    """Return a PDF that opens with a password only."""
    key = "<" + "ab" * 32 + ">"
    return pdf(
        "Secret", trailer=f"/Encrypt << /Filter /Standard /V 1 /R 2 /O {key} /U {key} /P -4 >> /ID [<00><00>]"
    )


def _zipped(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(
                zipfile.ZipInfo(name) if name == "mimetype" else name,
                text,
                compress_type=zipfile.ZIP_STORED if name == "mimetype" else None,
            )
    return out.getvalue()


def docx(body: str = "") -> bytes:
    """Return a document of Word with a title, two paragraphs and a link."""
    return _zipped({
        "[Content_Types].xml": "<Types/>",
        "word/_rels/document.xml.rels": f"<Relationships xmlns='{_RELATIONS}'>"
        "<Relationship Id='r1' Target='https://example.org/tides' TargetMode='External'/></Relationships>",
        "word/document.xml": body
        or f"<w:document xmlns:w='{_WORD}' xmlns:r='{_RELATIONS}'><w:body><w:p><w:r><w:t>The tide</w:t>"
        "</w:r><w:r><w:t xml:space='preserve'> turns.</w:t></w:r></w:p><w:p><w:hyperlink r:id='r1'><w:r>"
        "<w:t>Tables of tides</w:t></w:r></w:hyperlink></w:p></w:body></w:document>",
        "docProps/core.xml": f"<c xmlns:dc='{_CORE}'><dc:title>Tides</dc:title><dc:creator>A. Moon</dc:creator>"
        "<created>2024-05-06T10:00:00Z</created></c>",
    })  # fmt: skip


def odt() -> bytes:
    """Return an OpenDocument text with a heading, a paragraph and a link."""
    return _zipped({
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": "<d xmlns:text='t' xmlns:xlink='x'><text:h>Tides</text:h><text:p>They <text:span>turn"
        "</text:span> at <text:a xlink:href='https://example.org/noon'>noon</text:a>.</text:p></d>",
        "meta.xml": f"<m xmlns:dc='{_CORE}'><dc:title>On tides</dc:title></m>",
    })  # fmt: skip


def epub(encrypted: bool = False) -> bytes:
    """Return an electronic book of two chapters, listed against their order in the file."""
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": "<c><rootfile full-path='OEBPS/book.opf'/></c>",
        "OEBPS/book.opf": f"<p xmlns:dc='{_CORE}'><dc:title>The tides</dc:title><dc:creator>A. Moon</dc:creator>"
        "<item id='b' href='two.xhtml'/><item id='a' href='one.xhtml'/><itemref idref='a'/><itemref idref='b'/></p>",
        "OEBPS/one.xhtml": "<html><body><h1>Ebb</h1><p>The water goes out. <a href='https://example.org/ebb'>"
        "More</a></p></body></html>",
        "OEBPS/two.xhtml": "<html><body><h1>Flood</h1><p>The water comes back.</p></body></html>",
    }
    if encrypted:
        parts["META-INF/encryption.xml"] = "<e/>"
    return _zipped(parts)
