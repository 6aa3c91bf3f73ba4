"""PDF: text, title, date, page count and links, by pdfium (the extra `pdf`)."""

import ctypes
import re
from contextlib import closing, suppress
from importlib import import_module
from typing import Any

from clew.domain.installation import install_command
from clew.parse.documents.content import DocumentContent, UnreadableDocumentError
from clew.parse.metadata import iso_date
from clew.parse.safe_text import line, without_controls

MAX_PAGES = 1_000
MAX_LINKS_OF_PAGE = 500
_MAX_TITLE = 500
_MAX_URI = 4_000
_FAULTS = {
    2: "PDF cannot be opened",
    3: "PDF is damaged",
    4: "PDF is encrypted: it opens with a password only",
    5: "PDF is encrypted in a way that is not known",
}
_HYPHEN = re.compile("[\\x02\\ufffe\\xad]\\r?\\n?")
_JOINED = re.compile(r"(?<=[^\W\d_,;]|[,;])\n(?=[a-zà-ÿ])")


def read_pdf(body: bytes, limit: int) -> DocumentContent:
    """Read a PDF; damaged, encrypted and scanned ones say so."""
    try:
        pdfium: Any = import_module("pypdfium2")
    except ImportError:
        msg = f"PDF needs the extra pdf; to read it: {install_command('pdf')}"
        raise UnreadableDocumentError(msg) from None
    try:
        document = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        raise UnreadableDocumentError(_FAULTS.get(error.err_code, "PDF is damaged")) from None
    with closing(document):
        return _read(document, pdfium, limit)


def _read(document: Any, pdfium: Any, limit: int) -> DocumentContent:  # noqa: ANN401 - an extra without types
    count, parts, links, faulty, size = len(document), list[str](), dict[str, str](), 0, 0
    for number in range(min(count, MAX_PAGES)):
        try:
            page = document[number]
            words = page.get_textpage()
            text = words.get_text_range()
        except pdfium.PdfiumError:
            faulty += 1
            continue
        parts.append(_tidy(text))
        size += len(parts[-1])
        for target, anchor in _links(page, words, pdfium.raw):
            links.setdefault(target, anchor)
        words.close()
        page.close()
        if size > limit:
            break
    text = without_controls("\n".join(filter(None, parts)))[:limit]
    if not text.strip():
        if faulty or not count:
            msg = "PDF is damaged: none of its pages can be read"
            raise UnreadableDocumentError(msg)
        msg = f"PDF has no text on {count:,} page{'s' * (count > 1)}: it may be scanned"
        raise UnreadableDocumentError(msg)
    about: dict[str, str] = {}
    with suppress(pdfium.PdfiumError, UnicodeDecodeError):
        about = document.get_metadata_dict()
    return DocumentContent(
        text=text,
        title=line(about.get("Title", ""), _MAX_TITLE),
        author=line(about.get("Author", ""), _MAX_TITLE),
        published=iso_date(about.get("CreationDate", "").removeprefix("D:")[:8]),
        pages=count,
        links=tuple(links.items()),
        fault=f"PDF is damaged: {faulty:,} of {count:,} pages cannot be read" if faulty else "",
        cut=count > MAX_PAGES or size > limit,
    )


def _tidy(text: str) -> str:
    """Return the text of a page with words and sentences that lines cut put together again."""
    rows = (" ".join(row.split()) for row in _HYPHEN.sub("", text).replace("\r", "\n").split("\n"))
    return _JOINED.sub(" ", "\n".join(filter(None, rows)))


def _links(page: Any, words: Any, raw: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - an extra without types
    """Return the addresses that a page links to, with the text of the place that is clicked."""
    found: list[tuple[str, str]] = []
    place, link = ctypes.c_int(0), raw.FPDF_LINK()
    document = page.pdf.raw
    while len(found) < MAX_LINKS_OF_PAGE and raw.FPDFLink_Enumerate(
        page.raw, ctypes.byref(place), ctypes.byref(link)
    ):
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        size = raw.FPDFAction_GetURIPath(document, action, None, 0)
        if not 1 < size <= _MAX_URI:
            continue
        buffer = ctypes.create_string_buffer(size)
        raw.FPDFAction_GetURIPath(document, action, buffer, size)
        box, anchor = raw.FS_RECTF(), ""
        if raw.FPDFLink_GetAnnotRect(link, ctypes.byref(box)):
            anchor = words.get_text_bounded(left=box.left, bottom=box.bottom, right=box.right, top=box.top)
        found.append((buffer.value.decode("utf-8", "replace"), line(anchor, _MAX_TITLE)))
    return found
