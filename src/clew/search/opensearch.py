"""Sites that describe their search in OpenSearch: the description, its URL template, feeds as results."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urljoin

from clew import urls
from clew.domain.text import printable
from clew.search.dialect import (
    Dialect,
    EngineRequest,
    RawResult,
    ResultPage,
    as_count,
    clean_text,
    objects_at,
    read_json,
)
from clew.search.http import Reply
from clew.search.queries import format_query
from clew.search.safe_xml import Element, InvalidXmlError, child_text, parse_xml

_MIME_TYPES = ("application/rss+xml", "application/atom+xml", "application/json")
"""Supported result types, in order of preference."""

_PARAMETER = re.compile(r"\{([A-Za-z]+:)?([A-Za-z]+)(\?)?\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A URL template of a query: parameters for words and numbers, and the first index and page."""

    url_template: str
    mime: str
    first_index: int = 1
    first_page: int = 1

    @property
    def pages(self) -> bool:
        """Whether a second page can be requested."""
        return "{startIndex" in self.url_template or "{startPage" in self.url_template

    def fill_in(self, ask: EngineRequest) -> str:
        """Return the URL of a request; optional parameters without a value are left empty."""
        known = {
            "searchTerms": format_query(ask.query),
            "count": str(min(ask.count, 100)),
            "startIndex": str(self.first_index + ask.seen),
            "startPage": str(self.first_page + ask.page),
            "language": ask.lang or "*",
            "inputEncoding": "UTF-8",
            "outputEncoding": "UTF-8",
        }
        return _PARAMETER.sub(
            lambda match: quote(known.get(match[2], "") if not match[1] else "", safe="*"), self.url_template
        )


class OpenSearch(Dialect):
    """Query a site by its OpenSearch description, from a URL or a file."""

    kind = "opensearch"
    limit_per_site = False

    def __init__(self, source: str) -> None:
        self.source = source
        self.template: Template | None = None

    @classmethod
    def from_file(cls, path: Path) -> "OpenSearch":
        """Read the description from a local file; raises ValueError with cause and remedy."""
        engine = cls("")
        if error := engine._parse_description(path.read_bytes(), ""):
            raise ValueError(error)
        return engine

    def setup_url(self) -> str:
        return "" if self.template else self.source

    def load_setup(self, reply: Reply) -> str:
        return self._parse_description(reply.body, reply.url)

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        assert self.template is not None
        return self.template.fill_in(ask), {"Accept": self.template.mime}

    def read(self, reply: Reply) -> ResultPage:
        assert self.template is not None
        if self.template.mime == "application/json":
            return _parse_json(reply, more=self.template.pages)
        try:
            return _parse_feed(parse_xml(reply.body), reply.url, more=self.template.pages)
        except InvalidXmlError as error:
            if not reply.body.strip():
                return ResultPage(error="answers with nothing at all; try again later")
            page = "html" in reply.mime or b"<html" in reply.body[:500].lower()
            content = "a web page" if page else f"something that is not XML ({printable(str(error), 60)})"
            return ResultPage(
                error=f"answers with {content} instead of a feed; tell who runs it, or name another"
            )

    def key_hint(self) -> str:
        return "set CLEW_OPENSEARCH_LOGIN to user:password, or ask who runs it"

    def _parse_description(self, data: bytes, base: str) -> str:
        """Choose the preferred template of a description; return an error message or nothing."""
        try:
            found = parse_xml(data)
        except InvalidXmlError as error:
            return f"the description cannot be read as XML ({printable(str(error), 60)}); check its address"
        if not found or found[0].name != "opensearchdescription":
            return "this is no OpenSearch description; look for application/opensearchdescription+xml there"
        templates = [_template(each, base) for each in found if each.name == "url"]
        usable = [each for each in templates if each and each.mime in _MIME_TYPES]
        if not usable:
            kinds = ", ".join(sorted({each.mime for each in templates if each})) or "no address"
            return f"it offers {printable(kinds, 60)} only; results can be read as RSS, Atom or JSON"
        best = min(usable, key=lambda each: _MIME_TYPES.index(each.mime))
        if unknown := [m[2] for m in _PARAMETER.finditer(best.url_template) if not m[3] and not _is_known(m)]:
            return f"its address wants {{{unknown[0]}}}, which clew does not know; name another engine"
        if base and urls.site(urls.host(best.url_template)) != urls.site(urls.host(base)):
            there = printable(urls.origin(best.url_template), 60)
            return f"it sends questions elsewhere ({there}); save the description to a file, and name that"
        self.template = best
        return ""


def _is_known(match: re.Match[str]) -> bool:
    return not match[1] and match[2] in (
        "searchTerms", "count", "startIndex", "startPage", "language", "inputEncoding", "outputEncoding",
    )  # fmt: skip


def _template(element: Element, base: str) -> Template | None:
    """Read one Url element; None for suggestions, for the description itself and for POST."""
    parameters = element.attributes
    url_template = parameters.get("template", "").strip()
    url_template = urljoin(base, url_template) if base else url_template
    rel, method = parameters.get("rel", "results").lower().split(), parameters.get("method", "get").lower()
    if "results" not in rel or method != "get" or "{searchTerms" not in url_template:
        return None
    if not url_template.startswith(("http://", "https://")):
        return None
    index, page = as_count(parameters.get("indexoffset")), as_count(parameters.get("pageoffset"))
    mime = parameters.get("type", "").partition(";")[0].strip().lower()
    return Template(url_template, mime, 1 if index is None else index, 1 if page is None else page)


def _parse_feed(found: list[Element], base: str, *, more: bool) -> ResultPage:
    """Read RSS or Atom: every item with a URL."""
    if not found or found[0].name not in ("rss", "feed", "rdf"):
        return ResultPage(error="answers with XML that is no feed; tell who runs it, or name another engine")
    total = next((as_count(each.text.strip()) for each in found if each.name == "totalresults"), None)
    rows = []
    for each in found:
        if each.name not in ("item", "entry"):
            continue
        link = child_text(found, each, "link") or _atom_link(found, each)
        if link:
            title = clean_text(child_text(found, each, "title"), 300)
            rows.append(
                RawResult(
                    urljoin(base, link),
                    title,
                    clean_text(child_text(found, each, "description", "summary", "content"), 500),
                )
            )
    return ResultPage(rows=tuple(rows), total=total, more=more)


def _atom_link(found: list[Element], entry: Element) -> str:
    """Return the URL of an Atom entry: its alternate link."""
    for child in entry.children:
        parameters = found[child].attributes
        if found[child].name == "link" and parameters.get("rel", "alternate") == "alternate":
            return parameters.get("href", "")
    return ""


def _parse_json(reply: Reply, *, more: bool) -> ResultPage:
    """Read JSON without a fixed schema: the first list of objects that have a URL."""
    content, error = read_json(reply)
    if error:
        return ResultPage(error=error)
    answer = content if isinstance(content, dict) else {"results": content}
    for name in answer:
        items = objects_at(answer, name)
        rows = [
            RawResult(
                url,
                clean_text(item.get("title"), 300),
                clean_text(item.get("snippet") or item.get("description"), 500),
            )
            for item in items
            if isinstance(url := item.get("url") or item.get("link"), str)
        ]
        if rows:
            return ResultPage(rows=tuple(rows), more=more)
    return ResultPage(more=False)
