"""Any site that describes its search in OpenSearch: the description, its template, feeds as answers."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urljoin

from clew import urls
from clew.domain.text import printable
from clew.search.dialect import Dialect, EngineRequest, RawResult, ResultPage, listed, plain, read_json, whole
from clew.search.http import Reply
from clew.search.queries import joined
from clew.search.safe_xml import Element, NotXml, elements, inner

_TYPES = ("application/rss+xml", "application/atom+xml", "application/json")
"""Answers that can be read, in the order in which they are liked."""

_PARAMETER = re.compile(r"\{([A-Za-z]+:)?([A-Za-z]+)(\?)?\}")


@dataclass(frozen=True, slots=True)
class Template:
    """How a question becomes an address: places for words and numbers, and where counting begins."""

    address: str
    mime: str
    first_index: int = 1
    first_page: int = 1

    @property
    def pages(self) -> bool:
        """Whether a second page can be asked for."""
        return "{startIndex" in self.address or "{startPage" in self.address

    def filled(self, ask: EngineRequest) -> str:
        """Put a question into its places; what may be left out and is not known is left out."""
        known = {
            "searchTerms": joined(ask.query),
            "count": str(min(ask.count, 100)),
            "startIndex": str(self.first_index + ask.seen),
            "startPage": str(self.first_page + ask.page),
            "language": ask.lang or "*",
            "inputEncoding": "UTF-8",
            "outputEncoding": "UTF-8",
        }
        return _PARAMETER.sub(
            lambda match: quote(known.get(match[2], "") if not match[1] else "", safe="*"), self.address
        )


class OpenSearch(Dialect):
    """Ask a site by its description: at an address, or in a file."""

    kind = "opensearch"
    spread = False

    def __init__(self, where: str) -> None:
        self.where = where
        self.template: Template | None = None

    @classmethod
    def of_file(cls, path: Path) -> "OpenSearch":
        """Read the description from a file of the person's own; raises ValueError with cause and cure."""
        made = cls("")
        if wrong := made._take(path.read_bytes(), ""):
            raise ValueError(wrong)
        return made

    def first(self) -> str:
        return "" if self.template else self.where

    def learn(self, reply: Reply) -> str:
        return self._take(reply.body, reply.url)

    def request(self, ask: EngineRequest) -> tuple[str, dict[str, str]]:
        assert self.template is not None
        return self.template.filled(ask), {"Accept": self.template.mime}

    def read(self, reply: Reply) -> ResultPage:
        assert self.template is not None
        if self.template.mime == "application/json":
            return _json(reply, more=self.template.pages)
        try:
            return _feed(elements(reply.body), reply.url, more=self.template.pages)
        except NotXml as error:
            if not reply.body.strip():
                return ResultPage(error="answers with nothing at all; try again later")
            page = "html" in reply.mime or b"<html" in reply.body[:500].lower()
            said = "a web page" if page else f"something that is not XML ({printable(str(error), 60)})"
            return ResultPage(
                error=f"answers with {said} instead of a feed; tell who runs it, or name another"
            )

    def key_cure(self) -> str:
        return "set CLEW_OPENSEARCH_LOGIN to user:password, or ask who runs it"

    def _take(self, data: bytes, base: str) -> str:
        """Choose the template that suits us; return what is wrong."""
        try:
            found = elements(data)
        except NotXml as error:
            return f"the description cannot be read as XML ({printable(str(error), 60)}); check its address"
        if not found or found[0].name != "opensearchdescription":
            return "this is no OpenSearch description; look for application/opensearchdescription+xml there"
        offered = [_template(each, base) for each in found if each.name == "url"]
        usable = [each for each in offered if each and each.mime in _TYPES]
        if not usable:
            kinds = ", ".join(sorted({each.mime for each in offered if each})) or "no address"
            return f"it offers {printable(kinds, 60)} only; results can be read as RSS, Atom or JSON"
        best = min(usable, key=lambda each: _TYPES.index(each.mime))
        if unknown := [m[2] for m in _PARAMETER.finditer(best.address) if not m[3] and not _known(m)]:
            return f"its address wants {{{unknown[0]}}}, which clew does not know; name another engine"
        if base and urls.site(urls.host(best.address)) != urls.site(urls.host(base)):
            there = printable(urls.origin(best.address), 60)
            return f"it sends questions elsewhere ({there}); save the description to a file, and name that"
        self.template = best
        return ""


def _known(match: re.Match[str]) -> bool:
    return not match[1] and match[2] in (
        "searchTerms", "count", "startIndex", "startPage", "language", "inputEncoding", "outputEncoding",
    )  # fmt: skip


def _template(element: Element, base: str) -> Template | None:
    """Read one Url element; None for suggestions, for the description itself and for POST."""
    given = element.attributes
    address = given.get("template", "").strip()
    address = urljoin(base, address) if base else address
    rel, method = given.get("rel", "results").lower().split(), given.get("method", "get").lower()
    if "results" not in rel or method != "get" or "{searchTerms" not in address:
        return None
    if not address.startswith(("http://", "https://")):
        return None
    index, page = whole(given.get("indexoffset")), whole(given.get("pageoffset"))
    mime = given.get("type", "").partition(";")[0].strip().lower()
    return Template(address, mime, 1 if index is None else index, 1 if page is None else page)


def _feed(found: list[Element], base: str, *, more: bool) -> ResultPage:
    """Read RSS or Atom: every item with an address."""
    if not found or found[0].name not in ("rss", "feed", "rdf"):
        return ResultPage(error="answers with XML that is no feed; tell who runs it, or name another engine")
    total = next((whole(each.text.strip()) for each in found if each.name == "totalresults"), None)
    rows = []
    for each in found:
        if each.name not in ("item", "entry"):
            continue
        link = inner(found, each, "link") or _linked(found, each)
        if link:
            title = plain(inner(found, each, "title"), 300)
            rows.append(
                RawResult(
                    urljoin(base, link),
                    title,
                    plain(inner(found, each, "description", "summary", "content"), 500),
                )
            )
    return ResultPage(rows=tuple(rows), total=total, more=more)


def _linked(found: list[Element], entry: Element) -> str:
    """Return the address of an Atom entry: its alternate link."""
    for child in entry.children:
        given = found[child].attributes
        if found[child].name == "link" and given.get("rel", "alternate") == "alternate":
            return given.get("href", "")
    return ""


def _json(reply: Reply, *, more: bool) -> ResultPage:
    """Read JSON of no fixed shape: the first list of objects that have an address."""
    said, error = read_json(reply)
    if error:
        return ResultPage(error=error)
    inside = said if isinstance(said, dict) else {"results": said}
    for name in inside:
        items = listed(inside, name)
        rows = [
            RawResult(
                url, plain(item.get("title"), 300), plain(item.get("snippet") or item.get("description"), 500)
            )
            for item in items
            if isinstance(url := item.get("url") or item.get("link"), str)
        ]
        if rows:
            return ResultPage(rows=tuple(rows), more=more)
    return ResultPage(more=False)
