"""Documents that are a ZIP of XML: .docx, .odt and EPUB, read with the standard library.

Only what is needed is unpacked, and never more than `MAX_UNPACKED` bytes of it.
"""

import posixpath
from collections.abc import Iterator
from io import BytesIO
from typing import Any, NoReturn
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError, XMLPullParser
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812 - an exception

from clew.parse.documents.content import DocumentContent, UnreadableDocumentError
from clew.parse.maintext import extract_text, parsed
from clew.parse.metadata import iso_date
from clew.parse.safe_text import line, without_controls

MAX_UNPACKED = 50_000_000
MAX_PARTS = 500
_MAX_ELEMENTS = 2_000_000
_MAX_TITLE = 500
_PIECE = 65_536
_ABOUT = {"title": "title", "creator": "author", "initial-creator": "author"}
_DATES = ("created", "creation-date", "date")


class _Package:
    """A ZIP file that is unpacked up to a limit."""

    def __init__(self, body: bytes, name: str) -> None:
        self.name = name
        self.left = MAX_UNPACKED
        try:
            self.zip = ZipFile(BytesIO(body))
        except (BadZipFile, ValueError, OSError, NotImplementedError):
            self.fail("is damaged")

    def fail(self, why: str) -> NoReturn:
        """Say why the document is not read."""
        msg = f"{self.name} {why}"
        raise UnreadableDocumentError(msg) from None

    def unpack(self, part: str) -> bytes:
        """Return a part of the package; empty if there is none."""
        pieces: list[bytes] = []
        try:
            with self.zip.open(part) as file:
                while piece := file.read(_PIECE):
                    pieces.append(piece)
                    self.left -= len(piece)
                    if self.left < 0:
                        self.fail(f"is too large: more than {MAX_UNPACKED:,} bytes unpacked")
        except KeyError:
            return b""
        except RuntimeError:
            self.fail("is encrypted")
        except (BadZipFile, ZlibError, EOFError, OSError, ValueError, NotImplementedError):
            self.fail("is damaged")
        return b"".join(pieces)

    def elements(self, part: str) -> Iterator[tuple[str, Element]]:
        """Yield the starts and ends of the elements of an XML part."""
        parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
        try:
            parser.feed(self.unpack(part) or b"<none/>")
            events: Iterator[Any] = parser.read_events()
            for count, (event, element) in enumerate(events):
                if count > _MAX_ELEMENTS:
                    self.fail("has too many elements")
                yield event, element
        except ParseError:
            self.fail("is damaged")

    def about(self, part: str) -> dict[str, str]:
        """Return title, author and date from a part with Dublin Core elements."""
        found: dict[str, str] = {}
        for event, element in self.elements(part):
            name, text = _local(element.tag), (element.text or "").strip()
            if event == "end" and text:
                if name in _ABOUT:
                    found.setdefault(_ABOUT[name], line(text, _MAX_TITLE))
                elif name in _DATES and iso_date(text):
                    found.setdefault("published", iso_date(text))
        return found


def read_docx(body: bytes, limit: int) -> DocumentContent:
    """Read a document of Word: paragraphs and the cells of tables are lines."""
    package = _Package(body, ".docx")
    targets = {
        element.get("Id", ""): element.get("Target", "")
        for event, element in package.elements("word/_rels/document.xml.rels")
        if event == "start" and element.get("TargetMode") == "External"
    }
    lines, text, links, target, anchor = list[str](), "", dict[str, str](), "", ""
    for event, element in package.elements("word/document.xml"):
        name = _local(element.tag)
        if event == "start":
            if name == "hyperlink":
                target = next((targets.get(v, "") for k, v in element.items() if _local(k) == "id"), "")
                anchor = ""
            continue
        if name == "t":
            text += element.text or ""
            anchor += element.text or ""
        elif name in ("tab", "br", "cr"):
            text += " "
        elif name == "hyperlink" and target:
            links.setdefault(target, line(anchor, _MAX_TITLE))
            target = ""
        elif name == "p":
            lines.append(text)
            text = ""
            element.clear()
    return _content(package, lines, links, package.about("docProps/core.xml"), limit)


def read_odt(body: bytes, limit: int) -> DocumentContent:
    """Read an OpenDocument text: headings and paragraphs are lines."""
    package = _Package(body, ".odt")
    lines, links = list[str](), dict[str, str]()
    for event, element in package.elements("content.xml"):
        name = _local(element.tag)
        if event == "end" and name == "a":
            target = next((value for key, value in element.items() if _local(key) == "href"), "")
            links.setdefault(target, line("".join(element.itertext()), _MAX_TITLE))
        elif event == "end" and name in ("p", "h"):
            lines.append("".join(element.itertext()))
            tail = element.tail
            element.clear()
            element.tail = tail
    return _content(package, lines, links, package.about("meta.xml"), limit)


def read_epub(body: bytes, limit: int) -> DocumentContent:
    """Read an electronic book: its chapters in their order."""
    package = _Package(body, "EPUB")
    root = next(
        (
            element.get("full-path", "")
            for event, element in package.elements("META-INF/container.xml")
            if event == "start" and _local(element.tag) == "rootfile"
        ),
        "",
    )
    if "META-INF/encryption.xml" in package.zip.namelist():
        package.fail("is encrypted")
    files: dict[str, str] = {}
    spine: list[str] = []
    for event, element in package.elements(root):
        if event == "start" and _local(element.tag) == "item":
            files[element.get("id", "")] = element.get("href", "")
        elif event == "start" and _local(element.tag) == "itemref":
            spine.append(element.get("idref", ""))
    lines, links, size = list[str](), dict[str, str](), 0
    for name in spine[:MAX_PARTS]:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(root), unquote(files.get(name, ""))))
        page = package.unpack(path)
        if not page or size > limit:
            continue
        lines.append(extract_text(page))
        size += len(lines[-1])
        for node in parsed(page).css("a[href]"):
            target = node.attributes.get("href") or ""
            if target.startswith(("http://", "https://")):
                links.setdefault(target, line(node.text(), _MAX_TITLE))
    return _content(package, lines, links, package.about(root), limit)


def _content(
    package: _Package, lines: list[str], links: dict[str, str], about: dict[str, str], limit: int
) -> DocumentContent:
    text = without_controls("\n".join(filter(None, map(str.strip, lines))))
    if not text:
        package.fail("has no text")
    return DocumentContent(text=text[:limit], links=tuple(links.items()), cut=len(text) > limit, **about)  # type: ignore[arg-type]


def _local(tag: str) -> str:
    """Return a name without its namespace."""
    return tag.rpartition("}")[2]
