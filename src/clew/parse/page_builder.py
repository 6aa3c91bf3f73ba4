"""The page of a response, from its status and headers on; a body is read by `page_reader`.

Nothing here parses HTML, so the main process loads only this.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from clew.domain.content import mime
from clew.domain.text.link_words import LinkTokenizer
from clew.domain.text.page_terms import count_terms
from clew.parse import directives
from clew.parse.options import DEFAULT_OPTIONS, ParseOptions
from clew.types import Kind, Links, Page, Response, RobotsDirectives, TermBag
from clew.urls import Canon

Fields: TypeAlias = Mapping[str, list[str]]
"""Header fields by lower-case name."""

REDIRECT_SECONDS = 10
"""Seconds: a refresh within this time is a redirect, a later one is a link."""

_NO_LINKS = Links()
_NOT_MODIFIED = 304
_TOKENIZERS = {new: LinkTokenizer(repeat=not new) for new in (False, True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """What was read from the body of one page; `clean` is its clean markup."""

    title: str = ""
    text: str = ""
    margin: str = ""
    clean: str = ""
    lang: str = ""
    redirect: str = ""
    links: Links = field(default_factory=Links)
    directives: RobotsDirectives = field(default_factory=RobotsDirectives)
    kinds: tuple[str, ...] = ()


_NO_CONTENT = PageContent()


@dataclass(slots=True)
class PageBuilder:
    """The state of a page while it is read; `page` returns the finished one."""

    response: Response
    fields: Fields
    canon: Canon
    agent: str
    options: ParseOptions = DEFAULT_OPTIONS
    mime: str = ""
    encoding: str = ""
    content: PageContent = field(default_factory=lambda: _NO_CONTENT)
    links: Links = field(default_factory=lambda: _NO_LINKS)
    redirect: str = ""
    fingerprint: int = 0
    truncated: bool = False
    error: str = ""

    @property
    def url(self) -> str:
        return self.response.link.url

    def header(self, name: str) -> str:
        """Return the last value of a header field, or an empty string."""
        values = self.fields.get(name)
        return values[-1] if values else ""

    def fault(self, error: str) -> None:
        """Append an error to those before it."""
        self.error = f"{self.error}; {error}" if self.error and error else self.error or error

    def page(self) -> Page:
        """Return the finished page; a Refresh header is its redirect if there is no other."""
        if not self.redirect and "refresh" in self.fields:
            refresh = directives.refresh(self.header("refresh"))
            self.redirect, _ = settle_refresh(refresh, url=self.url, base=self.url, canon=self.canon)
        content, robots = self.content, self.content.directives
        if "x-robots-tag" in self.fields:
            robots |= directives.header_directives(self.fields["x-robots-tag"], self.agent)
        return Page(
            response=self.response,
            mime=self.mime,
            encoding=self.encoding,
            title=content.title,
            text=content.text,
            margin=content.margin,
            markup=content.clean,
            lang=content.lang,
            redirect=self.redirect,
            links=self._with_tokens(),
            directives=robots,
            fingerprint=self.fingerprint,
            truncated=self.truncated,
            error=self.error,
            kinds=content.kinds,
            terms=self._terms(),
        )

    @property
    def _is_page(self) -> bool:
        return self.response.link.kind is Kind.PAGE and bool(self.content.text or self.content.title)

    def _terms(self) -> TermBag | None:
        if not self.options.terms or not self._is_page:
            return None
        content = self.content
        return count_terms(content.title, content.text, content.lang, content.margin)

    def _with_tokens(self) -> Links:
        """Return the links with their tokens; those of sitemaps and feeds are not needed."""
        if not self.options.tokens or not len(self.links) or not self._is_page:
            return self.links
        links = self.links
        tokenizer = _TOKENIZERS[self.options.new_words]
        return replace(links, tokens=tokenizer.columns(links.anchors, links.urls, links.contexts))


def without_body(response: Response, *, canon: Canon, agent: str = "clew") -> Page | None:
    """Return the page of a response without a body to read; `None` when the body has to be read.

    This is safe in any process: only header fields and URLs are parsed.
    """
    builder = start_page(response, canon=canon, agent=agent)
    return builder.page() if has_nothing_to_read(builder) else None


def start_page(response: Response, *, canon: Canon, agent: str) -> PageBuilder:
    """Return a builder with what the status and the headers of the response state."""
    builder = PageBuilder(
        response, headers(response.head), canon, agent, truncated=response.truncated, error=response.error
    )
    builder.mime = mime.stated(builder.header("content-type"))
    return builder


def has_nothing_to_read(builder: PageBuilder) -> bool:
    """Return whether there is no body to read: redirects, failures, images, videos."""
    response = builder.response
    if 300 <= response.status < 400 and response.status != _NOT_MODIFIED and "location" in builder.fields:  # noqa: PLR2004
        builder.redirect = builder.canon(builder.header("location"), builder.url) or ""
        if not builder.redirect:
            builder.fault("redirect to a URL that cannot be fetched")
        return True
    return not response.body or (response.link.kind is Kind.PAGE and mime.is_opaque(builder.mime))


def headers(head: bytes) -> dict[str, list[str]]:
    """Return the header fields of a response, by lower-case name."""
    found: dict[str, list[str]] = {}
    for row in head.split(b"\n")[1:]:
        name, colon, value = row.partition(b":")
        if colon:
            try:
                text = value.decode("utf-8")
            except UnicodeDecodeError:
                text = value.decode("latin-1")
            found.setdefault(name.decode("latin-1").strip().lower(), []).append(text.strip())
    return found


def settle_refresh(refresh: tuple[float, str], *, url: str, base: str, canon: Canon) -> tuple[str, str]:
    """Return the target of a refresh as a redirect, or as a link if it is late; else two empty strings."""
    seconds, reference = refresh
    target = canon(reference, base) if reference else None
    if target is None or target == url:
        return "", ""
    return (target, "") if seconds <= REDIRECT_SECONDS else ("", target)
