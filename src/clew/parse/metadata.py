"""What a page says about itself: author, dates, site, description, type, licence, language.

Read from JSON-LD, meta elements, links (rel=license, pages of authors) and time elements, in this order;
nothing is guessed from the text, except the language.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.domain.text import language
from clew.domain.text.language_model import language_confidence
from clew.parse.safe_text import line

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

    from clew.parse.documents.content import DocumentContent

_LONGEST = 500
_MOST_ITEMS = 2_000
_LONGEST_NAME = 60
_AUTHOR_LINKS = 'a[href*="/author/"], a[href*="/authors/"]'
"""Links to the page of an author, as blogs write them."""

_DATE = re.compile(r"\s*((?:19|20)\d\d)[-/.]?(0[1-9]|1[0-2])[-/.]?(0[1-9]|[12]\d|3[01])(?!\d)")
_MAIN_TYPES = re.compile(
    r"article|posting|report|recipe|product|dataset|event|video|book|course|review|question", re.IGNORECASE
)
_NAMES = {
    "author": ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author"),
    "published": (
        "article:published_time", "datepublished", "date", "dc.date", "dcterms.created", "dcterms.issued",
        "citation_publication_date", "parsely-pub-date", "pubdate", "publishdate", "og:published_time",
    ),
    "modified": ("article:modified_time", "datemodified", "dcterms.modified", "og:updated_time"),
    "site": ("og:site_name", "application-name"),
    "description": ("description", "og:description", "dc.description", "twitter:description"),
    "kind": ("og:type",),
    "licence": ("license", "licence", "dc.rights", "dcterms.rights", "dcterms.license"),
}  # fmt: skip

_KEYS = {
    "author": "author",
    "published": "datePublished",
    "modified": "dateModified",
    "licence": "license",
    "site": "publisher",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMetadata:
    """What a page says about itself; what it does not say is empty. Dates are YYYY-MM-DD.

    `kind` is a schema.org type ("NewsArticle") or, if it states none, its og:type. `lang_stated` tells
    whether the page declares this language; otherwise it was detected. `lang_confidence` is how likely its
    text is in this language.
    """

    title: str = ""
    author: str = ""
    published: str = ""
    modified: str = ""
    site: str = ""
    description: str = ""
    kind: str = ""
    licence: str = ""
    lang: str = ""
    lang_stated: bool = False
    lang_confidence: float | None = None


def read_metadata(document: "LexborHTMLParser", text: str = "") -> PageMetadata:
    """Read the metadata of a page; its language is checked against `text`."""
    metas = _metas(document)
    items = sorted(_items(document), key=lambda item: not _MAIN_TYPES.search(_type(item)))
    values = {
        name: _linked_data(items, name) or next((metas[key] for key in keys if metas.get(key)), "")
        for name, keys in _NAMES.items()
    }
    values["licence"] = values["licence"] or _attribute(
        document, 'a[rel~="license"], link[rel~="license"]', "href"
    )
    values["published"] = values["published"] or _attribute(
        document,
        '[itemprop="datePublished"], time[pubdate], article time[datetime], time.published',
        "datetime",
    )
    if values["author"].startswith(("http://", "https://")) or not any(map(str.isalpha, values["author"])):
        values["author"] = ""
    values["author"] = (
        values["author"]
        or _text(document, '[itemprop="author"] [itemprop="name"], [rel="author"]')
        or _first_name(document, _AUTHOR_LINKS)
    )
    title = document.css_first("title")
    declared = _attribute(document, "html", "lang") or metas.get("content-language", "")
    lang = language(text, declared)
    return PageMetadata(
        title=line(title.text(), _LONGEST) if title else "",
        author=line(values["author"], _LONGEST),
        published=iso_date(values["published"]),
        modified=iso_date(values["modified"]),
        site=line(values["site"], _LONGEST),
        description=line(values["description"], _LONGEST),
        kind=line(values["kind"], _LONGEST),
        licence=line(values["licence"], _LONGEST),
        lang=lang,
        lang_stated=bool(lang) and declared.lower().startswith(lang),
        lang_confidence=language_confidence(text, lang) if text and lang else None,
    )


def document_metadata(document: "DocumentContent") -> PageMetadata:
    """Return what a PDF or another document says about itself; its language is detected."""
    lang = language(document.text)
    return PageMetadata(
        title=document.title,
        author=document.author,
        published=document.published,
        lang=lang,
        lang_confidence=language_confidence(document.text, lang) if lang else None,
    )


def iso_date(text: str) -> str:
    """Return the day of a date that begins with its year, as YYYY-MM-DD; empty if it is written otherwise.

    >>> iso_date("2024-05-06T10:00:00Z"), iso_date("20240506"), iso_date("May 6th")
    ('2024-05-06', '2024-05-06', '')
    """
    found = _DATE.match(text)
    return "-".join(found.groups()) if found else ""


def _metas(document: "LexborHTMLParser") -> dict[str, str]:
    found: dict[str, str] = {}
    for node in document.css("meta"):
        attributes = node.attributes
        name = (
            attributes.get("property")
            or attributes.get("name")
            or attributes.get("itemprop")
            or attributes.get("http-equiv")
        )
        content = attributes.get("content")
        if name and content and content.strip():
            found.setdefault(name.strip().lower(), content.strip())
    return found


def _linked_data(items: list[dict[str, Any]], name: str) -> str:
    """Return the first value in JSON-LD; a description there may be that of anything, and is not used."""
    if name == "kind":
        return next((kind for item in items if _MAIN_TYPES.search(kind := _type(item))), "")
    key = _KEYS.get(name, "")
    return next((value for item in items if key and (value := _name(item.get(key)))), "")


def _items(document: "LexborHTMLParser") -> Iterator[dict[str, Any]]:
    """Yield the objects of all JSON-LD on a page, outer ones first."""
    left = _MOST_ITEMS
    for node in document.css('script[type*="ld+json"]'):
        try:
            queue = [json.loads(node.text(), strict=False)]
        except (ValueError, RecursionError):
            continue
        while queue and left:
            left -= 1
            each = queue.pop(0)
            if isinstance(each, dict):
                yield each
                queue.extend(each.values())
            elif isinstance(each, list):
                queue.extend(each)


def _type(item: dict[str, Any]) -> str:
    stated = item.get("@type")
    return str(stated[0] if isinstance(stated, list) and stated else stated or "")


def _name(value: object) -> str:
    """Return the name of a person, organisation or licence, or a plain value; several are joined."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_name, value[:20])))
    if isinstance(value, dict):
        return _name(value.get("name") or value.get("url") or "")
    return value.strip() if isinstance(value, str) else ""


def _attribute(document: "LexborHTMLParser", selector: str, name: str) -> str:
    node = document.css_first(selector)
    return ((node.attributes.get(name) or node.attributes.get("content") or "") if node else "").strip()


def _first_name(document: "LexborHTMLParser", selector: str) -> str:
    """Return the first text that may be a name; pictures of authors are links, too."""
    texts = (line(node.text(), _LONGEST) for node in document.css(selector))
    return next((text for text in texts if 1 < len(text) <= _LONGEST_NAME), "")


def _text(document: "LexborHTMLParser", selector: str) -> str:
    node = document.css_first(selector)
    return line(node.text(), _LONGEST) if node else ""
