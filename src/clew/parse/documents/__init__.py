"""Documents that are no web pages: PDF, and files of office programs and electronic books.

PDF needs an extra (`pdf`); the others are read with the standard library. What cannot be read says why.
"""

from collections.abc import Callable

from clew.domain.content.mime import DOCX, EPUB, ODT, PDF
from clew.parse.documents.content import DocumentContent, UnreadableDocumentError
from clew.parse.documents.pdf import read_pdf
from clew.parse.documents.zipped import read_docx, read_epub, read_odt

__all__ = ["DocumentContent", "UnreadableDocumentError", "read_document"]

_READERS: dict[str, Callable[[bytes, int], DocumentContent]] = {
    PDF: read_pdf,
    DOCX: read_docx,
    ODT: read_odt,
    EPUB: read_epub,
}


def read_document(body: bytes, mime: str, limit: int) -> DocumentContent:
    """Read a document of a type in `mime.DOCUMENTS`, at most `limit` characters of it.

    What cannot be read raises an `UnreadableDocumentError` that says why.
    """
    return _READERS[mime](body, limit)
