"""XML from strangers, read with the library's own parser: no DTD, no entities, no files, flat results."""

from dataclasses import dataclass, field
from xml.parsers import expat

MOST_ELEMENTS = 50_000
MOST_TEXT = 20_000


class NotXml(ValueError):  # noqa: N818 - a value error with a phrase for the person
    """The document cannot be read as XML."""


@dataclass(slots=True)
class Element:
    """An element with its attributes and its own text; `name` comes without namespace, in lower case."""

    name: str
    attributes: dict[str, str]
    parent: int
    text: str = ""
    children: list[int] = field(default_factory=list)


def elements(data: bytes) -> list[Element]:
    """Return all elements in document order; the first is the root. Raises NotXml."""
    found: list[Element] = []
    path: list[int] = []
    parser = expat.ParserCreate(namespace_separator="}")

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(found) >= MOST_ELEMENTS:
            raise NotXml("it has too many elements")  # noqa: EM101
        parent = path[-1] if path else -1
        if parent >= 0:
            found[parent].children.append(len(found))
        plain = {key.rpartition("}")[2].lower(): value for key, value in attributes.items()}
        path.append(len(found))
        found.append(Element(name.rpartition("}")[2].lower(), plain, parent))

    def text(data: str) -> None:
        if path and len(found[path[-1]].text) < MOST_TEXT:
            found[path[-1]].text += data

    def refuse(*_: object) -> None:
        raise NotXml("it brings definitions of its own (a DTD), which are not read")  # noqa: EM101

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: path.pop()
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise NotXml(str(error)) from None
    return found


def inner(found: list[Element], element: Element, *names: str) -> str:
    """Return the text of the first child that is called so."""
    for child in element.children:
        if found[child].name in names and found[child].text.strip():
            return found[child].text.strip()
    return ""
