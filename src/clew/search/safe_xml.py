"""Read untrusted XML with expat: no DTD, no entities, no files, a flat list of elements."""

from dataclasses import dataclass, field
from xml.parsers import expat

MAX_ELEMENTS = 50_000
MAX_TEXT = 20_000


class InvalidXmlError(ValueError):
    """The document cannot be read as XML."""


@dataclass(slots=True)
class Element:
    """An element with its attributes and its own text; `name` is without namespace, in lower case."""

    name: str
    attributes: dict[str, str]
    parent: int
    text: str = ""
    children: list[int] = field(default_factory=list)


def parse_xml(data: bytes) -> list[Element]:
    """Return all elements in document order; the first is the root. Raises InvalidXmlError."""
    found: list[Element] = []
    path: list[int] = []
    parser = expat.ParserCreate(namespace_separator="}")

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(found) >= MAX_ELEMENTS:
            raise InvalidXmlError("it has too many elements")  # noqa: EM101
        parent = path[-1] if path else -1
        if parent >= 0:
            found[parent].children.append(len(found))
        clean_text = {key.rpartition("}")[2].lower(): value for key, value in attributes.items()}
        path.append(len(found))
        found.append(Element(name.rpartition("}")[2].lower(), clean_text, parent))

    def text(data: str) -> None:
        if path and len(found[path[-1]].text) < MAX_TEXT:
            found[path[-1]].text += data

    def refuse(*_: object) -> None:
        raise InvalidXmlError("it contains a DTD, which is not supported")  # noqa: EM101

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: path.pop()
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise InvalidXmlError(str(error)) from None
    return found


def child_text(found: list[Element], element: Element, *names: str) -> str:
    """Return the text of the first child with one of these names."""
    for child in element.children:
        if found[child].name in names and found[child].text.strip():
            return found[child].text.strip()
    return ""
